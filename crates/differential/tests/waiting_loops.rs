//! Loops that wait or try again, against the same loops unrolled a few times.
//!
//! What the machine leaves out must not matter: a complete execution with idle iterations or failed tries has the final
//! state of one without. So the final states and the failed assertions are those of the program whose loops are only
//! bounded, for every model; and the reduction `await` changes none of them either.

use atropos_differential::algorithm::{Algorithm, AlgorithmRun, models_of};
use atropos_differential::{MODELS, SearchSettings};
use atropos_event::{Program, ViolationKind};
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

/// A push on the stack `top`, in one of the ways in which programs write it. Some look at the field again, leave the
/// loop before it is written, or let others know the node beforehand.
fn push(rng: &mut Rng, label: &str) -> String {
    let (load, store) = (rng.pick(&["rlx", "acq", "sc"]), rng.pick(&["", ".rlx", ".rel"]));
    let (success, failure) = rng.pick(&[("acqrel", "acq"), ("rel", "rlx"), ("sc", "sc")]);
    let cas = format!("old, ok = cas.{success}.{failure}.i64 top, t, n\n");
    let start = format!("n = malloc 16\n store.i64 n, {}\n next = addr n + 8\n", rng.between(1, 2));
    let published = if rng.below(4) == 0 { "store.rel.i64 known, n\n" } else { "" };
    let load = format!("t = load.{load}.i64 top\n");
    let leave = if rng.below(4) == 0 { format!("if t goto done{label}\n") } else { String::new() };
    let look = match rng.below(4) {
        0 => format!("store.i64 next, 1\n head{label}: was = load.i64 next\n s = add.i64 s, was\n"),
        _ => format!("store.i64 next, 1\n head{label}:"),
    };
    let ways = format!("{start} {published}");
    match rng.below(4) {
        0 | 1 => format!(
            "{ways} {look} {load} {leave} at = addr n + 8\n store{store}.i64 at, t\n {cas} if not ok goto head{label}
             done{label}:\n"
        ),
        2 => format!(
            "{ways} {load} head{label}: at = addr n + 8\n store{store}.i64 at, t\n {cas} if ok goto done{label}
             t = old\n goto head{label}\n done{label}:\n"
        ),
        _ => format!(
            "{ways} {load} store.i64 next, t\n head{label}: at = addr n + 8\n t = load.i64 at\n {cas}
             if ok goto done{label}\n store.i64 at, old\n goto head{label}\n done{label}:\n"
        ),
    }
}

/// A pop, which adds what it has taken to what the thread has seen.
fn pop(rng: &mut Rng, label: &str) -> String {
    let load = rng.pick(&["acq", "sc"]);
    let cas = format!(
        "at = addr t + 8\n m = load.i64 at\n
         old, ok = cas.{} top, t, m\n",
        rng.pick(&["acqrel.acq.i64", "sc.sc.i64"])
    );
    let taken = format!("v = load.i64 t\n s = add.i64 s, v\n done{label}:\n");
    if rng.below(2) == 0 {
        format!(
            "head{label}: t = load.{load}.i64 top\n if not t goto done{label}\n {cas} if not ok goto head{label}\n {taken}"
        )
    } else {
        format!(
            "t = load.{load}.i64 top\n head{label}: if not t goto done{label}\n {cas} if ok goto took{label}\n t = old
             goto head{label}\n took{label}: {taken}"
        )
    }
}

/// A loop that keeps what it has read in a global, where others look; sometimes they write there, too, or the loop
/// writes something else in between. Its store is `put`, where `plain` is an order and `a` the value.
fn cached_program(seed: u64, put: &str) -> String {
    let mut rng = Rng::new(seed);
    let mut code = String::from("global x: i32\nglobal cache: i32\nglobal mine: i32\n");
    (0..3).for_each(|number| code += &format!("global seen{number}: i32\n"));
    let (plain, load) = (rng.pick(&[".rlx", ".rel", ".sc"]), rng.pick(&["rlx", "acq", "sc"]));
    let between =
        rng.pick(&["", "", "store.rlx.i32 cache, 2\n", "call helper()\n", "store.rlx.i32 mine, 1\n"]);
    let last = if between.is_empty() { rng.pick(&["", "store.rlx.i32 cache, a\n"]) } else { "" };
    let first = rng.pick(&["s = load.rlx.i32 cache\n", "s = load.rlx.i32 cache\n", "s = add.i32 s, 1\n"]);
    let helper = rng.pick(&["store.rlx.i32 cache, 1", "store.rlx.i32 mine, 0"]);
    code += &format!("fn helper() {{ {helper}\n return }}\n");
    code += &format!("fn put(p, a) {{ store{plain}.i32 p, a\n return }}\n");
    let put = put.replace("plain", plain);
    code += &format!(
        "fn t0() {{ s = 0\n head: {first} a = load.{load}.i32 x\n {between} {put}\n {last}
         if not a goto head\n store.rlx.i32 seen0, s\n good = ne.i32 s, {}\n assert good, \"seen\"\n return }}\n",
        rng.below(4)
    );
    for number in 1..3 {
        code += &format!("fn t{number}() {{ s = 0\n");
        // Unrolled, more have many executions.
        for _ in number..3 {
            code += &match rng.below(6) {
                0..2 => format!("store.{}.i32 x, {}\n", rng.pick(&["rlx", "rel"]), rng.between(1, 2)),
                2..5 => format!(
                    "r = load.{}.i32 {}\n s = mul.i32 s, 3\n s = add.i32 s, r\n",
                    rng.pick(&["rlx", "acq"]),
                    rng.pick(&["cache", "cache", "mine"])
                ),
                _ => rng.pick(&["store.rlx.i32 cache, 0\n", "store.rlx.i32 cache, 1\n"]).to_string(),
            };
        }
        code += &format!("store.rlx.i32 seen{number}, s\n return }}\n");
    }
    let others = rng.pick(&["b = spawn t1()\n c = spawn t2()", "b = spawn t1()", "b = spawn t0()"]);
    code + &format!("fn main() {{ a = spawn t0()\n {others}\n return }}\n")
}

/// Threads that share a stack of nodes; one may know a node of another and change its link.
fn stack_program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let n_threads = rng.between(2, 3);
    let mut code = String::from("global top: i64\nglobal known: i64\n");
    for number in 0..n_threads {
        code += &format!("global seen{number}: i64\n");
    }
    for number in 0..n_threads {
        code += &format!("fn t{number}() {{ s = 0\n");
        let n_pieces = if n_threads == 3 { 1 } else { 2 };
        for piece in 0..n_pieces {
            let label = format!("{number}_{piece}");
            code += &match rng.below(6) {
                0..3 => push(&mut rng, &label),
                3 | 4 => pop(&mut rng, &label),
                _ => format!(
                    "n = load.acq.i64 known\n if not n goto done{label}\n at = addr n + 8
                     was = load.rlx.i64 at\n s = add.i64 s, was\n store.rlx.i64 at, 0\n done{label}:\n"
                ),
            };
        }
        let least = rng.below(4);
        code += &format!(
            "store.rlx.i64 seen{number}, s\n good = ne.i64 s, {least}\n assert good, \"seen\"\n return }}\n"
        );
    }
    code += "fn main() {\n";
    (0..n_threads).for_each(|number| code += &format!("h{number} = spawn t{number}()\n"));
    code + "return }\n"
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

#[test]
fn pushes_that_fail_change_nothing() {
    let (mut n_cut, mut n_blocked) = (0, 0);
    for seed in 0..200 {
        let source = stack_program(seed);
        let model = MODELS[seed as usize % MODELS.len()];
        let unrolled = Config { cuts_retries: false, unroll: Some(2), ..Config::default() };
        let [unrolled, reduced] = [unrolled, Config::default()].map(|config| explore(&source, model, config));
        assert_eq!(judged(&reduced), judged(&unrolled), "{model}, seed {seed}:\n{source}");
        assert_eq!(reduced.violations, unrolled.violations, "{model}, seed {seed}:\n{source}");
        let complete: BTreeSet<_> = unrolled.complete.iter().collect();
        assert!(reduced.complete.iter().all(|execution| complete.contains(execution)), "seed {seed}");
        n_cut += usize::from(reduced.complete.len() < unrolled.complete.len());
        n_blocked += usize::from(reduced.blocked.len() > unrolled.blocked.len());
    }
    assert!(n_cut > 40, "{n_cut} {n_blocked}");
}

/// Programs that show too much if a store is taken for one of what is there: another thread has written meanwhile, and
/// the thread itself has, in a function that it calls.
const CHANGED_BETWEEN: [&str; 2] = [
    "global x: i32\nglobal cache: i32\nglobal seen: i32\nglobal sum: i32
     fn t() { s = 0\n head: r = load.rlx.i32 cache\n s = add.i32 s, r\n a = load.rlx.i32 x\n store.rlx.i32 cache, a
         if not a goto head\n store.rlx.i32 sum, s\n return }
     fn u() { store.rlx.i32 cache, 1\n store.rlx.i32 x, 1\n return }
     fn v() { r = load.rlx.i32 cache\n s = mul.i32 r, 3\n r = load.rlx.i32 cache\n s = add.i32 s, r
         store.rlx.i32 seen, s\n return }
     fn main() { a = spawn t()\n b = spawn u()\n c = spawn v()\n return }",
    "global x: i32\nglobal y: i32\nglobal z: i32\nglobal cache: i32\nglobal seen: i32
     fn change() { store.rlx.i32 cache, 5\n return }
     fn t() { s = 0\n head: c = load.rlx.i32 z\n if c goto kept\n store.rlx.i32 cache, 0
         kept: b = load.rlx.i32 y\n if b goto same\n call change()\n s = 2\n same: a = load.rlx.i32 x
         if not a goto head\n c = add.i32 c, s\n r = load.rlx.i32 cache\n r = mul.i32 r, 4\n c = add.i32 c, r
         store.rlx.i32 seen, c\n return }
     fn u() { store.rlx.i32 y, 1\n store.rlx.i32 z, 1\n store.rlx.i32 x, 1\n return }
     fn main() { a = spawn t()\n b = spawn u()\n return }",
];

#[test]
fn stores_of_something_else_are_followed() {
    for source in CHANGED_BETWEEN {
        for model in MODELS {
            let unrolled = Config { cuts_retries: false, unroll: Some(2), ..Config::default() };
            let bounded = Config { unroll: Some(2), ..Config::default() };
            let [unrolled, reduced] = [unrolled, bounded].map(|config| explore(source, model, config));
            assert_eq!(judged(&reduced), judged(&unrolled), "{model}:\n{source}");
        }
    }
}

#[test]
fn stores_of_what_is_there_change_nothing() {
    let mut n_cut = 0;
    for seed in 0..80 {
        let source = cached_program(seed, "storeplain.i32 cache, a");
        let model = MODELS[seed as usize % MODELS.len()];
        let unrolled = Config { cuts_retries: false, unroll: Some(2), ..Config::default() };
        // Without a bound, a loop that writes something else each time does not end.
        let bounded = Config { unroll: Some(2), ..Config::default() };
        let [unrolled, reduced] = [unrolled, bounded].map(|config| explore(&source, model, config));
        assert_eq!(judged(&reduced), judged(&unrolled), "{model}, seed {seed}:\n{source}");
        // A bounded loop does not show that it never ends.
        let mut violations = reduced.violations;
        violations.remove(&ViolationKind::NonTermination);
        assert_eq!(violations, unrolled.violations, "{model}, seed {seed}:\n{source}");
        n_cut += usize::from(reduced.complete.len() < unrolled.complete.len());
    }
    assert!(n_cut > 4, "{n_cut}");
}

/// Whether stores are compared from the start, as after a loop has repeated itself too often.
fn explore_comparing(source: &str, model: &str, config: Config) -> Explored {
    let vm = vm(source, config);
    vm.recall("stores:compared").expect("a lesson of the machine");
    SearchSettings { abandon_doomed: true, repeats_unseen: false, ..SearchSettings::new(model, UpTo::Co) }
        .run(&vm)
}

#[test]
fn stores_of_what_is_there_change_nothing_in_functions_either() {
    let (mut n_cut, mut n_shared) = (0, 0);
    for seed in 0..80 {
        let source = cached_program(seed, "call put(cache, a)");
        let model = MODELS[seed as usize % MODELS.len()];
        let unrolled = Config { cuts_retries: false, unroll: Some(2), ..Config::default() };
        let bounded = Config { unroll: Some(2), ..Config::default() };
        let unrolled = explore(&source, model, unrolled);
        let reduced = explore_comparing(&source, model, bounded);
        assert_eq!(judged(&reduced), judged(&unrolled), "{model}, seed {seed}:\n{source}");
        let mut violations = reduced.violations;
        violations.remove(&ViolationKind::NonTermination);
        assert_eq!(violations, unrolled.violations, "{model}, seed {seed}:\n{source}");
        n_cut += usize::from(reduced.complete.len() < unrolled.complete.len());
        n_shared += usize::from(source.matches("store.rlx.i32 cache").count() > 0);
    }
    assert!(n_cut > 4 && n_shared > 4, "{n_cut} {n_shared}");
}

#[test]
fn a_wait_that_keeps_what_it_has_seen_ends() {
    for model in MODELS {
        let source = "global x: i32\nglobal object: [i32; 4]\nglobal sum: i32
             fn look(p) { at = addr p + 8\n a = load.acq.i32 x\n store.i32 at, a\n return a }
             fn t() { head: a = call look(object)\n if not a goto head\n store.i32 sum, a\n return }
             fn main() { at = addr object + 8\n store.i32 at, 0\n h = spawn t()\n store.rel.i32 x, 1\n join h\n return }";
        let found = explore(source, model, Config::default());
        // What is there is not known before the first store.
        assert_eq!((found.complete.len(), &found.violations), (2, &BTreeSet::new()), "{model}");
    }
}

/// The second thread writes where the first one keeps what it has seen, and the program notices.
#[test]
fn several_threads_that_write_are_noticed() {
    for source in CHANGED_BETWEEN {
        let source = source.replace("store.rlx.i32 cache, a", "call put(cache, a)")
            + "\nfn put(p, a) { store.rlx.i32 p, a\n return }";
        for model in MODELS {
            let unrolled = Config { cuts_retries: false, unroll: Some(2), ..Config::default() };
            let bounded = Config { unroll: Some(2), ..Config::default() };
            let unrolled = explore(&source, model, unrolled);
            let reduced = explore_comparing(&source, model, bounded);
            assert_eq!(judged(&reduced), judged(&unrolled), "{model}:\n{source}");
        }
    }
}

/// The last thread sees that the first one writes the same again, because the second one has written in between.
#[test]
fn what_is_written_again_over_something_else_is_a_change() {
    let source = "global x: i32\nglobal cache: i32\nglobal seen: i32
         fn put(p, a) { store.rlx.i32 p, a\n return }
         fn t() { head: call put(cache, 7)\n a = load.rlx.i32 x\n if not a goto head\n return }
         fn u() { store.rlx.i32 cache, 1\n store.rlx.i32 cache, 3\n store.rlx.i32 x, 1\n return }
         fn v() { s = load.rlx.i32 cache
             s = mul.i32 s, 10\n r = load.rlx.i32 cache\n s = add.i32 s, r
             s = mul.i32 s, 10\n r = load.rlx.i32 cache\n s = add.i32 s, r
             s = mul.i32 s, 10\n r = load.rlx.i32 cache\n s = add.i32 s, r
             s = mul.i32 s, 10\n r = load.rlx.i32 cache\n s = add.i32 s, r
             store.rlx.i32 seen, s\n return }
         fn main() { a = spawn t()\n b = spawn u()\n c = spawn v()\n return }";
    for model in MODELS {
        let unrolled = Config { cuts_retries: false, unroll: Some(3), ..Config::default() };
        let bounded = Config { unroll: Some(3), ..Config::default() };
        let unrolled = explore(source, model, unrolled);
        let (states, _) = judged(&unrolled);
        assert!(states.iter().flatten().any(|(_, value)| *value == 71737), "{model}: no such state");
        assert_eq!(judged(&explore_comparing(source, model, bounded)), judged(&unrolled), "{model}");
    }
}
