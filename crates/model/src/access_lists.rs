//! The accesses of a graph by location and thread, in program order.

use atropos_graph::{Event, Graph, LocId, Slot};

#[derive(Clone, Debug, Default)]
pub struct AccessLists {
    n_threads: usize,
    /// Per location and thread: where its list ends. It starts where the one before it ends.
    ends: Vec<u32>,
    slots: Vec<Slot>,
    /// Per entry: the latest write of its list up to there, or the initial one.
    latest: Vec<Slot>,
}

impl AccessLists {
    /// Collects the accesses that `keep` admits.
    pub fn collect(&mut self, graph: &Graph, keep: impl Fn(&Event) -> bool) {
        self.n_threads = graph.n_threads();
        self.ends.clear();
        self.ends.resize(graph.locations().len() * self.n_threads, 0);
        let is_listed = |event: &&Event| event.loc != LocId::NONE && keep(event);
        for event in graph.events().iter().filter(is_listed) {
            let list = self.list(event.loc, event.id.thread().index());
            self.ends[list] += 1;
        }
        // Each list starts with its end at its start, and grows.
        let mut start = 0;
        for end in &mut self.ends {
            start += std::mem::replace(end, start);
        }
        self.slots.clear();
        self.slots.resize(start as usize, Slot::INIT);
        for (index, event) in graph.events().iter().enumerate().filter(|(_, event)| is_listed(event)) {
            let list = self.list(event.loc, event.id.thread().index());
            self.slots[self.ends[list] as usize] = Slot::new(index);
            self.ends[list] += 1;
        }
        self.latest.clear();
        for list in 0..self.ends.len() {
            let mut latest = Slot::INIT;
            for place in self.start(list)..self.ends[list] as usize {
                if graph.event(self.slots[place]).is_write() {
                    latest = self.slots[place];
                }
                self.latest.push(latest);
            }
        }
    }

    fn list(&self, loc: LocId, thread: usize) -> usize {
        loc.index() * self.n_threads + thread
    }

    fn start(&self, list: usize) -> usize {
        list.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// The accesses of `thread` to `loc`.
    pub fn of(&self, loc: LocId, thread: usize) -> &[Slot] {
        let list = self.list(loc, thread);
        &self.slots[self.start(list)..self.ends[list] as usize]
    }

    /// The last write of `thread` to `loc` among its first `last + 1` accesses there.
    pub fn latest_write(&self, loc: LocId, thread: usize, last: usize) -> Option<Slot> {
        let latest = self.latest[self.start(self.list(loc, thread)) + last];
        (!latest.is_init()).then_some(latest)
    }
}
