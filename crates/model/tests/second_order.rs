//! A graph whose coherence order no search finds at the first attempt.
//!
//! ```text
//! 1: x := 1    2: y := 2; x = 1; z = 1    3: y := 1; x = 1    4: x := 2; y = 1    5: z = 1; x = 2; y = 2    6: z := 1
//! ```
//!
//! If `x := 1` came before `x := 2`, both writes of `y` would come before `x := 2`, and threads 4 and 5 could not see
//! them in different orders. Only trying shows this: neither order of the writes of `y` alone is refuted. A run of
//! the machine that never takes a write back gets stuck, because thread 1 is the first.

mod common;

use atropos_event::mark::take_marks;
use atropos_event::{Label, Mapping, ReadOrder, Rmw, ThreadId, WriteOrder};
use atropos_graph::{LocId, Slot};
use atropos_model::{Kept, Orders, Pso, Rc11, ReadsFrom, ReleaseSequences, Sc, Tso};
use common::{Grown, access};

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
const OTHER: usize = 3;

impl<M: ReadsFrom> Grown<M> {
    fn write(&mut self, thread: usize, loc: usize, value: u64) -> Slot {
        let place = self.graph.location(LocId::new(loc)).co.len() as u32;
        let order = if loc == OTHER { WriteOrder::Relaxed } else { WriteOrder::SeqCst };
        let label = Label::Write { access: access(loc), order, value, exclusive: false };
        self.add(ThreadId::new(thread), label, LocId::new(loc), Slot::INIT, place)
    }

    fn read(&mut self, thread: usize, loc: usize, source: Slot) -> bool {
        let label = Label::Read { access: access(loc), order: ReadOrder::SeqCst, rmw: Rmw::None };
        let read = self.add(ThreadId::new(thread), label, LocId::new(loc), source, 0);
        self.model.realisable(&self.graph, read)
    }
}

/// The graph, with an access that is not sequentially consistent if `has_other`; with a thread that has seen `x := 1`
/// before `x := 2` it has no coherence order.
fn check<M: ReadsFrom>(model: impl Fn() -> M, has_other: bool, mark: &str) {
    for is_refuted in [false, true] {
        let mut grown = Grown::new(model(), 8, 4);
        if has_other {
            grown.write(7, OTHER, 1);
        }
        let x1 = grown.write(1, X, 1);
        let y2 = grown.write(2, Y, 2);
        assert!(grown.read(2, X, x1));
        let y1 = grown.write(3, Y, 1);
        assert!(grown.read(3, X, x1));
        let x2 = grown.write(4, X, 2);
        assert!(grown.read(4, Y, y1));
        let z1 = grown.write(6, Z, 1);
        assert!(grown.read(2, Z, z1) && grown.read(5, Z, z1) && grown.read(5, X, x2));
        if is_refuted {
            assert!(grown.read(8, X, x1) && grown.read(8, X, x2));
        }
        take_marks();
        assert_eq!(grown.read(5, Y, y2), !is_refuted);
        assert!(is_refuted || take_marks().contains(mark) || cfg!(not(debug_assertions)), "{mark}");
        if !is_refuted {
            check_orders(&mut grown, [x2, x1], [y1, y2]);
        }
    }
}

/// The orders that the model computes for all of the graph, and which writes can be last.
fn check_orders<M: ReadsFrom>(grown: &mut Grown<M>, x: [Slot; 2], y: [Slot; 2]) {
    let Grown { graph, model } = grown;
    let mut orders = Orders::default();
    orders.locs.push(LocId::new(X));
    let width = graph.width();
    model.coherence(graph, &Kept { start: Slot::new(graph.len()), prefix: &vec![0; width] }, &mut orders);
    assert_eq!(orders.order(0), [Slot::INIT, x[0], x[1]]);
    for last in y {
        assert!(model.may_be_final(graph, &[x[1], last]) && !model.may_be_final(graph, &[x[0], last]));
    }
}

#[test]
fn sc_and_store_buffers_try_the_second_order_of_a_pair() {
    let mark = "order search: the second order of a pair";
    check(Sc::default, false, mark);
    check(|| Tso::new(Mapping::Compiled), false, mark);
    check(|| Pso::new(Mapping::Compiled), false, mark);
    check(|| Rc11::new(ReleaseSequences::Cpp20), false, mark);
}

#[test]
fn rc11_tries_the_second_order_of_a_pair() {
    check(|| Rc11::new(ReleaseSequences::Cpp20), true, "psc search: the second order of a pair");
    check(|| Rc11::new(ReleaseSequences::C11), true, "psc search: the second order of a pair");
}
