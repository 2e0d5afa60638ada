//! A queue with a mutex and a condition variable. The bug: one notification for two consumers.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation deadlock
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Queue {
    items: Mutex<VecDeque<u32>>,
    available: Condvar,
}

impl Queue {
    fn push_both(&self) {
        self.items.lock().unwrap().extend([1, 2]);
        if cfg!(bug) {
            self.available.notify_one();
        } else {
            self.available.notify_all();
        }
    }

    fn pop(&self) -> u32 {
        let mut items = self.items.lock().unwrap();
        loop {
            match items.pop_front() {
                Some(item) => return item,
                None => items = self.available.wait(items).unwrap(),
            }
        }
    }
}

fn main() {
    let queue = Arc::new(Queue::default());
    let consumer = {
        let queue = Arc::clone(&queue);
        thread::spawn(move || queue.pop())
    };
    let producer = {
        let queue = Arc::clone(&queue);
        thread::spawn(move || queue.push_both())
    };
    let mine = queue.pop();
    assert_eq!(mine + consumer.join().unwrap(), 3);
    producer.join().unwrap();
}
