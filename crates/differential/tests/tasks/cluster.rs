//! The protocol of many machines without a network: tasks are lost, duplicated and reordered, workers and the leader
//! die, entries of the log come late, twice, broken or vanish. The totals are those of the sequential search.

use crate::subject::{Known, Subject, cases, small_budget};
use atropos_explore::{Budget, Config, Record};
use atropos_spread::cluster::{
    End, Entry, Leader, LeaderSide, News, NumberedEntry, Pace, PartExplorer, Parts, Successors, Sum, Takers,
    Task, TaskOutcome, WorkerSide, take_turn,
};
use atropos_testkit::{ProgramShape, Rng, Style, generate};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The queue and the log, with everything that can go wrong.
struct Network {
    rng: Rng,
    queue: Vec<Queued>,
    n_queued: u64,
    log: Vec<(u64, Vec<u8>)>,
    n_logged: u64,
    sums: Vec<Vec<u8>>,
    /// What stopped workers will append when they continue.
    late: Vec<Vec<u8>>,
    takers: Arc<Greedy>,
    n_pieces: usize,
}

/// A task with its number.
struct Queued {
    number: u64,
    task: Vec<u8>,
}

/// Workers that want pieces now and then, and the pieces that were given to them.
struct Greedy {
    rng: Mutex<Rng>,
    pieces: Mutex<Vec<Task>>,
}

impl Takers for Greedy {
    fn least(&self) -> Duration {
        Duration::ZERO
    }

    fn least_piece(&self) -> Duration {
        Duration::ZERO
    }

    fn open(&self) {}

    fn n_wanted(&self) -> usize {
        self.rng.lock().expect("no panic").below(3)
    }

    fn give(&self, piece: Task) {
        self.pieces.lock().expect("no panic").push(piece);
    }
}

impl Network {
    fn new(rng: Rng) -> Network {
        let takers =
            Greedy { rng: Mutex::new(Rng::new(rng.clone().below(1 << 30) as u64)), pieces: Mutex::default() };
        Network {
            rng,
            queue: vec![],
            n_queued: 0,
            log: vec![],
            n_logged: 0,
            sums: vec![],
            late: vec![],
            takers: Arc::new(takers),
            n_pieces: 0,
        }
    }

    fn happens_once_in(&mut self, n: usize) -> bool {
        self.rng.below(n) == 0
    }

    fn put(&mut self, task: &Task) {
        self.n_queued += 1;
        self.queue.push(Queued { number: self.n_queued, task: task.written() });
    }

    fn keep(&mut self, bytes: Vec<u8>) {
        self.n_logged += 1;
        self.log.push((self.n_logged, bytes));
    }

    /// What happens meanwhile.
    fn pass_time(&mut self) {
        if !self.late.is_empty() && self.happens_once_in(4) {
            let entry = self.late.swap_remove(self.rng.below(self.late.len()));
            self.keep(entry);
        }
        if !self.queue.is_empty() && self.happens_once_in(12) {
            self.queue.swap_remove(self.rng.below(self.queue.len()));
        }
    }
}

fn death() -> io::Error {
    io::Error::other("dead")
}

impl WorkerSide for Network {
    type Lease = u64;

    fn next_task(&mut self) -> io::Result<Option<(Task, u64)>> {
        self.pass_time();
        if self.queue.is_empty() {
            return Ok(None);
        }
        // Another worker may have the same one.
        let Queued { number, task } = &self.queue[self.rng.below(self.queue.len())];
        Ok(Some((Task::read(task).expect("a task"), *number)))
    }

    fn takers(&self) -> Arc<dyn Takers> {
        Arc::clone(&self.takers) as Arc<dyn Takers>
    }

    fn finish(&mut self, lease: u64, entry: &Entry) -> io::Result<()> {
        let pieces = std::mem::take(&mut *self.takers.pieces.lock().expect("no panic"));
        for piece in pieces {
            self.n_pieces += 1;
            self.put(&piece);
            if self.happens_once_in(32) {
                return Err(death());
            }
        }
        let bytes = entry.written();
        match self.rng.below(12) {
            0 => return Err(death()),
            1 => {
                self.late.push(bytes);
                return Err(death());
            }
            2 => {
                self.keep(bytes.clone());
                self.late.push(bytes);
            }
            3 => {
                let len = self.rng.below(bytes.len());
                self.keep(bytes[..len].to_vec());
                return Err(death());
            }
            _ => self.keep(bytes),
        }
        if self.happens_once_in(8) {
            return Err(death());
        }
        self.queue.retain(|queued| queued.number != lease);
        Ok(())
    }
}

impl LeaderSide for Network {
    fn next_entries(&mut self, after: u64, wait: Duration) -> io::Result<Option<Vec<NumberedEntry>>> {
        self.pass_time();
        if !wait.is_zero() && self.happens_once_in(8) {
            return Ok(None);
        }
        let n = 1 + self.rng.below(3);
        let new = self.log.iter().filter(|(number, _)| *number > after).take(n);
        Ok(Some(new.map(|(number, bytes)| (*number, bytes.len() as u64, Entry::read(bytes))).collect()))
    }

    fn tell(&mut self, _: &News) -> io::Result<()> {
        if self.happens_once_in(32) { Err(death()) } else { Ok(()) }
    }

    fn offer(&mut self, tasks: &[Task]) -> io::Result<()> {
        for task in tasks {
            self.put(task);
            if self.happens_once_in(32) {
                return Err(death());
            }
        }
        Ok(())
    }

    fn withdraw_all(&mut self) -> io::Result<()> {
        self.queue.clear();
        Ok(())
    }

    fn n_offered(&mut self) -> io::Result<usize> {
        Ok(self.queue.len())
    }

    fn keep_sum(&mut self, sum: &Sum, last: u64) -> io::Result<()> {
        self.sums.push(sum.written());
        if self.happens_once_in(3) {
            return Err(death());
        }
        self.log.retain(|(number, _)| *number > last);
        Ok(())
    }
}

/// The tasks after the current one, with a limit.
struct Limited<'a> {
    successors: &'a dyn Successors,
    rng: Mutex<Rng>,
    n_taken: AtomicUsize,
}

impl Successors for Limited<'_> {
    fn next(&self, record: Record) -> Option<Task> {
        let task = self.successors.next(record)?;
        self.n_taken.fetch_add(1, Relaxed);
        let budget = small_budget(&mut self.rng.lock().expect("no panic"));
        Some(Task { executions: Some(budget.executions), ..task })
    }
}

/// Explores tasks with budgets of its own.
struct Small<'a> {
    subject: &'a Subject<'a>,
    rng: Rng,
    n_explored: usize,
    /// How many tasks were explored by a search that had explored others.
    n_successors: usize,
}

impl PartExplorer for Small<'_> {
    fn explore(&mut self, task: &Task, takers: &dyn Takers, successors: &dyn Successors) -> TaskOutcome {
        self.n_explored += 1;
        let budget = small_budget(&mut self.rng);
        let budget = Budget { executions: budget.executions * (1 + self.rng.below(4) as u64), ..budget };
        let rng = Mutex::new(Rng::new(self.rng.below(1 << 30) as u64));
        let limited = Limited { successors, rng, n_taken: AtomicUsize::new(0) };
        let ledger = Parts::new(&task.lessons, &task.part, budget).with(takers);
        let ledger = if self.rng.below(2) == 0 { ledger } else { ledger.then(&limited) };
        let (outcome, refusal) = self.subject.try_ledger(ledger);
        self.n_successors += limited.n_taken.into_inner();
        match (outcome, refusal) {
            (_, Some(refusal)) => panic!("{refusal:?}: {task:?} of\n{}", self.subject.ast),
            (Some(TaskOutcome::Violation(_) | TaskOutcome::Refused | TaskOutcome::Stopped), _) => {
                unreachable!("that is for others to say")
            }
            (Some(outcome), _) => outcome,
            // Violations end this search at once, and nothing else does.
            (None, _) => {
                let found = r#"{"violations":[{"kind":"x","places":"","execution":"","count":1}]}"#;
                TaskOutcome::Violation(Record { findings: found.to_string(), ..Record::default() })
            }
        }
    }
}

const PACE: Pace = Pace { elapsed: Duration::ZERO, n_workers: 3, record: Duration::ZERO };
const WAIT: Duration = Duration::from_millis(1);

/// How often leaders died, parts were explored, by a search that went on, and pieces of them were given away.
#[derive(Clone, Copy, Default, Debug)]
struct Effort {
    n_leaders: usize,
    n_explored: usize,
    n_successors: usize,
    n_pieces: usize,
}

/// A new leader, which sees what is kept.
fn elect(network: &mut Network, effort: &mut Effort) -> Leader {
    loop {
        effort.n_leaders += 1;
        let sum = network.sums.last().map(|sum| Sum::read(sum).expect("a sum"));
        let mut leader = Leader::new(sum);
        if leader.start(network, PACE).is_ok() {
            return leader;
        }
    }
}

/// The search by a leader and workers, all of which die now and then.
fn search(subject: &Subject<'_>, seed: u64) -> (Leader, Effort) {
    let mut network = Network::new(Rng::new(seed));
    let mut explorer = Small { subject, rng: Rng::new(seed + 1), n_explored: 0, n_successors: 0 };
    let mut effort = Effort::default();
    let mut leader = elect(&mut network, &mut effort);
    while leader.end().is_none() {
        for _ in 0..network.rng.below(5) {
            // A worker that died is another one in its next turn.
            let _ = take_turn(&mut network, &mut explorer, &|_| ());
        }
        let is_dead = leader.step(&mut network, PACE, WAIT).is_err();
        let is_dead = is_dead || network.happens_once_in(12) && leader.keep_sum(&mut network).is_err();
        if is_dead || network.happens_once_in(12) {
            if !network.log.is_empty() && network.happens_once_in(3) {
                let lost = network.rng.below(network.log.len());
                network.log.remove(lost);
            }
            if network.happens_once_in(6) {
                // With the entries in it, which are still there.
                network.sums.pop();
            }
            leader = elect(&mut network, &mut effort);
        }
    }
    (effort.n_explored, effort.n_pieces) = (explorer.n_explored, network.n_pieces);
    effort.n_successors = explorer.n_successors;
    (leader, effort)
}

#[test]
fn a_search_on_many_machines_is_the_sequential_one() {
    let (mut n_programs, mut all) = (0, Effort::default());
    for style in Style::ALL {
        for seed in 1000..1120 {
            let shape = ProgramShape { has_asserts: true, max_instructions: 9, ..ProgramShape::of(style) };
            let ast = generate(seed, &shape);
            for known in cases(seed).filter_map(|case| Known::new(&ast, case)) {
                let (leader, effort) = search(&known.subject, seed);
                assert_eq!(leader.end(), Some(End::Done));
                known.compare(&leader.resumed());
                n_programs += 1;
                all.n_leaders += effort.n_leaders;
                all.n_explored += effort.n_explored;
                all.n_successors += effort.n_successors;
                all.n_pieces += effort.n_pieces;
            }
        }
    }
    assert!(n_programs >= 1000, "{n_programs} programs");
    let n_explored = all.n_explored + all.n_successors;
    assert!(2 * all.n_leaders > 3 * n_programs && n_explored > 5 * n_programs, "{n_programs}: {all:?}");
    assert!(all.n_pieces > n_programs && all.n_successors > n_programs, "{n_programs}: {all:?}");
}

#[test]
fn the_first_violation_ends_the_search() {
    let mut n_ends = [0, 0];
    for style in Style::ALL {
        for seed in 0..20 {
            let shape = ProgramShape { has_asserts: true, max_instructions: 9, ..ProgramShape::of(style) };
            let ast = generate(seed, &shape);
            for known in cases(seed).filter_map(|case| Known::new(&ast, case)) {
                let config = Config { keep_going: false, ..known.subject.config };
                let subject = Subject { config, ..known.subject };
                let (leader, _) = search(&subject, seed);
                let expected =
                    if subject.explore(1.into()).1.n_violations > 0 { End::Violation } else { End::Done };
                n_ends[usize::from(expected == End::Done)] += 1;
                assert_eq!(leader.end(), Some(expected), "{ast}");
            }
        }
    }
    assert!(n_ends.into_iter().all(|n| n > 20), "{n_ends:?}");
}
