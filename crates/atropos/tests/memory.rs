//! What programs allocate: weak owners, leaks, double frees and uses after the end.

#![allow(unsafe_code, reason = "programs under test use raw pointers, as the programs of users do")]

mod common;

use atropos::alloc::{Layout, Track, alloc, alloc_zeroed, dealloc};
use atropos::sync::atomic::{AtomicU8, AtomicU16, AtomicUsize, Ordering::*};
use atropos::sync::{Arc, Mutex, Weak};
use atropos::thread;
use common::verified;

fn violation(kind: &str, line: &str, body: impl Fn() + Send + Sync + 'static) {
    common::violation(["memory.rs", include_str!("memory.rs")], kind, line, body);
}

#[test]
fn weak_owners_do_not_keep_the_data() {
    let outcome = verified(|| {
        let data = Arc::new(AtomicUsize::new(1));
        let weak = Arc::downgrade(&data);
        let thread = thread::spawn(move || weak.upgrade().is_some_and(|data| data.load(Relaxed) == 1));
        drop(data);
        thread.join().unwrap();
    });
    assert!(outcome.executions() >= 2, "{}", outcome.report());
    verified(|| {
        let mut data = Arc::new(1);
        let weak = Arc::downgrade(&data);
        let other = weak.clone();
        assert_eq!((Arc::weak_count(&data), Arc::get_mut(&mut data)), (2, None));
        drop((weak, other));
        *Arc::get_mut(&mut data).unwrap() = 2;
        assert_eq!(Arc::try_unwrap(data), Ok(2));
        assert!(Weak::<u32>::new().upgrade().is_none());
    });
    verified(|| {
        struct Node(Weak<Node>);
        let node = Arc::new_cyclic(|node| Node(node.clone()));
        assert!(Arc::ptr_eq(&node, &node.0.upgrade().unwrap()));
    });
    verified(|| {
        let mut first = Arc::new(1);
        let second = Arc::clone(&first);
        *Arc::make_mut(&mut first) += 1;
        assert_eq!((*first, *second), (2, 1));
    });
}

#[test]
fn the_same_place_may_have_objects_of_other_sizes_in_other_executions() {
    verified(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let thread = thread::spawn(move || y.store(1, Relaxed));
        match x.load(Relaxed) {
            0 => assert_eq!(Arc::new(AtomicU8::new(255)).fetch_add(1, Relaxed), 255),
            _ => assert_eq!(Arc::new(AtomicUsize::new(255)).fetch_add(1, Relaxed), 255),
        }
        thread.join().unwrap();
    });
    enum Narrow {
        One(AtomicU8),
        Two(AtomicU16),
    }
    // On the stack, where no event initialises objects; a large initial value and a small one.
    for initial in [3, 200] {
        verified(move || {
            let x = Arc::new(AtomicUsize::new(0));
            let y = Arc::clone(&x);
            let thread = thread::spawn(move || y.store(1, Relaxed));
            let narrow = match x.load(Relaxed) {
                0 => Narrow::One(AtomicU8::new(initial)),
                _ => Narrow::Two(AtomicU16::new(u16::from(initial))),
            };
            let after = match &narrow {
                Narrow::One(one) => {
                    one.fetch_add(100, Relaxed) == initial && one.load(Relaxed) == initial.wrapping_add(100)
                }
                Narrow::Two(two) => {
                    two.fetch_add(100, Relaxed) == u16::from(initial)
                        && two.load(Relaxed) == u16::from(initial) + 100
                }
            };
            assert!(after);
            thread.join().unwrap();
        });
    }
}

#[test]
fn data_that_is_never_dropped_leaks() {
    violation("leak", "//~ forgotten", || {
        let data = Arc::new(AtomicUsize::new(0)); //~ forgotten
        let other = Arc::clone(&data);
        thread::spawn(move || {
            if other.fetch_add(1, Relaxed) == 1 {
                std::mem::forget(other);
            }
        });
        data.fetch_add(1, Relaxed);
    });
    violation("leak", "//~ tracked", || {
        std::mem::forget(Track::new(1)); //~ tracked
    });
    verified(|| drop((Track::new(1), Track::new(2).into_inner())));
    static KEPT: Mutex<Vec<Arc<u32>>> = Mutex::new(Vec::new());
    verified(|| KEPT.lock().unwrap().push(Arc::new(1)));
}

#[test]
fn allocations_are_checked() {
    fn words(n: usize) -> Layout {
        Layout::array::<AtomicUsize>(n).unwrap()
    }
    verified(|| unsafe {
        let block = alloc(words(1)).cast::<AtomicUsize>();
        block.write(AtomicUsize::new(1));
        let address = block as usize;
        let thread = thread::spawn(move || (*(address as *const AtomicUsize)).fetch_add(1, Relaxed));
        thread.join().unwrap();
        assert_eq!((*block).load(Relaxed), 2);
        dealloc(block.cast(), words(1));
    });
    violation("leak", "//~ kept", || unsafe {
        alloc_zeroed(words(1)); //~ kept
    });
    violation("double-free", "//~ again", || unsafe {
        let block = alloc(words(1));
        dealloc(block, words(1));
        dealloc(block, words(1)); //~ again
    });
    violation("use-after-free", "//~ gone", || unsafe {
        let block = alloc(words(1)).cast::<AtomicUsize>();
        block.write(AtomicUsize::new(1));
        let address = block as usize;
        let thread = thread::spawn(move || {
            (*(address as *const AtomicUsize)).fetch_add(1, Relaxed); //~ gone
        });
        dealloc(block.cast(), words(1));
        thread.join().unwrap();
    });
    violation("unreachable", "//~ here", || unsafe {
        atropos::hint::unreachable_unchecked(); //~ here
    });
}
