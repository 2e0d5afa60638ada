//! A bounded, seeded part of `make fuzz-input`: no broken input breaks Atropos.

use atropos_differential::broken_input::corpus::{Corpus, Format};
use atropos_differential::broken_input::subject::{self, Controls, InputOutcome};
use atropos_differential::broken_input::{kept, mutate};
use atropos_explore::Control;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn corpus() -> Corpus {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["corpus", "models", "examples"].map(|folder| root.join(folder));
    Corpus::read(&folders).unwrap()
}

#[test]
fn broken_inputs_are_refused_or_explored() {
    let corpus = corpus();
    let mut outcomes: BTreeMap<(Format, InputOutcome), u64> = BTreeMap::new();
    for seed in 0..1500 {
        let input = mutate::input(&corpus, &Format::READ, seed).expect("there are files of all formats");
        let controls = Arc::new(Controls::default());
        let watched = Arc::downgrade(&controls);
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            if let Some(controls) = watched.upgrade() {
                controls.iter().for_each(atropos_explore::Control::stop);
            }
        });
        let outcome = subject::run(&input, &controls);
        *outcomes.entry((input.format, outcome)).or_default() += 1;
    }
    for format in Format::READ {
        for outcome in [InputOutcome::Refused, InputOutcome::Explored] {
            assert!(outcomes.contains_key(&(format, outcome)), "{format:?} {outcome:?}: {outcomes:?}");
        }
    }
}

/// The file is as an earlier build has written it, in the middle of a search.
#[test]
fn a_checkpoint_of_an_earlier_build_is_continued() {
    let kept = corpus().of_format(Format::Checkpoint)[0].clone();
    let file = std::env::temp_dir().join(format!("atropos-kept-{}", std::process::id()));
    std::fs::write(&file, &kept.bytes).unwrap();
    let stats = kept::continued(&file, &Control::default(), None).expect("it is not broken");
    std::fs::remove_file(&file).unwrap();
    assert_eq!((stats.executions, stats.blocked), (52_338, 94_206));
}

#[test]
fn an_input_is_a_function_of_its_seed() {
    let corpus = corpus();
    for seed in [0, 7, 1_000_000_007] {
        let [one, other] = [(); 2].map(|()| mutate::input(&corpus, &Format::READ, seed).unwrap());
        assert_eq!((one.format, one.bytes), (other.format, other.bytes));
    }
}
