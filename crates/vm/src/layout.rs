//! The address space: 47 bits, divided so that every address is a function of the program and of the canonical name
//! of the thread that owns it.
//!
//! ```text
//! 0            the null page: accesses are null-pointer dereferences
//! 0x1_0000     globals, aligned as declared (to 16 bytes at least), red zones between them
//! 1 << 45      functions, 16 bytes apart
//! 5 << 43      objects of zeroes of the deeper threads, 2 MiB for each
//! 3 << 44      objects of zeroes of the main thread
//! 7 << 43      objects of zeroes of its children, 2 GiB for each
//! 1 << 46      the main thread's region
//! 3 << 45      one region of 4 GiB for each child of the main thread
//! 7 << 44      one region of 4 MiB for each deeper thread
//! ```
//!
//! A region is divided again: the first half holds what the thread allocates (bump allocation, nothing is used
//! twice), the third quarter its private stack, the last one its return value and its thread-locals. An object that
//! starts with zeroes lies at the same offset in a part of its own, so that its address says what it starts with.
//!
//! A thread may allocate different objects in different executions, such as the one that runs the function of a
//! `call_once`. If a word had the same address in both, but were accessed in other sizes, these accesses would seem to
//! overlap. So where there is room, the address of the nth object of a thread depends on its size and on the statement that
//! creates it ([`Slots`]).
//!
//! The creation path of a deeper thread has up to 60 bits, too many for an address. It is written in a prefix-free
//! code (Elias gamma of n+1 per creation number, then a one) of at most 22 bits, which fits the paths of real
//! programs: `0.62.30`, `0.6.6.6`, `0.1.1.1.1.1`. A path that does not fit is refused.

use atropos_event::ThreadKey;

pub const NULL_PAGE: u64 = 1 << 12;
pub const GLOBAL_BASE: u64 = 1 << 16;
pub const FUNCTION_BASE: u64 = 1 << 45;
pub const FUNCTION_STRIDE: u64 = 16;
const DEEP_ZEROES: u64 = 5 << 43;
const DEEP_ZEROES_SHIFT: u32 = 21;
const MAIN_ZEROES: u64 = 3 << 44;
const CHILD_ZEROES: u64 = 7 << 43;
const CHILD_ZEROES_SHIFT: u32 = 31;
const MAIN_BASE: u64 = 1 << 46;
const CHILD_BASE: u64 = 3 << 45;
const CHILD_SHIFT: u32 = 32;
const DEEP_BASE: u64 = 7 << 44;
const DEEP_SHIFT: u32 = 22;
const DEEP_CODE_BITS: u32 = 22;
pub const ADDRESS_LIMIT: u64 = 1 << 47;
/// The minimum gap after an object: an access that misses its object by less is noticed.
pub const RED_ZONE: u64 = 256;
/// The gap after a global variable, and the maximum gap after an allocated object.
pub const GLOBAL_RED_ZONE: u64 = 1 << 20;
const MAX_RED_ZONE: u64 = 1 << 24;
pub const OBJECT_ALIGN: u64 = 16;

/// The part of the address space that one thread owns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadRegion {
    pub base: u64,
    pub size: u64,
}

/// The parts of a region, with the offset in the part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Heap(u64),
    /// Of the heap, an object that starts with zeroes.
    Zeroes(u64),
    Private(u64),
    /// The return value at 0, the claim at 8, the offered word at 16, the main thread's guard of atomic sections at
    /// 24, the record of the thread's end at 32, thread-locals from [`ThreadRegion::THREAD_LOCALS`] on.
    Control(u64),
}

impl ThreadRegion {
    pub const OFFER: u64 = 16;
    pub const GUARD: u64 = 24;
    pub const THREAD_LOCALS: u64 = 64;

    /// The region of a thread, or `None` if its creation path is too long.
    pub fn of_key(key: ThreadKey) -> Option<ThreadRegion> {
        Some(match key.path()[..] {
            [] => ThreadRegion { base: MAIN_BASE, size: CHILD_BASE - MAIN_BASE },
            [nth] => ThreadRegion { base: CHILD_BASE + (nth << CHILD_SHIFT), size: 1 << CHILD_SHIFT },
            ref path => {
                ThreadRegion { base: DEEP_BASE + (path_code(path)? << DEEP_SHIFT), size: 1 << DEEP_SHIFT }
            }
        })
    }

    /// The region that contains `addr`.
    pub fn of_addr(addr: u64) -> Option<ThreadRegion> {
        let within = |base: u64, shift: u32| ThreadRegion {
            base: base + ((addr - base) >> shift << shift),
            size: 1 << shift,
        };
        match addr {
            ADDRESS_LIMIT.. => None,
            DEEP_BASE.. => Some(within(DEEP_BASE, DEEP_SHIFT)),
            CHILD_BASE.. => Some(within(CHILD_BASE, CHILD_SHIFT)),
            MAIN_BASE.. => Some(ThreadRegion { base: MAIN_BASE, size: CHILD_BASE - MAIN_BASE }),
            CHILD_ZEROES.. => {
                let nth = (addr - CHILD_ZEROES) >> CHILD_ZEROES_SHIFT;
                Some(ThreadRegion { base: CHILD_BASE + (nth << CHILD_SHIFT), size: 1 << CHILD_SHIFT })
            }
            MAIN_ZEROES.. => Some(ThreadRegion { base: MAIN_BASE, size: CHILD_BASE - MAIN_BASE }),
            DEEP_ZEROES.. => {
                let nth = (addr - DEEP_ZEROES) >> DEEP_ZEROES_SHIFT;
                Some(ThreadRegion { base: DEEP_BASE + (nth << DEEP_SHIFT), size: 1 << DEEP_SHIFT })
            }
            _ => None,
        }
    }

    /// Where its objects of zeroes are, and how much room they have.
    pub fn zeroes(self) -> (u64, u64) {
        match self.base {
            MAIN_BASE => (MAIN_ZEROES, CHILD_ZEROES - MAIN_ZEROES),
            base if base >= DEEP_BASE => (
                DEEP_ZEROES + ((base - DEEP_BASE) >> DEEP_SHIFT << DEEP_ZEROES_SHIFT),
                1 << DEEP_ZEROES_SHIFT,
            ),
            base => (
                CHILD_ZEROES + ((base - CHILD_BASE) >> CHILD_SHIFT << CHILD_ZEROES_SHIFT),
                1 << CHILD_ZEROES_SHIFT,
            ),
        }
    }

    /// The canonical number of the thread: its handle in the program. Never zero.
    pub fn handle(self) -> u64 {
        match self.base {
            MAIN_BASE => 1,
            base if base >= DEEP_BASE => 1 << DEEP_CODE_BITS | (base - DEEP_BASE) >> DEEP_SHIFT,
            base => 1 + ((base - CHILD_BASE) >> CHILD_SHIFT),
        }
    }

    /// The gap after an object that ends at `offset`, chosen so that some hundred thousand objects fit.
    pub fn red_zone(self, offset: u64) -> u64 {
        let share = (self.size / 2).saturating_sub(offset) >> 16;
        share.clamp(RED_ZONE, MAX_RED_ZONE) / RED_ZONE * RED_ZONE
    }

    /// The places for objects from `offset` on, if there is room for such a division.
    pub fn slots(self, offset: u64) -> Option<Slots> {
        let gap = self.red_zone(offset);
        (gap >= Slots::LEAST_GAP).then(|| Slots { size: (1 << gap.ilog2()).min(MAX_RED_ZONE / 2) })
    }

    /// The offset of the next object after one that ends at `end`.
    pub fn after(self, offset: u64, end: u64) -> u64 {
        match self.slots(offset) {
            Some(slots) => align_up(end, slots.size) + slots.size,
            None => align_up(end + self.red_zone(end), OBJECT_ALIGN),
        }
    }

    pub fn private_base(self) -> u64 {
        self.base + self.size / 2
    }

    pub fn private_size(self) -> u64 {
        self.size / 4
    }

    pub fn control_base(self) -> u64 {
        self.base + self.size / 4 * 3
    }

    /// Where the return value of the thread is kept for threads that join it.
    pub fn return_slot(self) -> u64 {
        self.control_base()
    }

    /// Where joins and detaches of the thread are recorded, if they are.
    pub fn claim_slot(self) -> u64 {
        self.control_base() + 8
    }

    /// Where the thread may pass data to other threads.
    pub fn offer_slot(self) -> u64 {
        self.control_base() + Self::OFFER
    }

    /// The guard of atomic sections, in the region of the main thread.
    pub fn guard_slot(self) -> u64 {
        self.control_base() + Self::GUARD
    }

    /// Where a thread records that its thread-locals are gone, if other threads may know them.
    pub fn life_slot(self) -> u64 {
        self.control_base() + 32
    }

    pub fn thread_local(self, offset: u64) -> u64 {
        self.control_base() + Self::THREAD_LOCALS + offset
    }

    /// The number of bytes of thread-locals that every region can hold.
    pub fn thread_local_limit() -> u64 {
        (1 << DEEP_SHIFT) / 4 - Self::THREAD_LOCALS
    }

    pub fn part(self, addr: u64) -> Part {
        if addr < MAIN_BASE {
            return Part::Zeroes(addr - self.zeroes().0);
        }
        let offset = addr - self.base;
        match offset / (self.size / 4) {
            0 | 1 => Part::Heap(offset),
            2 => Part::Private(addr - self.private_base()),
            _ => Part::Control(addr - self.control_base()),
        }
    }

    /// The canonical name of the owner, for reports.
    pub fn owner(self) -> String {
        let path = match self.base {
            MAIN_BASE => Vec::new(),
            base if base >= DEEP_BASE => decode_path((base - DEEP_BASE) >> DEEP_SHIFT),
            base => vec![(base - CHILD_BASE) >> CHILD_SHIFT],
        };
        path.iter().fold("0".to_string(), |name, nth| format!("{name}.{nth}"))
    }
}

/// A division of the heap part of a region: one object for each slot, or for several if it is large. The next slot after
/// it is left free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slots {
    /// A power of two.
    size: u64,
}

impl Slots {
    const LEAST_GAP: u64 = 4096;

    /// How far from the start of its slot an object of `size` bytes lies that `statement` creates. Two objects of
    /// different sizes or statements rarely share a byte, and large ones share none with small ones.
    pub fn displacement(self, size: u64, statement: u64) -> u64 {
        let room = self.size / 2;
        let unit = size.max(OBJECT_ALIGN).checked_next_power_of_two().unwrap_or(room);
        let key = (statement ^ size.rotate_left(20)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match room / unit {
            0 | 1 => room,
            n => (key >> 32) % n * unit,
        }
    }
}

/// Whether `addr` is where objects start with zeroes.
pub fn is_zeroed(addr: u64) -> bool {
    (DEEP_ZEROES..MAIN_BASE).contains(&addr)
}

fn path_code(path: &[u64]) -> Option<u64> {
    let mut code = 0u64;
    let mut used = 0;
    let ones = std::iter::once(1);
    for symbol in path.iter().map(|nth| nth + 1).chain(ones) {
        let bits = 2 * symbol.ilog2() + 1;
        used += bits;
        if used > DEEP_CODE_BITS {
            return None;
        }
        code = code << bits | symbol;
    }
    Some(code << (DEEP_CODE_BITS - used))
}

fn decode_path(code: u64) -> Vec<u64> {
    let mut rest = code << (64 - DEEP_CODE_BITS);
    let mut path = Vec::new();
    while rest != 0 {
        let zeros = rest.leading_zeros();
        let bits = 2 * zeros + 1;
        let symbol = rest >> (64 - bits);
        if symbol == 1 {
            break;
        }
        path.push(symbol - 1);
        rest <<= bits;
    }
    path
}

/// The next multiple of `align`, a power of two.
pub fn align_up(offset: u64, align: u64) -> u64 {
    offset.div_ceil(align) * align
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(path: &[u64]) -> Option<ThreadRegion> {
        ThreadRegion::of_key(ThreadKey::from_path(path).unwrap())
    }

    #[test]
    fn threads_have_regions_of_their_own() {
        let mut paths: Vec<Vec<u64>> = vec![vec![], vec![1], vec![4095]];
        for a in 1..=30 {
            paths.extend((1..=30).map(|b| vec![a, b]));
        }
        paths.extend([vec![1, 1, 1], vec![6, 6, 6], vec![1, 1, 1, 1, 1], vec![62, 30]]);
        let mut regions: Vec<_> =
            paths.iter().map(|path| (region(path).expect("the path is short"), path.clone())).collect();
        for (region, path) in &regions {
            assert_eq!(ThreadRegion::of_addr(region.base + region.size - 1), Some(*region));
            assert_eq!(region.owner(), ThreadKey::from_path(path).unwrap().to_string());
            assert_ne!(region.handle(), 0);
            let (start, size) = region.zeroes();
            for addr in [start, start + size - 1] {
                assert_eq!(ThreadRegion::of_addr(addr), Some(*region));
                assert_eq!(region.part(addr), Part::Zeroes(addr - start));
                assert!(is_zeroed(addr));
            }
            assert!(!is_zeroed(region.base) && ThreadRegion::of_addr(DEEP_ZEROES - 1).is_none());
        }
        regions.sort_by_key(|(region, _)| region.base);
        for pair in regions.windows(2) {
            assert!(pair[0].0.base + pair[0].0.size <= pair[1].0.base, "{pair:?}");
            assert_ne!(pair[0].0.handle(), pair[1].0.handle());
        }
    }

    #[test]
    fn the_places_of_objects_in_their_slots_do_not_move_the_next_slot() {
        for path in [&[][..], &[3]] {
            let region = region(path).unwrap();
            let slots = region.slots(OBJECT_ALIGN).unwrap();
            let (small, large) = ((1..=32).map(|words| 8 * words), slots.displacement(1 << 30, 0));
            let places =
                small.flat_map(|size| (0..32).map(move |at| (size, slots.displacement(size, at << 32 | 7))));
            let mut starts = std::collections::HashSet::new();
            for (size, start) in places {
                assert!(start.is_multiple_of(OBJECT_ALIGN) && start + size <= large, "{size} {start}");
                assert_eq!(region.after(OBJECT_ALIGN, OBJECT_ALIGN + start + size), 2 * slots.size);
                starts.insert(start);
            }
            assert!(starts.len() > 100, "{}", starts.len());
            assert!(region.after(OBJECT_ALIGN, 1 << 30) >= (1 << 30) + RED_ZONE);
        }
        assert_eq!(region(&[1, 2]).unwrap().slots(OBJECT_ALIGN), None);
    }

    #[test]
    fn a_path_that_does_not_fit_is_refused() {
        assert_eq!(region(&[4095, 4095]), None);
    }
}
