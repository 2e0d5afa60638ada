//! Threads, as in [`std::thread`].

pub use atropos_native::local::{AccessError, LocalKey};
pub use atropos_native::thread::{
    Builder, JoinHandle, Scope, ScopedJoinHandle, Thread, ThreadId, current, panicking, park, park_timeout,
    scope, sleep, spawn, yield_now,
};

/// Declares thread-local variables, as [`std::thread_local!`].
///
/// ```
/// use std::cell::Cell;
///
/// atropos::thread_local! {
///     static N: Cell<u32> = Cell::new(1);
/// }
///
/// atropos::model(|| {
///     N.with(|n| n.set(2));
///     atropos::thread::spawn(|| assert_eq!(N.with(Cell::get), 1));
/// });
/// ```
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$meta:meta])* $vis:vis static $name:ident: $type:ty = const { $make:expr } $(; $($rest:tt)*)?) => {
        $crate::thread_local!($(#[$meta])* $vis static $name: $type = $make $(; $($rest)*)?);
    };
    ($(#[$meta:meta])* $vis:vis static $name:ident: $type:ty = $make:expr $(; $($rest:tt)*)?) => {
        $(#[$meta])*
        $vis static $name: $crate::thread::LocalKey<$type> = $crate::thread::LocalKey::new(|| $make);
        $($crate::thread_local!($($rest)*);)?
    };
}
