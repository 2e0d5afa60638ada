//! Violations that a statement of the program declares.

use crate::fault::Context;
use crate::ir::Operand;
use atropos_event::{
    AbortCause, Assertion, Exception, Extent, JoinError, Memory, Misuse, MisuseReason, SyncClass, Violation,
};

/// The violation of a program that reaches a `fail` statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    Assertion(Assertion),
    /// An access of `access` bytes leaves the variable `object`, which has `size` bytes.
    OutOfBounds {
        object: String,
        size: u64,
        access: u64,
    },
    /// The local `variable` is read, but was never written.
    Uninitialised {
        variable: String,
    },
    Misuse(Misused),
    /// A thread that was joined, or has ended detached, is used.
    NotJoinable,
    DivisionByZero,
    QuotientOverflow,
    Unreachable,
    UncaughtException(Exception),
    Abort(AbortCause),
    /// The program says what is wrong: `length` bytes of private or constant memory at `from`.
    Said {
        from: Operand,
        length: Operand,
    },
}

/// A wrong call of the thread library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misused {
    pub class: SyncClass,
    pub reason: MisuseReason,
    /// The address of the object, if it is about one.
    pub object: Option<Operand>,
    /// The library function, if it is not the one that the program called last.
    pub call: Option<String>,
}

impl Failure {
    /// The violation, where `object` is the object of a misuse.
    pub(crate) fn violation(&self, object: &dyn Fn() -> Memory, context: &Context<'_>) -> Violation {
        match self {
            Failure::Assertion(assertion) => Violation::Assertion(assertion.clone()),
            Failure::OutOfBounds { object, size, access } => {
                let object = Memory::Local { name: object.clone() };
                Violation::OutOfBounds {
                    size: *access,
                    at: None,
                    object: Some(Extent { object, size: *size }),
                }
            }
            Failure::Uninitialised { variable } => {
                Violation::Uninitialised { memory: Memory::Local { name: variable.clone() } }
            }
            Failure::Misuse(misused) => Violation::LockMisuse(Misuse {
                call: misused.call.clone().or_else(context.call),
                class: misused.class,
                object: misused.object.map(|_| object()),
                reason: misused.reason,
            }),
            Failure::NotJoinable => Violation::InvalidJoin(JoinError::NotJoinable),
            Failure::DivisionByZero => Violation::DivisionByZero,
            Failure::QuotientOverflow => Violation::QuotientOverflow,
            Failure::Unreachable => Violation::Unreachable,
            Failure::UncaughtException(exception) => Violation::UncaughtException(exception.clone()),
            Failure::Abort(cause) => Violation::Abort { cause: *cause },
            Failure::Said { .. } => Violation::Assertion(Assertion::Message((context.said)())),
        }
    }

    /// The operands that are evaluated when the statement fails.
    pub(crate) fn operands(&self) -> impl Iterator<Item = Operand> {
        let said = match self {
            Failure::Said { from, length } => vec![*from, *length],
            _ => Vec::new(),
        };
        self.object().into_iter().chain(said)
    }

    /// The object of a misuse.
    pub(crate) fn object(&self) -> Option<Operand> {
        match self {
            Failure::Misuse(misused) => misused.object,
            _ => None,
        }
    }
}
