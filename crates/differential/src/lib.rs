//! The explorers behind one function, as the differential tests need them: program, model and equivalence in,
//! all executions out, as often as they were visited.

use atropos_event::{Mapping, Program, Run, ViolationKind};
use atropos_explore::parallel::explore;
use atropos_explore::{Co, Config, Control, Ending, Execution, Observer, Report, Rf};
use atropos_graph::{Canonical, validate};
use atropos_model::{MemoryModel, Pso, Ra, Rc11, ReleaseSequences, Sc, Sra, Tso};
use atropos_testkit::{Equivalence, Explored};
use std::collections::BTreeSet;

/// The models that are compared, the most permissive first.
pub const MODELS: [&str; 7] = ["rc11", "rc11-c11", "ra", "sra", "pso", "tso", "sc"];

/// Collects every execution, and checks that its graph is well-formed.
#[derive(Debug)]
struct Collect {
    found: Found,
    with_co: bool,
}

#[derive(Debug, Default)]
struct Found {
    explored: Explored,
    violations: BTreeSet<ViolationKind>,
}

impl<R: Run> Observer<R> for Collect {
    fn execution(&mut self, ending: Ending, execution: Execution<'_, R>) {
        if let Err(broken) = validate(execution.graph) {
            panic!("a malformed graph: {broken:?}");
        }
        let run = execution.run;
        let canonical = Canonical::of(execution.graph, |thread| run.key(thread), self.with_co);
        match ending {
            Ending::Complete => self.found.explored.complete.push(canonical),
            Ending::Blocked => self.found.explored.blocked.push(canonical),
        }
    }

    fn violation(&mut self, report: Report, _execution: Execution<'_, R>) {
        self.found.violations.insert(report.violation.kind);
    }

    fn refused(&mut self, reason: String, _execution: Execution<'_, R>) {
        panic!("a generated program is refused: {reason}");
    }
}

/// All executions of `program` under the model of that name. The same search that leaves doomed executions must
/// find the same complete ones, no other blocked ones, and the same kinds of violations.
///
/// # Panics
/// If it does not.
pub fn explore_all<P: Program>(program: &P, model: &str, equivalence: Equivalence, jobs: usize) -> Explored {
    let all = explore_named(program, model, equivalence, Options { jobs, abandon_doomed: false });
    let some = explore_named(program, model, equivalence, Options { jobs, abandon_doomed: true });
    let sorted = |list: &[Canonical]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    };
    let what = || format!("under {model} up to {equivalence:?}");
    let (complete, blocked) = (sorted(&all.explored.complete), sorted(&all.explored.blocked));
    assert!(sorted(&some.explored.complete) == complete, "other complete executions {}", what());
    let other = some.explored.blocked.iter().find(|execution| blocked.binary_search(execution).is_err());
    assert!(other.is_none(), "another blocked execution {}: {other:?}", what());
    assert_eq!(some.violations, all.violations, "other violations {}", what());
    all.explored
}

#[derive(Clone, Copy)]
struct Options {
    jobs: usize,
    abandon_doomed: bool,
}

fn explore_named<P: Program>(program: &P, model: &str, equivalence: Equivalence, jobs: Options) -> Found {
    match model {
        "sc" => with_model(program, &Sc::default(), equivalence, jobs),
        "tso" => with_model(program, &Tso::new(Mapping::Compiled), equivalence, jobs),
        "pso" => with_model(program, &Pso::new(Mapping::Compiled), equivalence, jobs),
        "ra" => with_model(program, &Ra::default(), equivalence, jobs),
        "sra" => with_model(program, &Sra::default(), equivalence, jobs),
        "rc11" => with_model(program, &Rc11::new(ReleaseSequences::Cpp20), equivalence, jobs),
        "rc11-c11" => with_model(program, &Rc11::new(ReleaseSequences::C11), equivalence, jobs),
        _ => panic!("no model {model}"),
    }
}

fn with_model<P: Program, M: MemoryModel + Clone + Sync>(
    program: &P,
    model: &M,
    equivalence: Equivalence,
    Options { jobs, abandon_doomed }: Options,
) -> Found {
    let config = Config { keep_going: true, detect_races: false, abandon_doomed, ..Config::default() };
    let control = Control::default();
    let with_co = equivalence == Equivalence::Co;
    let observer = || Collect { found: Found::default(), with_co };
    let search = match equivalence {
        Equivalence::Co => explore::<P, M, Co, _>(program, model, config, &control, jobs, observer),
        Equivalence::Rf => explore::<P, M, Rf, _>(program, model, config, &control, jobs, observer),
    };
    let mut all = Found::default();
    for Collect { found, .. } in search.observers {
        all.explored.complete.extend(found.explored.complete);
        all.explored.blocked.extend(found.explored.blocked);
        all.violations.extend(found.violations);
    }
    all
}
