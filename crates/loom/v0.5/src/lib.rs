//! The interface of loom 0.5: that of 0.7 has everything, and nothing else was called differently.

pub use newer::*;
