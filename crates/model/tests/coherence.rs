//! Compares models that track coherence with their cat files, on random graphs, step by step: the model accepts an
//! event that respects the windows of coherence and the atomicity of updates exactly if the cat file accepts the
//! graph.

mod common;

use atropos_event::{Label, Mapping, ThreadId};
use atropos_graph::{LocId, Slot};
use atropos_model::{MemoryModel, Pso, Ra, Rc11, ReleaseSequences, Sc, Sra, Tso, coherence};
use common::{Cat, Grown, Kind, Rng, some_kind, some_label};

struct Trial<M> {
    grown: Grown<M>,
    cat: Cat,
    rng: Rng,
    kind: Kind,
}

impl<M: MemoryModel> Trial<M> {
    fn step(&mut self) {
        let thread = ThreadId::new(1 + self.rng.below(self.kind.n_threads));
        let (label, loc) = some_label(&mut self.rng, self.kind);
        let Some(loc) = loc.map(LocId::new) else {
            self.grown.add(thread, label, LocId::NONE, Slot::INIT, 0);
            return;
        };
        let graph = &self.grown.graph;
        let floor = coherence::floor_of_next(&self.grown.model, graph, thread, loc);
        let co = graph.location(loc).co.clone();
        let Label::Read { access, rmw, .. } = label else {
            let is_free = |place: usize| co.get(place).is_none_or(|&next| !graph.event(next).exclusive);
            let places: Vec<_> = (floor + 1..=co.len()).filter(|&place| is_free(place)).collect();
            let place = self.rng.pick(&places) as u32;
            let write = self.grown.add(thread, label, loc, Slot::INIT, place);
            self.keep_if_accepted(write);
            return;
        };
        let source = self.rng.pick(&co[floor..]);
        let is_update = rmw.write_after(access, graph.value_of(loc, source)).is_some();
        if is_update && self.grown.is_taken(loc, source) {
            return;
        }
        let read = self.grown.add(thread, label, loc, source, 0);
        if self.keep_if_accepted(read)
            && let Some(label) = self.grown.write_of_last()
        {
            let place = self.grown.graph.co_position(source) as u32 + 1;
            let write = self.grown.add(thread, label, loc, Slot::INIT, place);
            if !self.keep_if_accepted(write) {
                self.grown.graph.pop();
            }
        }
    }

    /// Whether the model accepts the graph with `added`. The cat file must agree.
    fn keep_if_accepted(&mut self, added: Slot) -> bool {
        let expected = self.cat.accepts(&self.grown.graph);
        let found = self.grown.model.accepts(&self.grown.graph, added);
        assert_eq!(found, expected, "with {added:?}: {}", self.grown.shown(&self.cat));
        if !found {
            self.grown.graph.pop();
        }
        found
    }
}

fn check<M: MemoryModel>(model: impl Fn() -> M, name: &str, mapping: Mapping, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut rng = Rng(seed);
        let kind = some_kind(&mut rng);
        let grown = Grown::new(model(), kind.n_threads, kind.n_locations);
        let mut trial = Trial { grown, cat: Cat::new(name, mapping), rng, kind };
        (0..kind.n_accesses + 4).for_each(|_| trial.step());
    }
}

#[test]
fn sequential_consistency_is_that_of_its_file() {
    check(Sc::default, "sc", Mapping::Compiled, 0..2000);
}

#[test]
fn store_buffers_are_those_of_their_files() {
    for mapping in [Mapping::Compiled, Mapping::Raw] {
        check(|| Tso::new(mapping), "tso", mapping, 0..2000);
        check(|| Pso::new(mapping), "pso", mapping, 0..2000);
    }
}

#[test]
fn release_acquire_is_that_of_its_files() {
    check(Ra::default, "ra", Mapping::Compiled, 0..1000);
    check(Sra::default, "sra", Mapping::Compiled, 0..2000);
}

#[test]
fn rc11_is_that_of_its_file() {
    check(|| Rc11::new(ReleaseSequences::Cpp20), "rc11", Mapping::Compiled, 0..6000);
    check(|| Rc11::new(ReleaseSequences::C11), "rc11-c11", Mapping::Compiled, 0..1000);
}
