//! How many executions per second the library explores. `cargo run --release -p atropos --example speed`

use atropos::sync::Arc;
use atropos::sync::atomic::{AtomicUsize, Ordering::*};
use atropos::{Builder, Equivalence, Verdict, thread};
use std::time::Instant;

/// `n` threads increment a counter: n! executions.
fn increments(n: usize) {
    let x = Arc::new(AtomicUsize::new(0));
    for _ in 0..n {
        let x = Arc::clone(&x);
        thread::spawn(move || x.fetch_add(1, Relaxed));
    }
}

/// `n` threads read what one writes twice: 3^n executions.
fn readers(n: usize) {
    let x = Arc::new(AtomicUsize::new(0));
    for _ in 0..n {
        let x = Arc::clone(&x);
        thread::spawn(move || x.load(Acquire));
    }
    x.store(1, Release);
    x.store(2, Release);
}

fn measure(name: &str, body: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.equivalence = Equivalence::Co;
    let begin = Instant::now();
    let outcome = builder.explore(body);
    let seconds = begin.elapsed().as_secs_f64();
    assert_eq!(outcome.verdict(), Verdict::Verified);
    let n = outcome.executions();
    println!("{name:12} {n:8} executions {seconds:8.2} s {:10.0} per second", n as f64 / seconds);
}

fn main() {
    measure("readers(10)", || readers(10));
    measure("ainc(8)", || increments(8));
    measure("ainc(4)", || increments(4));
}
