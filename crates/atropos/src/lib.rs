//! Checks concurrent Rust code: explores **all** executions that a memory model allows, and shows one that goes wrong.
//!
//! Write a test with the types of this crate instead of the standard library's, and give it to [`model`]:
//!
//! ```
//! use atropos::sync::Arc;
//! use atropos::sync::atomic::{AtomicUsize, Ordering::{Acquire, Release}};
//! use atropos::thread;
//!
//! atropos::model(|| {
//!     let counter = Arc::new(AtomicUsize::new(0));
//!     let other = Arc::clone(&counter);
//!     let thread = thread::spawn(move || other.fetch_add(1, Release));
//!     counter.fetch_add(1, Release);
//!     thread.join().unwrap();
//!     assert_eq!(counter.load(Acquire), 2);
//! });
//! ```
//!
//! The closure runs many times, and must do the same whenever its threads see the same values: no clocks and no random
//! numbers. Variables that outlive it must be atomics, locks or cells of this library, which start each run with their
//! first values; what it allocates must not outlive it. Atropos reports an execution that cannot be repeated.
//!
//! [`Builder`] chooses the memory model, the algorithm and the limits.

#![deny(missing_docs)]

mod builder;
#[cfg(feature = "cluster")]
mod cluster;
pub mod future;
mod lazy;
mod outcome;
mod replay;
mod search;
mod sources;
pub mod sync;
pub mod thread;

/// Memory that threads share without synchronisation, as in [`std::cell`].
///
/// ```
/// use atropos::cell::UnsafeCell;
///
/// atropos::model(|| {
///     let cell = UnsafeCell::new(1);
///     cell.with_mut(|data| unsafe { *data += 1 });
///     assert_eq!(cell.into_inner(), 2);
/// });
/// ```
pub mod cell {
    pub use atropos_native::cell::{Cell, ConstPtr, MutPtr, UnsafeCell};
}

/// Memory that the program allocates explicitly, as in [`std::alloc`]. Leaks, double frees and uses after the end are
/// violations.
///
/// ```
/// use atropos::alloc::Track;
/// use atropos::{Builder, Verdict};
///
/// let outcome = Builder::new().explore(|| std::mem::forget(Track::new(1)));
/// assert_eq!(outcome.verdict(), Verdict::Violation);
/// ```
pub mod alloc {
    pub use atropos_native::alloc::{Layout, Track, alloc, alloc_zeroed, dealloc};
}

/// Panics, as in [`std::panic`].
pub mod panic {
    pub use atropos_native::catch_unwind;
}

pub use atropos_explore::catalogue::{Algorithm, Equivalence, ModelName};
pub use atropos_native::{ModelHeap, hint};
pub use builder::Builder;
pub use outcome::{Outcome, Verdict};

#[cfg(feature = "heap")]
#[global_allocator]
static HEAP: ModelHeap = ModelHeap;

/// Returns a number below `n`. All of them are explored.
///
/// ```
/// use atropos::{Builder, choose};
///
/// let outcome = Builder::new().explore(|| assert!(choose(3) < 3));
/// assert_eq!(outcome.executions(), 3);
/// ```
///
/// # Panics
/// If `n` is 0.
#[track_caller]
pub fn choose(n: usize) -> usize {
    atropos_native::choose(n)
}

/// Excludes all executions in which `condition` does not hold here: they count as blocked.
///
/// ```
/// use atropos::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// use atropos::{Builder, assume, thread};
///
/// static X: AtomicUsize = AtomicUsize::new(0);
/// let outcome = Builder::new().explore(|| {
///     thread::spawn(|| X.store(1, Relaxed));
///     assume(X.load(Relaxed) == 1);
/// });
/// assert_eq!(outcome.executions(), 1);
/// ```
#[track_caller]
pub fn assume(condition: bool) {
    atropos_native::assume(condition);
}

/// Explores all executions of `body` under RC11, the memory model of C11 and Rust.
///
/// ```
/// use atropos::sync::atomic::{AtomicBool, Ordering::Relaxed};
/// use atropos::thread;
///
/// static READY: AtomicBool = AtomicBool::new(false);
///
/// atropos::model(|| {
///     let thread = thread::spawn(|| READY.store(true, Relaxed));
///     thread.join().unwrap();
///     assert!(READY.load(Relaxed));
/// });
/// ```
///
/// # Panics
/// If some execution goes wrong. The message is a report that shows it.
#[track_caller]
pub fn model(body: impl Fn() + Send + Sync + 'static) {
    Builder::new().check(body);
}
