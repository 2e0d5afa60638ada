//! A search on many machines: one leader, any number of workers, and between them a queue of tasks and a log.
//!
//! Workers take tasks from the queue, explore them, and append what became of them to the log. The leader reads the log
//! and puts the parts that are left to do into the queue. The log is the only truth. The leader's state is the sum of
//! the log up to some entry, so it can die at any time. The queue may lose tasks, hand them out several times and in any
//! order: the leader offers again what has no record, and only the first record of a part counts.
//!
//! A worker without a task asks another one, which splits off a piece of what it explores, puts it into the queue, and
//! goes on. Its record names the piece later, and only then does the record of the piece count. If it dies before that,
//! another worker explores its whole task, and what became of the piece is lost. So a piece has the time that was left
//! for the task, not more: what is left of both then goes through the log.
//!
//! Lessons shape the search (see [`atropos_explore::Ledger`]), so each task has them. A worker that learns more asks for
//! the next epoch, in which nothing counts that was explored with other lessons.

mod leader;
mod message;
mod pace;
mod part;
mod worker;

pub use leader::{End, Ending, Leader, LeaderSide, NumberedEntry, Sum};
pub use message::{Entry, Epoch, Offer, Task};
pub use pace::{News, Pace};
pub use part::Parts;
pub use worker::{PartExplorer, Successors, Takers, TaskOutcome, Turn, WorkerSide, take_turn};
