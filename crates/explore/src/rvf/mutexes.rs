//! Avoids traces in which a thread only waits for a mutex.
//!
//! A mutex is a compare-and-swap that blocks if it fails, and a store. If a thread fails, the search explores
//! everything that the others do meanwhile, which they can also do while it stands before its compare-and-swap. So
//! under [`Config::abandon_doomed`](crate::Config) it does not get a value that makes it wait. If nothing else can
//! get a value and only threads are left that would wait, their acquisitions fail, to see whether they wait forever:
//! [`RvfWorker::finish_waiting`].
//!
//! * If a read has only such a value, the other reads are tried, as after a signal.
//! * A read that waits sends the signals of one that fails: it may succeed elsewhere.
//! * If a thread can acquire a mutex now, it is free at the end of every trace of these values. Then the thread can
//!   wait forever only if others acquire the mutex first, and that is a signal too.
//!
//! The last point requires mutexes used as such: each thread acquires and releases them in turn, and there is at most
//! one other store, which comes before all this. One that is used in another way is *irregular*: if a search that has
//! left something out because of it sees this, it starts over and explores waiting for it like anything else.
//!
//! This shares nothing with [`crate::waiting`] and [`crate::bypass`], which concern execution graphs: they end an
//! execution once the source of a failed acquisition is overwritten or its release is missed, and judge bypassing by
//! `rf` and `porf`. RVF gives values to reads, not sources. It has no graph when it decides, and its traces of one
//! class differ in `rf`, so those rules do not apply. They would also leave out other traces and change the counts.

use super::explorer::RvfWorker;
use super::instance::{AccessId, AccessNode};
use super::sources::{Group, Read, ReadSource};
use crate::learned::Lesson;
use atropos_event::{Access, BlockReason, Label, Rmw, Run, Step, ThreadId, mark};
use std::ops::Range;

/// What is known about mutexes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mutexes {
    /// By location: a thread would have waited there.
    is_known: Vec<bool>,
}

impl Mutexes {
    fn is_known(&self, loc: usize) -> bool {
        self.is_known.get(loc).copied().unwrap_or_default()
    }
}

impl<R: Run> RvfWorker<'_, R> {
    /// Whether a read of a mutex with this value waits.
    pub(crate) fn would_wait(&mut self, read: Read, group: Group) -> bool {
        let Label::Read { access, rmw, .. } = read.label else { unreachable!("{:?} reads", read.label) };
        if !self.host.config.abandon_doomed
            || group.is_unwritten
            || !access.is_whole()
            || !matches!(rmw, Rmw::Cas { .. })
            || rmw.write_after(access, group.value).is_some()
            || self.host.lessons.irregular.contains(&access)
        {
            return false;
        }
        let thread = ThreadId::new(read.thread);
        let (positions, before) = (self.host.run.mark(), self.host.run.position(thread));
        self.host.run.resume(thread, group.value);
        let is_waiting = matches!(self.host.run.pending(thread), Step::Blocked(BlockReason::Lock { .. }));
        self.host.run.rewind(thread, before);
        self.host.run.release(positions);
        is_waiting && self.is_regular(read.loc, access)
    }

    /// Whether the location has been used like a mutex so far.
    fn is_regular(&mut self, loc: usize, access: Access) -> bool {
        if self.mutexes.is_known(loc) {
            return true;
        }
        let is_regular = (0..self.instance.locations[loc].writes.len())
            .all(|index| self.is_fit(loc, self.instance.locations[loc].writes[index]));
        match is_regular {
            true => {
                self.mutexes.is_known.resize(self.mutexes.is_known.len().max(loc + 1), false);
                self.mutexes.is_known[loc] = true;
            }
            false => {
                self.host.lessons.add(Lesson::Irregular(access));
                self.host.remember(Lesson::Irregular(access));
            }
        }
        is_regular
    }

    /// Watches a new node for writes that do not fit a mutex.
    pub(crate) fn watch(&mut self, node: AccessId, access: Access) {
        let &AccessNode { loc, written, .. } = &self.instance.nodes[node];
        if written.is_some() && self.mutexes.is_known(loc) && !self.is_fit(loc, node) {
            mark!("rvf: a mutex is used irregularly");
            self.host.learn(Lesson::Irregular(access));
        }
    }

    /// Whether this write is what a thread does next with a mutex. The initial value means that it is free.
    fn is_fit(&self, loc: usize, write: AccessId) -> bool {
        let (instance, node) = (&self.instance, &self.instance.nodes[write]);
        let (free, is_unwritten) = self.initial(loc);
        let accesses = &instance.locations[loc];
        let earlier = &accesses.writes[..accesses.writes.partition_point(|&other| other < write)];
        let own = earlier.iter().rev().find(|&&other| instance.nodes[other].thread == node.thread);
        let is_store = node.is_plain_write();
        if is_unwritten || (is_store == (node.written != Some(free))) {
            return false;
        }
        let is_after_first = earlier
            .first()
            .is_none_or(|&first| !instance.nodes[first].is_plain_write() || instance.order.has(first, write));
        match own {
            // A store that prepares the mutex is the first access of all; an earlier failure is noticed there.
            None if is_store => earlier.is_empty() && accesses.reads.first().is_none_or(|&read| read > write),
            Some(&own) if is_store => !instance.nodes[own].is_plain_write(),
            Some(&own) => instance.nodes[own].is_plain_write() && node.read == Some(free),
            None => node.read == Some(free) && is_after_first,
        }
    }

    /// Nothing can get a value. If all `reads` are those of mutexes that are held at the end of the trace, makes them
    /// fail there.
    pub(crate) fn finish_waiting(&mut self, reads: Range<usize>) {
        let (n_made, positions, trace) =
            (self.extension.made.len(), self.host.run.mark(), self.traces.here());
        let mut is_waiting = true;
        for index in reads.clone() {
            let read = self.stack.reads[index];
            let source = self.last_source(read.loc);
            is_waiting = self.would_wait(read, source.group);
            if !is_waiting {
                break;
            }
            let first = self.stack.sources.len();
            self.stack.sources.push(source);
            self.add_read(read, source.group, first..first + 1);
            self.stack.sources.truncate(first);
            self.traces.push(self.instance.len() - 1);
            self.host.run.resume(ThreadId::new(read.thread), source.group.value);
        }
        if is_waiting && !self.host.is_stopped {
            mark!("rvf: all that is left waits for mutexes");
            self.finish();
        }
        self.take_back(n_made, positions);
        self.traces.leave(trace);
        for read in &self.stack.reads[reads] {
            self.threads[read.thread].next_read = Some(*read);
        }
    }

    /// The source of a read at the end of the trace.
    fn last_source(&self, loc: usize) -> ReadSource {
        let is_write = |&&node: &&AccessId| self.instance.is_write_of(loc, node);
        match self.traces.current().iter().rev().find(is_write) {
            Some(&write) => {
                let value = self.instance.nodes[write].written.expect("a write");
                ReadSource { group: Group { value, is_unwritten: false }, write: Some(write) }
            }
            None => {
                let (value, is_unwritten) = self.initial(loc);
                ReadSource { group: Group { value, is_unwritten }, write: None }
            }
        }
    }
}
