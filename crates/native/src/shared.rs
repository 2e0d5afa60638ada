//! What the runs of one program share, so that names and addresses are the same in all of them.

use crate::arena;
use crate::context::Where;
use crate::image::Common;
use crate::lessons::Lessons;
use crate::spread::NoNumber;
use atropos_event::{SourceLocation, ThreadKey, Value, WriteOrder};
use rustc_hash::FxHashMap;
use std::alloc::Layout;
use std::sync::{Mutex, MutexGuard};

#[derive(Debug)]
pub(crate) struct Shared {
    /// The order of the store that unlocks a mutex.
    pub unlock_order: WriteOrder,
    /// Whether waiting with a limit on the time may end because the time is over.
    pub has_timeouts: bool,
    /// Whether executions are left out that only repeat what another one does: see [`crate::retry`].
    pub skips_retries: bool,
    /// What all processes with the same executable have at their own addresses.
    pub common: Common,
    /// Whether the search is spread over processes, so that numbers must be lessons: see [`crate::spread`].
    pub is_spread: bool,
    /// Where something was created that other processes do not have.
    stray: Mutex<Option<Where>>,
    objects: Mutex<Objects>,
    /// The memory for copies of data that outlives executions and that other processes do not have, and its size.
    copies: Mutex<(FxHashMap<usize, usize>, usize)>,
    /// What runs have learned about the program: see [`crate::lessons`].
    pub lessons: Mutex<Lessons>,
    /// Where loops pause that were cut because they have done the same too often: see [`crate::idle`].
    cut: Mutex<Vec<SourceLocation>>,
}

/// Objects that no event initialises: see [`crate::names`].
#[derive(Debug, Default)]
struct Objects {
    initial: FxHashMap<u64, Value>,
    /// Where objects were created, if reports have asked.
    created: FxHashMap<u64, Where>,
}

impl Shared {
    pub fn new(common: Common) -> Self {
        Shared {
            unlock_order: WriteOrder::Release,
            has_timeouts: true,
            skips_retries: true,
            common,
            is_spread: false,
            stray: Mutex::default(),
            objects: Mutex::default(),
            copies: Mutex::default(),
            lessons: Mutex::default(),
            cut: Mutex::default(),
        }
    }

    /// The region of a thread, which gets one if it has none yet.
    ///
    /// # Errors
    /// If there are too many threads.
    pub fn region_of(&self, key: ThreadKey) -> Result<usize, NoNumber> {
        let numbers = &mut lock(&self.lessons).numbers;
        numbers.region_of(key).or_else(|_| {
            numbers.add_thread(key);
            numbers.region_of(key)
        })
    }

    /// The number of the size and the initial value among those of the object `name`; they get one if they have none yet.
    ///
    /// # Errors
    /// If there are too many values.
    pub fn variant(&self, name: u64, size: u8, initial: Value) -> Result<u64, NoNumber> {
        let numbers = &mut lock(&self.lessons).numbers;
        numbers.variant(name, size, initial).or_else(|_| {
            numbers.add_variant(name, size, initial);
            numbers.variant(name, size, initial)
        })
    }

    /// The place of the copy of the data at `addr`; `None` if all processes should agree on it, and do not.
    pub fn offset_of(&self, addr: usize, layout: Layout) -> Option<usize> {
        let fits = |offset: &usize| offset + layout.size() <= arena::ROOM;
        if self.is_spread || self.common.len() <= arena::ROOM / 2 {
            let agreed = self.common.offset(addr);
            if agreed.is_some() || self.is_spread {
                return agreed.filter(fits);
            }
        }
        let mut copies = lock(&self.copies);
        let (known, size) = &mut *copies;
        let first = if self.common.len() <= arena::ROOM / 2 { self.common.len() } else { 0 };
        let offset = *known.entry(addr).or_insert_with(|| {
            let offset = (first + *size).next_multiple_of(layout.align().max(16));
            *size = offset + layout.size() - first;
            offset
        });
        Some(offset).filter(fits)
    }

    /// The object with this name starts with the value `initial`.
    pub fn set_variant(&self, variant: u64, initial: Value) {
        lock(&self.objects).initial.insert(variant, initial);
    }

    pub fn note_stray(&self, place: Where) {
        lock(&self.stray).get_or_insert(place);
    }

    pub fn stray(&self) -> Option<Where> {
        *lock(&self.stray)
    }

    /// A loop that pauses here was cut.
    pub fn note_cut(&self, place: SourceLocation) {
        let mut cut = lock(&self.cut);
        if !cut.contains(&place) {
            cut.push(place);
        }
    }

    /// Where loops pause that were cut, in order.
    pub fn cut(&self) -> Vec<SourceLocation> {
        let mut cut = lock(&self.cut).clone();
        cut.sort_by(|one, other| {
            (&one.file, one.line, one.column).cmp(&(&other.file, other.line, other.column))
        });
        cut
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
