//! Counters against searches that order all read-modify-writes: the same executions up to the order of updates that
//! nothing can tell apart.

use crate::reduced::compare_both;
use crate::{SearchSettings, agree, machine, symmetry};
use atropos_event::{
    Access, AnswerUse, BarrierStep, EventId, Label, LockStep, Refusal, Rmw, RmwOp, Run, ThreadId, ThreadKey,
    ViolationKind,
};
use atropos_explore::{Ending, Execution, Observer, Report};
use atropos_graph::{Canonical, Event, Graph, Slot, validate};
use atropos_testkit::{Ast, UpTo};
use atropos_vm::Vm;
use std::collections::{BTreeMap, BTreeSet};

/// How many executions there are, how many classes of them, and how many were visited with the reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClassCounts {
    pub all: usize,
    pub classes: usize,
    pub visited: usize,
}

/// An execution, and which of its reads are those of updates that may have no order.
pub(crate) struct VisitedExecution {
    pub(crate) ending: Ending,
    pub(crate) execution: Canonical,
    updates: BTreeSet<EventId>,
    /// Those of them that have found one reference.
    last_owners: BTreeSet<EventId>,
    /// The events of arrivals at barriers, and the loads after them.
    pub(crate) meetings: BTreeSet<EventId>,
    /// The reads that lock a mutex, each with its number among those of its thread and mutex.
    pub(crate) entries: BTreeMap<EventId, usize>,
    /// The writes that unlock one.
    pub(crate) exits: BTreeSet<EventId>,
    /// The mutexes that threads have failed to lock.
    pub(crate) awaited: BTreeSet<Access>,
}

/// A section: its mutex, its thread, and its number there.
pub(crate) type SectionName = (Access, ThreadKey, usize);

#[derive(Default)]
pub(crate) struct UpdateCollector {
    with_co: bool,
    met: Vec<VisitedExecution>,
    /// The locations that were counters.
    pub(crate) counters: BTreeSet<Access>,
    violations: BTreeSet<ViolationKind>,
    /// Whether arrivals at barriers had a fixed order.
    pub(crate) has_parties: bool,
    /// By mutex and share, the sections that have taken the share.
    pub(crate) shares: Vec<BTreeSet<SectionName>>,
}

/// What the threads of an execution have locked.
#[derive(Default)]
struct Locked {
    entries: BTreeMap<EventId, usize>,
    exits: BTreeSet<EventId>,
    awaited: BTreeSet<Access>,
    shares: BTreeMap<usize, BTreeSet<SectionName>>,
}

impl Locked {
    fn of(graph: &Graph, run: &dyn Run, execution: &Canonical, collected: &Collected) -> Locked {
        let mut locked = Locked::default();
        let mut n_entries: BTreeMap<(Access, ThreadKey), usize> = BTreeMap::new();
        for thread in (0..graph.n_threads()).map(ThreadId::new) {
            for &slot in graph.thread(thread) {
                let event = graph.event(slot);
                let (Some(access), Some(step)) = (event.label.access(), run.lock_step(thread, event.before))
                else {
                    continue;
                };
                let key = run.key(thread);
                let named = execution.threads.iter().position(|thread| thread.key == key).expect("a thread");
                let named = EventId::new(ThreadId::new(named), collected.index_without(event.id));
                if event.is_write() && event.exclusive {
                    // The thread has gone on.
                    continue;
                }
                match step {
                    LockStep::Unlock => {
                        let write = named.index() + usize::from(event.is_read());
                        locked.exits.insert(EventId::new(named.thread(), write));
                        continue;
                    }
                    LockStep::Lock if !event.exclusive => {
                        locked.awaited.insert(access);
                        continue;
                    }
                    LockStep::Lock => {}
                }
                let n = n_entries.entry((access, key)).or_default();
                locked.entries.insert(named, *n);
                if graph.mutex_of(event.loc).is_some() {
                    locked.shares.entry(event.loc.index()).or_default().insert((access, key, *n));
                }
                *n += 1;
            }
        }
        locked
    }
}

/// The reads by which last owners synchronise with others, by thread: they are no events of the program.
struct Collected {
    by_thread: Vec<Vec<usize>>,
}

impl Collected {
    fn of(graph: &Graph) -> Collected {
        let is_collecting = |&slot: &Slot| {
            let event = graph.event(slot);
            let is_share = graph.is_share(event.loc) && graph.mutex_of(event.loc).is_none();
            is_share && event.is_read() && !event.exclusive
        };
        let indices = |thread: ThreadId| {
            let slots = graph.thread(thread).iter().copied().filter(is_collecting);
            slots.map(|slot| graph.event(slot).id.index()).collect()
        };
        Collected { by_thread: (0..graph.n_threads()).map(ThreadId::new).map(indices).collect() }
    }

    /// The place of an event in its thread without these reads.
    fn index_without(&self, id: EventId) -> usize {
        id.index() - self.by_thread[id.thread().index()].partition_point(|&index| index < id.index())
    }

    fn remove(&self, mut execution: Canonical, graph: &Graph, run: &dyn Run) -> Canonical {
        if self.by_thread.iter().all(Vec::is_empty) {
            return execution;
        }
        let named: Vec<ThreadId> = execution
            .threads
            .iter()
            .map(|thread| {
                let mut all = (0..graph.n_threads()).map(ThreadId::new);
                all.find(|&other| graph.exists(other) && run.key(other) == thread.key).expect("a thread")
            })
            .collect();
        let rename = |id: EventId| {
            let of_graph = EventId::new(named[id.thread().index()], id.index());
            EventId::new(id.thread(), self.index_without(of_graph))
        };
        for (thread, of_thread) in execution.threads.iter_mut().enumerate() {
            let removed = &self.by_thread[named[thread].index()];
            let mut index = 0..;
            of_thread.events.retain(|_| !removed.contains(&index.next().expect("there are more numbers")));
            for event in &mut of_thread.events {
                event.source = event.source.map(rename);
            }
        }
        for (_, writes) in &mut execution.co {
            writes.iter_mut().for_each(|write| *write = rename(*write));
        }
        execution
    }
}

/// The number of references that an update has found: if there is no order, those that its past shows.
fn found_number(graph: &Graph, event: &Event) -> u64 {
    let Some(loc) = graph.shared(event.loc) else { return event.value };
    let first = graph.value_of(loc, *graph.location(loc).co.last().expect("the initial write"));
    let past = graph.porf(graph.slot_of(event.id));
    let updates = graph.shares(loc).flat_map(|share| graph.location(share).reads.iter().copied());
    updates.fold(first, |number, slot| {
        let update = graph.event(slot);
        match update.label {
            Label::Read { access, rmw: Rmw::Fetch { op, operand, .. }, .. }
                if update.id != event.id && graph.is_in(past, slot) =>
            {
                op.apply(access, number, operand)
            }
            _ => number,
        }
    })
}

impl Observer for UpdateCollector {
    fn execution(&mut self, ending: Ending, Execution { graph, run }: Execution<'_>) {
        if let Err(broken) = validate(graph) {
            panic!("a malformed graph: {broken:?}");
        }
        let execution = Canonical::of(graph, |thread| run.key(thread), self.with_co);
        let collected = Collected::of(graph);
        let execution = collected.remove(execution, graph, run);
        let (mut updates, mut meetings) = (BTreeSet::new(), BTreeSet::new());
        let mut last_owners = BTreeSet::new();
        for event in graph.events() {
            let Label::Read { access, rmw: Rmw::Fetch { op, .. }, .. } = event.label else { continue };
            let key = run.key(event.id.thread());
            let thread = execution.threads.iter().position(|thread| thread.key == key).expect("a thread");
            let named = |index: usize| {
                let id = EventId::new(event.id.thread(), index);
                EventId::new(ThreadId::new(thread), collected.index_without(id))
            };
            let commutes = matches!(op, RmwOp::Add | RmwOp::Sub | RmwOp::Xor);
            let answer = run.answer_use(event.id.thread(), event.before);
            if commutes && (answer != AnswerUse::Any || run.ignores_answer(event.id.thread(), event.before)) {
                updates.insert(named(event.id.index()));
                if answer == AnswerUse::IsOne && found_number(graph, event) == 1 {
                    last_owners.insert(named(event.id.index()));
                }
            }
            let steps = |slot: Slot| run.barrier_step(event.id.thread(), graph.event(slot).before);
            let rest = &graph.thread(event.id.thread())[event.id.index()..];
            if steps(rest[0]) == Some(BarrierStep::Arrival) {
                let goes_on = rest.get(2).is_none_or(|&next| {
                    graph.event(next).loc != event.loc
                        || steps(next).is_none_or(|step| step == BarrierStep::Arrival)
                });
                meetings.extend((0..2 + usize::from(!goes_on)).map(|n| named(event.id.index() + n)));
            }
            if graph.is_share(event.loc) && graph.mutex_of(event.loc).is_none() {
                self.counters.insert(access);
            }
        }
        let Locked { entries, exits, awaited, shares } = Locked::of(graph, run, &execution, &collected);
        self.shares.extend(shares.into_values());
        let execution = execution.without_reasons();
        self.met.push(VisitedExecution {
            ending,
            execution,
            updates,
            last_owners,
            meetings,
            entries,
            exits,
            awaited,
        });
    }

    fn violation(&mut self, report: Report, _: Execution<'_>) {
        self.violations.insert(agree::represented(report.violation.kind()));
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("{refusal:?}");
    }
}

pub(crate) fn collect(search: SearchSettings<'_>, program: &Vm) -> UpdateCollector {
    let with_co = search.equivalence == UpTo::Co;
    let found = search
        .explore(program, search.config(), || UpdateCollector { with_co, ..UpdateCollector::default() });
    let mut all = UpdateCollector { has_parties: found.stats.gathered > 0, ..UpdateCollector::default() };
    for observer in found.observers {
        all.met.extend(observer.met);
        all.counters.extend(observer.counters);
        all.violations.extend(observer.violations);
        all.shares.extend(observer.shares);
    }
    let n_met = all.met.len() as u64;
    assert_eq!(n_met, found.stats.executions + found.stats.blocked, "what is counted was seen");
    all
}

/// The execution without the order of the updates of these counters.
pub(crate) fn without_order(met: &VisitedExecution, counters: &BTreeSet<Access>) -> Canonical {
    let is_update = |read: EventId| {
        met.updates.contains(&read)
            && met.execution.event(read).label.access().is_some_and(|access| counters.contains(&access))
    };
    let read_of = |write: EventId| {
        let is_half = met.execution.event(write).exclusive;
        (is_half && write.index() > 0).then(|| EventId::new(write.thread(), write.index() - 1))
    };
    let read_of_update = |write: EventId| read_of(write).filter(|&read| is_update(read));
    let mut execution = met.execution.clone();
    for (thread, of_thread) in execution.threads.iter_mut().enumerate() {
        for (index, event) in of_thread.events.iter_mut().enumerate() {
            let id = EventId::new(ThreadId::new(thread), index);
            if is_update(id) {
                (event.source, event.value) = (None, u64::from(met.last_owners.contains(&id)));
            } else if read_of_update(id).is_some() {
                event.value = 0;
                if let Label::Write { value, .. } = &mut event.label {
                    *value = 0;
                }
            } else if event.label.is_read() {
                while let Some(read) = event.source.and_then(read_of_update) {
                    event.source = met.execution.event(read).source;
                }
            }
        }
    }
    let mut co: BTreeMap<Access, Vec<EventId>> = BTreeMap::new();
    for (access, writes) in &met.execution.co {
        let kept = writes.iter().copied().filter(|&write| read_of_update(write).is_none());
        co.entry(*access).or_default().extend(kept);
    }
    execution.co = co.into_iter().filter(|(_, writes)| !writes.is_empty()).collect();
    execution
}

/// Compares the searches of a program up to one equivalence under one model, in the ways that `seed` selects.
///
/// # Errors
/// What is lost, or should not be there.
pub fn compare(ast: &Ast, model: &str, equivalence: UpTo, seed: u64) -> Result<ClassCounts, String> {
    let program = machine(ast);
    let search = SearchSettings::new(model, equivalence);
    let whole = collect(search, &program);
    let jobs = if seed.is_multiple_of(16) { 2 } else { 1 };
    let search = SearchSettings { rmws: true, jobs, validate: seed.is_multiple_of(8), ..search };
    let [doomed, shuffled] = agree::variants(search, seed);
    let way = [search, doomed, shuffled][(seed % 3) as usize];
    let way = SearchSettings { symmetry: seed.is_multiple_of(4), ..way };
    let reduced = collect(way, &program);
    let class = |met: &VisitedExecution| {
        let execution = without_order(met, &reduced.counters);
        if way.symmetry { symmetry::representative(ast, &execution) } else { execution }
    };
    judge(&whole, &reduced, way, class, |_| true).map_err(|complaint| format!("{way:?}: {complaint}"))
}

/// Compares two searches by the classes of executions. Those of the whole search that are not `is_needed` may be missing.
pub(crate) fn judge(
    whole: &UpdateCollector,
    reduced: &UpdateCollector,
    way: SearchSettings<'_>,
    class: impl Fn(&VisitedExecution) -> Canonical,
    is_needed: impl Fn(&VisitedExecution) -> bool,
) -> Result<ClassCounts, String> {
    let mut sizes = ClassCounts::default();
    for ending in [Ending::Complete, Ending::Blocked] {
        let of = |found: &UpdateCollector| -> Vec<Canonical> {
            found.met.iter().filter(|met| met.ending == ending).map(&class).collect()
        };
        let (all, visited) = (of(whole), of(reduced));
        let [wanted, found] = [&all, &visited].map(|list| list.iter().collect::<BTreeSet<_>>());
        let may_be_left = ending == Ending::Blocked && way.abandon_doomed;
        let needed = whole.met.iter().filter(|met| met.ending == ending && is_needed(met)).map(&class);
        let missing = needed.filter(|_| !may_be_left).find(|execution| !found.contains(execution));
        if let Some(missing) = missing {
            return Err(format!("a {} execution of {} is lost:\n{missing}", ending.name(), wanted.len()));
        }
        // A thread that fails to lock a mutex for which it need not wait may do so in ways of its own.
        let is_judged = |met: &&VisitedExecution| !way.locks || is_needed(met);
        let mut real = reduced.met.iter().filter(|met| met.ending == ending).filter(is_judged).map(&class);
        if let Some(extra) = real.find(|execution| !wanted.contains(execution)) {
            return Err(format!("a {} execution is not one of the program:\n{extra}", ending.name()));
        }
        if found.len() < visited.len() && !way.symmetry {
            return Err(format!("a {} execution is visited twice", ending.name()));
        }
        sizes.all += all.len();
        sizes.classes += wanted.len();
        sizes.visited += visited.len();
    }
    if whole.violations != reduced.violations {
        return Err(format!("violations {:?} instead of {:?}", reduced.violations, whole.violations));
    }
    Ok(sizes)
}

/// The same up to co and up to rf. Shrinks a program that fails.
///
/// # Errors
/// The program, the shrunk program, and the difference there.
pub fn compare_program(seed: u64, ast: &Ast, model: &str) -> Result<[ClassCounts; 2], String> {
    compare_both("rmws", (seed, ast, model), |ast, equivalence| compare(ast, model, equivalence, seed))
}
