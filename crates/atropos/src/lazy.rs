//! Statics that are initialised at their first use.

/// Declares statics that are initialised at their first use, anew in every execution, like the crate `lazy_static`.
///
/// ```
/// use atropos::sync::atomic::{AtomicUsize, Ordering::Relaxed};
///
/// atropos::lazy_static! {
///     static ref N: AtomicUsize = AtomicUsize::new(1);
/// }
///
/// atropos::model(|| {
///     assert_eq!(N.fetch_add(1, Relaxed), 1);
/// });
/// ```
#[macro_export]
macro_rules! lazy_static {
    () => {};
    ($(#[$meta:meta])* $vis:vis static ref $name:ident: $type:ty = $make:expr; $($rest:tt)*) => {
        $(#[$meta])*
        $vis static $name: $crate::sync::LazyLock<$type> = $crate::sync::LazyLock::new(|| $make);
        $crate::lazy_static!($($rest)*);
    };
}
