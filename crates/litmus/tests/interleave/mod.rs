//! A tiny explorer for tests: all interleavings, by brute force over the program interface.

use atropos_event::{Access, EventId, Initial, Label, Program, Run, Step, ThreadId, Value};
use atropos_litmus::{Outcomes, Test};
use std::collections::HashMap;

/// The outcomes of the interleavings of `test`. Blocked ones have none.
pub fn outcomes(test: &Test) -> Outcomes {
    let mut search = Search {
        test,
        run: test.program().start(),
        memory: HashMap::new(),
        values: vec![Vec::new()],
        finished: vec![false],
        outcomes: Outcomes::new(),
    };
    search.explore();
    search.outcomes
}

struct Search<'test> {
    test: &'test Test,
    run: Box<dyn Run + 'test>,
    memory: HashMap<Access, Value>,
    /// The values of the events of each thread so far.
    values: Vec<Vec<Value>>,
    finished: Vec<bool>,
    outcomes: Outcomes,
}

impl Search<'_> {
    fn explore(&mut self) {
        let n_threads = self.values.len();
        if self.finished.iter().all(|&is_finished| is_finished) {
            let values = &self.values;
            let value_of = |event: EventId| values[event.thread().index()][event.index()];
            *self.outcomes.entry(self.test.outcome(value_of)).or_default() += 1;
            return;
        }
        for index in 0..n_threads {
            let thread = ThreadId::new(index);
            match self.run.pending(thread) {
                Step::Do(label) if self.is_enabled(&label) => {
                    self.step(thread, label);
                    // Steps that commute with all others need no alternatives.
                    if label.access().is_none() {
                        return;
                    }
                }
                Step::Failed => panic!("{:?}", self.run.violation(thread)),
                Step::Unsupported => panic!("{:?}", self.run.unsupported(thread)),
                Step::Do(_) | Step::Finished | Step::Blocked(_) => {}
            }
        }
    }

    fn is_enabled(&self, label: &Label) -> bool {
        match label {
            Label::Join { child } => self.finished[child.index()],
            _ => true,
        }
    }

    /// Performs `label` in `thread`, explores what follows, and takes it back.
    fn step(&mut self, thread: ThreadId, label: Label) {
        let (mark, position) = (self.run.mark(), self.run.position(thread));
        let memory = self.memory.clone();
        let n_threads = self.values.len();
        let value = self.perform(label);
        self.values[thread.index()].push(value);
        self.finished[thread.index()] |= label == Label::End;
        self.run.resume(thread, if label.is_read() { value } else { 0 });
        // In some programs the main thread has no end event: it is finished when it says so.
        let was_finished = self.finished[thread.index()];
        self.finished[thread.index()] |= self.run.pending(thread) == Step::Finished;
        self.explore();
        self.finished[thread.index()] = was_finished && label != Label::End;
        self.values[thread.index()].pop();
        self.values.truncate(n_threads);
        self.finished.truncate(n_threads);
        self.memory = memory;
        self.run.rewind(thread, position);
        self.run.release(mark);
    }

    fn perform(&mut self, label: Label) -> Value {
        match label {
            Label::Read { access, rmw, .. } => {
                let value = self.read(access);
                if let Some((written, _)) = rmw.write_after(access, value) {
                    self.memory.insert(access, written);
                }
                value
            }
            Label::Write { access, value, .. } => {
                self.memory.insert(access, value);
                value
            }
            Label::Spawn { .. } => {
                self.values.push(Vec::new());
                self.finished.push(false);
                0
            }
            _ => 0,
        }
    }

    fn read(&self, access: Access) -> Value {
        let initial = || match self.test.program().initial(access) {
            Initial::Value(value) => value,
            Initial::Uninitialised => panic!("a location without a value"),
        };
        self.memory.get(&access).copied().unwrap_or_else(initial)
    }
}
