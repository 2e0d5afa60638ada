//! What threads share, as in [`std::sync`].

mod barrier;
pub mod mpsc;
mod notify;

pub use atropos_native::arc::{Arc, Weak};
pub use atropos_native::condvar::{Condvar, WaitTimeoutResult};
pub use atropos_native::mutex::{Mutex, MutexGuard};
pub use atropos_native::once::{LazyLock, Once, OnceLock};
pub use atropos_native::rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use barrier::{Barrier, BarrierWaitResult};
pub use notify::Notify;
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// Atomic types, as in [`std::sync::atomic`].
pub mod atomic {
    pub use atropos_native::atomic::{
        AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU16,
        AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence, fence,
    };
}
