//! Reference counts without an order on random programs: one execution for each thread that may be the last owner, and the
//! same violations. Half of the programs of `fuzz --against ordered` have such counts.

use atropos_differential::counters::{ClassCounts, compare_program};
use atropos_differential::{MODELS, SearchSettings};
use atropos_event::ViolationKind;
use atropos_testkit::{Ast, Explored, ProgramShape, Style, UpTo, generate, own};
use atropos_vm::{Config, Vm, text};

#[test]
fn nothing_is_lost_and_nothing_is_there_twice() {
    let mut sum = ClassCounts::default();
    for seed in 0..500 {
        let style = Style::ALL[(seed / 2) as usize % Style::ALL.len()];
        let shape = ProgramShape {
            max_threads: 3,
            max_instructions: 1 + (seed % 4) as usize,
            ..ProgramShape::of(style)
        };
        let ast = own(seed, generate(seed, &shape));
        if ast.estimate() > 600.0 {
            continue;
        }
        let model = MODELS[(seed / 3) as usize % MODELS.len()];
        for sizes in compare_program(seed, &ast, model).unwrap_or_else(|text| panic!("{text}")) {
            sum.all += sizes.all;
            sum.classes += sizes.classes;
            sum.visited += sizes.visited;
        }
    }
    assert!(20 * sum.visited < 19 * sum.all, "{sum:?}");
}

/// A thread fails before any reference is given up. Then its execution ends as one of the program.
#[test]
fn failures_before_references_are_given_up_end_no_search() {
    let source = "w := 2 rlx; spawn 1; spawn 2 ||
        r0 := new; p := r0 + 0 rlx; [r0] := 2 rlx ||
        r0 := p rlx; r1 := [r0] rlx; r31 := sub w 1 rlx rlx; if r31 == 1 {  }";
    let ast: Ast = source.parse().expect("a program");
    for model in MODELS {
        for seed in 0..48 {
            compare_program(seed, &ast, model).unwrap_or_else(|text| panic!("{text}"));
        }
    }
}

fn explore(source: &str, model: &str, equivalence: UpTo) -> Explored {
    let module = text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}\n{source}"));
    let program = Vm::new(module, Config::default()).expect("a program");
    SearchSettings { rmws: true, ..SearchSettings::new(model, equivalence) }.run(&program)
}

fn n_executions(source: &str, model: &str, equivalence: UpTo) -> usize {
    let found = explore(source, model, equivalence);
    found.complete.len() + found.blocked.len()
}

/// Four owners; each looks at the object, and the last one frees it.
const OWNERS: &str = "global rc: i32 = 4\nglobal p: i64
    fn drop() { old = rmw.sub.acq_rel.i32 rc, 1\n c = eq.i32 old, 1\n return c }
    fn t() { o = load.i64 p\n v = load.i32 o\n c = call drop()\n if not c goto on\n free o\non:\n return }
    fn main() { o = malloc 4\n store.i32 o, 7\n store.i64 p, o\n
        a = spawn t()\n b = spawn t()\n c = spawn t()\n call t()\n join a\n join b\n join c\n return }\n";

#[test]
fn only_the_last_owner_matters() {
    for model in MODELS {
        for equivalence in [UpTo::Co, UpTo::Rf] {
            assert_eq!(n_executions(OWNERS, model, equivalence), 4, "{model}, {equivalence:?}");
        }
    }
}

#[test]
fn an_owner_that_waits_for_the_others_is_the_last_one() {
    let source =
        OWNERS.replace(" call t()\n join a\n join b\n join c\n", " join a\n join b\n join c\n call t()\n");
    assert_eq!(n_executions(&source, "rc11", UpTo::Rf), 1);
}

/// What does not change the number, and what makes the order matter.
#[test]
fn references_are_counted_in_many_ways() {
    let fence = "free o";
    for (from, to, n) in [
        ("rmw.sub.acq_rel.i32 rc, 1", "rmw.add.acq_rel.i32 rc, 4294967295", 4),
        ("c = eq.i32 old, 1", "left = sub.i32 old, 1\n z = ne.i32 left, 0\n c = eq.i32 z, 0", 4),
        ("c = eq.i32 old, 1", "c = sle.i32 old, 1", 4),
        (fence, "fence.acq\n free o", 4),
        (
            "o = load.i64 p\n",
            "u = rmw.add.rlx.i32 rc, 1\n u = call drop()\n if u goto on\n o = load.i64 p\n",
            4,
        ),
        // Some ask something else.
        ("c = eq.i32 old, 1", "c = sle.i32 old, 2\n d = eq.i32 old, 1\n c = and.i32 c, d", 24),
        // None is the last.
        ("i32 = 4", "i32 = 5", 1),
    ] {
        let source = OWNERS.replace(from, to);
        assert_eq!(n_executions(&source, "rc11", UpTo::Rf), n, "{source}");
    }
    let released = OWNERS.replace("acq_rel", "rel");
    let source = released.replace(fence, "fence.acq\n free o");
    assert_eq!(n_executions(&source, "rc11", UpTo::Rf), 4, "{source}");
}

#[test]
fn owners_that_do_not_synchronise_are_found() {
    let relaxed = OWNERS.replace("acq_rel", "rlx");
    let unfenced = OWNERS.replace("acq_rel", "rel");
    let early = OWNERS.replace("i32 = 4", "i32 = 3");
    for source in [relaxed, unfenced, early] {
        let found = explore(&source, "rc11", UpTo::Rf);
        assert!(!found.violations.is_empty(), "{source}");
    }
    let leak = OWNERS.replace("i32 = 4", "i32 = 5").replace("store.i64 p, o\n join", "join");
    assert!(!explore(&leak, "rc11", UpTo::Rf).violations.contains(&ViolationKind::Race));
}
