//! The exploration algorithms. This crate knows no front-end, prints nothing and matches on no model name.
//!
//! [`trust`] is the main one; [`rcmc`], [`tracer`], [`dpor`] and [`rvf`] stand beside it. [`parallel`] runs TruSt on
//! several workers. What an exploration finds goes to an [`Observer`]. [`stage`] is what RCMC and Tracer share.

pub mod config;
pub mod dpor;
mod judge;
mod leak;
pub mod memory;
pub mod observer;
pub mod parallel;
pub mod pool;
pub mod progress;
mod quiet;
pub mod race;
pub mod rcmc;
pub mod rvf;
mod school;
pub mod stage;
mod tally;
mod thread_order;
pub mod tracer;
pub mod trust;
pub mod unfreed;
mod waiting;

pub use atropos_event::Stats;
pub use config::{Config, Control, EVENTS_BETWEEN_LOOKS, LONGEST_THREAD, ThreadOrder, thread_too_long};
pub use observer::{Ending, Execution, Observer, Report};
pub use parallel::Search;
pub use school::School;
pub use stage::{Manner, Stage};
pub use tally::Tally;
pub use trust::{Co, Equivalence, Explorer, Rf, Task};
