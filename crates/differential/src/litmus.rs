//! Litmus tests: compares the explorers' final states and verdicts with the oracle's.
//!
//! The whole answer is compared, with its counts, so the oracle must find as many executions for each final state as
//! the explorer.

use crate::SearchSettings;
use atropos_cat::Model;
use atropos_graph::Canonical;
use atropos_litmus::ast::Dialect;
use atropos_litmus::generate::{Annotation, CycleLimits, Edge, cycles, litmus};
use atropos_litmus::{Outcomes, Test, TestResult, load};
use atropos_testkit::UpTo;
use atropos_testkit::oracle::{Refused, enumerate_all, rf_projection};

/// The models, the most permissive first; models of languages do not apply to X86.
const MODELS: [&str; 6] = ["rc11", "ra", "sra", "pso", "tso", "sc"];

/// The oracle and its models.
pub struct Judge {
    models: Vec<Model>,
    pub config: atropos_testkit::oracle::EnumerationConfig,
}

impl Default for Judge {
    fn default() -> Self {
        let builtin = |name| Model::builtin(name).expect("a built-in model");
        Judge {
            models: MODELS.map(builtin).into(),
            config: atropos_testkit::oracle::EnumerationConfig {
                limit: 300_000,
                ..atropos_testkit::oracle::EnumerationConfig::default()
            },
        }
    }
}

/// The result of a comparison without differences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// The number of models, and for how many of them the condition holds.
    Agreed { n_models: usize, n_allowed: usize },
    /// The test is too large for the oracle.
    Skipped,
}

impl Judge {
    /// Compares the answers to `test` under every model that applies to it, up to `co` and `rf`.
    ///
    /// # Errors
    /// Both answers, if they differ.
    pub fn check(&self, test: &Test) -> Result<Judged, String> {
        let models: Vec<&Model> =
            self.models.iter().filter(|model| test.check_model(&model.name).is_ok()).collect();
        let found = match enumerate_all(test.program(), &models, self.config) {
            Ok(found) => found,
            Err(Refused::TooLarge { .. }) => return Ok(Judged::Skipped),
            Err(refused) => return Err(format!("{}: the oracle refuses: {refused}", test.name())),
        };
        let mut n_allowed = 0;
        for (model, found) in models.iter().zip(found) {
            let projected = rf_projection(&found.complete);
            for equivalence in [UpTo::Co, UpTo::Rf] {
                let expected = match equivalence {
                    UpTo::Co => result(test, found.complete.iter()),
                    UpTo::Rf => result(test, projected.iter()),
                };
                let explored = SearchSettings::new(&model.name, equivalence).run(test.program());
                let answer = result(test, explored.complete.iter());
                if answer != expected {
                    return Err(format!(
                        "{} under {} up to {equivalence:?}\n\nexplorer:\n{answer}\noracle:\n{expected}\n{}",
                        test.name(),
                        model.name,
                        test.syntax()
                    ));
                }
                let is_allowed = answer.answer.is_some_and(|answer| answer.positive > 0);
                n_allowed += usize::from(is_allowed && equivalence == UpTo::Co);
            }
        }
        Ok(Judged::Agreed { n_models: models.len(), n_allowed })
    }
}

pub(crate) fn result<'a>(test: &Test, executions: impl Iterator<Item = &'a Canonical>) -> TestResult {
    let mut outcomes = Outcomes::new();
    for execution in executions {
        *outcomes.entry(test.outcome(|event| execution.event(event).value)).or_default() += 1;
    }
    test.result(&outcomes)
}

/// A family of generated tests.
#[derive(Clone, Debug)]
pub struct Family {
    pub name: &'static str,
    dialect: Dialect,
    config: CycleLimits,
}

impl Family {
    /// All families.
    ///
    /// # Panics
    /// Never: the words are edges.
    pub fn all() -> Vec<Family> {
        let edges = |words: &str| -> Vec<Edge> {
            words.split_whitespace().map(|word| word.parse().expect("an edge")).collect()
        };
        let communication = "Rfe Fre Coe";
        let fences =
            "FenceScdWR FenceScdRR FenceScdWW FenceScdRW FenceReldWW FenceReldRW FenceAcqdRR FenceAcqdRW";
        let config = CycleLimits { max_threads: 3, max_edges: 6, ..CycleLimits::default() };
        vec![
            Family {
                name: "annotations",
                dialect: Dialect::C,
                config: CycleLimits {
                    edges: edges(&format!("{communication} PodWW PodWR PodRW PodRR")),
                    annotations: Annotation::ALL.to_vec(),
                    max_edges: 5,
                    ..config.clone()
                },
            },
            Family {
                name: "fences",
                dialect: Dialect::C,
                config: CycleLimits {
                    edges: edges(&format!("{communication} PodWW PodWR PodRW PodRR {fences}")),
                    annotations: vec![Annotation::Rlx, Annotation::Sc],
                    ..config.clone()
                },
            },
            Family {
                name: "every edge",
                dialect: Dialect::C,
                config: CycleLimits {
                    edges: Edge::all(),
                    max_edges: 5,
                    max_thread_accesses: 3,
                    ..config.clone()
                },
            },
            Family {
                name: "large",
                dialect: Dialect::C,
                config: CycleLimits {
                    edges: edges(&format!("{communication} PodWW PodWR PodRW PodRR Rfi PosRR FenceScdWR")),
                    max_threads: 4,
                    ..config.clone()
                },
            },
            Family {
                name: "x86",
                dialect: Dialect::X86,
                config: CycleLimits {
                    edges: edges(&format!("{communication} PodWW PodWR PodRW PodRR MFencedWR Rfi Rmw PosRR")),
                    annotations: vec![Annotation::Rlx, Annotation::XSc],
                    max_thread_accesses: 3,
                    ..config
                },
            },
        ]
    }

    /// Tests whose writes are all release and whose reads are all acquire, with dependencies and exchanges.
    ///
    /// # Panics
    /// Never: the words are edges.
    pub fn release_acquire() -> Family {
        let words = "Rfe Fre Coe Rfi Fri Coi PodWW PodWR PodRW PodRR PosWW PosWR PosRW PosRR DpDatadW DpCtrldW DpCtrldR";
        let edges = words.split_whitespace().map(|word| word.parse().expect("an edge")).collect();
        let annotations = vec![Annotation::Acq, Annotation::Rel, Annotation::XAcqRel];
        let config = CycleLimits { edges, annotations, max_edges: 6, max_threads: 4, max_thread_accesses: 3 };
        Family { name: "release-acquire", dialect: Dialect::C, config }
    }

    /// Every `stride`th test of the family, at most `limit` tests. Small tests come first, so a stride reaches larger
    /// ones.
    ///
    /// # Panics
    /// If a generated test cannot be loaded.
    pub fn tests(&self, limit: usize, stride: usize) -> impl Iterator<Item = Test> + use<> {
        let dialect = self.dialect;
        let texts =
            cycles(self.config.clone()).step_by(stride).filter_map(move |cycle| litmus(&cycle, dialect).ok());
        texts.take(limit).map(|test| {
            load(&test.to_string(), &test.name).unwrap_or_else(|error| panic!("a generated test: {error}"))
        })
    }
}
