//! Panics of model threads: they become violations, with message and place.

use crate::context::with;
use crate::run::source_of;
use crate::{context, heap, perform};
use atropos_event::{Assertion, Violation};
use std::panic::{self, PanicHookInfo, UnwindSafe};
use std::sync::Once;

/// Makes runs notice the panics of model threads, without printing anything about them. Other panics are not affected.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| match context::is_inside() {
            true => heap::outside(|| note(info)),
            false => previous(info),
        }));
    });
}

/// Calls `f`, and catches its panic, as [`std::panic::catch_unwind`]. That function works as well, unless a destructor
/// performs an event before the panic is caught: then the panic is a violation.
///
/// ```
/// atropos::model(|| {
///     let caught = atropos::panic::catch_unwind(|| panic!("expected"));
///     assert!(caught.is_err());
/// });
/// ```
///
/// # Errors
/// The payload of the panic.
pub fn catch_unwind<R>(f: impl FnOnce() -> R + UnwindSafe) -> std::thread::Result<R> {
    with(|context| context.running().panics.n_catching += 1);
    let result = panic::catch_unwind(f);
    with(|context| {
        let panics = &mut context.running().panics;
        panics.n_catching -= 1;
        panics.n_unwinding -= u32::from(result.is_err());
    });
    result
}

fn note(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(message), _) => (*message).to_string(),
        (None, Some(message)) => message.clone(),
        (None, None) => "a panic with a value that is no text".to_string(),
    };
    let source = info.location().map(source_of);
    perform::note_panic(Violation::Assertion(Assertion::Message(message)), source);
}
