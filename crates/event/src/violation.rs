//! What can be wrong with a program, as data.

use std::fmt;

/// A place in the program's source, if the front-end knows it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SourceLocation {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The kinds of violation; [`ViolationKind::name`] is what scripts see in JSON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ViolationKind {
    Assertion,
    Race,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    InvalidAccess,
    Uninitialised,
    Leak,
    Deadlock,
    LockMisuse,
    InvalidJoin,
    NonTermination,
    DivisionByZero,
    Overflow,
    Unreachable,
    UncaughtException,
    Abort,
    /// A model of the user's own has raised a flag.
    Flag,
}

impl ViolationKind {
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::Race => "race",
            ViolationKind::UseAfterFree => "use-after-free",
            ViolationKind::DoubleFree => "double-free",
            ViolationKind::InvalidFree => "invalid-free",
            ViolationKind::InvalidAccess => "invalid-access",
            ViolationKind::Uninitialised => "uninitialised",
            ViolationKind::Leak => "leak",
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::LockMisuse => "lock-misuse",
            ViolationKind::InvalidJoin => "invalid-join",
            ViolationKind::NonTermination => "non-termination",
            ViolationKind::DivisionByZero => "division-by-zero",
            ViolationKind::Overflow => "overflow",
            ViolationKind::Unreachable => "unreachable",
            ViolationKind::UncaughtException => "uncaught-exception",
            ViolationKind::Abort => "abort",
            ViolationKind::Flag => "flag",
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A violation as a thread reports it; the explorer adds the execution that leads to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Violation {
    pub kind: ViolationKind,
    pub message: String,
}

impl Violation {
    /// The flag `name` of a model is raised.
    pub fn flag(name: &str) -> Violation {
        Violation { kind: ViolationKind::Flag, message: format!("the model raises the flag `{name}`") }
    }
}
