//! Destructors that no thread can notice: they access only what no other thread accesses any more [ALGORITHMS §K.2].
//!
//! If all owners of data are gone, its destructor runs in one of the threads that had one, and often accesses only what is
//! its own: it takes a waker out of a cell, or looks at a state. Then it does not matter which thread that is, and the
//! accesses are no events. Here it is seen whether that is so: each other thread that has accessed the same object has
//! dropped an owner of the data afterwards, and none accesses it later. What the destructor reads is what the last write
//! before all drops has written. If it is not clear which write that is, or the destructor does anything else, the drops
//! must be events ([`crate::lessons`]).

use crate::context::{Context, Point, Where, with};
use crate::library::Library;
use crate::{heap, lessons, names};
use atropos_event::{Access, Addr, Label, Position, Rmw, Step, ThreadId, Value};

/// Data whose destructor is running, and whose drops are no events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub name: &'static str,
    /// Where its counts are.
    pub counts: usize,
}

/// What the outermost of the running destructors has accessed.
#[derive(Default, Debug)]
pub(crate) struct Quiet {
    /// The names of objects, each with the place of the counts of the data whose destructor this was.
    seen: Vec<(u64, usize)>,
    written: Vec<(u64, Value)>,
}

impl Clone for Quiet {
    fn clone(&self) -> Self {
        Quiet { seen: self.seen.clone(), written: self.written.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.seen.clone_from(&other.seen);
        self.written.clone_from(&other.written);
    }
}

impl Quiet {
    pub fn clear(&mut self) {
        self.seen.clear();
        self.written.clear();
    }

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
    last: Vec<(usize, Value)>,
    /// The first and the last one, in the order in which threads got their answers.
    ends: Option<[Write; 2]>,
    n_stores: usize,
}

impl Writes {
    /// The latest ones of a thread are added first.
    fn add(&mut self, nth: usize, write: Write) {
        self.n_stores += usize::from(write.is_store);
        if self.last.last().is_none_or(|&(last, _)| last != nth) {
            self.last.push((nth, write.value));
        }
        let [first, latest] = self.ends.unwrap_or([write; 2]);
        let first = if write.at < first.at { write } else { first };
        let latest = if write.at > latest.at { write } else { latest };
        self.ends = Some([first, latest]);
    }

    /// What the last write has written. It is one of the threads' last ones. Read-modify-writes come after what they read
    /// from.
    fn last_value(&self, name: u64, initial: impl FnOnce() -> Value) -> Option<Value> {
        let Some([first, latest]) = self.ends else { return Some(initial()) };
        let is_chain = match self.n_stores {
            0 => true,
            1 => names::is_initialised_by_write(name) && first.is_store,
            _ => false,
        };
        let is_clear = is_chain || self.last.iter().all(|&(_, value)| value == latest.value);
        is_clear.then_some(latest.value)
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
                    library.quiet.clear();
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
        let value = if is_seen && written.is_some() { written } else { self.last_value(counts, name) };
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
    fn last_value(&mut self, counts: usize, name: u64) -> Option<Value> {
        let mut past = std::mem::take(&mut self.past);
        if past.threads.is_empty() {
            self.look_back(&mut past);
        }
        let dropped_at = |thread: &ThreadId| {
            let known = &self.threads[thread.index()];
            known.library.dropped_at(counts).filter(|_| known.exists)
        };
        past.drops.clear();
        past.drops.extend(past.threads.iter().map(dropped_at));
        past.spread();
        let writes = past.writes_before_drops(name);
        self.past = past;
        writes?.last_value(name, || self.shared().initial(name))
    }

    /// What the threads have done in the present execution, also if the live one has not come that far. What they are about
    /// to do is done, too.
    fn look_back(&self, past: &mut Past) {
        past.threads.push(ThreadId::MAIN);
        let mut nth = 0;
        while let Some(&thread) = past.threads.get(nth) {
            let mut at = self.threads[thread.index()].wanted;
            // The answer to the step at this point, and the point to which it has led.
            let mut answered = None;
            loop {
                let Point { before, step, .. } = self.points[at.0 as usize];
                match step {
                    Some(Step::Do(Label::Spawn { child, .. })) if answered.is_some() => {
                        past.spawns.push((nth, at, past.threads.len()));
                        past.threads.push(child);
                    }
                    Some(Step::Do(Label::Join { child })) => past.joins.push((nth, at, child)),
                    Some(Step::Do(label)) => {
                        if let Some(Access { addr: Addr(name), .. }) = label.access() {
                            let written = answered.and_then(|(answer, after)| {
                                let (value, is_store) = written(label, answer)?;
                                Some(Write { value, is_store, at: after })
                            });
                            past.deeds.push(Deed { name, nth, at, written });
                        }
                    }
                    _ => {}
                }
                let Some((earlier, value)) = before else { break };
                (at, answered) = (earlier, Some((value, at)));
            }
            nth += 1;
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

/// What has happened in an execution.
#[derive(Default)]
pub(crate) struct Past {
    threads: Vec<ThreadId>,
    /// Which thread creates which, and where; the threads by their numbers in this list.
    spawns: Vec<(usize, Position, usize)>,
    /// Which thread waits for which, and where.
    joins: Vec<(usize, Position, ThreadId)>,
    /// All accesses, by threads, the latest first.
    deeds: Vec<Deed>,
    /// For each thread, a point such that everything before it happens before a drop.
    drops: Vec<Option<Position>>,
}

/// An access.
#[derive(Clone, Copy)]
struct Deed {
    name: u64,
    /// The number of the thread.
    nth: usize,
    at: Position,
    written: Option<Write>,
}

#[derive(Clone, Copy)]
struct Write {
    value: Value,
    /// Whether it writes without reading.
    is_store: bool,
    /// The point to which it has led.
    at: Position,
}

impl Past {
    /// The execution is another one.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.spawns.clear();
        self.joins.clear();
        self.deeds.clear();
    }

    fn raise(&mut self, nth: usize, to: Position) -> bool {
        let is_higher = self.drops[nth].is_none_or(|drop| drop < to);
        if is_higher {
            self.drops[nth] = Some(to);
        }
        is_higher
    }

    /// What a thread does before it creates one that drops happens before the drop, and so does all that a thread does
    /// that was joined before a drop.
    fn spread(&mut self) {
        let mut changes = true;
        while changes {
            changes = false;
            for index in 0..self.spawns.len() {
                let (parent, at, child) = self.spawns[index];
                changes |= self.drops[child].is_some() && self.raise(parent, at);
            }
            for index in 0..self.joins.len() {
                let (waiting, at, child) = self.joins[index];
                let child = self.threads.iter().position(|&thread| thread == child);
                if let Some(child) = child.filter(|_| self.drops[waiting].is_some_and(|drop| at < drop)) {
                    changes |= self.raise(child, Position(u32::MAX));
                }
            }
        }
    }

    /// The writes to an object, if all its accesses happen before drops.
    fn writes_before_drops(&self, name: u64) -> Option<Writes> {
        let mut writes = Writes::default();
        for deed in self.deeds.iter().filter(|deed| deed.name == name) {
            if self.drops[deed.nth].is_none_or(|drop| deed.at >= drop) {
                return None;
            }
            if let Some(write) = deed.written {
                writes.add(deed.nth, write);
            }
        }
        Some(writes)
    }
}
