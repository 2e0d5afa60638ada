//! The vocabulary of all other crates: threads and events ([`id`]), what happens ([`label`]), how strongly it is
//! ordered ([`ordering`]), on which bytes ([`access`]), and the interface between programs and explorers
//! ([`program`]). [`diagnostic`] is for what is wrong with a file, [`mod@mark`] is for tests.
//!
//! This crate knows no memory model, no graph and no front-end, and has no dependencies.

mod access;
pub mod bits;
mod diagnostic;
mod gap;
mod id;
mod label;
mod mapping;
pub mod mark;
mod misuse;
mod ordering;
mod program;
mod refusal;
mod replay;
pub mod shape;
mod stats;
mod text_cursor;
mod violation;
pub mod wide;

pub use access::{Access, Addr, Value};
pub use diagnostic::{Diagnostic, Diagnostics, Fault, Region, Severity, Span, Text, Texts};
pub use gap::{Gap, GapKind};
pub use id::{EventId, ThreadId, ThreadKey};
pub use label::{AllocKind, Label, Rmw, RmwOp};
pub use mapping::Mapping;
pub use misuse::{Misuse, MisuseReason, SyncClass};
pub use ordering::{FenceOrder, ReadOrder, WriteOrder};
pub use program::{
    AnswerUse, BarrierStep, BlockReason, BoundedLoop, Initial, LibraryCall, LockStep, MixedCell, Mixing,
    Place, Position, Program, Run, Step,
};
pub use refusal::{Refusal, RefusalReason, ReplayDifference};
pub use replay::{Reexecutable, Replayed};
pub use stats::Stats;
pub use text_cursor::TextCursor;
pub use violation::{
    AbortCause, Assertion, Awaited, EndOfLife, Exception, Extent, FreeError, JoinError, Memory,
    SourceLocation, Violation, ViolationKind, Wait, WaitReason,
};
