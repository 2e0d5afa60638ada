//! Searches in parts that are sent around as text: whatever is explored where, how often and in which order, the
//! records add up to the sequential search.

use atropos_differential::machine;
use atropos_event::{Mapping, Refusal, RefusalReason, Stats};
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelChoice, ModelName};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{
    Budget, Config, Control, Ending, Execution, Ledger, Observer, Record, Report, Resumed, Workers,
};
use atropos_graph::Canonical;
use atropos_model::ReleaseSequences;
use atropos_spread::Fold;
use atropos_testkit::{Ast, ProgramShape, Rng, Style, generate};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::time::Duration;

/// Collects executions, by a hash of their text. As findings they look like the final states of a litmus test.
#[derive(Default)]
struct Collect {
    has_co: bool,
    executions: BTreeMap<i64, u64>,
    refusal: Option<RefusalReason>,
}

impl Observer for Collect {
    fn execution(&mut self, ending: Ending, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        let canonical = Canonical::of(graph, |thread| run.key(thread), self.has_co);
        let mut hasher = DefaultHasher::new();
        (ending, canonical.to_string()).hash(&mut hasher);
        *self.executions.entry(hasher.finish() as i64).or_default() += 1;
    }

    fn violation(&mut self, _: Report, _: Execution<'_>) {}

    fn take_findings(&mut self) -> String {
        findings(&std::mem::take(&mut self.executions))
    }

    fn refused(&mut self, refusal: Refusal) {
        self.refusal = Some(refusal.reason);
    }
}

fn findings(executions: &BTreeMap<i64, u64>) -> String {
    let states: Vec<String> =
        executions.iter().map(|(state, count)| format!("[[{state}],{count}]")).collect();
    if states.is_empty() { String::new() } else { format!("{{\"states\":[{}]}}", states.join(",")) }
}

/// One part of a search, explored by itself.
struct OnePart {
    resumed: Resumed,
    budget: Budget,
    /// The record, or the lessons with which the search has to start over.
    result: Mutex<Option<Result<Record, String>>>,
}

impl Ledger for OnePart {
    fn budget(&self) -> Budget {
        self.budget
    }

    fn resume(&self) -> Resumed {
        self.resumed.clone()
    }

    fn start_over(&self, lessons: &str) {
        *self.result.lock().unwrap() = Some(Err(lessons.to_string()));
    }

    fn record(&self, record: Record) {
        *self.result.lock().unwrap() = Some(Ok(record));
    }
}

/// How often parts were explored, and how often the search has started over.
#[derive(Clone, Copy, Default, Debug)]
struct Effort {
    n_parts: usize,
    n_starts: usize,
}

struct Subject<'a> {
    ast: &'a Ast,
    method: Method<'static>,
    config: Config,
}

impl Subject<'_> {
    fn has_co(&self) -> bool {
        self.method.equivalence != Equivalence::Rf
    }

    fn explore(&self, workers: Workers<'_>) -> (Stats, Collect) {
        let observer = || Collect { has_co: self.has_co(), ..Collect::default() };
        let program = machine(self.ast);
        let mut search = self.method.explore(&program, self.config, &Control::default(), workers, observer);
        (search.stats, search.observers.remove(0))
    }

    /// Explores a part of the search in a process of its own.
    fn explore_part(&self, lessons: &str, part: &str, budget: Budget) -> Result<Record, String> {
        let (result, refusal) = self.try_part(lessons, part, budget);
        assert_eq!(refusal, None, "{part} of\n{}", self.ast);
        result.expect("a record or lessons")
    }

    /// The same for anything that looks like a part; also returns why it cannot be explored.
    fn try_part(
        &self,
        lessons: &str,
        part: &str,
        budget: Budget,
    ) -> (Option<Result<Record, String>>, Option<RefusalReason>) {
        let parts = vec![part.to_string()];
        let (findings, notes) = (String::new(), String::new());
        let resumed =
            Resumed { lessons: lessons.to_string(), parts, stats: Stats::default(), findings, notes };
        let ledger = OnePart { resumed, budget, result: Mutex::default() };
        let program = machine(self.ast);
        ledger.resumed.teach(&program).expect("lessons of this program");
        let observer = || Collect { has_co: self.has_co(), ..Collect::default() };
        let workers = Workers { jobs: 1, ledger: Some(&ledger) };
        let search = self.method.explore(&program, self.config, &Control::default(), workers, observer);
        let refusal = search.observers.first().and_then(|observer| observer.refusal.clone());
        drop(search);
        (ledger.result.into_inner().unwrap(), refusal)
    }

    /// Explores everything in parts, each up to three times, and adds up the records in any order.
    fn explore_in_parts(&self, rng: &mut Rng) -> (Fold, Effort) {
        let (mut fold, mut lessons) = (Fold::default(), String::new());
        let mut late: Vec<Record> = Vec::new();
        let mut effort = Effort::default();
        while !fold.is_done() {
            let mut known = fold.resumed().parts;
            // A worker may start on a part before the record that names it is there.
            known.extend(late.iter().flat_map(|record| record.rest.iter().cloned()));
            let part = known[rng.below(known.len())].clone();
            for _ in 0..=rng.below(3) {
                let budget = Budget {
                    time: Duration::from_secs(3600),
                    executions: 1 + rng.below(4) as u64,
                    n_shed: rng.below(4),
                    is_elsewhere: true,
                };
                effort.n_parts += 1;
                match self.explore_part(&lessons, &part, budget) {
                    Ok(record) => late.push(record),
                    Err(more) => {
                        (fold, lessons) = (Fold::new(more.clone()), more);
                        late.clear();
                        effort.n_starts += 1;
                        break;
                    }
                }
            }
            while !late.is_empty() && (late.len() > 4 || rng.below(2) == 0) {
                let record = late.swap_remove(rng.below(late.len()));
                fold.add(record).expect("a record");
            }
        }
        (fold, effort)
    }
}

fn method_of(model: ModelName, equivalence: Equivalence) -> Method<'static> {
    Method {
        algorithm: Algorithm::Trust,
        model: ModelChoice::Builtin(model),
        mapping: Mapping::Compiled,
        release_sequences: ReleaseSequences::default(),
        equivalence,
        heuristics: Heuristics::default(),
    }
}

/// Compares the search in parts with the sequential one. Returns the effort, or `None` if the program is too
/// large or cannot be checked.
fn check(ast: &Ast, model: ModelName, equivalence: Equivalence, rng: &mut Rng) -> Option<Effort> {
    const MOST: u64 = 200;
    let method = method_of(model, equivalence);
    let is_machine = matches!(model, ModelName::Sc | ModelName::Tso | ModelName::Pso);
    let config = Config { keep_going: true, detect_races: !is_machine, ..Config::default() };
    let limited = Subject { ast, method, config: Config { max_executions: Some(MOST), ..config } };
    let (stats, expected) = limited.explore(1.into());
    if stats.executions + stats.blocked >= MOST || expected.refusal.is_some() {
        return None;
    }
    let subject = Subject { config, ..limited };
    let (fold, effort) = subject.explore_in_parts(rng);
    let context = || format!("{model:?} up to {} of\n{ast}", equivalence.name());
    let all = Record { findings: findings(&expected.executions), ..Record::default() };
    let mut whole = Fold::default();
    whole.add(all).expect("a record");
    assert_eq!(fold.resumed().findings, whole.resumed().findings, "{}", context());
    let counted = (fold.stats().executions, fold.stats().blocked);
    assert_eq!(counted, (stats.executions, stats.blocked), "{}", context());
    Some(effort)
}

#[test]
fn records_of_parts_add_up_to_the_search() {
    let cases = [
        (ModelName::Sc, Equivalence::Rf),
        (ModelName::Tso, Equivalence::Co),
        (ModelName::Pso, Equivalence::Rf),
        (ModelName::Ra, Equivalence::Rf),
        (ModelName::Rc11, Equivalence::Rf),
        (ModelName::Rc11, Equivalence::Co),
    ];
    let (mut n_programs, mut all) = (0, Effort::default());
    for style in Style::ALL {
        for seed in 0..120 {
            let shape = ProgramShape { has_asserts: true, max_instructions: 9, ..ProgramShape::of(style) };
            let ast = generate(seed, &shape);
            let mut rng = Rng::new(seed);
            let (model, equivalence) = cases[rng.below(cases.len())];
            if let Some(effort) = check(&ast, model, equivalence, &mut rng) {
                n_programs += 1;
                all.n_parts += effort.n_parts;
                all.n_starts += effort.n_starts;
            }
        }
    }
    assert!(n_programs >= 1000 && all.n_parts > 10 * n_programs, "{n_programs} programs, {all:?}");
    assert!(all.n_starts > 20, "{n_programs} programs, {all:?}");
}

/// A word of a part is gone, or there twice, or elsewhere, or has another number.
fn broken(part: &str, rng: &mut Rng) -> String {
    let mut words: Vec<String> = part.split(' ').map(String::from).collect();
    let [one, other] = [(); 2].map(|()| rng.below(words.len()));
    match rng.below(4) {
        0 => drop(words.remove(one)),
        1 => words.insert(other, words[one].clone()),
        2 => words.swap(one, other),
        _ => {
            let digits = words[one].char_indices().filter(|(_, digit)| digit.is_ascii_digit());
            let places: Vec<usize> = digits.map(|(at, _)| at).collect();
            if !places.is_empty() {
                let at = places[rng.below(places.len())];
                words[one].replace_range(at..=at, &rng.below(12).to_string());
            }
        }
    }
    words.join(" ")
}

#[test]
fn a_broken_part_is_refused_or_a_part() {
    let (mut n_refused, mut n_explored) = (0, 0);
    for style in Style::ALL {
        for seed in 0..40 {
            let shape = ProgramShape { max_instructions: 9, ..ProgramShape::of(style) };
            let ast = generate(seed, &shape);
            let mut rng = Rng::new(seed);
            let method =
                method_of(ModelName::Rc11, if seed % 2 == 0 { Equivalence::Rf } else { Equivalence::Co });
            let subject =
                Subject { ast: &ast, method, config: Config { keep_going: true, ..Config::default() } };
            let budget =
                Budget { time: Duration::from_secs(3600), executions: 3, n_shed: 3, is_elsewhere: true };
            let (Some(Ok(record)), None) = subject.try_part("", "", budget) else { continue };
            for part in record.rest.iter().filter(|part| !part.is_empty()) {
                match subject.try_part("", &broken(part, &mut rng), budget) {
                    (_, Some(reason)) => {
                        assert_eq!(reason, RefusalReason::OtherSearch, "{part} of\n{ast}");
                        n_refused += 1;
                    }
                    (result, None) => n_explored += usize::from(result.is_some()),
                }
            }
        }
    }
    assert!(n_refused > 100 && n_explored > 100, "{n_refused} refused, {n_explored} explored");
}
