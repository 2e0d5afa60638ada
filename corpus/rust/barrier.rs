//! Two threads that meet twice, one of which is the leader. The bug: one of them does not come to the second meeting.
// check: rc11 rf verified 4
// check: --cfg=bug rc11 rf violation deadlock
use std::sync::Barrier;
use std::thread;

fn main() {
    let barrier = Barrier::new(2);
    let meet = |n: usize| (0..n).filter(|_| barrier.wait().is_leader()).count();
    thread::scope(|scope| {
        let other = scope.spawn(|| meet(if cfg!(bug) { 1 } else { 2 }));
        let n_mine = meet(2);
        assert_eq!(n_mine + other.join().unwrap(), 2);
    });
}
