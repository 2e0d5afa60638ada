//! Litmus tests as closures: how many executions they have.

use atropos::sync::Arc;
use atropos::sync::atomic::{AtomicUsize, Ordering::*};
use atropos::{Builder, Equivalence, ModelName, Verdict, thread};

fn count(model: ModelName, equivalence: Equivalence, body: fn()) -> (u64, u64) {
    let mut builder = Builder::new();
    (builder.model, builder.equivalence) = (model, equivalence);
    let outcome = builder.explore(body);
    assert_eq!(outcome.verdict(), Verdict::Verified, "{}", outcome.report());
    (outcome.executions(), outcome.blocked())
}

fn store_buffering() {
    let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (x1, y1) = (Arc::clone(&x), Arc::clone(&y));
    let first = thread::spawn(move || {
        x1.store(1, Relaxed);
        y1.load(Relaxed)
    });
    let second = thread::spawn(move || {
        y.store(1, Relaxed);
        x.load(Relaxed)
    });
    first.join().unwrap();
    second.join().unwrap();
}

#[test]
fn store_buffering_has_three_or_four_executions() {
    for (model, expected) in [(ModelName::Sc, 3), (ModelName::Tso, 4), (ModelName::Rc11, 4)] {
        for equivalence in [Equivalence::Co, Equivalence::Rf] {
            assert_eq!(count(model, equivalence, store_buffering), (expected, 0));
        }
    }
}

#[test]
fn a_lost_update_is_shown() {
    let outcome = Builder::new().explore(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let other = thread::spawn(move || {
            let v = y.load(Relaxed);
            y.store(v + 1, Relaxed);
        });
        let v = x.load(Relaxed);
        x.store(v + 1, Relaxed);
        other.join().unwrap();
        assert_eq!(x.load(Relaxed), 2);
    });
    println!("{}", outcome.report());
    assert_eq!(outcome.verdict(), Verdict::Violation);
}
