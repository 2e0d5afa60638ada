//! Compares the modelled thread library with an independent state machine, on random programs.
//!
//! [`generate`] makes programs, [`sanity`] says which ones have a meaning, [`to_c`] writes many of them into one C file,
//! and [`compile`] runs clang on it once. [`compare`] explores each and compares it with
//! `atropos_testkit::oracle::runtime`, [`native`] runs them on the real library, [`shrink`] shrinks a failing one,
//! [`check`] combines these, and [`coverage`] counts what has occurred.

pub mod check;
pub mod compare;
pub mod compile;
pub mod coverage;
pub mod generate;
pub mod native;
pub mod sanity;
pub mod shrink;
pub mod to_c;
