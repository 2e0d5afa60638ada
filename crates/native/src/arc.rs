//! Reference counts.
//!
//! If every clone and drop were an event, n threads that drop their clones would have n! executions. But nothing
//! depends on their order as long as the destructor of the data does nothing that threads could notice. So counts are
//! ordinary numbers at first. If a destructor performs an event, or the program reads a count, the runs learn the type
//! ([`crate::lessons`]), and the search starts over with atomic counts.

use crate::atomic::{Bits, Ordering};
use crate::context::{self, with};
use crate::lessons;
use atropos_event::{ReadOrder, RmwOp};
use std::alloc::{Layout, alloc, handle_alloc_error};
use std::any::type_name;
use std::borrow::Borrow;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::Location;
use std::pin::Pin;
use std::ptr::{self, NonNull};

/// What lies before the data.
#[repr(C, align(16))]
struct Header {
    strong: Bits<8>,
    /// The count, as long as the type is not learned.
    uncounted: Cell<usize>,
}

/// Data that several threads own, as [`std::sync::Arc`].
///
/// An `Arc<T>` does not coerce to an `Arc<dyn Trait>`; [`Arc::from_std`] converts a standard `Arc`, which does.
pub struct Arc<T: ?Sized> {
    data: NonNull<T>,
    owns: PhantomData<T>,
}

// SAFETY: as for the type of the standard library.
unsafe impl<T: ?Sized + Send + Sync> Send for Arc<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for Arc<T> {}

impl<T> Arc<T> {
    /// The first owner of `data`.
    #[track_caller]
    pub fn new(data: T) -> Arc<T> {
        let data = ManuallyDrop::new(data);
        // SAFETY: the data is moved, and not used again where it was.
        unsafe { Arc::take(&raw const *data) }
    }

    /// The same, pinned.
    #[track_caller]
    pub fn pin(data: T) -> Pin<Arc<T>> {
        // SAFETY: the data does not move as long as it has an owner.
        unsafe { Pin::new_unchecked(Arc::new(data)) }
    }

    /// The data, if this is the only owner.
    ///
    /// # Errors
    /// This owner, if it is not.
    #[track_caller]
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        match this.is_only_owner() {
            true => {
                let this = ManuallyDrop::new(this);
                // SAFETY: there is no other owner, and this one is gone.
                Ok(unsafe { this.data.as_ptr().read() })
            }
            false => Err(this),
        }
    }

    /// The data, if this is the last owner.
    #[track_caller]
    pub fn into_inner(this: Self) -> Option<T> {
        this.look();
        let this = ManuallyDrop::new(this);
        // SAFETY: as above; of several threads that do this, one sees that it is the last.
        this.release().then(|| unsafe { this.data.as_ptr().read() })
    }
}

impl<T: ?Sized> Arc<T> {
    /// Moves `data` to memory that owners share.
    ///
    /// # Safety
    /// The caller does not use the original afterwards.
    #[track_caller]
    unsafe fn take(data: *const T) -> Arc<T> {
        // SAFETY: the caller's promise.
        let layout = unsafe { Layout::for_value(&*data) };
        let header = Layout::new::<Header>();
        let whole = header.extend(layout).ok().and_then(|(whole, offset)| {
            let align = whole.align();
            Layout::from_size_align(offset + whole.size(), align).ok().map(|whole| (whole, align))
        });
        let (whole, align) = whole.expect("the data is not too large");
        // SAFETY: the size is not 0.
        let block = unsafe { alloc(whole) };
        if block.is_null() {
            handle_alloc_error(whole);
        }
        let start = block.addr() + header.size().next_multiple_of(align);
        let place = data.cast_mut().map_addr(|_| start);
        // SAFETY: the block has room for the header, which lies right before the data, and for the data.
        unsafe {
            ptr::copy_nonoverlapping(data.cast::<u8>(), start as *mut u8, layout.size());
            let header = Header { strong: Bits::preset(1), uncounted: Cell::new(1) };
            ((start - size_of::<Header>()) as *mut Header).write(header);
        }
        Arc { data: NonNull::new(place).expect("a block of memory"), owns: PhantomData }
    }

    fn header(&self) -> &Header {
        let addr = self.data.as_ptr().cast::<u8>() as usize - size_of::<Header>();
        // SAFETY: it lies right before the data, and stays as long as the data has an owner.
        unsafe { &*(addr as *const Header) }
    }

    fn is_counted() -> bool {
        context::is_inside() && with(|context| context.learning.lessons.counted.contains(type_name::<T>()))
    }

    /// Records that the program reads the count.
    #[track_caller]
    fn look(&self) {
        if context::is_inside() && !Self::is_counted() {
            let name = type_name::<T>();
            lessons::learn(|lessons| lessons.counted.extend([name]), Location::caller());
        }
    }

    #[track_caller]
    fn count(&self, order: ReadOrder) -> usize {
        self.look();
        match Self::is_counted() {
            true => self.header().strong.read(order) as usize,
            false => self.header().uncounted.get(),
        }
    }

    #[track_caller]
    fn is_only_owner(&self) -> bool {
        self.count(ReadOrder::Acquire) == 1
    }

    /// Removes an owner; returns whether it was the last.
    #[track_caller]
    fn release(&self) -> bool {
        let header = self.header();
        if Self::is_counted() {
            let is_last = header.strong.fetch(RmwOp::Sub, 1, Ordering::Release) == 1;
            if is_last {
                header.strong.read(ReadOrder::Acquire);
            }
            return is_last;
        }
        header.uncounted.set(header.uncounted.get() - 1);
        header.uncounted.get() == 0
    }

    /// Converts a standard `Arc`, which must be the only owner.
    ///
    /// ```
    /// # use atropos_native::arc::Arc;
    /// let function: Arc<dyn Fn() -> u32> = Arc::from_std(std::sync::Arc::new(|| 1));
    /// assert_eq!(function(), 1);
    /// ```
    ///
    /// # Panics
    /// If there are others.
    #[track_caller]
    pub fn from_std(mut data: std::sync::Arc<T>) -> Arc<T> {
        let only = std::sync::Arc::get_mut(&mut data).expect("the `Arc` has other owners");
        // SAFETY: the data is moved, and forgotten where it was.
        let taken = unsafe { Arc::take(ptr::from_mut(only)) };
        std::mem::forget(data);
        taken
    }

    /// The number of owners.
    #[track_caller]
    pub fn strong_count(this: &Self) -> usize {
        this.count(ReadOrder::SeqCst)
    }

    /// The data, if this is the only owner.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        // SAFETY: there is no other owner.
        if this.is_only_owner() { Some(unsafe { this.data.as_mut() }) } else { None }
    }

    /// Whether both own the same data.
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        ptr::addr_eq(this.data.as_ptr(), other.data.as_ptr())
    }

    /// A pointer to the data.
    pub fn as_ptr(this: &Self) -> *const T {
        this.data.as_ptr()
    }

    /// A pointer to the data, which [`Arc::from_raw`] turns into an owner again.
    pub fn into_raw(this: Self) -> *const T {
        ManuallyDrop::new(this).data.as_ptr()
    }

    /// The owner that [`Arc::into_raw`] turned into a pointer.
    ///
    /// # Safety
    /// The pointer comes from [`Arc::into_raw`], and is turned into an owner once.
    pub unsafe fn from_raw(pointer: *const T) -> Arc<T> {
        let data = NonNull::new(pointer.cast_mut()).expect("a pointer of `Arc::into_raw`");
        Arc { data, owns: PhantomData }
    }

    /// Adds an owner.
    ///
    /// # Safety
    /// The pointer comes from [`Arc::into_raw`], and its data has an owner.
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        // SAFETY: the caller's promise.
        let owner = ManuallyDrop::new(unsafe { Arc::from_raw(pointer) });
        std::mem::forget(Arc::clone(&owner));
    }

    /// Removes an owner.
    ///
    /// # Safety
    /// The pointer comes from [`Arc::into_raw`], and one of the owners is given up.
    #[track_caller]
    pub unsafe fn decrement_strong_count(pointer: *const T) {
        // SAFETY: the caller's promise.
        drop(unsafe { Arc::from_raw(pointer) });
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        let header = self.header();
        match Self::is_counted() {
            true => drop(header.strong.fetch(RmwOp::Add, 1, Ordering::Relaxed)),
            false => header.uncounted.set(header.uncounted.get() + 1),
        }
        Arc { data: self.data, owns: PhantomData }
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    fn drop(&mut self) {
        if !self.release() {
            return;
        }
        let destroy = || {
            // SAFETY: this was the last owner. The memory is freed with the execution.
            unsafe { self.data.as_ptr().drop_in_place() };
        };
        match context::is_inside() && !Self::is_counted() {
            true => lessons::probe(type_name::<T>(), destroy),
            false => destroy(),
        }
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the data has an owner.
        unsafe { self.data.as_ref() }
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Self {
        Arc::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(data: T) -> Self {
        Arc::new(data)
    }
}
