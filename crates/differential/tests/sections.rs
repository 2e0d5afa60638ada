//! Searches that leave the order of sections of a mutex open, on random programs: one execution for those that differ only
//! in this order, and the same violations. `fuzz --against sections` does the same without end.

use atropos_differential::counters::ClassCounts;
use atropos_differential::sections::compare_program;
use atropos_differential::{MODELS, SearchSettings};
use atropos_testkit::{ProgramShape, Style, UpTo, count, generate, repeat, section};
use atropos_vm::{Config, Vm, text};

#[test]
fn nothing_is_lost_and_nothing_is_there_twice() {
    let mut sum = ClassCounts::default();
    for seed in 0..500 {
        let style = Style::ALL[(seed / 2) as usize % Style::ALL.len()];
        let shape = ProgramShape {
            max_threads: 3,
            max_instructions: 1 + (seed % 6) as usize,
            ..ProgramShape::of(style)
        };
        let drawn = generate(seed, &shape);
        let ast = match seed % 7 {
            0 => count(seed, drawn),
            1 => repeat(seed, drawn, 5),
            _ => drawn,
        };
        let ast = section(seed, ast);
        if ast.estimate() > 400.0 {
            continue;
        }
        let model = MODELS[(seed / 3) as usize % MODELS.len()];
        for sizes in compare_program(seed, &ast, model).unwrap_or_else(|text| panic!("{text}")) {
            sum.all += sizes.all;
            sum.classes += sizes.classes;
            sum.visited += sizes.visited;
        }
    }
    assert!(4 * sum.visited < 3 * sum.all, "{sum:?}");
}

/// The numbers of complete and blocked executions, with and without the order of sections.
fn n_executions(source: &str, model: &str, equivalence: UpTo) -> [(usize, usize); 2] {
    let module = text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}\n{source}"));
    [true, false].map(|locks| {
        let program = Vm::new(module.clone(), Config::default()).expect("a program");
        let found = SearchSettings { locks, ..SearchSettings::new(model, equivalence) }.run(&program);
        (found.complete.len(), found.blocked.len())
    })
}

/// Three threads, each with two sections that access its own element of an array.
const SECTIONS: &str = "global m: i32\nglobal a: [i32; 4]\nglobal x: i32
    fn work(n) {
      own = addr a + n*4
      lock m\n r = load.i32 own\n r = add.i32 r, 1\n store.i32 own, r\n unlock m
      return
    }
    fn t(n) { r = call work(n)\n s = call work(n)\n return }
    fn main() {
      lock m\n store.i32 x, 1\n unlock m
      b = spawn t(1)\n c = spawn t(2)\n d = spawn t(3)\n join b\n join c\n join d\n
      lock m\n r = load.i32 x\n unlock m
      return
    }\n";

#[test]
fn sections_of_their_own_data_are_one_execution() {
    for model in MODELS {
        for equivalence in [UpTo::Co, UpTo::Rf] {
            let [reduced, whole] = n_executions(SECTIONS, model, equivalence);
            assert_eq!(reduced, (1, 0), "{model}, {equivalence:?}");
            assert!(whole.0 >= 90, "{model}, {equivalence:?}: {whole:?}");
        }
    }
}

/// What gives some sections an order, and what none.
#[test]
fn sections_that_conflict_have_an_order() {
    let changes = [
        // All read what main has written.
        ("lock m\n r = load.i32 own", "lock m\n q = load.i32 x\n r = load.i32 own", 1),
        // Two of the threads have the same element, then all three.
        ("own = addr a + n*4", "half = udiv.i32 n, 2\n own = addr a + half*4", 6),
        ("own = addr a + n*4", "own = addr a", 90),
        // Only the second sections conflict.
        ("s = call work(n)", "s = call work(0)", 6),
        // An access outside of sections that is ordered with all others, and one that is not.
        ("join d\n", "join d\n store.rlx.i32 a, 1\n", 1),
        ("join b\n", "store.rlx.i32 x, 1\n join b\n", 1),
    ];
    for (from, to, n) in changes {
        let source = SECTIONS.replacen(from, to, 1);
        assert_ne!(source, SECTIONS);
        for model in ["rc11", "sc", "pso"] {
            let [(complete, _), _] = n_executions(&source, model, UpTo::Rf);
            assert_eq!(complete, n, "{model}: {source}");
        }
    }
}

/// What makes the order of all sections matter.
#[test]
fn mutexes_that_show_the_order_of_sections_are_taken_in_order() {
    let changes = [
        // A thread tries to lock the mutex, looks at it, or has another one inside.
        ("fn t(n) {", "fn t(n) {\n q = trylock m\n if not q goto on\n unlock m\non:\n"),
        ("fn t(n) {", "fn t(n) {\n q = load.rlx.i32 m\n"),
        ("r = load.i32 own", "lock g\n unlock g\n r = load.i32 own"),
        // A thread that stops keeps the mutex.
        ("r = load.i32 own", "z = eq.i32 n, 1\n assume z\n r = load.i32 own"),
        // An access outside of sections conflicts with one inside.
        ("r = load.i32 own", "q = load.rlx.i32 x\n r = load.i32 own"),
    ];
    let base = SECTIONS.replace("global x: i32", "global x: i32\nglobal g: i32");
    let base = base.replace("s = call work(n)\n", "store.rlx.i32 x, n\n");
    let base = base
        .replace("lock m\n store.i32 x, 1\n unlock m", "")
        .replace("lock m\n r = load.i32 x\n unlock m", "");
    for (from, to) in changes {
        let source = base.replacen(from, to, 1);
        assert_ne!(source, base);
        let [reduced, whole] = n_executions(&source, "sc", UpTo::Rf);
        assert_eq!(reduced, whole, "{source}");
    }
    // Unordered accesses after sections, where sections synchronise.
    let [reduced, whole] = n_executions(&base, "rc11", UpTo::Co);
    assert_eq!(reduced, whole);
    let [reduced, whole] = n_executions(&base, "sc", UpTo::Co);
    assert!(reduced.0 < whole.0, "{reduced:?} {whole:?}");
}
