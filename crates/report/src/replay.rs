//! Replays a witness from the start.
//!
//! The replay rebuilds the graph event by event beside a fresh run of the program, which must issue exactly the
//! labels of the graph. This is the first half of the independent check of a violation; it also finds the source
//! place of each event.

use crate::names::Names;
use crate::operation;
use crate::order::total_order;
use crate::recheck::Recheck;
use crate::witness::Witness;
use atropos_event::{Access, EventId, Label, LibraryCall, Place, Program, Rmw, Run, Step, ThreadId, Value};
use atropos_graph::{ClockKind, Graph, LocId, Outcome, Slot, validate};

/// The witness in a new run. Threads and slots are renumbered; slots follow the total order.
pub struct Replay<'program> {
    pub graph: Graph,
    pub run: Box<dyn Run + 'program>,
    /// The place of each event, by slot.
    pub places: Vec<Place>,
    /// The call of the thread library that each event is part of, by slot.
    pub calls: Vec<Option<LibraryCall>>,
    /// The output of threads, in order.
    pub output: Vec<(ThreadId, String)>,
    /// The new number of each thread of the witness.
    threads: Vec<Option<ThreadId>>,
    /// The new slot of each slot of the witness.
    slots: Vec<Slot>,
}

impl Replay<'_> {
    pub fn thread(&self, thread: ThreadId) -> Option<ThreadId> {
        self.threads[thread.index()]
    }

    /// The new slot of an event of the witness.
    pub fn slot(&self, slot: Slot) -> Slot {
        if slot.is_init() { Slot::INIT } else { self.slots[slot.index()] }
    }

    /// The replayed execution as a witness, with the new numbers. A confirmed one has a coherence order.
    pub fn witness(&self, old: &Witness, checked: Recheck) -> Witness {
        let has_co = old.tracks_co || checked == Recheck::Confirmed;
        let mut witness = Witness::new(&self.graph, &self.run, has_co);
        witness.thread = old.thread.and_then(|thread| self.thread(thread));
        let slot = |&event: &EventId| self.slot(old.graph.slot_of(event));
        witness.guilty = old.guilty.iter().map(|event| self.graph.event(slot(event)).id).collect();
        witness
    }

    /// The names of what the execution accesses.
    pub fn names<'a>(&self, program: &'a dyn Program) -> Names<'a> {
        let threads = self.threads();
        let name = |thread: ThreadId| {
            let rank = threads.iter().position(|&known| known == thread).unwrap_or_default();
            (self.run.key(thread), program.name_of_thread(self.run.key(thread), rank))
        };
        Names::of(program, &self.graph, &self.places, threads.iter().map(|&thread| (thread, name(thread))))
    }

    /// All threads that exist, in the order of their canonical names.
    pub fn threads(&self) -> Vec<ThreadId> {
        let mut threads: Vec<_> = self.threads.iter().copied().flatten().collect();
        threads.sort_unstable_by_key(|&thread| self.run.key(thread));
        threads
    }
}

/// Runs `witness` again on `program`.
///
/// # Errors
/// How the fresh run differs from the witness: a bug in Atropos, or a program that is not deterministic.
pub fn replay<'program>(
    program: &'program dyn Program,
    witness: &Witness,
) -> Result<Replay<'program>, String> {
    replay_part(program, witness, &|_| true)
}

/// Runs a part of `witness` again on `program`: the events that `keep` accepts, which must include those before them
/// in `porf`.
///
/// # Errors
/// As for [`replay`].
pub fn replay_part<'program>(
    program: &'program dyn Program,
    witness: &Witness,
    keep: &dyn Fn(Slot) -> bool,
) -> Result<Replay<'program>, String> {
    let mut threads = vec![None; witness.graph.n_threads()];
    threads[ThreadId::MAIN.index()] = Some(ThreadId::MAIN);
    let mut replay = Replay {
        graph: Graph::new(false),
        run: program.start(),
        places: Vec::with_capacity(witness.graph.len()),
        calls: Vec::with_capacity(witness.graph.len()),
        output: Vec::new(),
        threads,
        slots: vec![Slot::INIT; witness.graph.len()],
    };
    replay.note_output(ThreadId::MAIN);
    for slot in total_order(&witness.graph, witness.tracks_co).into_iter().filter(|&slot| keep(slot)) {
        replay.perform(program, witness, slot).map_err(|difference| {
            let event = witness.graph.event(slot);
            format!(
                "replaying event {} of thread {}: {difference}",
                event.id.index(),
                witness.key(event.id.thread())
            )
        })?;
    }
    if witness.tracks_co {
        replay.take_coherence(witness, keep);
    }
    let differs =
        |slot: Slot| witness.graph.reads_unwritten(slot) != replay.graph.reads_unwritten(replay.slot(slot));
    if (0..witness.graph.len()).map(Slot::new).filter(|&slot| keep(slot)).any(differs) {
        return Err("another event reads memory that was never written".to_string());
    }
    match validate(&replay.graph) {
        Ok(()) => Ok(replay),
        Err(broken) => Err(format!("the replayed graph is malformed: {broken:?}")),
    }
}

impl Replay<'_> {
    fn perform(&mut self, program: &dyn Program, witness: &Witness, slot: Slot) -> Result<(), String> {
        let event = *witness.graph.event(slot);
        let thread = self.thread(event.id.thread()).ok_or("the thread has not been created")?;
        let is_second_half = matches!(event.label, Label::Write { exclusive: true, .. });
        let (label, place, call) = if is_second_half {
            let read = self.last(thread)?.index();
            (self.exclusive_write(thread)?, self.places[read].clone(), self.calls[read].clone())
        } else {
            match self.run.pending(thread) {
                Step::Do(label) => {
                    let call = operation::outermost(&self.run.library_calls(thread)).cloned();
                    (label, self.run.place(thread), call)
                }
                step => return Err(format!("the thread does not move: {step:?}")),
            }
        };
        let label = self.compare(witness, event.label, label)?;
        let loc = match label.access() {
            Some(access) => self.locate(program, access)?,
            None => LocId::NONE,
        };
        // What is seen of a location with parts follows from its coherence order, which comes last.
        let has_parts = loc != LocId::NONE && witness.graph.location(event.loc).has_parts;
        let outcome = Outcome {
            rf: self.slot(event.rf),
            co: if label.is_write() { self.graph.location(loc).co.len() as u32 } else { 0 },
            value: match has_parts {
                true => event.value,
                false => self.value(label, loc, self.slot(event.rf)),
            },
            before: self.run.position(thread),
        };
        if outcome.value != event.value {
            return Err(format!("value {} instead of {}", outcome.value, event.value));
        }
        let added = self.graph.add(thread, label, loc, outcome);
        self.slots[slot.index()] = added;
        self.places.push(place);
        self.calls.push(call);
        if event.is_read() && has_parts {
            for source in witness.graph.sources(slot) {
                self.graph.join_clock(ClockKind::Porf, added, ClockKind::Porf, self.slot(source));
            }
        }
        if witness.graph.reads_unwritten(slot) {
            self.run.resume_unwritten(thread);
        } else if !is_second_half {
            self.run.resume(thread, outcome.value);
            self.note_output(thread);
        }
        Ok(())
    }

    fn note_output(&mut self, thread: ThreadId) {
        let text = self.run.shown(thread);
        if !text.is_empty() {
            self.output.push((thread, text));
        }
    }

    fn last(&self, thread: ThreadId) -> Result<Slot, String> {
        self.graph.last_of(thread).ok_or_else(|| "an exclusive write without its read".to_string())
    }

    /// The write that the read at the end of `thread` entails.
    fn exclusive_write(&self, thread: ThreadId) -> Result<Label, String> {
        let read = self.graph.event(self.last(thread)?);
        let Label::Read { access, rmw, .. } = read.label else {
            return Err(format!("an exclusive write behind {:?}", read.label));
        };
        let (value, order) = rmw.write_after(access, read.value).ok_or("a failed CAS does not write")?;
        Ok(Label::Write { access, order, value, exclusive: true })
    }

    /// Compares the label of the run with that of the witness, and returns the one that the graph has. Threads are
    /// compared by their canonical names.
    fn compare(&mut self, witness: &Witness, expected: Label, wanted: Label) -> Result<Label, String> {
        match (expected, wanted) {
            (Label::Spawn { child: old, .. }, Label::Spawn { child: new, .. })
            | (Label::Join { child: old }, Label::Join { child: new }) => {
                let (key, new_key) = (witness.key(old), self.run.key(new));
                if key != new_key {
                    return Err(format!("thread {new_key} instead of {key}"));
                }
                self.threads[old.index()] = Some(new);
                Ok(wanted)
            }
            // A store to a part, in one piece.
            (
                Label::Write { access, order, value, exclusive: false },
                Label::Read { access: wanted, rmw: Rmw::Merge { value: part, write_order }, .. },
            ) if (access, order) == (wanted, write_order) && access.merge(value, part) == value => {
                Ok(expected)
            }
            _ if expected == wanted => Ok(wanted),
            _ => Err(format!("the program wants {wanted:?}, the graph has {expected:?}")),
        }
    }

    fn locate(&mut self, program: &dyn Program, access: Access) -> Result<LocId, String> {
        self.graph
            .locate(access, || program.initial(access))
            .map_err(|other| format!("{access:?} overlaps {other:?} partially"))
    }

    /// Takes over the coherence order of the witness.
    fn take_coherence(&mut self, witness: &Witness, keep: &dyn Fn(Slot) -> bool) {
        for location in witness.graph.locations() {
            let kept = location.co.iter().filter(|&&write| write.is_init() || keep(write));
            let order: Vec<Slot> = kept.map(|&write| self.slot(write)).collect();
            if order.len() < 2 {
                continue;
            }
            let loc = self.graph.event(order[1]).loc;
            self.graph.set_co(loc, &order);
        }
    }

    fn value(&self, label: Label, loc: LocId, source: Slot) -> Value {
        match label {
            Label::Read { .. } => self.graph.value_of(loc, source),
            Label::Write { value, .. } => value,
            Label::Begin
            | Label::End
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Join { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => 0,
        }
    }
}
