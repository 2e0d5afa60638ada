//! Causal maps [RVF-SMC §5]: for a read that waits, the writes it need not read from any more.
//!
//! Once all values of a read have been explored at a node, the other reads of that node are tried with the first
//! one left for later; then it has to read from a write that was not there, or the same class is explored again.
//! Only reads that are a thread's next step have entries, so there is one entry per thread: how many nodes each
//! thread had. An entry forbids the initial write too.
//!
//! Counts live on one stack: entries are set on the way down and taken back on the way up.

#[derive(Clone, Debug, Default)]
pub struct CausalMap {
    /// Per thread: where the counts for its next read begin, and how many there are.
    entries: Vec<Option<Entry>>,
    counts: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub struct Entry {
    start: usize,
    len: usize,
}

impl CausalMap {
    pub fn get(&self, thread: usize) -> Option<Entry> {
        self.entries.get(thread).copied().flatten()
    }

    /// Replaces the entry of a thread; answers the old one.
    pub fn set(&mut self, thread: usize, entry: Option<Entry>) -> Option<Entry> {
        if self.entries.len() <= thread {
            self.entries.resize(thread + 1, None);
        }
        std::mem::replace(&mut self.entries[thread], entry)
    }

    /// A new entry with these numbers of nodes per thread.
    pub fn enter(&mut self, counts: impl Iterator<Item = usize>) -> Entry {
        let start = self.counts.len();
        self.counts.extend(counts.map(|count| count as u32));
        Entry { start, len: self.counts.len() - start }
    }

    /// How many nodes of `thread` the entry forbids.
    pub fn n_forbidden(&self, entry: Entry, thread: usize) -> usize {
        let counts = &self.counts[entry.start..][..entry.len];
        counts.get(thread).map_or(0, |&count| count as usize)
    }

    pub fn mark(&self) -> usize {
        self.counts.len()
    }

    /// Drops the entries made since `mark`; none of them is in use.
    pub fn release(&mut self, mark: usize) {
        self.counts.truncate(mark);
    }
}
