//! Three threads drop an Arc; the last one drops its content. The bug: a reference count of one's own that does not
//! synchronise.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation use-after-free
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

struct Content(u32);

impl Drop for Content {
    fn drop(&mut self) {
        assert_eq!(self.0, 7);
        self.0 = 0;
    }
}

struct Counted {
    count: AtomicUsize,
    content: Content,
}

struct Shared(*mut Counted);
unsafe impl Send for Shared {}

impl Drop for Shared {
    fn drop(&mut self) {
        if unsafe { &*self.0 }.count.fetch_sub(1, Ordering::Relaxed) == 1 {
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

fn shared() -> [impl Send + 'static; 3] {
    #[cfg(bug)]
    {
        let counted = Counted { count: AtomicUsize::new(3), content: Content(7) };
        let counted = Box::into_raw(Box::new(counted));
        [counted; 3].map(Shared)
    }
    #[cfg(not(bug))]
    {
        let content = Arc::new(Content(7));
        [Arc::clone(&content), Arc::clone(&content), content]
    }
}

fn main() {
    let [first, second, third] = shared();
    let threads = [first, second].map(|shared| thread::spawn(move || drop(shared)));
    drop(third);
    for thread in threads {
        thread.join().unwrap();
    }
}
