//! Runs one row in a separate process, to measure memory and processor time of one run of `atropos` and its clang.
//!
//! Between the bench and `atropos` there is a process that only waits ([`in_between`]), so the kernel's figures about
//! its children are about this one row. It adds a last line with the costs to the output of `atropos`.

use crate::check::{self, CheckAnswer};
use crate::row::Row;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::str::FromStr;
use std::time::Instant;

#[derive(Clone, PartialEq, Debug)]
pub struct Measurement {
    pub answer: CheckAnswer,
    pub cost: Cost,
}

/// What the whole run cost, clang included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    pub wall_ms: u64,
    /// In user and kernel mode.
    pub cpu_us: u64,
    /// The peak memory of the largest of the processes.
    pub peak_kib: u64,
}

/// The first argument of the process in between.
pub const FLAG: &str = "--measure";

/// Measures a row.
///
/// # Errors
/// There is no verdict.
pub fn run(atropos: &Path, row: &Row, jobs: usize) -> Result<Measurement, String> {
    measure(&check::command(atropos, row, jobs))
}

/// Measures a command that runs `atropos check`.
///
/// # Errors
/// There is no verdict.
pub fn measure(asked: &Command) -> Result<Measurement, String> {
    let this = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(this);
    command.arg(FLAG).arg(asked.get_program()).args(asked.get_args());
    let said = check::said(command)?;
    let (said, cost) = said.trim_end().rsplit_once('\n').ok_or("the measuring process prints nothing")?;
    Ok(Measurement { answer: check::answer(said)?, cost: cost.parse()? })
}

/// The process in between: runs the given command and prints its costs. Returns the exit status of that command.
///
/// # Errors
/// It cannot be run.
pub fn in_between(mut words: impl Iterator<Item = OsString>) -> Result<u8, String> {
    let program = words.next().ok_or("expected a command to run")?;
    let start = Instant::now();
    let status = Command::new(&program).args(words).status();
    let status = status.map_err(|error| format!("{}: {error}", program.display()))?;
    let wall_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let us = |time: TimeVal| u64::try_from(time.num_microseconds()).unwrap_or(0);
    let cpu_us = us(usage.user_time()) + us(usage.system_time());
    println!("{}", Cost { wall_ms, cpu_us, peak_kib: u64::try_from(usage.max_rss()).unwrap_or(0) });
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(101))
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.wall_ms, self.cpu_us, self.peak_kib)
    }
}

impl FromStr for Cost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[wall_ms, cpu_us, peak_kib]) => Ok(Cost { wall_ms, cpu_us, peak_kib }),
            _ => Err(format!("expected three numbers, found `{text}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_survive_the_way_from_the_process_in_between() {
        let cost = Cost { wall_ms: 1, cpu_us: 2, peak_kib: 3 };
        assert_eq!(cost.to_string().parse(), Ok(cost));
        assert!("1 2".parse::<Cost>().is_err() && "1 2 x".parse::<Cost>().is_err());
    }

    #[test]
    fn the_exit_status_is_that_of_the_command() {
        let run = |words: &[&str]| in_between(words.iter().map(OsString::from));
        assert_eq!(run(&["sh", "-c", "exit 3"]), Ok(3));
        assert!(run(&["/no/such/program"]).is_err() && run(&[]).is_err());
    }
}
