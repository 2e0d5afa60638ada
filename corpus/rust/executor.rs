//! A small executor: the main thread polls a future that another thread completes. The bug: the future looks at its
//! result before it leaves its waker, so the other thread may find no waker.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation deadlock
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

#[derive(Default)]
struct State {
    result: Mutex<Option<u32>>,
    waker: Mutex<Option<Waker>>,
}

struct Completion(Arc<State>);

impl Future for Completion {
    type Output = u32;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u32> {
        if cfg!(bug) {
            let result = *self.0.result.lock().unwrap();
            if let Some(result) = result {
                return Poll::Ready(result);
            }
            *self.0.waker.lock().unwrap() = Some(context.waker().clone());
            return Poll::Pending;
        }
        *self.0.waker.lock().unwrap() = Some(context.waker().clone());
        match *self.0.result.lock().unwrap() {
            Some(result) => Poll::Ready(result),
            None => Poll::Pending,
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

fn main() {
    let state = Arc::new(State::default());
    let worker = {
        let state = Arc::clone(&state);
        thread::spawn(move || {
            *state.result.lock().unwrap() = Some(5);
            let waker = state.waker.lock().unwrap().take();
            if let Some(waker) = waker {
                waker.wake();
            }
        })
    };
    let output = block_on(async { Completion(state).await + 1 });
    assert_eq!(output, 6);
    worker.join().unwrap();
}
