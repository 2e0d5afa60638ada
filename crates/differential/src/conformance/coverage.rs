//! What has occurred in random programs: calls, their results, and how programs end.

use atropos_testkit::oracle::runtime::{
    Behaviour, End, MisuseKind, MutexKind, NOT_EXECUTED, Op, RuntimeProgram, ThreadBody, errno,
};
use std::collections::BTreeMap;
use std::fmt;

/// How often something has occurred.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The calls, each with the results that the oracle has seen, as numbers of programs.
    pub calls: BTreeMap<Op, BTreeMap<i64, u64>>,
    pub kinds: BTreeMap<MutexKind, u64>,
    pub programs: u64,
    pub outcomes: u64,
    pub lock_misuses: u64,
    pub join_misuses: u64,
    /// The calls that were misused, as numbers of programs.
    pub misused: BTreeMap<Op, u64>,
    pub deadlocks: u64,
    /// The number of programs in which a thread calls `exit`.
    pub quits: u64,
    /// The number of programs in which threads may spin forever.
    pub endless: u64,
    /// The number of programs in which nothing can go wrong.
    pub correct: u64,
}

impl Coverage {
    pub fn add(&mut self, program: &RuntimeProgram, found: &Behaviour) {
        self.programs += 1;
        self.outcomes += found.outcomes.len() as u64;
        self.lock_misuses += u64::from(found.misuses.contains(&MisuseKind::Lock));
        self.join_misuses += u64::from(found.misuses.contains(&MisuseKind::Join));
        self.deadlocks += u64::from(found.may_deadlock);
        let quits = |thread: &ThreadBody| matches!(thread.end, End::Quit(_));
        self.quits += u64::from(program.threads.iter().any(quits));
        self.endless += u64::from(found.may_spin_forever);
        self.correct += u64::from(found.is_correct());
        for &op in &found.misused {
            *self.misused.entry(op).or_default() += 1;
        }
        let mut seen = std::collections::BTreeSet::new();
        for (thread, of) in program.threads.iter().enumerate() {
            for (index, stmt) in of.body.iter().enumerate() {
                self.calls.entry(stmt.call.op).or_default();
                let results = found.outcomes.iter().map(|outcome| outcome[thread][index]);
                seen.extend(results.map(|result| (stmt.call.op, result)));
                if stmt.call.op == Op::MutexInit {
                    *self.kinds.entry(MutexKind::of(stmt.call.argument)).or_default() += 1;
                }
            }
        }
        for (op, result) in seen {
            if result != NOT_EXECUTED {
                *self.calls.entry(op).or_default().entry(result).or_default() += 1;
            }
        }
    }

    pub fn merge(&mut self, other: Coverage) {
        for (op, results) in other.calls {
            let mine = self.calls.entry(op).or_default();
            results.into_iter().for_each(|(result, n)| *mine.entry(result).or_default() += n);
        }
        other.kinds.into_iter().for_each(|(kind, n)| *self.kinds.entry(kind).or_default() += n);
        self.programs += other.programs;
        self.outcomes += other.outcomes;
        self.lock_misuses += other.lock_misuses;
        self.join_misuses += other.join_misuses;
        other.misused.into_iter().for_each(|(op, n)| *self.misused.entry(op).or_default() += n);
        self.deadlocks += other.deadlocks;
        self.quits += other.quits;
        self.endless += other.endless;
        self.correct += other.correct;
    }

    /// The number of programs in which a call had this result.
    pub fn count(&self, op: Op, result: i64) -> u64 {
        self.calls.get(&op).and_then(|results| results.get(&result)).copied().unwrap_or(0)
    }
}

/// A result of a call that has a name.
fn name(op: Op, result: i64) -> String {
    if matches!(op, Op::Load | Op::Add | Op::GetSpecific | Op::Join | Op::SemGetvalue | Op::BarrierWait) {
        return result.to_string();
    }
    let name = match result {
        errno::EPERM => "EPERM",
        errno::EAGAIN => "EAGAIN",
        errno::EBUSY => "EBUSY",
        errno::EINVAL => "EINVAL",
        errno::EDEADLK => "EDEADLK",
        errno::EOWNERDEAD => "EOWNERDEAD",
        errno::ENOTRECOVERABLE => "ENOTRECOVERABLE",
        errno::EOVERFLOW => "EOVERFLOW",
        errno::ETIMEDOUT => "ETIMEDOUT",
        _ => return result.to_string(),
    };
    name.to_string()
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Coverage { programs, outcomes, lock_misuses, join_misuses, deadlocks, endless, correct, .. } =
            self;
        writeln!(f, "{programs} programs, {correct} of them correct; {outcomes} outcomes")?;
        writeln!(
            f,
            "{lock_misuses} with lock-misuse, {join_misuses} with invalid-join, {deadlocks} with deadlock, \
             {endless} with non-termination, {} with exit",
            self.quits
        )?;
        for &op in Op::ALL {
            let empty = BTreeMap::new();
            let results = self.calls.get(&op).unwrap_or(&empty);
            let results: Vec<_> =
                results.iter().map(|(result, n)| format!("{}: {n}", name(op, *result))).collect();
            let misused = self.misused.get(&op).map(|n| format!("misuse: {n}"));
            let all: Vec<_> = results.into_iter().chain(misused).collect();
            writeln!(f, "{:<20}{}", op.name(), all.join(", "))?;
        }
        Ok(())
    }
}
