//! Atomic types, as in [`std::sync::atomic`].
//!
//! A compare-and-exchange that may fail spuriously never does: a loop around it would see nothing new.

use crate::context::with;
use crate::idle;
use crate::object::{InitialBits, Object};
use crate::perform::perform;
use atropos_event::{Access, FenceOrder, Label, ReadOrder, Rmw, RmwOp, Value, WriteOrder};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
pub use std::sync::atomic::{Ordering, compiler_fence};

#[track_caller]
fn load_order(order: Ordering) -> ReadOrder {
    match order {
        Ordering::Release => panic!("there is no such thing as a release load"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release load"),
        _ => read_order(order),
    }
}

#[track_caller]
fn store_order(order: Ordering) -> WriteOrder {
    match order {
        Ordering::Acquire => panic!("there is no such thing as an acquire store"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release store"),
        _ => write_order(order),
    }
}

fn read_order(order: Ordering) -> ReadOrder {
    match order {
        Ordering::Relaxed | Ordering::Release => ReadOrder::Relaxed,
        Ordering::Acquire | Ordering::AcqRel => ReadOrder::Acquire,
        _ => ReadOrder::SeqCst,
    }
}

fn write_order(order: Ordering) -> WriteOrder {
    match order {
        Ordering::Relaxed | Ordering::Acquire => WriteOrder::Relaxed,
        Ordering::Release | Ordering::AcqRel => WriteOrder::Release,
        _ => WriteOrder::SeqCst,
    }
}

/// An atomic fence, as [`std::sync::atomic::fence`].
///
/// ```
/// use atropos::sync::atomic::{AtomicU32, Ordering::{Relaxed, SeqCst}, fence};
/// use atropos::thread;
///
/// static X: AtomicU32 = AtomicU32::new(0);
/// static Y: AtomicU32 = AtomicU32::new(0);
///
/// atropos::model(|| {
///     let thread = thread::spawn(|| {
///         X.store(1, Relaxed);
///         fence(SeqCst);
///         Y.load(Relaxed)
///     });
///     Y.store(1, Relaxed);
///     fence(SeqCst);
///     let x = X.load(Relaxed);
///     assert!(x + thread.join().unwrap() > 0);
/// });
/// ```
///
/// # Panics
/// If `order` is [`Ordering::Relaxed`].
#[track_caller]
pub fn fence(order: Ordering) {
    let order = match order {
        Ordering::Relaxed => panic!("there is no such thing as a relaxed fence"),
        Ordering::Acquire => FenceOrder::Acquire,
        Ordering::Release => FenceOrder::Release,
        Ordering::AcqRel => FenceOrder::AcqRel,
        _ => FenceOrder::SeqCst,
    };
    perform(Label::Fence { order }, Location::caller());
}

/// The bits of an atomic of `SIZE` bytes.
pub(crate) struct Bits<const SIZE: u8>(Object);

impl<const SIZE: u8> Bits<SIZE> {
    #[track_caller]
    pub const fn new(bits: Value) -> Self {
        Bits(Object::new(SIZE, InitialBits { bits }))
    }

    /// An atomic of the library: see [`Object::preset`].
    #[track_caller]
    pub const fn preset(bits: Value) -> Self {
        Bits(Object::preset(SIZE, InitialBits { bits }))
    }

    pub fn object(&self) -> &Object {
        &self.0
    }

    pub fn access(&self) -> Access {
        self.0.access(SIZE)
    }

    /// Converts between a value and its representation in the graph.
    fn translate(value: Value) -> Value {
        if SIZE == 8 { with(|context| context.arena().canonical(value)) } else { value }
    }

    #[inline(never)]
    #[track_caller]
    pub fn read(&self, order: ReadOrder) -> Value {
        self.read_modify_write(order, Rmw::None)
    }

    #[inline]
    #[track_caller]
    pub fn read_modify_write(&self, order: ReadOrder, rmw: Rmw) -> Value {
        let label = Label::Read { access: self.access(), order, rmw };
        Self::translate(perform(label, Location::caller()))
    }

    /// The thread is about to read: see [`idle::visit`].
    #[inline(always)]
    #[track_caller]
    pub fn visit(&self) {
        idle::visit(&self.0, SIZE, Location::caller());
    }

    #[inline(never)]
    #[track_caller]
    pub fn write(&self, value: Value, order: WriteOrder) {
        let value = Self::translate(value);
        perform(Label::Write { access: self.access(), order, value, exclusive: false }, Location::caller());
    }

    #[inline(never)]
    #[track_caller]
    pub fn fetch(&self, op: RmwOp, operand: Value, order: Ordering) -> Value {
        let operand = if op == RmwOp::Exchange { Self::translate(operand) } else { operand };
        self.read_modify_write(read_order(order), Rmw::Fetch { op, operand, write_order: write_order(order) })
    }

    /// Only numbers are passed, so that the user's frame holds nothing of the library: see [`crate::idle`].
    #[inline(never)]
    #[track_caller]
    pub fn compare_exchange(
        &self,
        expected: Value,
        desired: Value,
        success: Ordering,
        failure: Ordering,
    ) -> Result<Value, Value> {
        let rmw = Rmw::Cas {
            expected: Self::translate(expected),
            desired: Self::translate(desired),
            write_order: write_order(success),
            failure_order: load_order(failure),
        };
        let value = self.read_modify_write(read_order(success), rmw);
        if value == expected { Ok(value) } else { Err(value) }
    }

    /// The value, which the caller may change as if it had just created the atomic.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut Value {
        let value = self.read(ReadOrder::NotAtomic);
        self.write(value, WriteOrder::NotAtomic);
        self.0.renew(SIZE, value)
    }
}

/// The methods of all atomic types. `$to` and `$from` convert between values and bits.
macro_rules! common {
    ($name:ident $(<$t:ident>)?, $value:ty, $size:literal, $to:expr, $from:expr) => {
        impl $(<$t>)? $name $(<$t>)? {
            /// Reads the value.
            ///
            /// # Panics
            /// If `order` is not one of a load.
            #[inline(always)]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                self.bits.visit();
                $from(self.bits.read(load_order(order)))
            }

            /// Writes a value.
            ///
            /// # Panics
            /// If `order` is not one of a store.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                self.bits.write($to(value), store_order(order));
            }

            /// Replaces the value, and returns the old one.
            #[inline(always)]
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.bits.visit();
                $from(self.bits.fetch(RmwOp::Exchange, $to(value), order))
            }

            /// Writes `new` if the value is `current`.
            ///
            /// # Errors
            /// The value, if it is another one.
            #[inline(always)]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.bits.visit();
                match self.bits.compare_exchange($to(current), $to(new), success, failure) {
                    Ok(value) => Ok($from(value)),
                    Err(value) => Err($from(value)),
                }
            }

            /// As [`Self::compare_exchange`].
            ///
            /// # Errors
            /// The value, if it is another one.
            #[inline(always)]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }

            /// Writes `new` if the value is `current`, and returns the old value.
            #[deprecated = "use `compare_exchange`"]
            #[track_caller]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                let failure = match order {
                    Ordering::Release => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Acquire,
                    order => order,
                };
                self.compare_exchange(current, new, order, failure).unwrap_or_else(|value| value)
            }

            /// Reads the value, and writes the result of `f`, until no other write comes between.
            ///
            /// # Errors
            /// The value for which `f` has returned `None`.
            #[inline(always)]
            #[track_caller]
            pub fn fetch_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut value = self.load(fetch_order);
                while let Some(next) = f(value) {
                    match self.compare_exchange(value, next, set_order, fetch_order) {
                        Ok(value) => return Ok(value),
                        Err(other) => value = other,
                    }
                }
                Err(value)
            }

            /// Calls `f` with the value, which it may change without synchronisation.
            #[track_caller]
            pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut $value) -> R) -> R {
                let mut value = $from(self.bits.read(ReadOrder::NotAtomic));
                let result = f(&mut value);
                self.bits.write($to(value), WriteOrder::NotAtomic);
                result
            }

            /// The value, which the caller may change without synchronisation.
            #[track_caller]
            pub fn get_mut(&mut self) -> &mut $value {
                // SAFETY: the low bytes of the bits, which come first, are a valid value.
                unsafe { &mut *std::ptr::from_mut(self.bits.get_mut()).cast() }
            }

            /// Reads the value without synchronisation.
            ///
            /// # Safety
            /// No other thread changes it at the same time. If one does, that is a violation.
            #[track_caller]
            pub unsafe fn unsync_load(&self) -> $value {
                $from(self.bits.read(ReadOrder::NotAtomic))
            }

            /// The value.
            #[track_caller]
            pub fn into_inner(self) -> $value {
                $from(self.bits.read(ReadOrder::NotAtomic))
            }
        }

        impl $(<$t>)? From<$value> for $name $(<$t>)? {
            #[track_caller]
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl $(<$t>)? fmt::Debug for $name $(<$t>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
            }
        }
    };
}

macro_rules! fetch {
    ($value:ty, $unsigned:ty, $($name:ident = $op:ident: $what:literal,)*) => {
        $(
            #[doc = concat!($what, ", and returns the old one.")]
            #[inline(always)]
            #[track_caller]
            pub fn $name(&self, value: $value, order: Ordering) -> $value {
                self.bits.visit();
                self.bits.fetch(RmwOp::$op, Value::from(value as $unsigned), order) as $value
            }
        )*
    };
}

macro_rules! integer {
    ($name:ident, $value:ty, $unsigned:ty, $size:literal, $max:ident, $min:ident) => {
        #[doc = concat!("An integer that threads share, as [`std::sync::atomic::", stringify!($name), "`].")]
        ///
        /// ```
        #[doc = concat!("use atropos::sync::atomic::{", stringify!($name), ", Ordering::Relaxed};")]
        ///
        /// atropos::model(|| {
        #[doc = concat!("    let x = ", stringify!($name), "::new(1);")]
        ///     assert_eq!(x.fetch_add(1, Relaxed), 1);
        ///     assert_eq!(x.load(Relaxed), 2);
        /// });
        /// ```
        pub struct $name {
            bits: Bits<$size>,
        }

        impl $name {
            /// An atomic that holds `value`.
            #[track_caller]
            pub const fn new(value: $value) -> Self {
                $name { bits: Bits::new(value as $unsigned as Value) }
            }

            /// An atomic of the library: see [`Object::preset`].
            #[allow(dead_code, reason = "the library needs some sizes only")]
            #[track_caller]
            pub(crate) const fn preset(value: $value) -> Self {
                $name { bits: Bits::preset(value as $unsigned as Value) }
            }

            fetch! { $value, $unsigned,
                fetch_add = Add: "Adds to the value, wrapping around on overflow",
                fetch_sub = Sub: "Subtracts from the value, wrapping around on overflow",
                fetch_and = And: "Combines the value with another one by bitwise and",
                fetch_nand = Nand: "Combines the value with another one by bitwise nand",
                fetch_or = Or: "Combines the value with another one by bitwise or",
                fetch_xor = Xor: "Combines the value with another one by bitwise xor",
                fetch_max = $max: "Replaces the value by the larger of itself and another one",
                fetch_min = $min: "Replaces the value by the smaller of itself and another one",
            }
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                Self::new(0)
            }
        }

        common!($name, $value, $size, |value: $value| value as $unsigned as Value, |bits: Value| bits
            as $value);
    };
}

integer!(AtomicU8, u8, u8, 1, UnsignedMax, UnsignedMin);
integer!(AtomicU16, u16, u16, 2, UnsignedMax, UnsignedMin);
integer!(AtomicU32, u32, u32, 4, UnsignedMax, UnsignedMin);
integer!(AtomicU64, u64, u64, 8, UnsignedMax, UnsignedMin);
integer!(AtomicUsize, usize, u64, 8, UnsignedMax, UnsignedMin);
integer!(AtomicI8, i8, u8, 1, Max, Min);
integer!(AtomicI16, i16, u16, 2, Max, Min);
integer!(AtomicI32, i32, u32, 4, Max, Min);
integer!(AtomicI64, i64, u64, 8, Max, Min);
integer!(AtomicIsize, isize, u64, 8, Max, Min);

/// A `bool` that threads share, as [`std::sync::atomic::AtomicBool`].
///
/// ```
/// use atropos::sync::atomic::{AtomicBool, Ordering::Relaxed};
///
/// atropos::model(|| assert!(!AtomicBool::new(false).swap(true, Relaxed)));
/// ```
pub struct AtomicBool {
    bits: Bits<1>,
}

impl AtomicBool {
    /// An atomic that holds `value`.
    #[track_caller]
    pub const fn new(value: bool) -> Self {
        AtomicBool { bits: Bits::new(value as Value) }
    }

    #[inline(always)]
    #[track_caller]
    fn fetch(&self, op: RmwOp, value: bool, order: Ordering) -> bool {
        self.bits.visit();
        self.bits.fetch(op, Value::from(value), order) != 0
    }

    /// Combines the value with another one by logical and; returns the old one.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_and(&self, value: bool, order: Ordering) -> bool {
        self.fetch(RmwOp::And, value, order)
    }

    /// Combines the value with another one by logical nand; returns the old one.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_nand(&self, value: bool, order: Ordering) -> bool {
        let op = if value { RmwOp::Xor } else { RmwOp::Exchange };
        self.fetch(op, true, order)
    }

    /// Combines the value with another one by logical or; returns the old one.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_or(&self, value: bool, order: Ordering) -> bool {
        self.fetch(RmwOp::Or, value, order)
    }

    /// Combines the value with another one by logical xor; returns the old one.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_xor(&self, value: bool, order: Ordering) -> bool {
        self.fetch(RmwOp::Xor, value, order)
    }

    /// Negates the value, and returns the old one.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch(RmwOp::Xor, true, order)
    }
}

impl Default for AtomicBool {
    #[track_caller]
    fn default() -> Self {
        Self::new(false)
    }
}

common!(AtomicBool, bool, 1, Value::from, |bits: Value| bits != 0);

/// A pointer that threads share, as [`std::sync::atomic::AtomicPtr`].
///
/// ```
/// use atropos::sync::atomic::{AtomicPtr, Ordering::Acquire};
///
/// atropos::model(|| {
///     let mut data = 1;
///     let pointer = AtomicPtr::new(&mut data);
///     assert_eq!(unsafe { *pointer.load(Acquire) }, 1);
/// });
/// ```
pub struct AtomicPtr<T> {
    bits: Bits<8>,
    pointer: PhantomData<*mut T>,
}

// SAFETY: as for the atomic of the standard library: only using the pointer is unsafe.
unsafe impl<T> Send for AtomicPtr<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for AtomicPtr<T> {}

impl<T> AtomicPtr<T> {
    /// An atomic that holds `pointer`.
    #[track_caller]
    pub const fn new(pointer: *mut T) -> Self {
        let bits = Bits(Object::new(8, InitialBits { pointer: pointer.cast() }));
        AtomicPtr { bits, pointer: PhantomData }
    }
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}

common!(AtomicPtr<T>, *mut T, 8, |pointer: *mut T| pointer as Value, |bits: Value| bits as *mut T);
