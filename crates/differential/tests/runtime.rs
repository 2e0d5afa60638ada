//! The modelled thread library against the oracle: a bounded, seeded part of what `make fuzz-runtime` does without end.

use atropos_differential::conformance::check::{Compared, check, check_alone, expected, explain, ways_of};
use atropos_differential::conformance::compare::Machines;
use atropos_differential::conformance::compile::{BATCH, compile_all};
use atropos_differential::conformance::coverage::Coverage;
use atropos_differential::conformance::generate::{ProgramSize, generate};
use atropos_differential::conformance::native::Native;
use atropos_differential::conformance::sanity::is_sane;
use atropos_event::{MisuseReason, Refusal, Violation};
use atropos_explore::{Config, Control, Execution, Observer, Report, Rf, Trust, search};
use atropos_model::Sc;
use atropos_testkit::clang::{has_clang, has_compiler};
use atropos_testkit::oracle::runtime::{Class, Op, RuntimeProgram, errno};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn random_programs_behave_as_the_oracle_says() {
    if !has_clang() {
        return;
    }
    let mut n_agreed = 0;
    let n_programs = 10 * BATCH;
    for from in (0..n_programs).step_by(BATCH as usize) {
        let programs: Vec<_> =
            (from..from + BATCH).map(|seed| (seed, generate(seed, ProgramSize::default()))).collect();
        let ir = compile_all(programs.iter().map(|(seed, program)| (*seed, program)));
        let ir = ir.unwrap_or_else(|complaint| panic!("{complaint}"));
        for (seed, program) in &programs {
            match check(&ir, *seed, program, &ways_of(*seed)) {
                Ok(Compared::Agreed(_)) => n_agreed += 1,
                Ok(Compared::TooLarge) => {}
                Err((way, complaint)) => panic!("{}", explain(*seed, program, way, complaint)),
            }
        }
    }
    assert!(10 * n_agreed > 9 * n_programs, "{n_agreed} programs are compared");
}

/// Programs on which library and oracle once differed, in all ways.
#[test]
fn regressions() {
    if !has_clang() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/runtime");
    let mut n_programs = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("a readable folder").path();
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let program: RuntimeProgram =
            text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(is_sane(&program), "{}", path.display());
        for seed in 0..4 {
            match check_alone(seed, &program, &ways_of(seed)) {
                Ok(Compared::Agreed(_)) => n_programs += 1,
                Ok(Compared::TooLarge) => panic!("{} is too large", path.display()),
                Err((way, complaint)) => {
                    panic!("{}\n{}", path.display(), explain(seed, &program, way, complaint))
                }
            }
        }
    }
    assert!(n_programs > 0);
}

/// The oracle knows the kinds of misuse, but not the reasons: a thread may wait when the barrier is destroyed, or come
/// later.
#[test]
fn regressions_of_a_destroyed_barrier_have_both_reasons() {
    if !has_clang() {
        return;
    }
    let text = include_str!("../../../corpus/runtime/barrier-destroyed-with-a-thread-in-it.txt");
    let ir = compile_all([(0, &text.parse().expect("a program"))]).expect("it compiles");
    let machines = Machines::load(&ir, 0).expect("it loads");
    let (config, control) = (Config { keep_going: true, ..Config::default() }, Control::default());
    let strategy = Trust::<_, Rf>::new(Sc::default());
    let search = search(&machines.plain, &strategy, config, &control, 1, Reasons::default);
    let reasons: BTreeSet<MisuseReason> = search.observers.into_iter().flat_map(|found| found.0).collect();
    assert_eq!(reasons, BTreeSet::from([MisuseReason::Awaited, MisuseReason::Destroyed]));
}

/// The reasons of all misuses.
#[derive(Default)]
struct Reasons(BTreeSet<MisuseReason>);

impl Observer for Reasons {
    fn violation(&mut self, report: Report, _execution: Execution<'_>) {
        if let Violation::LockMisuse(misuse) = report.violation {
            self.0.insert(misuse.reason);
        }
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("{refusal:?}");
    }
}

/// Nothing may be seen on a real machine that the oracle does not have.
#[test]
fn real_threads_do_nothing_that_the_oracle_does_not_have() {
    if !has_compiler("cc") {
        return;
    }
    let programs: Vec<_> = (0..60).map(|seed| (seed, generate(seed, ProgramSize::default()))).collect();
    let seen = Native { compiler: "cc", runs: 20 }.check(&programs);
    let seen = seen.unwrap_or_else(|complaint| panic!("{complaint}"));
    assert!(seen.programs > 10 && seen.outcomes > 0, "{seen:?}");
}

#[test]
fn every_call_and_every_error_occurs() {
    let mut coverage = Coverage::default();
    for seed in 0..6_000 {
        let program = generate(seed, ProgramSize::default());
        let written: RuntimeProgram = program.to_string().parse().expect("what is written is read back");
        assert_eq!(written, program);
        if let Some(found) = expected(&program) {
            coverage.add(&program, &found);
        }
    }
    for &op in Op::ALL {
        let n_results = coverage.calls.get(&op).map_or(0, |results| results.len());
        assert!(n_results > 0, "{} never returns\n{coverage}", op.name());
    }
    for (op, code) in [
        (Op::MutexLock, errno::EDEADLK),
        (Op::MutexTrylock, errno::EBUSY),
        (Op::MutexTimedlock, errno::ETIMEDOUT),
        (Op::MutexTimedlock, errno::EINVAL),
        (Op::MutexTimedlock, errno::EDEADLK),
        (Op::MutexUnlock, errno::EPERM),
        (Op::MutexLock, errno::EOWNERDEAD),
        (Op::MutexLock, errno::ENOTRECOVERABLE),
        (Op::MutexTrylock, errno::EOWNERDEAD),
        (Op::MutexConsistent, 0),
        (Op::MutexConsistent, errno::EINVAL),
        (Op::CondTimedwait, errno::EOWNERDEAD),
        (Op::Join, 99),
        (Op::SetCancelState, 1),
        (Op::CondWait, errno::EPERM),
        (Op::CondTimedwait, errno::ETIMEDOUT),
        (Op::Tryrdlock, errno::EBUSY),
        (Op::Trywrlock, errno::EBUSY),
        (Op::Timedrdlock, errno::ETIMEDOUT),
        (Op::Timedwrlock, errno::EINVAL),
        (Op::SpinTrylock, errno::EBUSY),
        (Op::SemInit, errno::EINVAL),
        (Op::SemTrywait, errno::EAGAIN),
        (Op::SemTimedwait, errno::ETIMEDOUT),
        (Op::SemTimedwait, errno::EINVAL),
        (Op::SemPost, errno::EOVERFLOW),
        (Op::BarrierInit, errno::EINVAL),
        (Op::BarrierWait, -1),
    ] {
        assert!(coverage.count(op, code) > 0, "{} never returns {code}\n{coverage}", op.name());
    }
    // Calls that cannot be wrong: those that find any state of the object in order, and those that are not made twice.
    // Hardly a program declares a destroyed mutex consistent.
    let never_misused = |op: &Op| {
        let cancels = matches!(op, Op::Cancel | Op::TestCancel | Op::SetCancelState);
        let is_rarely = *op == Op::MutexConsistent;
        cancels || is_rarely || matches!(op, Op::Create | Op::Once | Op::KeyCreate)
    };
    for &op in Op::ALL.iter().filter(|op| op.class() != Class::Variable && !never_misused(op)) {
        assert!(coverage.misused.contains_key(&op), "{} is never a misuse\n{coverage}", op.name());
    }
    let Coverage { lock_misuses, join_misuses, deadlocks, endless, correct, .. } = coverage;
    assert!(lock_misuses > 100 && join_misuses > 100 && deadlocks > 100 && endless > 100 && correct > 1_000);
    assert!(coverage.quits > 100);
}
