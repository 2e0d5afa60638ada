//! Loops that try again: a try that fails, and leaves nothing behind, costs no execution. Random programs have the same
//! outcomes as with all tries.

use atropos::sync::atomic::{AtomicU32, Ordering, Ordering::*};
use atropos::sync::{Arc, Mutex};
use atropos::{Builder, ModelName, Verdict, thread};
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

/// A way to change a number that other threads change, too, and what the thread learns meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// The number that the thread has replaced.
    Value,
    Library,
    /// The same, where the first try guesses.
    Guess,
    /// The first read is stronger than the failed exchange.
    Strong,
    /// How often it has tried.
    Count,
    CountOnHeap,
    CountUnderLock,
    /// Whether it has failed.
    Flag,
    /// The largest value that it has seen.
    Largest,
    Store,
    Load,
}

const WAYS: [Way; 11] = [
    Way::Value,
    Way::Library,
    Way::Guess,
    Way::Strong,
    Way::Count,
    Way::CountOnHeap,
    Way::CountUnderLock,
    Way::Flag,
    Way::Largest,
    Way::Store,
    Way::Load,
];

const MODELS: [ModelName; 6] =
    [ModelName::Rc11, ModelName::Sc, ModelName::Tso, ModelName::Pso, ModelName::Ra, ModelName::Sra];

#[derive(Default)]
struct Shared {
    numbers: [AtomicU32; 2],
    n_tries: Mutex<u32>,
}

#[inline(always)]
fn exchange(x: &AtomicU32, [old, new]: [u32; 2]) -> Result<u32, u32> {
    x.compare_exchange(old, new, AcqRel, Acquire)
}

/// Changes the number, and calls `note` with what each try replaces.
#[inline(always)]
fn change(x: &AtomicU32, order: Ordering, factor: u32, mut note: impl FnMut(u32)) -> u32 {
    let mut value = x.load(order);
    loop {
        note(value);
        match exchange(x, [value, value * factor + 1]) {
            Ok(old) => return old,
            Err(other) => value = other,
        }
    }
}

fn act(shared: &Shared, way: Way, which: usize, factor: u32) -> u32 {
    let x = &shared.numbers[which];
    match way {
        Way::Value => change(x, Relaxed, factor, |_| ()),
        Way::Library => x.fetch_update(AcqRel, Acquire, |value| Some(value * factor + 1)).unwrap(),
        Way::Guess => match exchange(x, [0, 1]) {
            Ok(old) => old,
            Err(value) => exchange(x, [value, value * factor + 1]).unwrap_or(99),
        },
        Way::Strong => change(x, SeqCst, factor, |_| ()),
        Way::Count => {
            let mut n = 0;
            change(x, Relaxed, factor, |_| n += 1);
            n
        }
        Way::CountOnHeap => {
            let n = Rc::new(Cell::new(0));
            change(x, Relaxed, factor, |_| n.set(n.get() + 1));
            n.get()
        }
        Way::CountUnderLock => {
            let mut n = shared.n_tries.lock().unwrap();
            change(x, Relaxed, factor, |_| *n += 1);
            *n
        }
        Way::Flag => {
            let (first, has_failed) = (Cell::new(true), Box::new(Cell::new(0)));
            change(x, Relaxed, factor, |_| {
                has_failed.set(has_failed.get() | u32::from(!first.replace(false)))
            });
            has_failed.get()
        }
        Way::Largest => {
            let largest = Box::new(Cell::new(0));
            change(x, Relaxed, factor, |value| largest.set(largest.get().max(value ^ 5)));
            largest.get()
        }
        Way::Store => {
            x.store(factor, Release);
            0
        }
        Way::Load => x.load(Acquire),
    }
}

/// A generator of pseudo-random numbers [Steele, Lea and Flood, OOPSLA 2014].
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n) as usize
    }

    /// What each thread does, and to which number.
    fn script(&mut self) -> Vec<Vec<(Way, usize)>> {
        let n_threads = 2 + self.below(2);
        let n_acts = if n_threads == 2 { 3 } else { 1 };
        let way = |random: &mut Random| (WAYS[random.below(WAYS.len() as u64)], random.below(2));
        (0..n_threads).map(|_| (0..=self.below(n_acts)).map(|_| way(self)).collect()).collect()
    }
}

/// The outcomes of some program, as hashes.
type Outcomes = &'static [AtomicU64; 4096];

fn note(outcomes: Outcomes, outcome: &impl Hash) {
    let mut hasher = DefaultHasher::new();
    outcome.hash(&mut hasher);
    let hash = hasher.finish() | 1;
    let start = hash as usize >> 1;
    let room = (start..).map(|index| &outcomes[index % outcomes.len()]);
    let is_noted = |room: &AtomicU64| {
        room.compare_exchange(0, hash, Relaxed, Relaxed).is_ok() || room.load(Relaxed) == hash
    };
    assert!(room.take(outcomes.len()).any(is_noted), "too many outcomes");
}

fn run(script: &[Vec<(Way, usize)>], outcomes: Outcomes) {
    let shared = Arc::new(Shared::default());
    let spawn = |acts: &Vec<(Way, usize)>, factor: u32| {
        let (shared, acts) = (Arc::clone(&shared), acts.clone());
        let body = move || -> Vec<u32> {
            acts.iter().map(|&(way, which)| act(&shared, way, which, factor)).collect()
        };
        thread::spawn(body)
    };
    let threads: Vec<_> = script.iter().zip(2..).map(|(acts, factor)| spawn(acts, factor)).collect();
    let learned: Vec<Vec<u32>> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    note(outcomes, &(learned, shared.numbers.each_ref().map(|x| x.load(Relaxed))));
}

/// The outcomes and the numbers of complete and blocked executions.
fn explore(script: &[Vec<(Way, usize)>], model: ModelName, retries: bool) -> (Vec<u64>, [u64; 2]) {
    let outcomes: Outcomes = Box::leak(Box::new([const { AtomicU64::new(0) }; 4096]));
    let own = script.to_vec();
    let mut builder = Builder::new();
    (builder.model, builder.retries) = (model, retries);
    let outcome = builder.explore(move || run(&own, outcomes));
    assert_eq!(outcome.verdict(), Verdict::Verified, "{script:?}\n{}", outcome.report());
    let mut all: Vec<u64> =
        outcomes.iter().map(|hash| hash.load(Relaxed)).filter(|&hash| hash != 0).collect();
    all.sort_unstable();
    (all, [outcome.executions(), outcome.blocked()])
}

#[test]
fn random_programs_have_the_same_outcomes_as_with_all_tries() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (from, count) = (number("RETRIES_FROM").unwrap_or(0), number("RETRIES_COUNT").unwrap_or(150));
    let (mut n_fewer, mut sums) = (0, [0, 0]);
    for seed in from..from + count {
        let (script, model) = (Random(seed).script(), MODELS[seed as usize % MODELS.len()]);
        let ((outcomes, [executions, _]), (expected, [all, _])) =
            (explore(&script, model, false), explore(&script, model, true));
        assert_eq!(outcomes, expected, "{seed}, {}: {script:?}", model.name());
        assert!(executions <= all, "{seed}: {executions} of {all}, {script:?}");
        n_fewer += u32::from(executions < all);
        sums = [sums[0] + executions, sums[1] + all];
    }
    println!("{count} programs, {n_fewer} with fewer executions, {} in place of {}", sums[0], sums[1]);
    assert!(n_fewer > 0);
}

/// Two or three threads that change the same number in this way.
fn alike(way: Way, n_threads: usize, retries: bool) -> u64 {
    explore(&vec![vec![(way, 0)]; n_threads], ModelName::Rc11, retries).1[0]
}

#[test]
fn tries_that_leave_nothing_behind_cost_no_executions() {
    for way in [Way::Value, Way::Library] {
        assert_eq!((alike(way, 2, false), alike(way, 3, false)), (2, 6), "{way:?}");
        assert!(alike(way, 3, true) > 20, "{way:?}");
    }
}

#[test]
fn tries_that_the_thread_remembers_are_explored() {
    for way in [Way::Count, Way::CountOnHeap, Way::CountUnderLock, Way::Flag, Way::Largest, Way::Strong] {
        let n_threads = 2;
        assert_eq!(alike(way, n_threads, false), alike(way, n_threads, true), "{way:?}");
    }
}
