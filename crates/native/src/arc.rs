//! Data that several threads own.

use crate::counts::Counts;
use atropos_event::ReadOrder;
use std::alloc::{Layout, alloc, handle_alloc_error};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::ptr::{self, NonNull};

pub use crate::weak::Weak;

/// Data that several threads own, as [`std::sync::Arc`].
///
/// An `Arc<T>` does not coerce to an `Arc<dyn Trait>`; [`Arc::from_std`] converts a standard `Arc`, which does.
///
/// ```
/// use atropos::sync::Arc;
/// use atropos::thread;
///
/// atropos::model(|| {
///     let first = Arc::new(1);
///     let second = Arc::clone(&first);
///     thread::spawn(move || assert_eq!(*second, 1)).join().unwrap();
///     assert_eq!(Arc::strong_count(&first), 1);
/// });
/// ```
pub struct Arc<T: ?Sized> {
    data: NonNull<T>,
    owns: PhantomData<T>,
}

// SAFETY: as for the type of the standard library.
unsafe impl<T: ?Sized + Send + Sync> Send for Arc<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for Arc<T> {}

impl<T: ?Sized> Unpin for Arc<T> {}
impl<T: ?Sized + RefUnwindSafe> UnwindSafe for Arc<T> {}

impl<T> Arc<T> {
    /// The first owner of `data`.
    #[track_caller]
    pub fn new(data: T) -> Arc<T> {
        let data = ManuallyDrop::new(data);
        // SAFETY: the data is moved, and not used again where it was.
        Arc::of(unsafe { take(&raw const *data, 1) })
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
        if this.counts().n_strong::<T>(ReadOrder::Acquire) != 1 {
            return Err(this);
        }
        Arc::into_inner(this).ok_or_else(|| unreachable!("there is no other owner"))
    }

    /// The data, if this is the last owner.
    #[track_caller]
    pub fn into_inner(this: Self) -> Option<T> {
        this.counts().look::<T>();
        let this = ManuallyDrop::new(this);
        this.counts().remove_strong::<T>().then(|| {
            // SAFETY: of several threads that do this, one sees that it is the last.
            let data = unsafe { this.data.as_ptr().read() };
            this.counts().freed();
            data
        })
    }

    /// The first owner of data that refers to itself: `make` gets a weak owner.
    #[track_caller]
    pub fn new_cyclic(make: impl FnOnce(&Weak<T>) -> T) -> Arc<T> {
        let room = ManuallyDrop::new(MaybeUninit::<T>::uninit());
        // SAFETY: the room holds nothing.
        let data = unsafe { take(room.as_ptr(), 0) };
        // SAFETY: the counts lie before the data.
        let counts = unsafe { counts_of(data) };
        counts.add_weak::<T>();
        let weak = Weak { data };
        let made = make(&weak);
        // SAFETY: nothing can use the room before the strong count is set.
        unsafe { data.as_ptr().write(made) };
        counts.set_strong::<T>(1);
        Arc { data, owns: PhantomData }
    }

    /// The data, for exclusive use: a copy of its own, if there are other owners.
    #[track_caller]
    pub fn make_mut(this: &mut Self) -> &mut T
    where
        T: Clone,
    {
        if !this.counts().is_only::<T>() {
            *this = Arc::new(T::clone(this));
        }
        // SAFETY: there is no other owner.
        unsafe { this.data.as_mut() }
    }
}

/// Moves `data` to memory that owners share, of which there are `n_strong`.
///
/// # Safety
/// The caller does not use the original afterwards.
#[track_caller]
unsafe fn take<T: ?Sized>(data: *const T, n_strong: u64) -> NonNull<T> {
    // SAFETY: the caller's promise.
    let layout = unsafe { Layout::for_value(&*data) };
    let counts = Layout::new::<Counts>();
    let whole = counts.extend(layout).ok().and_then(|(whole, offset)| {
        let align = whole.align();
        Layout::from_size_align(offset + whole.size(), align).ok().map(|whole| (whole, align))
    });
    let (whole, align) = whole.expect("the data is not too large");
    // SAFETY: the size is not 0.
    let block = unsafe { alloc(whole) };
    if block.is_null() {
        handle_alloc_error(whole);
    }
    let start = block.addr() + counts.size().next_multiple_of(align);
    let place = data.cast_mut().map_addr(|_| start);
    // SAFETY: the block has room for the counts, which lie right before the data, and for the data.
    unsafe {
        ptr::copy_nonoverlapping(data.cast::<u8>(), start as *mut u8, layout.size());
        let counts = Counts::new(n_strong, start, layout.size());
        ((start - size_of::<Counts>()) as *mut Counts).write(counts);
    }
    NonNull::new(place).expect("a block of memory")
}

/// The counts of `data`.
///
/// # Safety
/// [`take`] has returned the pointer. The counts stay until the execution is over.
pub(crate) unsafe fn counts_of<'a, T: ?Sized>(data: NonNull<T>) -> &'a Counts {
    let addr = data.as_ptr().cast::<u8>() as usize - size_of::<Counts>();
    // SAFETY: they lie right before the data.
    unsafe { &*(addr as *const Counts) }
}

impl<T: ?Sized> Arc<T> {
    pub(crate) fn of(data: NonNull<T>) -> Arc<T> {
        Arc { data, owns: PhantomData }
    }

    fn counts(&self) -> &Counts {
        // SAFETY: the counts lie right before the data.
        unsafe { counts_of(self.data) }
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
        let taken = unsafe { take(ptr::from_mut(only), 1) };
        std::mem::forget(data);
        Arc::of(taken)
    }

    /// The number of owners.
    #[track_caller]
    pub fn strong_count(this: &Self) -> usize {
        this.counts().n_strong::<T>(ReadOrder::SeqCst)
    }

    /// The number of weak owners.
    #[track_caller]
    pub fn weak_count(this: &Self) -> usize {
        this.counts().n_weak::<T>()
    }

    /// A weak owner, which does not keep the data.
    #[track_caller]
    pub fn downgrade(this: &Self) -> Weak<T> {
        this.counts().add_weak::<T>();
        Weak { data: this.data }
    }

    /// The data, if this is the only owner.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        // SAFETY: there is no other owner.
        if this.counts().is_only::<T>() { Some(unsafe { this.data.as_mut() }) } else { None }
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
        Arc::of(NonNull::new(pointer.cast_mut()).expect("a pointer of `Arc::into_raw`"))
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
        self.counts().add_strong::<T>();
        Arc::of(self.data)
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    fn drop(&mut self) {
        if self.counts().remove_strong::<T>() {
            // SAFETY: this was the last owner. The memory is freed with the execution.
            self.counts().destroy::<T>(|| unsafe { self.data.as_ptr().drop_in_place() });
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

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for Arc<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for Arc<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for Arc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: ?Sized> fmt::Pointer for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&Arc::as_ptr(self), f)
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
