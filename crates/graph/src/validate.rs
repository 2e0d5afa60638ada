//! The well-formedness of execution graphs, as an executable list of rules.
//!
//! A graph that breaks a rule is a bug of the code that built it, never a property of the checked program. The rules
//! say nothing about consistency, which is up to the memory models. Everything that the graph keeps for speed (lists,
//! positions, flags, clocks) is recomputed here and compared.
//!
//! 1. Storage: the event in a slot is in the list of its thread at its own index, and the lists contain nothing
//!    else.
//! 2. Locations: reads and writes know the location of their access, other events have none; different
//!    locations share no byte, unless one is a share of the other.
//! 3. Threads: a thread other than the main one starts with `Begin`, which occurs nowhere else; nothing follows
//!    `End`; no thread is spawned twice, and the main one never.
//! 4. Sources: a read reads from the initial write or from a write of its location; a `Begin` follows the
//!    `Spawn` of its thread, a `Join` the `End` of its child; no other event has a source.
//! 5. Values: a read has its source's value, with the updates of a counter since; a write has its label's, other
//!    events 0. Where parts are stored to, a read
//!    has the value of all that it sees, and a store to a part that of the cell after it.
//! 6. Coherence: the list of each location has the initial write first and then each of its writes once, and
//!    every write knows its position.
//! 7. Readers: each location lists all its reads in the order of addition.
//! 8. Read-modify-writes: a read is marked exclusive exactly if the value read makes its operation succeed. It is
//!    then followed in its thread by the write of the operation's value and order, or by nothing; an exclusive
//!    write only ever follows such a read.
//! 9. No thin air: `po`, sources included, is acyclic.
//! 10. Clocks: the `porf` clock of each event is the set of events before it, itself included; the arena
//!     has one row per event.
//! 11. Memory: the lists of `Alloc` events per thread, and of all `Free` events, are complete and in order.
//! 12. Fences: the list of each thread's fences that release is complete and in order.
//! 13. Order: if an access records that it comes after all earlier entries of its list, they happen before it, or are in
//!     its `porf`-prefix; if it records that they are a chain, they are.

use crate::clock;
use crate::event::{Event, Slot};
use crate::graph::Graph;
use crate::location::LocId;
use atropos_event::{Access, EventId, Label, ThreadId};
use std::fmt;

#[cfg(test)]
mod tests;

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The number in this file's list.
    pub rule: u32,
    /// The event at fault, if it is one.
    pub event: Option<EventId>,
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}", self.rule)?;
        if let Some(event) = self.event {
            write!(f, " at {event}")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// Checks all rules. Later rules assume the earlier ones where they must, so for a graph whose storage is broken only
/// that is reported.
pub fn validate(graph: &Graph) -> Result<(), Vec<Broken>> {
    let mut check = Check { graph, broken: Vec::new() };
    check.storage();
    if check.broken.is_empty() {
        check.locations();
        check.threads();
        check.sources();
    }
    if check.broken.is_empty() {
        check.coherence();
    }
    if check.broken.is_empty() {
        check.values();
        check.readers();
        check.read_modify_writes();
        check.clocks();
        check.memory();
        check.order();
    }
    if check.broken.is_empty() { Ok(()) } else { Err(check.broken) }
}

struct Check<'graph> {
    graph: &'graph Graph,
    broken: Vec<Broken>,
}

impl<'graph> Check<'graph> {
    fn require(&mut self, holds: bool, rule: u32, event: Option<EventId>, what: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(Broken { rule, event, what: what() });
        }
    }

    fn slots(&self) -> impl Iterator<Item = (Slot, Event)> + use<'graph> {
        let events = self.graph.events().iter().enumerate();
        events.map(|(index, &event)| (Slot::new(index), event))
    }

    fn storage(&mut self) {
        for (slot, event) in self.slots() {
            let listed = self.graph.threads.get(event.id.thread().index());
            let listed = listed.and_then(|thread| thread.slots.get(event.id.index()));
            self.require(listed == Some(&slot), 1, Some(event.id), || {
                format!("is stored in {slot:?}, but its thread lists {listed:?}")
            });
        }
        let n_listed: usize = self.graph.threads.iter().map(|thread| thread.slots.len()).sum();
        self.require(n_listed == self.graph.len(), 1, None, || {
            format!("the threads list {n_listed} events of {}", self.graph.len())
        });
    }

    fn locations(&mut self) {
        for (_, event) in self.slots() {
            let known = match event.loc {
                LocId::NONE => None,
                loc => self.graph.locations().get(loc.index()).map(|location| location.access),
            };
            self.require(known == event.label.access().map(Access::cell), 2, Some(event.id), || {
                format!("accesses {:?}, its location is {known:?}", event.label.access())
            });
        }
        let locations = self.graph.locations().iter().filter(|location| location.share_of.is_none());
        let mut accesses: Vec<_> = locations.map(|location| location.access).collect();
        accesses.sort_unstable_by_key(|access| access.addr);
        for pair in accesses.windows(2) {
            self.require(!pair[0].overlaps(pair[1]), 2, None, || {
                format!("two locations share bytes of {:?}", pair[1])
            });
        }
    }

    fn threads(&mut self) {
        let mut spawned = Vec::new();
        for (_, event) in self.slots() {
            let Event { id, label, .. } = event;
            let begins = id.index() == 0 && id.thread() != ThreadId::MAIN;
            self.require(begins == (label == Label::Begin), 3, Some(id), || {
                format!("{label:?} as event {} of {}", id.index(), id.thread())
            });
            let n_events = self.graph.thread(id.thread()).len();
            self.require(label != Label::End || id.index() + 1 == n_events, 3, Some(id), || {
                format!("{} goes on after its end", id.thread())
            });
            if let Label::Spawn { child, .. } = label {
                let is_new = child != ThreadId::MAIN && !spawned.contains(&child);
                self.require(is_new, 3, Some(id), || format!("{child} is spawned once more"));
                spawned.push(child);
            }
        }
    }

    fn sources(&mut self) {
        for (_, event) in self.slots() {
            let source = (!event.rf.is_init()).then(|| self.graph.events().get(event.rf.index())).flatten();
            let is_right = match event.label {
                Label::Read { .. } => {
                    event.rf.is_init()
                        || source.is_some_and(|source| source.is_write() && source.loc == event.loc)
                }
                Label::Begin => {
                    source.is_some_and(|source| source.label.created() == Some(event.id.thread()))
                }
                Label::Join { child } => {
                    source.is_some_and(|source| source.label == Label::End && source.id.thread() == child)
                }
                Label::Write { .. }
                | Label::End
                | Label::Fence { .. }
                | Label::Spawn { .. }
                | Label::Alloc { .. }
                | Label::Free { .. } => event.rf.is_init(),
            };
            let found = source.map(|source| (source.id, source.label));
            self.require(is_right, 4, Some(event.id), || format!("{:?} follows {found:?}", event.label));
        }
    }

    fn values(&mut self) {
        for (slot, event) in self.slots() {
            let value = match event.label {
                Label::Read { .. } if self.graph.location(event.loc).has_parts => self.graph.value_seen(slot),
                Label::Read { .. } => self.graph.value_at(slot),
                Label::Write { .. } if self.graph.is_part_store(slot) => {
                    let before = self.graph.location(event.loc).co[event.co as usize - 1];
                    self.graph.value_after(slot, self.graph.value_of(event.loc, before))
                }
                Label::Write { value, .. } => value,
                Label::Begin
                | Label::End
                | Label::Fence { .. }
                | Label::Spawn { .. }
                | Label::Join { .. }
                | Label::Alloc { .. }
                | Label::Free { .. } => 0,
            };
            self.require(event.value == value, 5, Some(event.id), || {
                format!("has value {} instead of {value}", event.value)
            });
        }
    }

    fn coherence(&mut self) {
        let by_location = self.by_location(Event::is_write);
        for (location, writes) in self.graph.locations().iter().zip(by_location) {
            let is_init_first = location.co.first() == Some(&Slot::INIT);
            let mut listed: Vec<_> = location.co.iter().copied().filter(|slot| !slot.is_init()).collect();
            listed.sort_unstable();
            let is_complete = location.co.len() == writes.len() + 1 && listed == writes;
            self.require(is_init_first && is_complete, 6, None, || {
                format!("{:?}: the list {:?} should hold init and {writes:?}", location.access, location.co)
            });
            for (position, &write) in location.co.iter().enumerate().filter(|(_, slot)| !slot.is_init()) {
                let Some(event) = self.graph.events().get(write.index()) else { continue };
                self.require(position == event.co as usize, 6, Some(event.id), || {
                    format!("claims position {}, but is at {position}", event.co)
                });
            }
        }
    }

    fn readers(&mut self) {
        let by_location = self.by_location(Event::is_read);
        for (location, reads) in self.graph.locations().iter().zip(by_location) {
            self.require(location.reads == reads, 7, None, || {
                format!("{:?}: the list {:?} should be {reads:?}", location.access, location.reads)
            });
        }
    }

    /// By location, the slots of the accesses that `is_wanted`, in order of addition.
    fn by_location(&self, is_wanted: impl Fn(&Event) -> bool) -> Vec<Vec<Slot>> {
        let mut found = vec![Vec::new(); self.graph.locations().len()];
        for (slot, event) in self.slots().filter(|(_, event)| is_wanted(event)) {
            found[event.loc.index()].push(slot);
        }
        found
    }

    fn read_modify_writes(&mut self) {
        for (slot, event) in self.slots() {
            let at = Some(event.id);
            match event.label {
                Label::Read { access, rmw, .. } => {
                    let write = rmw.write_after(access, event.value);
                    let is_marked = event.exclusive == write.is_some();
                    self.require(is_marked, 8, at, || {
                        format!("exclusive: {}, to write: {write:?}", event.exclusive)
                    });
                    let next = self.graph.thread(event.id.thread()).get(event.id.index() + 1);
                    let next = next.map(|&next| self.graph.event(next).label);
                    let (Some((value, order)), Some(next)) = (write, next) else { continue };
                    let expected = Label::Write { access, order, value, exclusive: true };
                    self.require(next == expected, 8, at, || {
                        format!("{next:?} follows instead of {expected:?}")
                    });
                }
                Label::Write { exclusive: true, .. } => {
                    let read = self.graph.po_before(slot).map(|before| self.graph.event(before));
                    let is_behind_read = read.is_some_and(|read| read.is_read() && read.exclusive);
                    self.require(event.exclusive && is_behind_read, 8, at, || "has no exclusive read".into());
                }
                Label::Write { exclusive: false, .. }
                | Label::Begin
                | Label::End
                | Label::Fence { .. }
                | Label::Spawn { .. }
                | Label::Join { .. }
                | Label::Alloc { .. }
                | Label::Free { .. } => {
                    self.require(!event.exclusive, 8, at, || "is marked exclusive".into());
                }
            }
        }
    }

    fn clocks(&mut self) {
        let (graph, n_events) = (self.graph, self.graph.len());
        let is_sized = graph.clocks.n_rows() == n_events;
        self.require(is_sized, 10, None, || format!("the arena does not have {n_events} rows"));
        let Some(porf) = recompute_porf(graph) else {
            self.broken.push(Broken { rule: 9, event: None, what: "po and rf form a cycle".into() });
            return;
        };
        for (slot, event) in self.slots().filter(|_| is_sized) {
            let (kept, right) = (graph.porf(slot), &porf[slot.index() * graph.width()..][..graph.width()]);
            self.require(kept == right, 10, Some(event.id), || {
                format!("has clock {kept:?} instead of {right:?}")
            });
        }
    }

    /// Rule 13.
    fn order(&mut self) {
        let graph = self.graph;
        for location in graph.locations() {
            for list in [&location.co, &location.reads] {
                for (place, &slot) in list.iter().enumerate().filter(|(_, slot)| !slot.is_init()) {
                    let event = graph.event(slot);
                    let is_before = |&earlier: &Slot| graph.is_in(graph.past(slot), earlier);
                    let is_enclosed = |&earlier: &Slot| graph.is_in(graph.porf(slot), earlier);
                    let holds = (!event.is_after_all || list[..place].iter().all(is_before))
                        && (!event.follows_all || list[..place].iter().all(is_enclosed))
                        && (!event.ends_chain || (1..=place).all(|end| graph.is_chain(&list[..=end])));
                    self.require(holds, 13, Some(event.id), || "it does not come after all".to_string());
                }
            }
        }
    }

    fn memory(&mut self) {
        for (index, thread) in self.graph.threads.iter().enumerate() {
            let address = |slot: &Slot| match self.graph.event(*slot).label {
                Label::Alloc { addr, .. } => Some((addr, *slot)),
                _ => None,
            };
            let mut allocs: Vec<_> = thread.slots.iter().filter_map(address).collect();
            allocs.sort();
            let allocs: Vec<_> = allocs.into_iter().map(|(_, slot)| slot).collect();
            self.require(thread.allocs == allocs, 11, None, || {
                format!("thread {index} lists allocations {:?} instead of {allocs:?}", thread.allocs)
            });
        }
        let is_free = |event: &Event| matches!(event.label, Label::Free { .. });
        for (index, thread) in self.graph.threads.iter().enumerate() {
            let releases = |slot: &&Slot| matches!(self.graph.event(**slot).label, Label::Fence { order } if order.is_release());
            let fences: Vec<_> = thread.slots.iter().filter(releases).copied().collect();
            self.require(thread.release_fences == fences, 12, None, || {
                format!("thread {index} lists fences {:?} instead of {fences:?}", thread.release_fences)
            });
        }
        let frees: Vec<_> = self.slots().filter(|(_, event)| is_free(event)).map(|(slot, _)| slot).collect();
        self.require(self.graph.frees() == frees, 11, None, || {
            format!("frees {:?} are listed instead of {frees:?}", self.graph.frees())
        });
    }
}

/// Computes the `porf` clocks from the definition, one row per event; `None` if the relation has a cycle.
fn recompute_porf(graph: &Graph) -> Option<Vec<u32>> {
    let width = graph.width();
    let mut clocks = vec![0; graph.len() * width];
    let (mut is_done, mut n_done) = (vec![false; graph.len()], 0);
    let mut clock = vec![0; width];
    while n_done < graph.len() {
        let n_done_before = n_done;
        for index in 0..graph.len() {
            let (slot, event) = (Slot::new(index), graph.events()[index]);
            let source = (!event.rf.is_init()).then_some(event.rf);
            let has_parts = event.is_read() && graph.location(event.loc).has_parts;
            let sources = has_parts.then(|| graph.sources(slot)).into_iter().flatten();
            let mut before = [graph.po_before(slot), source].into_iter().flatten().chain(sources);
            clock.fill(0);
            let is_ready = before.all(|before| {
                clock::join(&mut clock, &clocks[before.index() * width..][..width]);
                is_done[before.index()]
            });
            if is_done[index] || !is_ready {
                continue;
            }
            clock::include(&mut clock, event.id);
            clocks[index * width..][..width].copy_from_slice(&clock);
            is_done[index] = true;
            n_done += 1;
        }
        if n_done == n_done_before {
            return None;
        }
    }
    Some(clocks)
}
