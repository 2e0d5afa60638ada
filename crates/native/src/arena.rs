//! Address space for model threads: every thread has a region at a fixed place, with its stack and its heap.
//!
//! ```text
//! region   guard | stack, grows down | heap, grows up
//! arena    one region per thread
//! ```
//!
//! Addresses are values of the program, so they must be the same whenever an execution is repeated. Within an arena
//! they are. Several runs exist at the same time, each in its own arena, so values that look like addresses of an arena
//! are translated when they enter and leave the execution graph: see [`Arena::canonical`].

use crate::image::Common;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

/// The number of threads that one execution may have.
pub(crate) const REGIONS: usize = 256;
/// The region for data that outlives executions.
pub(crate) const STATICS: usize = REGIONS;
const REGION: usize = 1 << 26;
pub(crate) const GUARD: usize = 1 << 16;
const STACK: usize = 2 << 20;
/// The room for a heap.
pub(crate) const ROOM: usize = REGION - STACK - REGIONS * SHIFT;
/// The stack of a region ends this many bytes later than that of the region before. If all ended at the same offset,
/// they would compete for the same few lines of the caches.
const SHIFT: usize = 4096 + 5 * 64;
const ARENA: usize = (REGIONS + 1) * REGION;
/// Where the first arena is mapped if possible, and where all addresses appear to be.
const CANONICAL: usize = 1 << 46;

/// The arenas that are not in use; their memory stays mapped.
static UNUSED: Mutex<Vec<Arena>> = Mutex::new(Vec::new());
static N_ARENAS: AtomicUsize = AtomicUsize::new(0);
/// All arenas are within these bounds.
static LOW: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIGH: AtomicUsize = AtomicUsize::new(0);

/// A mapped part of the address space, without access to regions that were never used.
#[derive(Debug)]
pub(crate) struct Arena {
    base: usize,
    is_open: Vec<bool>,
    /// What lies outside and is translated too.
    common: Common,
}

/// The bounds of a region: its stack from the guard up, its heap above.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub guard: usize,
    pub stack: usize,
    pub heap: usize,
    pub end: usize,
}

impl Arena {
    /// An arena for one run; [`Arena::give_back`] returns it.
    ///
    /// # Panics
    /// If the address space is exhausted.
    pub fn take(common: Common) -> Arena {
        let arena = unused().pop().unwrap_or_else(Arena::map);
        Arena { common, ..arena }
    }

    pub fn give_back(self) {
        unused().push(self);
    }

    fn map() -> Arena {
        let hint = CANONICAL + ARENA * N_ARENAS.fetch_add(1, Relaxed);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping without access, which replaces no other one.
        let base = unsafe { libc::mmap(hint as *mut libc::c_void, ARENA, libc::PROT_NONE, flags, -1, 0) };
        assert!(base != libc::MAP_FAILED, "cannot reserve {} GiB of address space", ARENA >> 30);
        let base = base as usize;
        LOW.fetch_min(base, Relaxed);
        HIGH.fetch_max(base + ARENA, Relaxed);
        Arena { base, is_open: vec![false; REGIONS + 1], common: Common::default() }
    }

    /// The bounds of a region, which may be used from now on.
    ///
    /// # Panics
    /// If the system refuses the memory.
    #[inline]
    pub fn open(&mut self, region: usize) -> Bounds {
        let guard = self.base + region * REGION;
        let stack = guard + STACK + (region % STATICS) * SHIFT;
        let bounds = Bounds { guard, stack, heap: stack, end: guard + REGION };
        if !self.is_open[region] {
            let start = (guard + GUARD) as *mut libc::c_void;
            // SAFETY: these bytes belong to the arena, and nothing has used them yet.
            let result = unsafe { libc::mprotect(start, REGION - GUARD, libc::PROT_READ | libc::PROT_WRITE) };
            assert!(result == 0, "no memory for another thread of the model");
            self.is_open[region] = true;
        }
        bounds
    }

    #[inline]
    pub fn contains(&self, addr: usize) -> bool {
        addr.wrapping_sub(self.base) < ARENA
    }

    /// The value that represents `value` in the execution graph, whichever arena the run has: addresses of this arena
    /// are exchanged with those of the first one, and so are those of [`Common`]. The function is its own inverse.
    #[inline]
    pub fn canonical(&self, value: u64) -> u64 {
        let (base, canonical) = (self.base as u64, CANONICAL as u64);
        let within = |start: u64| value.wrapping_sub(start) < ARENA as u64;
        if within(base) {
            value - base + canonical
        } else if within(canonical) {
            value - canonical + base
        } else {
            self.common.canonical(value)
        }
    }
}

/// Whether `addr` belongs to an arena.
#[inline]
pub(crate) fn is_in_some(addr: usize) -> bool {
    (LOW.load(Relaxed)..HIGH.load(Relaxed)).contains(&addr)
}

fn unused() -> MutexGuard<'static, Vec<Arena>> {
    UNUSED.lock().expect("nothing panics while it holds the lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arenas_look_the_same_from_inside() {
        let (mut first, mut second) = (Arena::take(Common::default()), Arena::take(Common::default()));
        let (a, b) = (first.open(3).heap, second.open(3).heap);
        assert_ne!(a, b);
        assert_eq!(first.canonical(a as u64), second.canonical(b as u64));
        for value in [0, 7, a as u64, b as u64, u64::MAX] {
            assert_eq!(second.canonical(second.canonical(value)), value);
        }
        assert!(first.contains(a) && !first.contains(b) && is_in_some(b));
        first.give_back();
        second.give_back();
    }
}
