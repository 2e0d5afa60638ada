//! What tests of explorers are made of: tiny programs, a generator and a shrinker of them, and the comparison of
//! an explorer's executions with the oracle's.
//!
//! Reading order: [`ast`] (what a tiny program is), [`text`] (how it is written), [`program`] and [`mod@lower`] (how it
//! runs), [`random`], [`pieces`], [`joins`] and [`mod@shrink`] (where failing ones come from), [`compare`] (what is demanded),
//! [`values`] (executions up to the values that are seen). [`families`] are the parametric programs of the
//! papers.

pub mod ast;
pub mod compare;
pub mod families;
pub mod joins;
pub mod lower;
pub mod pieces;
pub mod program;
pub mod random;
pub mod rng;
pub mod shrink;
pub mod text;
pub mod values;

pub use ast::{Ast, Expr, Register, Stmt, Test, Var};
pub use compare::{
    Checked, Difference, Equivalence, Explored, Mismatch, Suite, compare, compare_violations, compare_with,
    is_misuse, violations_of,
};
pub use lower::lower;
pub use random::{Shape, Style, generate};
pub use rng::Rng;
pub use shrink::{demand_none_fails, shrink};
