//! Thousands of generated tests: they parse back, and no interleaving shows a cycle.

mod interleave;

use atropos_litmus::ast::Dialect;
use atropos_litmus::generate::{Annotation, CycleLimits, Edge, cycles, litmus};
use atropos_litmus::{load, parse};

fn edges(words: &str) -> Vec<Edge> {
    words.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// sc forbids cycles of exactly these edges: no interleaving shows one.
fn check_no_interleaving_shows(config: CycleLimits, dialect: Dialect, limit: usize) -> usize {
    let mut n_tests = 0;
    for cycle in cycles(config).take(limit) {
        let Ok(test) = litmus(&cycle, dialect) else { continue };
        let text = test.to_string();
        assert_eq!(parse(&text, &test.name).as_ref().ok(), Some(&test), "{text}");
        let test = load(&text, &test.name).unwrap_or_else(|error| panic!("{error}"));
        let answer = test.result(&interleave::outcomes(&test)).answer.unwrap();
        assert_eq!(answer.positive, 0, "{text}");
        assert!(answer.negative > 0, "{text}");
        n_tests += 1;
    }
    n_tests
}

#[test]
fn annotated_cycles() {
    let config = CycleLimits {
        edges: edges("Rfe Fre Coe PodWW PodWR PodRW PodRR"),
        annotations: Annotation::ALL.to_vec(),
        max_edges: 5,
        ..CycleLimits::default()
    };
    assert_eq!(check_no_interleaving_shows(config, Dialect::C, 3000), 3000);
}

#[test]
fn cycles_of_every_edge() {
    let config =
        CycleLimits { edges: Edge::all(), max_edges: 5, max_thread_accesses: 3, ..CycleLimits::default() };
    assert_eq!(check_no_interleaving_shows(config, Dialect::C, 3000), 3000);
}

#[test]
fn cycles_on_one_location_and_with_forwarding() {
    let config = CycleLimits {
        edges: edges("Rfe Fre Coe Rfi Fri Coi PosRR PodWR PodRR PodWW Rmw"),
        max_edges: 6,
        max_thread_accesses: 3,
        ..CycleLimits::default()
    };
    assert!(check_no_interleaving_shows(config, Dialect::C, 500) > 200);
}

#[test]
fn x86_cycles() {
    let config = CycleLimits {
        edges: edges("Rfe Fre Coe PodWW PodWR PodRW PodRR MFencedWR Rfi Rmw"),
        annotations: vec![Annotation::Rlx, Annotation::XSc],
        max_edges: 6,
        max_thread_accesses: 3,
        ..CycleLimits::default()
    };
    assert_eq!(check_no_interleaving_shows(config, Dialect::X86, 1000), 1000);
}

/// Tracer's authors ran 8,064 generated tests; many more are possible.
#[test]
fn a_hundred_thousand_tests_are_soon_made() {
    let config = CycleLimits {
        edges: edges(
            "Rfe Fre Coe PodWW PodWR PodRW PodRR FenceScdWR FenceScdRR FenceScdWW FenceScdRW FenceReldWW FenceAcqdRR",
        ),
        annotations: vec![Annotation::Rlx, Annotation::Acq, Annotation::Rel, Annotation::Sc],
        ..CycleLimits::default()
    };
    assert_eq!(cycles(config).take(100_000).count(), 100_000);
}

#[test]
fn x86_expresses_six_cycles_of_four_edges() {
    let config = CycleLimits { max_edges: 4, ..CycleLimits::default() };
    let tests: Vec<_> = cycles(config).filter_map(|cycle| litmus(&cycle, Dialect::X86).ok()).collect();
    assert_eq!(tests.len(), 6);
    let text = tests.iter().find(|test| test.name == "SB").unwrap().to_string();
    assert_eq!(load(&text, "SB").unwrap_or_else(|error| panic!("{error}")).name(), "SB");
}
