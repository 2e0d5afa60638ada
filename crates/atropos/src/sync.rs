//! What threads share, as in [`std::sync`].

pub use std::sync::Arc;

/// Atomic types, as in [`std::sync::atomic`].
pub mod atomic {
    pub use atropos_native::atomic::{
        AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU16,
        AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence, fence,
    };
}
