//! Barriers with a fixed order of arrival on random programs: one execution for those that differ only in this order, and
//! the same violations. `fuzz --against arrivals` does the same without end.

use atropos_differential::barriers::compare_program;
use atropos_differential::counters::ClassCounts;
use atropos_differential::{MODELS, SearchSettings};
use atropos_testkit::{ProgramShape, Style, UpTo, count, generate, meet, repeat};
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
        let drawn = generate(seed, &shape);
        let ast = match seed % 7 {
            0 => count(seed, drawn),
            1 | 2 => repeat(seed, drawn, 5),
            _ => drawn,
        };
        let ast = meet(seed, ast);
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
    assert!(2 * sum.visited < sum.all, "{sum:?}");
}

/// The numbers of complete and blocked executions with a fixed order of arrival.
fn n_executions(source: &str, model: &str, equivalence: UpTo) -> (usize, usize) {
    let module = text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}\n{source}"));
    let program = Vm::new(module, Config::default()).expect("a program");
    let search = SearchSettings { barriers: true, ..SearchSettings::new(model, equivalence) };
    let found = search.run(&program);
    (found.complete.len(), found.blocked.len())
}

/// Three threads that meet twice.
const ROUNDS: &str = "global g: i32\nglobal x: i32
    fn meet() {
      before = rmw.add.acqrel.i32 g, 1
      round = udiv.i32 before, 3\n round = add.i32 round, 1\n goal = mul.i32 round, 3
      mine = add.i32 before, 1\n last = eq.i32 mine, goal\n if last goto serial
      now = load.acq.i32 g
      in_time = ule.i32 now, goal\n assume in_time
      complete = eq.i32 now, goal\n wait.round complete, 1
      return 0
    serial:
      return 1
    }
    fn t(n) { a = call meet()\n b = call meet()\n return }
    fn main() { a = spawn t(1)\n b = spawn t(2)\n c = spawn t(3)\n join a\n join b\n join c\n return }\n";

#[test]
fn rounds_are_one_execution() {
    for model in MODELS {
        for equivalence in [UpTo::Co, UpTo::Rf] {
            assert_eq!(n_executions(ROUNDS, model, equivalence), (1, 0), "{model}, {equivalence:?}");
        }
    }
}

/// What makes the order of arrivals matter, and what does not.
#[test]
fn arrivals_that_a_thread_tells_apart_have_an_order() {
    let changes = [
        // Every call loads something first.
        ("      before = rmw", "      size = load.rlx.i32 x\n before = rmw", (1, 0)),
        // Before and after the rounds.
        ("a = call meet()\n", "store.rlx.i32 x, n\n a = call meet()\n", (1, 0)),
        ("a = call meet()\n b", "a = call meet()\n c = load.rlx.i32 x\n b", (1, 0)),
        // Two of the threads meet only once.
        ("b = call meet()\n", "c = eq.i32 n, 1\n if not c goto out\n b = call meet()\n out:\n", (0, 1)),
        // Main looks.
        ("join c\n", "join c\n r = load.rlx.i32 g\n", (1, 0)),
    ];
    for (from, to, n) in changes {
        let source = ROUNDS.replace(from, to);
        assert_ne!(source, ROUNDS);
        assert_eq!(n_executions(&source, "rc11", UpTo::Rf), n, "{source}");
    }
    // A thread asks whether it was last; four threads meet at a barrier for three; a thread looks while others arrive.
    let asked = ROUNDS.replace("a = call meet()\n", "a = call meet()\n store.rlx.i32 x, a\n");
    let crowd = ROUNDS.replace("c = spawn t(3)\n", "c = spawn t(3)\n d = spawn t(4)\n");
    let watched = ROUNDS.replace("join a\n", "r = load.rlx.i32 g\n join a\n");
    // So does a thread that moves only after the others.
    let late = ROUNDS.replace("fn main()", "fn u() { r = load.rlx.i32 g\n return }\n    fn main()");
    let late = late.replace("join a\n", "d = spawn u()\n join a\n");
    for source in [asked, crowd, watched, late] {
        let search = SearchSettings::new("rc11", UpTo::Rf);
        let module = text::parse("test.vm", &source).unwrap_or_else(|errors| panic!("{errors}"));
        let whole = search.run(&Vm::new(module, Config::default()).expect("a program"));
        let n = (whole.complete.len(), whole.blocked.len());
        assert_eq!(n_executions(&source, "rc11", UpTo::Rf), n, "{source}");
    }
}
