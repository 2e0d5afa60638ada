//! The text form of modules (`.vm` files).
//!
//! ```text
//! global x: i32 = 0                  // also: const global, thread_local global
//! global a: [i32; 16] = { 1, 2 }     // the rest is zero
//! global p: i64 = &a + 8             // an address
//!
//! fn worker(i) {
//!   private buffer: 64               // stack objects, sizes in bytes
//!   shared node: 16
//! again:
//!   r = load.acq.i32 x               // orders: rlx acq rel acqrel sc; none for plain accesses
//!   c = eq.i32 r, 0
//!   if c goto again                  // if not c goto again
//!   q = addr a + i*4
//!   store.rel.i32 q, r
//!   old = rmw.add.rlx.i32 x, 1
//!   old, ok = cas.acqrel.rlx.i32 x, 0, 1
//!   assert ok, "the message"
//!   return r
//! }
//!
//! threads worker(0), worker(1)       // a main function that spawns these and joins them
//! ```
//!
//! A statement ends with its line or with `;`. Names may be quoted in backticks. [`parse`] reads what [`print()`]
//! writes. `print` does not write source places; `parse` uses those in the `.vm` file.

mod failure;
mod globals;
mod lexer;
mod operations;
mod parser;
mod print;
mod statement;

use crate::ir::{Module, Symbol};
use atropos_event::Diagnostics;
use std::collections::HashMap;

pub use print::{function_text, global_text, instr_text, print};

/// Parses a module. `file` is its name in messages and source places.
///
/// # Errors
/// The errors in the text, in order; a limited number of them.
pub fn parse(file: &str, text: &str) -> Result<Module, Diagnostics> {
    parser::parse(file, text)
}

/// Reads more items into a module. They may refer to the globals and functions in `names`, which gets theirs. Their
/// statements have no source places, and their names are not made unique.
///
/// # Errors
/// As [`parse`]; the module is then incomplete.
pub fn parse_into(
    module: &mut Module,
    names: &mut HashMap<String, Symbol>,
    text: &str,
) -> Result<(), Diagnostics> {
    parser::parse_into(module, names, text)
}
