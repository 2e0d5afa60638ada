//! The library: what each of its parts does in all executions, and what is wrong with programs that misuse it.

#![allow(unsafe_code, reason = "programs under test use raw pointers, as the programs of users do")]

mod common;

use atropos::cell::UnsafeCell;
use atropos::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::*};
use atropos::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Notify, OnceLock, RwLock, mpsc};
use atropos::{Builder, Verdict, choose, thread};
use common::verified;
use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

fn violation(kind: &str, line: &str, body: impl Fn() + Send + Sync + 'static) {
    common::violation(["library.rs", include_str!("library.rs")], kind, line, body);
}

#[test]
fn a_panic_is_a_violation_at_its_line() {
    violation("assertion", "lost update", || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let other = thread::spawn(move || {
            let v = y.load(Relaxed);
            y.store(v + 1, Relaxed);
        });
        let v = x.load(Relaxed);
        x.store(v + 1, Relaxed);
        other.join().unwrap();
        assert_eq!(x.load(Relaxed), 2); //~ lost update
    });
}

#[test]
fn threads_of_threads_can_wait_for_a_condition() {
    verified(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let parent = thread::spawn(move || {
            let child = thread::spawn(move || {
                let ready = other.0.lock().unwrap();
                drop(other.1.wait_while(ready, |ready| !*ready).unwrap());
            });
            child.join().unwrap();
        });
        *shared.0.lock().unwrap() = true;
        shared.1.notify_one();
        parent.join().unwrap();
    });
}

struct Shared(UnsafeCell<u32>);
unsafe impl Sync for Shared {}

#[test]
fn unsynchronised_accesses_race() {
    fn publish(order: atropos::sync::atomic::Ordering) {
        let shared = Arc::new((Shared(UnsafeCell::new(0)), AtomicBool::new(false)));
        let other = Arc::clone(&shared);
        let writer = thread::spawn(move || {
            other.0.0.with_mut(|data| unsafe { *data = 42 });
            other.1.store(true, order);
        });
        if shared.1.load(Acquire) {
            assert_eq!(shared.0.0.with(|data| unsafe { *data }), 42); //~ read
        }
        writer.join().unwrap();
    }
    assert_eq!(verified(|| publish(Release)).executions(), 2);
    violation("race", "//~ read", || publish(Relaxed));
}

#[test]
fn an_access_lasts_as_long_as_its_closure() {
    violation("race", "//~ write", || {
        let shared = Arc::new((Shared(UnsafeCell::new(0)), AtomicBool::new(false)));
        let other = Arc::clone(&shared);
        thread::spawn(move || {
            other.0.0.with_mut(|data| {
                other.1.store(true, Release);
                unsafe { *data = 42 };
            });
        });
        if shared.1.load(Acquire) {
            shared.0.0.with(|data| unsafe { *data }); //~ write
        }
    });
}

#[test]
fn a_pointer_accesses_when_it_is_used() {
    fn publish(uses_late: bool) {
        let shared = Arc::new((Shared(UnsafeCell::new(0)), AtomicBool::new(false)));
        let other = Arc::clone(&shared);
        thread::spawn(move || {
            let data = other.0.0.get_mut();
            unsafe { *data.deref() = 42 };
            other.1.store(true, Release);
            if uses_late {
                unsafe { *data.deref() = 43 };
            }
        });
        if shared.1.load(Acquire) {
            assert_eq!(unsafe { *shared.0.0.get().deref() }, 42); //~ pointer
        }
    }
    verified(|| publish(false));
    violation("race", "//~ pointer", || publish(true));
}

#[test]
fn use_before_publication_is_a_race() {
    violation("race", "//~ use", || {
        let slot = Arc::new(atropos::sync::atomic::AtomicPtr::new(std::ptr::null_mut::<AtomicUsize>()));
        let other = Arc::clone(&slot);
        thread::spawn(move || {
            let fresh = Box::into_raw(Box::new(AtomicUsize::new(7)));
            other.store(fresh, Relaxed);
        });
        let fresh = slot.load(Acquire);
        if !fresh.is_null() {
            unsafe { (*fresh).load(Relaxed) }; //~ use
        }
    });
}

#[test]
fn two_mutexes_in_opposite_orders_deadlock() {
    violation("deadlock", "//~ second", || {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = Arc::clone(&locks);
        thread::spawn(move || {
            let _first = other.1.lock().unwrap();
            let _second = other.0.lock().unwrap();
        });
        let _first = locks.0.lock().unwrap();
        let _second = locks.1.lock().unwrap(); //~ second
    });
}

#[test]
fn loops_that_wait_block() {
    let outcome = verified(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        thread::spawn(move || other.store(true, Release));
        while !flag.load(Acquire) {
            thread::yield_now();
        }
    });
    assert!(outcome.executions() <= 2, "{}", outcome.report());
    violation("non-termination", "//~ endless", || {
        let flag = AtomicBool::new(false);
        while !flag.load(Acquire) {} //~ endless
    });
}

#[test]
fn bounded_spinning_goes_on() {
    violation("deadlock", "//~ park", || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        thread::spawn(move || other.store(true, Release));
        for _ in 0..3 {
            if flag.load(Acquire) {
                return;
            }
            std::hint::spin_loop();
        }
        thread::park(); //~ park
    });
}

#[test]
fn a_spin_lock_excludes() {
    let outcome = verified(|| {
        let lock = Arc::new((AtomicBool::new(false), Shared(UnsafeCell::new(0))));
        let threads = [(); 2].map(|()| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                while lock.0.swap(true, Acquire) {}
                lock.1.0.with_mut(|n| unsafe { *n += 1 });
                lock.0.store(false, Release);
            })
        });
        threads.into_iter().for_each(|thread| drop(thread.join()));
        assert_eq!(lock.1.0.with(|n| unsafe { *n }), 2);
    });
    assert!(outcome.executions() >= 2);
}

#[test]
fn drops_of_clones_commute() {
    fn drops<T: 'static>(make: fn() -> T) {
        let data = Arc::new(make());
        let threads = [(); 4].map(|()| {
            let data = Arc::clone(&data);
            thread::spawn(move || drop(data))
        });
        drop(data);
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
    assert_eq!(verified(|| drops(|| 1)).executions(), 1);
    assert_eq!(verified(|| drops(|| vec![1])).executions(), 1);
}

#[test]
fn the_last_owner_drops_the_data() {
    static N_DROPS: AtomicU32 = AtomicU32::new(0);
    struct Noisy;
    impl Drop for Noisy {
        fn drop(&mut self) {
            N_DROPS.fetch_add(1, Relaxed);
        }
    }
    let outcome = verified(|| {
        let data = Arc::new(Noisy);
        let other = Arc::clone(&data);
        let thread = thread::spawn(move || drop(other));
        drop(data);
        thread.join().unwrap();
        assert_eq!(N_DROPS.load(Relaxed), 1);
    });
    assert_eq!(outcome.executions(), 2);
    let outcome = verified(|| {
        let data = Arc::new(1);
        let other = Arc::clone(&data);
        let thread = thread::spawn(move || drop(other));
        assert!([1, 2].contains(&Arc::strong_count(&data)));
        thread.join().unwrap();
        assert_eq!(Arc::try_unwrap(data).ok(), Some(1));
    });
    assert_eq!(outcome.executions(), 2);
}

#[test]
fn condition_variables_wake() {
    verified(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let guard = shared.1.wait_while(shared.0.lock().unwrap(), |ready| !*ready).unwrap();
        assert!(*guard);
    });
    violation("deadlock", "//~ missed", || {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let guard = shared.0.lock().unwrap();
        drop(shared.1.wait(guard).unwrap()); //~ missed
    });
}

/// Reads see the latest write first, so the first execution is one in which threads run one after the other.
#[test]
fn the_first_execution_is_an_ordinary_one() {
    let mut builder = Builder::new();
    builder.max_executions = Some(1);
    let outcome = builder.explore(|| {
        let shared = Arc::new((AtomicBool::new(false), Mutex::new(()), Condvar::new()));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            if other.0.load(Relaxed) {
                drop(other.2.wait(other.1.lock().unwrap()));
            }
        });
        shared.0.store(true, Relaxed);
        thread.join().unwrap();
    });
    assert_eq!(outcome.verdict(), Verdict::Violation, "{}", outcome.report());
    assert!(outcome.report().contains("deadlock"), "{}", outcome.report());
}

#[test]
fn channels_keep_the_order_of_each_sender() {
    verified(|| {
        let (sender, receiver) = mpsc::channel();
        let other = sender.clone();
        thread::spawn(move || other.send(10).unwrap());
        thread::spawn(move || {
            sender.send(1).unwrap();
            sender.send(2).unwrap();
        });
        let received: Vec<u32> = receiver.iter().collect();
        assert_eq!(received.len(), 3);
        let own: Vec<u32> = received.into_iter().filter(|&message| message < 10).collect();
        assert_eq!(own, [1, 2]);
    });
}

#[test]
fn a_channel_without_room_hands_over() {
    verified(|| {
        let done = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = mpsc::sync_channel(0);
        let other = Arc::clone(&done);
        thread::spawn(move || {
            sender.send(1).unwrap();
            other.store(true, Relaxed);
        });
        assert!(!done.load(Relaxed), "nothing was received yet");
        assert_eq!(receiver.recv(), Ok(1));
    });
}

#[test]
fn locks_for_reading_are_shared() {
    verified(|| {
        let lock = Arc::new(RwLock::new(0));
        let threads = [(); 2].map(|()| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || *lock.write().unwrap() += 1)
        });
        let seen = *lock.read().unwrap();
        assert!(seen <= 2);
        threads.into_iter().for_each(|thread| drop(thread.join()));
        assert_eq!(*lock.read().unwrap(), 2);
    });
}

#[test]
fn values_are_made_once_in_every_execution() {
    static LAZY: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| Mutex::new(vec![1]));
    static ONCE: OnceLock<u32> = OnceLock::new();
    let outcome = verified(|| {
        let thread = thread::spawn(|| {
            LAZY.lock().unwrap().push(2);
            *ONCE.get_or_init(|| 5)
        });
        LAZY.lock().unwrap().push(3);
        let mine = *ONCE.get_or_init(|| 6);
        assert_eq!(thread.join().unwrap(), mine);
        assert_eq!(LAZY.lock().unwrap().len(), 3);
    });
    assert!(outcome.executions() > 1);
}

#[test]
fn threads_park_and_meet() {
    verified(|| {
        let main = thread::current();
        let other = thread::spawn(move || main.unpark());
        thread::park();
        other.join().unwrap();
    });
    verified(|| {
        let barrier = Arc::new(Barrier::new(3));
        let threads = [(); 2].map(|()| {
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || barrier.wait().is_leader())
        });
        let mine = barrier.wait().is_leader();
        let leaders = threads.map(|thread| thread.join().unwrap());
        assert_eq!(leaders.into_iter().filter(|&leads| leads).count() + usize::from(mine), 1);
    });
    violation("deadlock", "//~ alone", || {
        let notify = Arc::new(Notify::new());
        notify.wait(); //~ alone
    });
}

#[test]
fn scoped_threads_borrow() {
    let outcome = verified(|| {
        let (x, mut results) = (AtomicUsize::new(0), [0; 2]);
        thread::scope(|scope| {
            for result in &mut results {
                let x = &x;
                scope.spawn(move || *result = x.fetch_add(1, Relaxed));
            }
        });
        results.sort_unstable();
        assert_eq!((results, x.into_inner()), ([0, 1], 2));
    });
    assert_eq!(outcome.executions(), 2);
}

atropos::thread_local! {
    static LOCAL: AtomicUsize = AtomicUsize::new(1);
}

#[test]
fn threads_have_variables_of_their_own() {
    verified(|| {
        let thread = thread::spawn(|| LOCAL.with(|n| n.fetch_add(1, Relaxed)));
        assert_eq!(LOCAL.with(|n| n.fetch_add(1, Relaxed)), 1);
        assert_eq!(thread.join().unwrap(), 1);
        assert_eq!(LOCAL.with(|n| n.load(Relaxed)), 2);
    });
}

#[test]
fn panics_can_be_caught_and_poison() {
    verified(|| {
        let mutex = Arc::new(Mutex::new(0));
        let caught = atropos::panic::catch_unwind(AssertUnwindSafe(|| {
            let _guard = mutex.lock().unwrap();
            panic!("on purpose");
        }));
        assert!(caught.is_err() && mutex.is_poisoned());
        assert!(mutex.lock().is_err());
        mutex.clear_poison();
        assert!(mutex.lock().is_ok());
    });
    verified(|| {
        let x = Arc::new(AtomicUsize::new(0));
        assert!(std::panic::catch_unwind(|| panic!("on purpose")).is_err());
        assert_eq!(x.fetch_add(1, Relaxed), 0);
        assert!(!thread::panicking());
    });
}

/// Takes both locks when it is dropped.
struct Locks(Arc<Mutex<u32>>, Arc<RwLock<u32>>);

impl Drop for Locks {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
        *self.1.write().unwrap() += 1;
    }
}

#[test]
fn locks_taken_during_a_panic_are_not_poisoned() {
    verified(|| {
        let (mutex, lock) = (Arc::new(Mutex::new(0)), Arc::new(RwLock::new(0)));
        let caught = atropos::panic::catch_unwind(AssertUnwindSafe(|| {
            let _locks = Locks(Arc::clone(&mutex), Arc::clone(&lock));
            panic!("on purpose");
        }));
        assert!(caught.is_err() && !mutex.is_poisoned() && !lock.is_poisoned());
        let caught = atropos::panic::catch_unwind(AssertUnwindSafe(|| {
            let _guard = lock.write().unwrap();
            panic!("on purpose");
        }));
        assert!(caught.is_err() && lock.is_poisoned());
    });
}

#[test]
fn choices_are_explored() {
    let outcome = verified(|| assert!(choose(3) + choose(2) < 4));
    assert_eq!(outcome.executions(), 6);
}

#[test]
fn programs_that_are_not_deterministic_are_refused() {
    static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let outcome = Builder::new().explore(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&x);
        let thread = thread::spawn(move || other.store(CALLS.fetch_add(1, Relaxed), Relaxed));
        x.load(Relaxed);
        x.load(Relaxed);
        thread.join().unwrap();
    });
    assert_eq!(outcome.verdict(), Verdict::Refused, "{}", outcome.report());
    let report = outcome.report();
    assert!(
        report.contains("thread 0.1 first writes 0 to") && report.contains("and then writes 1 to"),
        "{report}"
    );
}

#[test]
fn time_passes_when_a_thread_looks() {
    let outcome = verified(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        thread::spawn(move || other.store(true, Release));
        let deadline = Instant::now() + Duration::from_micros(200);
        while Instant::now() < deadline && !flag.load(Acquire) {}
    });
    // The loop reads twice.
    assert_eq!((outcome.executions(), outcome.blocked()), (3, 0));
}

#[test]
fn every_execution_starts_with_the_same_standard_thread_locals() {
    std::thread_local! {
        static LOG: RefCell<String> = RefCell::new("start".to_string());
    }
    verified(|| {
        LOG.with(|log| assert_eq!(log.replace("a longer text".repeat(9)), "start"));
        let x = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&x);
        thread::spawn(move || other.store(1, Relaxed));
        x.load(Relaxed);
    });
}

#[test]
fn models_may_print() {
    let outcome = verified(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let threads = [(); 3].map(|()| {
            let x = Arc::clone(&x);
            thread::spawn(move || println!("printed in a model: {}", x.fetch_add(1, Relaxed)))
        });
        threads.into_iter().for_each(|thread| drop(thread.join()));
    });
    assert_eq!(outcome.executions(), 6);
}

#[test]
fn limits_are_kept() {
    let body = || {
        let x = Arc::new(AtomicUsize::new(0));
        for _ in 0..5 {
            let x = Arc::clone(&x);
            thread::spawn(move || x.fetch_add(1, Relaxed));
        }
    };
    let mut builder = Builder::new();
    builder.max_executions = Some(10);
    let outcome = builder.explore(body);
    assert_eq!((outcome.verdict(), outcome.executions()), (Verdict::Inconclusive, 10));
}
