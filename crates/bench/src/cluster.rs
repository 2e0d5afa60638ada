//! A simulation of `atropos serve` with more workers than there are machines to try.
//!
//! Workers, the leader and the server do what they really do, with the leader's own plan for how long tasks are and how
//! often they are split ([`Pace`]), but exploring takes simulated time, and so do messages: the server and the leader
//! each handle one after the other. The costs are those that were measured. How uneven parts are is modelled: each piece
//! that is split off has a random share of the rest, such that about a third of the pieces are tiny, as the timelines of
//! workers show.

use atropos_spread::cluster::{News, Pace};
use atropos_testkit::Rng;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

/// What things cost, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// The server: to hand out a task with the acknowledgement that ends it, to keep a record, to take in a task, to
    /// pass on a wish.
    pub take: f64,
    pub keep: f64,
    pub put: f64,
    pub wish: f64,
    /// The leader: to add up a record, to offer a task.
    pub add: f64,
    pub offer: f64,
    /// From a worker to the server and back.
    pub round_trip: f64,
    /// A worker: to begin a part.
    pub begin: f64,
}

/// The most pieces that are wanted of a worker at once.
const MOST_WANTED: usize = 16;

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
    Ends {
        worker: usize,
        part: u64,
    },
    /// A worker has explored the part with this number for long enough to split it.
    Opens {
        worker: usize,
        part: u64,
    },
    /// A record arrives at the server, with the size of what is left.
    Arrived {
        rest: f64,
    },
    /// The leader reads it.
    Recorded {
        rest: f64,
    },
    /// A task arrives at the server, and is in the queue.
    Offered {
        task: Task,
    },
    Queued {
        task: Task,
    },
    /// The request of a worker for a task is at the server.
    Free {
        worker: usize,
    },
    /// The wish of a worker that has ended so many parts arrives at the server.
    Wished {
        worker: usize,
        n_ended: u64,
    },
    /// A worker hears it.
    Heard {
        worker: usize,
    },
}

/// How much there is to do, and for how long it may be explored.
#[derive(Clone, Copy, Debug)]
struct Task {
    size: f64,
    time: f64,
}

/// What happens, when in nanoseconds, and its number, which no other has.
struct Appointment {
    at: u64,
    number: u64,
    what: Happening,
}

impl PartialEq for Appointment {
    fn eq(&self, other: &Appointment) -> bool {
        self.number == other.number
    }
}

impl Eq for Appointment {}

impl PartialOrd for Appointment {
    fn partial_cmp(&self, other: &Appointment) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Appointment {
    fn cmp(&self, other: &Appointment) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
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

/// A worker: the number of its part, if it has one, when all of it will be explored, and when the time for it is over.
#[derive(Clone, Copy, Default)]
struct Worker {
    part: u64,
    end: f64,
    until: f64,
    n_ended: u64,
    n_wanted: usize,
    /// Where it is among those that can split.
    place: Option<usize>,
}

struct Simulation {
    costs: Costs,
    news: News,
    rng: Rng,
    server: Station,
    leader: Station,
    events: BinaryHeap<Reverse<Appointment>>,
    n_events: u64,
    tasks: VecDeque<Task>,
    workers: Vec<Worker>,
    free: VecDeque<usize>,
    /// The workers that can split what they explore.
    open: Vec<usize>,
    n_open_parts: usize,
    n_begun: u64,
    n_records: u64,
}

/// Simulates a search that takes one worker `work` seconds.
pub fn simulate(costs: Costs, n_workers: usize, work: f64, seed: u64) -> Result {
    let pace = Pace { elapsed: Duration::ZERO, n_workers, record: Duration::from_secs_f64(costs.keep) };
    let mut simulation = Simulation {
        costs,
        news: pace.news(),
        rng: Rng::new(seed),
        server: Station::default(),
        leader: Station::default(),
        events: BinaryHeap::new(),
        n_events: 0,
        tasks: VecDeque::new(),
        workers: vec![Worker::default(); n_workers],
        free: VecDeque::new(),
        open: Vec::new(),
        n_open_parts: 1,
        n_begun: 0,
        n_records: 0,
    };
    simulation.offer(0.0, work);
    (0..n_workers).for_each(|worker| simulation.ask(0.0, worker));
    let mut now = 0.0;
    while simulation.n_open_parts > 0 {
        let Reverse(Appointment { at, what, .. }) =
            simulation.events.pop().expect("open parts are somewhere");
        now = at as f64 / 1e9;
        simulation.step(now, what);
    }
    let Simulation { server, leader, n_records, .. } = simulation;
    let efficiency = work / (now * n_workers as f64);
    let [server_load, leader_load] = [server, leader].map(|station| station.busy / now);
    Result { seconds: now, n_records, efficiency, server_load, leader_load }
}

impl Simulation {
    fn happens(&mut self, at: f64, event: Happening) {
        self.n_events += 1;
        let event = Appointment { at: (at * 1e9).ceil() as u64, number: self.n_events, what: event };
        self.events.push(Reverse(event));
    }

    fn step(&mut self, now: f64, event: Happening) {
        let half_trip = self.costs.round_trip / 2.0;
        match event {
            Happening::Ends { worker, part } if self.workers[worker].part == part => self.end(now, worker),
            Happening::Opens { worker, part } if self.workers[worker].part == part => self.open(now, worker),
            Happening::Ends { .. } | Happening::Opens { .. } => {}
            Happening::Arrived { rest } => {
                let kept = self.server.handle(now, self.costs.keep);
                self.happens(kept + half_trip, Happening::Recorded { rest });
            }
            Happening::Recorded { rest } => {
                let added = self.leader.handle(now, self.costs.add);
                self.n_records += 1;
                if rest > 0.0 {
                    self.offer(added, rest);
                } else {
                    self.n_open_parts -= 1;
                }
            }
            Happening::Offered { task } => {
                let queued = self.server.handle(now, self.costs.put);
                self.happens(queued, Happening::Queued { task });
            }
            Happening::Queued { task } => self.tasks.push_back(task),
            Happening::Free { worker } => self.free.push_back(worker),
            Happening::Wished { worker, n_ended } if self.workers[worker].n_ended == n_ended => {
                let passed = self.server.handle(now, self.costs.wish);
                if !self.open.is_empty() {
                    let other = self.open[self.rng.below(self.open.len())];
                    self.happens(passed + half_trip, Happening::Heard { worker: other });
                }
                let again = self.news.again_us as f64 / 1e6;
                self.happens(now + again, Happening::Wished { worker, n_ended });
            }
            Happening::Wished { .. } => {}
            Happening::Heard { worker } => {
                let n_wanted = &mut self.workers[worker].n_wanted;
                *n_wanted = (*n_wanted + 1).min(MOST_WANTED);
                self.split(now, worker);
            }
        }
        while !self.free.is_empty()
            && let Some(task) = self.tasks.pop_front()
        {
            let worker = self.free.pop_front().expect("one is free");
            let taken = self.server.handle(now, self.costs.take) + half_trip;
            self.begin(taken, worker, task);
        }
    }

    /// A worker asks for a task, and for a piece of what others explore.
    fn ask(&mut self, now: f64, worker: usize) {
        let (at, n_ended) = (now + self.costs.round_trip / 2.0, self.workers[worker].n_ended);
        self.happens(at, Happening::Free { worker });
        self.happens(at, Happening::Wished { worker, n_ended });
    }

    /// A worker begins a part.
    fn begin(&mut self, now: f64, worker: usize, task: Task) {
        self.n_begun += 1;
        let start = now + self.costs.begin;
        let state = &mut self.workers[worker];
        // It has what it wished for.
        state.n_ended += 1;
        (state.part, state.end) = (self.n_begun, start + task.size);
        (state.until, state.n_wanted) = (start + task.time, 0);
        self.plan(worker, start, 1);
    }

    /// Decides when a worker ends its part, and when it can split it, after so many pieces.
    fn plan(&mut self, worker: usize, start: f64, n_pieces: usize) {
        let Worker { part, end, until, .. } = self.workers[worker];
        self.happens(end.min(until), Happening::Ends { worker, part });
        let opens = start + self.least() * n_pieces as f64;
        if opens < end && opens + self.least() <= until {
            self.happens(opens, Happening::Opens { worker, part });
        }
    }

    fn least(&self) -> f64 {
        self.news.least_us as f64 / 1e6
    }

    fn open(&mut self, now: f64, worker: usize) {
        if self.workers[worker].place.is_none() {
            self.workers[worker].place = Some(self.open.len());
            self.open.push(worker);
        }
        self.split(now, worker);
    }

    fn close(&mut self, worker: usize) {
        if let Some(place) = self.workers[worker].place.take() {
            self.open.swap_remove(place);
            if let Some(&moved) = self.open.get(place) {
                self.workers[moved].place = Some(place);
            }
        }
    }

    /// A worker gives away the pieces that are wanted of it, if it can.
    fn split(&mut self, now: f64, worker: usize) {
        let Worker { part, end, until, place, n_wanted, .. } = self.workers[worker];
        if place.is_none() || n_wanted == 0 || part == 0 || until - now < self.least() {
            return;
        }
        let mut rest = end - now;
        let n_given = n_wanted.min(self.news.most_at_once());
        for _ in 0..n_given {
            let uniform = (self.rng.below(1 << 20) as f64 + 0.5) / f64::from(1 << 20);
            let size = rest * uniform.powi(4);
            rest -= size;
            self.n_open_parts += 1;
            let task = Task { size, time: until - now };
            self.happens(now + self.costs.round_trip / 2.0, Happening::Offered { task });
        }
        self.close(worker);
        self.n_begun += 1;
        let state = &mut self.workers[worker];
        (state.part, state.end, state.n_wanted) = (self.n_begun, now + rest, n_wanted - n_given);
        self.plan(worker, now, n_given);
    }

    fn end(&mut self, now: f64, worker: usize) {
        let half_trip = self.costs.round_trip / 2.0;
        self.close(worker);
        let state = &mut self.workers[worker];
        let rest = state.end - now;
        state.part = 0;
        let rest = if rest > 1e-7 { rest } else { 0.0 };
        self.happens(now + half_trip, Happening::Arrived { rest });
        self.ask(now, worker);
    }

    fn offer(&mut self, now: f64, size: f64) {
        let (elapsed, record) = (Duration::from_secs_f64(now), Duration::from_secs_f64(self.costs.keep));
        let time = Pace { elapsed, n_workers: self.workers.len(), record }.time().as_secs_f64();
        let offered = self.leader.handle(now, self.costs.offer) + self.costs.round_trip / 2.0;
        self.happens(offered, Happening::Offered { task: Task { size, time } });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Costs = Costs {
        take: 0.0,
        keep: 0.0,
        put: 0.0,
        wish: 0.0,
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
    fn a_server_that_is_slow_costs_time() {
        // It can keep twenty records per second.
        let [slow, fast] = [0.05, 0.0].map(|keep| simulate(Costs { keep, ..FREE }, 20, 1000.0, 1));
        assert!(
            slow.efficiency < fast.efficiency && slow.server_load > fast.server_load,
            "{slow:?} {fast:?}"
        );
        assert!(slow.n_records < fast.n_records, "tasks are longer: {slow:?} {fast:?}");
    }
}
