//! Two threads push to a stack, and one pops.
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::*};
use std::thread;

struct Node {
    value: u32,
    next: *mut Node,
}

static HEAD: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

fn push(value: u32) {
    let node = Box::into_raw(Box::new(Node { value, next: ptr::null_mut() }));
    let mut head = HEAD.load(Relaxed);
    loop {
        unsafe { (*node).next = head };
        match HEAD.compare_exchange(head, node, Release, Relaxed) {
            Ok(_) => return,
            Err(now) => head = now,
        }
    }
}

fn pop() -> u32 {
    let mut head = HEAD.load(Acquire);
    loop {
        if head.is_null() {
            return 0;
        }
        match HEAD.compare_exchange(head, unsafe { (*head).next }, Acquire, Acquire) {
            Ok(_) => return unsafe { (*head).value },
            Err(now) => head = now,
        }
    }
}

fn main() {
    let first = thread::spawn(|| push(1));
    let second = thread::spawn(|| push(2));
    assert!(pop() <= 2);
    first.join().unwrap();
    second.join().unwrap();
}
