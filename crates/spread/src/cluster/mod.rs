//! A search on many machines: one leader, any number of workers, and between them a queue of tasks and a log.
//!
//! Workers take tasks from the queue, explore them, and append what became of them to the log. The leader reads the log
//! and puts the parts that are left to do into the queue. The log is the only truth. The leader's state is the sum of
//! the log up to some entry, so it can die at any time. The queue may lose tasks, hand them out several times and in any
//! order: the leader offers again what has no record, and only the first record of a part counts.
//!
//! A worker that has recorded a part may go on with one of the parts that its record names. It still holds the task from
//! the queue then. If the task comes to another worker, because the first one is gone, the log says so, and the leader
//! offers the part that the first one went on with.
//!
//! Lessons shape the search (see [`atropos_explore::Ledger`]), so each task has them. A worker that learns more asks for
//! the next epoch, in which nothing counts that was explored with other lessons.

mod leader;
mod message;
mod pace;
mod worker;

pub use leader::{End, Ending, Leader, LeaderSide, NumberedEntry, Sum};
pub use message::{Entry, Epoch, Offer, Task};
pub use pace::{News, Pace, Wanted};
pub use worker::{OnePart, PartExplorer, TaskOutcome, Turn, WorkerSide, take_turn};
