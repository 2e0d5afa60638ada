//! The thread of the system that explores a program, prepared so that nothing of the standard library that outlives an
//! execution is allocated inside of one.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

struct Job<F, R> {
    body: Option<F>,
    result: Option<std::thread::Result<R>>,
}

/// Calls `body` on a thread of its own, and waits for it. Panics leave traces on a thread, and the standard library lets
/// its own threads share a buffer for the output of tests, which would grow inside of executions.
///
/// # Errors
/// The payload, if `body` panics.
///
/// # Panics
/// If the system has no room for a thread.
pub fn on_own_thread<R: Send, F: FnOnce() -> R + Send>(body: F) -> std::thread::Result<R> {
    let mut job = Job { body: Some(body), result: None };
    let mut thread: libc::pthread_t = 0;
    let argument = ptr::from_mut(&mut job).cast::<c_void>();
    // SAFETY: the job stays until the thread has ended, and this thread does not use it meanwhile.
    let status = unsafe { libc::pthread_create(&raw mut thread, ptr::null(), run::<F, R>, argument) };
    assert!(status == 0, "the system has no room for one more thread");
    // SAFETY: the thread exists, and is joined once.
    let status = unsafe { libc::pthread_join(thread, ptr::null_mut()) };
    assert!(status == 0, "a thread can be joined");
    job.result.expect("the thread has left a result")
}

extern "C" fn run<F: FnOnce() -> R, R>(job: *mut c_void) -> *mut c_void {
    // SAFETY: it is the job that the creator of this thread has passed.
    let job = unsafe { &mut *job.cast::<Job<F, R>>() };
    warm_up();
    let body = job.body.take().expect("the job runs once");
    job.result = Some(catch_unwind(AssertUnwindSafe(body)));
    ptr::null_mut()
}

/// Makes the standard library allocate what it keeps: the buffer of the standard output, and what it knows about this
/// thread.
fn warm_up() {
    drop(std::io::stdout().lock());
    drop(std::thread::current());
}
