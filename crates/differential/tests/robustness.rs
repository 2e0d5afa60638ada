//! Robustness: a graph that TSO or PSO allows is one of SC exactly when the oracle says so; so a program is robust
//! exactly when its sets of executions are the same.

use atropos_cat::Model;
use atropos_check::robustness::is_sequentially_consistent;
use atropos_differential::machine;
use atropos_event::{Mapping, Program, Refusal};
use atropos_explore::{Co, Config, Control, Ending, Execution, Observer, Report, Trust, search};
use atropos_graph::Canonical;
use atropos_model::{MemoryModel, Pso, Tso};
use atropos_testkit::oracle::{Enumeration, Refused, enumerate_all};
use atropos_testkit::{ProgramShape, Style, generate};
use std::collections::BTreeSet;
use std::path::Path;

/// The executions, and whether they are said to be sequentially consistent.
#[derive(Default)]
struct Collect(BTreeSet<(Canonical, bool)>);

impl Observer for Collect {
    fn execution(&mut self, _ending: Ending, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        let canonical = Canonical::of(graph, |thread| run.key(thread), true);
        self.0.insert((canonical, is_sequentially_consistent(graph)));
    }

    fn violation(&mut self, _report: Report, _execution: Execution<'_>) {}

    fn refused(&mut self, refusal: Refusal) {
        panic!("refused: {refusal:?}");
    }
}

fn judged(program: &dyn Program, model: &(impl MemoryModel + Clone + Sync)) -> BTreeSet<(Canonical, bool)> {
    let config = Config { keep_going: true, abandon_doomed: false, ..Config::default() };
    let control = Control::default();
    let search = search(program, &Trust::<_, Co>::new(model.clone()), config, &control, 1, Collect::default);
    search.observers.into_iter().flat_map(|observer| observer.0).collect()
}

fn all(found: &Enumeration) -> BTreeSet<Canonical> {
    found.complete.union(&found.blocked).cloned().map(Canonical::without_reasons).collect()
}

/// How many of the two models, whose mapping is given, leave the program robust; none if it is too large.
fn n_robust(name: &str, program: &dyn Program, mapping: Mapping) -> Option<usize> {
    let models = ["pso", "tso", "sc"].map(|name| Model::builtin(name).expect("a built-in model"));
    let config = atropos_testkit::oracle::EnumerationConfig {
        mapping,
        limit: 10_000,
        ..atropos_testkit::oracle::EnumerationConfig::default()
    };
    let found = match enumerate_all(program, &models.each_ref(), config) {
        Ok(found) => found,
        Err(Refused::TooLarge { .. }) => return None,
        Err(refused) => panic!("{name}: {refused}"),
    };
    let sequential = all(&found[2]);
    let mut n_robust = 0;
    for (weak, judged) in
        [(&found[0], judged(program, &Pso::new(mapping))), (&found[1], judged(program, &Tso::new(mapping)))]
    {
        let expected: BTreeSet<_> = all(weak)
            .into_iter()
            .map(|execution| {
                let is_sequential = sequential.contains(&execution);
                (execution, is_sequential)
            })
            .collect();
        assert!(judged == expected, "{name} under {mapping:?}");
        assert!(sequential.is_subset(&all(weak)), "{name}: SC has more executions");
        let is_robust = judged.iter().all(|&(_, is_sequential)| is_sequential);
        assert_eq!(is_robust, all(weak) == sequential, "{name}");
        n_robust += usize::from(is_robust);
    }
    Some(n_robust)
}

#[test]
fn random_programs_are_robust_where_the_oracle_says_so() {
    let (mut n_judged, mut n_robust_in_all) = (0, 0);
    for (seed, style) in (0..).zip(Style::ALL.into_iter().cycle().take(270)) {
        let ast = generate(seed, &ProgramShape { max_instructions: 8, ..ProgramShape::of(style) });
        let mapping = if seed % 2 == 0 { Mapping::Compiled } else { Mapping::Raw };
        let Some(n) = n_robust(&format!("seed {seed}:\n{ast}"), &machine(&ast), mapping) else { continue };
        n_judged += 2;
        n_robust_in_all += n;
    }
    assert!(n_robust_in_all > n_judged / 4, "{n_robust_in_all} of {n_judged} are robust");
    assert!(n_judged - n_robust_in_all > n_judged / 50, "{n_robust_in_all} of {n_judged} are robust");
}

#[test]
fn litmus_tests_are_robust_where_the_oracle_says_so() {
    let (mut n_judged, mut n_robust_in_all) = (0, 0);
    for folder in ["c", "x86"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus").join(folder);
        for entry in std::fs::read_dir(folder).expect("the corpus is there") {
            let path = entry.expect("a readable folder").path();
            let (text, name) = (std::fs::read_to_string(&path).expect("a readable file"), path.display());
            let test = atropos_litmus::load(&text, &name.to_string())
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            if test.check_model("tso").is_err() {
                continue;
            }
            let Some(n) = n_robust(test.name(), test.program(), Mapping::Compiled) else { continue };
            n_judged += 2;
            n_robust_in_all += n;
        }
    }
    assert!(n_judged > 150, "{n_judged} answers");
    assert!(
        (n_judged / 4..n_judged).contains(&n_robust_in_all),
        "{n_robust_in_all} of {n_judged} are robust"
    );
}
