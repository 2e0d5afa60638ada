//! The interface of the crate loom, on Atropos: tests written for loom run unchanged.
//!
//! Put this package in place of loom with cargo's patch, on the command line or in `Cargo.toml`:
//!
//! ```text
//! [patch.crates-io]
//! loom = { path = "ATROPOS/crates/loom" }
//! ```
//!
//! The package beside it, `v0.5`, takes the place of loom 0.5. What differs from loom: [`mod@model`] says which settings
//! have an effect. All executions that RC11 allows are explored, and no others; so a test may fail here that passes
//! under loom. Functions that loom does not implement work.

#![deny(missing_docs)]

pub mod model;

/// Tracked memory.
pub mod alloc {
    pub use atropos::alloc::{Layout, Track, alloc, alloc_zeroed, dealloc};
}

/// Memory that threads share without synchronisation.
pub mod cell {
    pub use atropos::cell::{Cell, ConstPtr, MutPtr, UnsafeCell};
}

/// Asynchronous code.
pub mod future {
    pub use atropos::future::{AtomicWaker, block_on};
}

/// Statics that are initialised at their first use, anew in every execution: see [`macro@lazy_static`].
pub mod lazy_static {
    pub use atropos::sync::LazyLock as Lazy;
    pub use atropos::thread::{AccessError, panicking, yield_now};
}

/// What threads share.
pub mod sync {
    pub use atropos::sync::*;

    /// Atomic types.
    pub mod atomic {
        pub use atropos::sync::atomic::*;

        /// Does nothing: see [`crate::hint::spin_loop`].
        pub fn spin_loop_hint() {}
    }
}

/// Threads.
pub mod thread {
    pub use atropos::thread::*;
}

pub use atropos::{hint, lazy_static, thread_local};
pub use model::model;

/// The number of threads that loom supports. Atropos supports more.
pub const MAX_THREADS: usize = 5;

/// Does nothing: everything is explored.
pub fn explore() {}

/// Does nothing: everything is explored.
pub fn stop_exploring() {}

/// Does nothing: everything is explored.
pub fn skip_branch() {}
