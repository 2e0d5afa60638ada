//! The exit codes. Scripts rely on them (`CLI.md`).

use atropos_report::Verdict;
use std::process::{ExitCode, ExitStatus};

/// How the process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Verified; or a command other than `check` succeeded.
    Verified,
    /// A violation was found, or a litmus test's condition does not hold.
    Violation,
    /// Bad usage or input.
    BadInput,
    /// A limit was hit first.
    Inconclusive,
    /// A bug in Atropos.
    Bug,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Verified => 0,
            Exit::Violation => 1,
            Exit::BadInput => 2,
            Exit::Inconclusive => 3,
            Exit::Bug => 101,
        }
    }

    /// How another process of this program has ended.
    pub fn of_process(status: ExitStatus) -> Exit {
        let all = [Exit::Verified, Exit::Violation, Exit::BadInput, Exit::Inconclusive];
        all.into_iter().find(|exit| status.code() == Some(exit.code().into())).unwrap_or(Exit::Bug)
    }

    /// The status after all output was written, or failed to be: the verdict stands either way.
    pub fn once_written(self, is_written: bool) -> Exit {
        match self {
            Exit::Verified if !is_written => Exit::BadInput,
            exit => exit,
        }
    }

    /// Ends the process at once.
    pub fn now(self) -> ! {
        std::process::exit(i32::from(self.code()))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Exit {
        match verdict {
            Verdict::Verified => Exit::Verified,
            Verdict::Violation => Exit::Violation,
            Verdict::Inconclusive(_) => Exit::Inconclusive,
        }
    }
}
