//! What one worker sees of a search.

use crate::kept::KeptFindings;
use crate::long_text::LongText;
use crate::robustness::is_sequentially_consistent;
use crate::states::{Condition, FinalStates};
use atropos_event::{Label, Place, Program, Refusal, Run, ThreadId, Violation};
use atropos_explore::unfreed::{self, Overwriting};
use atropos_explore::{Control, Ending, Execution, Observer, Report};
use atropos_graph::{Canonical, Event, Graph};
use atropos_report::{ReadingSize, Witness};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// The maximum number of different violations to keep; others are only counted.
const MOST_VIOLATIONS: usize = 20;

/// What the workers of a search collect.
pub(crate) struct Plan<'a> {
    /// Collects final states, if present.
    pub condition: Option<&'a dyn Condition>,
    pub tracks_co: bool,
    pub keeps_executions: bool,
    pub sink: Option<&'a dyn Sink>,
    /// Whether the search replays one execution, which is kept.
    pub is_replay: bool,
    pub checks_robustness: bool,
    pub leaks: Leaks<'a>,
}

/// Receives every execution from all workers during the search.
pub trait Sink: Sync {
    fn execution(&self, ending: Ending, execution: &dyn Fn() -> Canonical);

    /// A search starts, or starts over and finds all executions again.
    fn start_over(&self);
}

/// After executions with so many events that show the same violation, the search for a smaller one is over.
const MOST_MEASURED: u64 = 1_000_000;
/// So many executions that show the same violation are compared with each other, and half as many each time that their
/// number doubles. To measure one takes longer than to find it.
const MEASURED_FIRST: u64 = 32;

/// Whether the next execution with `n_events` events is compared with the smallest of the `count` that show the same
/// violation.
fn is_measured(count: u64, n_events: usize) -> bool {
    let stride = (count.next_power_of_two() / MEASURED_FIRST).max(1);
    count.is_multiple_of(stride) && count.saturating_mul(n_events as u64) < MOST_MEASURED
}

/// How to look for memory that is never freed.
pub(crate) struct Leaks<'a> {
    pub program: &'a dyn Program,
    /// Absent if leaks are not reported.
    pub overwriting: Option<Overwriting>,
    /// Stops the search at the first leak, if present.
    pub stop: Option<&'a Control>,
}

/// A violation, the smallest execution met that shows it, and the number of such executions.
#[derive(Debug)]
pub struct FoundViolation {
    pub violation: Violation,
    /// The places of the events or of the failing thread. Equal violations at equal places are shown once.
    pub places: Vec<Place>,
    pub witness: Witness,
    pub(crate) size: OnceLock<ReadingSize>,
    pub count: u64,
    /// Whether a search that has started over found it.
    pub is_past: bool,
}

impl FoundViolation {
    fn new(violation: Violation, places: Vec<Place>, witness: Witness) -> FoundViolation {
        FoundViolation { violation, places, witness, size: OnceLock::new(), count: 1, is_past: false }
    }

    /// How large the execution is to a reader. It is measured when it is compared with another one.
    pub fn size(&self) -> ReadingSize {
        *self.size.get_or_init(|| self.witness.size(&self.violation))
    }

    pub(crate) fn is_same(&self, other: &FoundViolation) -> bool {
        self.is_at(&other.violation, &other.places)
    }

    fn is_at(&self, violation: &Violation, places: &[Place]) -> bool {
        self.violation.kind() == violation.kind() && self.places == places
    }
}

/// What one worker has found.
pub struct Collector<'a> {
    plan: Plan<'a>,
    /// Shared with the watcher, so that nothing is lost if the search is abandoned.
    found: Arc<Mutex<Found>>,
    /// What a ledger knows of it.
    recorded: Arc<Mutex<Found>>,
}

/// What all collectors of a check have found, including those of searches that started over.
#[derive(Default)]
pub struct Finds {
    /// Of each collector, what it has found since its last record, and what is recorded.
    all: Mutex<Vec<[Arc<Mutex<Found>>; 2]>>,
    /// What an earlier process has found in the parts of the search that are done.
    inherited: Mutex<Found>,
}

impl Finds {
    /// A new collector that adds to these.
    pub(crate) fn collector<'a>(&self, plan: Plan<'a>) -> Collector<'a> {
        let found = Arc::new(Mutex::new(Found::default()));
        let recorded = Arc::new(Mutex::new(std::mem::take(&mut *lock(&self.inherited))));
        let mut all = self.all.lock().expect("nothing panics while it holds the lock");
        if let Some(sink) = plan.sink.filter(|_| all.iter().flatten().all(is_past)) {
            sink.start_over();
        }
        for past in all.iter().flatten().filter(|one| is_past(one)) {
            // Its search has started over and will print all executions again.
            lock(past).printed = LongText::default();
        }
        all.push([Arc::clone(&found), Arc::clone(&recorded)]);
        Collector { plan, found, recorded }
    }

    /// Takes what is not recorded yet from the collectors of the current search.
    pub(crate) fn take_unrecorded(&self) -> Found {
        let all = self.all.lock().expect("nothing panics while it holds the lock");
        let mut unrecorded = Found::default();
        for [found, _] in all.iter().filter(|[found, _]| !is_past(found)) {
            unrecorded.merge(std::mem::take(&mut *lock(found)));
        }
        unrecorded
    }

    /// Adds what an earlier process has found. A search that starts over finds it again.
    pub(crate) fn inherit(&self, found: Found) {
        *lock(&self.inherited) = found;
    }

    /// Merges what all collectors have found. If the search was `stopped`, it may have missed what it found before it
    /// started over, so that is added.
    pub(crate) fn take(&self, stopped: bool) -> Found {
        let mut all = self.all.lock().expect("nothing panics while it holds the lock");
        let (mut found, mut past) = (Found::default(), Found::default());
        for one in all.drain(..).flatten() {
            let is_past = is_past(&one);
            let one = std::mem::take(&mut *lock(&one));
            if is_past { past.merge(one) } else { found.merge(one) }
        }
        if stopped {
            found.add_past(past);
        }
        found
    }
}

/// Whether its search has started over: the collector is gone.
fn is_past(found: &Arc<Mutex<Found>>) -> bool {
    Arc::strong_count(found) == 1
}

fn lock(found: &Mutex<Found>) -> MutexGuard<'_, Found> {
    found.lock().expect("nothing panics while it holds the lock")
}

/// The findings of one or several workers.
#[derive(Default)]
pub struct Found {
    pub violations: Vec<FoundViolation>,
    pub leaks: Vec<FoundViolation>,
    /// The number of violations beyond the maximum.
    pub n_omitted: u64,
    /// Why the program cannot be checked.
    pub refusal: Option<Refusal>,
    pub states: FinalStates,
    /// An execution that is not sequentially consistent, and the number of those; only if the check looks for them.
    pub weak: Option<Witness>,
    pub n_weak: u64,
    /// All executions in canonical text, if they are to be printed. They are kept to the end, because a search may
    /// start over.
    pub printed: LongText,
    /// The replayed execution.
    pub(crate) replayed: Option<Witness>,
}

impl Found {
    pub(crate) fn merge(&mut self, other: Found) {
        other.violations.into_iter().for_each(|met| self.add(met));
        for met in other.leaks {
            match self.leaks.iter_mut().find(|known| known.places == met.places) {
                Some(known) => known.count += met.count,
                None => self.leaks.push(met),
            }
        }
        self.n_omitted += other.n_omitted;
        self.refusal = self.refusal.take().or(other.refusal);
        self.states.merge(other.states);
        self.weak = self.weak.take().or(other.weak);
        self.n_weak += other.n_weak;
        self.printed.append(other.printed);
        self.replayed = self.replayed.take().or(other.replayed);
    }

    /// Adds what was found before the search started over, unless it is known. The machine may have split an access
    /// since then, so that the execution cannot be replayed any more.
    fn add_past(&mut self, past: Found) {
        let is_new =
            |known: &[FoundViolation], met: &FoundViolation| !known.iter().any(|known| known.is_same(met));
        for met in past.violations {
            if is_new(&self.violations, &met) {
                self.add(FoundViolation { is_past: true, ..met });
            }
        }
        for met in past.leaks {
            if is_new(&self.leaks, &met) {
                self.leaks.push(FoundViolation { is_past: true, ..met });
            }
        }
    }

    fn add(&mut self, met: FoundViolation) {
        match self.violations.iter().position(|known| known.is_same(&met)) {
            Some(index) => {
                let known = &mut self.violations[index];
                let count = known.count + met.count;
                if met.is_past == known.is_past && met.size() < known.size() {
                    *known = met;
                }
                known.count = count;
            }
            None if self.violations.len() < MOST_VIOLATIONS => self.violations.push(met),
            None => self.n_omitted += met.count,
        }
    }
}

impl Collector<'_> {
    /// Looks for memory that is never freed. Keeps one execution for each place that allocates such memory.
    fn look_for_leaks(&mut self, graph: &Graph, run: &mut dyn Run) {
        let &Leaks { program, overwriting: Some(overwriting), stop } = &self.plan.leaks else { return };
        for slot in unfreed::leaked(graph, overwriting, |addr| program.is_global(addr)) {
            let event = graph.event(slot);
            let Label::Alloc { addr, size, .. } = event.label else {
                unreachable!("what is leaked was allocated")
            };
            let places = vec![place_of(event, run)];
            let mut found = lock(&self.found);
            match found.leaks.iter().position(|known| known.places == places) {
                Some(known) => found.leaks[known].count += 1,
                None if found.leaks.len() < MOST_VIOLATIONS => {
                    let violation = Violation::Leak { object: addr, size };
                    let witness = Witness::new(graph, run, self.plan.tracks_co);
                    let witness = witness.blaming(event.id.thread(), &[slot]);
                    found.leaks.push(FoundViolation::new(violation, places, witness));
                }
                None => {}
            }
            if let Some(control) = stop {
                control.stop();
            }
        }
    }
}

impl Observer for Collector<'_> {
    fn looks_at_executions(&self) -> bool {
        let Plan { condition, keeps_executions, checks_robustness, leaks, .. } = &self.plan;
        let is_kept = self.plan.sink.is_some() || self.plan.is_replay;
        is_kept
            || condition.is_some()
            || *keeps_executions
            || *checks_robustness
            || leaks.overwriting.is_some()
    }

    fn execution(&mut self, ending: Ending, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        if let Some(sink) = self.plan.sink {
            let execution = || Canonical::of(graph, |thread| run.key(thread), self.plan.tracks_co);
            sink.execution(ending, &execution);
        }
        if self.plan.is_replay {
            lock(&self.found).replayed = Some(Witness::new(graph, run, self.plan.tracks_co));
        }
        if self.plan.keeps_executions {
            let canonical = Canonical::of(graph, |thread| run.key(thread), self.plan.tracks_co);
            let text = format!("execution {}\n{canonical}\n", ending.name());
            lock(&self.found).printed.push(&text);
        }
        // After `exit`, the system reclaims the memory.
        if ending == Ending::Complete && graph.has_ended(ThreadId::MAIN) && !run.has_called_exit() {
            self.look_for_leaks(graph, run);
        }
        if self.plan.checks_robustness && !is_sequentially_consistent(graph) {
            let mut found = lock(&self.found);
            found.n_weak += 1;
            found.weak.get_or_insert_with(|| Witness::new(graph, run, true));
        }
        if let Some(condition) = self.plan.condition
            && ending == Ending::Complete
        {
            let witness = || Witness::new(graph, run, self.plan.tracks_co);
            lock(&self.found).states.add(condition, graph, witness);
        }
    }

    fn violation(&mut self, report: Report, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        let mut places: Vec<_> = report.events.iter().map(|&slot| place_of(graph.event(slot), run)).collect();
        if places.is_empty() {
            places.push(run.place(report.thread));
        }
        let mut found = lock(&self.found);
        let is_known = |met: &&mut FoundViolation| met.is_at(&report.violation, &places);
        if let Some(known) = found.violations.iter_mut().find(is_known)
            && !is_measured(known.count, graph.len())
        {
            known.count += 1;
            return;
        }
        let witness = Witness::new(graph, run, self.plan.tracks_co).blaming(report.thread, &report.events);
        found.add(FoundViolation::new(report.violation, places, witness));
    }

    fn refused(&mut self, refusal: Refusal) {
        lock(&self.found).refusal = Some(refusal);
    }

    fn take_findings(&mut self) -> String {
        let found = std::mem::take(&mut *lock(&self.found));
        let mut recorded = lock(&self.recorded);
        let kept = KeptFindings::of(&found);
        recorded.merge(found);
        kept.to_string()
    }
}

/// Where an event is in the source.
fn place_of(event: &Event, run: &mut dyn Run) -> Place {
    run.place_at(event.id.thread(), event.before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_and_fewer_executions_are_measured() {
        let n_measured = |counts: std::ops::Range<u64>| counts.filter(|&count| is_measured(count, 1)).count();
        assert_eq!(n_measured(1..33), 32);
        assert_eq!(n_measured(33..65), 16);
        assert_eq!(n_measured(65_537..131_073), 16);
        assert!(!is_measured(MEASURED_FIRST, MOST_MEASURED as usize));
    }
}
