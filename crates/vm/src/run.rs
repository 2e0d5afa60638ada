//! One run: the snapshots of all threads on one stack.
//!
//! A position is a [`Snapshot`]: a few counters, the pending step, and the words of the thread's frames in one arena
//! that all snapshots share. Resuming a thread copies the words of its snapshot to the top of the arena and runs
//! there, unless [`crate::recall`] knows where that leads; rewinding it selects another position. Nothing is allocated
//! once the arena has grown, and nothing is executed twice.
//!
//! If the answer of a step is known in advance (a thread learns nothing from joining another one or from writing), the
//! thread runs ahead to its next steps as soon as it reaches the position. When the explorer returns to the position,
//! resuming from it just follows the chain.

use std::sync::Arc;

use atropos_event::{
    Access, Addr, AnswerUse, BarrierStep, BlockReason, Label, LibraryCall, LockStep, Memory, Place, Position,
    ReadOrder, Refusal, Rmw, Run, Step, ThreadId, ThreadKey, Value, Violation, WriteOrder,
};

use crate::code::{FRAME_HEADER, Op};
use crate::fault::{Context, Fault};
use crate::interp::Thread;
use crate::overlaps::Overlaps;
use crate::private::Pages;
use crate::recall::{LEAST_POSITIONS, Origin, Recall, WORDS_PER_POSITION};
use crate::sections::{self, Guarded, Sections};
use crate::state::State;
use crate::threads::Threads;
use crate::unchanged::Known;
use crate::vm::Vm;

pub(crate) struct Snapshot {
    pub state: State,
    pub step: Step,
    pub words_at: usize,
    pub n_words: usize,
    pub pages_end: u32,
    /// The next position has been computed already: it follows this one.
    pub has_next: bool,
    /// From here on the thread joins its children and ends.
    is_quiet: bool,
    pub origin: Origin,
}

impl Snapshot {
    /// A thread about to run, whose words start at `words_at`.
    fn before(state: State, words_at: usize) -> Snapshot {
        Snapshot {
            state,
            step: Step::Finished,
            words_at,
            n_words: 0,
            pages_end: 0,
            has_next: false,
            is_quiet: false,
            origin: Origin::NONE,
        }
    }
}

/// The maximum number of steps that a thread runs ahead.
const AHEAD: usize = 64;

/// Whether the label has the same answer in every execution.
fn has_known_answer(label: &Label) -> bool {
    match label {
        // Joining the main thread does not return if that has ended the program.
        Label::Join { child } => *child != ThreadId::MAIN,
        Label::End | Label::Write { .. } | Label::Fence { .. } => true,
        Label::Read { .. } if label.is_merge() => true,
        Label::Begin
        | Label::Read { .. }
        | Label::Spawn { .. }
        | Label::Alloc { .. }
        | Label::Free { .. } => false,
    }
}

/// Makes an access that is not atomic a relaxed one.
fn relax(step: &mut Step) {
    let Step::Do(label) = step else { return };
    match label {
        Label::Read { rmw: Rmw::Merge { write_order: order, .. }, .. } | Label::Write { order, .. } => {
            *order = (*order).max(WriteOrder::Relaxed);
        }
        Label::Read { order, .. } => *order = (*order).max(ReadOrder::Relaxed),
        Label::Begin
        | Label::End
        | Label::Fence { .. }
        | Label::Spawn { .. }
        | Label::Join { .. }
        | Label::Alloc { .. }
        | Label::Free { .. } => {}
    }
}

pub struct VmRun<'program> {
    pub(crate) vm: &'program Vm,
    pub(crate) overlaps: Overlaps,
    pub(crate) snapshots: Vec<Snapshot>,
    pub(crate) words: Vec<u64>,
    pub(crate) pages: Pages,
    pub(crate) threads: Threads,
    /// The faults of those snapshots that have one, by position.
    pub(crate) faults: Vec<(u32, Fault)>,
    /// The bytes that atomic sections are known to access.
    sections: Arc<Sections>,
    /// What is known about stores that change nothing.
    pub(crate) unchanged: Arc<Known>,
    /// The accesses that need the guard of sections, by the positions of their steps.
    pub(crate) guarded: Vec<(u32, Guarded)>,
    /// The output of threads, each with the position that they reached then, in the order of positions.
    pub(crate) output: Vec<(u32, String)>,
    pub(crate) recall: Recall,
}

impl<'program> VmRun<'program> {
    pub(crate) fn new(vm: &'program Vm, overlaps: Overlaps) -> Self {
        let mut run = VmRun {
            vm,
            overlaps,
            // What nearly every search fills: to grow it step by step would copy it again and again.
            snapshots: Vec::with_capacity(LEAST_POSITIONS),
            words: Vec::with_capacity(LEAST_POSITIONS * WORDS_PER_POSITION / 2),
            pages: Pages::new(),
            threads: Threads::new(),
            faults: Vec::new(),
            sections: vm.sections(),
            unchanged: vm.unchanged.known(),
            guarded: Vec::new(),
            output: Vec::new(),
            recall: Recall::new(),
        };
        let state = run.enter(vm.code.main, &[]);
        run.snapshots.push(Snapshot::before(state, 0));
        run.proceed(ThreadId::MAIN, None);
        run.try_in_vain(ThreadId::MAIN);
        run.note_start();
        run
    }

    /// Puts the first frame of a thread on top of the words.
    fn enter(&mut self, function: u32, args: &[u64]) -> State {
        let code = &self.vm.code.functions[function as usize];
        let start = self.words.len();
        self.words.resize(start + code.frame_size, 0);
        let n_args = args.len().min(code.n_params);
        self.words[start + FRAME_HEADER..][..n_args].copy_from_slice(&args[..n_args]);
        State::at_start_of(function)
    }

    /// Runs the thread in the topmost snapshot up to its next step. `answer` is its previous position and the value
    /// for its label there, or no value for a read of memory that was never written.
    #[inline]
    fn proceed(&mut self, thread: ThreadId, answer: Option<(Position, Option<Value>)>) {
        self.pages.freeze();
        let position = Position(self.snapshots.len() as u32 - 1);
        let (now, past) = self.snapshots.split_last_mut().expect("the caller has pushed it");
        let mut machine = Thread {
            vm: self.vm,
            words: &mut self.words,
            pages: &mut self.pages,
            threads: &mut self.threads,
            overlaps: &self.overlaps,
            unchanged: &self.unchanged,
            id: thread,
            start: now.words_at,
            fuel: self.vm.config.budget,
            state: &mut now.state,
            step: &mut now.step,
            position: position.0,
            output: &mut self.output,
        };
        let outcome = match answer {
            None => machine.run(),
            Some((before, Some(value))) => machine.proceed(&past[before.0 as usize].step, value),
            Some((before, None)) => machine.proceed_unwritten(&past[before.0 as usize].step),
        };
        now.n_words = self.words.len() - now.words_at;
        now.pages_end = self.pages.len();
        if self.vm.config.plain_as_relaxed {
            relax(&mut now.step);
        }
        if let Err(fault) = outcome {
            now.step = self.vm.step_of(fault);
            self.faults.push((position.0, fault));
        }
        if self.vm.code.has_sections {
            self.guard(position.0);
        }
        self.threads.stand_at(thread, position);
    }

    /// Answers the step of `thread` at `before` on top of the stack.
    #[inline]
    pub(crate) fn advance(&mut self, thread: ThreadId, before: Position, value: Option<Value>) {
        let snapshot = &self.snapshots[before.0 as usize];
        let start = self.words.len();
        self.words.extend_from_within(snapshot.words_at..snapshot.words_at + snapshot.n_words);
        let next = Snapshot::before(snapshot.state, start);
        self.snapshots.push(next);
        if let Some(guarded) = self.guarded_at(before) {
            self.advance_guarded(thread, before, guarded, value);
        } else {
            self.proceed(thread, Some((before, value)));
        }
    }

    #[inline]
    fn guarded_at(&self, position: Position) -> Option<Guarded> {
        if self.guarded.is_empty() {
            return None;
        }
        let at = self.guarded.binary_search_by_key(&position.0, |&(position, _)| position).ok()?;
        Some(self.guarded[at].1)
    }

    /// Answers a step of an access that needs the guard of sections.
    fn advance_guarded(
        &mut self,
        thread: ThreadId,
        before: Position,
        guarded: Guarded,
        value: Option<Value>,
    ) {
        if let Guarded::Releasing(label, answer) = guarded {
            // The thread processes the answer to its access as if it had just arrived.
            let release = std::mem::replace(&mut self.snapshots[before.0 as usize].step, Step::Do(label));
            self.proceed(thread, Some((before, answer)));
            self.snapshots[before.0 as usize].step = release;
            return;
        }
        let (step, next) = sections::next(guarded, value, &self.vm.config).expect("the access is not over");
        let position = self.snapshots.len() as u32 - 1;
        let now = self.snapshots.last_mut().expect("the caller has pushed it");
        now.state.counts.n_reads += u32::from(matches!(guarded, Guarded::Taking(_)));
        now.n_words = self.words.len() - now.words_at;
        now.pages_end = self.pages.len();
        now.step = step;
        self.guarded.extend(next.map(|next| (position, next)));
        self.threads.stand_at(thread, Position(position));
    }

    /// Handles the access that a thread has reached, in a program with atomic sections.
    fn guard(&mut self, position: u32) {
        let now = self.snapshots.last_mut().expect("the thread has come there");
        let op = self.vm.code.functions[now.state.function as usize].ops[now.state.pc as usize];
        let Step::Do(label) = now.step else { return };
        if !sections::is_of_program(op, &label) {
            return;
        }
        if now.state.section > 0 {
            if !self.sections.know(&label) {
                self.vm.learn_section(&label);
                now.step = Step::Unsupported;
                self.faults.push((position, Fault::NewInSection));
            }
        } else if self.sections.conflict(&label)
            && !(self.vm.config.races_on_plain && sections::is_plain(&label))
        {
            now.step = Step::Do(sections::take());
            self.guarded.push((position, Guarded::Taking(label)));
        }
    }

    /// Computes the steps that follow the topmost one in any case. The position of the thread does not change.
    #[inline]
    fn run_ahead(&mut self, thread: ThreadId) {
        if self.vm.code.shows {
            return self.try_in_vain(thread);
        }
        let here = self.threads.position(thread);
        for _ in 0..AHEAD {
            let last = self.snapshots.len() - 1;
            let Step::Do(label) = &self.snapshots[last].step else { break };
            if !has_known_answer(label) {
                break;
            }
            self.snapshots[last].has_next = true;
            self.advance(thread, Position(last as u32), Some(0));
            // A join may fail here only because it names a thread that will be created before the thread really gets
            // there.
            if matches!(self.snapshots[last + 1].step, Step::Failed) {
                self.snapshots[last].has_next = false;
                self.threads.stand_at(thread, here);
                self.truncate(Position(last as u32 + 1));
                break;
            }
        }
        self.threads.stand_at(thread, here);
        self.mark_quiet(thread, here);
        self.try_in_vain(thread);
    }

    /// Marks the position from which the thread, which is at `here` and whose next steps are computed, only joins its
    /// children and ends.
    #[inline]
    fn mark_quiet(&mut self, thread: ThreadId, here: Position) {
        let (last, chain) =
            self.snapshots[here.0 as usize..].split_last_mut().expect("the thread stands there");
        if last.step != Step::Finished {
            return;
        }
        for snapshot in chain.iter_mut().rev() {
            snapshot.is_quiet = match snapshot.step {
                Step::Do(Label::End) => true,
                Step::Do(Label::Join { child }) => self.threads.number_of(thread, child).is_some(),
                _ => false,
            };
            if !snapshot.is_quiet {
                break;
            }
        }
    }

    /// Creates the child of the `Spawn` at `parent`, before its first label.
    fn spawn(&mut self, parent: Position, child: ThreadId) {
        let (function, args) = self.spawned_at(parent);
        let start = self.words.len();
        let state = self.enter(function, &args);
        let mut snapshot = Snapshot::before(state, start);
        snapshot.step = Step::Do(Label::Begin);
        snapshot.n_words = self.words.len() - start;
        snapshot.pages_end = self.pages.len();
        self.threads.stand_at(child, Position(self.snapshots.len() as u32));
        self.snapshots.push(snapshot);
    }

    /// Answers the pending label of `thread`; `value` is `None` for a read of memory that was never written.
    #[inline]
    fn go_on(&mut self, thread: ThreadId, value: Option<Value>) {
        let before = self.threads.position(thread);
        if self.snapshots[before.0 as usize].has_next {
            self.threads.stand_at(thread, Position(before.0 + 1));
            return;
        }
        if let Some(known) = self.recall(before, value) {
            return self.return_to(thread, before, known);
        }
        if let Step::Do(Label::Spawn { child, .. }) = self.snapshots[before.0 as usize].step {
            self.spawn(before, child);
        }
        let joins_main =
            matches!(self.snapshots[before.0 as usize].step, Step::Do(Label::Join { child: ThreadId::MAIN }));
        self.advance(thread, before, value);
        if joins_main && self.has_exited() {
            self.snapshots.last_mut().expect("just pushed").step = Step::Blocked(BlockReason::Exit);
        }
        let reached = self.threads.position(thread);
        self.run_ahead(thread);
        self.remember(before, value, reached);
    }

    pub(crate) fn snapshot(&self, thread: ThreadId) -> &Snapshot {
        &self.snapshots[self.threads.position(thread).0 as usize]
    }

    /// The words of the frames of a thread, and the rest of its state.
    pub(crate) fn words_of(&self, thread: ThreadId) -> (&[u64], &State) {
        let Snapshot { state, words_at, n_words, .. } = self.snapshot(thread);
        (&self.words[*words_at..*words_at + *n_words], state)
    }

    /// The result of `ask` for the fault of `thread`.
    fn explain<T>(&self, thread: ThreadId, ask: impl Fn(Fault, &Context<'_>) -> Option<T>) -> Option<T> {
        let position = self.threads.position(thread).0;
        let at = self.faults.binary_search_by_key(&position, |&(position, _)| position).ok()?;
        let state = self.snapshot(thread).state;
        let function = state.function as usize;
        let origin = self.vm.code.functions[function].origins[state.pc as usize];
        let memory = |addr, size| match self.name_of_local(thread, addr) {
            Some(name) => Memory::Local { name },
            None => Memory::At { addr: Addr(addr), size },
        };
        let statement = &self.vm.module.functions[function].body[origin as usize].instr;
        let said = || {
            self.output
                .iter()
                .rfind(|said| said.0 == position)
                .map_or_else(String::new, |said| said.1.clone())
        };
        let context = Context { statement, memory: &memory, call: &|| self.call(thread), said: &said };
        ask(self.faults[at].1, &context)
    }

    /// The runtime function that the program has called, if `thread` is in one: the outermost without a source.
    fn call(&self, thread: ThreadId) -> Option<String> {
        let stack = self.call_stack(self.snapshot(thread));
        let inner = stack.take_while(|&(function, pc)| self.place_of(function, pc).source.is_none());
        let (function, _) = inner.last()?;
        Some(self.vm.module.functions[function as usize].name.clone())
    }
}

impl Run for VmRun<'_> {
    #[inline]
    fn pending(&mut self, thread: ThreadId) -> Step {
        self.snapshot(thread).step
    }

    #[inline]
    fn resume(&mut self, thread: ThreadId, value: Value) {
        self.go_on(thread, Some(value));
    }

    fn resume_unwritten(&mut self, thread: ThreadId) {
        self.go_on(thread, None);
    }

    fn position(&self, thread: ThreadId) -> Position {
        self.threads.position(thread)
    }

    fn rewind(&mut self, thread: ThreadId, position: Position) {
        debug_assert!((position.0 as usize) < self.snapshots.len(), "{position:?} is not live");
        self.threads.stand_at(thread, position);
    }

    fn mark(&self) -> Position {
        Position(self.snapshots.len() as u32)
    }

    #[inline]
    fn release(&mut self, mark: Position) {
        self.forget(mark);
    }

    fn split(&self, first: Access, second: Access) -> bool {
        self.vm.learn(&self.overlaps, first, second)
    }

    fn must_start_over(&self) -> bool {
        !Arc::ptr_eq(&self.sections, &self.vm.sections())
            || !Arc::ptr_eq(&self.unchanged, &self.vm.unchanged.known())
    }

    fn key(&self, thread: ThreadId) -> ThreadKey {
        self.threads.key(thread)
    }

    fn violation(&mut self, thread: ThreadId) -> Violation {
        self.explain(thread, |fault, context| fault.violation(context)).expect("the thread has failed")
    }

    fn unsupported(&mut self, thread: ThreadId) -> Refusal {
        let reason = self.explain(thread, |fault, context| fault.refusal(context));
        let (place, inner) = self.place_in_source(self.snapshot(thread));
        Refusal { reason: reason.expect("the thread cannot be checked"), place: Some(place), inner }
    }

    fn library_calls(&self, thread: ThreadId) -> Vec<LibraryCall> {
        self.runtime_calls(thread)
    }

    fn has_exited(&self) -> bool {
        let Snapshot { state, step, .. } = self.snapshot(ThreadId::MAIN);
        let op = self.vm.code.functions[state.function as usize].ops[state.pc as usize];
        *step == Step::Finished && matches!(op, Op::Halt)
    }

    fn has_called_exit(&self) -> bool {
        let Snapshot { state, step, .. } = self.snapshot(ThreadId::MAIN);
        let op = self.vm.code.functions[state.function as usize].ops[state.pc as usize];
        *step == Step::Finished && matches!(op, Op::Halt) && state.frames.depth > 1
    }

    #[inline]
    fn is_quiet(&self, thread: ThreadId) -> bool {
        self.snapshot(thread).is_quiet
    }

    fn are_twins(&self, first: Position, second: Position) -> bool {
        self.create_twins(first, second)
    }

    fn ignores_answer(&self, thread: ThreadId, position: Position) -> bool {
        !self.vm.code.has_sections && self.is_answer_unused(thread, position)
    }

    fn answer_use(&self, _thread: ThreadId, position: Position) -> AnswerUse {
        if self.vm.code.has_sections { AnswerUse::Any } else { self.use_of_answer(position) }
    }

    fn barrier_step(&self, thread: ThreadId, position: Position) -> Option<BarrierStep> {
        if self.vm.code.has_sections { None } else { self.step_at_barrier(thread, position) }
    }

    fn lock_step(&self, _thread: ThreadId, position: Position) -> Option<LockStep> {
        if self.vm.code.has_sections { None } else { self.step_at_mutex(position) }
    }

    fn joins_ahead(&self, thread: ThreadId) -> Vec<ThreadId> {
        self.next_joins(thread)
    }

    fn shown(&self, thread: ThreadId) -> String {
        let here = self.threads.position(thread).0;
        let first = self.output.partition_point(|&(position, _)| position < here);
        let texts = self.output[first..].iter().take_while(|&&(position, _)| position == here);
        texts.map(|(_, text)| text.as_str()).collect()
    }

    fn place_at(&mut self, _thread: ThreadId, position: Position) -> Place {
        self.place_of_snapshot(&self.snapshots[position.0 as usize])
    }
}
