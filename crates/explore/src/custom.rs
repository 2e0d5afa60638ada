//! A user's own model, given as a cat file. It is evaluated on the whole graph, up to `co` only.
//!
//! TruSt is correct for a model that is well-formed, prefix-closed and maximally extensible [TruSt §3.1]; the graphs
//! also make read-modify-writes atomic. A model that visibly violates this is refused with the reason:
//!
//! 1. `po | rf` must be acyclic in every execution: the model must forbid load buffering, in several shapes and with
//!    every order of the accesses.
//! 2. It must be prefix-closed: by its syntax ([`atropos_cat::NotMonotone`]).
//! 3. It must forbid a write between a read-modify-write and its source.
//! 4. A thread must see what the threads it has joined did: the final state of a test is read that way.
//! 5. It must be maximally extensible: if the model rejects a maximal event during the search, the search stops and
//!    reports this.

use atropos_cat::bridge::{Numbered, Numbering, structure};
use atropos_cat::{Axiom, BaseRelation, BaseSet, EventSet, Model, Relation, Structure, Witness};
use atropos_event::{Mapping, RefusalReason};
use atropos_graph::{Clock, Graph, Slot};
use atropos_model::closure::co_next;
use atropos_model::{Flagged, MemoryModel};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Custom {
    cat: Arc<Model>,
    mapping: Mapping,
    complaint: Option<RefusalReason>,
}

impl Custom {
    /// A model that the engine can explore, or the reason why it cannot.
    pub fn new(cat: Model, mapping: Mapping) -> Result<Custom, String> {
        cat.check_monotone().map_err(|reason| reason.to_string())?;
        for orders in ProbeOrders::ALL {
            for n_threads in 2..=3 {
                if is_allowed(&cat, &load_buffering(n_threads, orders))? {
                    return Err(format!(
                        "the model allows cycles of `po` and `rf` (load buffering with {n_threads} threads and {} \
                         accesses); only executions without them can be explored",
                        orders.name
                    ));
                }
            }
        }
        if is_allowed(&cat, &stale_after_join())? {
            let reason = "a thread can miss a write of a thread it has joined; coherence must respect `sync`";
            return Err(reason.to_string());
        }
        if is_allowed(&cat, &write_inside_rmw())? {
            let reason = "the model allows a write between a read-modify-write and the write it reads from; add \
                          `empty rmw & (fr ; co)`";
            return Err(reason.to_string());
        }
        Ok(Custom { cat: Arc::new(cat), mapping, complaint: None })
    }

    pub fn cat(&self) -> &Model {
        &self.cat
    }
}

fn is_allowed(cat: &Model, structure: &Structure) -> Result<bool, String> {
    cat.is_consistent(structure).map_err(|error| error.to_string())
}

impl MemoryModel for Custom {
    const HAS_VIEWS: bool = false;
    const IS_COHERENT: bool = false;
    const IS_EXTENSIBLE: bool = false;

    fn observe(&mut self, _graph: &mut Graph, _slot: Slot) {}

    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        graph.porf(slot)
    }

    fn accepts(&mut self, graph: &Graph, added: Slot) -> bool {
        match self.cat.is_consistent(&structure(graph, self.mapping)) {
            Ok(true) => true,
            Ok(false) => {
                if co_next(graph, added).is_none() {
                    let (model, event) = (self.cat.name.clone(), graph.event(added).id);
                    self.complaint = Some(RefusalReason::NotExtensible { model, event });
                }
                false
            }
            Err(error) => {
                self.complaint = Some(RefusalReason::Model(error));
                false
            }
        }
    }

    fn has_flags(&self) -> bool {
        self.cat.axioms().iter().any(|axiom| axiom.is_flag)
    }

    fn flagged(&mut self, graph: &Graph, is_complete: bool) -> Vec<Flagged> {
        let Ok(raised) = self.cat.raised(&structure(graph, self.mapping)) else { return Vec::new() };
        let numbering = Numbering::of(graph);
        let slot = |number: usize| match numbering.decode(number) {
            Numbered::Event(slot) => Some(slot),
            Numbered::Initial(_) => None,
        };
        let events = |witness: Witness| match witness {
            Witness::Cycle(edges) => edges.iter().filter_map(|edge| slot(edge.from)).collect(),
            Witness::Pairs(pairs) => {
                let mut pairs = pairs.iter().filter_map(|&(from, to)| Some(vec![slot(from)?, slot(to)?]));
                pairs.next().unwrap_or_default()
            }
            Witness::Events(events) => events.first().and_then(|&event| slot(event)).into_iter().collect(),
            Witness::Nothing => Vec::new(),
        };
        let counts = |flag: &Axiom| is_complete || flag.is_raised_for_good(&self.cat);
        let raised = raised.into_iter().filter(|(flag, _)| counts(flag));
        raised.map(|(flag, witness)| Flagged { name: flag.name.clone(), events: events(witness) }).collect()
    }

    fn complaint(&mut self) -> Option<RefusalReason> {
        self.complaint.take()
    }
}

/// The orders of the accesses of a probe.
#[derive(Clone, Copy)]
struct ProbeOrders {
    name: &'static str,
    reads: BaseSet,
    writes: BaseSet,
}

impl ProbeOrders {
    const ALL: [ProbeOrders; 4] = [
        ProbeOrders { name: "plain", reads: BaseSet::Plain, writes: BaseSet::Plain },
        ProbeOrders { name: "relaxed", reads: BaseSet::Relaxed, writes: BaseSet::Relaxed },
        ProbeOrders { name: "release-acquire", reads: BaseSet::Acquire, writes: BaseSet::Release },
        ProbeOrders {
            name: "sc",
            reads: BaseSet::SequentiallyConsistent,
            writes: BaseSet::SequentiallyConsistent,
        },
    ];
}

/// A structure in the making: all base sets and relations, empty at first.
struct Probe {
    structure: Structure,
    n: usize,
}

impl Probe {
    fn new(n: usize) -> Self {
        let mut structure = Structure::new(n);
        BaseSet::ALL.iter().for_each(|&set| structure.put_set(set, EventSet::new(n)));
        BaseRelation::ALL.iter().for_each(|&relation| structure.put_relation(relation, Relation::new(n)));
        Probe { structure, n }
    }

    fn put(&mut self, event: usize, sets: &[BaseSet]) {
        for &set in sets {
            let mut value = self.structure.get_set(set).expect("all sets are given").clone();
            value.insert(event);
            self.structure.put_set(set, value);
        }
    }

    fn relate(&mut self, relation: BaseRelation, pairs: impl IntoIterator<Item = (usize, usize)>) {
        let mut value = self.structure.get_relation(relation).expect("all relations are given").clone();
        pairs.into_iter().for_each(|(from, to)| value.insert(from, to));
        self.structure.put_relation(relation, value);
    }

    /// Threads and locations as equivalences; event 0 and on up to `n_initial` are initial writes.
    fn partition(&mut self, n_initial: usize, thread: impl Fn(usize) -> usize, loc: impl Fn(usize) -> usize) {
        let n = self.n;
        let pairs = || (0..n).flat_map(move |a| (0..n).map(move |b| (a, b)));
        let is_internal =
            |a: usize, b: usize| a == b || (a >= n_initial && b >= n_initial && thread(a) == thread(b));
        self.relate(BaseRelation::Int, pairs().filter(|&(a, b)| is_internal(a, b)));
        self.relate(BaseRelation::Ext, pairs().filter(|&(a, b)| !is_internal(a, b)));
        self.relate(BaseRelation::Loc, pairs().filter(|&(a, b)| loc(a) == loc(b)));
        self.relate(BaseRelation::Po, pairs().filter(|&(a, b)| a < n_initial && b >= n_initial));
        (0..n_initial).for_each(|event| {
            self.put(event, &[BaseSet::Writes, BaseSet::InitialWrites, BaseSet::Accesses, BaseSet::Plain]);
        });
    }
}

/// Thread `i` reads location `i`, written by thread `i - 1`, and then writes location `i + 1`.
fn load_buffering(n_threads: usize, orders: ProbeOrders) -> Structure {
    let (n_initial, n) = (n_threads, 3 * n_threads);
    let (read, write) = (|i: usize| n_initial + 2 * i, |i: usize| n_initial + 2 * i + 1);
    let mut probe = Probe::new(n);
    let loc = |event: usize| match event.checked_sub(n_initial) {
        None => event,
        Some(offset) => (offset / 2 + offset % 2) % n_threads,
    };
    probe.partition(n_initial, |event| (event - n_initial) / 2, loc);
    let atomic = |set: BaseSet| if set == BaseSet::Plain { vec![set] } else { vec![set, BaseSet::Atomic] };
    for i in 0..n_threads {
        probe.put(read(i), &[&[BaseSet::Reads, BaseSet::Accesses], &atomic(orders.reads)[..]].concat());
        probe.put(write(i), &[&[BaseSet::Writes, BaseSet::Accesses], &atomic(orders.writes)[..]].concat());
        probe.relate(BaseRelation::Po, [(read(i), write(i))]);
        probe.relate(BaseRelation::Rf, [(write(i), read((i + 1) % n_threads))]);
        probe.relate(BaseRelation::Co, [((i + 1) % n_threads, write(i))]);
    }
    probe.structure
}

/// A read-modify-write (events 1 and 2) reads the initial write; the write of another thread comes between.
fn write_inside_rmw() -> Structure {
    let mut probe = Probe::new(4);
    probe.partition(1, |event| usize::from(event == 3), |_| 0);
    let (read, write, other) = (1, 2, 3);
    let order = [BaseSet::Accesses, BaseSet::Atomic, BaseSet::Relaxed];
    probe.put(read, &[&[BaseSet::Reads, BaseSet::Exclusive], &order[..]].concat());
    probe.put(write, &[&[BaseSet::Writes, BaseSet::Exclusive], &order[..]].concat());
    probe.put(other, &[&[BaseSet::Writes], &order[..]].concat());
    probe.relate(BaseRelation::Po, [(read, write)]);
    probe.relate(BaseRelation::Rf, [(0, read)]);
    probe.relate(BaseRelation::Rmw, [(read, write)]);
    probe.relate(BaseRelation::Co, [(0, other), (0, write), (other, write)]);
    probe.structure
}

/// A thread (events 1 and 2) writes and ends; another (3 and 4) joins it and reads the initial value.
fn stale_after_join() -> Structure {
    let mut probe = Probe::new(5);
    let (write, end, join, read) = (1, 2, 3, 4);
    probe.partition(
        1,
        |event| usize::from(event >= join),
        |event| if event == end || event == join { event } else { 0 },
    );
    let order = [BaseSet::Accesses, BaseSet::Atomic, BaseSet::Relaxed];
    probe.put(write, &[&[BaseSet::Writes], &order[..]].concat());
    probe.put(end, &[BaseSet::End, BaseSet::Barrier]);
    probe.put(join, &[BaseSet::Join, BaseSet::Barrier]);
    probe.put(read, &[&[BaseSet::Reads], &order[..]].concat());
    probe.relate(BaseRelation::Po, [(write, end), (join, read)]);
    probe.relate(BaseRelation::Sync, [(end, join)]);
    probe.relate(BaseRelation::Rf, [(0, read)]);
    probe.relate(BaseRelation::Co, [(0, write)]);
    probe.structure
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> Option<String> {
        let model = Model::parse("mine.cat", text, &|_, _| Ok(None)).unwrap();
        Custom::new(model, Mapping::Compiled).err()
    }

    #[test]
    fn built_in_models_can_be_explored_as_custom_ones() {
        for name in ["sc", "tso", "pso", "ra", "sra", "rc11", "rc11-c11"] {
            let model = Model::builtin(name).unwrap();
            assert_eq!(Custom::new(model, Mapping::Compiled).err(), None, "{name}");
        }
    }

    #[test]
    fn models_that_break_an_assumption_are_refused_with_the_reason() {
        let coherent = "acyclic po-loc | rf | co | fr as coherence empty rmw & (fr ; co) as atomicity ";
        assert!(refusal(coherent).unwrap().contains("load buffering with 2 threads and plain accesses"));
        let torn = "acyclic po | rf | sync | co | fr as sc";
        assert!(refusal(torn).unwrap().contains("between a read-modify-write"));
        let without_sync = format!("{coherent} acyclic po | rf as thin");
        assert!(refusal(&without_sync).unwrap().contains("a thread it has joined"));
        let with_sync = "acyclic po | sync | rf | co | fr as sc empty rmw & (fr ; co) as atomicity";
        assert!(refusal(with_sync).is_none());
        assert!(refusal("acyclic po \\ (po ; po) as odd").unwrap().contains("subtracts `po ; po`"));
    }
}
