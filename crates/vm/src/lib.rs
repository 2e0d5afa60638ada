//! The virtual machine: programs in a small register bytecode, run one label at a time.
//!
//! Reading order: [`ir`] and [`instr`] say what a program is, [`builder`] and [`text`] how to make one, [`check`]
//! when it is well-formed. [`Vm`] compiles it (`compile`, `translate`, with `flow` and `allocate`) to the dense
//! `code`; a [`VmRun`] keeps the threads' states (`run`, `private`) and runs them (`interp`, `registers`, `answer`,
//! `access`, `overlaps`, `mixing`, `bulk`, `mutex`, `loops`).
//!
//! This crate knows no memory model, no graph and no explorer; it depends only on the vocabulary.

mod builder;
pub mod check;
mod failure;
pub mod instr;
pub mod ir;
pub mod text;

pub mod arith;
pub mod float;
mod knowledge;
pub mod layout;

mod access;
mod allocate;
mod answer;
mod bounds;
mod bulk;
mod calls;
mod claims;
mod code;
mod compile;
mod counting;
mod ends;
mod fault;
mod fixed;
mod flow;
pub mod format;
mod globals;
mod interp;
mod large;
mod library_calls;
mod loops;
mod mixing;
mod mutex;
mod operands;
mod overlaps;
mod places;
mod private;
mod recall;
mod registers;
mod run;
mod sections;
mod show;
mod slots;
mod state;
mod tested;
mod threading;
mod threads;
mod translate;
mod tries;
mod turns;
mod twins;
mod unchanged;
mod unused;
mod vm;
mod writers;

pub use bounds::LoopBound;
pub use builder::{FunctionBuilder, ModuleBuilder};
pub use failure::{Failure, Misused};
pub use instr::{Instr, LockKind};
pub use ir::{
    Function, FunctionId, Global, GlobalId, Module, Operand, Reg, SlotId, Source, SourceId, Target, Width,
};
pub use run::VmRun;
pub use vm::{Buffering, Config, Vm};
