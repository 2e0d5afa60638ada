//! The smallest execution that shows a violation.
//!
//! A search stops at the first violation, and reports the execution that it happens to be at. If it goes on for a while,
//! it often meets another one that shows the same with fewer changes from thread to thread and fewer events.

use crate::findings::{Effort, Investigator};
use crate::{Check, Found, Settings};
use atropos_explore::Config;
use atropos_report::{Finding, Recheck, Summary};

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
}
