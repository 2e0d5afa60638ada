//! Stores that change nothing: a thread writes what it has written there before, and no other thread writes there.
//!
//! The consumer of a queue keeps the producer's index in a field, and loads it again when the queue seems to be empty:
//! `seen = tail`. While it waits, it stores the same value again and again, in a function that the waiting loop calls,
//! to a field of an object. Such stores do not tell one iteration from the next [ALGORITHMS §L.1].
//!
//! What [`crate::writers`] knows before the program runs does not suffice here, so runs find out. Nothing is compared
//! before a loop has gone in a circle many times but for its stores: then the search starts over, and each thread keeps
//! what it has last written to a few locations. That no other thread writes there is assumed; if one does, the search
//! learns it and starts over again. What the main thread writes before it creates a thread does not count, since it is
//! done before anything else happens.

use atropos_event::{Label, ThreadId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, RwLock};

use crate::fault::Fault;
use crate::interp::Thread;
use crate::private::PAGE_WORDS;
use crate::vm::Vm;

/// How often a loop repeats itself but for its stores before they are compared.
pub(crate) const REPETITIONS: u64 = 256;

/// Stands for several threads that write to a location. No thread has its memory there.
const SEVERAL: u64 = 0;

/// What runs know from the start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Whether stores are compared.
    pub compares: bool,
    /// Locations to which several threads write.
    pub several: FxHashSet<u64>,
    /// It matters whether a thread that tries to lock fails: see [`crate::tries`].
    pub tries_matter: bool,
}

/// What the runs of a program have learned.
#[derive(Debug, Default)]
pub(crate) struct Unchanged {
    known: RwLock<Arc<Known>>,
    writers: Mutex<FxHashMap<u64, Writer>>,
}

/// What is known about the writes to a location.
#[derive(Debug)]
struct Writer {
    /// Where the thread has its memory, or [`SEVERAL`].
    thread: u64,
    /// Whether a store there was taken for one that changes nothing.
    is_trusted: bool,
}

impl Unchanged {
    pub fn known(&self) -> Arc<Known> {
        self.known.read().expect("no thread panics with this lock").clone()
    }

    pub fn learn(&self, change: impl FnOnce(&mut Known)) {
        let mut known = self.known.write().expect("no thread panics with this lock");
        change(Arc::make_mut(&mut known));
    }

    /// A thread writes to a location, and `trusts` that no other one does. Returns whether that is so.
    fn note(&self, addr: u64, thread: u64, trusts: bool) -> bool {
        let mut writers = self.writers.lock().expect("no thread panics with this lock");
        let writer = writers.entry(addr).or_insert(Writer { thread, is_trusted: false });
        writer.is_trusted |= trusts;
        if writer.thread != thread {
            writer.thread = SEVERAL;
        }
        writer.thread != SEVERAL || !writer.is_trusted
    }
}

impl Vm {
    /// From the next start on, stores are compared.
    pub(crate) fn compare_stores(&self) {
        self.unchanged.learn(|known| known.compares = true);
    }
}

impl Thread<'_, '_> {
    /// Whether the write of `label`, with `value` as the answer to it, changes something. Only in runs that compare
    /// stores.
    ///
    /// # Errors
    /// Several threads write there, which was not known.
    #[inline(never)]
    pub fn changes(&mut self, label: &Label, value: Value) -> Result<bool, Fault> {
        let (addr, written, may_be_same) = match *label {
            // Different parts of a cell may have different writers.
            Label::Write { access, value, .. } => (access.addr.0, value, !self.overlaps.has_cells()),
            Label::Read { access, rmw, .. } => match rmw.write_after(access.part(), value) {
                Some((written, _)) => (access.part().addr.0, written, false),
                None => return Ok(false),
            },
            // An object may be where another one was.
            Label::Alloc { .. } | Label::Free { .. } => {
                self.state.written = crate::private::ZERO_PAGE;
                return Ok(true);
            }
            _ => return Ok(true),
        };
        let is_alone = self.id == ThreadId::MAIN && self.state.children.n_created == 0;
        if self.unchanged.several.contains(&addr) {
            return Ok(true);
        }
        let is_same = self.keep_written(addr, written) && may_be_same;
        if !is_alone && !self.vm.unchanged.note(addr, self.region().base, is_same) {
            self.vm.unchanged.learn(|known| {
                known.several.insert(addr);
            });
            return Err(Fault::SeveralWriters);
        }
        Ok(!is_same)
    }

    /// Keeps what the thread has written; returns whether it had written the same there before.
    fn keep_written(&mut self, addr: u64, value: Value) -> bool {
        let at = 2 * (addr.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize;
        debug_assert!(at + 1 < PAGE_WORDS);
        let words = self.pages.words(self.state.written);
        if words[at] == addr && words[at + 1] == value {
            return true;
        }
        let page = self.pages.set_word(self.state.written, at, addr);
        self.state.written = self.pages.set_word(page, at + 1, value);
        false
    }
}
