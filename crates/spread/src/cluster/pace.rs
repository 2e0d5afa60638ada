//! How long tasks are, and when workers split what they explore.
//!
//! A worker explores a task until it is done or its time is over. When few parts are left, the leader tells all workers
//! how many pieces it wants ([`News`]). Workers that explore then split off so many, record what they have done, and go
//! on with the rest. So a worker without a task gets one as soon as messages travel, as if it were a thread of the same
//! process, and no worker splits anything while there is enough for all.

use atropos_explore::Demand;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// How long a worker explores a task before it is recorded: what a death costs. The first ones of a search are shorter,
/// so that one that is stopped soon has not worked in vain.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// A part is explored for so long before pieces are split off: many times what a record costs its worker, and longer in
/// a long search, because the pieces of small parts are tiny.
const LEAST: Duration = Duration::from_millis(2);
const MOST_LEAST: Duration = Duration::from_millis(100);
const SHARE_OF_TIME: u32 = 200;

/// The server should have this many times the time that it needs to keep a record.
const TIMES_OF_SERVER: u32 = 3;

/// If there are fewer open parts than the first number for each worker, workers split off as many as make the second.
const FEW_PARTS: usize = 2;
const ENOUGH_PARTS: usize = 3;
const MOST_PIECES: usize = 8;

/// If there are many, a worker takes several at once, because most of them are tiny.
const MOST_TASKS: usize = 4;

/// The leader does not send news more often than the server can hand them to all workers.
const TIME_PER_LISTENER: Duration = Duration::from_micros(50);
const FEW_LISTENERS: usize = 100;

/// What decides how long tasks should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    pub elapsed: Duration,
    pub n_workers: usize,
    /// How long the server takes to keep a record.
    pub record: Duration,
}

impl Pace {
    /// How long to explore a task.
    pub fn time(&self) -> Duration {
        let time_of_server = TIMES_OF_SERVER * self.record * self.n_workers as u32;
        self.elapsed.clamp(SHORTEST, LONGEST).max(time_of_server)
    }

    /// What to tell workers if `n_open` parts are open.
    pub fn news(&self, n_open: usize) -> News {
        let n = self.n_workers;
        let n_busy = n_open.min(n).max(1);
        let n_missing = (ENOUGH_PARTS * n).saturating_sub(n_open);
        let worthwhile = (self.elapsed / SHARE_OF_TIME).clamp(LEAST, MOST_LEAST);
        // Milliseconds, so that news do not change all the time.
        let worthwhile = Duration::from_millis(worthwhile.as_millis() as u64);
        let least = worthwhile.max(TIMES_OF_SERVER * self.record * n_busy as u32);
        let least_us = least.as_micros() as u64;
        let (n_pieces, permille) = match n_open {
            // There is enough for all.
            _ if n < 2 || n_open >= FEW_PARTS * n => (0, 0),
            // Some of them are enough.
            _ if n_open >= n => {
                let n_asked = n_missing.div_ceil(MOST_PIECES);
                (MOST_PIECES, (1000 * n_asked).div_ceil(n) as u64)
            }
            _ => (n_missing.div_ceil(n_busy).min(MOST_PIECES), 1000),
        };
        let n_tasks = (n_open / n.max(1)).saturating_sub(1).clamp(1, MOST_TASKS);
        News { n_pieces, permille, least_us, n_tasks }
    }

    /// How long to wait between two messages with news.
    pub fn between_news(&self) -> Duration {
        if self.n_workers > FEW_LISTENERS {
            TIME_PER_LISTENER * self.n_workers as u32
        } else {
            Duration::ZERO
        }
    }
}

/// What the leader tells all workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct News {
    /// How many pieces to split off what is explored; 0 if there are enough parts.
    pub n_pieces: usize,
    /// How many workers of a thousand should do so.
    pub permille: u64,
    /// How long to explore a part before that, in microseconds.
    pub least_us: u64,
    /// How many tasks to take at once.
    pub n_tasks: usize,
}

/// What a worker has heard last.
#[derive(Debug)]
pub struct Wanted {
    n_pieces: AtomicUsize,
    least_us: AtomicU64,
    n_tasks: AtomicUsize,
}

impl Default for Wanted {
    /// A worker that has heard nothing is new, and there may be others.
    fn default() -> Self {
        let least_us = LEAST.as_micros() as u64;
        Wanted {
            n_pieces: AtomicUsize::new(MOST_PIECES),
            least_us: AtomicU64::new(least_us),
            n_tasks: AtomicUsize::new(1),
        }
    }
}

impl Wanted {
    /// A worker hears the news. It does what is asked for if `random`, modulo 1000, is small enough.
    pub fn hear(&self, news: &News, random: u64) {
        let is_asked = random % 1000 < news.permille;
        self.n_pieces.store(if is_asked { news.n_pieces } else { 0 }, Relaxed);
        self.least_us.store(news.least_us, Relaxed);
        self.n_tasks.store(news.n_tasks, Relaxed);
    }

    /// How many tasks to take at once.
    pub fn n_tasks(&self) -> usize {
        self.n_tasks.load(Relaxed)
    }

    pub(super) fn demand(&self) -> Demand<'_> {
        let least = Duration::from_micros(self.least_us.load(Relaxed));
        Demand { n_pieces: &self.n_pieces, least }
    }
}
