//! A simulation of `atropos serve` with more workers than there are machines to try.
//!
//! Workers, the leader and the server do what they really do, with the leader's own plan for the size of parts
//! ([`Pace::plan`]), but exploring takes simulated time, and so do messages: the server and the leader each handle one
//! after the other. The costs are those that were measured. How uneven parts are is an assumption: each piece that is
//! split off has a random share of the rest, the largest one often as much as all others together.

use atropos_spread::cluster::Pace;
use atropos_testkit::Rng;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

/// What things cost, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// The server: to hand out a task with the acknowledgement that ends it, to keep a record, to take in a task.
    pub take: f64,
    pub keep: f64,
    pub put: f64,
    /// The leader: to add up a record, to offer a task.
    pub add: f64,
    pub offer: f64,
    /// From a worker to the server and back.
    pub round_trip: f64,
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

#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
enum Happening {
    /// The record of a part arrives at the server; this much is left of the part, to be split into so many pieces.
    Arrived { rest: f64, n_shed: usize },
    /// The leader reads it.
    Recorded { rest: f64, n_shed: usize },
    /// A task is in the queue.
    Queued { size: f64, time: f64, n_shed: usize },
    /// A worker wants a task.
    Free,
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

struct Simulation {
    costs: Costs,
    n_workers: usize,
    rng: Rng,
    server: Station,
    leader: Station,
    events: BinaryHeap<Reverse<(u64, u64)>>,
    /// What happens, by number.
    what: Vec<Happening>,
    tasks: VecDeque<(f64, f64, usize)>,
    n_free: usize,
    n_open: usize,
    n_records: u64,
}

/// Simulates a search that takes one worker `work` seconds.
pub fn simulate(costs: Costs, n_workers: usize, work: f64, seed: u64) -> Result {
    let mut simulation = Simulation {
        costs,
        n_workers,
        rng: Rng::new(seed),
        server: Station::default(),
        leader: Station::default(),
        events: BinaryHeap::new(),
        what: Vec::new(),
        tasks: VecDeque::new(),
        n_free: n_workers,
        n_open: 0,
        n_records: 0,
    };
    simulation.offer(0.0, &[work]);
    let mut now = 0.0;
    while simulation.n_open > 0 {
        let Reverse((at, number)) = simulation.events.pop().expect("open parts are somewhere");
        now = at as f64 / 1e9;
        simulation.step(now, simulation.what[number as usize]);
    }
    let Simulation { server, leader, n_records, .. } = simulation;
    let efficiency = work / (now * n_workers as f64);
    let [server_load, leader_load] = [server, leader].map(|station| station.busy / now);
    Result { seconds: now, n_records, efficiency, server_load, leader_load }
}

impl Simulation {
    fn happens(&mut self, at: f64, event: Happening) {
        self.events.push(Reverse(((at * 1e9) as u64, self.what.len() as u64)));
        self.what.push(event);
    }

    fn step(&mut self, now: f64, event: Happening) {
        match event {
            Happening::Arrived { rest, n_shed } => {
                let kept = self.server.handle(now, self.costs.keep);
                self.happens(kept, Happening::Recorded { rest, n_shed });
                // The worker waits for this.
                self.happens(kept + self.costs.round_trip / 2.0, Happening::Free);
            }
            Happening::Recorded { rest, n_shed } => {
                let added = self.leader.handle(now, self.costs.add);
                self.n_records += 1;
                self.n_open -= 1;
                let sizes = if rest > 0.0 { self.split(rest, n_shed) } else { Vec::new() };
                self.offer(added, &sizes);
            }
            Happening::Queued { size, time, n_shed } => self.tasks.push_back((size, time, n_shed)),
            Happening::Free => self.n_free += 1,
        }
        while self.n_free > 0
            && let Some((size, time, n_shed)) = self.tasks.pop_front()
        {
            self.n_free -= 1;
            let taken = self.server.handle(now, self.costs.take) + self.costs.round_trip / 2.0;
            let explored = taken + size.min(time);
            let rest = size - size.min(time);
            self.happens(explored + self.costs.round_trip / 2.0, Happening::Arrived { rest, n_shed });
        }
    }

    /// Pieces of a rest, and what remains after them.
    fn split(&mut self, rest: f64, n_shed: usize) -> Vec<f64> {
        let mut share = || {
            let uniform = (self.rng.below(1 << 20) as f64 + 1.0) / f64::from(1 << 20);
            uniform.ln().powi(2)
        };
        let shares: Vec<f64> = (0..=n_shed).map(|_| share()).collect();
        let all: f64 = shares.iter().sum();
        shares.into_iter().map(|share| rest * share / all.max(f64::MIN_POSITIVE)).collect()
    }

    fn offer(&mut self, now: f64, sizes: &[f64]) {
        self.n_open += sizes.len();
        let pace = Pace { elapsed: Duration::from_secs_f64(now), n_workers: self.n_workers };
        let (time, n_shed) = pace.plan(self.n_open);
        for &size in sizes {
            let offered = self.leader.handle(now, self.costs.offer);
            let queued = self.server.handle(offered, self.costs.put);
            self.happens(queued, Happening::Queued { size, time: time.as_secs_f64(), n_shed });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Costs = Costs { take: 0.0, keep: 0.0, put: 0.0, add: 0.0, offer: 0.0, round_trip: 0.0 };

    #[test]
    fn one_worker_takes_as_long_as_the_work() {
        let result = simulate(FREE, 1, 100.0, 1);
        assert!((result.seconds - 100.0).abs() < 0.01 && result.efficiency > 0.999, "{result:?}");
    }

    #[test]
    fn workers_share_the_work() {
        let result = simulate(FREE, 100, 10_000.0, 1);
        assert!(result.seconds >= 100.0 && result.efficiency > 0.9, "{result:?}");
    }

    #[test]
    fn a_server_that_is_too_slow_is_what_limits() {
        // It can keep a hundred records per second, and each worker makes about one.
        let costs = Costs { keep: 0.01, ..FREE };
        let result = simulate(costs, 1000, 100_000.0, 1);
        assert!(result.server_load > 0.9 && result.efficiency < 0.3, "{result:?}");
    }
}
