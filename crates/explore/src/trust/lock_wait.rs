//! Waiting for a mutex: the executions in which a displaced waiter misses the release.
//!
//! A mutex is a compare-and-swap that blocks when it fails, and a store. When a new acquisition `W` revisits
//! the read `r` of an earlier one, `r`'s thread waits. The release `U` of `W` then has two continuations: `r`
//! is revisited by `U`, and `r` stays blocked on a value that is out of date. In the second, `r` cannot be
//! revisited again; a later revisit of another read may delete `r`, but since `W` was added after `r`, only if
//! its write is `porf`-after `W` and not after `U`. That is, something done while the mutex was held must have
//! reached another thread otherwise than through the mutex: the mutex *leaks*. If it does not leak, everything
//! below the second continuation ends blocked, and it is left out. Without this, every conflict on a mutex
//! doubles the search.
//!
//! Whether a mutex leaks is not known beforehand. The search assumes that none does, watches, and starts over
//! without the assumption about a mutex that turns out to leak; there are finitely many. Complete executions,
//! violations and deadlocks are the same with and without; blocked executions are fewer.

use super::{Equivalence, Explorer};
use crate::Observer;
use atropos_event::{BlockReason, Label, Program, Run, Step, ThreadId};
use atropos_graph::{LocId, Slot, clock};
use atropos_model::MemoryModel;

impl<'a, P: Program, M: MemoryModel, Q: Equivalence, O: Observer<P::Run<'a>>> Explorer<'a, P, M, Q, O> {
    fn waits_for_mutex(&mut self, thread: ThreadId) -> bool {
        matches!(self.run.pending(thread), Step::Blocked(BlockReason::Lock { .. }))
    }

    /// After `write` was added: is there a displaced waiter that has now missed the release of its mutex?
    pub(super) fn leaves_waiter_behind(&mut self, write: Slot) -> bool {
        let released = *self.graph.event(write);
        if !self.lessons.has_mutex_waits || released.exclusive {
            return false;
        }
        let addr = self.graph.location(released.loc).access.addr;
        if self.lessons.leaky.contains(&addr) {
            return false;
        }
        for index in 0..self.graph.location(released.loc).reads.len() {
            let read = self.graph.location(released.loc).reads[index];
            let event = *self.graph.event(read);
            let is_displaced = !event.rf.is_init() && event.rf > read && event.rf != write;
            if is_displaced
                && self.graph.event(event.rf).id.thread() == released.id.thread()
                && self.graph.last_of(event.id.thread()) == Some(read)
                && self.waits_for_mutex(event.id.thread())
            {
                return true;
            }
        }
        false
    }

    /// Watches the event at `slot`, which has a source in another thread, for a leak.
    pub(super) fn watch_mutexes(&mut self, slot: Slot) {
        let event = *self.graph.event(slot);
        if self.waits_for_mutex(event.id.thread()) {
            if self.config.abandon_doomed && !self.lessons.has_mutex_waits {
                self.school.learn(|lessons| lessons.has_mutex_waits = true);
                self.start_over();
            }
            // A waiting thread passes nothing on.
            return;
        }
        if !self.lessons.has_mutex_waits || event.rf.is_init() {
            return;
        }
        if let Some(mutex) = self.leak_through(slot) {
            let addr = self.graph.location(mutex).access.addr;
            self.school.learn(|lessons| lessons.leaky.push(addr));
            self.start_over();
        }
    }

    /// A mutex, not known to leak, that the source of the event at `slot` was done under and whose release
    /// the event does not come after.
    fn leak_through(&self, slot: Slot) -> Option<LocId> {
        let event = self.graph.event(slot);
        let source = self.graph.event(event.rf).id;
        if source.thread() == event.id.thread() {
            return None;
        }
        let known = self.graph.po_before(slot).map(|before| self.graph.porf(before));
        let thread = self.graph.thread(source.thread());
        for (index, &acquire) in thread[..=source.index()].iter().enumerate() {
            let acquired = self.graph.event(acquire);
            let is_acquire = acquired.exclusive && matches!(acquired.label, Label::Write { .. });
            if !is_acquire || self.lessons.leaky.contains(&self.graph.location(acquired.loc).access.addr) {
                continue;
            }
            let is_release = |&&slot: &&Slot| {
                let event = self.graph.event(slot);
                event.loc == acquired.loc && event.is_write()
            };
            let release = thread[index + 1..].iter().find(is_release).map(|&slot| self.graph.event(slot).id);
            let is_over = release.is_some_and(|release| {
                release.index() <= source.index() || known.is_some_and(|known| clock::contains(known, release))
            });
            if !is_over {
                return Some(acquired.loc);
            }
        }
        None
    }
}
