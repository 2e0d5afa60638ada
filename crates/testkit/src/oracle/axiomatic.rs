//! All candidate executions, filtered by cat models [ALGORITHMS §I.1].
//!
//! Any thread may move. A read may read from every present write of its location, and from the initial one; a write may
//! take every place in coherence order after the initial write. Events without a choice (fences, spawns, …) are added
//! at once: they stay enabled, and commute with everything else. The two halves of a read-modify-write are one move.
//!
//! Candidates are built along `po` and `rf`, so the oracle cannot handle models that allow cycles of these. Pruning
//! drops candidates that no model accepts. This is right for models that are prefix-closed [TruSt §3.1], as all
//! built-in ones are, and the tests compare with and without it. Pruning also drops candidates at once that are not
//! coherent: a thread that has read or written one write of a location never reads an earlier one, and never writes
//! before it. Each built-in model that uses `co` implies this, by `acyclic po-loc | rf | co | fr`, by `irreflexive hb ;
//! eco?` with `po` in `hb`, or, for SC, by its one order of everything. WRC11 does not use `co`.
//!
//! If candidates are built in every order, each occurs once for every order of its events. [`Build::Once`] builds each
//! in one order only; this says nothing about models and needs no axiom. A write is added as soon as its thread comes
//! to it: it gets every place among the present writes, and takes nothing from other threads. When only reads are left,
//! the first thread that can move continues: its read takes one of the present writes, or *passes* all of them and
//! waits for a new one. For each execution, every such decision has one right answer, so nothing is lost and nothing is
//! found twice.

use super::candidate::Candidate;
use super::memory::misuse;
use super::structure::{Numbers, structure};
use super::walk::{Pending, Refused, Semantics, WalkMove, walk};
use atropos_cat::Model;
use atropos_event::{
    Access, Diagnostic, EventId, Initial, Label, Mapping, Program, Step, ThreadId, ViolationKind,
};
use atropos_graph::Canonical;
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug)]
pub struct EnumerationConfig {
    pub mapping: Mapping,
    /// Drop partial executions that are inconsistent already, and make read-modify-writes atomic and threads coherent
    /// from the start. This handles about 14 events with a choice, instead of 10.
    pub prune: bool,
    /// Pruning only asks this many models, from the first on, which accept whatever the others accept.
    pub n_deciding: usize,
    pub build: Build,
    /// Try every coherence order. A model that does not use `co` needs none of them; the order in its executions means
    /// nothing.
    pub with_co: bool,
    /// Refuse programs with more partial executions.
    pub limit: usize,
}

/// The orders in which candidates are built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// One order for each candidate.
    Once,
    /// All orders; the walk recognises candidates that it has visited.
    AllOrders,
}

impl Default for EnumerationConfig {
    fn default() -> Self {
        EnumerationConfig {
            mapping: Mapping::Compiled,
            prune: true,
            n_deciding: usize::MAX,
            build: Build::Once,
            with_co: true,
            limit: 1_000_000,
        }
    }
}

/// The consistent executions of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enumeration {
    /// Those in which every thread ran to its end.
    pub complete: BTreeSet<Canonical>,
    /// Those in which nothing can move and some thread has not ended.
    pub blocked: BTreeSet<Canonical>,
    /// The members of `blocked` in which a thread failed, and how.
    pub failed: BTreeSet<(Canonical, ViolationKind)>,
    /// The flags of the model, such as `race`, that some of these raise.
    pub flags: BTreeSet<String>,
    /// How dynamic memory is misused in some of these; by the model's `hb`, or by `porf` if it has none.
    pub misuse: BTreeSet<ViolationKind>,
}

impl Enumeration {
    /// What is wrong with the program in some execution: how threads fail, and races if the model has them.
    pub fn violations(&self) -> BTreeSet<ViolationKind> {
        let race = self.flags.contains("race").then_some(ViolationKind::Race);
        self.failed.iter().map(|&(_, kind)| kind).chain(race).collect()
    }
}

/// All executions of `program` that `model` accepts.
pub fn enumerate(
    program: &dyn Program,
    model: &Model,
    config: EnumerationConfig,
) -> Result<Enumeration, Refused> {
    enumerate_all(program, &[model], config).map(|mut found| found.remove(0))
}

/// The same for several models, in one search. Put the most permissive model first.
pub fn enumerate_all(
    program: &dyn Program,
    models: &[&Model],
    config: EnumerationConfig,
) -> Result<Vec<Enumeration>, Refused> {
    loop {
        let initial = |access| program.initial(access);
        let found = vec![Enumeration::default(); models.len()];
        let read_co = models.iter().all(|model| model.base_names().any(|name| name == "co"));
        let is_coherent = config.prune && config.with_co && read_co;
        let mut axiomatic = Axiomatic { models, config, initial, is_coherent, found };
        match walk(program, &mut axiomatic, config.limit) {
            Err(Refused::Learned) => {}
            ended => return ended.map(|()| axiomatic.found),
        }
    }
}

/// A set of executions without their coherence orders.
pub fn rf_projection(executions: &BTreeSet<Canonical>) -> BTreeSet<Canonical> {
    executions.iter().map(Canonical::rf_projection).collect()
}

struct Axiomatic<'a, I> {
    models: &'a [&'a Model],
    config: EnumerationConfig,
    initial: I,
    /// Candidates that are not coherent are dropped at once.
    is_coherent: bool,
    found: Vec<Enumeration>,
}

impl<I: Fn(Access) -> Initial> Semantics for Axiomatic<'_, I> {
    fn moves(&mut self, candidate: &Candidate, pending: &Pending) -> Vec<WalkMove> {
        let forced = pending.iter().find_map(|&(thread, step)| forced_move(candidate, thread, step));
        if let Some(forced) = forced {
            return vec![forced];
        }
        let mut moves = Vec::new();
        if self.config.build == Build::Once {
            self.next_choice(candidate, pending, &mut moves);
            return moves;
        }
        for &(thread, step) in pending {
            match step {
                Step::Do(label @ Label::Read { .. }) => self.reads(candidate, thread, label, &mut moves),
                Step::Do(label @ Label::Write { .. }) => self.writes(candidate, thread, label, &mut moves),
                _ => {}
            }
        }
        moves
    }

    fn keep(&mut self, candidate: &Candidate) -> Result<bool, Refused> {
        if !self.config.prune {
            return Ok(true);
        }
        let structure = structure(candidate, self.config.mapping);
        for model in self.models.iter().take(self.config.n_deciding) {
            if model.is_consistent(&structure).map_err(|error| Refused::Model(error.to_string()))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn meets_again(&self) -> bool {
        self.config.build == Build::AllOrders
    }

    fn finish(&mut self, candidate: &Candidate, failures: &[ViolationKind]) -> Result<(), Refused> {
        if !candidate.passed.is_empty() {
            // A read waits for a write that does not come. The candidate with an earlier source is another one.
            return Ok(());
        }
        let refused = |error: Diagnostic| Refused::Model(error.message);
        let structure = structure(candidate, self.config.mapping);
        let canonical = candidate.canonical();
        let is_of_object = |label| matches!(label, Label::Alloc { .. } | Label::Free { .. });
        let has_objects = candidate.events().any(|(_, event)| is_of_object(event.label));
        for (model, found) in self.models.iter().zip(&mut self.found) {
            let Some(flags) = model.flags_if_consistent(&structure).map_err(refused)? else { continue };
            found.flags.extend(flags.into_iter().map(String::from));
            found.failed.extend(failures.iter().map(|&kind| (canonical.clone(), kind)));
            let set = if canonical.is_complete() { &mut found.complete } else { &mut found.blocked };
            set.insert(canonical.clone());
            if has_objects {
                let hb = model.eval(&structure, "hb").or_else(|_| model.eval(&structure, "porf"));
                let hb = hb.map_err(refused)?;
                let numbers = Numbers::of(candidate);
                let is_before =
                    |one: EventId, two: EventId| hb.contains(numbers.event(one), numbers.event(two));
                found.misuse.extend(misuse(candidate, &self.initial, &is_before));
            }
        }
        Ok(())
    }
}

/// The one move of a thread whose next event leaves no choice, if that event may happen now.
fn forced_move(candidate: &Candidate, thread: ThreadId, step: Step) -> Option<WalkMove> {
    let Step::Do(label) = step else { return None };
    let is_enabled = match label {
        Label::Read { .. } | Label::Write { .. } => false,
        Label::Join { child } => candidate.has_ended(child),
        Label::Begin
        | Label::End
        | Label::Fence { .. }
        | Label::Spawn { .. }
        | Label::Alloc { .. }
        | Label::Free { .. } => true,
    };
    is_enabled.then(|| {
        let mut next = candidate.clone();
        next.push(thread, label);
        WalkMove { next, resume: Some((thread, 0)), is_forced: true }
    })
}

impl<I: Fn(Access) -> Initial> Axiomatic<'_, I> {
    /// The moves of [`Build::Once`]: those of one write, or else of one read.
    fn next_choice(&self, candidate: &Candidate, pending: &Pending, moves: &mut Vec<WalkMove>) {
        let write = pending.iter().find_map(|&(thread, step)| match step {
            Step::Do(label @ Label::Write { .. }) => Some((thread, label)),
            _ => None,
        });
        if let Some((thread, label)) = write {
            self.writes(candidate, thread, label, moves);
            return;
        }
        let mut readers = pending.iter().filter_map(|&(thread, step)| match step {
            Step::Do(label @ Label::Read { access, .. }) => {
                let mut sources = sources(candidate, access);
                sources
                    .any(|source| !has_passed(candidate, thread, source))
                    .then_some((thread, label, access))
            }
            _ => None,
        });
        let Some((thread, label, access)) = readers.next() else { return };
        self.reads(candidate, thread, label, moves);
        // New writes come from other threads that move.
        if readers.next().is_some() {
            let mut next = candidate.clone();
            next.passed.insert(thread, sources(candidate, access).collect());
            moves.push(WalkMove { next, resume: None, is_forced: true });
        }
    }

    fn reads(&self, candidate: &Candidate, thread: ThreadId, label: Label, moves: &mut Vec<WalkMove>) {
        let access = label.access().expect("a read accesses memory");
        let initial = match (self.initial)(access) {
            Initial::Value(value) => value,
            Initial::Uninitialised => 0,
        };
        let floor = self.floor(candidate, thread, access);
        for source in sources(candidate, access) {
            if has_passed(candidate, thread, source) || rank(candidate, access, source) < floor {
                continue;
            }
            let value = source.map_or(initial, |write| candidate.event(write).value);
            let mut next = candidate.clone();
            next.passed.remove(&thread);
            match next.push_read(thread, label, source, value) {
                None => {
                    let is_forced = source == candidate.writes(access).last().copied();
                    moves.push(WalkMove { next, resume: Some((thread, value)), is_forced });
                }
                Some(write) => {
                    let places = self.places(candidate, thread, write, source);
                    moves.extend(places.map(|place| WalkMove {
                        next: with_write(&next, thread, write, place),
                        resume: Some((thread, value)),
                        is_forced: false,
                    }));
                }
            }
        }
    }

    fn writes(&self, candidate: &Candidate, thread: ThreadId, label: Label, moves: &mut Vec<WalkMove>) {
        let n_writes = label.access().map_or(0, |access| candidate.writes(access).len());
        let places = self.places(candidate, thread, label, None);
        moves.extend(places.map(|place| WalkMove {
            next: with_write(candidate, thread, label, place),
            resume: Some((thread, 0)),
            is_forced: place == n_writes,
        }));
    }

    /// The places in coherence order to try for a write; `source` is what its read read, if it has one.
    fn places(
        &self,
        candidate: &Candidate,
        thread: ThreadId,
        label: Label,
        source: Option<EventId>,
    ) -> impl Iterator<Item = usize> + use<I> {
        let Label::Write { access, exclusive, .. } = label else { panic!("{label:?} is no write") };
        let writes = candidate.writes(access);
        if !self.config.with_co {
            // One order for each set of writes, so that no candidate occurs in two forms.
            let place = writes.partition_point(|&other| other.thread() <= thread);
            return place..place + 1;
        }
        if exclusive && self.config.prune {
            let behind = rank(candidate, access, source);
            behind..behind + 1
        } else {
            self.floor(candidate, thread, access)..writes.len() + 1
        }
    }

    /// The number of writes of the location that are in the thread's past, by coherence: it has read or written the
    /// last of them.
    fn floor(&self, candidate: &Candidate, thread: ThreadId, access: Access) -> usize {
        if !self.is_coherent {
            return 0;
        }
        let events = candidate.threads[&thread].events.iter().enumerate();
        let met = events.filter_map(|(index, event)| match event.label {
            Label::Read { access: other, .. } if other.cell() == access.cell() => event.source,
            Label::Write { access: other, .. } if other.cell() == access.cell() => {
                Some(EventId::new(thread, index))
            }
            _ => None,
        });
        met.map(|write| rank(candidate, access, Some(write))).max().unwrap_or(0)
    }
}

/// The possible sources of a read of `access`: the present writes and the initial one.
fn sources(candidate: &Candidate, access: Access) -> impl Iterator<Item = Option<EventId>> {
    candidate.writes(access).iter().map(|&write| Some(write)).chain([None])
}

/// The place of a write in coherence order, where the initial one has place 0.
fn rank(candidate: &Candidate, access: Access, write: Option<EventId>) -> usize {
    let place = |write| candidate.writes(access).iter().position(|&other| other == write);
    write.and_then(place).map_or(0, |place| place + 1)
}

/// Whether the pending read of `thread` has passed `source`.
fn has_passed(candidate: &Candidate, thread: ThreadId, source: Option<EventId>) -> bool {
    candidate.passed.get(&thread).is_some_and(|passed| passed.contains(&source))
}

fn with_write(candidate: &Candidate, thread: ThreadId, label: Label, place: usize) -> Candidate {
    let mut next = candidate.clone();
    let write = next.push_write(thread, label);
    next.place(write, place);
    next
}
