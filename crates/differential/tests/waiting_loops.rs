//! Loops that wait or try again, against the same loops unrolled a few times.
//!
//! What the machine leaves out must not matter: a complete execution with idle iterations or failed tries has the final
//! state of one without. So the final states and the failed assertions are those of the program whose loops are only
//! bounded, for every model; and the reduction `await` changes none of them either.

use atropos_differential::algorithm::{Algorithm, AlgorithmRun, models_of};
use atropos_differential::{MODELS, SearchSettings};
use atropos_event::ViolationKind;
use atropos_graph::Canonical;
use atropos_testkit::{Explored, Rng, UpTo};
use atropos_vm::{Config, Vm, text};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A thread of a few pieces, which in the end stores what it has seen and has an opinion about it.
fn thread(rng: &mut Rng, number: usize) -> String {
    let mut code = format!("fn t{number}() {{ s = 0\n");
    for piece in 0..rng.between(1, 2) {
        let x = rng.pick(&["x", "y"]);
        let load = rng.pick(&["rlx", "acq", "sc"]);
        let label = format!("{number}_{piece}");
        // Unrolled, a poll has many executions.
        let most = if number == 0 && piece == 0 { 8 } else { 7 };
        let _ = match rng.below(most) {
            0 | 1 => {
                let (success, failure) =
                    rng.pick(&[("acqrel", "acq"), ("rlx", "rlx"), ("sc", "sc"), ("rel", "rlx")]);
                let desired = rng.pick(&["n = add.i32 r, 1", "n = 2", "n = load.rlx.i32 y"]);
                write!(
                    code,
                    "r = load.{load}.i32 {x}\n head{label}: {desired}\n old, ok = cas.{success}.{failure}.i32 {x}, r, n
                     if ok goto done{label}\n r = old\n goto head{label}\n done{label}: s = add.i32 s, r\n"
                )
            }
            2 => write!(
                code,
                "a = load.{load}.i32 {x}\n head{label}: if a goto done{label}\n a = load.{load}.i32 {x}
                 goto head{label}\n done{label}: s = add.i32 s, a\n"
            ),
            3 => write!(
                code,
                "i = 0\n head{label}: a = load.{load}.i32 {x}\n if a goto done{label}\n i = xor.i32 i, 1
                 goto head{label}\n done{label}: s = add.i32 s, i\n s = add.i32 s, a\n"
            ),
            4 => write!(code, "lock m\n store.rlx.i32 {x}, 1\n unlock m\n"),
            5 => writeln!(code, "store.rlx.i32 {x}, {}", rng.between(1, 2)),
            6 => write!(code, "r = rmw.add.{load}.i32 {x}, 1\n s = add.i32 s, r\n"),
            _ => write!(
                code,
                "head{label}: lock m\n a = load.rlx.i32 {x}\n unlock m\n if not a goto head{label}\n s = add.i32 s, a\n"
            ),
        };
    }
    let _ = write!(
        code,
        "store.rlx.i32 seen{number}, s\n good = ne.i32 s, {}\n assert good, \"seen\"\n return }}\n",
        rng.below(5)
    );
    code
}

fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let n_threads = rng.between(2, 3);
    let mut code = String::from("global x: i32\nglobal y: i32\nglobal m: i32\n");
    (0..n_threads).for_each(|number| code += &format!("global seen{number}: i32\n"));
    (0..n_threads).for_each(|number| code += &thread(&mut rng, number));
    code += "fn main() {\n";
    (0..n_threads).for_each(|number| code += &format!("h{number} = spawn t{number}()\n"));
    code + "return }\n"
}

/// The last value of each location.
fn final_state(execution: &Canonical) -> Vec<(String, u64)> {
    let last = |ids: &[atropos_event::EventId]| ids.last().map(|&id| execution.event(id).value);
    execution.co.iter().filter_map(|(access, ids)| Some((format!("{access:?}"), last(ids)?))).collect()
}

fn vm(source: &str, config: Config) -> Vm {
    let module = text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}\n{source}"));
    Vm::new(module, config).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn explore(source: &str, model: &str, config: Config) -> Explored {
    SearchSettings { abandon_doomed: true, repeats_unseen: false, ..SearchSettings::new(model, UpTo::Co) }
        .run(&vm(source, config))
}

fn judged(found: &Explored) -> (BTreeSet<Vec<(String, u64)>>, bool) {
    let states = found.complete.iter().map(final_state).collect();
    (states, found.violations.contains(&ViolationKind::Assertion))
}

#[test]
fn what_is_left_out_changes_neither_final_states_nor_failures() {
    let (mut n_retries, mut n_left_out) = (0, 0);
    for seed in 0..250 {
        let source = program(seed);
        let model = MODELS[seed as usize % MODELS.len()];
        let unrolled =
            Config { detect_spin: false, cuts_retries: false, unroll: Some(2), ..Config::default() };
        let patient = Config { cuts_retries: false, ..Config::default() };
        let [unrolled, patient, reduced] =
            [unrolled, patient, Config::default()].map(|config| explore(&source, model, config));
        assert_eq!(judged(&patient), judged(&unrolled), "{model}, seed {seed}:\n{source}");
        assert_eq!(judged(&reduced), judged(&unrolled), "{model}, seed {seed}, reduced:\n{source}");
        assert_eq!(reduced.violations, patient.violations, "{model}, seed {seed}:\n{source}");
        for algorithm in [Algorithm::SourceDpor, Algorithm::OptimalDpor, Algorithm::Rcmc] {
            if models_of(algorithm).contains(&model) {
                let mut other = AlgorithmRun::new(algorithm, model);
                other.config.abandon_doomed = true;
                let found = other.run(&vm(&source, Config::default()));
                assert_eq!(
                    judged(&found),
                    judged(&unrolled),
                    "{algorithm:?}, {model}, seed {seed}:\n{source}"
                );
            }
        }
        let complete: BTreeSet<_> = patient.complete.iter().collect();
        assert!(reduced.complete.iter().all(|execution| complete.contains(execution)), "seed {seed}");
        n_retries += usize::from(reduced.complete.len() < patient.complete.len());
        n_left_out += usize::from(patient.complete.len() < unrolled.complete.len());
    }
    assert!(n_retries > 10 && n_left_out > 10, "{n_retries} {n_left_out}");
}
