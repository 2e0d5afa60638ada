//! Tools for testing explorers: tiny programs, a generator and a shrinker for them, the oracle, and the comparison
//! of an explorer's executions with the oracle's.
//!
//! Reading order: [`ast`] (tiny programs), [`text`] (their syntax), [`program`] and [`mod@lower`] (how they run),
//! [`style`], [`random`], [`pieces`], [`joins`], [`twins`], [`counters`], [`meetings`], [`sectioned`] and [`mod@shrink`] (generating and
//! shrinking), [`oracle`] (all executions by brute force), [`compare`] (the requirements), [`values`] (executions up to the values read). [`families`] are the parametric programs of the papers,
//! [`diagnostics`] shows errors as people see them.

mod ast;
pub mod clang;
pub mod compare;
mod counters;
pub mod diagnostics;
pub mod estimate;
pub mod families;
mod joins;
pub mod lower;
mod meetings;
pub mod oracle;
mod pieces;
pub mod program;
mod random;
mod rng;
mod sectioned;
pub mod shrink;
mod style;
mod text;
mod twins;
pub mod values;

pub use ast::{Ast, Expr, Register, Stmt, Test, Var};
pub use compare::{Explored, SetDifference, UpTo, compare, compare_violations, is_misuse, violations_of};
pub use counters::{count, own};
pub use lower::{lower, lower_exchanging};
pub use meetings::{BarrierKind, lower_meetings, meet};
pub use random::generate;
pub use rng::Rng;
pub use sectioned::section;
pub use shrink::{demand_none_fails, shrink};
pub use style::{ProgramShape, Style};
pub use twins::repeat;
