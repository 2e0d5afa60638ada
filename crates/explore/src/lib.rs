//! The exploration algorithms. This crate knows no front-end, prints nothing and matches on no model name.
//!
//! [`trust`] is the main one; [`rcmc`], [`tracer`], [`dpor`] and [`rvf`] are beside it. [`driver`] runs any of them
//! on several workers. An [`Observer`] receives what an exploration finds. All algorithms use a [`host`]; those over
//! execution graphs use an [`engine`].

mod bypass;
pub mod catalogue;
mod config;
mod custom;
pub mod dpor;
mod driver;
mod engine;
mod follow;
mod host;
mod journal;
mod judge;
mod learned;
mod ledger;
mod memory;
mod observer;
mod pool;
mod progress;
mod quiet;
mod race;
pub mod rcmc;
mod reductions;
mod rules;
pub mod rvf;
mod tally;
mod thread_order;
pub mod tracer;
mod trust;
pub mod unfreed;
mod waiting;
mod withheld;

pub use atropos_event::Stats;
pub use config::{Config, Control, EVENTS_BETWEEN_LOOKS, LONGEST_THREAD, ThreadOrder, thread_too_long};
pub use custom::Custom;
pub use driver::{SearchResult, Strategy, Workers, search};
pub use ledger::{Budget, Ledger, Record, Resumed, key_of};
pub use observer::{Ending, Execution, Observer, ProbedChoice, Report};
pub use reductions::{Reduction, Reductions};
pub use trust::{Co, Rf, Trust, TrustRules};
