//! The counts of reference-counted data: see [`crate::arc`].
//!
//! If every clone and drop were an event, n threads that drop their clones would have n! executions. But nothing
//! depends on their order as long as the destructor of the data does nothing that threads could notice. So counts are
//! ordinary numbers at first.
//!
//! If other threads could notice what a destructor does ([`crate::quiet`]), the runs learn the type
//! ([`crate::lessons`]), and the search starts over with drops as events, which count how many came before. Clones are none: their number is an ordinary one. The last drop
//! knows all of them, because cloning an owner happens before dropping it. A drop that is not the last knows of at least
//! one more owner: if it does not know of the clone that made an owner, then the owner that was cloned has not been
//! dropped before, or is itself a clone that it does not know of, and so on, up to the first owner.
//!
//! Only the last drop matters. So a drop need not be an event if the same thread drops another owner of the same data
//! later, or a thread that has waited for its end: the next drop counts for both. At first that is assumed of all drops.
//! If all owners are gone and none was the last, the assumption was wrong for the latest drop of a thread, and the runs
//! learn which drops are events [ALGORITHMS §K.1].
//!
//! If the program looks at a count, the search starts over with atomic counts.

use crate::atomic::{Bits, Ordering};
use crate::context::{Context, Where, is_inside, with};
use crate::heap;
use crate::lessons::{self, Lessons};
use crate::perform;
use crate::quiet::{self, Probe};
use crate::tracked::Tracking;
use atropos_event::{BlockReason, ReadOrder, RmwOp, ThreadId, WriteOrder};
use std::any::type_name;
use std::cell::Cell;
use std::panic::Location;

/// In place of the number of weak owners while the only strong one makes sure that there are none.
const LOCKED: u64 = u64::MAX;

/// A number of owners.
struct Count {
    atomic: Bits<8>,
    /// The number, as long as it is not modelled; if drops are events, the number of owners so far.
    plain: Cell<u64>,
    /// If drops are events: how many owners have not been dropped, and whether one of those that were was the last.
    left: Cell<u64>,
    is_over: Cell<bool>,
}

impl Count {
    #[track_caller]
    fn new(n: u64) -> Count {
        Count { atomic: Bits::preset(n), plain: Cell::new(n), left: Cell::new(n), is_over: Cell::new(false) }
    }
}

impl Context {
    /// The running thread has waited for the end of `child`.
    pub fn note_join(&mut self, child: ThreadId) {
        let known = std::mem::take(&mut self.thread(child).library.joined);
        let joined = &mut self.running().library.joined;
        joined.push(child);
        joined.extend(known);
    }

    /// The drops, by threads for whose end the running thread has waited, that no event has counted. Its next drop counts
    /// for them.
    fn take_drops_of_joined(&mut self, addr: usize) -> u64 {
        let Context { threads, current, .. } = self;
        let joined = std::mem::take(&mut threads[current.index()].library.joined);
        let mut n_skipped = 0;
        for thread in &joined {
            let drops = &mut threads[thread.index()].library.drops;
            let of_thread = drops.iter_mut().find(|drops| drops.addr == addr);
            n_skipped += of_thread.map_or(0, |drops| std::mem::take(&mut drops.n_skipped));
        }
        threads[current.index()].library.joined = joined;
        n_skipped
    }
}

/// What lies before the data.
#[repr(C, align(16))]
pub(crate) struct Counts {
    strong: Count,
    weak: Count,
    /// `None` if the data was created outside of a model.
    tracking: Option<Tracking>,
}

impl Counts {
    /// The counts of data at `addr` with `n_strong` owners.
    #[track_caller]
    pub fn new(n_strong: u64, addr: usize, size: usize) -> Counts {
        let tracking = is_inside().then(|| Tracking::begin(addr, size, Location::caller()));
        Counts { strong: Count::new(n_strong), weak: Count::new(0), tracking }
    }

    fn knows(&self, known: impl FnOnce(&Lessons) -> bool) -> bool {
        is_inside() && with(|context| known(&context.learning.lessons))
    }

    /// Whether the counts of data of type `T` are modelled.
    fn is_counted<T: ?Sized>(&self) -> bool {
        self.tracking.is_some_and(|tracking| tracking.is_watched)
            || self.knows(|lessons| lessons.counted.contains(type_name::<T>()))
    }

    /// Whether drops of data of type `T` are events.
    fn has_drops<T: ?Sized>(&self) -> bool {
        self.knows(|lessons| lessons.dropped.contains(type_name::<T>()))
    }

    /// The program looks at the number of owners.
    #[track_caller]
    pub fn look<T: ?Sized>(&self) {
        if is_inside() && !self.is_counted::<T>() {
            let name = type_name::<T>();
            lessons::learn(|lessons| lessons.counted.extend([name.into()]), Location::caller());
        }
    }

    /// Whether data of type `T` may have weak owners.
    fn has_weak<T: ?Sized>(&self) -> bool {
        self.knows(|lessons| lessons.weakened.contains(type_name::<T>()))
    }

    #[track_caller]
    pub fn n_strong<T: ?Sized>(&self, order: ReadOrder) -> usize {
        self.look::<T>();
        match self.is_counted::<T>() {
            true => self.strong.atomic.read(order) as usize,
            false => self.strong.plain.get() as usize,
        }
    }

    #[track_caller]
    pub fn n_weak<T: ?Sized>(&self) -> usize {
        self.look::<T>();
        match self.weak.atomic.read(ReadOrder::SeqCst) {
            LOCKED => 0,
            n => n as usize,
        }
    }

    /// Whether there is one strong owner, and no weak one.
    #[track_caller]
    pub fn is_only<T: ?Sized>(&self) -> bool {
        if !self.has_weak::<T>() {
            return self.n_strong::<T>(ReadOrder::Acquire) == 1;
        }
        let (success, failure) = (Ordering::Acquire, Ordering::Relaxed);
        if self.weak.atomic.compare_exchange(0, LOCKED, success, failure).is_err() {
            return false;
        }
        let is_only = self.n_strong::<T>(ReadOrder::Acquire) == 1;
        self.weak.atomic.write(0, WriteOrder::Release);
        is_only
    }

    #[track_caller]
    pub fn add_strong<T: ?Sized>(&self) {
        match self.is_counted::<T>() {
            true => drop(self.strong.atomic.fetch(RmwOp::Add, 1, Ordering::Relaxed)),
            false => {
                self.strong.plain.update(|n| n + 1);
                self.strong.left.update(|n| n + 1);
            }
        }
    }

    /// Removes a strong owner; returns whether it was the last.
    #[track_caller]
    pub fn remove_strong<T: ?Sized>(&self) -> bool {
        if self.is_counted::<T>() {
            let is_last = self.strong.atomic.fetch(RmwOp::Sub, 1, Ordering::Release) == 1;
            if is_last {
                self.strong.atomic.read(ReadOrder::Acquire);
            }
            return is_last;
        }
        if self.has_drops::<T>() {
            return self.drop_one(type_name::<T>());
        }
        self.strong.plain.set(self.strong.plain.get() - 1);
        if is_inside() {
            quiet::note_drop(self.addr());
        }
        self.strong.plain.get() == 0
    }

    fn addr(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// The running thread drops an owner; returns whether it was the last. Drops of this type may be events.
    fn drop_one(&self, name: &'static str) -> bool {
        let addr = self.addr();
        let n_owners = heap::outside(|| {
            with(|context| {
                let n_before = context.take_drops_of_joined(addr);
                let Context { threads, current, learning, .. } = context;
                let thread = &mut threads[current.index()];
                let drops = thread.library.drops_at(addr);
                drops.n_all += 1;
                drops.n_skipped += 1 + n_before;
                let is_needed = learning.lessons.is_drop_needed(thread.key, drops.n_all, name);
                if is_needed { std::mem::take(&mut drops.n_skipped) } else { 0 }
            })
        });
        let is_last = n_owners > 0 && {
            let before = self.strong.atomic.fetch(RmwOp::Sub, n_owners, Ordering::Release);
            let n_dropped = self.strong.atomic.object().initial().wrapping_sub(before) + n_owners;
            n_dropped == self.strong.plain.get()
        };
        self.strong.is_over.update(|is_over| is_over || is_last);
        self.strong.left.update(|n| n - 1);
        if self.strong.left.get() == 0 && !self.strong.is_over.get() {
            lessons::learn_drops(addr, name, Location::caller());
        }
        if is_last {
            self.strong.atomic.read(ReadOrder::Acquire);
        }
        is_last
    }

    /// Adds a strong owner if there is one. Only weak owners ask.
    #[track_caller]
    pub fn revive<T: ?Sized>(&self) -> bool {
        self.look::<T>();
        let n_strong = self.strong.atomic.read(ReadOrder::Relaxed);
        if n_strong == 0 {
            return false;
        }
        let (success, failure) = (Ordering::Acquire, Ordering::Relaxed);
        if self.strong.atomic.compare_exchange(n_strong, n_strong + 1, success, failure).is_err() {
            perform::try_again(Location::caller());
        }
        true
    }

    /// There are `n` strong owners. No thread has looked yet.
    #[track_caller]
    pub fn set_strong<T: ?Sized>(&self, n: u64) {
        self.look::<T>();
        self.strong.atomic.write(n, WriteOrder::Release);
    }

    /// Adds a weak owner.
    #[track_caller]
    pub fn add_weak<T: ?Sized>(&self) {
        let place: Where = Location::caller();
        if !self.has_weak::<T>() {
            let name = type_name::<T>();
            let learned = |lessons: &mut Lessons| {
                lessons.counted.extend([name.into()]);
                lessons.weakened.extend([name.into()]);
            };
            lessons::learn(learned, place);
        }
        let n_weak = self.weak.atomic.read(ReadOrder::Relaxed);
        if n_weak == LOCKED {
            perform::block(BlockReason::Wait { reads: 1 }, place);
        }
        let (success, failure) = (Ordering::Acquire, Ordering::Relaxed);
        if self.weak.atomic.compare_exchange(n_weak, n_weak + 1, success, failure).is_err() {
            perform::try_again(place);
        }
    }

    #[track_caller]
    pub fn remove_weak(&self) {
        self.weak.atomic.fetch(RmwOp::Sub, 1, Ordering::Release);
    }

    /// Calls the destructor of the data, whose last strong owner is gone.
    pub fn destroy<T: ?Sized>(&self, destructor: impl FnOnce()) {
        match is_inside() && !self.is_counted::<T>() && !self.has_drops::<T>() {
            true => {
                let probe = Probe { name: type_name::<T>(), counts: self.addr() };
                quiet::probe(probe, destructor, Location::caller());
            }
            false => destructor(),
        }
        self.freed();
    }

    /// The data is gone.
    pub fn freed(&self) {
        if let Some(tracking) = self.tracking.filter(|_| is_inside()) {
            tracking.end();
        }
    }
}
