//! Owners that do not keep the data.

use crate::arc::{Arc, counts_of};
use crate::counts::Counts;
use atropos_event::ReadOrder;
use std::fmt;
use std::ptr::{self, NonNull};

/// An owner that does not keep the data of an [`Arc`], as [`std::sync::Weak`].
///
/// ```
/// use atropos::sync::Arc;
///
/// atropos::model(|| {
///     let strong = Arc::new(1);
///     let weak = Arc::downgrade(&strong);
///     drop(strong);
///     assert!(weak.upgrade().is_none());
/// });
/// ```
pub struct Weak<T: ?Sized> {
    /// Dangling, with the address [`NOWHERE`], if there never was any data.
    pub(crate) data: NonNull<T>,
}

const NOWHERE: usize = usize::MAX;

// SAFETY: as for the type of the standard library.
unsafe impl<T: ?Sized + Send + Sync> Send for Weak<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for Weak<T> {}

impl<T> Weak<T> {
    /// A weak owner of nothing.
    pub const fn new() -> Weak<T> {
        Weak { data: NonNull::without_provenance(std::num::NonZero::<usize>::MAX) }
    }
}

impl<T: ?Sized> Weak<T> {
    fn counts(&self) -> Option<&Counts> {
        let is_somewhere = self.data.as_ptr().addr() != NOWHERE;
        // SAFETY: the counts stay until the execution is over.
        is_somewhere.then(|| unsafe { counts_of(self.data) })
    }

    /// An owner that keeps the data, if it still exists.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        self.counts()?.revive::<T>().then(|| Arc::of(self.data))
    }

    /// The number of owners that keep the data.
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        self.counts().map_or(0, |counts| counts.n_strong::<T>(ReadOrder::SeqCst))
    }

    /// The number of weak owners; 0 if the data is gone.
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        if self.strong_count() == 0 { 0 } else { self.counts().map_or(0, Counts::n_weak::<T>) }
    }

    /// Whether both own the same data.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        ptr::addr_eq(self.data.as_ptr(), other.data.as_ptr())
    }

    /// A pointer to the data, which may be gone.
    pub fn as_ptr(&self) -> *const T {
        self.data.as_ptr()
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        if let Some(counts) = self.counts() {
            counts.add_weak::<T>();
        }
        Weak { data: self.data }
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    fn drop(&mut self) {
        if let Some(counts) = self.counts() {
            counts.remove_weak();
        }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Self {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
