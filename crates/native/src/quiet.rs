//! Destructors that no thread can notice: they access only what no other thread accesses any more [ALGORITHMS §K.2].
//!
//! If all owners of data are gone, its destructor runs in one of the threads that had one, and often accesses only what is
//! its own: it takes a waker out of a cell, or looks at a state. Then it does not matter which thread that is, and the
//! accesses are no events. Here it is seen whether that is so: each other thread that has accessed the same object has
//! dropped an owner of the data afterwards, and none accesses it later. What the destructor reads is what the last write
//! before all drops has written. If it is not clear which write that is, or the destructor does anything else, the drops
//! must be events ([`crate::lessons`]).

use crate::context::{Context, Library, Point, Where, with};
use crate::{heap, lessons, names};
use atropos_event::{Access, Label, Position, Rmw, Step, ThreadId, Value};

/// Data whose destructor is running, and whose drops are no events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub name: &'static str,
    /// Where its counts are.
    pub counts: usize,
}

/// What the outermost of the running destructors has accessed.
#[derive(Clone, Default, Debug)]
pub(crate) struct Quiet {
    /// The names of objects, each with the place of the counts of the data whose destructor this was.
    seen: Vec<(u64, usize)>,
    written: Vec<(u64, Value)>,
}

impl Quiet {
    fn written(&self, name: u64) -> Option<Value> {
        self.written.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
    }

    fn write(&mut self, name: u64, value: Value) {
        self.written.retain(|(known, _)| *known != name);
        self.written.push((name, value));
    }

    pub fn is_used(&self) -> bool {
        !self.seen.is_empty()
    }
}

/// The writes to an object, as far as they decide what the last one has written.
#[derive(Default)]
struct Writes {
    /// The last one of each thread.
    last: Vec<Value>,
    /// The first and the last one, in the order in which threads got their answers.
    first: Option<(Position, bool)>,
    latest: Option<(Position, Value)>,
    n_stores: usize,
}

impl Writes {
    fn add(&mut self, at: Position, value: Value, is_store: bool, is_last: bool) {
        self.n_stores += usize::from(is_store);
        if is_last {
            self.last.push(value);
        }
        if self.first.is_none_or(|(first, _)| at < first) {
            self.first = Some((at, is_store));
        }
        if self.latest.is_none_or(|(latest, _)| at > latest) {
            self.latest = Some((at, value));
        }
    }

    /// What the last write has written. It is one of the threads' last ones. Read-modify-writes come after what they read
    /// from.
    fn last_value(&self, name: u64, initial: impl FnOnce() -> Value) -> Option<Value> {
        let Some((_, latest)) = self.latest else { return Some(initial()) };
        let is_chain = match self.n_stores {
            0 => true,
            1 => names::is_initialised_by_write(name) && self.first.is_some_and(|(_, is_store)| is_store),
            _ => false,
        };
        let is_clear = is_chain || self.last.iter().all(|&value| value == latest);
        is_clear.then_some(latest)
    }
}

impl Library {
    /// The point that the thread had reached when it last dropped an owner of the data with these counts.
    fn dropped_at(&self, counts: usize) -> Option<Position> {
        self.quiet_drops.iter().find(|(known, _)| *known == counts).map(|&(_, at)| at)
    }

    fn note_drop_at(&mut self, counts: usize, at: Position) {
        match self.quiet_drops.iter_mut().find(|(known, _)| *known == counts) {
            Some((_, known)) => *known = at.max(*known),
            None => self.quiet_drops.push((counts, at)),
        }
    }
}

/// The running thread drops an owner of the data with counts at this place, and that is no event.
pub(crate) fn note_drop(counts: usize) {
    heap::outside(|| with(|context| context.note_drop(counts)));
}

/// Runs the destructor of data with counts at `counts`, whose drops are no events. If the destructor does what other
/// threads could notice, they must be.
pub(crate) fn probe(probe: Probe, destroy: impl FnOnce(), place: Where) {
    let traces = || (heap::mark(), with(|context| context.running().library.n_looks));
    let before = traces();
    heap::outside(|| with(|context| context.running().library.probes.push(probe)));
    let ending = Ending;
    destroy();
    if with(|context| context.running().library.quiet.is_used()) && traces() != before {
        // What the thread allocates later has another address if it was the one that ran the destructor.
        lessons::learn_counts(place);
    }
    drop(ending);
}

/// The end of a destructor, in a panic, too.
struct Ending;

impl Drop for Ending {
    fn drop(&mut self) {
        heap::outside(|| {
            with(|context| {
                let library = &mut context.running().library;
                library.probes.pop();
                if library.probes.is_empty() {
                    library.quiet = Quiet::default();
                }
            });
        });
    }
}

/// The running thread performs `label` in a destructor; returns the answer.
pub(crate) fn perform(label: Label, place: Where) -> Value {
    let answer = heap::outside(|| with(|context| context.act_quietly(label)));
    answer.unwrap_or_else(|| lessons::learn_counts(place))
}

impl Context {
    fn note_drop(&mut self, counts: usize) {
        let running = self.running();
        let (at, outer) = (running.at, running.library.probes.last().copied());
        running.library.note_drop_at(counts, at);
        // What a destructor drops, the threads have dropped that have dropped what it is the destructor of.
        if let Some(Probe { counts: outer, .. }) = outer {
            for thread in self.threads.iter_mut().filter(|thread| thread.exists) {
                if let Some(at) = thread.library.dropped_at(outer) {
                    thread.library.note_drop_at(counts, at);
                }
            }
        }
    }

    /// The running thread is in a destructor, and does this; returns the answer if no other thread can notice.
    pub fn act_quietly(&mut self, label: Label) -> Option<Value> {
        let (access, rmw) = match label {
            Label::Read { access, rmw, .. } => (access, rmw),
            Label::Write { access, .. } => (access, Rmw::None),
            Label::Begin
            | Label::End
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Join { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => return None,
        };
        let name = access.addr.0;
        let Probe { counts, .. } = *self.running().library.probes.last()?;
        let quiet = &self.running().library.quiet;
        let (is_seen, written) = (quiet.seen.contains(&(name, counts)), quiet.written(name));
        let is_own = quiet.seen.iter().any(|&(known, _)| known == name);
        if names::is_tracked(name) || (!is_own && self.tracked.is_buried(name)) {
            return None;
        }
        let value = if is_seen && written.is_some() { written } else { self.last_value(counts, access) };
        let value = written.or(value).filter(|_| value.is_some())?;
        let Context { threads, current, tracked, .. } = self;
        let library = &mut threads[current.index()].library;
        library.quiet.seen.push((name, counts));
        if !is_seen {
            tracked.bury(name, library.probes.iter().map(|probe| probe.name));
        }
        match label {
            Label::Write { value, .. } => library.quiet.write(name, value),
            _ => {
                let after = rmw.write_after(access, value).map_or(value, |(after, _)| after);
                library.quiet.write(name, after);
            }
        }
        Some(value)
    }

    /// What the last write has written, if all accesses of the object happen before drops of the data; `None` if not, or
    /// if it is not clear which write is the last.
    fn last_value(&self, counts: usize, access: Access) -> Option<Value> {
        let name = access.addr.0;
        let mut past = Past::default();
        past.threads.push(ThreadId::MAIN);
        let mut next = 0;
        while let Some(&thread) = past.threads.get(next) {
            next += 1;
            let known = &self.threads[thread.index()];
            let drop = known.library.dropped_at(counts).filter(|_| known.exists);
            past.drops.push((thread, drop));
            self.add_past(thread, name, &mut past);
        }
        past.spread();
        let is_over =
            |&(thread, at): &(ThreadId, Position)| past.drop_of(thread).is_some_and(|drop| at < drop);
        let is_clear = past.accesses.iter().all(is_over);
        if is_clear { past.writes.last_value(name, || self.shared().initial(name)) } else { None }
    }

    /// What `thread` has done in the present execution, as far as it matters for the object `name`. What it is about to do
    /// is done, too.
    fn add_past(&self, thread: ThreadId, name: u64, past: &mut Past) {
        let mut at = self.threads[thread.index()].wanted;
        // The answer to the step at this point, and the point to which it has led.
        let mut answered = None;
        let mut is_last = true;
        loop {
            let Point { before, step, .. } = self.points[at.0 as usize];
            if let Some(Step::Do(label)) = step {
                match label {
                    Label::Spawn { child, .. } if answered.is_some() => {
                        past.threads.push(child);
                        past.spawns.push((thread, at, child));
                    }
                    Label::Join { child } => past.joins.push((thread, at, child)),
                    _ => {}
                }
                if label.access().is_some_and(|access| access.addr.0 == name) {
                    past.accesses.push((thread, at));
                    if let Some((answer, after)) = answered
                        && let Some((value, is_store)) = written(label, answer)
                    {
                        past.writes.add(after, value, is_store, std::mem::take(&mut is_last));
                    }
                }
            }
            let Some((earlier, value)) = before else { return };
            (at, answered) = (earlier, Some((value, at)));
        }
    }
}

/// What a thread writes that performs this label and gets the answer, and whether it does so without reading.
fn written(label: Label, answer: Value) -> Option<(Value, bool)> {
    match label {
        Label::Write { value, .. } => Some((value, true)),
        Label::Read { access, rmw, .. } => rmw.write_after(access, answer).map(|(value, _)| (value, false)),
        _ => None,
    }
}

/// What has happened in an execution, as far as it matters for one object.
#[derive(Default)]
struct Past {
    threads: Vec<ThreadId>,
    /// The last point of each thread that happens before a drop, or right after it.
    drops: Vec<(ThreadId, Option<Position>)>,
    /// Which thread creates which, and where.
    spawns: Vec<(ThreadId, Position, ThreadId)>,
    /// Which thread waits for which, and where.
    joins: Vec<(ThreadId, Position, ThreadId)>,
    accesses: Vec<(ThreadId, Position)>,
    writes: Writes,
}

impl Past {
    fn drop_of(&self, thread: ThreadId) -> Option<Position> {
        self.drops.iter().find(|(known, _)| *known == thread).and_then(|&(_, drop)| drop)
    }

    fn raise(&mut self, thread: ThreadId, to: Position) -> bool {
        let Some((_, drop)) = self.drops.iter_mut().find(|(known, _)| *known == thread) else { return false };
        let is_higher = drop.is_none_or(|drop| drop < to);
        if is_higher {
            *drop = Some(to);
        }
        is_higher
    }

    /// What a thread does before it creates one that drops happens before the drop, and so does all that a thread does
    /// that was joined before a drop.
    fn spread(&mut self) {
        let mut changes = true;
        while changes {
            changes = false;
            for (parent, at, child) in self.spawns.clone() {
                changes |= self.drop_of(child).is_some() && self.raise(parent, at);
            }
            for (waiting, at, child) in self.joins.clone() {
                changes |= self.drop_of(waiting).is_some_and(|drop| at < drop)
                    && self.raise(child, Position(u32::MAX));
            }
        }
    }
}
