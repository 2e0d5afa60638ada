//! Litmus tests as closures.

use atropos_event::{Mapping, Refusal};
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelChoice, ModelName};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{Config, Control, Execution, Observer, Report};
use atropos_native::atomic::{AtomicUsize, Ordering::*};
use atropos_native::{ModelHeap, Native, thread};
use std::sync::Arc;

#[global_allocator]
static HEAP: ModelHeap = ModelHeap;

#[derive(Default)]
struct Watch {
    found: Vec<String>,
}

impl Observer for Watch {
    fn looks_at_executions(&self) -> bool {
        false
    }
    fn violation(&mut self, report: Report, execution: Execution<'_>) {
        let place = execution.run.place(report.thread);
        self.found.push(format!("{:?} {:?}", report.violation, place.source));
    }
    fn refused(&mut self, refusal: Refusal) {
        self.found.push(format!("{refusal:?}"));
    }
}

fn count(model: ModelName, equivalence: Equivalence, body: impl Fn() + Sync) -> (u64, u64, Vec<String>) {
    let method = Method {
        algorithm: Algorithm::Trust,
        model: ModelChoice::Builtin(model),
        mapping: Mapping::Compiled,
        release_sequences: Default::default(),
        equivalence,
        heuristics: Heuristics::default(),
    };
    let program = Native::new(&body);
    let search = method.explore(&program, Config::default(), &Control::default(), 1, || Watch::default());
    let found = search.observers.into_iter().flat_map(|watch| watch.found).collect();
    (search.stats.executions, search.stats.blocked, found)
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
            assert_eq!(count(model, equivalence, store_buffering), (expected, 0, vec![]));
        }
    }
}

#[test]
fn a_failed_assertion_is_a_violation_at_its_line() {
    let (_, _, found) = count(ModelName::Rc11, Equivalence::Co, || {
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
    println!("{found:?}");
    assert_eq!(found.len(), 1);
}
