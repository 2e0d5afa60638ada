//! Source-DPOR and optimal-DPOR: the counts of the papers, and what changes nothing.

mod common;
mod figures;
mod silence;
