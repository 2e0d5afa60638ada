//! What one worker sees of a search.

use crate::litmus::Outlook;
use atropos_event::{Label, Place, Run, ThreadId, Violation, ViolationKind};
use atropos_explore::unfreed::{self, Overwriting};
use atropos_explore::{Control, Ending, Execution, Observer, Report};
use atropos_graph::{Canonical, Event, Graph};
use atropos_model::robustness::is_sequentially_consistent;
use atropos_report::Witness;
use atropos_vm::Vm;

/// How many different violations are kept; more are counted only.
const MOST_VIOLATIONS: usize = 20;

/// What is collected, for all workers.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The litmus test, whose final states are of interest.
    pub outlook: Option<&'a Outlook<'a>>,
    pub tracks_co: bool,
    pub prints_executions: bool,
    pub checks_robustness: bool,
    pub leaks: Leaks<'a>,
}

/// How memory that is never freed is looked for.
#[derive(Clone, Copy)]
pub struct Leaks<'a> {
    pub program: &'a Vm,
    /// Absent where leaks are of no interest.
    pub overwriting: Option<Overwriting>,
    /// Stops the search at the first one, if it is to be stopped then.
    pub stop: Option<&'a Control>,
}

/// A violation, the first execution that showed it, and how many did.
#[derive(Debug)]
pub struct Met {
    pub violation: Violation,
    /// Where the guilty events or the failing thread stand: equal violations are shown once.
    pub places: Vec<Place>,
    pub witness: Witness,
    pub count: u64,
}

pub struct Collector<'a> {
    plan: Plan<'a>,
    pub found: Found,
}

/// What workers bring together.
#[derive(Default)]
pub struct Found {
    pub violations: Vec<Met>,
    pub leaks: Vec<Met>,
    /// Violations beyond the most that are kept.
    pub n_omitted: u64,
    /// Why the program cannot be checked.
    pub refusal: Option<String>,
    pub states: crate::litmus::States,
    /// An execution that is not sequentially consistent, if they are looked for, and how many there are.
    pub weak: Option<Witness>,
    pub n_weak: u64,
    /// All executions in canonical text, if they are to be printed. They are kept to the end because a search
    /// may start over, and then nothing of the first attempt counts.
    pub printed: String,
}

impl<'a> Collector<'a> {
    pub fn new(plan: Plan<'a>) -> Self {
        Collector { plan, found: Found::default() }
    }
}

impl Found {
    pub fn merge(&mut self, other: Found) {
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
        self.printed += &other.printed;
    }

    fn add(&mut self, met: Met) {
        let is_same = |known: &Met| known.violation.kind == met.violation.kind && known.places == met.places;
        match self.violations.iter().position(is_same) {
            Some(index) => self.violations[index].count += met.count,
            None if self.violations.len() < MOST_VIOLATIONS => self.violations.push(met),
            None => self.n_omitted += met.count,
        }
    }
}

impl Collector<'_> {
    /// Looks for memory that is never freed. Each place that allocates such memory is kept with one execution.
    fn look_for_leaks<R: Run>(&mut self, graph: &Graph, run: &mut R) {
        let Leaks { program, overwriting: Some(overwriting), stop } = self.plan.leaks else { return };
        for slot in unfreed::leaked(graph, overwriting, |addr| program.is_global(addr)) {
            let event = graph.event(slot);
            let Label::Alloc { size, .. } = event.label else { unreachable!("what is leaked was allocated") };
            let places = vec![place_of(event, run)];
            match self.found.leaks.iter().position(|known| known.places == places) {
                Some(known) => self.found.leaks[known].count += 1,
                None if self.found.leaks.len() < MOST_VIOLATIONS => {
                    let bytes = if size == 1 { "byte is" } else { "bytes are" };
                    let message = format!("{size} {bytes} allocated here and never freed");
                    let violation = Violation { kind: ViolationKind::Leak, message };
                    let witness = Witness::new(graph, run, self.plan.tracks_co);
                    let witness = witness.blaming(event.id.thread(), &[slot]);
                    self.found.leaks.push(Met { violation, places, witness, count: 1 });
                }
                None => {}
            }
            if let Some(control) = stop {
                control.stop();
            }
        }
    }
}

impl<R: Run> Observer<R> for Collector<'_> {
    fn looks_at_executions(&self) -> bool {
        let Plan { outlook, prints_executions, checks_robustness, leaks, .. } = self.plan;
        outlook.is_some() || prints_executions || checks_robustness || leaks.overwriting.is_some()
    }

    fn execution(&mut self, ending: Ending, execution: Execution<'_, R>) {
        let Execution { graph, run } = execution;
        if self.plan.prints_executions {
            let canonical = Canonical::of(graph, |thread| run.key(thread), self.plan.tracks_co);
            let ending = match ending {
                Ending::Complete => "complete",
                Ending::Blocked => "blocked",
            };
            self.found.printed += &format!("execution {ending}\n{canonical}\n");
        }
        // Whoever calls `exit` leaves the rest to the system.
        if ending == Ending::Complete && graph.has_ended(ThreadId::MAIN) && !run.has_called_exit() {
            self.look_for_leaks(graph, run);
        }
        if self.plan.checks_robustness && !is_sequentially_consistent(graph) {
            self.found.n_weak += 1;
            self.found.weak.get_or_insert_with(|| Witness::new(graph, run, true));
        }
        if let Some(outlook) = self.plan.outlook
            && ending == Ending::Complete
        {
            let witness = || Witness::new(graph, run, self.plan.tracks_co);
            self.found.states.note(outlook, |event| graph.event(graph.slot_of(event)).value, witness);
        }
    }

    fn violation(&mut self, report: Report, execution: Execution<'_, R>) {
        let Execution { graph, run } = execution;
        let mut places: Vec<_> = report.events.iter().map(|&slot| place_of(graph.event(slot), run)).collect();
        if places.is_empty() {
            places.push(run.place(report.thread));
        }
        let witness = Witness::new(graph, run, self.plan.tracks_co).blaming(report.thread, &report.events);
        self.found.add(Met { violation: report.violation, places, witness, count: 1 });
    }

    fn refused(&mut self, reason: String, _execution: Execution<'_, R>) {
        self.found.refusal = Some(reason);
    }
}

/// Where an event stands in the source. A run tells the place of a pending step only, so its thread goes back
/// to before the event, and returns.
fn place_of(event: &Event, run: &mut impl Run) -> Place {
    let thread = event.id.thread();
    let now = run.position(thread);
    run.rewind(thread, event.before);
    let place = run.place(thread);
    run.rewind(thread, now);
    place
}
