//! The known threads: dense ids, canonical names, handles, current positions. Rewinding forgets none.

use atropos_event::{Position, ThreadId, ThreadKey};
use rustc_hash::FxHashMap;

use crate::fault::Fault;
use crate::layout::ThreadRegion;

pub(crate) struct Threads {
    met: Vec<MetThread>,
    by_handle: FxHashMap<u64, ThreadId>,
}

struct MetThread {
    key: ThreadKey,
    region: ThreadRegion,
    position: Position,
    /// In the order of their creation, so that finding them again needs no search.
    children: Vec<ThreadId>,
}

impl Threads {
    pub fn new() -> Self {
        let mut threads = Threads { met: Vec::new(), by_handle: FxHashMap::default() };
        let main = ThreadRegion::of_key(ThreadKey::MAIN).expect("the main thread has a region");
        threads.meet(ThreadKey::MAIN, main);
        threads
    }

    fn meet(&mut self, key: ThreadKey, region: ThreadRegion) -> ThreadId {
        let id = ThreadId::new(self.met.len());
        self.met.push(MetThread { key, region, position: Position(0), children: Vec::new() });
        self.by_handle.insert(region.handle(), id);
        id
    }

    /// Whether a thread other than the main one has created threads, in this execution or another one.
    pub fn has_grandchildren(&self) -> bool {
        self.met.iter().skip(1).any(|met| !met.children.is_empty())
    }

    /// The thread that `parent` creates after `n_children` others.
    pub fn child(&mut self, parent: ThreadId, n_children: u32) -> Result<ThreadId, Fault> {
        // A thread numbers its children in sequence, so an unknown one is the next.
        if let Some(&child) = self.met[parent.index()].children.get(n_children as usize) {
            return Ok(child);
        }
        let key = self.key(parent).child(u64::from(n_children) + 1).ok_or(Fault::TooDeeplyNested)?;
        let region = ThreadRegion::of_key(key).ok_or(Fault::TooDeeplyNested)?;
        if self.met.len() == ThreadId::LIMIT {
            return Err(Fault::TooManyThreads);
        }
        let child = self.meet(key, region);
        self.met[parent.index()].children.push(child);
        Ok(child)
    }

    /// The number of a thread among the children of `parent`, from 0.
    pub fn number_of(&self, parent: ThreadId, child: ThreadId) -> Option<usize> {
        self.met[parent.index()].children.iter().position(|&known| known == child)
    }

    pub fn with_handle(&self, handle: u64) -> Result<ThreadId, Fault> {
        self.by_handle.get(&handle).copied().ok_or(Fault::NotAThread { handle })
    }

    pub fn key(&self, thread: ThreadId) -> ThreadKey {
        self.met[thread.index()].key
    }

    pub fn region(&self, thread: ThreadId) -> ThreadRegion {
        self.met[thread.index()].region
    }

    #[inline]
    pub fn position(&self, thread: ThreadId) -> Position {
        self.met[thread.index()].position
    }

    #[inline]
    pub fn stand_at(&mut self, thread: ThreadId, position: Position) {
        self.met[thread.index()].position = position;
    }
}
