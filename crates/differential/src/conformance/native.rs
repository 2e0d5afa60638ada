//! Runs the same programs on the machine's own thread library, which may show nothing that the oracle does not have.
//!
//! Programs with misuse are left out, because their behaviour is undefined, and so are programs that may end while
//! threads are running, because their results are then cut short. A real thread may wake spuriously from a condition
//! variable, so the oracle allows that here.

use crate::conformance::compile::scratch;
use crate::conformance::to_c::{results, to_c};
use atropos_testkit::oracle::runtime::{
    Argument, Behaviour, Call, Op, RuntimeConfig, RuntimeProgram, ThreadResults, behaviour, errno,
};
use std::collections::BTreeMap;
use std::process::Command;

/// The flags of the compiler.
#[derive(Clone, Copy, Debug)]
pub struct Native<'a> {
    pub compiler: &'a str,
    /// How often to run each program.
    pub runs: usize,
}

/// The number of programs that were run, and the number of the oracle's outcomes that were seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub programs: usize,
    pub outcomes: usize,
    pub of_outcomes: usize,
    pub stuck: usize,
}

/// The oracle's answer for a program that can run natively.
fn expected(program: &RuntimeProgram) -> Option<Behaviour> {
    // POSIX allows an implementation to check a deadline first or last.
    if program.calls().any(|call| call.op.argument() == Argument::Deadline && call.argument == 1) {
        return None;
    }
    if cancels_a_late_point(program) {
        return None;
    }
    let config = RuntimeConfig { max_states: 60_000, may_wake_spuriously: false };
    let may_hang = behaviour(program, config)?.may_hang();
    let mut found = behaviour(program, RuntimeConfig { may_wake_spuriously: true, ..config })?;
    found.may_deadlock |= may_hang;
    Some(found).filter(|found| found.misuses.is_empty() && !found.may_end_early)
}

/// Whether a thread is cancelled that joins or waits on a condition variable. POSIX demands that it ends there if it was
/// cancelled before; glibc looks only when it has to wait.
fn cancels_a_late_point(program: &RuntimeProgram) -> bool {
    let is_late = |op: Op| matches!(op, Op::Join | Op::CondWait | Op::CondTimedwait | Op::CondAwait);
    let is_such = |call: Call| {
        call.op == Op::Cancel && program.threads[call.object].body.iter().any(|stmt| is_late(stmt.call.op))
    };
    program.calls().any(is_such)
}

impl Native<'_> {
    /// Runs the programs that can run natively.
    ///
    /// # Errors
    /// An outcome that the oracle does not have, or the reason why the programs cannot be run.
    pub fn check(self, programs: &[(u64, RuntimeProgram)]) -> Result<Seen, String> {
        let mut known = BTreeMap::new();
        for (number, program) in programs {
            if let Some(found) = expected(program) {
                known.insert(*number, (program, found));
            }
        }
        let mut seen = Seen { programs: known.len(), ..Seen::default() };
        seen.of_outcomes = known.values().map(|(_, found)| found.outcomes.len()).sum();
        // A program that always ends has time to do so: a busy machine may be late.
        for (may_hang, milliseconds) in [(true, 200), (false, 60_000)] {
            let some = known.iter().filter(|(_, (_, found))| found.may_hang() == may_hang);
            let some: Vec<_> = some.map(|(number, (program, _))| (*number, *program)).collect();
            if some.is_empty() {
                continue;
            }
            let file = scratch("native.c");
            std::fs::write(&file, to_c(some)).map_err(|error| error.to_string())?;
            let output = self.run(&file, milliseconds);
            std::fs::remove_file(&file).map_err(|error| error.to_string())?;
            for line in output?.lines() {
                judge(line, &known, &mut seen)?;
            }
        }
        Ok(seen)
    }

    fn run(self, file: &std::path::Path, milliseconds: u32) -> Result<String, String> {
        let binary = scratch("native");
        let runs = format!("-DRUNS={}", self.runs);
        let limit = format!("-DMILLISECONDS={milliseconds}");
        let mut compiler = Command::new(self.compiler);
        compiler.args(["-O1", "-w", "-pthread", "-DNATIVE", &runs, &limit, "-o"]).arg(&binary).arg(file);
        let compiled = compiler.output().map_err(|error| format!("{}: {error}", self.compiler))?;
        if !compiled.status.success() {
            return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
        }
        let output = Command::new(&binary).output().map_err(|error| error.to_string());
        std::fs::remove_file(&binary).map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&output?.stdout).into_owned())
    }
}

/// Whether a read-write lock has refused a thread that would wait for itself. POSIX allows that; the oracle's threads
/// wait.
fn has_optional_failure(program: &RuntimeProgram, outcome: &ThreadResults) -> bool {
    let is_lock = |op: Op| matches!(op, Op::Rdlock | Op::Wrlock | Op::Timedrdlock | Op::Timedwrlock);
    let mut results =
        program.threads.iter().zip(outcome).flat_map(|(thread, results)| thread.body.iter().zip(results));
    results.any(|(stmt, result)| is_lock(stmt.call.op) && *result == errno::EDEADLK)
}

/// One line: a program with one of its outcomes, or that it got stuck.
fn judge(
    line: &str,
    known: &BTreeMap<u64, (&RuntimeProgram, Behaviour)>,
    seen: &mut Seen,
) -> Result<(), String> {
    let mut words = line.split(' ');
    let number: u64 = words.next().and_then(|word| word.parse().ok()).ok_or("not a number")?;
    let (program, found) = &known[&number];
    let rest: Vec<_> = words.collect();
    if rest == ["stuck"] {
        seen.stuck += 1;
        return if found.may_hang() { Ok(()) } else { Err(format!("seed {number} got stuck:\n{program}")) };
    }
    let mut outcome: ThreadResults = program.threads.iter().map(|_| Vec::new()).collect();
    for ((thread, _), word) in results(program).iter().zip(&rest) {
        outcome[*thread].push(word.parse().map_err(|_| format!("{word} is not a result"))?);
    }
    if has_optional_failure(program, &outcome) {
        return Ok(());
    }
    if !found.outcomes.contains(&outcome) {
        return Err(format!("seed {number}: the machine shows {outcome:?}, the oracle does not:\n{program}"));
    }
    seen.outcomes += 1;
    Ok(())
}
