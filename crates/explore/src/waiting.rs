//! Threads that wait, on an [`Engine`]: which ones move meanwhile, and what is not worth exploring.
//!
//! A mutex is a compare-and-swap that blocks when it fails, and a store. A search that makes a thread fail explores
//! everything that the others do meanwhile, only to see the thread blocked in the end. So, under
//! [`Rules::DELAYS_WAITERS`], a thread that would fail moves only when no other can; and if one has failed, the holder
//! of its mutex moves first, up to the release. Without the flag, the holder of an intact mutex moves first, and
//! sections are watched.
//!
//! Under [`Config::abandon_doomed`](crate::Config), a search leaves out executions that can only end blocked:
//!
//! * [`Engine::is_doomed`]: a thread is blocked by a value that was already overwritten when it was read. Whatever
//!   others then do, they also do in an execution in which the thread sees the latest value [RCMC Remark 2]. Why no
//!   revisit changes this: [`crate::trust`], [`crate::tracer`].
//! * [`Engine::misses_release`], of TruSt: a mutex is released, and a thread that waits for it does not see this. It
//!   does in another execution, and the others can do there what they can do here, unless the mutex is
//!   [bypassed](crate::bypass). Without this, every conflict on a mutex doubles the search.
//!
//! Which mutexes are bypassed is not known in advance: see [`crate::learned`]. Complete executions, violations and
//! deadlocks are the same with and without this; there are fewer blocked executions [ALGORITHMS §C.9, §E.2].

use crate::bypass;
use crate::engine::{Cursor, Engine};
use crate::journal::journal;
use crate::learned::Lesson;
use crate::rules::Rules;
use atropos_event::{BlockReason, Label, Rmw, Run, Step, ThreadId, mark};
use atropos_graph::{Graph, Slot, clock};
use atropos_model::MemoryModel;

impl<R: Run, M: MemoryModel, Q: Rules<M>> Engine<'_, R, M, Q> {
    #[inline]
    pub(crate) fn waits_for_mutex(&mut self, thread: ThreadId) -> bool {
        matches!(self.run.pending(thread), Step::Blocked(BlockReason::Lock { .. }))
    }

    /// The next event if there are mutexes.
    pub(crate) fn next_but_waiting(&mut self) -> Option<(ThreadId, Label)> {
        let next = self.find_but_waiting();
        // Threads that were passed over may wait to join.
        self.cursor.joiner = 0;
        if let Some((_, Label::End)) = next {
            self.cursor = Cursor::START;
        }
        next
    }

    fn find_but_waiting(&mut self) -> Option<(ThreadId, Label)> {
        let is_anyone_waiting = self.waits_from < self.graph.len();
        let (mut first, mut late) = (None, None);
        for index in self.cursor.next..self.schedule.len() {
            let thread = self.schedule[index];
            if self.is_left_for_last(thread) {
                self.cursor.next += usize::from(index == self.cursor.next);
            } else if let Some(label) = self.enabled(thread) {
                // Behind the first thread that can move, only those that wait matter.
                if first.is_none() {
                    let best = if self.is_held(label) { &mut late } else { &mut first };
                    best.get_or_insert((thread, label));
                }
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
            } else if index == self.cursor.next {
                self.cursor.next += 1;
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
            Step::Do(label) if self.is_held_up(thread, label) => None,
            Step::Do(label) => Some(label),
            Step::Finished | Step::Blocked(_) | Step::Failed | Step::Unsupported => None,
        }
    }

    /// The thread that holds the mutex that `thread` has failed to acquire.
    fn holder_for(&self, thread: ThreadId) -> Option<ThreadId> {
        let rf = self.graph.event(self.graph.last_of(thread)?).rf;
        (!rf.is_init()).then(|| self.graph.event(rf).id.thread())
    }

    /// The next event of a thread that holds an intact mutex for which another one waits.
    pub(crate) fn next_of_holder(&mut self) -> Option<(ThreadId, Label)> {
        for index in 0..self.schedule.len() {
            let thread = self.schedule[index];
            if !self.graph.exists(thread) || !self.waits_for_mutex(thread) {
                continue;
            }
            if let Some(read) = self.graph.last_of(thread)
                && self.holds(self.graph.event(read).rf)
                && let Some(holder) = self.holder_for(thread)
                && let Some(label) = self.enabled(holder)
                && !self.is_left_for_last(holder)
            {
                if label == Label::End {
                    self.cursor = Cursor::START;
                }
                return Some((holder, label));
            }
        }
        None
    }

    /// Whether the write at `acquire` is an acquisition of an intact mutex that has not been released.
    fn holds(&self, acquire: Slot) -> bool {
        !acquire.is_init()
            && self.graph.event(acquire).exclusive
            && self.graph.location(self.graph.event(acquire).loc).co.last() == Some(&acquire)
            && self.is_intact_mutex(acquire)
    }

    /// Whether a thread that does this would fail to acquire a mutex.
    fn is_held(&mut self, label: Label) -> bool {
        let Label::Read { access, rmw, .. } = label else { return false };
        if rmw == Rmw::None || !self.lessons.is_mutex(access.addr) {
            return false;
        }
        let program = self.program;
        let Ok(loc) = self.host.graph.locate(access, || program.initial(access)) else { return false };
        let last = *self.graph.location(loc).co.last().expect("the initial write");
        !rmw.writes_after(access, self.graph.value_of(loc, last))
    }

    /// Watches the event at `slot`, which has a source: for mutexes that threads wait for, and for bypasses.
    #[inline]
    pub(crate) fn watch_source(&mut self, slot: Slot) {
        if !self.runs_late(slot) {
            self.watch_answered(slot);
        }
    }

    /// The same, once the thread of the event runs on.
    #[inline]
    pub(crate) fn watch_answered(&mut self, slot: Slot) {
        let thread = self.graph.event(slot).id.thread();
        let watches_sections = !Q::DELAYS_WAITERS && !self.lessons.mutexes.is_empty();
        if watches_sections || self.waits_for_mutex(thread) {
            self.watch_mutexes(slot, watches_sections);
        }
    }

    fn watch_mutexes(&mut self, slot: Slot, watches_sections: bool) {
        let event = *self.graph.event(slot);
        if watches_sections
            && matches!(event.label, Label::Read { rmw, .. } if rmw != Rmw::None)
            && let Some(addr) = bypass::by_access(&self.graph, &self.lessons, slot)
        {
            self.learn(Lesson::Bypass(addr));
        }
        if self.waits_for_mutex(event.id.thread()) {
            // A waiting thread passes nothing on.
            self.waits_from = self.waits_from.min(slot.index());
            let addr = bypass::addr_of(&self.graph, slot);
            if self.config.abandon_doomed && self.lessons.may_watch(&event.label) {
                self.learn(Lesson::Mutex(addr));
            }
        } else if watches_sections && let Some(addr) = bypass::by_source(&self.graph, &self.lessons, slot) {
            self.learn(Lesson::Bypass(addr));
        }
    }

    /// Whether the thread of the read at `read`, just answered, is blocked by an overwritten value.
    #[inline]
    pub(crate) fn is_doomed(&mut self, read: Slot) -> bool {
        let event = self.graph.event(read);
        let (thread, is_exclusive) = (event.id.thread(), event.exclusive);
        // Asking the thread of a read-modify-write whose write has no place yet would let a closure run ahead of it.
        !is_exclusive
            && matches!(self.run.pending(thread), Step::Blocked(_))
            && self.is_blocked_for_good(read)
    }

    fn is_blocked_for_good(&mut self, read: Slot) -> bool {
        let is_doomed = self.waits_for_the_past(read);
        if is_doomed {
            journal!(self, Debug, "abandoned: an overwritten value blocks {}", self.describe(read));
        }
        is_doomed
    }

    fn waits_for_the_past(&mut self, read: Slot) -> bool {
        let event = self.graph.event(read);
        let thread = event.id.thread();
        if !self.config.abandon_doomed || event.exclusive || self.is_settled(read) {
            return false;
        }
        match self.run.pending(thread) {
            // `exit` ends the thread normally.
            Step::Blocked(reason) if reason != BlockReason::Exit => {}
            _ => return false,
        }
        let event = self.graph.event(read);
        let writes = &self.graph.location(event.loc).co;
        if Q::TRACKS_CO {
            return self.graph.co_position(event.rf) + 1 < writes.len();
        }
        // Without coherence: a write that happens after the source comes after it in every order.
        writes[1..].iter().any(|&write| {
            write != event.rf
                && (event.rf.is_init()
                    || clock::contains(self.model.hb(&self.graph, write), self.graph.event(event.rf).id))
        })
    }

    /// Whether the write at `write`, just added, is the release of an intact mutex, and a thread waits for it
    /// whose read the release will not serve any more. `is_lost` decides that for a waiting read and its source.
    pub(crate) fn misses_release(
        &mut self,
        write: Slot,
        is_lost: impl Fn(&Graph, Slot, Slot) -> bool,
    ) -> bool {
        if self.lessons.mutexes.is_empty() {
            return false;
        }
        let released = *self.graph.event(write);
        self.watch_order(write);
        // For a read-modify-write, the read was checked.
        if released.exclusive {
            return false;
        }
        if let Some(addr) = bypass::by_access(&self.graph, &self.lessons, write) {
            self.learn(Lesson::Bypass(addr));
        }
        if !self.is_intact_mutex(write) {
            return false;
        }
        let is_missed = (0..self.graph.n_threads()).map(ThreadId::new).any(|thread| {
            let Some(read) = self.graph.last_of(thread) else { return false };
            let event = *self.graph.event(read);
            let is_own = |rf: Slot| {
                // A mutex that is merely stored to is not acquired, and nothing is watched meanwhile.
                self.graph.event(rf).exclusive && self.graph.event(rf).id.thread() == released.id.thread()
            };
            event.is_read()
                && event.loc == released.loc
                && !event.rf.is_init()
                && is_own(event.rf)
                && self.waits_for_mutex(thread)
                && is_lost(&self.graph, read, event.rf)
        });
        if is_missed {
            journal!(self, Debug, "abandoned: a waiting thread misses the release {}", self.describe(write));
        }
        is_missed
    }

    /// Watches the write at `write`, just added: the writes of an intact mutex are ordered.
    pub(crate) fn watch_order(&mut self, write: Slot) {
        if !self.lessons.mutexes.is_empty() && self.is_intact_mutex(write) && !self.follows_previous(write) {
            mark!("bypass: by a write");
            let addr = bypass::addr_of(&self.graph, write);
            self.learn(Lesson::Bypass(addr));
        }
    }

    /// Whether the write at `write`, just added, is the last of its location in every coherence order: it updates the
    /// previous write, or happens after it.
    fn follows_previous(&self, write: Slot) -> bool {
        let event = self.graph.event(write);
        let [.., previous, last] = self.graph.location(event.loc).co[..] else { return true };
        let is_after = match self.graph.po_before(write).filter(|_| event.exclusive) {
            Some(read) => self.graph.event(read).rf == previous,
            None => {
                let hb = self.model.hb(&self.graph, write);
                previous.is_init() || clock::contains(hb, self.graph.event(previous).id)
            }
        };
        last == write && is_after
    }

    /// Whether the access at `slot` is one of a mutex not known to be bypassed.
    pub(crate) fn is_intact_mutex(&self, slot: Slot) -> bool {
        self.lessons.is_intact_mutex(bypass::addr_of(&self.graph, slot))
    }
}
