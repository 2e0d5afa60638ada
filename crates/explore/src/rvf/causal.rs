//! Causal maps [RVF-SMC §5]: for a waiting read, the writes that it need not read from any more.
//!
//! Once all values of a read have been explored at a node, the other reads of that node are tried, with the first one
//! left for later; then it must read from a write that was not there, or the same class is explored again. Only reads
//! that are a thread's next step have entries, so there is one entry per thread: the number of nodes of each thread.
//! An entry also forbids the initial write.
//!
//! Counts are on one stack, and so are the entries that were replaced: they are set on the way down and restored on
//! the way up.

#[derive(Clone, Debug, Default)]
pub struct CausalMap {
    /// Per thread: the start of the counts for its next read, and their number.
    entries: Vec<Option<Entry>>,
    counts: Vec<u32>,
    replaced: Vec<(usize, Option<Entry>)>,
}

#[derive(Clone, Copy, Debug)]
pub struct Entry {
    start: usize,
    len: usize,
}

/// A state of a [`CausalMap`] to return to.
#[derive(Clone, Copy, Debug)]
pub struct CausalMark {
    n_counts: usize,
    n_replaced: usize,
}

impl CausalMap {
    pub fn get(&self, thread: usize) -> Option<Entry> {
        self.entries.get(thread).copied().flatten()
    }

    /// Gives the next read of a thread an entry with these numbers of nodes per thread.
    pub fn enter(&mut self, thread: usize, counts: impl Iterator<Item = usize>) {
        let start = self.counts.len();
        self.counts.extend(counts.map(|count| count as u32));
        self.replace(thread, Some(Entry { start, len: self.counts.len() - start }));
    }

    /// The next read of a thread is a new one.
    pub fn clear(&mut self, thread: usize) {
        self.replace(thread, None);
    }

    fn replace(&mut self, thread: usize, entry: Option<Entry>) {
        if self.entries.len() <= thread {
            self.entries.resize(thread + 1, None);
        }
        self.replaced.push((thread, std::mem::replace(&mut self.entries[thread], entry)));
    }

    /// How many nodes of `thread` the entry forbids.
    pub fn n_forbidden(&self, entry: Entry, thread: usize) -> usize {
        let counts = &self.counts[entry.start..][..entry.len];
        counts.get(thread).map_or(0, |&count| count as usize)
    }

    pub fn mark(&self) -> CausalMark {
        CausalMark { n_counts: self.counts.len(), n_replaced: self.replaced.len() }
    }

    pub fn undo(&mut self, mark: CausalMark) {
        for (thread, entry) in self.replaced.drain(mark.n_replaced..).rev() {
            self.entries[thread] = entry;
        }
        self.counts.truncate(mark.n_counts);
    }
}
