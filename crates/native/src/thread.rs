//! Threads of a model.

use crate::context::Where;
use crate::perform;
use atropos_event::{Label, ThreadId};
use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

/// Owned permission to wait for the end of a thread, as [`std::thread::JoinHandle`].
pub struct JoinHandle<T> {
    thread: ThreadId,
    result: Rc<Cell<Option<T>>>,
}

// SAFETY: the threads of a model take turns on one thread of the system.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for JoinHandle<T> {}

/// Creates a thread of the model, as [`std::thread::spawn`] creates one of the system.
#[track_caller]
pub fn spawn<T: 'static>(body: impl FnOnce() -> T + 'static) -> JoinHandle<T> {
    spawn_at(body, Location::caller())
}

fn spawn_at<T: 'static>(body: impl FnOnce() -> T + 'static, place: Where) -> JoinHandle<T> {
    let result = Rc::new(Cell::new(None));
    let slot = Rc::clone(&result);
    let thread = perform::spawn(Box::new(move || slot.set(Some(body()))), place);
    JoinHandle { thread, result }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

impl<T> JoinHandle<T> {
    /// Waits for the thread to end, and returns its result.
    ///
    /// # Errors
    /// None: a thread that panics is a violation.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        perform::perform(Label::Join { child: self.thread }, Location::caller());
        Ok(self.result.take().expect("a thread that has ended has a result"))
    }
}
