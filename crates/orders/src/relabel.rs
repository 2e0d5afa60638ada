//! The same execution under other orders.
//!
//! A witness is run again on a program that differs only in orders: every thread does the same, reads from the same
//! writes, and gets the labels of the new program. Fences come and go with the program: those of the witness are left
//! out, and the new ones are added where the program makes them. Whether the new execution is still wrong, and whether
//! the model still allows it, is for others to judge.

use atropos_event::{
    Access, FenceOrder, Label, Program, ReadOrder, Rmw, Run, Step, ThreadId, Value, WriteOrder,
};
use atropos_graph::{ClockKind, Graph, LocId, Outcome, Slot};
use atropos_report::Witness;

/// A thread that makes more fences than this in a row does not get to its next event.
const MOST_FENCES: usize = 1000;

/// The program does not do what the witness does, for example because it splits accesses in other ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Differs;

/// The execution of `witness` on `program`, if there is one.
///
/// # Errors
/// The program differs in more than orders.
pub fn relabel(program: &dyn Program, witness: &Witness) -> Result<Witness, Differs> {
    let old = &witness.graph;
    let mut threads = vec![None; old.n_threads()];
    threads[ThreadId::MAIN.index()] = Some(ThreadId::MAIN);
    let mut copy = Copied {
        program,
        old: witness,
        graph: Graph::new(false),
        run: program.start(),
        threads,
        slots: vec![None; old.len()],
        done: vec![0; old.n_threads()],
    };
    while copy.sweep()? {}
    if copy.slots.iter().zip(old.events()).any(|(slot, event)| slot.is_none() && !is_fence(&event.label)) {
        return Err(Differs);
    }
    if witness.tracks_co {
        copy.take_coherence()?;
    }
    let mut relabelled = Witness::new(&copy.graph, &copy.run, witness.tracks_co);
    relabelled.thread =
        witness.thread.map(|thread| copy.threads[thread.index()].ok_or(Differs)).transpose()?;
    for &guilty in &witness.guilty {
        let slot = copy.slots[old.slot_of(guilty).index()].ok_or(Differs)?;
        relabelled.guilty.push(copy.graph.event(slot).id);
    }
    Ok(relabelled)
}

/// An execution under construction.
struct Copied<'a> {
    program: &'a dyn Program,
    old: &'a Witness,
    graph: Graph,
    run: Box<dyn Run + 'a>,
    /// The new number of each old thread.
    threads: Vec<Option<ThreadId>>,
    /// The new slot of each old one.
    slots: Vec<Option<Slot>>,
    /// How many events of each old thread are done.
    done: Vec<usize>,
}

impl Copied<'_> {
    /// Lets every thread do what it can. Returns whether one did something.
    fn sweep(&mut self) -> Result<bool, Differs> {
        let mut has_moved = false;
        for index in 0..self.threads.len() {
            let Some(thread) = self.threads[index] else { continue };
            while self.step(ThreadId::new(index), thread)? {
                has_moved = true;
            }
        }
        Ok(has_moved)
    }

    /// Performs the next event of a thread, if its source is there.
    fn step(&mut self, old_thread: ThreadId, thread: ThreadId) -> Result<bool, Differs> {
        let next = self.old.graph.thread(old_thread).get(self.done[old_thread.index()]).copied();
        let next_label = next.map(|slot| self.old.graph.event(slot).label);
        match next_label {
            Some(label) if is_fence(&label) => {
                self.done[old_thread.index()] += 1;
                return Ok(true);
            }
            Some(Label::Write { exclusive: true, .. }) => {}
            _ => self.make_fences(thread)?,
        }
        let Some(slot) = next.filter(|&slot| self.is_ready(slot)) else { return Ok(false) };
        self.perform(slot, thread)?;
        self.done[old_thread.index()] += 1;
        Ok(true)
    }

    fn make_fences(&mut self, thread: ThreadId) -> Result<(), Differs> {
        for _ in 0..MOST_FENCES {
            let Step::Do(label @ Label::Fence { .. }) = self.run.pending(thread) else { return Ok(()) };
            let before = self.run.position(thread);
            self.graph.add(thread, label, LocId::NONE, Outcome { rf: Slot::INIT, co: 0, value: 0, before });
            self.run.resume(thread, 0);
        }
        Err(Differs)
    }

    /// Whether the events that `slot` depends on are there.
    fn is_ready(&self, slot: Slot) -> bool {
        let graph = &self.old.graph;
        let event = graph.event(slot);
        let is_there = |source: Slot| source.is_init() || self.slots[source.index()].is_some();
        let follows = event.is_read() || matches!(event.label, Label::Begin | Label::Join { .. });
        let has_parts = event.is_read() && graph.location(event.loc).has_parts;
        (!follows || is_there(event.rf)) && (!has_parts || graph.sources(slot).all(is_there))
    }

    fn perform(&mut self, slot: Slot, thread: ThreadId) -> Result<(), Differs> {
        let old = &self.old.graph;
        let event = *old.event(slot);
        let is_second_half = matches!(event.label, Label::Write { exclusive: true, .. });
        let label =
            if is_second_half { self.second_half(thread)? } else { self.first_half(thread, event.label)? };
        let loc = match label.access() {
            Some(access) => self.locate(access)?,
            None => LocId::NONE,
        };
        let has_parts = loc != LocId::NONE && old.location(event.loc).has_parts;
        let rf =
            if event.rf.is_init() { Slot::INIT } else { self.slots[event.rf.index()].unwrap_or(Slot::INIT) };
        let value = match label {
            _ if has_parts => event.value,
            Label::Read { .. } => self.graph.value_of(loc, rf),
            Label::Write { value, .. } => value,
            _ => 0,
        };
        if value != event.value {
            return Err(Differs);
        }
        let co = if label.is_write() { self.graph.location(loc).co.len() as u32 } else { 0 };
        let before = self.run.position(thread);
        let added = self.graph.add(thread, label, loc, Outcome { rf, co, value, before });
        self.slots[slot.index()] = Some(added);
        if event.is_read() && has_parts {
            let sources: Vec<Slot> = old.sources(slot).filter(|source| !source.is_init()).collect();
            for source in sources.into_iter().filter_map(|source| self.slots[source.index()]) {
                self.graph.join_clock(ClockKind::Porf, added, ClockKind::Porf, source);
            }
        }
        self.answer(slot, thread, value, is_second_half);
        Ok(())
    }

    fn answer(&mut self, slot: Slot, thread: ThreadId, value: Value, is_second_half: bool) {
        if self.old.graph.reads_unwritten(slot) {
            self.run.resume_unwritten(thread);
        } else if !is_second_half {
            self.run.resume(thread, value);
        }
    }

    /// The label that the thread wants to perform, if it is the old one with other orders.
    fn first_half(&mut self, thread: ThreadId, old: Label) -> Result<Label, Differs> {
        let Step::Do(new) = self.run.pending(thread) else { return Err(Differs) };
        match (old, new) {
            (Label::Spawn { child, .. }, Label::Spawn { child: created, .. }) => {
                if self.old.key(child) != self.run.key(created) {
                    return Err(Differs);
                }
                self.threads[child.index()] = Some(created);
                Ok(new)
            }
            (Label::Join { child }, Label::Join { child: joined }) => {
                if self.old.key(child) == self.run.key(joined) { Ok(new) } else { Err(Differs) }
            }
            // A store to a part, in one piece.
            (
                Label::Write { access, value, exclusive: false, .. },
                Label::Read { access: wanted, rmw: Rmw::Merge { value: part, write_order }, .. },
            ) if access == wanted && access.merge(value, part) == value => {
                Ok(Label::Write { access, order: write_order, value, exclusive: false })
            }
            _ if without_orders(old) == without_orders(new) => Ok(new),
            _ => Err(Differs),
        }
    }

    /// The write of the read-modify-write whose read the thread has just performed.
    fn second_half(&self, thread: ThreadId) -> Result<Label, Differs> {
        let read = self.graph.event(self.graph.last_of(thread).ok_or(Differs)?);
        read.label.exclusive_write(read.value).ok_or(Differs)
    }

    fn locate(&mut self, access: Access) -> Result<LocId, Differs> {
        let program = self.program;
        self.graph.locate(access, || program.initial(access)).map_err(|_| Differs)
    }

    fn take_coherence(&mut self) -> Result<(), Differs> {
        for location in self.old.graph.locations().iter().filter(|location| location.co.len() > 1) {
            let new =
                |&write: &Slot| if write.is_init() { Some(Slot::INIT) } else { self.slots[write.index()] };
            let order: Vec<Slot> = location.co.iter().map(new).collect::<Option<_>>().ok_or(Differs)?;
            self.graph.set_co(self.graph.event(order[1]).loc, &order);
        }
        Ok(())
    }
}

fn is_fence(label: &Label) -> bool {
    matches!(label, Label::Fence { .. })
}

/// The label with the weakest orders of its kind.
fn without_orders(label: Label) -> Label {
    let read = |order: ReadOrder| if order.is_atomic() { ReadOrder::Relaxed } else { order };
    let write = |order: WriteOrder| if order.is_atomic() { WriteOrder::Relaxed } else { order };
    match label {
        Label::Read { access, order, rmw } => Label::Read {
            access,
            order: read(order),
            rmw: match rmw {
                Rmw::None => rmw,
                Rmw::Fetch { op, operand, write_order } => {
                    Rmw::Fetch { op, operand, write_order: write(write_order) }
                }
                Rmw::Cas { expected, desired, write_order, failure_order } => Rmw::Cas {
                    expected,
                    desired,
                    write_order: write(write_order),
                    failure_order: read(failure_order),
                },
                Rmw::Merge { value, write_order } => Rmw::Merge { value, write_order: write(write_order) },
            },
        },
        Label::Write { access, order, value, exclusive } => {
            Label::Write { access, order: write(order), value, exclusive }
        }
        Label::Fence { .. } => Label::Fence { order: FenceOrder::Acquire },
        Label::Begin
        | Label::End
        | Label::Spawn { .. }
        | Label::Join { .. }
        | Label::Alloc { .. }
        | Label::Free { .. } => label,
    }
}
