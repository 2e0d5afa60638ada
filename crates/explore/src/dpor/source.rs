//! Source sets [Nidhugg §4, ALGORITHMS §F.4].
//!
//! If there is a race between *e* and the latest step *e'*, the executions in which *e'* comes first begin, from the
//! prefix before *e*, with one of the *initials* of `v.e'`, where *v* are the steps between that do not happen after
//! *e*. One of them in the backtrack set suffices.
//!
//! Races are detected at every step, and so also in traces that end because all processes sleep; detecting them only
//! in complete traces loses executions.

use super::explorer::DporWorker;
use super::process::ProcId;
use super::trace::Race;
use crate::journal;
use atropos_event::Run;
use log::Level;
use std::borrow::Cow;

impl<'a, R: Run> DporWorker<'a, R> {
    /// Plans the reversal of the races of the last step.
    pub(crate) fn plan_for_last_step(&mut self) {
        let n_steps = self.machine.steps.len();
        let known = n_steps.checked_sub(2).map_or(0, |before| self.machine.steps[before].n_races);
        for race in known as usize..self.machine.races.len() {
            self.plan(self.machine.races[race]);
        }
        if self.machine.has_mixed
            && let Some(last) = n_steps.checked_sub(1)
        {
            let again: Vec<Race> = self.machine.races_to_plan_again(last as u32).collect();
            again.into_iter().for_each(|race| self.plan(race));
        }
    }

    /// Plans the reversal of a race.
    fn plan(&mut self, Race { first, second }: Race) {
        let backtrack = &self.nodes[first as usize].backtrack;
        if !backtrack.iter().any(|&proc| self.is_initial(proc, first, second)) {
            let proc = self.some_initial(first, second);
            if journal::is_on(Level::Debug) {
                self.log_source(Race { first, second }, proc);
            }
            self.nodes[first as usize].backtrack.push(proc);
        }
    }

    /// Whether `proc` can begin an execution from before `first` in which `second` comes earlier.
    fn is_initial(&self, proc: ProcId, first: u32, second: u32) -> bool {
        if proc == self.machine.steps[first as usize].proc {
            return false;
        }
        let steps = &self.machine.procs[proc.index()].steps;
        let Some(&step) = steps.get(steps.partition_point(|&step| step < first)) else { return false };
        if step != second && (self.machine.happens_before(first, step) || self.machine.is_vain(step)) {
            return false;
        }
        // Nothing that happens before the step may come after `first`.
        let clock = match step {
            _ if step == second => self.machine.reversed_row(Race { first, second }),
            _ => Cow::Borrowed(self.machine.clocks.row(step)),
        };
        self.machine.procs.iter().zip(clock.iter()).enumerate().all(|(index, (other, &number))| {
            let number = number - u32::from(index == proc.index());
            number == 0 || other.steps[number as usize - 1] <= first
        })
    }

    /// The first initial in the order of the trace: what precedes a step that does not happen after `first`, and
    /// follows `first`, happens after `first`, so it does not happen before the step.
    fn some_initial(&self, first: u32, second: u32) -> ProcId {
        if !self.machine.has_mixed {
            let step = self.machine.steps_beside(first).next().map_or(second, |step| step.min(second));
            return self.machine.steps[step as usize].proc;
        }
        let steps = first + 1..self.machine.steps.len() as u32;
        let procs = steps.map(|step| self.machine.steps[step as usize].proc);
        let mut initials = procs.filter(|&proc| self.is_initial(proc, first, second));
        initials.next().expect("a sequence has an initial")
    }
}
