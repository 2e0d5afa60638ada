//! The papers' tables, from the C programs of `benchmarks/`.
//!
//! A program says in its first comment what the papers print about it, one `// row:` line per row of a table
//! ([`row`], [`figures`]); [`suite`] finds the programs and puts the rows in the order of the papers. [`check`] asks
//! `atropos` about one row, [`measure`] in a process of its own. [`line`] is a row with its answer, [`document`] all of
//! them as a page, [`scaling`] the speed-up by workers, [`machine`] where it was measured.

pub mod check;
pub mod document;
pub mod figures;
pub mod line;
pub mod machine;
pub mod measure;
pub mod row;
pub mod scaling;
pub mod suite;
