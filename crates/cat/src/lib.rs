//! Memory models in herd's cat language, and the relation algebra they are written in.
//!
//! `models/*.cat` are the executable specifications of Atropos: the oracle filters candidate executions
//! with them, the tests compare the fast models with them, and every reported violation is checked against
//! them. This crate parses such a file once ([`Model`]) and evaluates it on any number of executions
//! ([`Structure`]).
//!
//! ```
//! use atropos_cat::{Model, Relation, Structure, Consistency};
//!
//! let text = "let fr = rf^-1 ; co  acyclic po | rf | co | fr as sc";
//! let model = Model::parse("example", text, &|_, _| Ok(None)).unwrap();
//!
//! let mut structure = Structure::new(2);
//! structure.relation("po", Relation::from_pairs(2, [(0, 1)]));
//! structure.relation("rf", Relation::from_pairs(2, [(1, 0)]));
//! structure.relation("co", Relation::new(2));
//! let Consistency::Violated(violation) = model.check(&structure).unwrap() else { panic!() };
//! assert_eq!(violation.axiom, "sc");
//! ```
//!
//! A model goes through `lexer` → `parser` → `loader` (includes) → `lower` (names, sorts, functions) → `plan`, an
//! execution through `structure` → `eval` → `explain`. [`bridge`] makes structures of execution graphs; nothing else
//! in this crate knows graphs. What is absent: the crate does not know programs or explorers, and prints nothing.

mod ast;
pub mod bridge;
mod eval;
mod explain;
mod lexer;
mod loader;
mod lower;
mod model;
mod monotone;
mod parser;
mod plan;
mod relation;
mod rows;
mod set;
mod structure;
mod vocabulary;

pub use ast::CheckKind;
pub use explain::Edge;
pub use loader::{BUILTIN_MODELS, Resolver};
pub use model::{Axiom, BrokenAxiom, Consistency, Model, Witness};
pub use monotone::NotMonotone;
pub use relation::Relation;
pub use set::EventSet;
pub use structure::Structure;
pub use vocabulary::{BaseRelation, BaseSet};
