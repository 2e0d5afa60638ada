//! Keeps what a search has done, so that another process can continue it.
//!
//! A worker explores a part of the search for a while and gives the rest away, as parts. A [`Record`] has both, so that
//! either both are kept or none. What a search has done is the sum of the records that lead from the whole search to
//! its parts, and those parts without a record are left to do.
//!
//! Parts may have *keys*: the first word of a part that begins with `@`. Several records may name parts with the same
//! key, because several workers may find out that it is to be explored. The first one that is named counts, and none
//! if the key is [known](Record::known).
//!
//! A part means something only together with the lessons that shape the search: see [`crate::learned`]. So records
//! belong to the lessons with which the search started last.

use crate::learned;
use atropos_event::{Program, Stats};
use std::time::{Duration, Instant};

/// Where a search keeps its records. All text is one line.
pub trait Ledger: Sync {
    fn budget(&self) -> Budget;

    /// The part that is being explored has taken so long until now. Called from time to time.
    fn look(&self, _elapsed: Duration) {}

    /// How many pieces of the part other processes want at once. It goes on without them.
    fn n_wanted(&self) -> usize {
        0
    }

    /// A piece that probably takes less time is not worth giving away.
    fn least_piece(&self) -> Duration {
        Duration::ZERO
    }

    /// No piece of the part is worth giving away now.
    fn keep_pieces(&self) {}

    /// Gives them one. The record of the part will name it before everything else that is left to do.
    fn give_piece(&self, _piece: &str) {}

    /// The lessons of the search, and the parts that are left to do; at first, no lessons and the whole search.
    fn resume(&self) -> Resumed;

    /// The search starts over with these lessons: the records so far do not count any more.
    fn start_over(&self, lessons: &str);

    /// A part of the search is done.
    fn record(&self, record: Record);

    /// Another part to explore, with the same lessons, now that there is none left. A worker that goes on has warmed up.
    fn next_part(&self) -> Option<String> {
        None
    }
}

/// Where a search continues.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resumed {
    pub lessons: String,
    pub parts: Vec<String>,
    /// What was counted, found and noted in the parts that are done.
    pub stats: Stats,
    pub findings: String,
    pub notes: String,
    /// The keys of all parts that need not be named again.
    pub known: Vec<String>,
}

impl Resumed {
    /// Tells the program what its earlier runs have learned and noted; `None` if that was another program.
    pub fn teach(&self, program: &dyn Program) -> Option<()> {
        let lessons = self.lessons.split_ascii_whitespace().filter(|word| !learned::is_about_search(word));
        lessons.chain(self.notes.split_ascii_whitespace()).try_for_each(|word| program.recall(word))
    }
}

/// What a worker has done with a part of the search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    pub part: String,
    pub stats: Stats,
    /// What the observer has found in it.
    pub findings: String,
    /// What the program has noted so far.
    pub notes: String,
    /// Keys whose parts are done or belong to other parts.
    pub known: Vec<String>,
    /// The parts of it that are left to do.
    pub rest: Vec<String>,
}

/// The key of a part, if it has one.
pub fn key_of(part: &str) -> Option<&str> {
    let (key, _) = part.strip_prefix('@')?.split_once(' ')?;
    Some(key)
}

/// How long a worker explores a part of the search before it gives the rest away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    pub time: Duration,
    pub executions: u64,
    /// The number of pieces to split off before the rest is given away as one.
    pub n_shed: usize,
    /// Whether other processes do what is given away. Then this one also ends where the search would start over.
    pub is_elsewhere: bool,
}

/// What is left of a budget.
#[derive(Clone, Copy)]
pub(crate) struct Allowance<'a> {
    pub ledger: &'a dyn Ledger,
    pub budget: Budget,
    start: Instant,
    n_executions: u64,
    /// When the clock was last looked at, how many executions after that it is looked at again, and how many of them are
    /// left.
    looked: Instant,
    n_between: u32,
    n_unlooked: u32,
    /// How long an execution takes, in seconds: the least between two looks, also those of earlier parts. The worker may
    /// have to wait for a processor at any other time.
    execution: f64,
}

/// How many executions a worker explores between two looks at the clock, if they take less than this time.
const MOST_BETWEEN_LOOKS: u32 = 32;
const BETWEEN_LOOKS: Duration = Duration::from_micros(100);

impl<'a> Allowance<'a> {
    /// That of a part which begins, after another one.
    pub fn of(ledger: &'a dyn Ledger, before: Option<Self>) -> Self {
        let (budget, start) = (ledger.budget(), Instant::now());
        let n_executions = budget.executions;
        let execution = before.map_or(f64::INFINITY, |before| before.execution);
        Allowance {
            ledger,
            budget,
            start,
            n_executions,
            looked: start,
            n_between: 1,
            n_unlooked: 1,
            execution,
        }
    }

    /// Counts an execution. Returns whether the budget is spent.
    pub fn spend(&mut self) -> bool {
        self.n_executions = self.n_executions.saturating_sub(1);
        self.n_unlooked -= 1;
        self.n_executions == 0 || (self.n_unlooked == 0 && self.look() >= self.budget.time)
    }

    /// How many executions take as long as the least piece that is worth giving away.
    pub fn n_worthwhile(&self) -> f64 {
        self.ledger.least_piece().as_secs_f64() / self.execution
    }

    /// Looks at the clock: how long the part was explored.
    fn look(&mut self) -> Duration {
        let now = Instant::now();
        let since = now.duration_since(self.looked);
        if since > BETWEEN_LOOKS / 10 {
            self.execution = self.execution.min(since.as_secs_f64() / f64::from(self.n_between));
        }
        let is_slow = since > BETWEEN_LOOKS;
        self.n_between =
            if is_slow { (self.n_between / 2).max(1) } else { (2 * self.n_between).min(MOST_BETWEEN_LOOKS) };
        (self.looked, self.n_unlooked) = (now, self.n_between);
        let elapsed = now.duration_since(self.start);
        self.ledger.look(elapsed);
        elapsed
    }
}
