//! The violations that a search finds, and those that the report shows.

use crate::Builder;
use atropos_event::{Mapping, Refusal, Violation};
use atropos_explore::{Ending, Execution, Observer, Report};
use atropos_graph::Canonical;
use atropos_native::Native;
use atropos_report::{Context, Finding, Specification, Witness, investigate};

/// A violation and one execution that has it.
#[derive(Debug)]
pub(crate) struct Sighting {
    pub violation: Violation,
    witness: Witness,
    /// The number of executions that have it.
    count: u64,
}

/// What the workers of a search have found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub sightings: Vec<Sighting>,
    pub refusal: Option<Refusal>,
    /// All executions, if they are kept.
    pub graphs: Vec<Canonical>,
}

impl Found {
    pub fn merge(&mut self, other: Found) {
        other.sightings.into_iter().for_each(|sighting| self.add(sighting));
        self.refusal = self.refusal.take().or(other.refusal);
        self.graphs.extend(other.graphs);
    }

    fn add(&mut self, sighting: Sighting) {
        match self.sightings.iter_mut().find(|known| known.violation == sighting.violation) {
            Some(known) => known.count += sighting.count,
            None => self.sightings.push(sighting),
        }
    }
}

/// The observer of one worker.
#[derive(Debug)]
pub(crate) struct Collector {
    pub found: Found,
    tracks_co: bool,
    keeps_graphs: bool,
}

impl Collector {
    pub fn new(tracks_co: bool, keeps_graphs: bool) -> Collector {
        Collector { found: Found::default(), tracks_co, keeps_graphs }
    }
}

impl Observer for Collector {
    fn looks_at_executions(&self) -> bool {
        self.keeps_graphs
    }

    fn execution(&mut self, _ending: Ending, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        if self.keeps_graphs {
            self.found.graphs.push(Canonical::of(graph, |thread| run.key(thread), self.tracks_co));
        }
    }

    fn violation(&mut self, report: Report, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        let witness = Witness::new(graph, run, self.tracks_co).blaming(report.thread, &report.events);
        self.found.add(Sighting { violation: report.violation, witness, count: 1 });
    }

    fn refused(&mut self, refusal: Refusal) {
        self.found.refusal = Some(refusal);
    }
}

/// Checks the violations again.
pub(crate) struct Investigator<'a> {
    pub settings: &'a Builder,
    pub program: &'a Native<'a>,
}

impl Investigator<'_> {
    /// The violations to show: only the one with the smallest execution, unless the search continues after violations.
    pub fn findings(&self, found: &Found) -> Vec<Finding> {
        let mut sightings: Vec<&Sighting> = found.sightings.iter().collect();
        if !self.settings.keep_going {
            sightings.sort_by_key(|sighting| sighting.witness.graph.len());
            sightings.truncate(1);
        }
        sightings.into_iter().map(|sighting| self.finding(sighting)).collect()
    }

    fn finding(&self, sighting: &Sighting) -> Finding {
        let Sighting { violation, witness, count } = sighting;
        let name = self.settings.model.name();
        let model = atropos_cat::Model::builtin(name).expect("the model is built in");
        let context = Context {
            specification: Specification { model: &model, mapping: Mapping::Compiled },
            is_late: &|| false,
        };
        match investigate(self.program, witness, violation, context) {
            Ok(finding) => Finding { count: *count, ..finding },
            Err(difference) => {
                panic!("the search found {violation:?}, but its independent check disagrees: {difference}")
            }
        }
    }
}
