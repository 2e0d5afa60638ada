//! How long tasks are, and when workers split what they explore.
//!
//! A worker explores a task until it is done or its time is over. Meanwhile it gives pieces of it to workers that ask for
//! one, or to none yet if few tasks are ready. The leader knows how many workers there are and how fast the server is,
//! and tells workers how often to split and to ask ([`News`]).

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a worker explores a task before it is recorded: what a death costs. The first ones of a search are shorter,
/// so that one that is stopped soon has not worked in vain.
const SHORTEST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(1);

/// A part is explored for so long before pieces are split off, if the server is fast: not long, because at the beginning
/// and at the end of a search others wait for the pieces.
const LEAST: Duration = Duration::from_micros(250);

/// A piece should take so long: a share of the time of the search, because a record of a tiny part costs as much as any
/// other, and at least this; but a piece that probably takes longer than the last of these is always worth giving away,
/// because how long it takes is only a guess.
const SHARE_OF_TIME: u32 = 64;
const LEAST_PIECE: Duration = Duration::from_micros(500);
const MOST_LEAST_PIECE: Duration = Duration::from_millis(4);

/// The server should have this many times the time that it needs to keep a record.
const TIMES_OF_SERVER: u32 = 3;

/// At most one of so many workers splits at a time, as far as the server is concerned.
const SPLITTERS: u32 = 4;

/// A worker wishes again after so long, and if there are many workers, so that the server has so long for each.
const AGAIN: Duration = Duration::from_micros(250);
const AGAIN_PER_WORKER: Duration = Duration::from_micros(50);

/// For so many workers, one task should be ready.
const WORKERS_PER_TASK: usize = 2;

/// For so many tasks that should be ready, one piece is split off at a time: several from one part would be a half, a
/// quarter, an eighth, and the last ones tiny.
const READY_PER_PIECE: u64 = 8;

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
        self.elapsed.clamp(SHORTEST, LONGEST).max(TIMES_OF_SERVER * self.time_of_server())
    }

    /// How long the server takes to keep a record of each worker.
    fn time_of_server(&self) -> Duration {
        self.record * self.n_workers as u32
    }

    /// What to tell workers.
    pub fn news(&self) -> News {
        let least = LEAST.max(self.time_of_server() / SPLITTERS);
        let piece = (self.elapsed / SHARE_OF_TIME).clamp(LEAST_PIECE, MOST_LEAST_PIECE);
        let again = AGAIN.max(AGAIN_PER_WORKER * self.n_workers as u32);
        let micros = |time: Duration| time.as_micros() as u64;
        News {
            // Powers of two, so that news do not change all the time.
            least_us: micros(least).next_power_of_two(),
            piece_us: micros(piece.max(2 * least).min(MOST_LEAST_PIECE)).next_power_of_two(),
            again_us: micros(again),
            n_ready: if self.n_workers < 2 { 0 } else { self.n_workers.div_ceil(WORKERS_PER_TASK) as u64 },
        }
    }
}

/// What the leader tells all workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct News {
    /// How long to explore a part before it is split, and between two times, in microseconds.
    pub least_us: u64,
    /// How long a piece should take, in microseconds.
    pub piece_us: u64,
    /// How long to wait for a piece before wishing for it again, in microseconds.
    pub again_us: u64,
    /// How many tasks should wait in the queue.
    pub n_ready: u64,
}

impl News {
    /// How many pieces to split off a part at a time, at most.
    pub fn most_at_once(&self) -> usize {
        usize::try_from(self.n_ready / READY_PER_PIECE).map_or(usize::MAX, |n_pieces| n_pieces.max(1))
    }
}

impl Default for News {
    /// What a worker does that has heard nothing.
    fn default() -> Self {
        Pace { elapsed: Duration::ZERO, n_workers: 1, record: Duration::ZERO }.news()
    }
}
