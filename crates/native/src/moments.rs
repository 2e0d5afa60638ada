//! Moments of an execution to which a run can return, instead of repeating everything before them.
//!
//! A moment is a copy of all memory of the model threads, and of what the run knows about them, while none of them runs.
//! Explorers mostly go back a little, so a run keeps a moment where it has just repeated much, right before the last
//! answer. A moment is of use as long as all points that its threads had reached are on the way to the explorer's
//! positions ([`crate::run`]).

use crate::arena::Bounds;
use crate::context::{Body, Context, ModelThread, Panics};
use crate::copies::Copies;
use crate::fiber::{self, Exit, Fiber};
use crate::heap::Heap;
use crate::idle::Idle;
use crate::library::Library;
use crate::system_locals;
use crate::tracked::Tracked;
use atropos_event::{Position, ThreadId};
use rustc_hash::FxHashMap;
use std::ptr;

/// How many moments a run keeps.
const MOST: usize = 16;
/// It must have repeated at least this many answers, and more if there is much memory to copy.
const LEAST: usize = 10;
const BYTES_PER_ANSWER: usize = 512;

/// The moments that a run keeps.
#[derive(Default)]
pub(crate) struct Moments {
    kept: Vec<Moment>,
    /// Those that are not needed any more, for their room.
    spare: Vec<Moment>,
    /// Counts uses.
    now: u64,
}

#[derive(Default)]
struct Moment {
    /// The first ones are of threads; the others are spare.
    threads: Vec<Standing>,
    n_threads: usize,
    heaps: Vec<(usize, Heap)>,
    /// Pieces of memory: where they start, and their sizes.
    pieces: Vec<(usize, usize)>,
    /// Their content, one after the other.
    bytes: Vec<u8>,
    generations: FxHashMap<u64, u64>,
    copies: Copies,
    tracked: Tracked,
    n_answers: usize,
    used: u64,
}

/// A thread that existed, or was about to.
struct Standing {
    thread: ThreadId,
    exists: bool,
    at: Position,
    n_children: u64,
    n_unwinding: u32,
    n_catching: u32,
    idle: Idle,
    library: Library,
    body: Option<Body>,
    exit: *const Exit,
    fiber: Option<Fiber>,
    stack: usize,
    /// Where the part of its stack that is kept begins.
    kept: usize,
}

impl Moments {
    /// Points from `mark` on are gone.
    pub fn release(&mut self, mark: Position) {
        let is_gone = |moment: &mut Moment| moment.standings().iter().any(|standing| standing.at >= mark);
        self.spare.extend(self.kept.extract_if(.., is_gone));
    }

    /// The latest moment for which `is_on_way` holds.
    fn best(&mut self, is_on_way: impl Fn(&Moment) -> bool) -> Option<usize> {
        let on_way = (0..self.kept.len()).filter(|&index| is_on_way(&self.kept[index]));
        let best = on_way.max_by_key(|&index| self.kept[index].n_answers);
        self.now += 1;
        self.kept[best?].used = self.now;
        best
    }

    /// Room for one more, in place of the one that was not used for the longest time.
    fn take_room(&mut self) -> Moment {
        self.now += 1;
        if self.kept.len() < MOST {
            return self.spare.pop().unwrap_or_default();
        }
        let oldest = (0..self.kept.len()).min_by_key(|&index| self.kept[index].used);
        self.kept.swap_remove(oldest.expect("there are some"))
    }
}

impl Moment {
    fn standings(&self) -> &[Standing] {
        &self.threads[..self.n_threads]
    }

    fn add(&mut self, thread: ThreadId, known: &ModelThread, kept: usize) {
        match self.threads.get_mut(self.n_threads) {
            Some(standing) => standing.note(thread, known, kept),
            None => {
                let mut standing = Standing::of(thread);
                standing.note(thread, known, kept);
                self.threads.push(standing);
            }
        }
        self.n_threads += 1;
    }

    fn keep(&mut self, start: usize, end: usize) {
        self.pieces.push((start, end - start));
        // SAFETY: memory of the model, which no thread uses now.
        self.bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(start as *const u8, end - start) });
    }

    /// Makes memory what it was.
    fn restore_memory(&self) {
        let mut rest = &self.bytes[..];
        for &(start, size) in &self.pieces {
            let (piece, after) = rest.split_at(size);
            // SAFETY: memory of the model, which no thread uses now.
            unsafe { ptr::copy_nonoverlapping(piece.as_ptr(), start as *mut u8, size) };
            rest = after;
        }
    }
}

impl Standing {
    fn of(thread: ThreadId) -> Standing {
        Standing {
            thread,
            exists: false,
            at: Position(0),
            n_children: 0,
            n_unwinding: 0,
            n_catching: 0,
            idle: Idle::default(),
            library: Library::default(),
            body: None,
            exit: ptr::null(),
            fiber: None,
            stack: 0,
            kept: 0,
        }
    }

    fn note(&mut self, thread: ThreadId, known: &ModelThread, kept: usize) {
        (self.thread, self.exists, self.kept) = (thread, known.exists, kept);
        self.at = if known.exists { known.at } else { Position(0) };
        self.n_children = known.n_children;
        (self.n_unwinding, self.n_catching) = (known.panics.n_unwinding, known.panics.n_catching);
        self.idle.clone_from(&known.idle);
        self.library.clone_from(&known.library);
        (self.body, self.exit, self.stack) = (known.body, known.exit, known.stack);
        self.fiber = known.fiber.as_ref().map(Fiber::duplicate);
    }
}

impl ModelThread {
    fn restore(&mut self, standing: &Standing) {
        (self.exists, self.at, self.n_children) = (standing.exists, standing.at, standing.n_children);
        let (n_unwinding, n_catching) = (standing.n_unwinding, standing.n_catching);
        self.panics = Panics { n_unwinding, n_catching, fatal: None };
        self.idle.clone_from(&standing.idle);
        self.library.clone_from(&standing.library);
        (self.body, self.exit, self.stack) = (standing.body, standing.exit, standing.stack);
        self.fiber = standing.fiber.as_ref().map(Fiber::duplicate);
    }
}

impl Context {
    /// Whether it is worth keeping a moment before the last of `n` answers.
    pub fn is_moment_due(&self, n: usize) -> bool {
        n > LEAST && n > LEAST + self.n_allocated() / BYTES_PER_ANSWER
    }

    /// Keeps the present moment, if possible; returns whether it is. No thread runs.
    pub fn keep_moment(&mut self) -> bool {
        let is_panicking = self.threads.iter().any(|thread| thread.panics.fatal.is_some());
        if is_panicking || self.divergence.is_some() || self.learning.is_over {
            return false;
        }
        let mut moment = self.moments.take_room();
        moment.n_threads = 0;
        moment.heaps.clear();
        moment.pieces.clear();
        moment.bytes.clear();
        for index in 0..self.threads.len() {
            let thread = ThreadId::new(index);
            let known = &self.threads[index];
            if !known.exists && known.body.is_none() {
                continue;
            }
            let bounds = self.open(thread).0;
            let known = &self.threads[index];
            let has_stack = known.fiber.is_some();
            let stack = if has_stack { fiber::first_used(known.stack, bounds.guard) } else { bounds.stack };
            moment.keep(stack, bounds.stack);
            moment.add(thread, known, stack);
        }
        for (region, heap) in self.heaps() {
            moment.heaps.push((region, heap));
            moment.keep(heap.range().start, heap.range().end);
        }
        self.names.copies.each(|start, end| moment.keep(start, end));
        if let Some(locals) = system_locals::range() {
            moment.keep(locals.start, locals.end);
        }
        moment.generations.clone_from(self.names.generations());
        moment.copies.clone_from(&self.names.copies);
        moment.tracked.clone_from(&self.tracked);
        (moment.n_answers, moment.used) = (self.n_answers, self.moments.now);
        self.moments.kept.push(moment);
        true
    }

    /// Returns to the moment that was kept last.
    pub fn return_to_latest_moment(&mut self) {
        let moments = std::mem::take(&mut self.moments);
        self.restore(moments.kept.last().expect("a moment was kept"));
        self.moments = moments;
    }

    /// Returns to the latest moment on the way to the explorer's positions, which the script has; returns whether there
    /// is one.
    pub fn return_to_moment(&mut self) -> bool {
        let mut moments = std::mem::take(&mut self.moments);
        let best = moments.best(|moment| {
            moment.standings().iter().all(|standing| {
                !standing.exists
                    || self.script.way.get(standing.at.0 as usize) == Some(&Some(standing.thread))
            })
        });
        if let Some(index) = best {
            self.restore(&moments.kept[index]);
        }
        self.moments = moments;
        best.is_some()
    }

    fn restore(&mut self, moment: &Moment) {
        self.abandon_threads();
        for standing in moment.standings() {
            let Bounds { guard, .. } = self.open(standing.thread).0;
            if standing.fiber.is_some() {
                fiber::clear_below(standing.kept, guard);
            }
            self.thread(standing.thread).restore(standing);
        }
        self.restore_heaps(&moment.heaps);
        moment.restore_memory();
        self.names.restore(&moment.generations, &moment.copies);
        self.tracked.clone_from(&moment.tracked);
        self.n_answers = moment.n_answers;
    }
}
