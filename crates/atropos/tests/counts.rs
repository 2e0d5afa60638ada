//! How many executions the library's own steps have: what no program can tell apart is one execution.

use atropos::cell::UnsafeCell;
use atropos::sync::atomic::{AtomicUsize, Ordering::*};
use atropos::sync::{Arc, Condvar, Mutex, RwLock};
use atropos::{Builder, Equivalence, Outcome, Verdict, future, thread};
use std::task::Poll;
use std::time::Duration;

fn verified(body: impl Fn() + Send + Sync + 'static) -> Outcome {
    let outcome = Builder::new().explore(body);
    assert_eq!(outcome.verdict(), Verdict::Verified, "{}", outcome.report());
    outcome
}

/// Data whose destructor performs an event, and asks which thread it is in.
struct Noticed(AtomicUsize);

impl Drop for Noticed {
    fn drop(&mut self) {
        assert_eq!(self.0.load(Relaxed), 0);
        thread::current();
    }
}

/// Each of `n` threads and the main one drop their owner, after a clone.
fn owners(n: usize) {
    let data = Arc::new(Noticed(AtomicUsize::new(0)));
    for _ in 0..n {
        let data = Arc::clone(&data);
        thread::spawn(move || {
            let second = Arc::clone(&data);
            drop(data);
            drop(second);
        });
    }
}

#[test]
fn only_the_last_drops_of_threads_have_an_order() {
    for (n, executions) in [(1, 2), (2, 6), (3, 24)] {
        assert_eq!(verified(move || owners(n)).executions(), executions);
    }
}

/// Of `n` threads that drop their owners, the main one waits for some before it drops its own.
#[test]
fn drops_before_a_join_have_no_order() {
    let joined = |n: usize, n_joined: usize| {
        verified(move || {
            let data = Arc::new(Noticed(AtomicUsize::new(0)));
            let drops = |_| {
                let data = Arc::clone(&data);
                thread::spawn(move || drop(data))
            };
            let threads: Vec<_> = (0..n).map(drops).collect();
            threads.into_iter().take(n_joined).for_each(|thread| thread.join().unwrap());
        })
    };
    for (n, n_joined, executions) in [(3, 3, 1), (3, 2, 2), (3, 1, 6), (2, 0, 6)] {
        assert_eq!(joined(n, n_joined).executions(), executions);
    }
    // Through another thread; and a drop by a thread that ends after the last owner that waited for it has none.
    let outcome = verified(|| {
        let data = Arc::new(Noticed(AtomicUsize::new(0)));
        let [first, second] = [(); 2].map(|()| Arc::clone(&data));
        let inner = thread::spawn(move || drop(first));
        let outer = thread::spawn(move || inner.join().unwrap());
        drop(second);
        outer.join().unwrap();
    });
    assert_eq!(outcome.executions(), 1);
    let outcome = verified(|| {
        let data = Arc::new(Noticed(AtomicUsize::new(0)));
        let [first, second] = [(); 2].map(|()| Arc::clone(&data));
        let inner = thread::spawn(move || drop(first));
        let outer = thread::spawn(move || drop(second));
        drop(data);
        inner.join().unwrap();
        outer.join().unwrap();
    });
    assert_eq!(outcome.executions(), 6);
}

/// A thread that drops once more, or not: then another drop is its last.
#[test]
fn any_drop_of_a_thread_can_be_the_last() {
    let outcome = verified(|| {
        let data = Arc::new(Noticed(AtomicUsize::new(0)));
        let (first, second) = (Arc::clone(&data), Arc::clone(&data));
        let other = thread::spawn(move || {
            drop(first);
            if second.0.load(Relaxed) == 0 {
                drop(second);
            } else {
                std::mem::forget(second);
            }
        });
        drop(data);
        other.join().unwrap();
    });
    assert_eq!(outcome.executions(), 2);
}

/// Data whose destructor accesses what the data owns, and perhaps does more.
struct Quiet {
    uses: AtomicUsize,
    cell: UnsafeCell<u32>,
    more: fn(),
}

impl Quiet {
    fn new(more: fn()) -> Arc<Quiet> {
        Arc::new(Quiet { uses: AtomicUsize::new(0), cell: UnsafeCell::new(0), more })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        assert_eq!(self.uses.fetch_add(1, Relaxed), 2);
        self.cell.with_mut(|_| ());
        (self.more)();
    }
}

/// Two threads own the data, which the main one has created.
fn quiet_owners(more: fn()) {
    let data = Quiet::new(more);
    let owned = Arc::clone(&data);
    for data in [data, owned] {
        thread::spawn(move || {
            data.cell.with(|_| ());
            data.uses.fetch_add(1, Relaxed);
        });
    }
}

/// Only additions to `uses` have an order.
#[test]
fn no_thread_notices_a_quiet_destructor() {
    assert_eq!(verified(|| quiet_owners(|| ())).executions(), 2);
    let notices: [fn(); 3] = [
        || assert!(thread::current().name().is_none()),
        || drop(std::hint::black_box(Box::new(0))),
        || assert!(std::time::Instant::now().elapsed() < Duration::from_secs(1)),
    ];
    for more in notices {
        assert_eq!(verified(move || quiet_owners(more)).executions(), 4);
    }
}

/// A thread without an owner accesses the data before a thread with an owner waits for it and drops it, or too late.
#[test]
fn others_may_use_data_before_its_end_only() {
    let with_others = |waits: bool, waits_late: bool| {
        Builder::new().explore(move || {
            let cell: &'static UnsafeCell<u32> = Box::leak(Box::new(UnsafeCell::new(0)));
            let data = Arc::new(Ended(cell));
            let owned = Arc::clone(&data);
            let other = thread::spawn(move || cell.with(|_| ()));
            thread::spawn(move || drop(owned));
            if waits {
                other.join().unwrap();
                drop(data);
            } else {
                drop(data);
                if waits_late {
                    other.join().unwrap();
                }
            }
        })
    };
    let outcome = with_others(true, false);
    assert_eq!((outcome.verdict(), outcome.executions()), (Verdict::Verified, 1), "{}", outcome.report());
    for waits_late in [false, true] {
        let outcome = with_others(false, waits_late);
        assert!(outcome.report().contains("data race"), "{}", outcome.report());
    }
}

/// Its destructor accesses what others know.
struct Ended(&'static UnsafeCell<u32>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.with_mut(|_| ());
    }
}

/// What a destructor drops, all threads have dropped that have dropped what it belonged to.
#[test]
fn owners_of_owners_drop_their_data() {
    let outcome = verified(|| {
        let cell: &'static UnsafeCell<u32> = Box::leak(Box::new(UnsafeCell::new(0)));
        let outer = Arc::new(Arc::new(Ended(cell)));
        for _ in 0..2 {
            let outer = Arc::clone(&outer);
            thread::spawn(move || outer.0.with(|_| ()));
        }
    });
    assert_eq!(outcome.executions(), 1);
}

/// Which of two stores is the last one is not clear, so all orders of drops are explored.
#[test]
fn an_end_sees_whichever_store_is_the_last() {
    static SEEN: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    struct Last(AtomicUsize);
    impl Drop for Last {
        fn drop(&mut self) {
            SEEN.fetch_or(1 << self.0.load(Relaxed), Relaxed);
        }
    }
    verified(|| {
        let data = Arc::new(Last(AtomicUsize::new(0)));
        for number in [1, 2] {
            let data = Arc::clone(&data);
            thread::spawn(move || data.0.store(number, Relaxed));
        }
    });
    assert_eq!(SEEN.load(Relaxed), 1 << 1 | 1 << 2);
}

#[test]
fn a_reader_takes_a_lock_by_one_step() {
    let locked = |n_writers: usize, n_readers: usize| {
        verified(move || {
            let lock = Arc::new(RwLock::new(0));
            for _ in 0..n_writers {
                let lock = Arc::clone(&lock);
                thread::spawn(move || *lock.write().unwrap() += 1);
            }
            for _ in 0..n_readers {
                let lock = Arc::clone(&lock);
                thread::spawn(move || *lock.read().unwrap());
            }
        })
    };
    assert_eq!(locked(2, 0).executions(), 2);
    assert_eq!(locked(1, 1).executions(), 2);
    // Two readers in six orders without the writer, which comes first, last, or between them if they do not overlap.
    assert_eq!(locked(1, 2).executions(), 14);
}

#[test]
fn a_loop_that_only_repeats_itself_ends() {
    verified(|| {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        thread::spawn(move || other.0.store(1, Release));
        while shared.0.load(Acquire) == 0 {
            shared.1.store(1, Relaxed);
            shared.1.store(0, Relaxed);
            thread::yield_now();
        }
    });
    verified(|| {
        let shared = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&shared);
        thread::spawn(move || other.store(1, Release));
        future::block_on(std::future::poll_fn(|context| {
            if shared.load(Acquire) == 1 {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            atropos::hint::spin_loop();
            Poll::Pending
        }));
    });
}

/// What a thread does between two pauses is the same whenever it is repeated, whatever others have written meanwhile.
#[test]
fn pauses_do_not_depend_on_the_memory_of_other_threads() {
    verified(|| {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        thread::spawn(move || {
            for n in [1, 2] {
                let n = std::hint::black_box(Box::new(n));
                other.0.store(*n, Release);
            }
        });
        while shared.0.load(Acquire) < 2 {
            shared.1.store(1, Relaxed);
            shared.1.store(0, Relaxed);
            thread::yield_now();
        }
    });
}

/// The count is in ordinary memory on the heap, and the thread does the same each time.
#[test]
fn a_loop_that_counts_does_not_repeat_itself() {
    let outcome = verified(|| {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        thread::spawn(move || other.0.store(1, Release));
        let mut n = Box::new(0);
        while *n < 9 && shared.0.load(Acquire) == 0 {
            shared.1.store(1, Relaxed);
            thread::yield_now();
            *n += 1;
        }
    });
    assert_eq!((outcome.executions(), outcome.blocked()), (10, 0));
}

#[test]
fn time_runs_out_only_if_it_may() {
    let outcome = |timeouts| {
        let mut builder = Builder::new();
        builder.timeouts = timeouts;
        builder.explore(|| {
            let shared = Arc::new((Mutex::new(()), Condvar::new()));
            let guard = shared.0.lock().unwrap();
            drop(shared.1.wait_timeout(guard, Duration::from_secs(1)).unwrap());
        })
    };
    assert_eq!(outcome(true).verdict(), Verdict::Verified);
    assert_eq!(outcome(false).verdict(), Verdict::Violation);
}

/// A thread that pauses again and again, and counts on the heap only, looks as if it waited. The report calls this a
/// bound.
#[test]
fn a_loop_that_seems_to_repeat_itself_is_a_bound() {
    let report = |most: u32| {
        let outcome = verified(move || {
            let shared = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&shared);
            thread::spawn(move || other.load(Relaxed));
            let mut n = std::hint::black_box(Box::new(0));
            while **std::hint::black_box(&n) < most {
                shared.store(1, Relaxed);
                thread::yield_now(); //~ pauses
                *n += 1;
            }
        });
        outcome.report().to_string()
    };
    assert!(report(9).contains("verified: no violation in any execution"), "{}", report(9));
    let cut = report(100);
    let line = include_str!("counts.rs").lines().position(|line| line.ends_with("//~ pauses")).unwrap() + 1;
    let place = format!("verified up to 16 iterations of the loop at {}:{line}:", file!());
    assert!(cut.contains(&place), "{cut}");
}

/// What a stack holds besides the program's state may differ from one execution to the next: here, how often the closure
/// has run. A thread that was found to wait still waits when the execution is repeated.
#[test]
fn what_else_is_on_a_stack_does_not_matter() {
    static RUNS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let outcome = verified(|| {
        let is_odd = RUNS.fetch_add(1, Relaxed) % 2 == 1;
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        thread::spawn(move || {
            other.1.load(Relaxed);
            other.2.load(Relaxed);
            other.0.store(1, Relaxed);
        });
        let mut noise = 0;
        while shared.0.load(Relaxed) == 0 {
            noise += usize::from(is_odd && noise < 3);
            std::hint::black_box(&mut noise);
        }
        shared.1.store(1, Relaxed);
        shared.2.store(1, Relaxed);
    });
    assert!(outcome.executions() > 0, "{}", outcome.report());
}

/// Where no write has a choice of its place, the search up to reads-from is the one up to coherence; where one has, it is
/// not.
#[test]
fn coherence_is_tracked_where_it_follows() {
    let explored = |equivalence, body: fn()| {
        let mut builder = Builder::new();
        (builder.equivalence, builder.keeps_graphs) = (equivalence, true);
        let outcome = builder.explore(body);
        (
            outcome.executions(),
            outcome.blocked(),
            outcome.graphs().iter().filter(|graph| !graph.co.is_empty()).count(),
        )
    };
    let locks = || {
        let shared = Arc::new(Mutex::new(0));
        for _ in 0..2 {
            let shared = Arc::clone(&shared);
            thread::spawn(move || *shared.lock().unwrap() += 1);
        }
        *shared.lock().unwrap() += 1;
    };
    assert_eq!(explored(Equivalence::Rf, locks), (6, 0, 0));
    assert_eq!(explored(Equivalence::Co, locks), (6, 0, 6));
    let stores = || {
        let shared = Arc::new(AtomicUsize::new(0));
        for n in 1..4 {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.store(n, Relaxed));
        }
    };
    assert_eq!(explored(Equivalence::Rf, stores), (1, 0, 0));
    assert_eq!(explored(Equivalence::Co, stores), (6, 0, 6));
}
