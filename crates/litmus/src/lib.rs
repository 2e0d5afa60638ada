//! Litmus tests in herd's C and X86 dialects: parsing, printing, lowering and generation.
//!
//! [`load`] turns a text into a [`Test`]: a program for the explorers, and the interpretation of final states. The
//! caller explores `test.program()`, gives the value of each event of a complete execution to
//! [`Test::outcome`], collects the [`Outcomes`], and gets the [`TestResult`], which prints like herd's.
//!
//! Reading order: [`ast`] is the syntax tree; `parse` and `print` convert it from and to text; `lower` turns it into
//! a program; [`generate`] makes tests from cycles of relations, like diy.
//!
//! This crate knows no memory model and no explorer.

pub mod ast;
pub mod condition;
pub mod generate;
mod lexer;
mod lower;
mod parse;
mod print;
mod state;
mod test;

pub use ast::{Dialect, Litmus};
pub use lower::Watch;
pub use parse::{dialect, parse};
pub use state::{Answer, FinalValues, Observation, Outcomes, State, TestResult};
pub use test::{Test, load, load_with};
