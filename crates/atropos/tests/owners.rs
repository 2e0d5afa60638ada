//! Random programs that share data: the same threads can be the last owner as with a count that is nothing but an atomic,
//! and nothing races with the end of the data.
//!
//! If the end of the data does not ask which thread it is in, it finds the same values, and the same goes wrong.

use atropos::cell::UnsafeCell;
use atropos::sync::Arc;
use atropos::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*, fence};
use atropos::thread::{self, JoinHandle};
use atropos::{Builder, Outcome, Verdict};
use std::sync::atomic::AtomicU64;

/// What a thread does with its owners and with the handles that it has got.
#[derive(Clone, Copy, Debug)]
enum Act {
    Clone,
    Drop,
    Join,
    /// Changes the data, as an owner.
    Use,
    /// Looks at a part of the data, as an owner or not.
    Intrude,
}

/// What the main thread does, and the others. A thread gets the handle of the one before it if that one was not joined
/// yet, and `gets` says so.
#[derive(Clone, Debug)]
struct Script {
    main: Vec<Act>,
    threads: Vec<(bool, Vec<Act>)>,
}

/// A generator of pseudo-random numbers [Steele, Lea and Flood, OOPSLA 2014].
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn acts(&mut self, known: &[Act]) -> Vec<Act> {
        let n = 1 + self.below(3);
        (0..n).map(|_| known[self.below(known.len() as u64) as usize]).collect()
    }

    fn script(&mut self, known: &[Act]) -> Script {
        let main = self.acts(known);
        let n_threads = 1 + self.below(3);
        Script { main, threads: (0..n_threads).map(|_| (self.below(2) == 0, self.acts(known))).collect() }
    }
}

/// The threads that were the last owner in some execution, or what the end of the data has read, as bits.
type Seen = &'static AtomicU64;

/// The data. Its end reads what all owners have written.
struct Shared {
    uses: AtomicU32,
    /// Not only read-modify-writes change this.
    latest: AtomicU32,
    /// Not only owners can access this.
    cell: &'static UnsafeCell<u32>,
    seen: Seen,
    asks: bool,
}

impl Shared {
    fn new(seen: Seen, asks: bool) -> Shared {
        let [uses, latest] = [(); 2].map(|()| AtomicU32::new(0));
        let cell = Box::leak(Box::new(UnsafeCell::new(0)));
        Shared { uses, latest, cell, seen, asks }
    }

    fn look(&self) {
        self.cell.with(|_| ());
    }

    fn change(&self, thread: usize) {
        self.uses.fetch_add(1 << thread, Relaxed);
        if thread != 1 {
            self.latest.store(thread as u32, Relaxed);
        }
    }

    fn end(&self) {
        let uses = self.uses.fetch_add(1, Relaxed);
        self.cell.with_mut(|_| ());
        let seen = if self.asks { me() } else { (uses + 16 * self.latest.load(Relaxed)) as usize % 64 };
        self.seen.fetch_or(1 << seen, Relaxed);
    }
}

/// The number of the running thread.
fn me() -> usize {
    let number = thread::current().name().map_or(0, |name| name.parse::<usize>().unwrap_or(0));
    number.min(63)
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.end();
    }
}

/// An owner of the data, of whichever kind.
trait Owner: Clone + 'static {
    fn first(shared: Shared) -> Self;
    fn shared(&self) -> &Shared;
}

impl Owner for Arc<Shared> {
    fn first(shared: Shared) -> Self {
        Arc::new(shared)
    }

    fn shared(&self) -> &Shared {
        self
    }
}

/// An owner with a count of its own.
struct Counted(&'static (AtomicUsize, Shared));

impl Owner for Counted {
    fn first(shared: Shared) -> Self {
        Counted(Box::leak(Box::new((AtomicUsize::new(1), shared))))
    }

    fn shared(&self) -> &Shared {
        &self.0.1
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.0.0.fetch_add(1, Relaxed);
        Counted(self.0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if self.0.0.fetch_sub(1, Release) == 1 {
            fence(Acquire);
            self.0.1.end();
        }
    }
}

/// Does what the script says; what is left is dropped at the end.
fn perform<O: Owner>(acts: &[Act], owner: O, mut handles: Vec<JoinHandle<()>>) {
    let cell = owner.shared().cell;
    let mut owners = vec![owner];
    for act in acts {
        match act {
            Act::Clone => owners.extend(owners.last().cloned()),
            Act::Drop => {
                owners.last().inspect(|owner| owner.shared().look());
                drop(owners.pop());
            }
            Act::Join => drop(handles.pop().map(|handle| handle.join().unwrap())),
            Act::Use => {
                owners.last().inspect(|owner| owner.shared().change(me()));
            }
            Act::Intrude => cell.with(|_| ()),
        }
    }
}

fn run<O: Owner>(script: &Script, seen: Seen, asks: bool) {
    let owner = O::first(Shared::new(seen, asks));
    let mut handles: Vec<JoinHandle<()>> = Vec::new();
    for (index, (gets, acts)) in script.threads.iter().enumerate() {
        let (owner, acts) = (owner.clone(), acts.clone());
        let given = if *gets { handles.pop() } else { None };
        let named = thread::Builder::new().name((index + 1).to_string());
        let body = move || perform(&acts, owner, given.into_iter().collect());
        handles.push(named.spawn(body).unwrap());
    }
    perform(&script.main, owner, handles);
}

/// What the ends of the data have noted, and the result.
fn explore<O: Owner>(script: &Script, asks: bool) -> (u64, Outcome) {
    let seen: Seen = Box::leak(Box::new(AtomicU64::new(0)));
    let own = script.clone();
    let outcome = Builder::new().explore(move || run::<O>(&own, seen, asks));
    (seen.load(Relaxed), outcome)
}

/// The number of programs.
fn count() -> u64 {
    std::env::var("OWNERS_COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(150)
}

/// Which threads can be the last owner, and the number of executions.
fn last_owners<O: Owner>(script: &Script) -> (u64, u64) {
    let (seen, outcome) = explore::<O>(script, true);
    assert_eq!(outcome.verdict(), Verdict::Verified, "{script:?}\n{}", outcome.report());
    (seen, outcome.executions())
}

#[test]
fn any_owner_that_can_be_the_last_is() {
    let (count, mut n_fewer, mut n_several) = (count(), 0, 0);
    for seed in 0..count {
        let script = Random(seed).script(&[Act::Clone, Act::Drop, Act::Drop, Act::Join, Act::Join]);
        let ((last, executions), (expected, n_orders)) =
            (last_owners::<Arc<Shared>>(&script), last_owners::<Counted>(&script));
        assert_eq!(last, expected, "{seed}: {script:?}");
        assert!(last != 0 && executions <= n_orders, "{seed}: {executions} of {n_orders}, {script:?}");
        n_fewer += u32::from(executions < n_orders);
        n_several += u32::from(last.count_ones() > 1);
    }
    assert!(n_fewer > 0 && n_several > 0, "{n_fewer} {n_several}");
    println!("{count} programs, {n_fewer} with fewer executions, {n_several} with several last owners");
}

#[test]
fn an_end_in_any_thread_sees_the_same() {
    let (count, mut n_wrong, mut n_single, mut n_several) = (2 * count(), 0, 0, 0);
    for seed in 0..count {
        let known = [Act::Clone, Act::Drop, Act::Drop, Act::Join, Act::Use, Act::Use];
        let mut random = Random(seed);
        let mut script = random.script(&known);
        // With three threads, all orders of drops and uses are too many.
        script.threads.truncate(2);
        if random.below(4) == 0 {
            let acts = match random.below(script.threads.len() as u64 + 1) as usize {
                0 => &mut script.main,
                nth => &mut script.threads[nth - 1].1,
            };
            acts.insert(random.below(acts.len() as u64 + 1) as usize, Act::Intrude);
        }
        let ((seen, found), (expected, all)) =
            (explore::<Arc<Shared>>(&script, false), explore::<Counted>(&script, false));
        let reports = || format!("{seed}: {script:?}\n{}\n{}", found.report(), all.report());
        assert_eq!(found.verdict(), all.verdict(), "{}", reports());
        if all.verdict() == Verdict::Violation {
            n_wrong += 1;
            continue;
        }
        assert_eq!(seen, expected, "{}", reports());
        assert!(found.executions() <= all.executions(), "{}", reports());
        n_single += u32::from(found.executions() == 1 && all.executions() > 1);
        n_several += u32::from(seen.count_ones() > 1);
    }
    assert!(n_wrong > 0 && n_single > 0 && n_several > 0, "{n_wrong} {n_single} {n_several}");
    println!(
        "{count} programs, {n_wrong} wrong, {n_single} with one execution, {n_several} with several ends"
    );
}
