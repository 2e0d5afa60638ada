//! Programs, and what the search can do without.

pub mod programs;

use atropos_explore::rvf::Heuristics;

/// All combinations of heuristics.
pub fn all_heuristics() -> impl Iterator<Item = Heuristics> {
    (0..16).map(|bits| Heuristics {
        signals: bits & 1 == 0,
        greedy: bits & 2 == 0,
        closure: bits & 4 == 0,
        guide: bits & 8 == 0,
    })
}
