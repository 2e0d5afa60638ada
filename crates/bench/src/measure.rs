//! One measurement: a case explored in this process.
//!
//! Time is that of the exploration alone, without parsing and compiling the program. Peak memory is that of the
//! whole process, so a process makes one measurement: see [`crate::child`].

use crate::families;
use crate::rows::{Case, Model, UpTo};
use atropos_event::{Mapping, Run};
use atropos_explore::{Co, Config, Control, Execution, Observer, Report, Rf, Stats, parallel};
use atropos_model::{MemoryModel, Pso, Ra, Rc11, ReadsFrom, Sc, Sra, Tso};
use atropos_vm::Vm;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use std::fmt;
use std::fs;
use std::str::FromStr;
use std::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measurement {
    pub executions: u64,
    pub blocked: u64,
    /// Events added, over all executions.
    pub events: u64,
    pub wall_ns: u64,
    /// What all threads of the process used, in user and kernel mode.
    pub cpu_ns: u64,
    /// The most memory the process had.
    pub peak_kib: u64,
}

impl Measurement {
    pub fn executions_per_second(&self) -> f64 {
        (self.executions + self.blocked) as f64 / (self.cpu_ns.max(1) as f64 / 1e9)
    }

    pub fn events_per_execution(&self) -> f64 {
        self.events as f64 / (self.executions + self.blocked).max(1) as f64
    }

    pub fn ns_per_event(&self) -> f64 {
        self.cpu_ns as f64 / self.events.max(1) as f64
    }
}

/// Explores the case on `jobs` workers.
///
/// # Errors
/// The family or the program is not there, or the program goes wrong, which none of the papers' does.
pub fn measure(case: &Case, jobs: usize) -> Result<Measurement, String> {
    let family = families::find(&case.family).ok_or_else(|| format!("no family `{}`", case.family))?;
    let text = (family.program)(case.parameter);
    let module = atropos_vm::text::parse(&format!("{case}"), &text).map_err(|errors| errors.to_string())?;
    let vm = Vm::new(module, atropos_vm::Config::default()).map_err(|problems| format!("{problems:?}"))?;
    let (start, cpu_before) = (Instant::now(), cpu_ns());
    let (stats, complaints) = match case.model {
        Model::Sc => explore(&vm, &Sc::default(), case, jobs),
        Model::Tso => explore(&vm, &Tso::new(Mapping::Raw), case, jobs),
        Model::Pso => explore(&vm, &Pso::new(Mapping::Raw), case, jobs),
        Model::Ra => explore(&vm, &Ra::default(), case, jobs),
        Model::Sra => explore(&vm, &Sra::default(), case, jobs),
        Model::Rc11 => explore(&vm, &Rc11::default(), case, jobs),
    };
    if let Some(complaint) = complaints.first() {
        return Err(format!("{case}: {complaint}"));
    }
    Ok(Measurement {
        executions: stats.executions,
        blocked: stats.blocked,
        events: stats.events,
        wall_ns: start.elapsed().as_nanos() as u64,
        cpu_ns: cpu_ns() - cpu_before,
        peak_kib: peak_kib(),
    })
}

fn explore<M: MemoryModel + ReadsFrom + Clone + Sync>(
    vm: &Vm,
    model: &M,
    case: &Case,
    jobs: usize,
) -> (Stats, Vec<String>) {
    let control = Control::default();
    // As `atropos check` does: races are a matter of the models of languages.
    let detect_races = matches!(case.model, Model::Ra | Model::Sra | Model::Rc11);
    let config = Config { detect_races, ..Config::default() };
    let search = match case.up_to {
        UpTo::Co => parallel::explore::<_, M, Co, _>(vm, model, config, &control, jobs, Complaints::default),
        UpTo::Rf => parallel::explore::<_, M, Rf, _>(vm, model, config, &control, jobs, Complaints::default),
    };
    (search.stats, search.observers.into_iter().flat_map(|complaints| complaints.0).collect())
}

/// What is wrong with a program; the papers' have no bugs, or stop at none.
#[derive(Default)]
struct Complaints(Vec<String>);

impl<R: Run> Observer<R> for Complaints {
    fn violation(&mut self, report: Report, _execution: Execution<'_, R>) {
        self.0.push(format!("{:?}", report.violation));
    }

    fn refused(&mut self, reason: String, _execution: Execution<'_, R>) {
        self.0.push(reason);
    }
}

fn cpu_ns() -> u64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the kernel knows this process");
    let ns = |time: TimeVal| u64::try_from(time.num_nanoseconds()).unwrap_or(0);
    ns(usage.user_time()) + ns(usage.system_time())
}

/// From /proc and not from `getrusage`, whose peak a process inherits from the one that started it.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The numbers in the order of the fields: how a child process hands them over.
impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measurement { executions, blocked, events, wall_ns, cpu_ns, peak_kib } = self;
        write!(f, "{executions} {blocked} {events} {wall_ns} {cpu_ns} {peak_kib}")
    }
}

impl FromStr for Measurement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[executions, blocked, events, wall_ns, cpu_ns, peak_kib]) => {
                Ok(Measurement { executions, blocked, events, wall_ns, cpu_ns, peak_kib })
            }
            _ => Err(format!("expected six numbers, found `{text}`")),
        }
    }
}
