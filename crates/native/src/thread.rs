//! Threads of a model, as in [`std::thread`].

use crate::atomic::{AtomicU32, Ordering};
use crate::condvar::may_time_out;
use crate::context::{Where, with};
use crate::{idle, lessons, perform};
use atropos_event::BlockReason;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::panic::Location;
use std::rc::Rc;
use std::time::Duration;

/// What is known about a thread. It stays until the execution is over.
pub(crate) struct Known {
    name: Option<String>,
    /// Whether the thread continues when it parks.
    token: AtomicU32,
    number: Cell<u64>,
}

impl Known {
    pub fn leak(name: Option<String>) -> &'static Known {
        Box::leak(Box::new(Known { name, token: AtomicU32::preset(0), number: Cell::new(0) }))
    }
}

/// A handle of a thread, as [`std::thread::Thread`].
///
/// ```
/// use atropos::thread;
///
/// atropos::model(|| assert_eq!(thread::current().name(), Some("main")));
/// ```
#[derive(Clone)]
pub struct Thread(&'static Known);

// SAFETY: the threads of a model take turns on one thread of the system.
unsafe impl Send for Thread {}
// SAFETY: as above.
unsafe impl Sync for Thread {}

/// Identifies a thread, as [`std::thread::ThreadId`].
///
/// ```
/// use atropos::thread;
///
/// atropos::model(|| {
///     let other = thread::spawn(|| thread::current().id()).join().unwrap();
///     assert_ne!(other, thread::current().id());
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadId(NonZeroU64);

impl Thread {
    /// The identifier of the thread.
    pub fn id(&self) -> ThreadId {
        ThreadId(NonZeroU64::new(self.0.number.get() + 1).expect("one more than a number"))
    }

    /// The name given by [`Builder::name`].
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// Makes the thread continue when it parks, now or later.
    #[track_caller]
    pub fn unpark(&self) {
        self.0.token.swap(1, Ordering::Release);
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish()
    }
}

/// The running thread.
///
/// ```
/// use atropos::thread;
///
/// atropos::model(|| {
///     let main = thread::current();
///     thread::spawn(move || main.unpark());
///     thread::park();
/// });
/// ```
#[track_caller]
pub fn current() -> Thread {
    lessons::notice_thread();
    let known = with(|context| context.running().library.known);
    Thread(known.unwrap_or_else(|| {
        let known = Known::leak(Some("main".to_string()));
        with(|context| context.running().library.known = Some(known));
        known
    }))
}

/// Waits for [`Thread::unpark`].
///
/// ```
/// use atropos::thread;
///
/// atropos::model(|| {
///     let waiting = thread::spawn(thread::park);
///     waiting.thread().unpark();
///     waiting.join().unwrap();
/// });
/// ```
#[track_caller]
pub fn park() {
    let taken = current().0.token.compare_exchange(1, 0, Ordering::Acquire, Ordering::Relaxed);
    if taken.is_err() {
        perform::block(BlockReason::Wait { reads: 1 }, Location::caller());
    }
    idle::pause(Location::caller());
}

/// Waits for [`Thread::unpark`], and may continue without.
///
/// ```
/// use atropos::thread;
/// use std::time::Duration;
///
/// atropos::model(|| thread::park_timeout(Duration::from_secs(1)));
/// ```
#[track_caller]
pub fn park_timeout(timeout: Duration) {
    if !may_time_out(timeout) {
        return park();
    }
    current().0.token.swap(0, Ordering::Acquire);
}

/// Does nothing: everything that other threads can do meanwhile is explored anyway.
///
/// ```
/// use atropos::thread;
/// use std::time::Duration;
///
/// atropos::model(|| thread::sleep(Duration::from_secs(1_000_000)));
/// ```
pub fn sleep(_duration: Duration) {}

/// Lets other threads continue. Everything that they can do meanwhile is explored anyway. A loop that waits for them ends
/// when nothing changes any more, or when it has done exactly the same many times.
///
/// ```
/// use atropos::sync::atomic::{AtomicBool, Ordering::Relaxed};
/// use atropos::thread;
///
/// static READY: AtomicBool = AtomicBool::new(false);
///
/// atropos::model(|| {
///     thread::spawn(|| READY.store(true, Relaxed));
///     while !READY.load(Relaxed) {
///         thread::yield_now();
///     }
/// });
/// ```
#[inline(always)]
#[track_caller]
pub fn yield_now() {
    idle::pause(Location::caller());
}

/// Whether the running thread is panicking.
///
/// ```
/// atropos::model(|| assert!(!atropos::thread::panicking()));
/// ```
pub fn panicking() -> bool {
    with(|context| context.running().panics.n_unwinding > 0)
}

/// A handle to wait for the end of a thread, as [`std::thread::JoinHandle`].
///
/// ```
/// use atropos::thread;
///
/// atropos::model(|| assert_eq!(thread::spawn(|| 1).join().unwrap(), 1));
/// ```
pub struct JoinHandle<T> {
    id: atropos_event::ThreadId,
    thread: Thread,
    result: Rc<Cell<Option<T>>>,
}

// SAFETY: the threads of a model take turns on one thread of the system.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for JoinHandle<T> {}

/// Creates a thread.
///
/// The closure need not be `Send`: the threads of a model take turns on one thread of the system.
///
/// ```
/// use atropos::thread;
///
/// atropos::model(|| {
///     let thread = thread::spawn(|| 1);
///     assert_eq!(thread.join().unwrap(), 1);
/// });
/// ```
#[track_caller]
pub fn spawn<T: 'static>(body: impl FnOnce() -> T + 'static) -> JoinHandle<T> {
    // SAFETY: the closure owns what it uses.
    unsafe { spawn_unchecked(None, body, Location::caller()) }
}

/// # Safety
/// What the closure borrows outlives the thread.
unsafe fn spawn_unchecked<'a, T: 'a>(
    name: Option<String>,
    body: impl FnOnce() -> T + 'a,
    place: Where,
) -> JoinHandle<T> {
    let known = Known::leak(name);
    let result = Rc::new(Cell::new(None));
    let slot = Rc::clone(&result);
    let body: Box<dyn FnOnce() + 'a> = Box::new(move || {
        with(|context| {
            known.number.set(context.running().region() as u64);
            context.running().library.known = Some(known);
        });
        slot.set(Some(body()));
    });
    // SAFETY: only the lifetime changes; the caller promises that it is long enough.
    let body = unsafe { std::mem::transmute::<Box<dyn FnOnce() + 'a>, Box<dyn FnOnce()>>(body) };
    let id = perform::spawn(body, true, place);
    JoinHandle { id, thread: Thread(known), result }
}

impl<T> JoinHandle<T> {
    /// Waits for the thread to end, and returns its result.
    ///
    /// # Errors
    /// Never: a thread that panics is a violation.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        perform::join(self.id, Location::caller());
        Ok(self.result.take().expect("a thread that has ended has a result"))
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Creates threads with a name, as [`std::thread::Builder`].
///
/// ```
/// use atropos::thread::{self, Builder};
///
/// atropos::model(|| {
///     let named = Builder::new().name("a".to_string());
///     let thread = named.spawn(|| thread::current().name().map(str::to_string)).unwrap();
///     assert_eq!(thread.join().unwrap().as_deref(), Some("a"));
/// });
/// ```
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
}

impl Builder {
    /// A builder without a name.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Names the thread.
    #[must_use]
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// Does nothing: all threads of a model have stacks of the same size.
    #[must_use]
    pub fn stack_size(self, _size: usize) -> Builder {
        self
    }

    /// Creates a thread.
    ///
    /// # Errors
    /// Never: too many threads cannot be checked, and are reported.
    #[track_caller]
    pub fn spawn<T: 'static>(self, body: impl FnOnce() -> T + 'static) -> io::Result<JoinHandle<T>> {
        // SAFETY: the closure owns what it uses.
        Ok(unsafe { spawn_unchecked(self.name, body, Location::caller()) })
    }
}

/// A scope whose threads may borrow from the caller of [`scope`], as [`std::thread::Scope`].
///
/// ```
/// use atropos::thread;
///
/// atropos::model(|| {
///     let number = 1;
///     thread::scope(|scope| drop(scope.spawn(|| assert_eq!(number, 1))));
/// });
/// ```
pub struct Scope<'scope, 'env: 'scope> {
    children: RefCell<Vec<atropos_event::ThreadId>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Calls `f`, and waits for all threads created in the scope.
///
/// ```
/// use atropos::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// use atropos::thread;
///
/// atropos::model(|| {
///     let x = AtomicU32::new(0);
///     thread::scope(|scope| {
///         scope.spawn(|| x.fetch_add(1, Relaxed));
///         scope.spawn(|| x.fetch_add(1, Relaxed));
///     });
///     assert_eq!(x.load(Relaxed), 2);
/// });
/// ```
#[track_caller]
pub fn scope<'env, T>(f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T) -> T {
    let scope = Scope { children: RefCell::default(), scope: PhantomData, env: PhantomData };
    let result = f(&scope);
    for child in scope.children.take() {
        perform::join(child, Location::caller());
    }
    result
}

impl<'scope> Scope<'scope, '_> {
    /// Creates a thread that may borrow.
    #[track_caller]
    pub fn spawn<T: 'scope>(&'scope self, body: impl FnOnce() -> T + 'scope) -> ScopedJoinHandle<'scope, T> {
        let place = Location::caller();
        // SAFETY: the scope waits for the thread. A panic abandons all threads.
        let handle = unsafe { spawn_unchecked(None, body, place) };
        self.children.borrow_mut().push(handle.id);
        ScopedJoinHandle { handle, children: &self.children }
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

/// A handle to wait for the end of a thread of a scope, as [`std::thread::ScopedJoinHandle`].
///
/// ```
/// use atropos::thread;
///
/// atropos::model(|| {
///     let number = 1;
///     let sum = thread::scope(|scope| scope.spawn(|| number + 1).join().unwrap());
///     assert_eq!(sum, 2);
/// });
/// ```
#[derive(Debug)]
pub struct ScopedJoinHandle<'scope, T> {
    handle: JoinHandle<T>,
    children: &'scope RefCell<Vec<atropos_event::ThreadId>>,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the thread to end, and returns its result.
    ///
    /// # Errors
    /// Never: a thread that panics is a violation.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        self.children.borrow_mut().retain(|&child| child != self.handle.id);
        self.handle.join()
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        self.handle.thread()
    }
}
