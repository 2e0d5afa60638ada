//! What one worker sees of a search.

use crate::litmus::Outlook;
use atropos_event::{Place, Run, Violation};
use atropos_explore::{Ending, Execution, Observer, Report};
use atropos_graph::{Canonical, Event};
use atropos_model::robustness::is_sequentially_consistent;
use atropos_report::Witness;

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
        self.n_omitted += other.n_omitted;
        self.refusal = self.refusal.take().or(other.refusal);
        self.states.merge(other.states);
        self.weak = self.weak.take().or(other.weak);
        self.n_weak += other.n_weak;
        self.printed += &other.printed;
    }

    fn add(&mut self, met: Met) {
        let is_same = |known: &Met| known.violation == met.violation && known.places == met.places;
        match self.violations.iter().position(is_same) {
            Some(index) => self.violations[index].count += met.count,
            None if self.violations.len() < MOST_VIOLATIONS => self.violations.push(met),
            None => self.n_omitted += met.count,
        }
    }
}

impl<R: Run> Observer<R> for Collector<'_> {
    fn looks_at_executions(&self) -> bool {
        let Plan { outlook, prints_executions, checks_robustness, .. } = self.plan;
        outlook.is_some() || prints_executions || checks_robustness
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
