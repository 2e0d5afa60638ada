//! Waiting for a mutex: the executions in which a displaced waiter misses the release.
//!
//! A mutex is a compare-and-swap that blocks when it fails, and a store. When a new acquisition `W` revisits
//! the read `r` of an earlier one, `r`'s thread waits. The release `U` of `W` then has two continuations: `r`
//! is revisited by `U`, or `r` stays blocked on a value that is out of date. The second leads to a complete
//! execution only if a later revisit deletes `U` again, together with `r` or without it. For this, threads must
//! communicate past the mutex while it is held: it must [leak](crate::leak).
//!
//! While a mutex does not leak, everything below the second continuation ends blocked, and it is left out.
//! Without this, every conflict on a mutex doubles the search.
//!
//! Which mutexes leak is not known beforehand: see [`crate::school`]. Complete executions, violations and deadlocks are
//! the same with and without; blocked executions are fewer [ALGORITHMS §C.9].

use super::{Equivalence, Explorer};
use crate::leak;
use atropos_event::{Addr, BlockReason, Program, Run, Step, ThreadId, mark};
use atropos_graph::Slot;
use atropos_model::MemoryModel;

impl<'a, P: Program, M: MemoryModel, Q: Equivalence<M>> Explorer<'a, P, M, Q> {
    fn waits_for_mutex(&mut self, thread: ThreadId) -> bool {
        matches!(self.run.pending(thread), Step::Blocked(BlockReason::Lock { .. }))
    }

    /// After `write` was added: is there a displaced waiter that has now missed the release of its mutex?
    pub(super) fn leaves_waiter_behind(&mut self, write: Slot) -> bool {
        let released = *self.graph.event(write);
        if self.lessons.mutexes.is_empty() {
            return false;
        }
        if let Some(addr) = leak::by_write(&self.graph, &self.lessons, write) {
            self.learn_leak(addr);
        }
        if released.exclusive || !self.lessons.is_tight_mutex(leak::addr_of(&self.graph, write)) {
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
                mark!("trust: a waiter is left behind");
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
            let addr = leak::addr_of(&self.graph, slot);
            if self.config.abandon_doomed && self.lessons.may_watch(&event.label) {
                self.school.learn(|lessons| lessons.add_mutex(addr));
                self.start_over();
            }
        } else if let Some(addr) = leak::by_source(&self.graph, &self.lessons, slot) {
            self.learn_leak(addr);
        }
    }

    fn learn_leak(&mut self, addr: Addr) {
        self.school.learn(|lessons| lessons.add_leak(addr));
        self.start_over();
    }
}
