//! Memory that the program allocates explicitly. Leaks, double frees and uses after the end are violations.

use crate::context::is_inside;
use crate::tracked::{self, Tracking};
pub use std::alloc::Layout;
use std::fmt;
use std::panic::Location;

/// Allocates memory, as [`std::alloc::alloc`].
///
/// ```
/// use atropos::alloc::{Layout, alloc, dealloc};
///
/// atropos::model(|| unsafe {
///     let block = alloc(Layout::new::<u32>());
///     dealloc(block, Layout::new::<u32>());
/// });
/// ```
///
/// # Safety
/// As for the function of the standard library: the size is not 0.
#[track_caller]
pub unsafe fn alloc(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's promise.
    let block = unsafe { std::alloc::alloc(layout) };
    tracked::allocated(block.addr(), layout.size(), Location::caller());
    block
}

/// Allocates memory that is filled with zeroes, as [`std::alloc::alloc_zeroed`].
///
/// ```
/// use atropos::alloc::{Layout, alloc_zeroed, dealloc};
///
/// atropos::model(|| unsafe {
///     let block = alloc_zeroed(Layout::new::<u8>());
///     assert_eq!(*block, 0);
///     dealloc(block, Layout::new::<u8>());
/// });
/// ```
///
/// # Safety
/// As for [`alloc`].
#[track_caller]
pub unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's promise.
    let block = unsafe { std::alloc::alloc_zeroed(layout) };
    tracked::allocated(block.addr(), layout.size(), Location::caller());
    block
}

/// Frees memory, as [`std::alloc::dealloc`].
///
/// ```
/// use atropos::alloc::{Layout, alloc, dealloc};
/// use atropos::{Builder, Verdict};
///
/// let twice = Builder::new().explore(|| unsafe {
///     let block = alloc(Layout::new::<u32>());
///     dealloc(block, Layout::new::<u32>());
///     dealloc(block, Layout::new::<u32>());
/// });
/// assert_eq!(twice.verdict(), Verdict::Violation);
/// ```
///
/// # Safety
/// The memory comes from [`alloc`] and is not used any more. Otherwise, that is a violation.
#[track_caller]
pub unsafe fn dealloc(block: *mut u8, _layout: Layout) {
    tracked::deallocated(block.addr(), Location::caller());
}

/// Data that must be dropped before the execution ends. If it is not, that is a violation.
///
/// ```
/// use atropos::alloc::Track;
///
/// atropos::model(|| assert_eq!(Track::new(1).into_inner(), 1));
/// ```
pub struct Track<T> {
    data: T,
    mark: Mark,
}

/// What is freed in place of the data.
struct Mark {
    /// It exists only inside of a model.
    tracking: Option<Tracking>,
}

impl Drop for Mark {
    fn drop(&mut self) {
        if let Some(tracking) = self.tracking.filter(|_| is_inside()) {
            tracking.end();
        }
    }
}

impl<T> Track<T> {
    /// Tracks `data`.
    #[track_caller]
    pub fn new(data: T) -> Track<T> {
        let place = Location::caller();
        let tracking = is_inside().then(|| {
            // Its address identifies the data, which may move. It stays until the execution is over.
            let unique: &'static mut u8 = Box::leak(Box::new(0));
            Tracking::begin(std::ptr::from_mut(unique).addr(), 1, place)
        });
        Track { data, mark: Mark { tracking } }
    }

    /// The data.
    pub fn get_ref(&self) -> &T {
        &self.data
    }

    /// The data, for exclusive use.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.data
    }

    /// The data, which is not tracked any more.
    pub fn into_inner(self) -> T {
        drop(self.mark);
        self.data
    }
}

impl<T: fmt::Debug> fmt::Debug for Track<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Track").field(&self.data).finish()
    }
}
