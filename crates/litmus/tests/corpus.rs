//! Every test of the corpus: it parses, prints and parses back; it has the name of its file; and its answer under
//! interleaving is right.

mod interleave;

use atropos_litmus::ast::Dialect;
use atropos_litmus::generate::{Cycle, litmus};
use atropos_litmus::{Litmus, load, parse};
use std::path::{Path, PathBuf};

/// The cycles of the generated tests in the corpus, in C and, where possible, in X86.
const CYCLES: &[&str] = &[
    "PodWR Fre PodWR Fre",
    "Rel PodWR Acq Fre Rel PodWR Acq Fre",
    "Sc PodWR Sc Fre Sc PodWR Sc Fre",
    "FenceScdWR Fre FenceScdWR Fre",
    "FenceAcqReldWR Fre FenceAcqReldWR Fre",
    "PodWW Rfe PodRR Fre",
    "PodWW Rel Rfe Acq PodRR Fre",
    "Sc PodWW Sc Rfe Sc PodRR Sc Fre",
    "FenceReldWW Rfe FenceAcqdRR Fre",
    "FenceScdWW Rfe FenceScdRR Fre",
    "Na PodWW Rel Rfe Acq PodRR Na Fre",
    "PodRW Rfe PodRW Rfe",
    "Acq PodRW Rel Rfe Acq PodRW Rel Rfe",
    "DpDatadW Rfe DpDatadW Rfe",
    "DpCtrldW Rfe DpCtrldW Rfe",
    "PodWW Rfe PodRW Coe",
    "PodWW Rel Rfe Acq PodRW Coe",
    "PodWW Coe PodWR Fre",
    "FenceScdWW Coe FenceScdWR Fre",
    "PodWW Coe PodWW Coe",
    "Sc PodWW Sc Coe Sc PodWW Sc Coe",
    "Rfe PodRR Fre Rfe PodRR Fre",
    "Rel Rfe Acq PodRR Acq Fre Rel Rfe Acq PodRR Acq Fre",
    "Sc Rfe Sc PodRR Sc Fre Sc Rfe Sc PodRR Sc Fre",
    "Rfe FenceScdRR Fre Rfe FenceScdRR Fre",
    "Rfe PodRW Rfe PodRR Fre",
    "Rel Rfe Acq PodRW Rel Rfe Acq PodRR Fre",
    "PodWW Rel Rfe Acq PodRW Rel Rfe Acq PodRR Fre",
    "Rfe PodRR Fre PodWR Fre",
    "Rfe FenceScdRR Fre FenceScdWR Fre",
    "PodWW Rfe PodRR Fre PodWR Fre",
    "PodWW Rfe PodRW Coe PodWR Fre",
    "PodWW Coe PodWW Rfe PodRR Fre",
    "PodWR Fre PodWR Fre PodWR Fre",
    "Rfe PosRR Fre",
    "Rfe PosRW Coe",
    "Rfi PodRR Fre Rfi PodRR Fre",
    "XSc PodWR Fre XSc PodWR Fre",
    "XRlx PodWR Fre XRlx PodWR Fre",
    "PodWW Rel Rfe Rmw Rfe Acq PodRR Fre",
    "Rfe Rmw PodWR Fre PodWR Fre",
];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus")
}

fn files() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for folder in ["c", "x86"] {
        for entry in std::fs::read_dir(corpus().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "litmus") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    files.sort();
    assert!(files.len() > 60);
    files
}

fn parsed(text: &str, path: &Path) -> Litmus {
    parse(text, &path.display().to_string()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn what_is_printed_parses_back() {
    for (path, text) in files() {
        let test = parsed(&text, &path);
        let printed = test.to_string();
        assert_eq!(parsed(&printed, &path), test, "{printed}");
    }
}

#[test]
fn tests_are_called_like_their_files() {
    for (path, text) in files() {
        assert_eq!(path.file_stem().unwrap().to_str().unwrap(), parsed(&text, &path).name);
    }
}

/// `UPDATE_EXPECT=1` writes the files.
#[test]
fn generated_tests_are_what_the_generator_makes() {
    for text in CYCLES {
        let cycle: Cycle = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        for (dialect, folder) in [(Dialect::C, "c"), (Dialect::X86, "x86")] {
            let Ok(test) = litmus(&cycle, dialect) else { continue };
            let path = corpus().join(folder).join(format!("{}.litmus", test.name));
            let found = std::fs::read_to_string(&path).unwrap_or_default();
            if found != test.to_string() && std::env::var_os("UPDATE_EXPECT").is_some() {
                std::fs::write(&path, test.to_string()).unwrap();
                continue;
            }
            assert_eq!(found, test.to_string(), "{text}");
        }
    }
}

/// Interleaving is what sc allows: a cycle never exists, and the handwritten tests that forbid or require something
/// are right.
#[test]
fn interleavings_satisfy_what_every_model_must() {
    for (path, text) in files() {
        let test = load(&text, &path.display().to_string()).unwrap_or_else(|error| panic!("{error}"));
        let verdict = test.result(&interleave::outcomes(&test));
        assert!(!verdict.states.is_empty(), "{verdict}");
        let Some(answer) = &verdict.answer else { continue };
        let is_cycle = test.syntax().info.iter().any(|(key, _)| key == "Cycle");
        let weak = [
            "MP-plain",
            "MP-address-dependency",
            "release-sequence-store",
            "release-sequence-broken",
            "dekker-relacq",
            "SB+fence-one-side",
            "SB-forwarding",
            "SB+lfence",
            "SB-64",
        ];
        if is_cycle || weak.contains(&test.name()) {
            assert_eq!(answer.positive, 0, "{verdict}");
        } else {
            assert!(answer.is_ok, "{verdict}");
        }
    }
}
