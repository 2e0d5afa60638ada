//! Waiting for a mutex: the executions in which a displaced waiter misses the release.
//!
//! A mutex is a compare-and-swap that blocks when it fails, and a store. When a new acquisition `W` revisits
//! the read `r` of an earlier one, `r`'s thread waits. The release `U` of `W` then has two continuations: `r`
//! is revisited by `U`, or `r` stays blocked on a value that is out of date. The second leads to a complete
//! execution only if a later revisit deletes `U` again, together with `r` or without it. For this, threads must
//! communicate past the mutex while it is held (the mutex *leaks*), that is, for the events `e` from `W` up to `U`:
//!
//! 1. out: an event of another thread reads from `e` and does not come after `U`; or
//! 2. in: `e` reads from a write of another thread that does not come before `W`; or
//! 3. aside: a write of another thread could be read by `e`, but neither comes after the other, nor after `U`.
//!
//! While a mutex does not leak, everything below the second continuation ends blocked, and it is left out.
//! Without this, every conflict on a mutex doubles the search.
//!
//! Which mutexes leak is not known beforehand. The search assumes that none does, watches, and starts over
//! without the assumption about a mutex that turns out to leak. A communication that the omitted executions
//! contain shows itself in the others too, because a blocked thread has no part in it. Complete executions,
//! violations and deadlocks are the same with and without; blocked executions are fewer.

use super::{Equivalence, Explorer};
use crate::Observer;
use atropos_event::{Addr, BlockReason, Label, Program, Run, Step, ThreadId};
use atropos_graph::{Clock, Slot, clock};
use atropos_model::MemoryModel;

impl<'a, P: Program, M: MemoryModel, Q: Equivalence<M>, O: Observer<P::Run<'a>>> Explorer<'a, P, M, Q, O> {
    fn waits_for_mutex(&mut self, thread: ThreadId) -> bool {
        matches!(self.run.pending(thread), Step::Blocked(BlockReason::Lock { .. }))
    }

    fn addr_of(&self, slot: Slot) -> Addr {
        self.graph.location(self.graph.event(slot).loc).access.addr
    }

    /// After `write` was added: is there a displaced waiter that has now missed the release of its mutex?
    pub(super) fn leaves_waiter_behind(&mut self, write: Slot) -> bool {
        let released = *self.graph.event(write);
        if self.lessons.mutexes.is_empty() {
            return false;
        }
        self.watch_write(write);
        if released.exclusive || !self.lessons.is_tight_mutex(self.addr_of(write)) {
            return false;
        }
        for index in 0..self.graph.location(released.loc).reads.len() {
            let read = self.graph.location(released.loc).reads[index];
            let event = *self.graph.event(read);
            let is_displaced = !event.rf.is_init() && event.rf > read && event.rf != write;
            if is_displaced
                // A mutex that is merely stored to is not acquired, and nothing is watched meanwhile.
                && self.graph.event(event.rf).exclusive
                && self.graph.event(event.rf).id.thread() == released.id.thread()
                && self.graph.last_of(event.id.thread()) == Some(read)
                && self.waits_for_mutex(event.id.thread())
            {
                return true;
            }
        }
        false
    }

    /// Watches the event at `slot`, which has a source, for leaks out of and into a mutex.
    pub(super) fn watch_read(&mut self, slot: Slot) {
        let event = *self.graph.event(slot);
        if self.waits_for_mutex(event.id.thread()) {
            // A waiting thread passes nothing on.
            let addr = self.addr_of(slot);
            let is_known = self.lessons.mutexes.iter().any(|mutex| mutex.addr == addr);
            if self.config.abandon_doomed && !is_known {
                self.school.learn(|lessons| lessons.add_mutex(addr));
                self.start_over();
            }
            return;
        }
        if self.lessons.mutexes.is_empty() || event.rf.is_init() {
            return;
        }
        let source = self.graph.event(event.rf).id;
        if source.thread() == event.id.thread() {
            return;
        }
        let known = self.graph.po_before(slot).map(|before| self.graph.porf(before));
        let out =
            self.find_held(event.rf, |_, release| release.is_none_or(|release| !is_in(known, self, release)));
        let into = self.find_held(slot, |acquire, _| !clock::contains(self.graph.porf(acquire), source));
        if let Some(addr) = out.or(into) {
            self.learn_leak(addr);
        }
    }

    /// Watches a new write for reads beside it, under a mutex.
    fn watch_write(&mut self, write: Slot) {
        let event = *self.graph.event(write);
        let porf = self.graph.porf(write);
        let leak = self.graph.location(event.loc).reads.iter().find_map(|&read| {
            if self.graph.is_in(porf, read) || self.graph.event(read).rf == write {
                return None;
            }
            self.find_held(read, |_, release| release.is_some_and(|release| !self.graph.is_in(porf, release)))
        });
        if let Some(addr) = leak {
            self.learn_leak(addr);
        }
    }

    fn learn_leak(&mut self, addr: Addr) {
        self.school.learn(|lessons| lessons.add_leak(addr));
        self.start_over();
    }

    /// A tight mutex that is held at the event at `slot`, and whose acquisition and release (if it is there)
    /// are as wanted.
    fn find_held(&self, slot: Slot, wanted: impl Fn(Slot, Option<Slot>) -> bool) -> Option<Addr> {
        let id = self.graph.event(slot).id;
        let thread = self.graph.thread(id.thread());
        thread[..=id.index()].iter().enumerate().find_map(|(index, &acquire)| {
            let acquired = self.graph.event(acquire);
            let is_acquire = acquired.exclusive && matches!(acquired.label, Label::Write { .. });
            if !is_acquire || !self.lessons.is_tight_mutex(self.addr_of(acquire)) {
                return None;
            }
            let is_release = |&&slot: &&Slot| {
                let event = self.graph.event(slot);
                event.loc == acquired.loc && event.is_write()
            };
            let release = thread[index + 1..].iter().find(is_release).copied();
            let is_held = release.is_none_or(|release| self.graph.event(release).id.index() > id.index());
            (is_held && wanted(acquire, release)).then(|| self.addr_of(acquire))
        })
    }
}

/// Is the event at `slot` in the set, if there is one?
fn is_in<P: Program, M, Q, O>(set: Option<&Clock>, explorer: &Explorer<'_, P, M, Q, O>, slot: Slot) -> bool {
    set.is_some_and(|set| explorer.graph.is_in(set, slot))
}
