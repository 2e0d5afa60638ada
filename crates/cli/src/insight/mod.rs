//! What short searches say about the first violation: a smaller execution that shows it, whether stronger models have it,
//! and which stronger orders mend it.
//!
//! Each of them ends soon, and none of them changes the verdict.

mod elsewhere;
mod mended;
mod smaller;

use crate::input::Input;
use crate::options::CheckOptions;
use atropos_check::{Check, Found};
use atropos_explore::Control;
use atropos_report::{Finding, FindingKind, Summary};
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
    summary.insight.elsewhere = elsewhere::look(&ended.options.elsewhere, summary, is_late);
    summary.insight.mending = mended::look(ended, summary, is_late);
}

/// Runs a search, which `control` stops after `most`, or when it `is_late`.
pub fn within<T>(
    most: Duration,
    control: &Control,
    is_late: &(dyn Fn() -> bool + Sync),
    search: impl FnOnce() -> T,
) -> T {
    let (is_running, has_ended) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut waited = Duration::ZERO;
            while has_ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                waited += TICK;
                if waited > most || is_late() {
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
