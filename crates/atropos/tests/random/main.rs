//! Random tiny programs as closures, against the oracle: the same executions, each once, and the same violations.
//!
//! The oracle runs the programs without native code, so their variables are elsewhere; addresses are translated before
//! executions are compared. `make fuzz-closures COUNT=50000` tries more programs.

mod runner;

use atropos_cat::Model;
use atropos_differential::rust_source::is_rust;
use atropos_differential::{MODELS, SearchSettings};
use atropos_event::{Access, Addr, Label, Replayed};
use atropos_graph::Canonical;
use atropos_native::{Native, on_own_thread};
use atropos_testkit::oracle::{EnumerationConfig, Refused, enumerate_all};
use atropos_testkit::program::access_of;
use atropos_testkit::{
    Ast, Explored, ProgramShape, Style, UpTo, Var, compare, generate, shrink, violations_of,
};
use runner::{VARS, run_thread};
use std::collections::BTreeMap;
use std::ops::Range;

/// The number of programs and the first seed.
fn programs(default: u64) -> Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let from = number("CLOSURES_FROM").unwrap_or(0);
    from..from + number("CLOSURES_COUNT").unwrap_or(default)
}

/// A program for this seed that can be written in Rust.
fn program(seed: u64) -> Ast {
    let style = Style::ALL[seed as usize % Style::ALL.len()];
    let shape = ProgramShape { has_plain: false, ..ProgramShape::of(style) };
    let mut drawn = (0..).map(|nth: u64| generate(seed.wrapping_add(nth << 40), &shape));
    drawn.find(|ast| is_rust(ast) && ast.estimate() <= 500.0).expect("some program can be written in Rust")
}

/// What a check of the closure has found.
fn explore(body: &(dyn Fn() + Sync), settings: SearchSettings<'_>) -> Explored {
    on_own_thread(|| settings.run(&Native::new(body)))
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The addresses of the variables in graphs of closures, with those in graphs of the oracle.
fn addresses() -> BTreeMap<Addr, Addr> {
    let address = |index: usize| {
        let body = move || {
            VARS[index].load(atropos::sync::atomic::Ordering::Relaxed);
        };
        let explored = explore(&body, SearchSettings::new("sc", UpTo::Co));
        let mut accesses = explored.complete[0].events().filter_map(|(_, event)| event.label.access());
        accesses.next().expect("one read").addr
    };
    (0..VARS.len()).map(|index| (address(index), access_of(Var(index as u8)).addr)).collect()
}

/// The execution of a closure, with the oracle's addresses.
fn translated(mut execution: Canonical, addresses: &BTreeMap<Addr, Addr>) -> Canonical {
    let translate = |access: &mut Access| {
        *access = Access::new(addresses[&access.addr].0, access.size);
    };
    for thread in &mut execution.threads {
        for event in &mut thread.events {
            if let Label::Read { access, .. } | Label::Write { access, .. } = &mut event.label {
                translate(access);
            }
        }
    }
    execution.co.iter_mut().for_each(|(access, _)| translate(access));
    execution.co.sort();
    execution
}

/// How the closure differs from the oracle, if it does.
enum Judgement {
    Same { n_executions: usize },
    TooLarge,
    Different(String),
}

fn judge(seed: u64, ast: &Ast, addresses: &BTreeMap<Addr, Addr>) -> Judgement {
    let name = MODELS[(seed / 3) as usize % MODELS.len()];
    let model = Model::builtin(name).expect("a built-in model");
    let program = Replayed(ast.clone());
    let config = EnumerationConfig { limit: 20_000, ..EnumerationConfig::default() };
    let expected = match enumerate_all(&program, &[&model], config) {
        Ok(expected) => expected.into_iter().next().expect("one model"),
        Err(Refused::TooLarge { .. }) => return Judgement::TooLarge,
        Err(refused) => panic!("the oracle refuses a generated program: {refused}"),
    };
    let closure: &'static Ast = Box::leak(Box::new(ast.clone()));
    for equivalence in [UpTo::Co, UpTo::Rf] {
        let jobs = if seed.is_multiple_of(5) { 2 } else { 1 };
        let settings = SearchSettings { jobs, ..SearchSettings::new(name, equivalence) };
        let mut explored = explore(&|| run_thread(closure, 0), settings);
        for executions in [&mut explored.complete, &mut explored.blocked] {
            executions.iter_mut().for_each(|execution| {
                *execution = translated(std::mem::take(execution), addresses);
            });
        }
        if let Err(difference) = compare(&expected, &violations_of(&expected), explored, equivalence) {
            return Judgement::Different(format!("{name}, up to {equivalence:?}: {difference}"));
        }
    }
    Judgement::Same { n_executions: expected.complete.len() + expected.blocked.len() }
}

#[test]
fn random_programs_have_the_same_executions_as_closures() {
    let (addresses, seeds) = (addresses(), programs(400));
    assert_eq!(addresses.len(), VARS.len());
    let (mut n_same, mut n_large, mut n_executions) = (0, 0, 0);
    for seed in seeds {
        let ast = program(seed);
        match judge(seed, &ast, &addresses) {
            Judgement::Same { n_executions: n } => (n_same, n_executions) = (n_same + 1, n_executions + n),
            Judgement::TooLarge => n_large += 1,
            Judgement::Different(difference) => {
                let differs = |ast: &Ast| {
                    is_rust(ast) && matches!(judge(seed, ast, &addresses), Judgement::Different(_))
                };
                panic!("seed {seed}: {difference}\nshrunk to:\n{}", shrink(ast, differs));
            }
        }
    }
    println!(
        "{n_same} programs agree, with {n_executions} executions; {n_large} are too large for the oracle"
    );
    assert!(n_same > n_large, "{n_same} programs were compared, {n_large} are too large");
}
