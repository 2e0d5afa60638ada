//! Read-modify-writes without an order on random programs: one execution for those that differ only in it, and the same
//! violations. `fuzz --against ordered` does the same without end.

use atropos_differential::counters::{ClassCounts, compare_program};
use atropos_differential::{MODELS, SearchSettings};
use atropos_testkit::{ProgramShape, Style, UpTo, count, families, generate};
use atropos_vm::{Config, Vm, text};

#[test]
fn nothing_is_lost_and_nothing_is_there_twice() {
    let mut sum = ClassCounts::default();
    for seed in 0..400 {
        let style = Style::ALL[(seed / 2) as usize % Style::ALL.len()];
        let shape = ProgramShape {
            max_threads: 3,
            max_instructions: 1 + (seed % 5) as usize,
            ..ProgramShape::of(style)
        };
        let ast = count(seed, generate(seed, &shape));
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
    assert!(10 * sum.visited < 9 * sum.all, "{sum:?}");
}

#[test]
fn other_programs_stay_as_they_are() {
    for seed in 0..200 {
        let style = Style::ALL[seed as usize % Style::ALL.len()];
        let shape = ProgramShape {
            max_threads: 3,
            max_instructions: 2 + (seed % 5) as usize,
            ..ProgramShape::of(style)
        };
        let ast = generate(seed, &shape);
        if ast.estimate() < 150.0 {
            let model = MODELS[(seed / 3) as usize % MODELS.len()];
            compare_program(seed, &ast, model).unwrap_or_else(|text| panic!("{text}"));
        }
    }
}

/// The number of executions of a program with the order of updates open.
fn n_executions(source: &str, model: &str, equivalence: UpTo) -> usize {
    let module = text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}\n{source}"));
    let program = Vm::new(module, Config::default()).expect("a program");
    let search = SearchSettings { rmws: true, ..SearchSettings::new(model, equivalence) };
    let found = search.run(&program);
    found.complete.len() + found.blocked.len()
}

#[test]
fn increments_are_one_execution() {
    for model in MODELS {
        for equivalence in [UpTo::Co, UpTo::Rf] {
            let n = n_executions(&families::member("ainc", 5), model, equivalence);
            assert_eq!(n, 1, "{model}, {equivalence:?}");
        }
    }
}

/// What makes the order of updates matter.
#[test]
fn updates_that_are_observed_have_an_order() {
    let program = "global x: i32\nglobal y: i32
        fn t(n) { a = rmw.add.rlx.i32 x, n\n return }
        fn main() { a = spawn t(1)\n b = spawn t(2)\n join a\n join b\n r = load.rlx.i32 x\n c = eq.i32 r, 3\n assert c\n return }\n";
    assert_eq!(n_executions(program, "rc11", UpTo::Rf), 1);
    let changes = [
        // The result is used.
        ("rmw.add.rlx.i32 x, n\n", "rmw.add.rlx.i32 x, n\n store.rlx.i32 y, a\n", 2),
        // Updates that do not commute.
        ("a = rmw.add.rlx.i32 x, n\n", "a = rmw.xchg.rlx.i32 x, n\n a = rmw.xchg.rlx.i32 x, 3\n", 6),
        // A thread looks.
        ("join b\n r", "r = load.rlx.i32 x\n join b\n r", 3),
        // Updates that synchronise, and what comes after them.
        ("rmw.add.rlx", "rmw.add.acq_rel", 1),
        ("rmw.add.rlx", "rmw.add.sc", 1),
        ("a = rmw.add.rlx.i32 x, n\n", "fence.rel\n a = rmw.add.rlx.i32 x, n\n fence.acq\n", 1),
        ("x, n\n", "x, n\n fence.sc\n", 1),
        ("x, n\n", "x, n\n store.rlx.i32 y, 1\n", 1),
        ("rmw.add.rlx.i32 x, n\n", "rmw.add.rel.i32 x, n\n store.rlx.i32 y, 1\n", 1),
        ("rmw.add.rlx.i32 x, n\n", "rmw.add.acq_rel.i32 x, n\n store.rlx.i32 y, 1\n", 2),
        ("rmw.add.rlx.i32 x, n\n", "rmw.add.sc.i32 x, n\n store.rlx.i32 y, 1\n", 2),
        ("x, n\n", "x, n\n fence.sc\n store.rlx.i32 y, 1\n", 2),
        ("a = rmw.add.rlx", "store.rlx.i32 y, 1\n a = rmw.add.acq_rel", 1),
    ];
    for (from, to, n) in changes {
        let source = program.replace(from, to);
        assert_eq!(n_executions(&source, "rc11", UpTo::Rf), n, "{source}");
    }
}

/// One thread acquires with its update and then looks at `y`, which the other one has written before a release fence and
/// its own update: the order of updates matters, whichever thread begins.
#[test]
fn updates_after_release_fences_may_synchronise() {
    let looks = "fn looks() { a = rmw.add.acq.i32 x, 1\n r = load.rlx.i32 y\n return }\n";
    let writes = "fn writes() { store.rlx.i32 y, 1\n fence.rel\n a = rmw.add.rlx.i32 x, 1\n return }\n";
    for order in ["a = spawn looks()\n b = spawn writes()", "a = spawn writes()\n b = spawn looks()"] {
        let main = format!("fn main() {{ {order}\n return }}\n");
        let source = format!("global x: i32\nglobal y: i32\n{looks}{writes}{main}");
        assert_eq!(n_executions(&source, "rc11", UpTo::Rf), 3, "{source}");
    }
}

/// A leak is reported with an execution in which updates have an order.
#[test]
fn updates_beside_a_leak_have_an_order() {
    let program = "global x: i32
        fn t() { a = rmw.add.rlx.i32 x, 1\n return }
        fn main() { p = malloc 8\n a = spawn t()\n b = spawn t()\n join a\n join b\n free p\n return }\n";
    for model in ["sc", "rc11"] {
        assert_eq!(n_executions(program, model, UpTo::Rf), 1, "{model}");
        assert_eq!(n_executions(&program.replace("free p\n", ""), model, UpTo::Rf), 2, "{model}");
    }
}
