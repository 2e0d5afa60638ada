//! Litmus tests and small programs as closures: how many executions they have, under every model and algorithm.

#![allow(unsafe_code, reason = "programs under test use raw pointers, as the programs of users do")]

use atropos::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, Ordering::*, fence};
use atropos::sync::{Arc, Mutex};
use atropos::thread;
use atropos::{Algorithm, Builder, Equivalence, ModelName, Outcome, Verdict};

fn explore(builder: &Builder, body: impl Fn() + Send + Sync + 'static) -> Outcome {
    let outcome = builder.explore(body);
    assert_eq!(outcome.verdict(), Verdict::Verified, "{}", outcome.report());
    outcome
}

fn builder(algorithm: Algorithm, model: ModelName, equivalence: Equivalence) -> Builder {
    let mut builder = Builder::new();
    (builder.algorithm, builder.model, builder.equivalence) = (algorithm, model, equivalence);
    builder
}

/// Counts complete executions by TruSt under these models, up to `co` and up to `rf`.
fn check(body: fn(), expected: &[(ModelName, u64, u64)]) {
    for &(model, up_to_co, up_to_rf) in expected {
        for (equivalence, expected) in [(Equivalence::Co, up_to_co), (Equivalence::Rf, up_to_rf)] {
            for jobs in [1, 3] {
                let mut builder = builder(Algorithm::Trust, model, equivalence);
                builder.jobs = jobs;
                let outcome = explore(&builder, body);
                let found = (outcome.executions(), outcome.blocked());
                assert_eq!(found, (expected, 0), "{model:?} {equivalence:?} by {jobs}");
            }
        }
    }
}

fn spawn_all<const N: usize>(bodies: [Box<dyn FnOnce()>; N]) {
    bodies.map(thread::spawn).into_iter().for_each(|thread| thread.join().unwrap());
}

fn store_buffering(order: Ordering, with_fence: bool) {
    let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let side = |first: &Arc<AtomicUsize>, second: &Arc<AtomicUsize>| -> Box<dyn FnOnce()> {
        let (first, second) = (Arc::clone(first), Arc::clone(second));
        Box::new(move || {
            first.store(1, order);
            if with_fence {
                fence(SeqCst);
            }
            second.load(order);
        })
    };
    spawn_all([side(&x, &y), side(&y, &x)]);
}

#[test]
fn store_buffering_has_three_or_four_executions() {
    use ModelName::{Pso, Ra, Rc11, Sc, Tso};
    check(
        || store_buffering(Relaxed, false),
        &[(Sc, 3, 3), (Tso, 4, 4), (Pso, 4, 4), (Ra, 4, 4), (Rc11, 4, 4)],
    );
    check(|| store_buffering(SeqCst, false), &[(Sc, 3, 3), (Tso, 3, 3), (Pso, 3, 3), (Rc11, 3, 3)]);
    check(|| store_buffering(Relaxed, true), &[(Sc, 3, 3), (Tso, 3, 3), (Pso, 3, 3), (Rc11, 3, 3)]);
}

#[test]
fn counters_have_as_many_executions_as_orders() {
    fn increments<const N: usize>() {
        let x = Arc::new(AtomicUsize::new(0));
        let threads = [(); N].map(|()| {
            let x = Arc::clone(&x);
            thread::spawn(move || x.fetch_add(1, Relaxed))
        });
        let seen = threads.map(|thread| thread.join().unwrap());
        assert_eq!(seen.iter().sum::<usize>(), N * (N - 1) / 2);
        assert_eq!(x.load(Relaxed), N);
    }
    for model in [ModelName::Sc, ModelName::Tso, ModelName::Rc11] {
        check(increments::<2>, &[(model, 2, 2)]);
        check(increments::<4>, &[(model, 24, 24)]);
    }
}

#[test]
fn readers_see_every_prefix() {
    fn readers() {
        let x = Arc::new(AtomicUsize::new(0));
        let readers = [(); 3].map(|()| {
            let x = Arc::clone(&x);
            thread::spawn(move || x.load(Acquire))
        });
        let writer = thread::spawn(move || {
            x.store(1, Release);
            x.store(2, Release);
        });
        readers.into_iter().for_each(|reader| drop(reader.join()));
        writer.join().unwrap();
    }
    check(readers, &[(ModelName::Rc11, 27, 27), (ModelName::Sc, 27, 27), (ModelName::Tso, 27, 27)]);
}

#[test]
fn a_mutex_protects_ordinary_memory() {
    fn pushes() {
        let numbers = Arc::new(Mutex::new(Vec::new()));
        let threads = [1, 2, 3].map(|number| {
            let numbers = Arc::clone(&numbers);
            thread::spawn(move || numbers.lock().unwrap().push(number))
        });
        threads.into_iter().for_each(|thread| drop(thread.join()));
        let mut numbers = numbers.lock().unwrap().clone();
        numbers.sort_unstable();
        assert_eq!(numbers, [1, 2, 3]);
    }
    for model in [ModelName::Sc, ModelName::Tso, ModelName::Pso, ModelName::Ra, ModelName::Rc11] {
        check(pushes, &[(model, 6, 6)]);
    }
}

#[test]
fn every_algorithm_explores_closures() {
    fn message_passing() {
        let (data, flag) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (other_data, other_flag) = (Arc::clone(&data), Arc::clone(&flag));
        let writer = thread::spawn(move || {
            other_data.store(1, Relaxed);
            other_flag.store(1, Release);
        });
        if flag.load(Acquire) == 1 {
            assert_eq!(data.load(Relaxed), 1);
        }
        writer.join().unwrap();
    }
    for algorithm in Algorithm::ALL {
        for &model in algorithm.models() {
            let outcome = explore(&builder(algorithm, model, Equivalence::Rf), message_passing);
            assert_eq!((outcome.executions(), outcome.blocked()), (2, 0), "{algorithm:?} {model:?}");
        }
    }
}

#[test]
fn every_algorithm_sees_ordinary_memory_behind_a_mutex() {
    fn pushes(most: usize) {
        let numbers = Arc::new(Mutex::new(Vec::new()));
        let threads = [1, 2].map(|number| {
            let numbers = Arc::clone(&numbers);
            thread::spawn(move || {
                let mut numbers = numbers.lock().unwrap();
                numbers.push(number);
                assert!(numbers.len() <= most);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(numbers.lock().unwrap().iter().sum::<usize>(), 3);
    }
    for algorithm in Algorithm::ALL {
        for &model in algorithm.models() {
            let builder = builder(algorithm, model, Equivalence::Co);
            let outcome = explore(&builder, || pushes(2));
            assert_eq!(outcome.executions(), 2, "{algorithm:?} {model:?}");
            let outcome = builder.explore(|| pushes(1));
            assert_eq!(outcome.verdict(), Verdict::Violation, "{algorithm:?} {model:?}");
        }
    }
}

struct Node {
    value: usize,
    next: *mut Node,
}

/// A stack whose nodes are never freed.
#[derive(Default)]
struct Stack {
    head: AtomicPtr<Node>,
}

impl Stack {
    fn push(&self, value: usize) {
        let node = Box::into_raw(Box::new(Node { value, next: std::ptr::null_mut() }));
        loop {
            let head = self.head.load(Relaxed);
            unsafe { (*node).next = head };
            if self.head.compare_exchange(head, node, Release, Relaxed).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> usize {
        loop {
            let head = self.head.load(Acquire);
            if head.is_null() {
                return 0;
            }
            let Node { value, next } = *unsafe { &*head };
            if self.head.compare_exchange(head, next, Relaxed, Relaxed).is_ok() {
                return value;
            }
        }
    }
}

#[test]
fn a_stack_of_pointers_is_explored() {
    fn stack(n_pops: usize) {
        let stack = Arc::new(Stack::default());
        let pushes = [1, 2].map(|value| {
            let stack = Arc::clone(&stack);
            thread::spawn(move || stack.push(value))
        });
        let pops: Vec<_> = (0..n_pops)
            .map(|_| {
                let stack = Arc::clone(&stack);
                thread::spawn(move || stack.pop())
            })
            .collect();
        pushes.into_iter().for_each(|push| drop(push.join()));
        let mut sum: usize = pops.into_iter().map(|pop| pop.join().unwrap()).sum();
        loop {
            match stack.pop() {
                0 => break,
                value => sum += value,
            }
        }
        assert_eq!(sum, 3);
    }
    for jobs in [1, 2] {
        for equivalence in [Equivalence::Co, Equivalence::Rf] {
            let mut builder = builder(Algorithm::Trust, ModelName::Rc11, equivalence);
            builder.jobs = jobs;
            let counts = [1, 2].map(|n_pops| explore(&builder, move || stack(n_pops)).executions());
            assert_eq!(counts, [20, 180], "{equivalence:?} by {jobs}");
        }
    }
}
