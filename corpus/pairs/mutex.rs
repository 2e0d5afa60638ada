//! Three threads add to a counter behind a mutex.
use std::sync::Mutex;
use std::thread;

static COUNTER: Mutex<u32> = Mutex::new(0);

fn add() {
    *COUNTER.lock().unwrap() += 1;
}

fn main() {
    let first = thread::spawn(add);
    let second = thread::spawn(add);
    add();
    first.join().unwrap();
    second.join().unwrap();
    assert_eq!(*COUNTER.lock().unwrap(), 3);
}
