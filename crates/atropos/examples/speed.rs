//! How many executions per second of processor time the library explores.
//! `cargo run --release -p atropos --example speed`

use atropos::sync::Arc;
use atropos::sync::atomic::{AtomicUsize, Ordering::*};
use atropos::{Builder, Equivalence, Verdict, thread};

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
    let begin = processor_seconds();
    let outcome = builder.explore(body);
    let seconds = (processor_seconds() - begin).max(0.01);
    assert_eq!(outcome.verdict(), Verdict::Verified);
    let n = outcome.executions();
    println!("{name:12} {n:8} executions {seconds:8.2} s {:10.0} per second", n as f64 / seconds);
}

/// The processor time of this process, which Linux counts in hundredths of a second.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields = text.rsplit_once(") ").expect("the name of the program ends").1.split(' ');
    fields.skip(11).take(2).map(|ticks| ticks.parse::<f64>().expect("a number") / 100.0).sum()
}

fn main() {
    measure("readers(10)", || readers(10));
    measure("ainc(8)", || increments(8));
    measure("ainc(4)", || increments(4));
}
