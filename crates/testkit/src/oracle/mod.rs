//! Oracles that enumerate all executions of a small, loop-free program.
//!
//! [`enumerate`] tries every source for every read and every place in coherence order for every write, and keeps what
//! a cat model accepts. [`run_machine`] runs a machine with store buffers in every possible way and records the
//! sources of reads; it knows no axioms. Both are slow and meant to be obviously right. Tests compare the explorers
//! with the first, and the first, for the hardware models, with the second.
//!
//! [`run_bytes`] is a third, for accesses of several sizes: a machine whose memory consists of bytes.
//!
//! [`runtime`] is an oracle of another kind: it says what calls of the thread library may do.
//!
//! What is absent: the oracle shares the vocabulary of events and the type of canonical values with the explorers,
//! and nothing else; no graph, no clocks, no incremental check. It uses nothing of the rest of this crate, and tidy
//! enforces it.

mod axiomatic;
mod bytes;
mod candidate;
mod machine;
mod memory;
pub mod runtime;
mod structure;
mod walk;

pub use axiomatic::{Build, Enumeration, EnumerationConfig, enumerate, enumerate_all, rf_projection};
pub use bytes::{ReadHistory, history_of, run_bytes};
pub use candidate::Candidate;
pub use machine::{MachineKind, run_machine};
pub use structure::structure;
pub use walk::Refused;
