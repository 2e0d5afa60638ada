//! Tests of crossbeam-utils with loom. The package has none of its own: its tests do not compile with `crossbeam_loom`,
//! which leaves out what they use.

use crossbeam_utils::sync::{Parker, WaitGroup};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use loom::thread;

/// What is written before `unpark` is seen after `park`.
#[test]
fn unpark_publishes() {
    loom::model(|| {
        let parker = Parker::new();
        let unparker = parker.unparker().clone();
        let x = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&x);
        let thread = thread::spawn(move || {
            other.store(1, Relaxed);
            unparker.unpark();
        });
        parker.park();
        assert_eq!(x.load(Relaxed), 1);
        thread.join().unwrap();
    });
}

/// Several calls before `park` count as one.
#[test]
fn tokens_do_not_add_up() {
    loom::model(|| {
        let parker = Parker::new();
        let first = parker.unparker().clone();
        let second = first.clone();
        let threads = [thread::spawn(move || first.unpark()), thread::spawn(move || second.unpark())];
        parker.park();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

/// Each of two threads wakes the other.
#[test]
fn two_threads_take_turns() {
    loom::model(|| {
        let (one, two) = (Parker::new(), Parker::new());
        let (wakes_one, wakes_two) = (one.unparker().clone(), two.unparker().clone());
        let thread = thread::spawn(move || {
            two.park();
            wakes_one.unpark();
        });
        wakes_two.unpark();
        one.park();
        thread.join().unwrap();
    });
}

/// A group waits for all of its members.
#[test]
fn a_group_waits() {
    loom::model(|| {
        let (group, done) = (WaitGroup::new(), Arc::new(AtomicUsize::new(0)));
        for _ in 0..2 {
            let (group, done) = (group.clone(), Arc::clone(&done));
            thread::spawn(move || {
                done.fetch_add(1, Relaxed);
                drop(group);
            });
        }
        group.wait();
        assert_eq!(done.load(Relaxed), 2);
    });
}
