//! How large a search is, and where its executions come from, by random descents through it [Knuth].
//!
//! A descent that meets choices of `n`, `m`, … outcomes stands for `n · m · …` executions if it ends with one, and for
//! none otherwise; the mean over descents is an unbiased estimate of their number. In the same way, a choice of `m`
//! outcomes behind one of `n` stands for `n` such choices. The search tree has one leaf more than there are outcomes
//! beyond the first of each choice, so these say where executions come from.
//!
//! The search is TruSt's. Other algorithms have the same executions under the models that they share with it
//! [ALGORITHMS §H], so the estimate is theirs too. For two searches it is a bound: RVF-SMC joins executions that differ
//! only in where equal values come from, so it has at most as many as TruSt up to `rf`; and WRC11 allows what RC11
//! allows, so it has at least as many.

use crate::Settings;
use atropos_event::{BlockReason, Place, Program, Refusal, Run, Step, ThreadId, ThreadKey};
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelChoice, ModelName};
use atropos_explore::{Config, Control, Ending, Execution, Observer, ProbedChoice, Report, SearchResult};
use atropos_graph::Graph;
use atropos_report::names::Names;
use atropos_report::{Bound, Estimate, Profile, Survey};
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard};

/// The maximum number of rows of each table of a profile.
const MOST_ROWS: usize = 10;

/// The descents so far, which others may look at.
#[derive(Default)]
pub struct SurveyProgress {
    sums: Mutex<Sums>,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    n: u64,
    sum: f64,
    squares: f64,
    bound: Bound,
}

impl SurveyProgress {
    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.sums.lock().expect("nothing panics while it holds the lock")
    }

    /// The estimate after the descents so far; `None` if there are too few.
    pub fn estimate(&self) -> Option<Estimate> {
        const FEWEST: u64 = 30;
        let Sums { n, sum, squares, bound } = *self.sums();
        if n < FEWEST || sum == 0.0 {
            return None;
        }
        let mean = sum / n as f64;
        let variance = squares / n as f64 - mean * mean;
        if !variance.is_finite() {
            // Too large for a number.
            return None;
        }
        let error = (variance.max(0.0) / n as f64).sqrt();
        // A descent that ends with an execution shows that there is one.
        let (low, high) = ((mean - 2.0 * error).max(1.0), mean + 2.0 * error);
        Some(Estimate { executions: mean, low, high, n_descents: n, bound })
    }
}

/// TruSt's search with the executions of another one, or with more or fewer.
fn surveyed<'a>(settings: &Settings<'a>) -> (Method<'a>, Config, Bound) {
    let Settings { method, config, .. } = *settings;
    let rf = Equivalence::Rf;
    let (model, equivalence, bound) = match method.model {
        ModelChoice::Builtin(ModelName::Wrc11) => (ModelChoice::Builtin(ModelName::Rc11), rf, Bound::Lower),
        model if method.algorithm == Algorithm::Rvf => (model, rf, Bound::Upper),
        model => (model, method.equivalence, Bound::Neither),
    };
    // Others than TruSt and Tracer end no execution early that can only end blocked, and only TruSt leaves out
    // symmetric ones and orders of read-modify-writes.
    let is_trust = method.algorithm == Algorithm::Trust;
    let abandon_doomed = config.abandon_doomed && (is_trust || method.algorithm == Algorithm::Tracer);
    let [symmetry, rmws, barriers, locks] =
        [config.symmetry, config.rmws, config.barriers, config.locks].map(|is_on| is_on && is_trust);
    let config = Config { symmetry, rmws, barriers, locks, abandon_doomed, ..config };
    (Method { algorithm: Algorithm::Trust, model, equivalence, ..method }, config, bound)
}

/// Descends at random, up to `most` times; `progress` shows how far this is. `None` if there are too few descents.
pub fn survey(
    program: &dyn Program,
    settings: &Settings<'_>,
    control: &Control,
    most: u64,
    progress: &SurveyProgress,
) -> Option<Survey> {
    let tables = descend(program, settings, control, most, progress).observers.into_iter().next()?.tables;
    let estimate = progress.estimate()?;
    Some(Survey { profile: Some(tables.profile(program, estimate.n_descents)), estimate })
}

/// The number of executions as few descents suggest: the fewer, the longer they are, and none if they are very long.
pub fn estimate(program: &dyn Program, settings: &Settings<'_>, control: &Control) -> Option<Estimate> {
    let n_events = descend(program, settings, control, 1, &SurveyProgress::default()).stats.events;
    let (_, most) = DESCENTS.into_iter().find(|&(longest, _)| n_events <= longest)?;
    let progress = SurveyProgress::default();
    descend(program, settings, control, most, &progress);
    progress.estimate().filter(|_| !control.is_stopped())
}

/// How many descents are made if the first one has at most so many events.
const DESCENTS: [(u64, u64); 2] = [(1000, 256), (10_000, 32)];

fn descend<'a>(
    program: &'a dyn Program,
    settings: &Settings<'_>,
    control: &Control,
    most: u64,
    progress: &'a SurveyProgress,
) -> SearchResult<Surveyor<'a>> {
    let (method, config, bound) = surveyed(settings);
    let observer = || {
        *progress.sums() = Sums { bound, ..Sums::default() };
        Surveyor { program, progress, weight: 1.0, leaf: 0.0, tables: Tables::default() }
    };
    method.probe(program, config, control, most, observer)
}

/// Sees the descents.
struct Surveyor<'a> {
    program: &'a dyn Program,
    progress: &'a SurveyProgress,
    /// How many executions the present descent stands for if it ends with one, and how many if it has ended.
    weight: f64,
    leaf: f64,
    tables: Tables,
}

/// What the descents have met, with the estimated number of times that the search meets it.
#[derive(Default)]
struct Tables {
    places: Table<PlaceKey, Place>,
    variables: Table<String, ()>,
    pairs: Table<[ThreadKey; 2], ()>,
    stops: Table<(PlaceKey, u8), (Place, BlockReason)>,
    /// All threads, in the order of their names.
    threads: BTreeSet<ThreadKey>,
}

/// What tells places apart.
type PlaceKey = (Option<(String, u32)>, String);

fn key_of(place: &Place) -> PlaceKey {
    (place.source.as_ref().map(|at| (at.file.clone(), at.line)), place.text.clone())
}

struct Table<K, V>(HashMap<K, (V, f64)>);

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Table(HashMap::new())
    }
}

impl<K: Hash + Eq + Ord, V> Table<K, V> {
    fn add(&mut self, key: K, value: V, amount: f64) {
        self.0.entry(key).or_insert((value, 0.0)).1 += amount;
    }

    /// The largest entries.
    fn largest(self) -> Vec<(K, V, f64)> {
        let mut rows: Vec<(K, V, f64)> =
            self.0.into_iter().map(|(key, (value, amount))| (key, value, amount)).collect();
        rows.sort_by(|one, other| other.2.total_cmp(&one.2).then_with(|| one.0.cmp(&other.0)));
        rows.truncate(MOST_ROWS);
        rows
    }

    fn total(&self) -> f64 {
        self.0.values().map(|(_, amount)| amount).sum::<f64>().max(f64::MIN_POSITIVE)
    }
}

impl Tables {
    /// The profile of `n` descents.
    fn profile(self, program: &dyn Program, n: u64) -> Profile {
        let [places, variables, pairs] = [self.places.total(), self.variables.total(), self.pairs.total()];
        let name = |thread: ThreadKey| {
            let rank = self.threads.iter().take_while(|&&other| other < thread).count();
            program.name_of_thread(thread, rank)
        };
        let stop =
            |(_, (place, reason), sum): (_, (Place, BlockReason), f64)| (place, reason, sum / n as f64);
        Profile {
            places: self.places.largest().into_iter().map(|(_, place, sum)| (place, sum / places)).collect(),
            variables: self
                .variables
                .largest()
                .into_iter()
                .map(|(key, (), sum)| (key, sum / variables))
                .collect(),
            pairs: self
                .pairs
                .largest()
                .into_iter()
                .map(|(pair, (), sum)| (pair.map(name), sum / pairs))
                .collect(),
            stops: self.stops.largest().into_iter().map(stop).collect(),
        }
    }

    /// The threads that do not get to their end.
    fn add_stops(&mut self, graph: &Graph, run: &mut dyn Run, weight: f64) {
        // An execution counts once for each place, however many threads stop there.
        let mut known = Vec::new();
        for thread in (0..graph.n_threads()).map(ThreadId::new).filter(|&thread| graph.exists(thread)) {
            self.threads.insert(run.key(thread));
            if let Step::Blocked(reason) = run.pending(thread) {
                let place = run.place(thread);
                let key = (key_of(&place), reason_rank(reason));
                if !known.contains(&key) {
                    self.stops.add(key.clone(), (place, reason), weight);
                    known.push(key);
                }
            }
        }
    }
}

/// Tells reasons apart, whatever their details.
fn reason_rank(reason: BlockReason) -> u8 {
    match reason {
        BlockReason::Assume => 0,
        BlockReason::Bound => 1,
        BlockReason::Exit => 2,
        BlockReason::Retry => 3,
        BlockReason::Spin { .. } => 4,
        BlockReason::Lock { .. } => 5,
        BlockReason::Wait { .. } => 6,
    }
}

impl Observer for Surveyor<'_> {
    fn choice(&mut self, choice: &ProbedChoice, execution: Execution<'_>) {
        let run = execution.run;
        let more = self.weight * (choice.n_alternatives - 1) as f64;
        let place = run.place_at(choice.thread, choice.position);
        self.tables.places.add(key_of(&place), place, more);
        let name = Names::of_program(self.program).name_of_access(choice.access);
        self.tables.variables.add(name, (), more);
        let own = run.key(choice.thread);
        for other in choice.others.iter().map(|&other| run.key(other)) {
            self.tables.pairs.add([own.min(other), own.max(other)], (), self.weight);
        }
        self.weight *= choice.n_alternatives as f64;
    }

    fn execution(&mut self, ending: Ending, execution: Execution<'_>) {
        self.leaf = self.weight;
        if ending == Ending::Blocked || self.tables.threads.is_empty() {
            self.tables.add_stops(execution.graph, execution.run, self.weight);
        }
    }

    fn probe_ended(&mut self) {
        let leaf = std::mem::take(&mut self.leaf);
        self.weight = 1.0;
        let mut sums = self.progress.sums();
        sums.n += 1;
        sums.sum += leaf;
        sums.squares += leaf * leaf;
    }

    /// The search itself will find it.
    fn violation(&mut self, _: Report, _: Execution<'_>) {}

    fn refused(&mut self, _: Refusal) {}
}
