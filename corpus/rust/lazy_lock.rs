//! A table that is made when it is first used. The bug: it uses itself.
// check: rc11 rf verified 2
// check: --cfg=bug rc11 rf violation deadlock
use std::sync::LazyLock;
use std::thread;

static TABLE: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let first = if cfg!(bug) { TABLE.len() } else { 1 };
    vec![first, 2, 3]
});

fn main() {
    let thread = thread::spawn(|| TABLE.len());
    assert_eq!(TABLE.iter().sum::<usize>(), 6);
    assert_eq!(thread.join().unwrap(), 3);
}
