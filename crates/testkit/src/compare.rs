//! Compares an explorer with the oracle: the same executions, none twice.

use crate::oracle::{Enumeration, rf_projection};
use atropos_event::{BlockReason, ViolationKind};
use atropos_graph::{Canonical, CanonicalEvent, Status};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

/// How an explorer distinguishes executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpTo {
    /// Coherence: each `(rf, co)` once.
    Co,
    /// Reads-from: each `rf` once, if some `co` fits it.
    Rf,
}

/// The executions that an explorer visited, each as many times as visited.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    pub complete: Vec<Canonical>,
    /// Includes those in which a thread failed.
    pub blocked: Vec<Canonical>,
    pub violations: BTreeSet<ViolationKind>,
    /// The kinds of violations in executions in which no other thread has failed.
    pub first_violations: BTreeSet<ViolationKind>,
    /// How many violations were reported.
    pub n_reports: usize,
    /// The explorer may have left executions that can only end blocked.
    pub may_leave_doomed: bool,
    /// What the explorer's own variants do not agree about.
    pub complaints: Vec<String>,
    /// Why the explorer gave up, if it did.
    pub refused: Option<String>,
}

/// How an explorer differs from the oracle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SetDifference {
    /// Executions that the explorer missed.
    pub missing: Vec<Canonical>,
    /// Executions that it should not have visited.
    pub extra: Vec<Canonical>,
    /// Executions that it visited again.
    pub duplicates: Vec<Canonical>,
    pub complaints: Vec<String>,
}

impl SetDifference {
    fn is_empty(&self) -> bool {
        self.missing.is_empty()
            && self.extra.is_empty()
            && self.duplicates.is_empty()
            && self.complaints.is_empty()
    }

    fn add(&mut self, expected: &BTreeSet<Canonical>, mut visited: Vec<Canonical>) {
        visited.sort_unstable();
        let again = visited.windows(2).filter(|pair| pair[0] == pair[1]);
        self.duplicates.extend(again.map(|pair| pair[1].clone()));
        visited.dedup();
        let (mut expected, mut visited) = (expected.iter().peekable(), visited.into_iter().peekable());
        loop {
            let order = match (expected.peek(), visited.peek()) {
                (Some(expected), Some(visited)) => (*expected).cmp(visited),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            let wanted = expected.next_if(|_| order.is_le());
            let found = visited.next_if(|_| order.is_ge());
            match order {
                Ordering::Less => self.missing.extend(wanted.cloned()),
                Ordering::Greater => self.extra.extend(found),
                Ordering::Equal => {}
            }
        }
    }
}

impl fmt::Display for SetDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, list) in
            [("missing", &self.missing), ("extra", &self.extra), ("visited again", &self.duplicates)]
        {
            writeln!(f, "{name}: {}", list.len())?;
            if let Some(first) = list.first() {
                writeln!(f, "first of them:\n{first}")?;
            }
        }
        self.complaints.iter().try_for_each(|complaint| writeln!(f, "{complaint}"))
    }
}

/// Requires that `explored` are the executions `expected`, each once, with these violations.
pub fn compare(
    expected: &Enumeration,
    violations: &BTreeSet<ViolationKind>,
    explored: Explored,
    equivalence: UpTo,
) -> Result<(), SetDifference> {
    let projected = |executions| match equivalence {
        UpTo::Co => Cow::Borrowed(executions),
        UpTo::Rf => Cow::Owned(rf_projection(executions)),
    };
    let blocked = expected.blocked.iter().cloned().map(Canonical::without_reasons).collect();
    let mut difference =
        SetDifference { complaints: explored.complaints.clone(), ..SetDifference::default() };
    if let Err(complaints) = compare_violations(expected, violations, &explored) {
        difference.complaints.extend(complaints);
    }
    difference
        .add(&projected(&blocked), explored.blocked.into_iter().map(Canonical::without_reasons).collect());
    if explored.may_leave_doomed {
        difference.missing.clear();
    }
    difference.add(&projected(&expected.complete), explored.complete);
    if difference.is_empty() { Ok(()) } else { Err(difference) }
}

/// Demands that the explorer finds these violations. If memory is misused, it must find some misuse, but not all of it:
/// it stops at the first error of an event.
pub fn compare_violations(
    expected: &Enumeration,
    violations: &BTreeSet<ViolationKind>,
    explored: &Explored,
) -> Result<(), Vec<String>> {
    let mut complaints = Vec::new();
    complaints.extend(explored.refused.iter().map(|reason| format!("refused: {reason}")));
    let (misuse, found): (BTreeSet<_>, BTreeSet<_>) =
        explored.violations.iter().partition(|&&kind| is_misuse(kind));
    if *violations != found {
        complaints.push(format!("violations {found:?} instead of {violations:?}"));
    }
    // The program itself sees some of it, and then stops.
    let mut expected_misuse = expected.violations();
    expected_misuse.retain(|&kind| is_misuse(kind));
    expected_misuse.extend(&expected.misuse);
    if misuse.is_empty() != expected_misuse.is_empty() || !misuse.is_subset(&expected_misuse) {
        complaints.push(format!("misuse of memory {misuse:?} instead of {expected_misuse:?}"));
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints) }
}

/// The violations of a loop-free program with these executions, except misuse of memory.
pub fn violations_of(expected: &Enumeration) -> BTreeSet<ViolationKind> {
    let mut violations = expected.violations();
    violations.retain(|&kind| !is_misuse(kind));
    violations.extend(may_deadlock(expected).then_some(ViolationKind::Deadlock));
    violations
}

/// Whether this is misuse of dynamic memory.
pub fn is_misuse(kind: ViolationKind) -> bool {
    use ViolationKind::{DoubleFree, InvalidAccess, InvalidFree, Uninitialised, UseAfterFree};
    matches!(kind, DoubleFree | InvalidAccess | InvalidFree | Uninitialised | UseAfterFree)
}

/// Whether there is an execution in which threads wait forever: each thread that has not ended waits for a mutex
/// whose final value it has read, or for the end of another thread; and no thread was cut short.
fn may_deadlock(expected: &Enumeration) -> bool {
    expected.blocked.iter().any(|execution| {
        execution.threads.iter().all(|thread| match thread.status {
            Status::Finished | Status::Joining => true,
            Status::Blocked(BlockReason::Lock { .. }) => {
                thread.events.last().is_some_and(|read| is_final(execution, read))
            }
            Status::Blocked(_) | Status::Failed | Status::Unfinished => false,
        })
    })
}

/// Whether the read sees the last write of its location.
fn is_final(execution: &Canonical, read: &CanonicalEvent) -> bool {
    let access = read.label.access();
    let writes = execution.co.iter().find(|(location, _)| Some(*location) == access);
    writes.and_then(|(_, writes)| writes.last().copied()) == read.source
}
