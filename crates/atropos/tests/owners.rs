//! Random programs that share data: the same threads can be the last owner as with a count that is nothing but an atomic,
//! and nothing races with the end of the data.

use atropos::cell::UnsafeCell;
use atropos::sync::Arc;
use atropos::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*, fence};
use atropos::thread::{self, JoinHandle};
use atropos::{Builder, Verdict};
use std::sync::atomic::AtomicU64;

/// What a thread does with its owners and with the handles that it has got.
#[derive(Clone, Copy, Debug)]
enum Act {
    Clone,
    Drop,
    Join,
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

    fn acts(&mut self) -> Vec<Act> {
        let n = 1 + self.below(3);
        (0..n)
            .map(|_| [Act::Clone, Act::Drop, Act::Drop, Act::Join, Act::Join][self.below(5) as usize])
            .collect()
    }

    fn script(&mut self) -> Script {
        let main = self.acts();
        let n_threads = 1 + self.below(3);
        Script { main, threads: (0..n_threads).map(|_| (self.below(2) == 0, self.acts())).collect() }
    }
}

/// The threads that were the last owner in some execution, as bits.
type Seen = &'static AtomicU64;

/// The data. Its end reads what all owners have written.
struct Shared {
    uses: AtomicU32,
    cell: UnsafeCell<u32>,
    seen: Seen,
    me: fn() -> usize,
}

impl Shared {
    fn new(seen: Seen, me: fn() -> usize) -> Shared {
        Shared { uses: AtomicU32::new(0), cell: UnsafeCell::new(0), seen, me }
    }

    fn look(&self) {
        self.cell.with(|_| ());
    }

    fn end(&self) {
        self.uses.fetch_add(1, Relaxed);
        self.cell.with_mut(|_| ());
        self.seen.fetch_or(1 << (self.me)(), Relaxed);
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.end();
    }
}

/// An owner of the data, of whichever kind.
trait Owner: Clone + 'static {
    fn first(shared: Shared) -> Self;
    fn look(&self);
}

impl Owner for Arc<Shared> {
    fn first(shared: Shared) -> Self {
        Arc::new(shared)
    }

    fn look(&self) {
        Shared::look(self);
    }
}

/// An owner with a count of its own.
struct Counted(&'static (AtomicUsize, Shared));

impl Owner for Counted {
    fn first(shared: Shared) -> Self {
        Counted(Box::leak(Box::new((AtomicUsize::new(1), shared))))
    }

    fn look(&self) {
        self.0.1.look();
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
    let mut owners = vec![owner];
    for act in acts {
        match act {
            Act::Clone => owners.extend(owners.last().cloned()),
            Act::Drop => {
                owners.last().inspect(|owner| owner.look());
                drop(owners.pop());
            }
            Act::Join => drop(handles.pop().map(|handle| handle.join().unwrap())),
        }
    }
}

fn run<O: Owner>(script: &Script, seen: Seen) {
    let numbered: fn() -> usize = || {
        let name = thread::current().name().map_or(0, |name| name.parse::<usize>().unwrap_or(0));
        name.min(63)
    };
    let owner = O::first(Shared::new(seen, numbered));
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

/// Which threads can be the last owner, and the number of executions.
fn explore<O: Owner>(script: &Script) -> (u64, u64) {
    let seen: Seen = Box::leak(Box::new(AtomicU64::new(0)));
    let own = script.clone();
    let outcome = Builder::new().explore(move || run::<O>(&own, seen));
    assert_eq!(outcome.verdict(), Verdict::Verified, "{script:?}\n{}", outcome.report());
    (seen.load(Relaxed), outcome.executions())
}

#[test]
fn any_owner_that_can_be_the_last_is() {
    let count = std::env::var("OWNERS_COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let (mut n_fewer, mut n_several) = (0, 0);
    for seed in 0..count {
        let script = Random(seed).script();
        let ((last, executions), (expected, n_orders)) =
            (explore::<Arc<Shared>>(&script), explore::<Counted>(&script));
        assert_eq!(last, expected, "{seed}: {script:?}");
        assert!(last != 0 && executions <= n_orders, "{seed}: {executions} of {n_orders}, {script:?}");
        n_fewer += u32::from(executions < n_orders);
        n_several += u32::from(last.count_ones() > 1);
    }
    assert!(n_fewer > 0 && n_several > 0, "{n_fewer} {n_several}");
    println!("{count} programs, {n_fewer} with fewer executions, {n_several} with several last owners");
}
