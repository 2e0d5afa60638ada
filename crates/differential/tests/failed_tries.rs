//! Loops that try to lock and start over, against the same loops unrolled a few times: the final states and the failed
//! assertions are the same, whatever else the threads do when a try fails.

use atropos_differential::{MODELS, SearchSettings};
use atropos_event::{Program, ViolationKind};
use atropos_graph::Canonical;
use atropos_testkit::{Explored, Rng, UpTo};
use atropos_vm::{Config, Vm, text};
use std::collections::BTreeSet;

/// Locks one mutex, tries to lock another, and starts over if that fails. Some look at a variable before they try, or
/// give up when it is set; some do more when they fail.
fn back_off(rng: &mut Rng, label: &str, is_vain: bool) -> String {
    let (first, second) = rng.pick(&[("m", "n"), ("n", "m"), ("m", "n"), ("n", "m"), ("n", "k")]);
    let look =
        rng.pick(&["", "", "r = load.rlx.i32 x\n if r goto out\n"]).replace("out", &format!("out{label}"));
    let lock =
        rng.pick(&["lock first", "lock first", "lock first", "g = trylock first\n if not g goto again"]);
    let failed = match rng.below(8) {
        _ if is_vain => "",
        0 => "s = add.i32 s, 1\n",
        1 => "store.rlx.i32 y, 1\n",
        2 => "r = load.rlx.i32 x\n s = add.i32 s, r\n",
        _ => "",
    };
    let after = if is_vain { "" } else { rng.pick(&["", "", "", "r = load.rlx.i32 y\n s = add.i32 s, r\n"]) };
    let (one, two) = rng.pick(&[("first", "second"), ("second", "first")]);
    let code = format!(
        "again{label}: {look} {lock}\n g = trylock second\n if g goto got{label}\n {failed} unlock first\n {after}
         goto again{label}\n got{label}: r = load.i32 z\n s = add.i32 s, r\n store.i32 z, {}\n unlock {one}\n unlock {two}
         out{label}:\n",
        rng.between(1, 2)
    );
    code.replace("first", first)
        .replace("second", second)
        .replace("goto again\n", &format!("goto again{label}\n"))
}

fn thread(rng: &mut Rng, number: usize, n_pieces: usize, is_vain: bool) -> String {
    let mut code = format!("fn t{number}() {{ s = 0\n");
    for piece in 0..n_pieces {
        let label = format!("{number}_{piece}");
        let most = if number == 0 && piece == 0 { 6 } else { 10 };
        code += &match rng.below(most) {
            0..6 => back_off(rng, &label, is_vain),
            6 if !is_vain => format!(
                "g = trylock m\n if not g goto busy{label}\n unlock m\n s = add.i32 s, 1\n busy{label}: s = add.i32 s, 1\n"
            ),
            6 | 7 => "store.rel.i32 x, 1\n".to_string(),
            8 | 9 if is_vain => "lock m\n store.rlx.i32 y, 2\n unlock m\n".to_string(),
            8 => "lock n\n r = load.rlx.i32 x\n s = add.i32 s, r\n unlock n\n".to_string(),
            _ => format!(
                "r = load.rlx.i32 x\n if not r goto on{label}\n g = trylock n\n if not g goto on{label}\n unlock n
                 s = add.i32 s, 2\n on{label}:\n"
            ),
        };
    }
    code += &format!(
        "store.rlx.i32 seen{number}, s\n good = ne.i32 s, {}\n assert good, \"seen\"\n return }}\n",
        rng.below(5)
    );
    code
}

fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut code = String::from("global x: i32\nglobal y: i32\nglobal z: i32\n");
    code += "global m: i32\nglobal n: i32\nglobal k: i32\n";
    // In most programs, all threads start over.
    let is_vain = rng.below(4) != 0;
    let n_threads = 2 + usize::from(rng.below(4) == 0);
    for number in 0..n_threads {
        code += &format!("global seen{number}: i32\n");
        let n_pieces = if n_threads == 3 || number == 0 { 1 } else { rng.between(1, 2) };
        code += &thread(&mut rng, number, n_pieces, is_vain);
    }
    code += "fn main() {\n";
    (0..n_threads).for_each(|number| code += &format!("h{number} = spawn t{number}()\n"));
    code + "return }\n"
}

/// The last values that are not 0: those of mutexes are, whether or not anyone has tried to lock them.
fn final_state(execution: &Canonical) -> Vec<(String, u64)> {
    let last = |ids: &[atropos_event::EventId]| ids.last().map(|&id| execution.event(id).value);
    let states = execution.co.iter().filter_map(|(access, ids)| Some((format!("{access:?}"), last(ids)?)));
    states.filter(|&(_, value)| value != 0).collect()
}

fn explore(source: &str, model: &str, config: Config) -> (Explored, bool) {
    let module = text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}\n{source}"));
    let program = Vm::new(module, config).unwrap_or_else(|problems| panic!("{problems:?}"));
    let search = SearchSettings {
        abandon_doomed: true,
        repeats_unseen: false,
        ..SearchSettings::new(model, UpTo::Co)
    };
    (search.run(&program), program.lessons().contains("tries:matter"))
}

fn judged(found: &Explored) -> (BTreeSet<Vec<(String, u64)>>, bool) {
    let states = found.complete.iter().map(final_state).collect();
    (states, found.violations.contains(&ViolationKind::Assertion))
}

#[test]
fn tries_that_fail_and_start_over_change_nothing() {
    let (mut n_vain, mut n_that_matter) = (0, 0);
    for seed in 0..500 {
        let source = program(seed);
        let model = MODELS[seed as usize % MODELS.len()];
        // Where tries matter, a loop may have no end.
        let bounded =
            Config { unroll: Some(if source.contains("seen2") { 1 } else { 2 }), ..Config::default() };
        let unrolled = Config { detect_spin: false, cuts_retries: false, ..bounded.clone() };
        let [(whole, _), (reduced, matters)] =
            [unrolled, bounded].map(|config| explore(&source, model, config));
        assert_eq!(judged(&reduced), judged(&whole), "{model}, seed {seed}:\n{source}");
        n_that_matter += usize::from(matters);
        n_vain += usize::from(!matters && reduced.complete.len() < whole.complete.len());
    }
    assert!(n_vain > 100 && n_that_matter > 50, "{n_vain} {n_that_matter}");
}
