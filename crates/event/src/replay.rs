//! Programs that can only be re-executed, as [`Program`]s.
//!
//! Native closures have no state that a run could save: one can only run them again with the same answers.
//! [`Replayed`] turns such a program into a [`Program`]. For each position it keeps the previous position and the
//! answer given there, which is all that a replay needs. It also keeps the step seen there; if a replay shows another
//! one, the program is not deterministic, and this is reported.

use crate::access::{Access, Addr, Value};
use crate::id::{ThreadId, ThreadKey};
use crate::label::Label;
use crate::program::{Initial, Place, Position, Program, Run, Step};
use crate::refusal::{Refusal, RefusalReason};
use crate::violation::{Memory, Violation};

/// A program given by the next steps of its threads, as a function of all answers so far. The caller numbers the
/// children: `Label::Spawn` names them, and `key` returns their canonical names.
pub trait Reexecutable: Sync {
    /// Runs `thread` from its start with `answers`, and returns the step it reaches.
    fn step(&self, thread: ThreadId, answers: &[Value]) -> Step;
    fn key(&self, thread: ThreadId) -> ThreadKey;
    fn initial(&self, access: Access) -> Initial;
    fn name_of(&self, addr: Addr) -> String;
    /// See [`Program::has_cells`].
    fn has_cells(&self) -> bool {
        false
    }
    fn violation(&self, thread: ThreadId, answers: &[Value]) -> Violation;
}

/// A [`Reexecutable`] behind the [`Program`] interface.
pub struct Replayed<P>(pub P);

impl<P: Reexecutable> Program for Replayed<P> {
    fn start(&self) -> Box<dyn Run + '_> {
        let mut run =
            ReplayedRun { program: &self.0, points: Vec::new(), threads: Vec::new(), answers: Vec::new() };
        run.enter(ThreadId::MAIN);
        Box::new(run)
    }

    fn initial(&self, access: Access) -> Initial {
        self.0.initial(access)
    }

    fn has_cells(&self) -> bool {
        self.0.has_cells()
    }

    fn name_of(&self, addr: Addr) -> String {
        self.0.name_of(addr)
    }
}

/// One point of a thread's past.
struct Point {
    /// The previous point and the answer that led here; `None` before the thread's first label.
    before: Option<(Position, Value)>,
    step: Step,
    /// The answer was a read of memory that was never written; the thread does nothing more.
    is_unwritten: bool,
}

struct ReplayedRun<'program, P> {
    program: &'program P,
    points: Vec<Point>,
    threads: Vec<Position>,
    /// Scratch space for the answers of one thread.
    answers: Vec<Value>,
}

impl<P: Reexecutable> ReplayedRun<'_, P> {
    fn enter(&mut self, thread: ThreadId) {
        let step = self.program.step(thread, &[]);
        let position = Position(self.points.len() as u32);
        self.points.push(Point { before: None, step, is_unwritten: false });
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, position);
        }
        self.threads[thread.index()] = position;
    }

    /// The memory that `thread` has just read although it was never written.
    fn unwritten(&self, thread: ThreadId) -> Option<Access> {
        let point = &self.points[self.threads[thread.index()].0 as usize];
        let (before, _) = point.before.filter(|_| point.is_unwritten)?;
        match self.points[before.0 as usize].step {
            Step::Do(label) => label.access(),
            _ => None,
        }
    }

    /// Collects the answers that led `thread` to its position, oldest first.
    fn collect_answers(&mut self, thread: ThreadId) {
        self.answers.clear();
        let mut at = self.threads[thread.index()];
        while let Some((before, value)) = self.points[at.0 as usize].before {
            self.answers.push(value);
            at = before;
        }
        self.answers.reverse();
    }
}

impl<P: Reexecutable> Run for ReplayedRun<'_, P> {
    fn pending(&mut self, thread: ThreadId) -> Step {
        self.collect_answers(thread);
        let point = &self.points[self.threads[thread.index()].0 as usize];
        if point.is_unwritten {
            return Step::Failed;
        }
        let seen = point.step;
        if self.program.step(thread, &self.answers) == seen { seen } else { Step::Unsupported }
    }

    fn resume(&mut self, thread: ThreadId, value: Value) {
        let before = self.threads[thread.index()];
        let step = self.points[before.0 as usize].step;
        self.collect_answers(thread);
        self.answers.push(value);
        let next = self.program.step(thread, &self.answers);
        self.threads[thread.index()] = Position(self.points.len() as u32);
        self.points.push(Point { before: Some((before, value)), step: next, is_unwritten: false });
        if let Step::Do(Label::Spawn { child, .. }) = step {
            self.enter(child);
        }
    }

    fn resume_unwritten(&mut self, thread: ThreadId) {
        let before = self.threads[thread.index()];
        self.threads[thread.index()] = Position(self.points.len() as u32);
        self.points.push(Point { before: Some((before, 0)), step: Step::Failed, is_unwritten: true });
    }

    fn position(&self, thread: ThreadId) -> Position {
        self.threads[thread.index()]
    }

    fn rewind(&mut self, thread: ThreadId, position: Position) {
        self.threads[thread.index()] = position;
    }

    fn mark(&self) -> Position {
        Position(self.points.len() as u32)
    }

    fn release(&mut self, mark: Position) {
        self.points.truncate(mark.0 as usize);
    }

    fn key(&self, thread: ThreadId) -> ThreadKey {
        self.program.key(thread)
    }

    fn violation(&mut self, thread: ThreadId) -> Violation {
        if let Some(access) = self.unwritten(thread) {
            return Violation::Uninitialised { memory: Memory::of(access) };
        }
        self.collect_answers(thread);
        self.program.violation(thread, &self.answers)
    }

    fn unsupported(&mut self, thread: ThreadId) -> Refusal {
        RefusalReason::NotDeterministic { thread: self.program.key(thread), steps: None }.into()
    }

    fn place_at(&mut self, _thread: ThreadId, _position: Position) -> Place {
        Place::default()
    }
}
