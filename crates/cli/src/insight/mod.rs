//! What short searches say about the first violation: a smaller execution that shows it, whether stronger models have it,
//! and which stronger orders mend it.
//!
//! Each of them ends soon, and none of them changes the verdict.

mod elsewhere;
mod mended;
mod smaller;

use crate::input::Input;
use crate::options::CheckOptions;
use crate::resources::Spent;
use atropos_check::{Check, Found};
use atropos_explore::Control;
use atropos_report::{Exploration, Finding, FindingKind, Summary};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// A check that has ended.
pub struct Ended<'a> {
    pub options: &'a CheckOptions,
    pub input: &'a Input,
    pub check: &'a Check<'a>,
    pub found: &'a Found,
}

/// Adds to the summary what there is time for, until `is_late`.
pub fn look(ended: &Ended<'_>, summary: &mut Summary, is_late: &(dyn Fn() -> bool + Sync)) {
    let is_violation = |finding: &Finding| matches!(finding.description.kind, FindingKind::Violation(_));
    if ended.options.replay.is_some() || !summary.findings.first().is_some_and(is_violation) {
        return;
    }
    smaller::look(ended, summary, is_late);
    summary.insight.elsewhere = elsewhere::look(ended, summary, is_late);
    summary.insight.mending = mended::look(ended, summary, is_late);
}

/// How long a search may take that was not asked for. Processor time, so that a busy machine does not change what is found.
#[derive(Clone, Copy)]
pub enum Patience {
    /// The time of one core, for a search that has the process for itself.
    Cpu(Duration),
    /// The time on the clock, for one beside another.
    Wall(Duration),
}

impl Patience {
    /// The same for a search with that many workers.
    fn of_workers(self, n: usize) -> Patience {
        match self {
            Patience::Cpu(most) => Patience::Cpu(most * u32::try_from(n).unwrap_or(u32::MAX)),
            Patience::Wall(most) => Patience::Wall(most),
        }
    }

    /// Whether it is over for what began at `start`.
    fn is_over(self, start: &Spent) -> bool {
        let Exploration { wall, cpu } = start.until_now();
        match self {
            Patience::Cpu(most) => cpu > most,
            Patience::Wall(most) => wall > most,
        }
    }
}

/// Runs a search, which `control` stops when the `patience` is over, or when it `is_late`.
pub fn within<T>(
    patience: Patience,
    control: &Control,
    is_late: &(dyn Fn() -> bool + Sync),
    search: impl FnOnce() -> T,
) -> T {
    let (is_running, has_ended) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let start = Spent::now();
            while has_ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if patience.is_over(&start) || is_late() {
                    control.stop();
                }
            }
        });
        let result = search();
        drop(is_running);
        result
    })
}

/// The interval between looks.
const TICK: Duration = Duration::from_millis(10);
