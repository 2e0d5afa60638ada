//! Loops that only wait: a thread that returns to a read in exactly the same state, without having changed anything,
//! will do so again until another thread writes. It blocks instead.
//!
//! The state of a thread is its stack from the frame of the user's code upwards, with the registers that survive calls.
//! Memory outside of the stack that is not modelled does not count. So a loop whose only progress is a counter in a
//! plain variable on the heap would be mistaken for one that waits.
//!
//! Some loops wait and do write: a task that cannot register its waker wakes itself, and tries again. If a thread pauses
//! ([`pause`]) after it has done exactly the same [`MOST_ROUNDS`] times, with the same results, and its stack is the same
//! each time, it goes no further: in other executions it sees something new earlier. Again, memory outside of the stack
//! does not count, because what is there may depend on other threads.
//!
//! A stack also holds what the program has not written, and what depends on more than the values that the thread has read,
//! such as the place of a buffer for messages. So two looks at the same state may differ. Whether a thread goes on is
//! decided once for each point of its past; when it comes there again, it does the same ([`Context::known_step`]).
//!
//! Keeping a copy of the stack at each read would be slow, and most reads are not in such a loop. So runs learn the
//! places where a thread reads the same bytes twice without a change in between ([`crate::lessons`]), and make copies
//! only there.

use crate::context::{Context, Where, is_inside, with};
use crate::object::{Object, is_unnamed};
use crate::retry;
use crate::run::source_of;
use crate::{heap, lessons, perform};
use atropos_event::{Access, BlockReason, Label, Step, Value};
use rustc_hash::FxHasher;
use std::arch::naked_asm;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// What a thread has read since it last changed something.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    n_reads: u32,
    visits: Vec<Visit>,
    /// The states at visits.
    stacks: Vec<u8>,
    rounds: Rounds,
}

/// Moments are copied often, into room that is there already.
impl Clone for Idle {
    fn clone(&self) -> Self {
        let mut copy = Idle::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        let Idle { n_reads, visits, stacks, rounds: Rounds { hash, pauses } } = other;
        (self.n_reads, self.rounds.hash) = (*n_reads, *hash);
        self.visits.clone_from(visits);
        self.stacks.clone_from(stacks);
        self.rounds.pauses.clone_from(pauses);
    }
}

/// What a thread has done since its last pause, and before.
#[derive(Debug, Default)]
struct Rounds {
    hash: u64,
    pauses: Vec<Pause>,
}

/// A pause, with what the thread had done since the one before.
#[derive(Clone, Copy, Debug)]
struct Pause {
    place: usize,
    hash: u64,
    /// A hash of the stack.
    stack: u64,
    /// How often everything since the last pause at this place has happened, one after the other.
    n_rounds: u32,
}

/// How often a thread may do the same.
pub(crate) const MOST_ROUNDS: u32 = 16;

/// How many pauses are remembered.
const MOST_PAUSES: usize = 32;

#[derive(Clone, Debug)]
struct Visit {
    place: usize,
    access: Access,
    /// The number of reads before it.
    n_reads: u32,
    /// Where the stack began, and the place of its copy in `stacks`.
    state: Option<(usize, Range<usize>)>,
}

enum Next {
    Read,
    Learn,
    Block { reads: u32 },
}

impl Idle {
    /// The thread has changed something.
    #[inline]
    pub fn clear(&mut self) {
        if self.n_reads != 0 {
            self.n_reads = 0;
            self.visits.clear();
            self.stacks.clear();
        }
    }

    /// The thread begins anew.
    pub fn reset(&mut self) {
        self.clear();
        self.rounds.hash = 0;
        self.rounds.pauses.clear();
    }

    /// The thread has performed `label`.
    #[inline]
    pub fn note(&mut self, label: Label, answer: Value) {
        let (addr, value) = match label {
            Label::Read { access, .. } => (access.addr.0, 1),
            Label::Write { access, value, .. } => (access.addr.0, value ^ 2),
            Label::Begin
            | Label::End
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Join { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => (0, 3),
        };
        let mut hasher = FxHasher::default();
        (self.rounds.hash, addr, value, answer).hash(&mut hasher);
        self.rounds.hash = hasher.finish();
    }
}

impl Rounds {
    /// The last pause at this place, if all that the thread has done since is what it had done before that pause. Now it
    /// pauses again.
    fn last_alike(&self, place: usize, hash: u64) -> Option<Pause> {
        let last = self.pauses.iter().rposition(|pause| pause.place == place)?;
        let (before, since) = self.pauses.split_at(last + 1);
        let length = since.len() + 1;
        let round = since.iter().map(|pause| (pause.place, pause.hash)).chain([(place, hash)]);
        let earlier = before.len().checked_sub(length).map(|start| &before[start..]);
        let is_again =
            earlier.is_some_and(|earlier| earlier.iter().map(|pause| (pause.place, pause.hash)).eq(round));
        is_again.then_some(self.pauses[last])
    }

    fn add(&mut self, pause: Pause) {
        if self.pauses.len() == MOST_PAUSES {
            self.pauses.remove(0);
        }
        self.pauses.push(pause);
    }
}

/// The running thread is about to read the object of `size` bytes at `place`. Does not return if the thread would wait
/// forever.
///
/// This is inlined into the user's code, whose frame is compared. The frame must not hold anything of the library, so
/// only numbers are passed.
#[inline(always)]
pub(crate) fn visit(object: &Object, size: u8, place: Where) {
    enter(object, u64::from(size), place);
}

/// The running thread lets others continue. Does not return if it does the same too often.
#[inline(always)]
pub(crate) fn pause(place: Where) {
    enter(std::ptr::null(), 0, place);
}

/// Pushes the registers that survive calls, so that they are part of the stack from the caller's frame upwards, and
/// calls [`look`].
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
extern "C" fn enter(object: *const Object, size: u64, place: Where) {
    naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov rcx, rsp",
        "sub rsp, 8",
        "call {look}",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
        look = sym look,
    )
}

/// As above.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
extern "C" fn enter(object: *const Object, size: u64, place: Where) {
    naked_asm!(
        "stp x29, x30, [sp, #-16]!",
        "stp x19, x20, [sp, #-16]!",
        "stp x21, x22, [sp, #-16]!",
        "stp x23, x24, [sp, #-16]!",
        "stp x25, x26, [sp, #-16]!",
        "stp x27, x28, [sp, #-16]!",
        "stp d8, d9, [sp, #-16]!",
        "stp d10, d11, [sp, #-16]!",
        "stp d12, d13, [sp, #-16]!",
        "stp d14, d15, [sp, #-16]!",
        "mov x3, sp",
        "bl {look}",
        "ldp d14, d15, [sp], #16",
        "ldp d12, d13, [sp], #16",
        "ldp d10, d11, [sp], #16",
        "ldp d8, d9, [sp], #16",
        "ldp x27, x28, [sp], #16",
        "ldp x25, x26, [sp], #16",
        "ldp x23, x24, [sp], #16",
        "ldp x21, x22, [sp], #16",
        "ldp x19, x20, [sp], #16",
        "ldp x29, x30, [sp], #16",
        "ret",
        look = sym look,
    )
}

extern "C" fn look(object: *const Object, size: u64, place: Where, stack: usize) {
    if is_inside() && with(|context| context.running().is_probing()) {
        return;
    }
    let key = std::ptr::from_ref(place) as usize;
    // SAFETY: it is the object that the thread is about to read, if there is one.
    let Some(object) = (unsafe { object.as_ref() }) else {
        if is_inside() && with(|context| context.is_same_round(key, stack)) {
            heap::outside(|| with(|context| context.shared().note_cut(source_of(place))));
            perform::block(BlockReason::Bound, place);
        }
        return;
    };
    let access = object.access(size as u8);
    if retry::is_left_alone(retry::Arrival { place: key, access, stack }, place) {
        return;
    }
    match with(|context| context.visit(key, access, stack)) {
        Next::Read => {}
        Next::Learn => lessons::learn(|lessons| lessons.loops.extend([key]), place),
        Next::Block { reads } => perform::block(BlockReason::Spin { reads }, place),
    }
}

impl Context {
    /// What the running thread does next, if the explorer knows it. A thread does the same again, even if its stack holds
    /// something else where the program has not written, or where other threads have left their traces.
    fn known_step(&mut self) -> Option<Step> {
        let at = self.running().at;
        self.point(at).step
    }

    fn visit(&mut self, place: usize, access: Access, stack: usize) -> Next {
        let is_loop = self.learning.lessons.loops.contains(&place);
        let end = self.stack_end();
        let decided = self.known_step().map(|step| matches!(step, Step::Blocked(BlockReason::Spin { .. })));
        let Idle { n_reads, visits, stacks, .. } = &mut self.running().idle;
        *n_reads += 1;
        let known = visits.iter_mut().find(|visit| visit.place == place && visit.access == access);
        let Some(known) = known else {
            return heap::outside(|| {
                let state = is_loop.then(|| (stack, copy(stacks, stack..end)));
                visits.push(Visit { place, access, n_reads: *n_reads - 1, state });
                Next::Read
            });
        };
        let Some((begin, copied)) = &known.state else { return Next::Learn };
        // SAFETY: the stack of the running thread, which does not change meanwhile.
        let now = unsafe { std::slice::from_raw_parts(stack as *const u8, end - stack) };
        if decided.unwrap_or_else(|| *begin == stack && is_same(&stacks[copied.clone()], now)) {
            return Next::Block { reads: *n_reads - 1 - known.n_reads };
        }
        known.n_reads = *n_reads - 1;
        known.state = Some((stack, heap::outside(|| copy(stacks, stack..end))));
        Next::Read
    }
}

impl Context {
    /// The running thread pauses. Whether it has done the same too often.
    fn is_same_round(&mut self, place: usize, stack: usize) -> bool {
        let mut hasher = FxHasher::default();
        // SAFETY: the stack of the running thread, which does not change meanwhile.
        let frames = unsafe { std::slice::from_raw_parts(stack as *const u8, self.stack_end() - stack) };
        hasher.write(frames);
        let stack = hasher.finish();
        let decided = self.known_step().map(|step| step == Step::Blocked(BlockReason::Bound));
        let rounds = &mut self.running().idle.rounds;
        let hash = std::mem::take(&mut rounds.hash);
        let before = rounds.last_alike(place, hash).filter(|before| before.stack == stack);
        let n_rounds = before.map_or(1, |before| before.n_rounds + 1);
        heap::outside(|| rounds.add(Pause { place, hash, stack, n_rounds }));
        decided.unwrap_or(n_rounds >= MOST_ROUNDS)
    }
}

/// Whether the stack is unchanged. Another thread may have named objects on it.
fn is_same(before: &[u8], now: &[u8]) -> bool {
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    let words = before.chunks_exact(8).zip(now.chunks_exact(8));
    words.into_iter().all(|(before, now)| before == now || is_unnamed(word(before)))
}

/// Appends the bytes at these addresses of the running thread's stack; returns where they are now.
fn copy(stacks: &mut Vec<u8>, stack: Range<usize>) -> Range<usize> {
    let start = stacks.len();
    // SAFETY: the stack of the running thread, which does not change meanwhile.
    stacks.extend_from_slice(unsafe { std::slice::from_raw_parts(stack.start as *const u8, stack.len()) });
    start..stacks.len()
}
