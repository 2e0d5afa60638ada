//! Straight-line programs for tests, re-executed from their start at every step: the slow kind of program
//! that native closures will be, and independent of the virtual machine.

use atropos_event::Refusal;
use atropos_event::*;
use atropos_explore::{
    Co, Config, Control, Ending, Execution, Observer, Report, Rf, Trust, TrustRules, search,
};
use atropos_graph::validate;
use atropos_model::{MemoryModel, ReadsFrom};

#[derive(Clone, Copy, Debug)]
pub enum Op {
    R(u64, ReadOrder),
    W(u64, u64, WriteOrder),
    Fai(u64, ReadOrder, WriteOrder),
    Cas(u64, u64, u64),
}

/// Threads of straight-line code; the main thread spawns them all.
pub struct Lines(pub Vec<Vec<Op>>);

impl Reexecutable for Lines {
    fn step(&self, thread: ThreadId, answers: &[Value]) -> Step {
        let n = answers.len();
        if thread == ThreadId::MAIN {
            return match n {
                n if n < self.0.len() => Step::Do(Label::Spawn { child: ThreadId::new(n + 1), drains: true }),
                n if n == self.0.len() => Step::Do(Label::End),
                _ => Step::Finished,
            };
        }
        let code = &self.0[thread.index() - 1];
        match n {
            0 => Step::Do(Label::Begin),
            n if n <= code.len() => Step::Do(label(code[n - 1])),
            n if n == code.len() + 1 => Step::Do(Label::End),
            _ => Step::Finished,
        }
    }

    fn key(&self, thread: ThreadId) -> ThreadKey {
        match thread.index() {
            0 => ThreadKey::MAIN,
            n => ThreadKey::MAIN.child(n as u64).unwrap(),
        }
    }

    fn initial(&self, _access: Access) -> Initial {
        Initial::Value(0)
    }

    fn name_of(&self, addr: Addr) -> String {
        format!("x{}", addr.0 / 8)
    }

    fn violation(&self, _thread: ThreadId, _answers: &[Value]) -> Violation {
        unreachable!("straight-line code does not fail")
    }
}

fn label(op: Op) -> Label {
    let access = |x: u64| Access::new(x * 8, 8);
    match op {
        Op::R(x, order) => Label::Read { access: access(x), order, rmw: Rmw::None },
        Op::W(x, value, order) => Label::Write { access: access(x), order, value, exclusive: false },
        Op::Fai(x, order, write_order) => Label::Read {
            access: access(x),
            order,
            rmw: Rmw::Fetch { op: RmwOp::Add, operand: 1, write_order },
        },
        Op::Cas(x, expected, desired) => Label::Read {
            access: access(x),
            order: ReadOrder::Relaxed,
            rmw: Rmw::Cas {
                expected,
                desired,
                write_order: WriteOrder::Relaxed,
                failure_order: ReadOrder::Relaxed,
            },
        },
    }
}

/// Counts executions and checks each graph.
#[derive(Default)]
pub struct Count {
    pub n_complete: usize,
}

impl Observer for Count {
    fn execution(&mut self, ending: Ending, execution: Execution<'_>) {
        validate(execution.graph).unwrap_or_else(|broken| panic!("{broken:?}"));
        self.n_complete += usize::from(ending == Ending::Complete);
    }

    fn violation(&mut self, report: Report, _execution: Execution<'_>) {
        panic!("straight-line code does nothing wrong: {report:?}");
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("{refusal:?}");
    }
}

pub fn explore<M: MemoryModel + Clone + Sync, Q: TrustRules<M>>(threads: &[Vec<Op>], model: M) -> usize {
    let program = Replayed(Lines(threads.to_vec()));
    let control = Control::default();
    let config = Config { keep_going: true, detect_races: false, ..Config::default() };
    let search = search(&program, &Trust::<_, Q>::new(model), config, &control, 1, Count::default);
    search.observers[0].n_complete
}

pub fn count_co<M: MemoryModel + Clone + Sync>(threads: &[Vec<Op>], model: M) -> usize {
    explore::<M, Co>(threads, model)
}

pub fn count_rf<M: ReadsFrom + Clone + Sync>(threads: &[Vec<Op>], model: M) -> usize {
    explore::<M, Rf>(threads, model)
}
