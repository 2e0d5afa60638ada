//! Litmus tests: the explorers' states and verdicts against the oracle's, on generated ones (the program
//! `litmus-oracle` does the same for thousands), and those of all algorithms against each other on the corpus.

use atropos_differential::algorithm::{Algorithm, AlgorithmRun, models_of};
use atropos_differential::litmus::{Family, Judge, Judged};
use atropos_litmus::{Test, load};
use atropos_testkit::UpTo;
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn generated_litmus_tests_are_answered_as_the_oracle_answers() {
    let judge = Judge::default();
    let mut n_allowed = 0;
    let mut n_tests = 0;
    for family in Family::all() {
        for test in family.tests(70, 17) {
            match judge.check(&test) {
                Ok(Judged::Agreed { n_allowed: n_more, .. }) => n_allowed += n_more,
                Ok(Judged::Skipped) => panic!("{} is too large", test.name()),
                Err(difference) => panic!("{difference}"),
            }
            n_tests += 1;
        }
    }
    assert!(n_tests >= 280, "{n_tests} tests");
    assert!(n_allowed > n_tests / 4, "weak behaviour is seen: {n_allowed} of {n_tests} tests");
}

/// The final states that an algorithm finds.
fn states(test: &Test, task: AlgorithmRun<'_>) -> BTreeSet<Box<[i64]>> {
    let found = task.run(test.program());
    assert_eq!(found.refused, None, "{}", test.name());
    let outcome = |execution: &atropos_graph::Canonical| test.outcome(|event| execution.event(event).value);
    found.complete.iter().map(outcome).collect()
}

#[test]
fn all_algorithms_find_the_same_final_states_on_the_corpus() {
    let mut n_compared = 0;
    for folder in ["c", "x86"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus").join(folder);
        for entry in std::fs::read_dir(folder).expect("the corpus is there") {
            let path = entry.expect("a readable folder").path();
            let (text, name) = (std::fs::read_to_string(&path).expect("a readable file"), path.display());
            let test = load(&text, &name.to_string()).unwrap_or_else(|error| panic!("{name}: {error}"));
            for model in ["sc", "tso", "pso", "ra", "rc11", "rc11-c11"] {
                let name_in_litmus = if model == "rc11-c11" { "rc11" } else { model };
                if test.check_model(name_in_litmus).is_err() {
                    continue;
                }
                let trust = AlgorithmRun::new(Algorithm::Trust, model);
                let expected = states(&test, trust);
                let by_rf = AlgorithmRun { equivalence: UpTo::Rf, ..trust };
                let others = Algorithm::ALL.into_iter().filter(|&other| models_of(other).contains(&model));
                let others = others.map(|algorithm| AlgorithmRun { algorithm, ..trust });
                for task in others.chain([by_rf]) {
                    assert_eq!(states(&test, task), expected, "{name}: {task:?}");
                    n_compared += 1;
                }
            }
        }
    }
    assert!(n_compared > 1_000, "{n_compared} comparisons");
}
