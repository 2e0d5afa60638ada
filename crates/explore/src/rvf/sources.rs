//! The sources of a read [RVF-SMC Algorithm 2, lines 17 and 18].

use super::causal::Entry;
use super::explorer::RvfWorker;
use super::instance::AccessId;
use atropos_event::{Initial, Label, Rmw, Run, Value};
use atropos_graph::LocId;

/// The next read of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub thread: usize,
    pub label: Label,
    pub loc: usize,
    pub rmw: Rmw,
}

/// A source of a read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadSource {
    pub group: Group,
    /// `None`: the initial write.
    pub write: Option<AccessId>,
}

/// Sources of one group are equally good for a read. Memory without an initial value is a separate group: reading it
/// is an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub value: Value,
    pub is_unwritten: bool,
}

impl<R: Run> RvfWorker<'_, R> {
    /// Lines 17 and 18: puts the writes that the read may read from, and has not read from yet, on the stack of
    /// sources.
    pub(crate) fn find_sources(&mut self, read: Read, entry: Option<Entry>) {
        let instance = &self.instance;
        let (past, latest) = (&mut self.extension.past, &mut self.extension.latest);
        latest.clear();
        if let Some(accesses) = instance.locations.get(read.loc) {
            instance.order.next_clock(read.thread, &self.threads[read.thread].frontier, past);
            let n_hidden = instance.find_latest(read.loc, past, latest);
            let is_forbidden = |write: AccessId| {
                let thread = instance.nodes[write].thread;
                let n_forbidden = |entry| self.causal.n_forbidden(entry, thread);
                entry.is_some_and(|entry| instance.order.position(write) < n_forbidden(entry))
            };
            for &write in &accesses.writes[n_hidden..] {
                if !instance.is_hidden(write, latest) && !is_forbidden(write) {
                    let value = instance.nodes[write].written.expect("a write");
                    let group = Group { value, is_unwritten: false };
                    self.stack.sources.push(ReadSource { group, write: Some(write) });
                }
            }
        }
        if self.extension.latest.is_empty() && entry.is_none() {
            let (value, is_unwritten) = self.initial(read.loc);
            self.stack.sources.push(ReadSource { group: Group { value, is_unwritten }, write: None });
        }
    }

    /// The initial value of a location, and whether there is none.
    pub(crate) fn initial(&self, loc: usize) -> (Value, bool) {
        let location = self.host.graph.location(LocId::new(loc));
        (location.initial_value(), location.initial == Initial::Uninitialised)
    }
}
