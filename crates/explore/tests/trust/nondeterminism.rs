//! A program under test that is not deterministic is found out, not explored.

use atropos_event::*;
use atropos_explore::{Co, Config, Control, Execution, Observer, Report, Trust, search};
use atropos_model::Sc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The main thread writes a value that no answer determines: how often it was asked.
struct Clock(AtomicU64);

impl Reexecutable for Clock {
    fn step(&self, _thread: ThreadId, answers: &[Value]) -> Step {
        let value = self.0.fetch_add(1, Ordering::Relaxed);
        let access = Access::new(0x1000, 8);
        match answers.len() {
            0 => Step::Do(Label::Write { access, order: WriteOrder::Relaxed, value, exclusive: false }),
            1 => Step::Do(Label::End),
            _ => Step::Finished,
        }
    }

    fn key(&self, _thread: ThreadId) -> ThreadKey {
        ThreadKey::MAIN
    }

    fn initial(&self, _access: Access) -> Initial {
        Initial::Value(0)
    }

    fn name_of(&self, addr: Addr) -> String {
        addr.to_string()
    }

    fn violation(&self, _thread: ThreadId, _answers: &[Value]) -> Violation {
        unreachable!("the program does not fail")
    }
}

#[derive(Default)]
struct Refusals(Vec<Refusal>);

impl Observer for Refusals {
    fn violation(&mut self, report: Report, _execution: Execution<'_>) {
        panic!("no violation is expected: {report:?}");
    }

    fn refused(&mut self, refusal: Refusal) {
        self.0.push(refusal);
    }
}

#[test]
fn a_program_that_reads_a_clock_is_refused() {
    let program = Replayed(Clock(AtomicU64::new(0)));
    let control = Control::default();
    let search = search(
        &program,
        &Trust::<_, Co>::new(Sc::default()),
        Config::default(),
        &control,
        1,
        Refusals::default,
    );
    let [Refusals(reasons)] = &search.observers[..] else { panic!("one worker") };
    let thread = ThreadKey::MAIN;
    assert_eq!(reasons[..], [RefusalReason::NotDeterministic { thread, steps: None }.into()]);
    assert_eq!(search.stats.executions, 0);
}
