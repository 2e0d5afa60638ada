//! A simulation of `atropos serve` with more workers than there are machines to try.
//!
//! Workers, the leader and the server do what they really do, with the leader's own plan for the size of parts
//! ([`Pace`]), but exploring takes simulated time, and so do messages: the server and the leader each handle one after
//! the other. The costs are those that were measured. How uneven parts are is modelled: each piece that is split off has
//! a random share of the rest, such that more than half of the pieces are tiny, as the timelines of workers show.
//! Simulated workers take one task at a time.

use atropos_spread::cluster::{News, Pace};
use atropos_testkit::Rng;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

/// What things cost, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// The server: to hand out a task with the acknowledgement that ends it, to keep a record, to take in a task, to
    /// tell a worker the news.
    pub take: f64,
    pub keep: f64,
    pub put: f64,
    pub tell: f64,
    /// The leader: to add up a record, to offer a task.
    pub add: f64,
    pub offer: f64,
    /// From a worker to the server and back.
    pub round_trip: f64,
    /// A worker: to begin a part.
    pub begin: f64,
}

/// How a search went.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Result {
    pub seconds: f64,
    pub n_records: u64,
    /// The part of the workers' time in which they explored.
    pub efficiency: f64,
    /// The part of the time in which the server and the leader were busy.
    pub server_load: f64,
    pub leader_load: f64,
}

#[derive(Clone, Debug)]
enum Happening {
    /// A worker ends the part with this number.
    Ends { worker: usize, part: u64 },
    /// A record arrives at the server; these parts are open because of it, and one that its worker keeps.
    Arrived { sizes: Vec<f64>, keeps: bool },
    /// The leader reads it.
    Recorded { sizes: Vec<f64>, keeps: bool },
    /// A task is in the queue.
    Queued { size: f64, time: f64 },
    /// A worker wants a task.
    Free { worker: usize },
    /// All workers hear the news.
    Heard { news: News },
}

/// Something that handles one message after the other.
#[derive(Clone, Copy, Default)]
struct Station {
    free_at: f64,
    busy: f64,
}

impl Station {
    /// Handles a message that arrives at `now`, and returns when it is done.
    fn handle(&mut self, now: f64, cost: f64) -> f64 {
        self.free_at = self.free_at.max(now) + cost;
        self.busy += cost;
        self.free_at
    }
}

/// A worker: the number of its part, when it began, how much of it there was, and when the time for the task is over.
#[derive(Clone, Copy, Default)]
struct Worker {
    part: u64,
    start: f64,
    size: f64,
    until: f64,
    /// What it has heard.
    n_pieces: usize,
    least: f64,
}

struct Simulation {
    costs: Costs,
    rng: Rng,
    server: Station,
    leader: Station,
    events: BinaryHeap<Reverse<(u64, u64)>>,
    /// What happens, by number.
    what: Vec<Option<Happening>>,
    tasks: VecDeque<(f64, f64)>,
    workers: Vec<Worker>,
    free: Vec<usize>,
    announced: Option<(News, f64)>,
    n_open: usize,
    n_begun: u64,
    n_records: u64,
}

/// Simulates a search that takes one worker `work` seconds.
pub fn simulate(costs: Costs, n_workers: usize, work: f64, seed: u64) -> Result {
    let mut simulation = Simulation {
        costs,
        rng: Rng::new(seed),
        server: Station::default(),
        leader: Station::default(),
        events: BinaryHeap::new(),
        what: Vec::new(),
        tasks: VecDeque::new(),
        workers: vec![Worker::default(); n_workers],
        free: (0..n_workers).collect(),
        announced: None,
        n_open: 0,
        n_begun: 0,
        n_records: 0,
    };
    simulation.offer(0.0, &[work]);
    let mut now = 0.0;
    while simulation.n_open > 0 {
        let Reverse((at, number)) = simulation.events.pop().expect("open parts are somewhere");
        now = at as f64 / 1e9;
        let event = simulation.what[number as usize].take().expect("everything happens once");
        simulation.step(now, event);
    }
    let Simulation { server, leader, n_records, .. } = simulation;
    let efficiency = work / (now * n_workers as f64);
    let [server_load, leader_load] = [server, leader].map(|station| station.busy / now);
    Result { seconds: now, n_records, efficiency, server_load, leader_load }
}

impl Simulation {
    fn happens(&mut self, at: f64, event: Happening) {
        self.events.push(Reverse(((at * 1e9).ceil() as u64, self.what.len() as u64)));
        self.what.push(Some(event));
    }

    fn pace(&self, now: f64) -> Pace {
        let [elapsed, record] = [now, self.costs.keep].map(Duration::from_secs_f64);
        Pace { elapsed, n_workers: self.workers.len(), record }
    }

    fn step(&mut self, now: f64, event: Happening) {
        let half_trip = self.costs.round_trip / 2.0;
        match event {
            Happening::Ends { worker, part } if self.workers[worker].part == part => self.end(now, worker),
            Happening::Ends { .. } => {}
            Happening::Arrived { sizes, keeps } => {
                let kept = self.server.handle(now, self.costs.keep);
                self.happens(kept, Happening::Recorded { sizes, keeps });
            }
            Happening::Recorded { sizes, keeps } => {
                let added = self.leader.handle(now, self.costs.add);
                self.n_records += 1;
                self.n_open = self.n_open + usize::from(keeps) - 1;
                self.offer(added, &sizes);
                self.tell(added);
            }
            Happening::Queued { size, time } => self.tasks.push_back((size, time)),
            Happening::Free { worker } => self.free.push(worker),
            Happening::Heard { news } => self.hear(now, news),
        }
        while !self.free.is_empty()
            && let Some((size, time)) = self.tasks.pop_front()
        {
            let worker = self.free.pop().expect("one is free");
            let taken = self.server.handle(now, self.costs.take) + half_trip;
            self.workers[worker].until = taken + time;
            self.begin(taken, worker, size);
        }
    }

    /// A worker begins a part.
    fn begin(&mut self, now: f64, worker: usize, size: f64) {
        let Worker { start, size: left, .. } = &mut self.workers[worker];
        (*start, *left) = (now + self.costs.begin, size);
        self.plan(now, worker);
    }

    /// Decides when a worker ends its part.
    fn plan(&mut self, now: f64, worker: usize) {
        self.n_begun += 1;
        let Worker { part, start, size, until, n_pieces, least } = &mut self.workers[worker];
        *part = self.n_begun;
        let wanted = if *n_pieces > 0 { now.max(*start + *least) } else { f64::MAX };
        let (end, part) = ((*start + *size).min(until.max(*start)).min(wanted), *part);
        self.happens(end, Happening::Ends { worker, part });
    }

    fn end(&mut self, now: f64, worker: usize) {
        let half_trip = self.costs.round_trip / 2.0;
        let Worker { start, size, until, n_pieces, .. } = self.workers[worker];
        self.workers[worker].part = 0;
        let rest = (start + size - now).min(size);
        let mut sizes = if rest > 1e-7 { self.split(rest, n_pieces) } else { Vec::new() };
        let kept = if now < until { sizes.pop() } else { None };
        self.happens(now + half_trip, Happening::Arrived { sizes, keeps: kept.is_some() });
        match kept {
            Some(size) => self.begin(now, worker, size),
            None => self.happens(now + half_trip, Happening::Free { worker }),
        }
    }

    /// Pieces of a rest, and what remains after them.
    fn split(&mut self, rest: f64, n_pieces: usize) -> Vec<f64> {
        let mut share = || {
            let uniform = (self.rng.below(1 << 20) as f64 + 0.5) / f64::from(1 << 20);
            uniform.ln().powi(4)
        };
        let shares: Vec<f64> = (0..=n_pieces).map(|_| share()).collect();
        let all: f64 = shares.iter().sum();
        shares.into_iter().map(|share| rest * share / all.max(f64::MIN_POSITIVE)).collect()
    }

    fn offer(&mut self, now: f64, sizes: &[f64]) {
        self.n_open += sizes.len();
        let time = self.pace(now).time().as_secs_f64();
        for &size in sizes {
            let offered = self.leader.handle(now, self.costs.offer);
            let queued = self.server.handle(offered, self.costs.put);
            self.happens(queued, Happening::Queued { size, time });
        }
    }

    /// Tells workers what is new.
    fn tell(&mut self, now: f64) {
        let (pace, news) = (self.pace(now), self.pace(now).news(self.n_open));
        let is_due = self.announced.is_none_or(|(announced, when)| {
            let is_same = news == announced && !(1..1000).contains(&news.permille);
            !is_same && now >= when + pace.between_news().as_secs_f64()
        });
        if is_due {
            self.announced = Some((news, now));
            let announced = self.server.handle(now, self.costs.tell * self.workers.len() as f64);
            self.happens(announced + self.costs.round_trip / 2.0, Happening::Heard { news });
        }
    }

    fn hear(&mut self, now: f64, news: News) {
        for worker in 0..self.workers.len() {
            let is_asked = (self.rng.below(1000) as u64) < news.permille;
            let n_pieces = if is_asked { news.n_pieces } else { 0 };
            let Worker { part, n_pieces: before, least, .. } = &mut self.workers[worker];
            *least = news.least_us as f64 / 1e6;
            if std::mem::replace(before, n_pieces) != n_pieces && *part != 0 {
                self.plan(now, worker);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Costs = Costs {
        take: 0.0,
        keep: 0.0,
        put: 0.0,
        tell: 0.0,
        add: 0.0,
        offer: 0.0,
        round_trip: 0.0,
        begin: 0.0,
    };

    #[test]
    fn one_worker_takes_as_long_as_the_work() {
        let result = simulate(FREE, 1, 100.0, 1);
        assert!((result.seconds - 100.0).abs() < 0.01 && result.efficiency > 0.999, "{result:?}");
    }

    #[test]
    fn workers_share_the_work() {
        let costs = Costs { keep: 1e-4, round_trip: 5e-4, begin: 1e-4, ..FREE };
        let result = simulate(costs, 50, 500.0, 1);
        assert!(result.seconds >= 10.0 && result.efficiency > 0.9, "{result:?}");
    }

    #[test]
    fn a_server_that_is_too_slow_is_what_limits() {
        // It can keep a hundred records per second, and each worker makes about one.
        let costs = Costs { keep: 0.01, ..FREE };
        let result = simulate(costs, 1000, 100_000.0, 1);
        assert!(result.server_load > 0.8 && result.efficiency < 0.3, "{result:?}");
    }
}
