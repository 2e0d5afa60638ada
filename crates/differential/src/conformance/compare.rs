//! Programs over the thread library: compares what the explorers find with the oracle's answer.
//!
//! Every outcome, misuse and deadlock of the oracle must be found, under every model and by every algorithm. Nothing
//! else may be found under sc, tso and pso, except for what [`Way::is_exact`] names. Under ra, sra and rc11, programs
//! may do more.
//!
//! **The comparison ends at the first misuse.** What follows is undefined. The oracle stops there, but an explorer goes
//! on in two cases:
//! - A thread has failed, and the others continue. So a violation that the oracle does not have counts only in an
//!   execution in which no other thread has failed.
//! - A call that initialises or destroys an object looks at it first and marks it then, because it must not order
//!   anything as an update would. A thread that uses the object in between is not blamed; it is where it comes before or
//!   afterwards. So only what the oracle has is demanded of programs that misuse such a call. To destroy a barrier is an
//!   exception: one update looks and marks.

use crate::algorithm::{Algorithm, AlgorithmRun, caught};
use atropos_event::{Addr, Label, Program as _, Refusal, ViolationKind};
use atropos_explore::{Config, Control, Execution, Observer, Report, Rf, Trust, search};
use atropos_graph::Canonical;
use atropos_llvm::{Loaded, SourceFiles};
use atropos_model::Sc;
use atropos_testkit::oracle::runtime::program::N_OBJECTS;
use atropos_testkit::oracle::runtime::{
    Argument, Behaviour, Call, MisuseKind, NOT_EXECUTED, Op, RuntimeProgram, RuntimeStmt, ThreadResults,
};
use atropos_testkit::{Explored, UpTo};
use atropos_vm::{self as vm, Buffering, Vm};
use std::collections::{BTreeMap, BTreeSet};

use crate::conformance::to_c::{entry, results};

/// One way to explore.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub algorithm: Algorithm,
    pub model: &'static str,
    pub equivalence: UpTo,
}

/// The ways to explore every program: all algorithms for sequential consistency.
pub(crate) const ALWAYS: [Way; 5] = [
    Way { algorithm: Algorithm::Trust, model: "sc", equivalence: UpTo::Co },
    way(Algorithm::Trust, "sc"),
    way(Algorithm::SourceDpor, "sc"),
    way(Algorithm::OptimalDpor, "sc"),
    way(Algorithm::Rvf, "sc"),
];

/// The other ways, some of them for each program.
pub(crate) const IN_TURN: [Way; 12] = [
    way(Algorithm::Trust, "tso"),
    way(Algorithm::SourceDpor, "pso"),
    way(Algorithm::Tracer, "ra"),
    way(Algorithm::Trust, "pso"),
    way(Algorithm::OptimalDpor, "tso"),
    way(Algorithm::Trust, "rc11"),
    way(Algorithm::SourceDpor, "tso"),
    way(Algorithm::Trust, "ra"),
    way(Algorithm::Rcmc, "rc11"),
    way(Algorithm::OptimalDpor, "pso"),
    way(Algorithm::Trust, "sra"),
    Way { algorithm: Algorithm::Trust, model: "tso", equivalence: UpTo::Co },
];

const fn way(algorithm: Algorithm, model: &'static str) -> Way {
    Way { algorithm, model, equivalence: UpTo::Rf }
}

impl Way {
    /// Whether a program does exactly what it does under sequential consistency. With store buffers the variables and
    /// every call that changes an object are still sequentially consistent, but to unlock a spin lock, to initialise an
    /// object and to destroy one are plain stores. Only a program that misuses objects can see the last of these late.
    fn is_exact(self, program: &RuntimeProgram, expected: &Behaviour) -> bool {
        let is_exact = match self.model {
            "sc" => true,
            "tso" | "pso" => {
                let may_see_destroying =
                    !expected.misuses.is_empty() && program.calls().any(|call| marks_destroyed(call.op));
                !program.calls().any(|call| call.op == Op::SpinUnlock)
                    && !initialises_late(program)
                    && !may_see_destroying
            }
            _ => false,
        };
        is_exact && !mixes_mutexes(program)
    }

    pub fn name(self) -> String {
        format!("{} {} {:?}", self.algorithm.name(), self.model, self.equivalence)
    }
}

/// Whether threads wait for a condition variable with different mutexes. If they start to wait at the same time, the
/// library may not notice, and what they do then is undefined.
fn mixes_mutexes(program: &RuntimeProgram) -> bool {
    let mutexes = |cond: usize| -> BTreeSet<i64> {
        let waits = |call: &Call| call.op.argument() == Argument::Mutex && call.object == cond;
        program.calls().filter(waits).map(|call| call.argument).collect()
    };
    (0..N_OBJECTS).any(|cond| mutexes(cond).len() > 1)
}

/// Whether an object is initialised when there may be several threads.
fn initialises_late(program: &RuntimeProgram) -> bool {
    let of_main = program.threads[0].body.iter();
    let is_create = |stmt: &&RuntimeStmt| stmt.call.op == Op::Create;
    let n_early = of_main.take_while(|stmt| !is_create(stmt)).filter(|stmt| stmt.call.op.is_init()).count();
    program.calls().filter(|call| call.op.is_init()).count() > n_early
}

/// Whether a call looks at an object first and marks it as destroyed then. To destroy a barrier is a single update.
fn marks_destroyed(op: Op) -> bool {
    op.is_destroy() && op != Op::BarrierDestroy
}

/// A program as the command line would load it: the lowering depends on whether there are store buffers.
pub struct Machines {
    pub plain: Vm,
    buffered: Vm,
}

impl Machines {
    /// One program of a file of LLVM IR.
    ///
    /// # Errors
    /// The error of the front-end.
    pub fn load(ir: &str, number: u64) -> Result<Machines, String> {
        let texts = vec![("runtime.ll".to_string(), ir.to_string())];
        let loaded = atropos_llvm::load(texts, &entry(number), &Default::default(), &SourceFiles::none());
        let Loaded { module, entry, .. } = loaded.map_err(|diagnostic| diagnostic.to_string())?;
        let machine = |module, buffering| {
            let config =
                vm::Config { claims: true, buffering, entry: entry.clone(), ..vm::Config::default() };
            Vm::new(module, config).map_err(|problems| format!("{problems:?}"))
        };
        let plain = machine(module.clone(), Buffering::None)?;
        Ok(Machines { plain, buffered: machine(module, Buffering::Ordered)? })
    }

    fn of(&self, way: Way) -> &Vm {
        if matches!(way.model, "tso" | "pso") { &self.buffered } else { &self.plain }
    }
}

/// What an explorer finds, in the oracle's terms.
#[derive(Debug, Default)]
pub struct ExplorerResult {
    pub outcomes: BTreeSet<ThreadResults>,
    pub violations: BTreeSet<ViolationKind>,
    /// Those of executions in which no other thread has failed.
    pub first_violations: BTreeSet<ViolationKind>,
    pub refused: Option<String>,
}

/// Explores in one way.
///
/// # Errors
/// The message of a search that panics.
pub fn explore(
    machines: &Machines,
    program: &RuntimeProgram,
    number: u64,
    way: Way,
) -> Result<ExplorerResult, String> {
    let mut task =
        AlgorithmRun { equivalence: way.equivalence, ..AlgorithmRun::new(way.algorithm, way.model) };
    task.config.abandon_doomed = !number.is_multiple_of(4);
    task.config.detect_races = false;
    let vm = machines.of(way);
    let explored = caught(|| task.run(vm))?;
    if let Some(complaint) = explored.complaints.first() {
        return Err(complaint.clone());
    }
    let mut reader = Reader::new(vm, program, number);
    let outcomes = explored.complete.iter().filter_map(|execution| reader.outcome(execution)).collect();
    let Explored { violations, first_violations, refused, .. } = explored;
    Ok(ExplorerResult { outcomes, violations, first_violations, refused })
}

/// The maximum number of executions of a program that is explored in all ways.
const MOST_EXECUTIONS: u64 = 1_000;

/// Whether a program has too many executions. A program with few outcomes may have many executions.
pub(crate) fn has_many_executions(vm: &Vm) -> bool {
    let config = Config {
        keep_going: true,
        detect_races: false,
        abandon_doomed: false,
        max_executions: Some(MOST_EXECUTIONS),
        ..Config::default()
    };
    let (control, model) = (Control::default(), Sc::default());
    let search = search(vm, &Trust::<_, Rf>::new(model), config, &control, 1, || Blind);
    search.stats.executions + search.stats.blocked >= MOST_EXECUTIONS
}

/// Ignores all executions.
struct Blind;

impl Observer for Blind {
    fn looks_at_executions(&self) -> bool {
        false
    }

    fn violation(&mut self, _report: Report, _execution: Execution<'_>) {}

    fn refused(&mut self, _refusal: Refusal) {}
}

/// Reads outcomes off executions.
struct Reader<'a> {
    vm: &'a Vm,
    names: BTreeMap<String, (usize, usize)>,
    cells: BTreeMap<Addr, Option<(usize, usize)>>,
    nothing: ThreadResults,
}

impl<'a> Reader<'a> {
    fn new(vm: &'a Vm, program: &RuntimeProgram, number: u64) -> Self {
        let name = |&(thread, index): &(usize, usize)| format!("p{number}_r{thread}_{index}");
        let names = results(program).iter().map(|cell| (name(cell), *cell)).collect();
        let nothing = program.threads.iter().map(|thread| vec![NOT_EXECUTED; thread.body.len()]).collect();
        Reader { vm, names, cells: BTreeMap::new(), nothing }
    }

    /// The results of an execution in which every thread ended.
    fn outcome(&mut self, execution: &Canonical) -> Option<ThreadResults> {
        if !execution.is_complete() {
            return None;
        }
        let mut outcome = self.nothing.clone();
        for (_, event) in execution.events() {
            let Label::Write { access, .. } = event.label else { continue };
            let (vm, names) = (self.vm, &self.names);
            let cell = self.cells.entry(access.addr);
            let cell = cell.or_insert_with(|| names.get(&vm.name_of(access.addr)).copied());
            if let Some((thread, index)) = *cell {
                outcome[thread][index] = event.value as i64;
            }
        }
        Some(outcome)
    }
}

/// The violations that correspond to what the oracle found.
pub fn violations(expected: &Behaviour) -> BTreeSet<ViolationKind> {
    let misuses = expected.misuses.iter().map(|misuse| match misuse {
        MisuseKind::Lock => ViolationKind::LockMisuse,
        MisuseKind::Join => ViolationKind::InvalidJoin,
    });
    let deadlock = expected.may_deadlock.then_some(ViolationKind::Deadlock);
    let spinning = expected.may_spin_forever.then_some(ViolationKind::NonTermination);
    misuses.chain(deadlock).chain(spinning).collect()
}

/// Compares one way with the oracle. RVF-SMC may refuse the program.
///
/// # Errors
/// The difference.
pub fn compare(
    way: Way,
    program: &RuntimeProgram,
    expected: &Behaviour,
    found: &ExplorerResult,
) -> Result<(), String> {
    if let Some(reason) = &found.refused {
        return if way.algorithm == Algorithm::Rvf { Ok(()) } else { Err(format!("refused: {reason}")) };
    }
    let violations = violations(expected);
    let missing = violations.difference(&found.violations).next();
    if let Some(kind) = missing {
        return Err(format!("no {kind} is found, but {:?}", found.violations));
    }
    if let Some(outcome) = expected.outcomes.difference(&found.outcomes).next() {
        return Err(format!("this outcome is not found: {outcome:?}"));
    }
    let looks_first = |&op: &Op| op.is_init() || marks_destroyed(op);
    let may_differ = expected.misused.iter().any(looks_first);
    if may_differ || !way.is_exact(program, expected) {
        return Ok(());
    }
    if let Some(kind) = found.first_violations.difference(&violations).next() {
        return Err(format!("there is no {kind}"));
    }
    if let Some(outcome) = found.outcomes.difference(&expected.outcomes).next() {
        return Err(format!("there is no such outcome: {outcome:?}"));
    }
    Ok(())
}
