//! Compares the axioms on sparse relations with the cat files: both reject the same executions of random programs,
//! whether the explored model allows them or not.

use atropos_cat::Model;
use atropos_cat::bridge::structure;
use atropos_event::{Mapping, Refusal, Replayed};
use atropos_explore::{Co, Config, Control, Ending, Execution, Observer, Report, Trust, search};
use atropos_graph::{Graph, LocId};
use atropos_model::{MemoryModel, Pso, Ra, Rc11};
use atropos_report::axioms;
use atropos_testkit::{Ast, ProgramShape, Style, generate};
use std::collections::BTreeMap;

const MODELS: [&str; 7] = ["sc", "tso", "pso", "ra", "sra", "rc11", "rc11-c11"];

/// Compares on every execution, and counts those that are allowed and forbidden, by model.
#[derive(Default)]
struct Compare {
    seen: BTreeMap<(&'static str, bool), u64>,
}

impl Compare {
    fn compare(&mut self, graph: &Graph) {
        for name in MODELS {
            let model = Model::builtin(name).unwrap();
            for mapping in [Mapping::Compiled, Mapping::Raw] {
                let expected = model.is_consistent(&structure(graph, mapping)).unwrap();
                let violated = axioms::violated(graph, name, mapping).unwrap();
                assert_eq!(violated.is_none(), expected, "{violated:?} of {name}, {mapping:?}:\n{graph:?}");
                *self.seen.entry((name, expected)).or_default() += 1;
            }
        }
    }
}

/// The same execution with other coherence orders: two adjacent writes of each location swap places.
fn rearranged(graph: &Graph) -> Vec<Graph> {
    let locations = (0..graph.locations().len()).map(LocId::new);
    let several = locations.filter(|&loc| graph.location(loc).co.len() > 2);
    let swapped = several.map(|loc| {
        let (mut order, mut other) = (graph.location(loc).co.clone(), graph.clone());
        let n_writes = order.len();
        order.swap(n_writes - 2, n_writes - 1);
        other.set_co(loc, &order);
        other
    });
    swapped.collect()
}

impl Observer for Compare {
    fn execution(&mut self, _ending: Ending, execution: Execution<'_>) {
        self.compare(execution.graph);
        rearranged(execution.graph).iter().for_each(|other| self.compare(other));
    }

    fn violation(&mut self, _report: Report, _execution: Execution<'_>) {}

    fn refused(&mut self, refusal: Refusal) {
        panic!("refused: {refusal:?}");
    }
}

fn compare_all(
    style: Style,
    n_seeds: u64,
    most: u64,
    model: &(impl MemoryModel + Clone + Sync),
    seen: &mut BTreeMap<(&'static str, bool), u64>,
) {
    for seed in 0..n_seeds {
        let ast = generate(seed, &ProgramShape { max_instructions: 8, ..ProgramShape::of(style) });
        for (key, n) in compare_some(ast, Some(most), model) {
            *seen.entry(key).or_default() += n;
        }
    }
}

/// Compares on the first executions of a program, or on all.
fn compare_some(
    ast: Ast,
    most: Option<u64>,
    model: &(impl MemoryModel + Clone + Sync),
) -> BTreeMap<(&'static str, bool), u64> {
    let program = Replayed(ast);
    let config = Config { keep_going: true, max_executions: most, ..Config::default() };
    let control = Control::default();
    let search = search(&program, &Trust::<_, Co>::new(model.clone()), config, &control, 1, Compare::default);
    search.observers.into_iter().next().expect("one worker").seen
}

/// Programs that few random ones resemble, each with an execution that one axiom is about.
#[test]
fn the_axioms_are_those_of_the_cat_files_for_fences_and_forwarding() {
    for text in [
        "x := 1; fence sc; r0 := y || y := 1; fence sc; r0 := x",
        "x := 1 sc; r0 := y sc || y := 1; fence sc; r0 := x",
        "x := 1 || y := 1 || r0 := x; fence sc; r1 := y || r0 := y; fence sc; r1 := x",
        "x := 1; fence rel; y := 1 || r0 := y; fence acq; r1 := x",
        "x := 1; y := 1 rel || r0 := y; fence acq; r1 := x",
        "x := 1; r0 := x; r1 := y || y := 1; r0 := y; r1 := x",
        "x := 1; fence rel; y := 1 || r0 := add y 1 rlx rlx || r0 := y; fence acq; r1 := x",
    ] {
        let ast: Ast = text.parse().unwrap();
        let ast = Ast::parallel(ast.threads);
        compare_some(ast.clone(), None, &Ra::default());
        compare_some(ast.clone(), None, &Rc11::default());
        compare_some(ast.clone(), None, &Pso::new(Mapping::Compiled));
        compare_some(ast, None, &Pso::new(Mapping::Raw));
    }
}

#[test]
fn the_axioms_are_those_of_the_cat_files() {
    let mut seen = BTreeMap::new();
    for style in Style::ALL {
        compare_all(style, 25, 20, &Ra::default(), &mut seen);
        compare_all(style, 25, 20, &Pso::new(Mapping::Compiled), &mut seen);
    }
    for model in MODELS {
        for expected in [true, false] {
            assert!(seen.get(&(model, expected)).is_some_and(|&n| n > 100), "{model} {expected}: {seen:?}");
        }
    }
}
