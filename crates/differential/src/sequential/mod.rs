//! Random sequential C programs, natively and in the VM: what the front-end makes of LLVM IR, at every level of
//! optimisation.
//!
//! A file has many functions without parameters, each of which returns a number made of everything that it computed
//! ([`generate`]). The machine runs them, and so does the VM from the IR that clang makes ([`compare`]). Nothing in
//! them is undefined, so both must agree.

pub mod compare;
mod definitions;
mod expression;
pub mod generate;
mod language;
mod structures;
