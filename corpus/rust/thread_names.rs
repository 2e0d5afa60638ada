//! The names of threads. The bug: a thread without a name is expected to have that of its parent.
// check: rc11 rf verified 1
// check: --cfg=bug rc11 rf violation assertion
use std::thread;

fn main() {
    assert_eq!(thread::current().name(), Some("main"));
    let named = thread::Builder::new().name("worker".to_string());
    let handle = named.spawn(|| thread::current().name().map(str::to_string)).unwrap();
    assert_eq!(handle.thread().name(), Some("worker"));
    assert_eq!(handle.join().unwrap().as_deref(), Some("worker"));
    let name = thread::spawn(|| thread::current().name().map(str::to_string)).join().unwrap();
    assert_eq!(name.as_deref(), if cfg!(bug) { Some("main") } else { None });
}
