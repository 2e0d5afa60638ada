//! A smaller execution that shows the same violation.

use super::{Ended, Patience, within};
use atropos_check::Finds;
use atropos_explore::Control;
use atropos_report::Summary;
use std::time::Duration;

/// The time, and the number of executions after the first that shows the violation.
const MOST_TIME: Duration = Duration::from_millis(500);
const MORE_EXECUTIONS: u64 = 1000;

pub fn look(ended: &Ended<'_>, summary: &mut Summary, is_late: &(dyn Fn() -> bool + Sync)) {
    let is_all_known = ended.options.search.config.keep_going;
    if is_all_known || ended.found.violations.is_empty() || summary.cost.exploration.cpu > MOST_TIME {
        return;
    }
    let most = summary.stats.executions + summary.stats.blocked + MORE_EXECUTIONS;
    let check = ended.check.going_on(most);
    let (control, finds) = (Control::default(), Finds::default());
    let search =
        within(Patience::Cpu(MOST_TIME), &control, is_late, || ended.input.explore(&check, &control, &finds));
    let again = check.found(&finds, true);
    drop(search);
    ended.check.show_smaller(summary, ended.found, &again, &is_late);
}
