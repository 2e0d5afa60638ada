//! Searches of small programs, as a whole and in parts.

use atropos_event::{Mapping, Refusal, RefusalReason, Stats};
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelChoice, ModelName};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{
    Budget, Config, Control, Ending, Execution, Observer, Record, Report, Resumed, Workers,
};
use atropos_graph::Canonical;
use atropos_model::ReleaseSequences;
use atropos_spread::Fold;
use atropos_spread::cluster::{Parts, TaskOutcome};
use atropos_testkit::{Ast, Rng, lower, lower_meetings};
use atropos_vm::Vm;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// Collects executions, by a hash of their text. As findings they look like the final states of a litmus test.
#[derive(Default)]
pub struct Collect {
    pub has_co: bool,
    pub executions: BTreeMap<i64, u64>,
    pub n_violations: usize,
    pub refusal: Option<RefusalReason>,
}

impl Observer for Collect {
    fn execution(&mut self, ending: Ending, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        let canonical = Canonical::of(graph, |thread| run.key(thread), self.has_co);
        let mut hasher = DefaultHasher::new();
        (ending, canonical.to_string()).hash(&mut hasher);
        *self.executions.entry(hasher.finish() as i64).or_default() += 1;
    }

    fn violation(&mut self, _: Report, _: Execution<'_>) {
        self.n_violations += 1;
    }

    fn take_findings(&mut self) -> String {
        findings(&std::mem::take(&mut self.executions))
    }

    fn refused(&mut self, refusal: Refusal) {
        self.refusal = Some(refusal.reason);
    }
}

pub fn findings(executions: &BTreeMap<i64, u64>) -> String {
    let states: Vec<String> =
        executions.iter().map(|(state, count)| format!("[[{state}],{count}]")).collect();
    if states.is_empty() { String::new() } else { format!("{{\"states\":[{}]}}", states.join(",")) }
}

/// The program, which has a barrier if the search looks for one.
fn machine(ast: &Ast, config: Config) -> Vm {
    let module = if config.barriers { lower_meetings(ast).0 } else { lower(ast) };
    Vm::new(module, atropos_vm::Config::default()).expect("a tiny program lowers")
}

pub struct Subject<'a> {
    pub ast: &'a Ast,
    pub method: Method<'static>,
    pub config: Config,
}

impl Subject<'_> {
    fn has_co(&self) -> bool {
        self.method.equivalence != Equivalence::Rf
    }

    pub fn explore(&self, workers: Workers<'_>) -> (Stats, Collect) {
        self.explore_under(&Control::default(), workers)
    }

    pub fn explore_under(&self, control: &Control, workers: Workers<'_>) -> (Stats, Collect) {
        let observer = || Collect { has_co: self.has_co(), ..Collect::default() };
        let program = machine(self.ast, self.config);
        if let Some(ledger) = workers.ledger {
            ledger.resume().teach(&program).expect("lessons of this program");
        }
        let mut search = self.method.explore(&program, self.config, control, workers, observer);
        (search.stats, search.observers.remove(0))
    }

    /// Explores a part of the search in a process of its own.
    pub fn explore_part(&self, lessons: &str, part: &str, budget: Budget) -> Result<Record, String> {
        let (result, refusal) = self.try_part(lessons, part, budget);
        assert_eq!(refusal, None, "{part} of\n{}", self.ast);
        result.expect("a record or lessons")
    }

    /// The same for anything that looks like a part; also returns why it cannot be explored.
    pub fn try_part(
        &self,
        lessons: &str,
        part: &str,
        budget: Budget,
    ) -> (Option<Result<Record, String>>, Option<RefusalReason>) {
        let (outcome, refusal) = self.try_ledger(Parts::new(lessons, part, budget));
        let result = outcome.map(|outcome| match outcome {
            TaskOutcome::Recorded(record) => Ok(record),
            TaskOutcome::Learned(lessons) => Err(lessons),
            other => unreachable!("{other:?} is for others to say"),
        });
        (result, refusal)
    }

    /// The same with a ledger for the part.
    pub fn try_ledger(&self, ledger: Parts<'_>) -> (Option<TaskOutcome>, Option<RefusalReason>) {
        let refusal = self.refusal(&ledger, &Control::default());
        (ledger.into_outcome(), refusal)
    }

    /// Explores the part of a ledger. Returns why it cannot be explored.
    pub fn refusal(&self, ledger: &Parts<'_>, control: &Control) -> Option<RefusalReason> {
        let program = machine(self.ast, self.config);
        ledger.resumed().teach(&program).expect("lessons of this program");
        let observer = || Collect { has_co: self.has_co(), ..Collect::default() };
        let workers = Workers { jobs: 1, ledger: Some(ledger) };
        let search = self.method.explore(&program, self.config, control, workers, observer);
        search.observers.first().and_then(|observer| observer.refusal.clone())
    }
}

pub fn method_of(algorithm: Algorithm, model: ModelName, equivalence: Equivalence) -> Method<'static> {
    Method {
        algorithm,
        model: ModelChoice::Builtin(model),
        mapping: Mapping::Compiled,
        release_sequences: ReleaseSequences::default(),
        equivalence,
        heuristics: Heuristics::default(),
    }
}

/// A program whose search is small enough, with its executions and the number of those that are complete and blocked.
pub struct Known<'a> {
    pub subject: Subject<'a>,
    executions: BTreeMap<i64, u64>,
    stats: Stats,
}

impl<'a> Known<'a> {
    /// `None` if the program is too large or cannot be checked.
    pub fn new(ast: &'a Ast, case: Case) -> Option<Known<'a>> {
        Known::configured(ast, case, Config::default())
    }

    /// The same for a program whose threads meet at a barrier.
    pub fn meeting(ast: &'a Ast, case: Case) -> Option<Known<'a>> {
        Known::configured(ast, case, Config { barriers: true, ..Config::default() })
    }

    fn configured(ast: &'a Ast, (algorithm, model, equivalence): Case, config: Config) -> Option<Known<'a>> {
        const MOST: u64 = 200;
        let method = method_of(algorithm, model, equivalence);
        let is_machine = matches!(model, ModelName::Sc | ModelName::Tso | ModelName::Pso);
        let config = Config { keep_going: true, detect_races: !is_machine, symmetry: true, ..config };
        let limited = Subject { ast, method, config: Config { max_executions: Some(MOST), ..config } };
        let (stats, Collect { executions, refusal, .. }) = limited.explore(1.into());
        if stats.executions + stats.blocked >= MOST || refusal.is_some() {
            return None;
        }
        Some(Known { subject: Subject { config, ..limited }, executions, stats })
    }

    /// Demands that a search in parts has found the same.
    pub fn compare(&self, found: &Resumed) {
        let Method { algorithm, model, equivalence, .. } = self.subject.method;
        let names = [algorithm.name(), equivalence.name()];
        let context = || format!("{names:?} under {model:?} of\n{}", self.subject.ast);
        let all = Record { findings: findings(&self.executions), ..Record::default() };
        let mut whole = Fold::default();
        whole.add(all).expect("a record");
        assert_eq!(found.findings, whole.resumed().findings, "{}", context());
        let counted = (found.stats.executions, found.stats.blocked);
        assert_eq!(counted, (self.stats.executions, self.stats.blocked), "{}", context());
    }
}

/// An algorithm, a model and an equivalence.
pub type Case = (Algorithm, ModelName, Equivalence);

const TRUST: [Case; 6] = [
    (Algorithm::Trust, ModelName::Sc, Equivalence::Rf),
    (Algorithm::Trust, ModelName::Tso, Equivalence::Co),
    (Algorithm::Trust, ModelName::Pso, Equivalence::Rf),
    (Algorithm::Trust, ModelName::Ra, Equivalence::Rf),
    (Algorithm::Trust, ModelName::Rc11, Equivalence::Rf),
    (Algorithm::Trust, ModelName::Rc11, Equivalence::Co),
];

const TRACER: Case = (Algorithm::Tracer, ModelName::Ra, Equivalence::Rf);

/// What to search with: for every program TruSt in one of its ways, and for most of them also Tracer.
pub fn cases(seed: u64) -> impl Iterator<Item = Case> {
    let trust = TRUST[Rng::new(seed).below(TRUST.len())];
    [trust].into_iter().chain((seed % 4 != 3).then_some(TRACER))
}

/// A budget that small programs exceed.
pub fn small_budget(rng: &mut Rng) -> Budget {
    Budget {
        time: Duration::from_secs(3600),
        executions: 1 + rng.below(4) as u64,
        n_shed: rng.below(4),
        is_elsewhere: true,
    }
}
