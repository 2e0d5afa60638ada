//! Closures behind the interface of explorers.
//!
//! A run has live threads, each somewhere in the middle of its code, and the explorer's positions of them. Usually both
//! agree: an answer makes one thread run to its next step. When the explorer goes back, live threads are ahead. Then
//! the **whole program** starts over, and all threads get their answers again in the order of their positions. That
//! order is a linearisation of program order and reads-from, so ordinary memory that threads share (behind a mutex, for
//! example) has the right content if its uses are free of races.
//!
//! A thread runs when the explorer asks for its next step, not when it gets an answer. This saves repetitions if the
//! explorer answers a thread and then goes back.

use crate::context::{self, Body, Context, Cue, Divergence, Failure, FailureCause, Point, Script};
use crate::heap;
use crate::idle::MOST_ROUNDS;
use crate::image::Common;
use crate::names;
use crate::shared::{Shared, lock};
use crate::spread;
use crate::unwinding;
use atropos_event::{
    Access, Addr, BoundedLoop, Initial, Label, Place, Position, Program, Refusal, RefusalReason, Run,
    SourceLocation, Step, ThreadId, ThreadKey, Value, Violation, WriteOrder,
};
use std::marker::PhantomData;
use std::panic::Location;

/// A closure as a program: the main thread runs it.
///
/// The closure runs many times, and must do the same whenever it gets the same answers.
///
/// This is one type for all closures, so that explorers are compiled once.
pub struct Native<'body> {
    body: &'body (dyn Fn() + Sync),
    shared: Shared,
}

impl<'body> Native<'body> {
    /// The program whose main thread runs `body`.
    ///
    /// # Panics
    /// If [`crate::ModelHeap`] is not the global allocator.
    pub fn new(body: &'body (dyn Fn() + Sync)) -> Native<'body> {
        assert!(
            heap::is_global(),
            "Atropos needs a global allocator of its own, and the program has another one: \
            declare `#[global_allocator] static HEAP: atropos::ModelHeap = atropos::ModelHeap;` instead"
        );
        unwinding::install_hook();
        Native { body, shared: Shared::new(Common::of(body)) }
    }

    /// The same program for a search that is spread over processes of the same executable.
    #[must_use]
    pub fn spread(mut self) -> Self {
        self.shared.is_spread = true;
        self
    }

    /// Where something was created that other processes do not have. A program that uses it cannot be checked by several
    /// processes, and another process cannot replay its executions.
    pub fn stray(&self) -> Option<SourceLocation> {
        self.shared.stray().map(source_of)
    }

    /// Everything that another process must know to replay an execution of this program, in words: see
    /// [`Program::recall`].
    pub fn knowledge(&self) -> String {
        lock(&self.shared.lessons).to_text(&self.shared.common)
    }

    /// The same program where time never runs out for a thread that waits, unless it does not want to wait at all.
    #[must_use]
    pub fn without_timeouts(mut self) -> Self {
        self.shared.has_timeouts = false;
        self
    }

    /// The same program, in which threads try again as often as they do in reality: see [`crate::retry`].
    #[must_use]
    pub fn with_retries(mut self) -> Self {
        self.shared.skips_retries = false;
        self
    }

    /// The same program for a machine with store buffers, which unlocking a mutex must drain.
    #[must_use]
    pub fn draining(mut self) -> Self {
        self.shared.unlock_order = WriteOrder::SeqCst;
        self
    }
}

impl Program for Native<'_> {
    fn start(&self) -> Box<dyn Run + '_> {
        let body: *const (dyn Fn() + Sync + '_) = self.body;
        // SAFETY: only the lifetime changes, and runs do not outlive the program.
        let body =
            unsafe { std::mem::transmute::<*const (dyn Fn() + Sync + '_), *const (dyn Fn() + Sync)>(body) };
        let context = Box::into_raw(Box::new(Context::new(&self.shared)));
        Box::new(NativeRun { context, body, has_started: false, is_stale: false, program: PhantomData })
    }

    fn has_hidden_memory(&self) -> bool {
        true
    }

    fn was_cut(&self) -> bool {
        !self.shared.cut().is_empty()
    }

    fn bounded_loops(&self) -> Vec<BoundedLoop> {
        let bounded = |source| {
            let place = Place { source: Some(source), ..Place::default() };
            BoundedLoop { place, times: MOST_ROUNDS }
        };
        self.shared.cut().into_iter().map(bounded).collect()
    }

    fn notes(&self) -> String {
        self.shared.cut().iter().map(|place| spread::cut_as_word(place) + " ").collect()
    }

    fn initial(&self, access: Access) -> Initial {
        match access.addr.0 {
            name if names::is_tracked(name) => Initial::Uninitialised,
            name if names::is_initialised_by_write(name) => Initial::Value(0),
            name => Initial::Value(self.shared.initial(name)),
        }
    }

    fn lessons(&self) -> String {
        if self.shared.is_spread { self.knowledge() } else { String::new() }
    }

    fn recall(&self, word: &str) -> Option<()> {
        if let Some(place) = spread::cut_of_word(word) {
            self.shared.note_cut(place);
            return Some(());
        }
        lock(&self.shared.lessons).recall(word, &self.shared.common)
    }

    fn has_heap(&self) -> bool {
        lock(&self.shared.lessons).watches_heap
    }

    fn is_global(&self, _addr: Addr) -> bool {
        false
    }

    fn name_of(&self, addr: Addr) -> String {
        match self.shared.created(addr.0) {
            Some(place) => {
                let file = place.file().rsplit('/').next().unwrap_or_default();
                format!("{file}:{}:{}", place.line(), place.column())
            }
            None => Addr(names::address(addr.0)).to_string(),
        }
    }
}

/// A run of a closure.
pub struct NativeRun<'program> {
    /// Owned. Model threads refer to it as well, see [`crate::context`].
    pub(crate) context: *mut Context,
    body: *const (dyn Fn() + Sync),
    /// Whether the main thread of the live execution has reached its first step.
    has_started: bool,
    /// Whether a thread of the live execution is at a point that is gone.
    is_stale: bool,
    program: PhantomData<&'program ()>,
}

impl NativeRun<'_> {
    pub(crate) fn context(&self) -> &Context {
        // SAFETY: the run owns it, and no model thread runs now.
        unsafe { &*self.context }
    }

    pub(crate) fn context_mut(&mut self) -> &mut Context {
        // SAFETY: as above.
        unsafe { &mut *self.context }
    }

    fn push(&mut self, thread: ThreadId, point: Point) {
        let context = self.context_mut();
        let position = Position(context.points.len() as u32);
        context.points.push(point);
        context.thread(thread).wanted = position;
    }

    /// Brings the live execution to the explorer's positions, up to the next step of `thread`.
    fn catch_up(&mut self, thread: ThreadId) {
        self.approach(thread);
        while self.has_retry() {
            self.decide_retry();
            self.approach(thread);
        }
    }

    /// The same, unless a thread on the way asks whether it tries again.
    fn approach(&mut self, thread: ThreadId) {
        self.context_mut().past.clear();
        if self.is_stale || !self.context_mut().prepare(thread) {
            self.is_stale = false;
            self.has_started = self.context_mut().go_back(thread);
        }
        let context = self.context_mut();
        let n_answers = context.script.cues.len();
        if context.is_moment_due(n_answers) {
            context.script.stop_before(1);
            self.begin();
            // SAFETY: the run owns the context.
            unsafe { context::play(self.context) };
            if !self.has_retry() {
                let _ = self.context_mut().keep_moment();
            }
        }
        self.play();
    }

    /// Gives the answers of the script.
    fn play(&mut self) {
        self.context_mut().script.stop_before(0);
        self.begin();
        // SAFETY: the run owns the context.
        unsafe { context::play(self.context) };
        self.context_mut().script.clear();
    }

    /// Repeats everything up to the explorer's positions, up to the next step of `thread`.
    pub(crate) fn repeat(&mut self, thread: ThreadId) {
        self.context_mut().past.clear();
        self.has_started = self.context_mut().go_back(thread);
        self.play();
    }

    /// The next step of any thread starts the execution anew.
    pub(crate) fn start_anew(&mut self) {
        self.is_stale = true;
    }

    /// Makes the main thread come to its first step, if it has not.
    fn begin(&mut self) {
        if !self.has_started {
            self.has_started = true;
            let body = Body::Main(self.body);
            self.context_mut().thread(ThreadId::MAIN).body = Some(body);
            // SAFETY: the run owns the context.
            unsafe { context::go(self.context, ThreadId::MAIN, 0) };
        }
    }

    fn failure(&self, thread: ThreadId) -> Option<&Failure> {
        self.context().failure_at(self.position(thread))
    }
}

impl Context {
    /// Collects the answers that lead from the live execution to the explorer's positions. Threads other than `thread`
    /// need not reach a step that the explorer has not asked for. Returns `false` if a live thread is ahead.
    fn prepare(&mut self, thread: ThreadId) -> bool {
        self.script.clear();
        self.script.todo.clear();
        let exist = self.threads.iter().enumerate().filter(|(_, known)| known.exists);
        self.script.todo.extend(exist.map(|(index, _)| ThreadId::new(index)));
        while let Some(next) = self.script.todo.pop() {
            let mut at = self.thread(next).wanted;
            let live = self.thread(next).at;
            while at > live {
                let Point { before, step, .. } = *self.point(at);
                let Some((before, answer)) = before else { return false };
                let done = self.point(before).step;
                if let Some(Step::Do(Label::Spawn { child, .. })) = done
                    && self.plan_child(child, at)
                {
                    self.script.todo.push(child);
                }
                let is_over = done == Some(Step::Do(Label::End));
                if !is_over && (step.is_some() || next == thread) {
                    self.script.cues.push(Cue { at, thread: next, answer });
                }
                at = before;
            }
            if at != live {
                return false;
            }
        }
        self.script.cues.sort_unstable_by_key(|cue| cue.at);
        true
    }

    /// The explorer has answered the creation of `child` by the point `at`; returns whether the live execution had not
    /// come that far.
    fn plan_child(&mut self, child: ThreadId, at: Position) -> bool {
        let child = self.thread(child);
        let is_new = !child.exists;
        if is_new {
            // It is before its first step, which was created together with this point.
            (child.exists, child.at) = (true, Position(at.0 + 1));
        }
        is_new
    }

    /// Goes back to the start, or to a moment on the way to the explorer's positions, and collects the answers that
    /// lead from there to the positions, as [`Context::prepare`]. Returns whether the main thread has started.
    fn go_back(&mut self, thread: ThreadId) -> bool {
        self.find_way();
        if self.return_to_moment() {
            let is_ahead = !self.prepare(thread);
            assert!(!is_ahead, "a moment on the way is not ahead");
            return true;
        }
        let way = std::mem::take(&mut self.script.way);
        self.reset();
        self.script.clear();
        for (index, &on_way) in way.iter().enumerate() {
            let (Some(next), at) = (on_way, Position(index as u32)) else { continue };
            let Point { before, step, .. } = *self.point(at);
            let Some((before, answer)) = before else { continue };
            let done = self.point(before).step;
            if let Some(Step::Do(Label::Spawn { child, .. })) = done {
                self.plan_child(child, at);
            }
            let is_done = at <= self.thread(next).at;
            let is_over = done == Some(Step::Do(Label::End));
            if !is_done && !is_over && (step.is_some() || next == thread) {
                self.script.cues.push(Cue { at, thread: next, answer });
            }
        }
        self.script.way = way;
        false
    }

    /// Finds all points on the way to the explorer's positions.
    fn find_way(&mut self) {
        let Script { way, todo, .. } = &mut self.script;
        way.clear();
        way.resize(self.points.len(), None);
        todo.clear();
        todo.push(ThreadId::MAIN);
        while let Some(next) = todo.pop() {
            let mut at = self.threads[next.index()].wanted;
            way[at.0 as usize] = Some(next);
            while let Some((before, _)) = self.points[at.0 as usize].before {
                at = before;
                way[at.0 as usize] = Some(next);
                if let Some(Step::Do(Label::Spawn { child, .. })) = self.points[at.0 as usize].step {
                    todo.push(child);
                }
            }
        }
    }
}

impl Run for NativeRun<'_> {
    fn pending(&mut self, thread: ThreadId) -> Step {
        let position = self.position(thread);
        if self.context().points[position.0 as usize].step.is_none() {
            self.catch_up(thread);
        }
        if self.context().divergence.is_some() {
            return Step::Unsupported;
        }
        self.context_mut().point(position).step.expect("a thread comes to its next step")
    }

    fn resume(&mut self, thread: ThreadId, value: Value) {
        let before = self.position(thread);
        let done = self.pending(thread);
        let step = (done == Step::Do(Label::End)).then_some(Step::Finished);
        self.push(thread, Point { before: Some((before, value)), step, place: None });
        if let Step::Do(Label::Spawn { child, .. }) = done {
            self.push(child, Point { before: None, step: Some(Step::Do(Label::Begin)), place: None });
        }
    }

    /// The creation of an object is a write, so a read of unwritten memory comes too early, and is a violation.
    fn resume_unwritten(&mut self, thread: ThreadId) {
        self.resume(thread, 0);
    }

    fn position(&self, thread: ThreadId) -> Position {
        self.context().threads[thread.index()].wanted
    }

    fn rewind(&mut self, thread: ThreadId, position: Position) {
        self.context_mut().thread(thread).wanted = position;
    }

    fn mark(&self) -> Position {
        Position(self.context().points.len() as u32)
    }

    fn release(&mut self, mark: Position) {
        let context = self.context_mut();
        context.points.truncate(mark.0 as usize);
        context.failures.retain(|(at, _)| *at < mark);
        context.retries.retain(|(at, _)| *at < mark);
        context.moments.release(mark);
        // New points will have the numbers of old ones, so no thread may stay at an old one.
        self.is_stale |= context.threads.iter().any(|thread| thread.exists && thread.at >= mark);
    }

    fn must_start_over(&self) -> bool {
        self.context().learning.is_over
    }

    fn key(&self, thread: ThreadId) -> ThreadKey {
        self.context().threads[thread.index()].key
    }

    fn violation(&mut self, thread: ThreadId) -> Violation {
        match self.failure(thread) {
            Some(Failure { cause: FailureCause::Violation(violation), .. }) => violation.clone(),
            _ => unreachable!("a thread that has failed says why"),
        }
    }

    fn unsupported(&mut self, thread: ThreadId) -> Refusal {
        if let Some(Divergence { thread, steps, place }) = self.context().divergence {
            let reason = RefusalReason::NotDeterministic { thread: self.key(thread), steps: Some(steps) };
            let place = Place { source: Some(source_of(place)), ..Place::default() };
            return Refusal { place: Some(place), ..reason.into() };
        }
        match self.failure(thread) {
            Some(Failure { cause: FailureCause::Refusal(refusal), .. }) => (**refusal).clone(),
            _ => unreachable!("a thread that cannot be checked says why"),
        }
    }

    fn place_at(&mut self, _thread: ThreadId, position: Position) -> Place {
        let Point { step, place, .. } = *self.context_mut().point(position);
        if let Some(Step::Do(label)) = step
            && let Some(Access { addr: Addr(name), .. }) = label.access()
            && let Some(created) = self.context().names.created(name)
        {
            self.context().shared().note_created(name, created);
        }
        let failed_at = self.context().failure_at(position).and_then(|failure| failure.source.clone());
        Place { source: failed_at.or_else(|| place.map(source_of)), ..Place::default() }
    }
}

impl Drop for NativeRun<'_> {
    fn drop(&mut self) {
        // SAFETY: it was created by `Box::into_raw`, and no model thread runs any more.
        drop(unsafe { Box::from_raw(self.context) });
    }
}

pub(crate) fn source_of(place: &Location<'_>) -> SourceLocation {
    SourceLocation { file: place.file().to_string(), line: place.line(), column: place.column() }
}
