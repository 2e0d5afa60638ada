//! One check of any [`Program`]: explores it, collects violations, checks them again, and summarises.
//!
//! [`Check::explore`] searches with a [`Collector`] per worker, [`Check::found`] merges what they have found, and
//! [`Check::summarise`] checks it again ([`findings`]) and settles the verdict. The caller loads the program, enforces
//! limits and renders the [`Summary`]; this crate reads no files and prints nothing.

pub mod auto;
mod collect;
mod findings;
mod kept;
mod long_text;
pub mod robustness;
mod smaller;
mod states;
mod survey;

pub use collect::{Collector, Finds, Found, Sink};
pub use findings::Effort;
pub use kept::KeptFindings;
pub use states::{Condition, Coverage, FinalState, FinalStates, Judgement};
pub use survey::{SurveyProgress, estimate, survey};

use atropos_event::{Mapping, MixedCell, Program, Refusal, RefusalReason, Run, Violation};
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelChoice, ModelName};
use atropos_explore::rvf::Heuristics;
use atropos_explore::unfreed::Overwriting;
use atropos_explore::{Config, Control, Ledger, Reduction, SearchResult, Workers};
use atropos_graph::Canonical;
use atropos_report::{Finding, Limit, Summary, Verdict, Witness};
use collect::{Leaks, Plan};
use findings::Investigator;

/// How to check a program.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    pub method: Method<'a>,
    pub config: Config,
    pub jobs: usize,
    /// Whether to look for executions that are not sequentially consistent.
    pub checks_robustness: bool,
    /// Whether leaks are violations; otherwise they are warnings.
    pub forbids_leaks: bool,
    /// Whether accesses of several sizes that the method approximates make the verdict inconclusive.
    pub needs_exact_sizes: bool,
    /// Whether to keep the text of all executions.
    pub keeps_executions: bool,
}

impl Settings<'_> {
    /// One worker, and the defaults for everything that is not named here. Races count where the model has them.
    pub fn new(algorithm: Algorithm, model: ModelName, equivalence: Equivalence) -> Settings<'static> {
        let method = Method {
            algorithm,
            model: ModelChoice::Builtin(model),
            mapping: Mapping::Compiled,
            release_sequences: Default::default(),
            equivalence,
            heuristics: Heuristics::default(),
        };
        Settings {
            method,
            config: Config { detect_races: model.is_language(), ..Config::default() },
            jobs: 1,
            checks_robustness: false,
            forbids_leaks: false,
            needs_exact_sizes: true,
            keeps_executions: false,
        }
    }
}

/// A program to check.
pub struct Check<'a> {
    pub program: &'a dyn Program,
    /// The condition of a litmus test on its final states.
    pub condition: Option<&'a dyn Condition>,
    pub settings: Settings<'a>,
    /// The execution to replay, instead of exploring all.
    pub replay: Option<&'a Canonical>,
    pub sink: Option<&'a dyn Sink>,
    /// Where the search keeps what it has done, if another process may continue it.
    pub ledger: Option<&'a dyn Ledger>,
}

impl<'a> Check<'a> {
    /// Explores all executions. [`Check::found`] takes what the result's observers have found out of `finds`. Findings
    /// of observers that no longer exist count as those of a search that has started over.
    pub fn explore(&self, control: &'a Control, finds: &Finds) -> SearchResult<Collector<'a>> {
        let Settings { method, config, .. } = self.settings;
        let observer = || finds.collector(self.plan(control));
        self.inherit(control, finds);
        match self.replay {
            Some(execution) => method.follow(execution, self.program, config, control, observer),
            None => method.explore(self.program, config, control, self.workers(), observer),
        }
    }

    /// The same with explorers that are compiled for the program's runs, which `start` starts.
    pub fn explore_as<R: Run>(
        &self,
        start: &(dyn Fn() -> R + Sync),
        control: &'a Control,
        finds: &Finds,
    ) -> SearchResult<Collector<'a>> {
        let Settings { method, config, .. } = self.settings;
        let observer = || finds.collector(self.plan(control));
        self.inherit(control, finds);
        match self.replay {
            Some(execution) => method.follow(execution, self.program, config, control, observer),
            None => method.explore_as((self.program, start), config, control, self.workers(), observer),
        }
    }

    /// Takes what an earlier process has found. Stops the search if that is not about this program.
    fn inherit(&self, control: &Control, finds: &Finds) {
        let Some(ledger) = self.ledger else { return };
        let resumed = ledger.resume();
        let found = resumed.teach(self.program).and_then(|()| self.recall(&resumed.findings));
        finds.inherit(found.unwrap_or_else(|| {
            control.stop();
            Found { refusal: Some(RefusalReason::OtherSearch.into()), ..Found::default() }
        }));
    }

    fn workers(&self) -> Workers<'a> {
        Workers { jobs: self.settings.jobs, ledger: self.ledger }
    }

    fn plan(&self, control: &'a Control) -> Plan<'a> {
        Plan {
            condition: self.condition,
            tracks_co: self.settings.method.equivalence != Equivalence::Rf,
            keeps_executions: self.settings.keeps_executions,
            sink: self.sink,
            is_replay: self.replay.is_some(),
            checks_robustness: self.settings.checks_robustness,
            leaks: self.leaks(control),
        }
    }

    /// If coherence is not tracked and orders are not read as written, only program order decides what is overwritten.
    fn leaks(&self, control: &'a Control) -> Leaks<'a> {
        let Settings { method, config, forbids_leaks, .. } = self.settings;
        let overwriting = match (method.equivalence, method.mapping) {
            _ if !self.program.has_heap() => None,
            (Equivalence::Values, _) => None,
            (Equivalence::Co, _) => Some(Overwriting::Coherence),
            (Equivalence::Rf, Mapping::Raw) => Some(Overwriting::ProgramOrder),
            (Equivalence::Rf, Mapping::Compiled) => Some(Overwriting::HappensBefore),
        };
        let stops = forbids_leaks && !config.keep_going;
        Leaks { program: self.program, overwriting, stop: stops.then_some(control) }
    }

    /// Takes all findings. A search that `is_stopped` may have missed what it found before it started over, so that is
    /// included.
    pub fn found(&self, finds: &Finds, is_stopped: bool) -> Found {
        let mut found = finds.take(is_stopped);
        if self.settings.forbids_leaks {
            found.violations.append(&mut found.leaks);
        }
        found
    }

    /// What a search has found in a part that did not come to its end: why the program cannot be checked, if so, and
    /// the rest as text for another process.
    pub fn unfinished(&self, finds: &Finds) -> (Option<Refusal>, KeptFindings) {
        let found = finds.take_unrecorded();
        let kept = KeptFindings::of(&found);
        (found.refusal, kept)
    }

    /// The limit on executions, if it has ended the search after `executions`.
    pub fn execution_limit(&self, found: &Found, executions: u64) -> Option<Limit> {
        let config = self.settings.config;
        let most = config.max_executions?;
        let was_stopped_by_violation = !found.violations.is_empty() && !config.keep_going;
        (executions >= most && !was_stopped_by_violation).then_some(Limit::Executions(most))
    }

    /// Whether a search has answered all that is asked: it has come to its end, or to the violation that ends it.
    pub fn is_answered(&self, found: &Found, control: &Control) -> bool {
        let is_enough = !found.violations.is_empty() && !self.settings.config.keep_going;
        found.refusal.is_none() && (is_enough || !control.is_stopped())
    }

    /// The words that were treated as one location, which may have hidden executions.
    pub fn mixed_cells(&self) -> Vec<MixedCell> {
        let cells = self.program.mixed_cells().into_iter();
        cells.filter(|cell| !self.settings.method.mixes_exactly(cell.mixing)).collect()
    }

    /// Checks a replayed execution again. Unlike one that a search finds, it may be wrong.
    ///
    /// # Errors
    /// How the program or the model differ from the execution.
    pub fn check_replay(&self, found: &Found, is_late: &dyn Fn() -> bool) -> Result<(), String> {
        let investigator = Investigator { check: self, is_late, effort: Effort::Thorough };
        let violations = found.violations.iter().filter(|_| self.replay.is_some());
        let mut witnesses = violations.map(|met| &met.witness).chain(&found.replayed);
        witnesses.try_for_each(|witness| investigator.replayed(witness).map(|_| ()))
    }

    /// Checks an execution independently, as every violation is checked before it is shown. It need not come from a
    /// search.
    ///
    /// # Errors
    /// The program does not have it, the model forbids it, or `violation` is not what goes wrong.
    pub fn investigate(
        &self,
        witness: &Witness,
        violation: &Violation,
        is_late: &dyn Fn() -> bool,
    ) -> Result<Finding, String> {
        let investigator = Investigator { check: self, is_late, effort: Effort::Thorough };
        investigator.investigate(witness, violation)
    }

    /// Fills in the summary. A search that has ended by itself is complete unless `limit` says otherwise. With
    /// [`Effort::Thorough`], checks every finding again until `is_late` holds.
    pub fn summarise(
        &self,
        summary: &mut Summary,
        found: &Found,
        limit: Option<Limit>,
        effort: Effort,
        is_late: &dyn Fn() -> bool,
    ) {
        let Settings { config, needs_exact_sizes, .. } = self.settings;
        let investigator = Investigator { check: self, is_late, effort };
        summary.coverage.bounded = self.program.was_cut();
        summary.coverage.bounded_loops = self.program.bounded_loops();
        summary.coverage.longest_loop = self.program.longest_loop();
        summary.coverage.cells = self.mixed_cells();
        let applied = [
            (Reduction::Symmetry, summary.stats.mirrored > 0),
            (Reduction::Rmws, summary.stats.counted > 0),
            (Reduction::Barriers, summary.stats.gathered > 0),
            (Reduction::Locks, summary.stats.parted > 0),
            (Reduction::Await, self.program.was_cut_at_retry()),
        ];
        let applied = applied.into_iter().filter(|(_, has_left_out)| *has_left_out);
        summary.coverage.reductions = applied.map(|(reduction, _)| reduction.name()).collect();
        summary.findings = investigator.findings(found);
        summary.warnings = found.leaks.iter().map(|met| investigator.finding(met)).collect();
        summary.n_omitted = if config.keep_going { found.n_omitted } else { 0 };
        let was_stopped = limit.is_some()
            || found.refusal.is_some()
            || self.replay.is_some()
            || (!summary.findings.is_empty() && !config.keep_going);
        summary.coverage.is_complete = !was_stopped;
        if let Some(condition) = self.condition {
            let coverage = if was_stopped { Coverage::Partial } else { Coverage::Full };
            let (result, broken) = condition.judge(&found.states.counts, coverage);
            summary.litmus = Some(result);
            if let Some((flaw, location)) = broken {
                summary.findings.push(investigator.broken_condition(condition, &flaw, location, found));
            }
        }
        if let Some(witness) = &found.weak {
            summary.findings.push(investigator.weak_execution(
                summary.setup.model.clone(),
                witness,
                found.n_weak,
            ));
        }
        if let Some(witness) = found.replayed.as_ref().filter(|_| summary.findings.is_empty()) {
            summary.replayed = investigator.replayed(witness).ok();
        }
        summary.verdict = match limit {
            _ if !summary.findings.is_empty() => Verdict::Violation,
            Some(limit) => Verdict::Inconclusive(limit),
            None if !summary.coverage.cells.is_empty() && needs_exact_sizes => {
                Verdict::Inconclusive(Limit::MixedSizes)
            }
            None => Verdict::Verified,
        };
    }
}
