//! An execution in the program's own terms.

use crate::cycle::cycle;
use crate::label::{self, EventKind, EventOrder, Speaker, TraceValue};
use crate::names::Object;
use crate::operation::{self, Operation};
use crate::order::is_interleaving;
use crate::replay::Replay;
use crate::shared::private_events;
use crate::unordered::{BrokenLink, Unordered};
use atropos_event::{
    Access, AllocKind, BlockReason, EventId, Label, LibraryCall, Place, Program, Run, Step, ThreadId,
};
use atropos_graph::{Canonical, Graph, Slot};

/// The events of an execution in an order that extends `porf`, and the state of each thread at the end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    pub threads: Vec<TraceThread>,
    pub events: Vec<TraceEvent>,
    /// The writes of each location with more than one, in coherence order, without the initial one. Empty if no
    /// coherence order is known.
    pub coherence: Vec<(String, Vec<usize>)>,
    /// The heap objects that guilty events concern.
    pub objects: Vec<Object>,
    /// The output of the threads, in order: index into [`Trace::threads`], and the text.
    pub output: Vec<(usize, String)>,
    /// The same execution as a value that does not depend on the program's names.
    pub graph: Canonical,
    /// Whether the execution is an interleaving of the threads; `None` if that is not known.
    pub is_interleaving: Option<bool>,
    /// Why it is not: pairs of events that every interleaving would have to keep in this order, and cannot.
    pub cycle: Vec<(usize, usize)>,
    /// From each read to the write that overwrites what it has seen, where the coherence order says which.
    pub from_read: Vec<(usize, usize)>,
    /// For each event, whether no other thread accesses the same location or object.
    pub is_private: Vec<bool>,
    /// The pairs of events by which happens-before crosses from one thread to another, for the models of languages.
    pub synchronisation: Vec<(usize, usize)>,
    /// Why the two guilty events are not ordered.
    pub unordered: Option<Unordered>,
    /// Why a read of [`Trace::cycle`] may miss a write that it seems to come after.
    pub missing: Option<BrokenLink>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceThread {
    pub name: String,
    /// Why the thread does not continue; `None` if it has ended or could continue.
    pub stop: Option<Stop>,
}

/// The step at which a thread is stuck.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// `fails`, `waits for a lock`, ...
    pub what: &'static str,
    /// The call of the thread library that the thread waits in: `lock m`.
    pub call: Option<String>,
    /// The thread that holds the lock, as an index into [`Trace::threads`].
    pub holder: Option<usize>,
    pub place: Place,
    pub is_guilty: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceEvent {
    /// Index into [`Trace::threads`].
    pub thread: usize,
    /// Position in the thread.
    pub index: usize,
    pub kind: EventKind,
    /// What it does, without its value: `R(x) acq`.
    pub label: String,
    /// The name of the location, object or thread concerned.
    pub variable: Option<String>,
    pub order: Option<EventOrder>,
    /// The value read or written.
    pub value: Option<TraceValue>,
    /// For reads.
    pub reads_from: Option<Source>,
    pub place: Place,
    pub is_guilty: bool,
    /// The reading half of a store to a part of a cell, which the program does not see.
    pub is_merge: bool,
    /// The call of the thread library that it is part of.
    pub operation: Option<Operation>,
    /// For a step of another library: the user's call, as the source has it.
    pub quotation: Option<String>,
}

/// The write that a read reads from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Initial,
    /// No write, and memory had no initial value.
    Unwritten,
    /// Index into [`Trace::events`].
    Event(usize),
}

impl Stop {
    pub(crate) fn waits(&self) -> bool {
        self.what.starts_with("waits")
    }

    /// Why the thread does not continue, with what it waits for.
    pub fn shown(&self, threads: &[TraceThread]) -> String {
        let call = self.call.as_ref().map(|call| format!("waits in {call}"));
        let holder = self.holder.map(|holder| format!(", held by {}", threads[holder].name));
        call.unwrap_or_else(|| self.what.to_string()) + &holder.unwrap_or_default()
    }
}

impl Trace {
    /// Whether the execution is known not to be an interleaving of the threads.
    pub fn is_weak(&self) -> bool {
        self.is_interleaving == Some(false)
    }

    /// The name of the event at `index`: that of its thread, and its position there.
    pub fn name(&self, index: usize) -> String {
        let event = &self.events[index];
        format!("{}.{}", self.threads[event.thread].name, event.index)
    }

    pub(crate) fn source_name(&self, source: Source) -> String {
        match source {
            Source::Initial => "init".to_string(),
            Source::Unwritten => "unwritten".to_string(),
            Source::Event(index) => self.name(index),
        }
    }

    /// Makes the trace of a replayed witness. `guilty` events are to blame; if there are none, the threads in `stuck`
    /// are.
    pub fn of(replay: &mut Replay<'_>, program: &dyn Program, blame: &Blame) -> Trace {
        let threads = replay.threads();
        let names: Vec<_> = threads
            .iter()
            .enumerate()
            .map(|(rank, &thread)| program.name_of_thread(replay.run.key(thread), rank))
            .collect();
        let reader = Reader {
            speaker: Speaker { names: replay.names(program) },
            graph: &replay.graph,
            threads: &threads,
            names: &names,
        };
        let events = (0..replay.graph.len()).map(|index| {
            reader.event(Slot::new(index), (&replay.places[index], replay.calls[index].as_ref()), blame)
        });
        let events: Vec<TraceEvent> = events.collect();
        let objects = reader.guilty_objects(blame);
        let coherence = if blame.shows_co { reader.coherence() } else { Vec::new() };
        let from_read = if blame.shows_co { reader.overwritten() } else { Vec::new() };
        let object_names = reader.speaker.names;
        let output = output(&replay.output, &threads);
        let graph = Canonical::of(&replay.graph, |thread| replay.run.key(thread), blame.shows_co);
        let stand = |(rank, (&thread, name)): (usize, (&ThreadId, &String))| {
            let mut stop = stop(&mut replay.run, thread, blame);
            if let Some(stop) = stop.as_mut().filter(|stop| stop.waits()) {
                stop.call = operation::shown_call(&replay.run.library_calls(thread), &object_names);
                stop.holder = holder(&events, rank);
            }
            TraceThread { name: name.clone(), stop }
        };
        let threads = threads.iter().zip(&names).enumerate().map(stand).collect();
        let is_interleaving = blame.shows_co.then(|| is_interleaving(&replay.graph));
        let is_guilty = |slot: Slot| blame.events.contains(&replay.graph.event(slot).id);
        let cycle = match is_interleaving {
            Some(false) => cycle(&replay.graph, &is_guilty),
            Some(true) | None => Vec::new(),
        };
        let is_private = private_events(&replay.graph);
        let (synchronisation, unordered, missing) = (Vec::new(), None, None);
        Trace {
            threads,
            events,
            coherence,
            objects,
            output,
            graph,
            is_interleaving,
            cycle,
            from_read,
            is_private,
            synchronisation,
            unordered,
            missing,
        }
    }
}

/// The output, with consecutive pieces of one thread joined.
fn output(shown: &[(ThreadId, String)], threads: &[ThreadId]) -> Vec<(usize, String)> {
    let mut output: Vec<(usize, String)> = Vec::new();
    for (thread, more) in shown {
        let Some(thread) = threads.iter().position(|known| known == thread) else { continue };
        match output.last_mut() {
            Some((last, text)) if *last == thread => text.push_str(more),
            _ => output.push((thread, more.clone())),
        }
    }
    output
}

/// What a trace points at, in the numbering of the replay.
#[derive(Clone, Debug, Default)]
pub struct Blame {
    pub events: Vec<EventId>,
    /// The thread whose own step is wrong.
    pub thread: Option<ThreadId>,
    /// Every waiting thread is to blame: a deadlock.
    pub waiting: bool,
    /// The graph has a meaningful coherence order.
    pub shows_co: bool,
}

struct Reader<'a> {
    speaker: Speaker<'a>,
    graph: &'a Graph,
    threads: &'a [ThreadId],
    names: &'a [String],
}

impl Reader<'_> {
    fn rank(&self, thread: ThreadId) -> usize {
        self.threads.iter().position(|&known| known == thread).expect("a thread of the execution")
    }

    fn event(&self, slot: Slot, (place, call): (&Place, Option<&LibraryCall>), blame: &Blame) -> TraceEvent {
        let event = self.graph.event(slot);
        let variable = match event.label {
            Label::Read { access, .. } | Label::Write { access, .. } => {
                Some(self.speaker.names.name_of_access(access))
            }
            Label::Alloc { addr, .. } | Label::Free { addr, .. } => {
                Some(self.speaker.names.object_name(addr))
            }
            Label::Spawn { child, .. } | Label::Join { child } => Some(self.names[self.rank(child)].clone()),
            Label::Begin | Label::End | Label::Fence { .. } => None,
        };
        let is_zeroed = |access: Access| self.speaker.names.is_zeroed(access.part().addr);
        let is_unwritten = self.graph.reads_unwritten(slot) && !event.label.access().is_some_and(is_zeroed);
        let source = match self.graph.writer(slot) {
            _ if is_unwritten => Source::Unwritten,
            rf if rf.is_init() => Source::Initial,
            rf => Source::Event(rf.index()),
        };
        TraceEvent {
            thread: self.rank(event.id.thread()),
            index: event.id.index(),
            kind: EventKind::of(&event.label),
            label: self.speaker.label(event, variable.as_deref().unwrap_or_default()),
            variable,
            order: label::order(event),
            value: event
                .label
                .access()
                .filter(|_| !is_unwritten)
                .map(|access| (access.part(), access.narrow(event.value)))
                .map(|(part, value)| self.speaker.trace_value(part, value)),
            reads_from: event.is_read().then_some(source),
            place: place.clone(),
            is_guilty: blame.events.contains(&event.id),
            is_merge: event.label.is_merge(),
            operation: call
                .and_then(|call| Operation::of(event, call, &self.speaker.names))
                .filter(|operation| place.library.is_none() || !operation.is_system_call()),
            quotation: None,
        }
    }

    fn guilty_objects(&self, blame: &Blame) -> Vec<Object> {
        let guilty = blame.events.iter().copied().chain(blame.thread.and_then(|thread| {
            let last = self.graph.last_of(thread)?;
            Some(self.graph.event(last).id)
        }));
        let mut found: Vec<Object> = Vec::new();
        for event in guilty {
            let addr = match self.graph.event(self.graph.slot_of(event)).label {
                Label::Alloc { addr, .. } | Label::Free { addr, .. } => Some(addr),
                ref label => label.access().map(|access| access.part().addr),
            };
            let object = addr.and_then(|addr| self.speaker.names.object_at(addr));
            found.extend(object.filter(|object| object.kind == AllocKind::Heap).cloned());
        }
        found.sort_by_key(|object| object.name.clone());
        found.dedup();
        found
    }

    fn overwritten(&self) -> Vec<(usize, usize)> {
        let whole = self.graph.locations().iter().filter(|location| !location.has_parts);
        let pairs = whole.flat_map(|location| {
            location.reads.iter().filter_map(|&read| {
                let seen = self.graph.co_position(self.graph.event(read).rf);
                let next = *location.co.get(seen + 1)?;
                (self.graph.po_before(next) != Some(read)).then_some((read.index(), next.index()))
            })
        });
        pairs.collect()
    }

    fn coherence(&self) -> Vec<(String, Vec<usize>)> {
        let contended = self.graph.locations().iter().filter(|location| location.co.len() > 2);
        let mut coherence: Vec<_> = contended
            .map(|location| {
                let writes = location.co[1..].iter().map(|write| write.index()).collect();
                (self.speaker.names.name_of_access(location.access), writes)
            })
            .collect();
        coherence.sort();
        coherence
    }
}

/// The thread that holds the lock that a thread has found held last.
fn holder(events: &[TraceEvent], waiting: usize) -> Option<usize> {
    let last = events.iter().rfind(|event| event.thread == waiting)?;
    match last.reads_from.filter(|_| last.operation.as_ref().is_some_and(Operation::is_held))? {
        Source::Event(write) => Some(events[write].thread).filter(|&holder| holder != waiting),
        Source::Initial | Source::Unwritten => None,
    }
}

/// Whether only joins block the threads.
fn blames_joins(run: &mut impl Run, blame: &Blame) -> bool {
    let is_joining = |thread| matches!(run.pending(thread), Step::Do(Label::Join { .. }));
    blame.waiting && blame.thread.is_some_and(is_joining)
}

fn stop(run: &mut impl Run, thread: ThreadId, blame: &Blame) -> Option<Stop> {
    let (what, waits) = match run.pending(thread) {
        Step::Failed => ("fails", false),
        Step::Unsupported => ("cannot be checked", false),
        Step::Blocked(BlockReason::Assume) => ("stops at a failed assumption", false),
        Step::Blocked(BlockReason::Bound) => ("stops at the loop bound", false),
        Step::Blocked(BlockReason::Exit) => ("ends the program", false),
        Step::Blocked(BlockReason::Retry) => ("tries again with the value it saw", false),
        Step::Blocked(BlockReason::Spin { .. }) => ("spins", true),
        Step::Blocked(BlockReason::Lock { .. }) => ("waits for a lock", true),
        Step::Blocked(BlockReason::Wait { .. }) => ("waits", true),
        Step::Do(Label::Join { .. }) if blames_joins(run, blame) => ("waits to join", true),
        // Otherwise the thread that is joined shows more than the one that joins it.
        Step::Do(_) | Step::Finished => return None,
    };
    let is_guilty = blame.thread == Some(thread) && blame.events.is_empty() || blame.waiting && waits;
    Some(Stop { what, call: None, holder: None, place: run.place(thread), is_guilty })
}
