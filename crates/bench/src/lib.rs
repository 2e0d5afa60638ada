//! The papers' tables, from the C programs of `benchmarks/`.
//!
//! The first comment of a program says what the papers print about it, in one `// row:` line per row of a table
//! ([`row`], [`figures`]). [`suite`] finds the programs and sorts the rows in the order of the papers. [`check`] runs
//! `atropos` on one row, [`measure`] does so in a separate process. [`line`] is a row with its result, [`document`]
//! all of them as a page, [`compare`] the times of two builds, [`scaling`] the speed-up by workers, [`growth`] how costs
//! grow with the length of threads, [`structures`] what reductions leave out, [`machine`] a description of the machine.
//! [`cluster`] simulates many workers. [`real`] is `make real`, which checks the code of other projects.

pub mod check;
pub mod cluster;
pub mod compare;
pub mod document;
pub mod figures;
pub mod growth;
pub mod line;
pub mod machine;
pub mod measure;
pub mod real;
pub mod row;
pub mod scaling;
pub mod structures;
pub mod suite;
