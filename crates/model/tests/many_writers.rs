//! Writes of many threads to one location, which readers put into a given order: sets of chains that fit into a word,
//! and those that do not.

mod common;

use atropos_event::{Label, ReadOrder, Rmw, ThreadId, WriteOrder};
use atropos_graph::{LocId, Slot};
use atropos_model::{Kept, Orders, Ra, ReadsFrom};
use common::{Grown, Rng, access};

const X: usize = 0;

impl<M: ReadsFrom> Grown<M> {
    fn write(&mut self, thread: usize, value: u64) -> Slot {
        let place = self.graph.location(LocId::new(X)).co.len() as u32;
        let label = Label::Write { access: access(X), order: WriteOrder::Relaxed, value, exclusive: false };
        self.add(ThreadId::new(thread), label, LocId::new(X), Slot::INIT, place)
    }

    fn read(&mut self, thread: usize, source: Slot) -> bool {
        let label = Label::Read { access: access(X), order: ReadOrder::Relaxed, rmw: Rmw::None };
        let read = self.add(ThreadId::new(thread), label, LocId::new(X), source, 0);
        self.model.realisable(&self.graph, read)
    }

    fn order(&mut self) -> Vec<Slot> {
        let mut orders = Orders::default();
        orders.locs.push(LocId::new(X));
        let prefix = vec![0; self.graph.width()];
        let everything = Kept { start: Slot::new(self.graph.len()), prefix: &prefix };
        self.model.coherence(&self.graph, &everything, &mut orders);
        orders.order(0).to_vec()
    }
}

/// `n` writers, and readers that see two writes each, one after the other. If all of them are linked in this way, no
/// thread can see the first write after the last one. Otherwise the first write is free.
fn check(n: usize, seed: u64, is_linked: bool) {
    let mut rng = Rng(seed);
    let mut grown = Grown::new(Ra::default(), 2 * n + 1, 1);
    let writes: Vec<Slot> = (0..n).map(|writer| grown.write(writer + 1, writer as u64 + 1)).collect();
    let mut order = writes;
    (1..n).for_each(|last| order.swap(last, rng.below(last + 1)));
    for (nth, pair) in order.windows(2).enumerate().skip(usize::from(!is_linked)) {
        assert!(grown.read(n + 1 + nth, pair[0]) && grown.read(n + 1 + nth, pair[1]));
    }
    if !is_linked {
        // Nothing orders these two, so the writes come in the order of their threads.
        let name = |write: &Slot| grown.graph.canonical_id(*write);
        let first = order[0];
        order.remove(0);
        let behind = order.iter().position(|write| name(write) > name(&first)).unwrap_or(order.len());
        order.insert(behind, first);
    }
    order.insert(0, Slot::INIT);
    assert_eq!(grown.order(), order, "{n} writers, seed {seed}");
    if is_linked {
        assert!(grown.read(2 * n, order[n]));
        assert!(!grown.read(2 * n, order[1]), "{n} writers, seed {seed}");
    }
}

#[test]
fn readers_decide_the_order_of_writes() {
    for seed in 0..20 {
        for n in [2, 3, 9, 63, 64, 70] {
            check(n, seed, true);
            check(n, seed, false);
        }
    }
}
