//! The syntax tree of a litmus test, for the parser, the printer and the generator.
//!
//! The tree is plain data without resolved names, so that tools can build and shrink tests; lowering resolves names
//! and reports errors in them.

pub mod c;
pub mod types;
pub mod x86;

use crate::condition::{Condition, Constant, Observable, Prop};
use atropos_event::Span;
use types::Type;

/// A whole litmus file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Litmus {
    pub name: String,
    /// The string under the header, if any.
    pub doc: Option<String>,
    /// The lines `Key=value` under the header (`Cycle=...`, `Hash=...`), verbatim.
    pub info: Vec<(String, String)>,
    pub init: Vec<Init>,
    pub code: Code,
    /// Observables that `locations [...]` adds to the printed states.
    pub locations: Vec<(Observable, Span)>,
    /// Executions whose final state does not satisfy it are dropped.
    pub filter: Option<Prop>,
    pub condition: Option<Condition>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Code {
    C(Vec<c::Thread>),
    X86 { mode: x86::Mode, threads: Vec<x86::Thread> },
}

impl Code {
    pub fn dialect(&self) -> Dialect {
        match self {
            Code::C(_) => Dialect::C,
            Code::X86 { .. } => Dialect::X86,
        }
    }

    pub fn n_threads(&self) -> usize {
        match self {
            Code::C(threads) => threads.len(),
            Code::X86 { threads, .. } => threads.len(),
        }
    }
}

/// The language of a test's threads. X86 tests concern hardware: only sc, tso and pso apply to them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    C,
    X86,
}

/// One item of the initial state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Init {
    pub ty: Option<Type>,
    pub target: Observable,
    pub value: Constant,
    pub span: Span,
}
