//! Statics that are made when they are first used.

/// Declares statics that are made when they are first used, anew in every execution, as the crate `lazy_static` does.
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
