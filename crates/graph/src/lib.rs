//! Execution graphs as one dense, in-place structure with stack discipline.
//!
//! The graph stores events in the order of their addition, `rf`, `co`, and clocks; it has no notion of consistency.
//! Explorers extend it with [`Graph::add`] and go back with [`Graph::pop`]; both take constant time in the steady
//! state and allocate nothing. [`validate`] lists and checks the rules that a graph satisfies.

pub mod barrier;
mod canonical;
pub mod clock;
mod counters;
mod event;
mod graph;
mod known;
mod location;
mod parts;
mod restrict;
mod sections;
pub mod text;
mod validate;

#[cfg(test)]
mod sketch;

pub use canonical::{Canonical, CanonicalEvent, CanonicalThread, Status};
pub use clock::{Clock, ClockKind, Clocks};
pub use event::{Event, Section, Slot};
pub use graph::{Graph, Outcome, ThreadState};
pub use location::{LocId, Location};
pub use restrict::Attic;
pub use sections::Sharer;
pub use text::EventName;
pub use validate::{Broken, validate};
