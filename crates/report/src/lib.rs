//! What a check has found, as a value, and its renderings: text for people, a page and pictures to look at, and the formats of other programs.
//!
//! A violation arrives as a [`Witness`]: the guilty graph, copied out of the exploration. [`investigate`] runs it
//! again on a fresh run of the program and checks it against the model's cat file. Then it makes a [`Finding`], with
//! the execution as a [`Trace`] in the program's own terms. A [`Summary`] holds the findings and the counts of the
//! search.
//!
//! Reading order: [`witness`], [`replay`], [`recheck`], [`trace`]; then [`summary`] and one file per rendering.
//!
//! This crate owns the wire formats. It knows no explorer and no front-end, and does no I/O.

mod arrange;
pub mod axioms;
mod cycle;
mod demangle;
pub mod dot;
pub mod explain;
pub mod finding;
mod fold;
mod forever;
mod format;
mod gaps;
pub mod github;
pub mod human;
pub mod json;
pub mod junit;
mod label;
mod misuse;
pub mod names;
mod operands;
mod operation;
mod order;
pub mod page;
mod quiet;
mod quotation;
mod recheck;
mod replay;
mod rows;
pub mod sarif;
mod shared;
mod size;
mod statement;
mod style;
mod summary;
pub mod survey;
pub mod svg;
pub mod text;
mod trace;
mod unordered;
mod waiting;
mod witness;
pub mod words;

pub use finding::{Context, Description, Expected, Finding, FindingKind, Flaw, investigate};
pub use format::Format;
pub use recheck::{Recheck, Specification};
pub use size::ReadingSize;
pub use style::Style;
pub use summary::{
    Cost, Coverage, Elsewhere, Exploration, Insight, Limit, LitmusResult, MendedOrder, Mending, Setup,
    Summary, Verdict,
};
pub use survey::{Bound, Estimate, Profile, Survey};
pub use trace::Trace;
pub use witness::Witness;
