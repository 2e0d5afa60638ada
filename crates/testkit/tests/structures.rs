//! Compares the explorers' bridge to cat (`atropos_cat::bridge`) with the oracle's: on every final candidate of
//! random programs, consistent or not, a model must give the same answer through both.

use atropos_cat::Model;
use atropos_cat::bridge::structure;
use atropos_event::{EventId, Initial, Label, Mapping, Position, Replayed, ThreadId};
use atropos_graph::{Canonical, Graph, LocId, Outcome, Slot, validate};
use atropos_testkit::oracle::{EnumerationConfig, Refused, enumerate_all};
use atropos_testkit::{Ast, ProgramShape, generate};

const MODELS: [&str; 8] = ["sc", "tso", "pso", "sra", "ra", "rc11", "rc11-c11", "wrc11"];

/// The graph of a canonical value whose locations start as zeroes.
fn graph_of(canonical: &Canonical) -> Graph {
    let mut graph = Graph::new(false);
    let mut slots: Vec<Vec<Slot>> = vec![Vec::new(); canonical.threads.len()];
    while graph.len() < canonical.n_events() {
        for (thread, of_thread) in canonical.threads.iter().enumerate() {
            let Some(event) = of_thread.events.get(slots[thread].len()) else { continue };
            let rf = match event.source {
                None => Slot::INIT,
                Some(source) => match slots[source.thread().index()].get(source.index()) {
                    Some(&slot) => slot,
                    None => continue,
                },
            };
            let access = event.label.access();
            let loc =
                access.map_or(LocId::NONE, |access| graph.locate(access, || Initial::Value(0)).unwrap());
            let id = EventId::new(ThreadId::new(thread), slots[thread].len());
            let co =
                if event.label.is_write() { n_before(canonical, &slots, event.label, id) + 1 } else { 0 };
            let outcome = Outcome { rf, co: co as u32, value: event.value, before: Position(0) };
            slots[thread].push(graph.add(ThreadId::new(thread), event.label, loc, outcome));
        }
    }
    graph
}

/// The number of writes of the graph that are before `write` in coherence order.
fn n_before(canonical: &Canonical, slots: &[Vec<Slot>], label: Label, write: EventId) -> usize {
    let (_, writes) = canonical.co.iter().find(|(access, _)| Some(*access) == label.access()).unwrap();
    let before = writes.iter().take_while(|&&other| other != write);
    before.filter(|other| other.index() < slots[other.thread().index()].len()).count()
}

/// Compares one program; returns how often a model rejected a candidate.
fn check(ast: &Ast, everything: &Model, models: &[Model], mapping: Mapping) -> Result<usize, Refused> {
    let mut all: Vec<&Model> = vec![everything];
    all.extend(models);
    let config = EnumerationConfig { mapping, prune: false, limit: 5_000, ..EnumerationConfig::default() };
    let mut found = enumerate_all(&Replayed(ast.clone()), &all, config)?;
    let candidates = found.remove(0);
    let mut n_rejected = 0;
    for candidate in candidates.complete.iter().chain(&candidates.blocked) {
        let graph = graph_of(candidate);
        assert_eq!(validate(&graph), Ok(()), "{candidate}");
        let structure = structure(&graph, mapping);
        for (model, found) in models.iter().zip(&found) {
            let is_accepted = found.complete.contains(candidate) || found.blocked.contains(candidate);
            let name = &model.name;
            assert_eq!(model.is_consistent(&structure).unwrap(), is_accepted, "{name}\n{ast}\n{candidate}");
            n_rejected += usize::from(!is_accepted);
        }
    }
    Ok(n_rejected)
}

#[test]
fn both_bridges_give_models_the_same_view() {
    let everything = Model::parse("everything", "", &|_, _| Ok(None)).unwrap();
    let models = MODELS.map(|name| Model::builtin(name).unwrap());
    let shape = ProgramShape { max_instructions: 5, ..ProgramShape::default() };
    let (mut n_checked, mut n_rejected) = (0, 0);
    for seed in 0..300 {
        let mapping = if seed % 2 == 0 { Mapping::Compiled } else { Mapping::Raw };
        if let Ok(n) = check(&generate(seed, &shape), &everything, &models, mapping) {
            n_checked += 1;
            n_rejected += n;
        }
    }
    assert!(n_checked > 250 && n_rejected > 1000, "{n_checked} programs, {n_rejected} rejections");
}
