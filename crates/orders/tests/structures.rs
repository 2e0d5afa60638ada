//! The data structures of the repository: verdicts are monotone on random chains of ever weaker orders, and what is
//! learned from violations agrees with exploring.

use atropos_check::Settings;
use atropos_explore::Control;
use atropos_explore::catalogue::{Algorithm, Equivalence, ModelName};
use atropos_llvm::compile::{CompileOptions, Job, compile};
use atropos_llvm::{LibraryOptions, SourceFiles};
use atropos_orders::programs::{AnyRun, Driver, Means, ProgramExplorer, Programs};
use atropos_orders::search::{Judge, Judgement};
use atropos_orders::sites::Orders;
use atropos_orders::specialise::Specialised;
use atropos_orders::{Assignment, Space, Strength};
use atropos_testkit::Rng;
use atropos_testkit::clang::has_clang;
use std::path::{Path, PathBuf};

fn settings() -> Settings<'static> {
    Settings::new(Algorithm::Trust, ModelName::Rc11, Equivalence::Rf)
}

fn structures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/structures");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cpp"));
    paths.sort();
    paths
}

fn load(path: &Path) -> (Driver, Specialised) {
    let text = compile(path, &CompileOptions::default(), &Job::default()).expect("it compiles");
    let name = path.display().to_string();
    let loaded = atropos_llvm::load(
        vec![(name.clone(), text)],
        "main",
        &LibraryOptions::default(),
        &SourceFiles::none(),
    );
    let loaded = loaded.unwrap_or_else(|_| panic!("{name} is not lowered"));
    let program = Specialised::new(loaded.module);
    let machine =
        atropos_vm::Config { entry: loaded.entry, races_on_plain: true, claims: true, ..Default::default() };
    (Driver { name, module: program.module.clone(), machine }, program)
}

/// The same with one order weaker; `None` if all are as weak as possible.
fn weakened(rng: &mut Rng, space: &Space, assignment: &Assignment) -> Option<Assignment> {
    let below =
        |order: usize| space.below(order, assignment.0[order]).into_iter().map(move |weaker| (order, weaker));
    let steps: Vec<(usize, Strength)> = (0..space.n_orders()).flat_map(below).collect();
    (!steps.is_empty()).then(|| rng.pick(&steps)).map(|(order, weaker)| assignment.with(order, weaker))
}

#[test]
fn verdicts_on_data_structures_are_monotone() {
    if !has_clang() {
        return;
    }
    let mut rng = Rng::new(16);
    for path in structures() {
        let (driver, program) = load(&path);
        let orders = Orders::of(&[&program]);
        if orders.all.is_empty() {
            continue;
        }
        let strongest = Assignment(orders.kinds().iter().map(|kind| kind.strongest()).collect());
        let weakest = Assignment(vec![Strength::NONE; orders.all.len()]);
        let space = Space::between(&orders.kinds(), &weakest, &strongest);
        let drivers = [driver];
        let means = Means { explorer: &AnyRun, settings: settings(), exact: None };
        let judge = Programs::new(&orders, &drivers, &space, means);
        let verifies = |assignment: &Assignment| {
            let vm = judge.machine(0, assignment);
            let explored = AnyRun.explore(&vm, settings(), &Control::default());
            assert!(explored.found.refusal.is_none(), "{}", path.display());
            explored.found.violations.is_empty()
        };
        let (mut assignment, mut has_failed) = (strongest.clone(), false);
        while let Some(weaker) = weakened(&mut rng, &space, &assignment) {
            assignment = weaker;
            let verdict = verifies(&assignment);
            assert!(!has_failed || !verdict, "{}: weakening repairs {assignment:?}", path.display());
            has_failed = !verdict;
            match judge.judge(&assignment, &Control::default()) {
                Judgement::Verified => assert!(verdict, "{}: {assignment:?} fails", path.display()),
                Judgement::Fails(block, _) => {
                    assert!(!verdict && !verifies(&block), "{}: {block:?} verifies", path.display());
                }
                Judgement::Undecided | Judgement::Refused(_) => {
                    panic!("{} is not decided", path.display())
                }
            }
        }
        assert!(has_failed, "{} verifies with the weakest orders", path.display());
    }
}
