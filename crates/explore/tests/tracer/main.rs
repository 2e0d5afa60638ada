//! Tracer: the counts of its paper, and what changes nothing: workers, silence, waiting.

mod common;
mod paper_counts;
mod silence;
mod waiting;
mod workers;
