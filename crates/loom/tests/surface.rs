//! Tests as they are written for loom.

#![allow(unsafe_code, reason = "programs under test use raw pointers, as the programs of users do")]

use loom::alloc::{Layout, Track, alloc, dealloc};
use loom::cell::{Cell, UnsafeCell};
use loom::future::{AtomicWaker, block_on};
use loom::model::Builder;
use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence, spin_loop_hint};
use loom::sync::{Arc, Barrier, Condvar, Mutex, Notify, RwLock, mpsc};
use loom::{lazy_static, thread, thread_local};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

lazy_static! {
    static ref COUNT: AtomicUsize = AtomicUsize::new(1);
    pub static ref NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());
}

thread_local! {
    static LOCAL: Cell<usize> = Cell::new(1);
    pub(crate) static OTHER: Cell<usize> = const { Cell::new(2) };
}

#[test]
fn a_program_written_for_loom_is_verified() {
    loom::model(|| {
        let shared = Arc::new((AtomicBool::new(false), UnsafeCell::new(0), Track::new(1)));
        let other = Arc::clone(&shared);
        // Not `Send`, which loom does not demand.
        let writer = thread::spawn(move || {
            other.1.with_mut(|data| unsafe { *data = 1 });
            fence(Ordering::Release);
            other.0.store(true, Ordering::Relaxed);
            COUNT.fetch_add(1, Ordering::Relaxed);
            LOCAL.with(|n| n.set(2));
        });
        while !shared.0.load(Ordering::Acquire) {
            spin_loop_hint();
            loom::hint::spin_loop();
            thread::yield_now();
        }
        assert_eq!(shared.1.with(|data| unsafe { *data }), 1);
        assert_eq!(unsafe { *shared.1.get().deref() }, *shared.2.get_ref());
        writer.join().unwrap();
        assert_eq!((COUNT.load(Ordering::Relaxed), LOCAL.with(Cell::get)), (OTHER.with(Cell::get), 1));
    });
}

#[test]
fn what_loom_offers_is_there() {
    loom::model(|| {
        let raw = Arc::into_raw(Arc::new(1));
        unsafe { Arc::increment_strong_count(raw) };
        assert_eq!(Arc::strong_count(&unsafe { Arc::from_raw(raw) }), 2);
        unsafe { Arc::decrement_strong_count(raw) };
        let mut pointer = AtomicPtr::new(std::ptr::null_mut::<u8>());
        assert!(pointer.with_mut(|pointer| pointer.is_null()));
        let layout = Layout::new::<u64>();
        unsafe { dealloc(alloc(layout), layout) };
        NAMES.lock().unwrap().push(thread::current().name().unwrap_or_default().to_string());
        assert!(RwLock::new(1).try_write().is_ok() && Barrier::new(1).wait().is_leader());
        let (sender, receiver) = mpsc::channel();
        sender.send(1).unwrap();
        assert_eq!(receiver.recv(), Ok(1));
    });
    loom::model(|| {
        let shared = Arc::new((Notify::new(), Mutex::new(false), Condvar::new(), AtomicWaker::new()));
        let other = Arc::clone(&shared);
        let thread = thread::Builder::new().name("waker".to_string()).spawn(move || {
            *other.1.lock().unwrap() = true;
            other.2.notify_all();
            other.3.wake();
            other.0.notify();
        });
        let mut ready = shared.1.lock().unwrap();
        while !*ready {
            ready = shared.2.wait(ready).unwrap();
        }
        drop(ready);
        shared.0.wait();
        thread.unwrap().join().unwrap();
        block_on(std::future::poll_fn(|context| {
            shared.3.register_by_ref(context.waker());
            if *shared.1.lock().unwrap() { Poll::Ready(()) } else { Poll::Pending }
        }));
    });
}

#[test]
fn an_execution_that_goes_wrong_panics() {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut builder = Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(|| {
            let n = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&n);
            thread::spawn(move || other.store(1, Ordering::Relaxed));
            assert_eq!(n.load(Ordering::Relaxed), 0);
        });
    }));
    let message = *result.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("surface.rs") && message.contains("left == right"), "{message}");
    loom::explore();
    loom::stop_exploring();
    loom::skip_branch();
}
