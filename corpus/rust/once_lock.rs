//! A value that is made once. The bug: a static variable without any protection.
// check: rc11 rf verified 2
// check: --cfg=bug rc11 rf violation race
use std::sync::OnceLock;
use std::thread;

#[cfg(not(bug))]
fn value(mine: u32) -> u32 {
    static VALUE: OnceLock<u32> = OnceLock::new();
    *VALUE.get_or_init(|| mine)
}

#[cfg(bug)]
fn value(mine: u32) -> u32 {
    static mut VALUE: OnceLock<u32> = OnceLock::new();
    unsafe {
        let value = &raw mut VALUE;
        if (*value).get_mut().is_none() {
            *value = OnceLock::from(mine);
        }
        *(*value).get_mut().unwrap()
    }
}

fn main() {
    let thread = thread::spawn(|| value(1));
    let mine = value(2);
    assert_eq!(mine, thread.join().unwrap());
    assert!(mine == 1 || mine == 2);
}
