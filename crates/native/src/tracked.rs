//! What must be freed before an execution ends: reference-counted data ([`crate::arc`]) and allocations
//! ([`crate::alloc`]).
//!
//! As long as everything is freed, that needs no events: each run keeps a list. If something is left when the last
//! thread ends, the run learns the place that created it ([`crate::lessons`]). The search starts over, and creating and
//! freeing what comes from that place are events, so that the explorer finds the leak, and reports show it.
//!
//! Static variables are not dropped. If one of them owns something, nothing is said about leaks.

use crate::context::{Where, with};
use crate::names::TRACKED;
use crate::perform::{perform, reach};
use crate::{heap, lessons};
use atropos_event::{Addr, AllocKind, Label, Step};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What exists in the current execution.
#[derive(Debug, Default)]
pub(crate) struct Tracked {
    /// What no event has created, by address.
    live: FxHashMap<usize, Where>,
    /// The memory that events have allocated.
    blocks: Vec<Range<usize>>,
    /// What destructors have accessed that are no events, with the types of the data: see [`crate::quiet`].
    buried: Vec<(u64, &'static str)>,
    /// Whether a static variable owns something.
    pub is_kept: bool,
}

/// Moments are copied often, into room that is there already.
impl Clone for Tracked {
    fn clone(&self) -> Self {
        let mut copy = Tracked::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        let Tracked { live, blocks, buried, is_kept } = other;
        self.live.clone_from(live);
        self.blocks.clone_from(blocks);
        self.buried.clone_from(buried);
        self.is_kept = *is_kept;
    }
}

impl Tracked {
    pub fn reset(&mut self) {
        self.live.clear();
        self.blocks.clear();
        self.buried.clear();
        self.is_kept = false;
    }

    /// A destructor of data of these types has accessed the object `name`.
    pub fn bury(&mut self, name: u64, types: impl Iterator<Item = &'static str>) {
        self.buried.extend(types.map(|of| (name, of)));
    }

    #[inline]
    pub fn is_buried(&self, name: u64) -> bool {
        self.buried.iter().any(|&(known, _)| known == name)
    }

    /// The types of the data whose destructors have accessed the object `name`.
    pub fn buried_with(&self, name: u64) -> impl Iterator<Item = &'static str> {
        self.buried.iter().filter(move |&&(known, _)| known == name).map(|&(_, of)| of)
    }

    /// Whether an event has allocated the memory at `addr`.
    pub fn is_allocated(&self, addr: usize) -> bool {
        self.blocks.iter().any(|block| block.contains(&addr))
    }
}

/// Something that must be freed. It does not free itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracking {
    addr: usize,
    place: Where,
    /// Whether its life is a matter of events.
    pub is_watched: bool,
}

impl Tracking {
    /// Something at `addr` was created at `place`.
    pub fn begin(addr: usize, size: usize, place: Where) -> Tracking {
        let is_watched = heap::outside(|| {
            with(|context| {
                let is_watched = context.learning.lessons.leaky.contains(&place_key(place));
                if !is_watched {
                    context.tracked.live.insert(addr, place);
                }
                is_watched
            })
        });
        if is_watched {
            perform(allocation(addr, size), place);
        }
        Tracking { addr, place, is_watched }
    }

    pub fn end(&self) {
        match self.is_watched {
            true => drop(perform(deallocation(self.addr), self.place)),
            false => drop(with(|context| context.tracked.live.remove(&self.addr))),
        }
    }
}

/// The block of `size` bytes at `addr` was allocated.
pub(crate) fn allocated(addr: usize, size: usize, place: Where) {
    if !with(|context| context.learning.lessons.watches_heap) {
        lessons::learn(|lessons| lessons.watches_heap = true, place);
    }
    heap::outside(|| with(|context| context.tracked.blocks.push(addr..addr + size)));
    // Objects in the block are named after this event.
    reach(Step::Do(allocation(addr, size)), place);
}

/// The program frees the block at `addr`.
pub(crate) fn deallocated(addr: usize, place: Where) {
    perform(deallocation(addr), place);
}

fn allocation(addr: usize, size: usize) -> Label {
    Label::Alloc { addr: tracked_addr(addr), size: size as u64, kind: AllocKind::Heap }
}

fn deallocation(addr: usize) -> Label {
    Label::Free { addr: tracked_addr(addr), kind: AllocKind::Heap }
}

fn tracked_addr(addr: usize) -> Addr {
    Addr(TRACKED | with(|context| context.arena().canonical(addr as u64)))
}

fn place_key(place: Where) -> usize {
    std::ptr::from_ref(place) as usize
}

/// The running thread ends. If it is the last one, everything should be freed.
pub(crate) fn at_end(place: Where) {
    let leaks = with(|context| {
        let is_last = context.threads.iter().all(|thread| !thread.exists || thread.library.is_ending);
        is_last && !context.tracked.live.is_empty() && !context.tracked.is_kept
    });
    if leaks {
        let places: Vec<usize> = heap::outside(|| {
            with(|context| context.tracked.live.values().map(|place| place_key(place)).collect())
        });
        let learned = move |lessons: &mut lessons::Lessons| {
            lessons.leaky.extend(places);
            lessons.watches_heap = true;
        };
        lessons::learn(learned, place);
    }
}
