//! Threads that wait, on a [`Stage`]: whom to let move meanwhile, and what is not worth exploring.
//!
//! A mutex is a compare-and-swap that blocks when it fails, and a store. A search that lets a thread fail explores
//! everything that the others do meanwhile, only to see the thread blocked in the end. So a thread that would fail
//! waits until nobody else can move; and if one has failed, the holder of its mutex moves first, up to the release.
//!
//! What a search leaves out under [`Config::abandon_doomed`](crate::Config) are executions that can only end blocked:
//!
//! * [`Stage::is_doomed`]: a thread is blocked by a value that had been overwritten when it was read. What others do
//!   then they do as well where the thread sees the latest value.
//! * [`Stage::misses_release`]: a mutex is released, and a thread that waits for it does not see this. It does in
//!   another execution, and the others can do there what they can do here, unless the mutex [leaks](crate::leak).

use crate::{Stage, leak};
use atropos_event::{Addr, BlockReason, Label, Program, Rmw, Run, Step, ThreadId, mark};
use atropos_graph::{Slot, clock};
use atropos_model::MemoryModel;

impl<'a, P: Program, M: MemoryModel> Stage<'a, P, M> {
    fn waits_for_mutex(&mut self, thread: ThreadId) -> bool {
        matches!(self.run.pending(thread), Step::Blocked(BlockReason::Lock { .. }))
    }

    /// The next event where there are mutexes.
    pub(crate) fn next_but_waiting(&mut self) -> Option<(ThreadId, Label)> {
        let next = self.find_but_waiting();
        if let Some((_, Label::End)) = next {
            // Only the end of a thread lets an earlier one go on.
            self.cursor = 0;
        }
        next
    }

    fn find_but_waiting(&mut self) -> Option<(ThreadId, Label)> {
        let is_anyone_waiting = self.waits_from < self.graph.len();
        let (mut first, mut late) = (None, None);
        for index in self.cursor..self.schedule.len() {
            let thread = self.schedule[index];
            if self.is_left_for_last(thread) {
                self.cursor += usize::from(index == self.cursor);
            } else if let Some(label) = self.enabled(thread) {
                let best = if self.is_held(label) { &mut late } else { &mut first };
                best.get_or_insert((thread, label));
                if first.is_some() && !is_anyone_waiting {
                    return first;
                }
            } else if self.graph.exists(thread) && self.waits_for_mutex(thread) {
                if let Some(holder) = self.holder_for(thread)
                    && let Some(label) = self.enabled(holder)
                    && !self.is_held(label)
                {
                    return Some((holder, label));
                }
            } else if index == self.cursor {
                self.cursor += 1;
            }
        }
        first.or(late)
    }

    pub(crate) fn enabled(&mut self, thread: ThreadId) -> Option<Label> {
        if !self.graph.exists(thread) {
            return None;
        }
        match self.run.pending(thread) {
            Step::Do(Label::Join { child }) if !self.graph.has_ended(child) => None,
            Step::Do(label) => Some(label),
            Step::Finished | Step::Blocked(_) | Step::Failed | Step::Unsupported => None,
        }
    }

    /// Who holds the mutex that `thread` has failed to acquire?
    fn holder_for(&self, thread: ThreadId) -> Option<ThreadId> {
        let rf = self.graph.event(self.graph.last_of(thread)?).rf;
        (!rf.is_init()).then(|| self.graph.event(rf).id.thread())
    }

    /// Would a thread that does this fail to acquire a mutex?
    fn is_held(&mut self, label: Label) -> bool {
        let Label::Read { access, rmw, .. } = label else { return false };
        if rmw == Rmw::None || !self.lessons.is_mutex(access.addr) {
            return false;
        }
        let program = self.program;
        let Ok(loc) = self.graph.locate(access, || program.initial(access)) else { return false };
        let last = *self.graph.location(loc).co.last().expect("the initial write");
        rmw.write_after(access, self.graph.value_of(loc, last)).is_none()
    }

    /// Watches the event at `slot`, which has a source: for mutexes that threads wait for, and for leaks.
    pub fn watch_source(&mut self, slot: Slot) {
        let event = *self.graph.event(slot);
        if self.waits_for_mutex(event.id.thread()) {
            self.waits_from = self.waits_from.min(slot.index());
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

    /// Is the thread of the read at `read`, just answered, blocked by a value that had been overwritten?
    pub fn is_doomed(&mut self, read: Slot) -> bool {
        let event = *self.graph.event(read);
        if !self.config.abandon_doomed || event.exclusive {
            return false;
        }
        match self.run.pending(event.id.thread()) {
            // Who ends the program has come to an end.
            Step::Blocked(reason) if reason != BlockReason::Exit => {}
            _ => return false,
        }
        // A write that happens after the source is behind it in every coherence order.
        let is_doomed = self.graph.location(event.loc).co[1..].iter().any(|&write| {
            write != event.rf
                && (event.rf.is_init()
                    || clock::contains(self.model.hb(&self.graph, write), self.graph.event(event.rf).id))
        });
        if is_doomed {
            mark!("stage: a doomed execution");
        }
        is_doomed
    }

    /// Is the write at `write`, just added, the release of a mutex without leaks that somebody has waited for? Such
    /// a thread has to be served by the release before anything else is done.
    pub fn misses_release(&mut self, write: Slot) -> bool {
        if self.lessons.mutexes.is_empty() {
            return false;
        }
        if let Some(addr) = leak::by_write(&self.graph, &self.lessons, write) {
            self.learn_leak(addr);
        }
        let released = *self.graph.event(write);
        if released.exclusive || !self.is_tight_mutex(write) {
            return false;
        }
        let is_missed = (0..self.graph.location(released.loc).reads.len()).any(|index| {
            let read = self.graph.location(released.loc).reads[index];
            let event = *self.graph.event(read);
            let is_own = |rf: Slot| {
                // A mutex that is merely stored to is not acquired, and nothing is watched meanwhile.
                self.graph.event(rf).exclusive && self.graph.event(rf).id.thread() == released.id.thread()
            };
            !event.rf.is_init()
                && is_own(event.rf)
                && self.graph.last_of(event.id.thread()) == Some(read)
                && self.waits_for_mutex(event.id.thread())
        });
        if is_missed {
            mark!("stage: a waiter misses the release");
        }
        is_missed
    }

    /// Is the access at `slot` one of a mutex not known to leak?
    pub fn is_tight_mutex(&self, slot: Slot) -> bool {
        self.lessons.is_tight_mutex(leak::addr_of(&self.graph, slot))
    }
}
