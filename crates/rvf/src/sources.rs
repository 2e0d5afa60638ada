//! What a read may read from [RVF-SMC Algorithm 2, lines 17 and 18].

use crate::causal::Entry;
use crate::explorer::Explorer;
use crate::instance::NodeId;
use crate::rows::has;
use atropos_event::{Initial, Label, Program, Rmw, Value};
use atropos_graph::LocId;

/// A read that a thread stands before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub thread: usize,
    pub label: Label,
    pub loc: usize,
    pub rmw: Rmw,
}

/// Writes of one value that a read may read from.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub value: Value,
    pub has_init: bool,
    pub writes: Vec<NodeId>,
}

impl<P: Program, O> Explorer<'_, P, O> {
    /// Lines 17 and 18: the writes that the read may read from and has not been let read yet, by value. Memory
    /// without an initial value is a group by itself: to read it is wrong.
    pub(crate) fn groups(&self, read: Read, entry: Option<Entry>) -> Vec<Group> {
        let (past, instance) = (self.past(read.thread), &self.instance);
        let mut groups: Vec<Group> = Vec::new();
        let mut is_written = false;
        if let Some(accesses) = instance.locations.get(read.loc) {
            let written = instance.written(read.loc);
            is_written = past.iter().zip(written).any(|(&past, &written)| past & written != 0);
            let is_hidden = |write: NodeId| {
                let between = instance.order.after(write).iter().zip(&past).zip(written);
                has(&past, write)
                    && between.into_iter().any(|((&after, &past), &written)| after & past & written != 0)
            };
            let is_forbidden = |write: NodeId| {
                let thread = instance.nodes[write].thread;
                let position = instance.threads[thread].partition_point(|&other| other < write);
                entry.is_some_and(|entry| position < self.causal.n_forbidden(entry, thread))
            };
            for &write in &accesses.writes {
                if !is_hidden(write) && !is_forbidden(write) {
                    group_of(&mut groups, instance.nodes[write].written.expect("a write")).writes.push(write);
                }
            }
        }
        if !is_written && entry.is_none() {
            let (value, is_uninitialised) = self.initial(read.loc);
            if is_uninitialised {
                groups.push(Group { value, has_init: true, writes: Vec::new() });
            } else {
                group_of(&mut groups, value).has_init = true;
            }
        }
        groups
    }

    /// The nodes that the next one of a thread comes after, as bits.
    fn past(&self, thread: usize) -> Vec<u64> {
        let order = &self.instance.order;
        let mut past = vec![0; order.stride()];
        let own = self.instance.threads.get(thread).and_then(|nodes| nodes.last());
        for &node in self.threads[thread].frontier.iter().chain(own) {
            past.iter_mut().zip(order.before(node)).for_each(|(past, &before)| *past |= before);
            past[node / 64] |= 1 << (node % 64);
        }
        past
    }

    /// The initial value of a location, and whether there is none.
    pub(crate) fn initial(&self, loc: usize) -> (Value, bool) {
        let location = self.graph.location(LocId::new(loc));
        (location.initial_value(), location.initial == Initial::Uninitialised)
    }
}

/// The group of a value, made if there is none.
fn group_of(groups: &mut Vec<Group>, value: Value) -> &mut Group {
    let index = groups.iter().position(|group| group.value == value).unwrap_or_else(|| {
        groups.push(Group { value, has_init: false, writes: Vec::new() });
        groups.len() - 1
    });
    &mut groups[index]
}
