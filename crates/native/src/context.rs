//! The state of one run, which the explorer's side ([`crate::run`]) and the threads' side ([`crate::perform`]) share.
//!
//! Code on different stacks changes it. So no code holds a reference to it while control changes: the explorer's side
//! has a raw pointer, and the threads' side takes the pointer anew each time ([`with`]).

use crate::arena::{self, Arena, Bounds, REGIONS};
use crate::fiber::{Exit, Fiber};
use crate::heap::{self, Heap};
use crate::idle::Idle;
use crate::lessons::Learning;
use crate::library::Library;
use crate::moments::Moments;
use crate::names::Names;
use crate::perform;
use crate::quiet::Past;
use crate::retry::Trial;
use crate::shared::{Shared, lock};
use crate::spread::NoNumber;
use crate::system_locals;
use crate::tracked::Tracked;
use atropos_event::{Position, Refusal, SourceLocation, Step, ThreadId, ThreadKey, Value, Violation};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::panic::Location;
use std::ptr;

/// A place in the source of the program.
pub(crate) type Where = &'static Location<'static>;

thread_local! {
    /// The context of the run whose code runs now; null outside of a model.
    static CURRENT: Cell<*mut Context> = const { Cell::new(ptr::null_mut()) };
}

/// One point of a thread's past.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// The previous point and the answer that led here; `None` before the thread's first label.
    pub before: Option<(Position, Value)>,
    /// What the thread does here; `None` if the explorer has not asked yet.
    pub step: Option<Step>,
    pub place: Option<Where>,
}

/// An answer to give again, and the point to which it leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cue {
    pub at: Position,
    pub thread: ThreadId,
    pub answer: Value,
}

/// The answers to give again, in order.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub cues: Vec<Cue>,
    /// Threads whose answers are still to be collected.
    pub todo: Vec<ThreadId>,
    /// Every point on the way to the explorer's positions has its thread here, by position.
    pub way: Vec<Option<ThreadId>>,
    n_played: usize,
    /// Where to stop.
    end: usize,
}

impl Script {
    pub fn clear(&mut self) {
        self.cues.clear();
        self.stop_before(0);
        self.n_played = 0;
    }

    /// Stops before the last `n` answers.
    pub fn stop_before(&mut self, n: usize) {
        self.end = self.cues.len() - n;
    }

    #[inline]
    fn next(&self) -> Option<Cue> {
        self.cues[..self.end].get(self.n_played).copied()
    }
}

/// What a thread runs.
#[derive(Clone, Copy)]
pub(crate) enum Body {
    Main(*const (dyn Fn() + Sync)),
    /// A box. It is in memory that is reset as a whole.
    Child(*mut dyn FnOnce()),
}

/// A model thread that this run has seen.
pub(crate) struct ModelThread {
    pub key: ThreadKey,
    /// Whether it was created in the current execution.
    pub exists: bool,
    /// The point that it has reached.
    pub at: Position,
    /// The point that the explorer wants it to reach.
    pub wanted: Position,
    pub n_children: u64,
    pub panics: Panics,
    pub idle: Idle,
    pub library: Library,
    pub body: Option<Body>,
    pub exit: *const Exit,
    /// An address on its stack, little above everything that it needs to continue.
    pub stack: usize,
    pub fiber: Option<Fiber>,
    region: usize,
}

impl ModelThread {
    pub fn region(&self) -> usize {
        self.region
    }

    /// Whether it runs a destructor of data whose drops are no events.
    #[inline]
    pub fn is_probing(&self) -> bool {
        !self.library.probes.is_empty()
    }
}

/// The panics that unwind a thread.
#[derive(Debug, Default)]
pub(crate) struct Panics {
    pub n_unwinding: u32,
    /// The number of calls that would catch a panic.
    pub n_catching: u32,
    /// The panic that no call catches.
    pub fatal: Option<Failure>,
}

/// A thread that did something else than the first time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divergence {
    pub thread: ThreadId,
    /// What it did the first time, and now.
    pub steps: [Step; 2],
    pub place: Where,
}

/// Why a thread cannot continue.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub cause: FailureCause,
    /// The place, if it is not that of the step.
    pub source: Option<SourceLocation>,
}

#[derive(Clone, Debug)]
pub(crate) enum FailureCause {
    Violation(Violation),
    Refusal(Box<Refusal>),
}

/// The memory of all threads.
struct Space {
    arena: Option<Arena>,
    heaps: Box<[Option<Heap>]>,
    /// The regions that have a heap.
    used: Vec<usize>,
}

pub(crate) struct Context {
    pub points: Vec<Point>,
    pub threads: Vec<ModelThread>,
    ids: FxHashMap<ThreadKey, ThreadId>,
    pub current: ThreadId,
    pub script: Script,
    memory: Space,
    /// Why threads cannot continue, by point.
    pub failures: Vec<(Position, Failure)>,
    /// How the program differs from the first time, if it does.
    pub divergence: Option<Divergence>,
    pub names: Names,
    pub tracked: Tracked,
    pub learning: Learning,
    pub moments: Moments,
    pub trial: Trial,
    /// By point: whether another execution stands for one in which a thread has come there and goes on.
    pub retries: Vec<(Position, bool)>,
    /// What the execution at the explorer's positions consists of, if a destructor has asked: see [`crate::quiet`].
    pub past: Past,
    /// How many answers the live execution has got.
    pub n_answers: usize,
    shared: *const Shared,
}

impl Context {
    /// A context with the main thread, which has not started.
    pub fn new(shared: &Shared) -> Context {
        let mut context = Context {
            points: vec![Point { before: None, step: None, place: None }],
            threads: Vec::new(),
            ids: FxHashMap::default(),
            current: ThreadId::MAIN,
            script: Script::default(),
            memory: Space {
                arena: Some(Arena::take(shared.common.clone())),
                heaps: vec![None; REGIONS].into(),
                used: Vec::new(),
            },
            failures: Vec::new(),
            divergence: None,
            names: Names::default(),
            tracked: Tracked::default(),
            learning: Learning { lessons: lock(&shared.lessons).clone(), is_over: false },
            moments: Moments::default(),
            trial: Trial::default(),
            retries: Vec::new(),
            past: Past::default(),
            n_answers: 0,
            shared,
        };
        system_locals::save();
        context.enter(ThreadKey::MAIN).expect("a region for the main thread");
        context.reset();
        context
    }

    pub fn shared(&self) -> &Shared {
        // SAFETY: the program outlives its runs.
        unsafe { &*self.shared }
    }

    #[inline]
    pub fn arena(&mut self) -> &mut Arena {
        self.memory.arena.as_mut().expect("a live context has an arena")
    }

    /// The memory for copies of data that outlives executions.
    pub fn statics(&mut self) -> usize {
        self.arena().open(arena::STATICS).heap
    }

    #[inline]
    pub fn thread(&mut self, thread: ThreadId) -> &mut ModelThread {
        &mut self.threads[thread.index()]
    }

    /// The running thread.
    #[inline]
    pub fn running(&mut self) -> &mut ModelThread {
        self.thread(self.current)
    }

    #[inline]
    pub fn point(&mut self, position: Position) -> &mut Point {
        &mut self.points[position.0 as usize]
    }

    /// The number of the thread with this key.
    ///
    /// # Errors
    /// If there are too many threads, or runs must learn of this one first.
    pub fn enter(&mut self, key: ThreadKey) -> Result<ThreadId, NoNumber> {
        if let Some(&known) = self.ids.get(&key) {
            return Ok(known);
        }
        let region = match self.shared().is_spread {
            true => self.learning.lessons.numbers.region_of(key)?,
            false => self.shared().region_of(key)?,
        };
        let id = ThreadId::new(self.threads.len());
        self.threads.push(ModelThread {
            key,
            exists: false,
            at: Position(0),
            wanted: Position(0),
            n_children: 0,
            panics: Panics::default(),
            idle: Idle::default(),
            library: Library::default(),
            body: None,
            exit: ptr::null(),
            stack: 0,
            fiber: None,
            region,
        });
        self.ids.insert(key, id);
        Ok(id)
    }

    /// Records that the running thread has reached `step`. Returns the answer if the script has it.
    #[inline]
    pub fn reach(&mut self, step: Step, place: Where) -> Option<Value> {
        let at = self.running().at;
        let point = self.point(at);
        match point.step {
            None => (point.step, point.place) = (Some(step), Some(place)),
            Some(known) if known == step => {}
            Some(known) => {
                self.divergence = Some(Divergence { thread: self.current, steps: [known, step], place });
                return None;
            }
        }
        let cue = self.script.next().filter(|cue| cue.thread == self.current)?;
        self.play_cue(cue);
        Some(cue.answer)
    }

    /// A thread gets its answer.
    #[inline]
    fn play_cue(&mut self, Cue { at, thread, .. }: Cue) {
        self.script.n_played += 1;
        self.n_answers += 1;
        self.thread(thread).at = at;
    }

    /// The next answer of the script.
    #[inline]
    fn next_cue(&mut self) -> Option<Cue> {
        if self.divergence.is_some() || matches!(self.trial, Trial::Wanted(_)) {
            return None;
        }
        let cue = self.script.next()?;
        self.play_cue(cue);
        Some(cue)
    }

    /// Abandons all threads: only the main one exists, and has not started.
    pub fn reset(&mut self) {
        self.abandon_threads();
        system_locals::restore();
        let Space { heaps, used, .. } = &mut self.memory;
        used.iter().for_each(|&region| heaps[region].as_mut().expect("it has one").reset());
        self.names.reset();
        self.tracked.reset();
        let main = self.thread(ThreadId::MAIN);
        (main.exists, main.at) = (true, Position(0));
        self.n_answers = 0;
    }

    pub fn abandon_threads(&mut self) {
        for thread in self.threads.iter_mut().filter(|thread| thread.exists || thread.body.is_some()) {
            (thread.fiber, thread.body) = (None, None);
            (thread.exists, thread.n_children) = (false, 0);
            thread.panics = Panics::default();
            thread.library.clear();
            thread.idle.reset();
        }
    }

    /// The heaps in use, with their regions.
    pub fn heaps(&self) -> impl Iterator<Item = (usize, Heap)> {
        let Space { heaps, used, .. } = &self.memory;
        used.iter().map(|&region| (region, heaps[region].expect("it has one")))
    }

    /// The number of bytes on heaps.
    pub fn n_allocated(&self) -> usize {
        self.heaps().map(|(_, heap)| heap.range().len()).sum()
    }

    /// Makes the heaps what they were earlier, apart from their content.
    pub fn restore_heaps(&mut self, earlier: &[(usize, Heap)]) {
        let Space { heaps, used, .. } = &mut self.memory;
        // Regions are only added, at the end.
        for (nth, &region) in used.iter().enumerate() {
            let heap = heaps[region].as_mut().expect("it has one");
            match earlier.get(nth) {
                Some(&(_, earlier)) => heap.restore(earlier),
                None => heap.reset(),
            }
        }
    }

    #[inline]
    pub fn open(&mut self, thread: ThreadId) -> (Bounds, *mut Heap) {
        let region = self.thread(thread).region;
        let bounds = self.arena().open(region);
        let Space { heaps, used, .. } = &mut self.memory;
        let heap = heaps[region].get_or_insert_with(|| {
            used.push(region);
            Heap::new(bounds)
        });
        (bounds, heap)
    }

    /// Readies `thread` to run.
    #[inline]
    fn take_fiber(&mut self, thread: ThreadId) -> (Fiber, *mut Heap) {
        self.current = thread;
        let (bounds, heap) = self.open(thread);
        let started = self.thread(thread).fiber.take();
        let fiber = started.unwrap_or_else(|| {
            let body = self.thread(thread).body.take().expect("a thread that runs was created");
            Fiber::new(bounds, move |exit| perform::run(body, exit))
        });
        (fiber, heap)
    }

    /// The end of the running thread's frames. What follows belongs to the coroutine.
    pub fn stack_end(&mut self) -> usize {
        self.running().exit as usize
    }

    pub fn failure_at(&self, position: Position) -> Option<&Failure> {
        self.failures.iter().rev().find(|(at, _)| *at == position).map(|(_, failure)| failure)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.reset();
        self.memory.arena.take().into_iter().for_each(Arena::give_back);
    }
}

/// Calls `f` with the context of the running thread. `f` must not transfer control.
///
/// # Panics
/// Outside of a model.
#[inline]
pub(crate) fn with<R>(f: impl FnOnce(&mut Context) -> R) -> R {
    let context = CURRENT.get();
    assert!(!context.is_null(), "outside of a model: what Atropos checks works inside `atropos::model` only");
    // SAFETY: it is the context of the run that executes this code, and no other code refers to it meanwhile.
    f(unsafe { &mut *context })
}

/// Whether the running code belongs to a model.
pub(crate) fn is_inside() -> bool {
    !CURRENT.get().is_null()
}

/// Gives the answers of the script, in order.
///
/// # Safety
/// `context` is valid, and there is no reference to it.
pub(crate) unsafe fn play(context: *mut Context) {
    // SAFETY: the caller's promise. The reference ends before control changes.
    while let Some(Cue { thread, answer, .. }) = unsafe { (*context).next_cue() } {
        // SAFETY: the caller's promise.
        unsafe { go(context, thread, answer) };
    }
}

/// Runs `thread` until it returns control.
///
/// # Safety
/// As for [`play`].
#[inline]
pub(crate) unsafe fn go(context: *mut Context, thread: ThreadId, answer: Value) {
    // SAFETY: the caller's promise. The reference ends before control changes.
    let (mut fiber, heap) = unsafe { (*context).take_fiber(thread) };
    CURRENT.set(context);
    heap::enter(heap);
    fiber.resume(answer);
    heap::leave();
    CURRENT.set(ptr::null_mut());
    // SAFETY: the caller's promise.
    unsafe { (*context).thread(thread).fiber = Some(fiber) };
}
