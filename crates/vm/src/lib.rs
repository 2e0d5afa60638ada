//! The virtual machine: programs in a small register bytecode, run one label at a time.
//!
//! Reading order: [`ir`] and [`instr`] say what a program is, [`builder`] and [`text`] how one is made;
//! [`check`] lists what makes a module well-formed.
//!
//! This crate knows no memory model, no graph and no explorer; it depends on the vocabulary only.

pub mod builder;
pub mod instr;
pub mod ir;

pub use builder::{FunctionBuilder, ModuleBuilder};
pub use instr::Instr;
pub use ir::{
    Function, FunctionId, Global, GlobalId, Module, Operand, Reg, SlotId, Source, SourceId, Target, Width,
};
