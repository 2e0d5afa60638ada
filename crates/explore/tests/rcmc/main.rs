//! RCMC: the counts of its paper.

mod common;
mod paper_counts;
