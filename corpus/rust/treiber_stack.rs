//! Treiber's stack: two threads push, one pops. Nodes that were popped are freed at the end.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation race
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

const PUBLISH: Ordering = if cfg!(bug) { Ordering::Relaxed } else { Ordering::Release };

struct Node {
    value: u32,
    next: *mut Node,
}

#[derive(Default)]
struct Stack {
    head: AtomicPtr<Node>,
    popped: AtomicPtr<Node>,
}

impl Stack {
    fn push(&self, value: u32) {
        let node = Box::into_raw(Box::new(Node { value, next: ptr::null_mut() }));
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            unsafe { (*node).next = head };
            match self.head.compare_exchange(head, node, PUBLISH, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    fn pop(&self) -> Option<u32> {
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            let node = unsafe { head.as_ref()? };
            match self.head.compare_exchange(head, node.next, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => break,
                Err(now) => head = now,
            }
        }
        let value = unsafe { (*head).value };
        self.popped.store(head, Ordering::Release);
        Some(value)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let mut node = *self.head.get_mut();
        while !node.is_null() {
            node = unsafe { Box::from_raw(node) }.next;
        }
        let popped = *self.popped.get_mut();
        if !popped.is_null() {
            drop(unsafe { Box::from_raw(popped) });
        }
    }
}

fn main() {
    let stack = Arc::new(Stack::default());
    let pushers = [1, 2].map(|value| {
        let stack = Arc::clone(&stack);
        thread::spawn(move || stack.push(value))
    });
    if let Some(value) = stack.pop() {
        assert!(value == 1 || value == 2);
    }
    for pusher in pushers {
        pusher.join().unwrap();
    }
}
