//! The modelled thread library against an independent state machine, on random programs.
//!
//! [`generate`] makes programs, [`to_c`] writes many of them into one C file, [`compile`] runs clang on it once,
//! [`compare`] explores each and compares with `atropos_oracle::runtime`, [`native`] runs them on the real library,
//! [`shrink`] makes a failing one small, [`check`] puts it together, and [`coverage`] says what has occurred.

pub mod check;
pub mod compare;
pub mod compile;
pub mod coverage;
pub mod generate;
pub mod native;
pub mod shrink;
pub mod to_c;
