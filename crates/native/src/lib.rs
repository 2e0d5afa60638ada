//! Rust closures as programs that Atropos can check.
//!
//! A closure that uses the types of this crate instead of the standard library's becomes a
//! [`Program`](atropos_event::Program) ([`Native`]). Each of its threads runs natively, as a coroutine, until it does
//! something that other threads could notice. The explorer decides the outcome. To go back, the whole program runs
//! again.
//!
//! Reading order: [`mod@run`] (the explorer's side), [`mod@context`] (the state of a run), [`mod@perform`] (the
//! threads' side); [`mod@arena`] and [`mod@heap`] (memory, the same in each repetition); [`mod@object`] and
//! [`mod@names`] (what threads share); then one file per type.
//!
//! This is the only crate of the workspace with `unsafe` code. It knows no model and no explorer.

#![deny(missing_docs)]

pub mod alloc;
pub mod arc;
mod arena;
pub mod atomic;
pub mod cell;
mod choice;
mod clock;
pub mod condvar;
mod context;
mod copies;
mod counts;
mod fiber;
mod heap;
pub mod hint;
mod idle;
mod image;
mod lessons;
mod library;
pub mod local;
mod moments;
pub mod mutex;
mod names;
mod object;
pub mod once;
mod perform;
mod poison;
mod quiet;
mod retry;
mod run;
pub mod rwlock;
mod shared;
mod spread;
mod system_locals;
pub mod thread;
mod tracked;
mod unwinding;
mod weak;
mod worker;

pub use choice::choose;
pub use heap::ModelHeap;
pub use run::{Native, NativeRun};
pub use unwinding::catch_unwind;
pub use worker::on_own_thread;

use atropos_event::BlockReason;
use std::panic::Location;

/// Excludes all executions in which `condition` does not hold here.
#[track_caller]
pub fn assume(condition: bool) {
    if !condition {
        perform::block(BlockReason::Assume, Location::caller());
    }
}

/// The running thread has read that what it waits for is not `ready`; it waits until that value changes.
#[doc(hidden)]
#[track_caller]
pub fn wait_until(ready: bool) {
    if !ready {
        perform::block(BlockReason::Wait { reads: 1 }, Location::caller());
    }
    idle::pause(Location::caller());
}
