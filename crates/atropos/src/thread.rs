//! Threads, as in [`std::thread`].

pub use atropos_native::thread::{JoinHandle, spawn};
