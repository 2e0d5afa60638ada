//! Checks programs with given orders, and learns from each violation.
//!
//! A violation rules out more than the orders it was found with. The same execution is run again with stronger orders
//! ([`crate::relabel`]); as long as the model allows it and the same goes wrong, everything within them fails, too. The
//! orders that cannot become stronger are those that could have prevented the violation. Before a candidate is explored,
//! all known violations are tried on it, so that a search finds each of them once.

use crate::relabel::relabel;
use crate::search::{Judge, Judgement};
use crate::sites::Orders;
use crate::strength::{Assignment, Space, Strength};
use atropos_check::{Check, Finds, Found, Settings};
use atropos_event::{Diagnostic, Violation};
use atropos_explore::Control;
use atropos_report::names::Names;
use atropos_report::{Finding, Limit, Recheck, Witness, words};
use atropos_vm::{Module, Vm};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How long to search for a coherence order when a known violation is tried on other orders.
const PATIENCE: Duration = Duration::from_millis(500);

/// A program with a name for reports.
#[derive(Clone, Debug)]
pub struct Driver {
    pub name: String,
    pub module: Module,
    pub machine: atropos_vm::Config,
}

/// A violation, and the orders under which it was found.
#[derive(Clone, Debug)]
pub struct KnownViolation {
    /// The number of the program.
    pub program: usize,
    pub at: Assignment,
    pub witness: Witness,
    pub violation: Violation,
}

/// What an exploration has found.
pub struct Explored {
    pub found: Found,
    /// The limit that ended it early, if any.
    pub limit: Option<Limit>,
    /// Whether accesses of several sizes were treated approximately.
    pub is_approximate: bool,
    pub n_executions: u64,
}

/// Explores programs. The command line has one whose code is compiled for the machine's runs.
pub trait ProgramExplorer: Sync {
    fn explore(&self, vm: &Vm, settings: Settings<'_>, control: &Control) -> Explored;
}

/// Explores any run.
pub struct AnyRun;

impl ProgramExplorer for AnyRun {
    fn explore(&self, vm: &Vm, settings: Settings<'_>, control: &Control) -> Explored {
        let (check, finds) = (check_of(vm, settings), Finds::default());
        let search = check.explore(control, &finds);
        let explored = explored(&check, &finds, control);
        drop(search);
        explored
    }
}

/// The check of a program, for an [`ProgramExplorer`].
pub fn check_of<'a>(vm: &'a Vm, settings: Settings<'a>) -> Check<'a> {
    Check { program: vm, condition: None, settings, replay: None, sink: None, ledger: None }
}

/// What a search has found, while its result still exists.
pub fn explored(check: &Check<'_>, finds: &Finds, control: &Control) -> Explored {
    let found = check.found(finds, false);
    let limit = check.execution_limit(&found, control.executions());
    let is_approximate = check.settings.needs_exact_sizes && !check.mixed_cells().is_empty();
    Explored { found, limit, is_approximate, n_executions: control.executions() }
}

/// How to check: with which settings, and with which others if sizes are mixed and the first ones are not exact then.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    pub explorer: &'a dyn ProgramExplorer,
    pub settings: Settings<'a>,
    pub exact: Option<Settings<'a>>,
}

/// What checking has cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Explorations of all executions, or up to a violation.
    pub n_explorations: u64,
    pub n_executions: u64,
    /// Known violations that were tried on other orders.
    pub n_trials: u64,
}

/// Some programs that share orders.
pub struct Programs<'a> {
    pub orders: &'a Orders,
    pub drivers: &'a [Driver],
    pub space: &'a Space,
    pub means: Means<'a>,
    known: Mutex<Vec<Arc<KnownViolation>>>,
    /// One machine for each program, which knows how accesses overlap.
    teachers: Vec<Vm>,
    is_bounded: AtomicBool,
    limit: Mutex<Option<Limit>>,
    n_explorations: AtomicU64,
    n_executions: AtomicU64,
    n_trials: AtomicU64,
}

impl<'a> Programs<'a> {
    /// # Panics
    /// A module is not well-formed, or has no entry function.
    pub fn new(orders: &'a Orders, drivers: &'a [Driver], space: &'a Space, means: Means<'a>) -> Self {
        let machine = |driver: &Driver| {
            Vm::new(driver.module.clone(), driver.machine.clone()).expect("the module was checked before")
        };
        Programs {
            orders,
            drivers,
            space,
            means,
            known: Mutex::default(),
            teachers: drivers.iter().map(machine).collect(),
            is_bounded: AtomicBool::new(false),
            limit: Mutex::default(),
            n_explorations: AtomicU64::new(0),
            n_executions: AtomicU64::new(0),
            n_trials: AtomicU64::new(0),
        }
    }

    pub fn effort(&self) -> Effort {
        Effort {
            n_explorations: self.n_explorations.load(Relaxed),
            n_executions: self.n_executions.load(Relaxed),
            n_trials: self.n_trials.load(Relaxed),
        }
    }

    /// Whether a loop bound has stopped some thread.
    pub fn is_bounded(&self) -> bool {
        self.is_bounded.load(Relaxed)
    }

    /// The limit that left a candidate undecided, if one did.
    pub fn limit(&self) -> Option<Limit> {
        *lock(&self.limit)
    }

    /// The machine of a program with these orders.
    pub fn machine(&self, program: usize, assignment: &Assignment) -> Vm {
        let driver = &self.drivers[program];
        let module = self.orders.apply(&driver.module, program, assignment);
        let vm = Vm::new(module, driver.machine.clone()).expect("orders do not make a module ill-formed");
        vm.learn_from(&self.teachers[program]);
        vm
    }

    /// The violation with other orders, if it is still one: the execution is replayed, judged, and allowed by the model.
    pub fn still_fails(&self, known: &KnownViolation, assignment: &Assignment) -> Option<Finding> {
        self.n_trials.fetch_add(1, Relaxed);
        let vm = self.machine(known.program, assignment);
        let witness = relabel(&vm, &known.witness).ok()?;
        let settings = match (known.witness.tracks_co, self.means.exact) {
            (true, Some(exact)) => exact,
            _ => self.means.settings,
        };
        let start = Instant::now();
        let is_late = || start.elapsed() > PATIENCE;
        let finding = check_of(&vm, settings).investigate(&witness, &known.violation, &is_late).ok()?;
        (finding.recheck == Recheck::Confirmed).then_some(finding)
    }

    /// The strongest orders above `at` under which the violation remains, such that no single one can be stronger.
    fn block_of(&self, known: &KnownViolation, at: &Assignment) -> Assignment {
        let mut block = at.clone();
        let strongest = self.space.strongest();
        let weaker: Vec<usize> =
            (0..self.space.n_orders()).filter(|&order| block.0[order] != strongest.0[order]).collect();
        self.raise(known, &mut block, &weaker);
        block
    }

    /// Raises these orders as far as possible: all at once, or else one half after the other.
    fn raise(&self, known: &KnownViolation, block: &mut Assignment, orders: &[usize]) {
        let strongest = self.space.strongest();
        let mut raised = block.clone();
        orders.iter().for_each(|&order| raised.0[order] = strongest.0[order]);
        if orders.is_empty() {
            return;
        }
        if self.still_fails(known, &raised).is_some() {
            *block = raised;
        } else if let [order] = *orders {
            let is_above =
                |choice: &&Strength| block.0[order].is_within(**choice) && block.0[order] != **choice;
            let choices = self.space.choices(order);
            let between: Vec<Strength> =
                choices[..choices.len() - 1].iter().rev().filter(is_above).copied().collect();
            let raised = between.into_iter().map(|choice| block.with(order, choice));
            if let Some(raised) = raised.into_iter().find(|raised| self.still_fails(known, raised).is_some())
            {
                *block = raised;
            }
        } else {
            let (left, right) = orders.split_at(orders.len() / 2);
            self.raise(known, block, left);
            self.raise(known, block, right);
        }
    }

    /// Adds a violation of an earlier search.
    pub fn remember(&self, known: &Arc<KnownViolation>) {
        let mut all = lock(&self.known);
        if !all.iter().any(|other| Arc::ptr_eq(other, known)) {
            all.push(Arc::clone(known));
        }
    }

    /// A known violation that the candidate does not prevent.
    fn recognise(&self, candidate: &Assignment) -> Option<Arc<KnownViolation>> {
        let known = lock(&self.known).clone();
        // Those found last are those that the latest candidates were made to prevent, so the others come first.
        known.into_iter().find(|known| self.still_fails(known, candidate).is_some())
    }

    /// Explores one program with these orders.
    fn explore(&self, program: usize, candidate: &Assignment, control: &Control) -> Verdict {
        let vm = self.machine(program, candidate);
        let Means { explorer, settings, exact } = self.means;
        self.n_explorations.fetch_add(1, Relaxed);
        let mut explored = explorer.explore(&vm, settings, control);
        if let Some(exact) = exact.filter(|_| explored.is_approximate && !control.is_stopped()) {
            control.start_over();
            explored = explorer.explore(&vm, exact, control);
        }
        self.n_executions.fetch_add(explored.n_executions, Relaxed);
        self.teachers[program].learn_from(&vm);
        let Found { violations, refusal, .. } = explored.found;
        if let Some(met) = violations.into_iter().min_by_key(|met| met.witness.graph.len()) {
            let (witness, violation) = (met.witness, met.violation);
            let known = KnownViolation { program, at: candidate.clone(), witness, violation };
            return Verdict::Fails(Arc::new(known));
        }
        if let Some(refusal) = refusal {
            return Verdict::Refused(words::refusal(&refusal, &Names::of_program(&vm)));
        }
        let limit = explored.limit.or_else(|| explored.is_approximate.then_some(Limit::MixedSizes));
        if control.is_stopped() || limit.is_some() {
            *lock(&self.limit) = limit;
            return Verdict::Undecided;
        }
        if atropos_event::Program::was_cut(&vm) {
            self.is_bounded.store(true, Relaxed);
        }
        Verdict::Verified
    }
}

/// The verdict on one program.
enum Verdict {
    Verified,
    Fails(Arc<KnownViolation>),
    Undecided,
    Refused(Diagnostic),
}

impl Judge for Programs<'_> {
    type Reason = Arc<KnownViolation>;
    /// What cannot be checked, in the program with this number.
    type Refusal = (usize, Diagnostic);

    fn judge(&self, candidate: &Assignment, control: &Control) -> Judgement<Self::Reason, Self::Refusal> {
        if let Some(known) = self.recognise(candidate) {
            return Judgement::Fails(self.block_of(&known, candidate), known);
        }
        for program in 0..self.drivers.len() {
            match self.explore(program, candidate, control) {
                Verdict::Verified => {}
                Verdict::Undecided => return Judgement::Undecided,
                Verdict::Refused(complaint) => return Judgement::Refused((program, complaint)),
                Verdict::Fails(known) => {
                    lock(&self.known).push(Arc::clone(&known));
                    return Judgement::Fails(self.block_of(&known, candidate), known);
                }
            }
        }
        Judgement::Verified
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while it holds the lock")
}
