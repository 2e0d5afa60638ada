//! The smallest execution that shows a violation.
//!
//! A search stops at the first violation, and reports the execution that it happens to be at. If it goes on for a while,
//! it often meets another one that shows the same with fewer changes from thread to thread and fewer events. And what no
//! interleaving of the threads explains is hard to follow: if an interleaving shows the same, it is shown instead.

use crate::collect::FoundViolation;
use crate::findings::{Effort, Investigator};
use crate::{Check, Found, Settings};
use atropos_explore::Config;
use atropos_report::{Finding, Recheck, Summary, Trace};

impl<'a> Check<'a> {
    /// The same check, which goes on after a violation for up to `most` executions in all.
    pub fn going_on(&self, most: u64) -> Check<'a> {
        let config = Config { keep_going: true, max_executions: Some(most), ..self.settings.config };
        let settings =
            Settings { config, jobs: 1, checks_robustness: false, keeps_executions: false, ..self.settings };
        Check { settings, sink: None, ledger: None, ..*self }
    }

    /// Shows the first violation by a smaller execution, if `again` has one: what [`Check::going_on`] has found.
    pub fn show_smaller(
        &self,
        summary: &mut Summary,
        found: &Found,
        again: &Found,
        is_late: &dyn Fn() -> bool,
    ) {
        let (Some(shown), Some(known)) =
            (summary.findings.first_mut(), found.violations.iter().min_by_key(|met| met.size()))
        else {
            return;
        };
        let is_smaller = |finding: &Finding| match (&finding.trace, &shown.trace) {
            // Accesses that race may change places, and then the report would name another line.
            (Some(new), Some(old)) if finding.location == shown.location => {
                new.size() < old.size() && finding.recheck == Recheck::Confirmed
            }
            _ => false,
        };
        let investigator = Investigator { check: self, is_late, effort: Effort::Thorough };
        let met = again.violations.iter().find(|met| met.is_same(known) && met.size() < known.size());
        if let Some(finding) = met.map(|met| investigator.finding(met)).filter(is_smaller) {
            *shown = Finding { count: shown.count, ..finding };
        }
    }
    /// Shows the first violation by an interleaving, if it is shown by another execution and `again` has one: what a
    /// search under a stronger model has found, if that is not much longer. Returns whether it does.
    pub fn show_interleaving(
        &self,
        summary: &mut Summary,
        again: &Found,
        is_late: &dyn Fn() -> bool,
    ) -> bool {
        let Some(shown) = summary.findings.first_mut().filter(|shown| is_weak(shown)) else { return false };
        let investigator = Investigator { check: self, is_late, effort: Effort::Thorough };
        let is_better = |finding: &Finding| {
            finding.location == shown.location
                && finding.description.kind == shown.description.kind
                && finding.recheck == Recheck::Confirmed
                && finding.trace.as_ref().is_some_and(|trace| trace.is_interleaving == Some(true))
                && n_events(finding) <= n_events(shown) * 3 / 2
        };
        // The model need not have it: its mapping of orders may differ.
        let confirmed = |met: &FoundViolation| investigator.investigate(&met.witness, &met.violation).ok();
        let better = again.violations.iter().filter_map(confirmed).find(is_better);
        match better {
            Some(finding) => *shown = Finding { count: shown.count, ..finding },
            None => return false,
        }
        true
    }
}

fn n_events(finding: &Finding) -> usize {
    finding.trace.as_ref().map_or(0, |trace| trace.events.len())
}

fn is_weak(finding: &Finding) -> bool {
    finding.trace.as_ref().is_some_and(Trace::is_weak)
}
