//! The leader of a search: it adds up the log, and offers what is left to do.

use super::{Entry, Epoch, News, Pace, Task};
use crate::Fold;
use crate::lines::WrittenSum;
use atropos_event::Stats;
use atropos_explore::{Record, Resumed};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io;
use std::time::Duration;

/// How many looks at an empty queue show that tasks were lost. One may be too early for the records of the last ones.
const LOOKS_AT_EMPTY_QUEUE: u32 = 3;

/// The log makes room for its sum when it is this much larger.
const WORTHWHILE: u64 = 1 << 20;
const TIMES_LARGER: u64 = 4;

/// The number of an entry of the log, its length, and the entry if it can be read.
pub type NumberedEntry = (u64, u64, Option<Entry>);

/// What the leader sees of the queue and the log.
pub trait LeaderSide {
    /// The next entries of the log with their numbers, which increase, and their lengths. Waits if there is none; an
    /// entry that cannot be read is absent. `None` if something else has happened while it waited.
    ///
    /// # Errors
    /// If there is no connection; the same for the others.
    fn next_entries(&mut self, after: u64, wait: Duration) -> io::Result<Option<Vec<NumberedEntry>>>;

    /// Puts tasks into the queue.
    ///
    /// # Errors
    /// See above.
    fn offer(&mut self, tasks: &[Task]) -> io::Result<()>;

    /// Tells all workers. It does not matter if some do not hear it.
    ///
    /// # Errors
    /// See above.
    fn tell(&mut self, news: &News) -> io::Result<()>;

    /// Empties the queue.
    ///
    /// # Errors
    /// See above.
    fn withdraw_all(&mut self) -> io::Result<()>;

    /// The number of tasks that are in the queue or in the hands of workers.
    ///
    /// # Errors
    /// See above.
    fn n_offered(&mut self) -> io::Result<usize>;

    /// Keeps the sum of the log, and then forgets its entries up to the one with number `last`: those in the sum before
    /// this one, in case this one is lost.
    ///
    /// # Errors
    /// See above.
    fn keep_sum(&mut self, sum: &Sum, last: u64) -> io::Result<()>;
}

/// The sum of a log up to the entry with number `last`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sum {
    last: u64,
    n_recorded: u64,
    #[serde(with = "WrittenSum")]
    sum: Resumed,
}

/// What a search has come to, for workers that want to know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    #[serde(with = "WrittenSum")]
    sum: Resumed,
    is_stopped: bool,
}

impl Ending {
    /// Whether the search was stopped before it was done.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Where to continue. There is nothing to do, except for the part that shows why the program cannot be checked.
    pub fn resumed(self) -> Resumed {
        self.sum
    }
}

/// How a search has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// All parts are done.
    Done,
    /// A violation was found, and one is enough.
    Violation,
    /// The program cannot be checked, as this part shows.
    Refused { part: String },
}

/// The state of a search.
#[derive(Clone, Debug)]
pub struct Leader {
    fold: Fold,
    /// That of the fold's lessons.
    epoch: Epoch,
    /// The number of the last entry of the log that was added.
    last: u64,
    n_recorded: u64,
    /// The most executions to count, complete and blocked.
    most: Option<u64>,
    end: Option<End>,
    n_empty_looks: u32,
    /// The length of the log since its sum was last kept, and the length of that sum.
    log_len: u64,
    sum_len: u64,
    /// The number of the last entry in that sum.
    last_in_sum: u64,
    /// The length of all entries that were read.
    n_bytes: u64,
    /// Parts that workers have put into the queue, and that are not open yet.
    offered: HashSet<String>,
    /// The last news that were sent.
    announced: Option<News>,
}

impl Leader {
    /// Starts from the sum that was kept, if any.
    pub fn new(sum: Option<Sum>) -> Leader {
        let start = |sum: Sum| Some((Fold::from(sum.sum)?, sum.last, sum.n_recorded));
        let (fold, last, n_recorded) = sum.and_then(start).unwrap_or_default();
        Leader {
            epoch: Epoch::of(fold.lessons()),
            fold,
            last,
            n_recorded,
            most: None,
            end: None,
            n_empty_looks: 0,
            log_len: 0,
            sum_len: 0,
            last_in_sum: last,
            n_bytes: 0,
            offered: HashSet::new(),
            announced: None,
        }
    }

    /// Counts at most so many executions, if there is a limit. Only a violation can exceed it.
    pub fn at_most(self, most: Option<u64>) -> Leader {
        Leader { most, ..self }
    }

    /// Whether the limit is reached.
    pub fn has_enough(&self) -> bool {
        self.most.is_some_and(|most| explored(self.stats()) >= most)
    }

    /// How the search has ended, if it has.
    pub fn end(&self) -> Option<End> {
        self.end.clone().or_else(|| self.fold.is_done().then_some(End::Done))
    }

    pub fn stats(&self) -> Stats {
        self.fold.stats()
    }

    /// The number of parts that are recorded in this epoch, and of those that are left to do.
    pub fn n_parts(&self) -> (u64, usize) {
        (self.n_recorded, self.fold.n_open())
    }

    /// The length of the entries of the log that were read.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// What was counted, found and learned, with the parts that are left to do.
    pub fn resumed(&self) -> Resumed {
        self.fold.resumed()
    }

    /// What the search has come to so far, if no more is to be explored.
    pub fn ending(&self) -> Ending {
        let parts = match self.end() {
            Some(End::Refused { part }) => vec![part],
            _ => Vec::new(),
        };
        let is_stopped = self.end().is_none() && !self.has_enough();
        Ending { sum: Resumed { parts, ..self.resumed() }, is_stopped }
    }

    /// Reads the log to its end and offers all that is left to do, in place of what was offered before.
    ///
    /// # Errors
    /// If there is no connection.
    pub fn start(&mut self, side: &mut impl LeaderSide, pace: Pace) -> io::Result<()> {
        self.catch_up(side)?;
        side.withdraw_all()?;
        self.offer_all(side, pace)
    }

    /// Reads the log to its end.
    ///
    /// # Errors
    /// If there is no connection.
    pub fn catch_up(&mut self, side: &mut impl LeaderSide) -> io::Result<()> {
        loop {
            let entries = side.next_entries(self.last, Duration::ZERO)?.unwrap_or_default();
            if entries.is_empty() {
                return Ok(());
            }
            entries.into_iter().for_each(|entry| drop(self.add(entry)));
        }
    }

    /// Adds what is new in the log and offers what is to be done because of it. Waits for a while if nothing is new.
    ///
    /// # Errors
    /// If there is no connection. Then [`Leader::start`] continues as soon as there is one.
    pub fn step(&mut self, side: &mut impl LeaderSide, pace: Pace, wait: Duration) -> io::Result<()> {
        let news = pace.news();
        if self.announced != Some(news) {
            self.announced = Some(news);
            side.tell(&news)?;
        }
        let Some(entries) = side.next_entries(self.last, wait)? else { return Ok(()) };
        if entries.is_empty() {
            return self.look_at_queue(side, pace);
        }
        self.n_empty_looks = 0;
        let (before, mut opened) = (self.epoch.clone(), Vec::new());
        for entry in entries {
            let epoch = self.epoch.clone();
            let more = self.add(entry);
            if self.epoch != epoch {
                opened.clear();
            }
            opened.extend(more);
        }
        if self.epoch != before {
            side.withdraw_all()?;
        }
        side.offer(&self.tasks(opened.iter(), pace))?;
        if self.log_len > self.sum_len + WORTHWHILE && self.log_len > TIMES_LARGER * self.sum_len {
            self.keep_sum(side)?;
        }
        Ok(())
    }

    /// A worker has not heard the last news.
    pub fn tell_again(&mut self) {
        self.announced = None;
    }

    /// Keeps the sum of the log in place of its older entries.
    ///
    /// # Errors
    /// If there is no connection.
    pub fn keep_sum(&mut self, side: &mut impl LeaderSide) -> io::Result<()> {
        let Leader { last, n_recorded, .. } = *self;
        // A search that has ended is a matter of its last entries.
        if self.end.is_none() {
            let sum = Sum { last, n_recorded, sum: self.fold.resumed() };
            (self.log_len, self.sum_len) = (0, sum.written().len() as u64);
            side.keep_sum(&sum, self.last_in_sum)?;
            self.last_in_sum = last;
        }
        Ok(())
    }

    /// Offers everything again if the queue has lost it.
    fn look_at_queue(&mut self, side: &mut impl LeaderSide, pace: Pace) -> io::Result<()> {
        let is_lost = self.end().is_none() && side.n_offered()? == 0;
        self.n_empty_looks = if is_lost { self.n_empty_looks + 1 } else { 0 };
        if self.n_empty_looks >= LOOKS_AT_EMPTY_QUEUE {
            self.n_empty_looks = 0;
            self.offer_all(side, pace)?;
        }
        Ok(())
    }

    /// Offers all that is left to do.
    ///
    /// # Errors
    /// If there is no connection.
    pub fn offer_all(&self, side: &mut impl LeaderSide, pace: Pace) -> io::Result<()> {
        if self.end().is_some() {
            return Ok(());
        }
        side.offer(&self.tasks(self.fold.open_parts(), pace))
    }

    fn tasks<'a>(&self, parts: impl Iterator<Item = &'a String>, pace: Pace) -> Vec<Task> {
        let time_ms = pace.time().as_millis() as u64;
        let executions = self.most.map(|most| most.saturating_sub(explored(self.stats())).max(1));
        let task = |part: &String| Task {
            lessons: self.fold.lessons().to_string(),
            part: part.clone(),
            time_ms,
            executions,
        };
        parts.map(task).collect()
    }

    /// Adds an entry, and returns the parts that are open because of it. Entries of earlier epochs do not count, nor do
    /// those that make no sense.
    fn add(&mut self, (number, len, entry): NumberedEntry) -> Vec<String> {
        self.last = number;
        self.log_len += len;
        self.n_bytes += len;
        match entry {
            Some(Entry::Record { epoch, record, n_offered }) if epoch == self.epoch && self.end.is_none() => {
                if let Some(most) = self.most {
                    // What is not added counts as lost, and an open part is offered again, with what is left.
                    if !self.fold.is_open(&record.part) {
                        return Vec::new();
                    }
                    if explored(self.stats()) + explored(record.stats) > most {
                        return vec![record.part];
                    }
                }
                return self.add_record(record, n_offered);
            }
            Some(Entry::Start { epoch, lessons }) if epoch == self.epoch && self.end.is_none() => {
                (self.epoch, self.n_recorded) = (Epoch::of(&lessons), 0);
                self.fold = Fold::new(lessons);
                self.offered.clear();
                return vec![String::new()];
            }
            Some(Entry::Violation { epoch, record }) if epoch == self.epoch && self.end.is_none() => {
                self.end = self.fold.add_unfinished(&record).map(|()| End::Violation);
            }
            Some(Entry::Refused { epoch, part }) if epoch == self.epoch && self.end.is_none() => {
                self.end = Some(End::Refused { part });
            }
            _ => {}
        }
        Vec::new()
    }
}

impl Leader {
    /// Adds a record. Returns the parts that are open because of it, except for those that are in the queue.
    fn add_record(&mut self, record: Record, n_offered: usize) -> Vec<String> {
        self.offered.remove(&record.part);
        self.offered.extend(record.rest.iter().take(n_offered).cloned());
        let before = self.fold.n_added();
        let mut opened = self.fold.add(record).unwrap_or_default();
        self.n_recorded += self.fold.n_added() - before;
        opened.retain(|part| !self.offered.remove(part));
        opened
    }
}

/// The number of executions, complete and blocked.
fn explored(stats: Stats) -> u64 {
    stats.executions + stats.blocked
}
