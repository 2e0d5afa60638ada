//! Several threads with a ledger, as with `--checkpoint`: the process is stopped now and then, and what is not recorded
//! by then is lost. The records add up to the sequential search.

use crate::subject::{Known, cases, small_budget};
use atropos_explore::{Budget, Control, Ledger, Record, Resumed, Workers, key_of};
use atropos_spread::Fold;
use atropos_testkit::{ProgramShape, Rng, Style, generate, repeat};
use std::sync::Mutex;

/// Keeps records until the process is stopped.
struct Notebook<'a> {
    control: &'a Control,
    state: Mutex<State>,
}

struct State {
    fold: Fold,
    rng: Rng,
    /// The process is stopped after so many records.
    n_left: usize,
    n_records: usize,
    /// Schedules of Tracer that several workers may meet.
    n_keyed: usize,
}

impl Ledger for Notebook<'_> {
    fn budget(&self) -> Budget {
        let rng = &mut self.state.lock().expect("no panic").rng;
        Budget { is_elsewhere: false, n_shed: 0, ..small_budget(rng) }
    }

    fn resume(&self) -> Resumed {
        self.state.lock().expect("no panic").fold.resumed()
    }

    fn start_over(&self, lessons: &str) {
        self.state.lock().expect("no panic").fold = Fold::new(lessons.to_string());
    }

    fn record(&self, record: Record) {
        let state = &mut *self.state.lock().expect("no panic");
        if state.n_left == 0 {
            return self.control.stop();
        }
        (state.n_left, state.n_records) = (state.n_left - 1, state.n_records + 1);
        state.n_keyed += record.rest.iter().filter(|part| key_of(part).is_some()).count();
        state.fold.add(record).expect("a record");
    }
}

#[test]
fn threads_that_are_stopped_and_started_again_find_all_once() {
    let (mut n_programs, mut n_stops, mut n_records, mut n_keyed) = (0, 0, 0, 0);
    for style in Style::ALL {
        for seed in 2000..2060 {
            let shape = ProgramShape { has_asserts: true, max_instructions: 9, ..ProgramShape::of(style) };
            let ast = generate(seed, &shape);
            let ast = if seed % 4 == 0 { repeat(seed, ast, 4) } else { ast };
            for known in cases(seed).filter_map(|case| Known::new(&ast, case)) {
                let (mut fold, mut rng) = (Fold::default(), Rng::new(seed));
                while !fold.is_done() {
                    let control = Control::default();
                    // What waits for other records is lost.
                    let resumed = Fold::from(fold.resumed()).expect("a sum");
                    let n_left = 1 + rng.below(40);
                    let state =
                        State { fold: resumed, rng: Rng::new(rng.draw()), n_left, n_records: 0, n_keyed: 0 };
                    let notebook = Notebook { control: &control, state: Mutex::new(state) };
                    let workers = Workers { jobs: 1 + rng.below(3), ledger: Some(&notebook) };
                    known.subject.explore_under(&control, workers);
                    let state = notebook.state.into_inner().expect("no panic");
                    (fold, n_stops) = (state.fold, n_stops + 1);
                    n_records += state.n_records;
                    n_keyed += state.n_keyed;
                }
                known.compare(&fold.resumed());
                n_programs += 1;
            }
        }
    }
    assert!(n_programs > 300 && n_records > 5 * n_programs, "{n_programs} programs, {n_records} records");
    assert!(n_stops > n_programs + 100, "{n_programs} programs, {n_stops} stops");
    // How many there are depends on which thread is faster.
    assert!(n_keyed > 0, "{n_keyed} schedules");
}
