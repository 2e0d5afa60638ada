//! The stronger orders that mend a violation, if a search for them ends soon.
//!
//! The search is the one of `atropos repair`, so that what it says is checked: with the stronger orders, no execution
//! goes wrong. It runs on a thread of its own, which is left alone when the time is over, because some of its steps
//! cannot be stopped.

use super::{Ended, Patience, TICK};
use crate::input::MachineExplorer;
use crate::models::Model;
use crate::options::CheckOptions;
use crate::resources::Spent;
use atropos_event::ViolationKind;
use atropos_explore::Control;
use atropos_orders::programs::{Driver, Means, Programs};
use atropos_orders::question::{Answer, KnownFacts, Purpose, Question};
use atropos_orders::search::Wanted;
use atropos_orders::sites::Orders;
use atropos_orders::specialise::Specialised;
use atropos_orders::{Assignment, Space};
use atropos_report::{Finding, FindingKind, MendedOrder, Mending, Summary};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The time, and the number of executions of each candidate.
const MOST_TIME: Duration = Duration::from_secs(2);
const MOST_EXECUTIONS: u64 = 20_000;

/// What is known after a short search, until `is_late`.
pub fn look(ended: &Ended<'_>, summary: &Summary, is_late: &(dyn Fn() -> bool + Sync)) -> Option<Mending> {
    let search = &ended.options.search;
    let is_supported = matches!(search.model, Model::Builtin(_))
        && ended.input.litmus().is_none()
        && !search.forbids_leaks
        && !search.checks_robustness;
    let happens_anyway = summary.insight.elsewhere.iter().any(|other| other.model == "sc" && other.happens);
    if !is_supported || happens_anyway || !summary.findings.first().is_some_and(may_depend_on_orders) {
        return None;
    }
    let driver = ended.input.driver(summary.setup.file.clone());
    let (options, control) = (ended.options.clone(), Arc::new(Control::default()));
    let (sender, answer) = channel();
    let its_control = Arc::clone(&control);
    std::thread::spawn(move || sender.send(mending(driver, options, &its_control)));
    let (start, patience) = (Spent::now(), Patience::Cpu(MOST_TIME));
    loop {
        match answer.recv_timeout(TICK) {
            Ok(mending) => return mending,
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if patience.is_over(&start) || is_late() => {
                control.stop();
                return None;
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Whether stronger orders may forbid the execution. They never forbid an interleaving, but they may order its accesses.
fn may_depend_on_orders(finding: &Finding) -> bool {
    use ViolationKind::{Race, UseAfterFree};
    let is_about_order = matches!(finding.description.kind, FindingKind::Violation(Race | UseAfterFree));
    finding.trace.as_ref().is_some_and(|trace| trace.is_weak() || is_about_order)
}

/// Asks for the fewest orders to strengthen.
fn mending(driver: Driver, mut options: CheckOptions, control: &Control) -> Option<Mending> {
    for search in
        std::iter::once(&mut options.search).chain(options.exact.as_mut().map(|exact| &mut exact.search))
    {
        (search.config.keep_going, search.config.max_executions) = (false, Some(MOST_EXECUTIONS));
        search.jobs = 1;
    }
    let program = Specialised::new(driver.module);
    let drivers = [Driver { module: program.module.clone(), ..driver }];
    let orders = Orders::of(&[&program]);
    let (kinds, written) = (orders.kinds(), orders.written());
    let strongest = Assignment(kinds.iter().map(|kind| kind.strongest()).collect());
    let space = Space::between(&kinds, &written, &strongest);
    let exact = options.exact.as_ref().map(|exact| exact.search.settings(false));
    let means = Means { explorer: &MachineExplorer, settings: options.search.settings(false), exact };
    let programs = Programs::new(&orders, &drivers, &space, means);
    let question = Question {
        purpose: Purpose::Repair,
        programs: &programs,
        wanted: Wanted::Cheapest,
        jobs: 1,
        control,
    };
    match question.ask(KnownFacts::default()).ok()?.answer {
        Answer::Found(found) => Some(Mending::By(changes(&orders, &found.all.first()?.assignment))),
        Answer::Fails(_) if !orders.all.is_empty() => Some(Mending::No),
        Answer::Fails(_) | Answer::Verifies | Answer::Undecided => None,
    }
}

/// The orders that differ from those in the source.
fn changes(orders: &Orders, assignment: &Assignment) -> Vec<MendedOrder> {
    let pairs = orders.all.iter().zip(&assignment.0).filter(|(order, now)| order.written != **now);
    let change = |(order, &now): (&atropos_orders::sites::Order, &_)| MendedOrder {
        location: order.location.clone(),
        operation: order.kind.name(),
        before: order.kind.name_of(order.written),
        after: order.kind.name_of(now),
    };
    pairs.map(change).collect()
}
