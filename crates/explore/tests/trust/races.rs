//! How often races are found: of two plain accesses, under models where reading orders them and where it does
//! not, whichever of the two is added first.

use crate::common::{Lines, Op};
use atropos_event::{ReadOrder, Refusal, Replayed, ViolationKind, WriteOrder};
use atropos_explore::{Co, Config, Control, Execution, Observer, Report, Trust, search};
use atropos_model::{MemoryModel, Ra, Rc11, Sra};

#[derive(Default)]
struct CountRaces(usize);

impl Observer for CountRaces {
    fn violation(&mut self, report: Report, _execution: Execution<'_>) {
        assert_eq!(report.violation.kind(), ViolationKind::Race);
        self.0 += 1;
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("{refusal:?}");
    }
}

/// How often a race is found.
fn count<M: MemoryModel + Clone + Sync>(threads: &[Vec<Op>], model: M) -> usize {
    let program = Replayed(Lines(threads.to_vec()));
    let control = Control::default();
    let config = Config { keep_going: true, detect_races: true, ..Config::default() };
    let search = search(&program, &Trust::<_, Co>::new(model), config, &control, 1, CountRaces::default);
    search.observers[0].0
}

#[test]
fn a_read_does_not_race_with_what_it_reads_from_where_reading_orders_them() {
    let (read, write) = (Op::R(0, ReadOrder::NotAtomic), Op::W(0, 1, WriteOrder::NotAtomic));
    for threads in [[vec![read], vec![write]], [vec![write], vec![read]]] {
        assert_eq!(count(&threads, Ra::default()), 1, "ra, {threads:?}");
        assert_eq!(count(&threads, Sra::default()), 1, "sra, {threads:?}");
        assert!(count(&threads, Rc11::default()) > 1, "rc11, {threads:?}");
    }
}

#[test]
fn one_plain_access_is_enough_for_a_race_and_two_reads_are_none() {
    let (plain, atomic) = (Op::R(0, ReadOrder::NotAtomic), Op::R(0, ReadOrder::SeqCst));
    let write = Op::W(0, 1, WriteOrder::SeqCst);
    assert!(count(&[vec![plain], vec![write]], Rc11::default()) > 0);
    assert_eq!(count(&[vec![atomic], vec![write]], Rc11::default()), 0);
    assert_eq!(count(&[vec![plain], vec![plain]], Rc11::default()), 0);
}
