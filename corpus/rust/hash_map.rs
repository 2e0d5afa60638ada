//! Two threads and a hash map behind a lock. With the bug, one thread expects what the other may not have put there yet.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation assertion 17

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let map = Arc::new(Mutex::new(HashMap::new()));
    let other = Arc::clone(&map);
    let thread = thread::spawn(move || {
        other.lock().unwrap().insert("one".to_string(), 1);
    });
    *map.lock().unwrap().entry(format!("{}wo", 't')).or_insert(0) += 2;
    if cfg!(bug) {
        assert_eq!(map.lock().unwrap().len(), 2);
    }
    thread.join().unwrap();
    let map = map.lock().unwrap();
    println!("{map:?}");
    assert_eq!(map["one"] + map["two"], 3);
}
