//! Placeholder replaced by the crate.
