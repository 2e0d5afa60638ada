//! What the runs of one program share, so that names and addresses are the same in all of them.

use crate::arena::REGIONS;
use crate::context::Where;
use crate::image::Common;
use crate::lessons::Lessons;
use atropos_event::{ThreadKey, Value, WriteOrder};
use rustc_hash::FxHashMap;
use std::alloc::Layout;
use std::sync::{Mutex, MutexGuard};

#[derive(Debug)]
pub(crate) struct Shared {
    /// The order of the store that unlocks a mutex.
    pub unlock_order: WriteOrder,
    /// What all processes have, if the search is spread over processes.
    pub common: Common,
    /// Where something was created that other processes do not have.
    stray: Mutex<Option<Where>>,
    /// The region of each thread.
    regions: Mutex<FxHashMap<ThreadKey, usize>>,
    objects: Mutex<Objects>,
    /// The memory for copies of data that outlives executions, and the place of the next copy.
    copies: Mutex<(FxHashMap<usize, usize>, usize)>,
    /// What runs have learned about the program: see [`crate::lessons`].
    pub lessons: Mutex<Lessons>,
}

/// Objects that no event initialises: see [`crate::names`].
#[derive(Debug, Default)]
struct Objects {
    /// The number of initial values that an object with this name has had.
    n_variants: FxHashMap<u64, u64>,
    variants: FxHashMap<(u64, Value), u64>,
    initial: FxHashMap<u64, Value>,
    /// Where objects were created, if reports have asked.
    created: FxHashMap<u64, Where>,
}

impl Default for Shared {
    fn default() -> Self {
        Shared {
            unlock_order: WriteOrder::Release,
            common: Common::default(),
            stray: Mutex::default(),
            regions: Mutex::default(),
            objects: Mutex::default(),
            copies: Mutex::default(),
            lessons: Mutex::default(),
        }
    }
}

impl Shared {
    /// The region of a thread; `None` if there are too many threads.
    pub fn region_of(&self, key: ThreadKey) -> Option<usize> {
        let mut regions = lock(&self.regions);
        let next = regions.len();
        let region = *regions.entry(key).or_insert(next);
        (region < REGIONS).then_some(region)
    }

    /// The place of the copy of the data at `addr`.
    pub fn offset_of(&self, addr: usize, layout: Layout) -> usize {
        let mut copies = lock(&self.copies);
        let (known, next) = &mut *copies;
        *known.entry(addr).or_insert_with(|| {
            let offset = next.next_multiple_of(layout.align().max(16));
            *next = offset + layout.size();
            offset
        })
    }

    /// The number of the initial value `initial` among those of the object `name`, from 0.
    pub fn variant(&self, name: u64, initial: Value, named: impl FnOnce(u64) -> u64) -> u64 {
        let mut objects = lock(&self.objects);
        if let Some(&known) = objects.variants.get(&(name, initial)) {
            return known;
        }
        let n_variants = objects.n_variants.entry(name).or_insert(0);
        let variant = named(*n_variants);
        *n_variants += 1;
        objects.variants.insert((name, initial), variant);
        objects.initial.insert(variant, initial);
        variant
    }

    /// The value `initial` of the object `name` has this number.
    pub fn set_variant(&self, variant: u64, initial: Value) {
        lock(&self.objects).initial.insert(variant, initial);
    }

    pub fn note_stray(&self, place: Where) {
        lock(&self.stray).get_or_insert(place);
    }

    pub fn stray(&self) -> Option<Where> {
        *lock(&self.stray)
    }

    /// The value of an object before any write to it.
    pub fn initial(&self, name: u64) -> Value {
        lock(&self.objects).initial.get(&name).copied().unwrap_or(0)
    }

    pub fn note_created(&self, name: u64, place: Where) {
        lock(&self.objects).created.insert(name, place);
    }

    pub fn created(&self, name: u64) -> Option<Where> {
        lock(&self.objects).created.get(&name).copied()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while it holds the lock")
}
