//! What DPOR writes to the log. Steps are numbered from the start of the trace.

use super::explorer::DporWorker;
use super::process::{ProcId, Role};
use super::sleep::Move;
use super::step::{Act, BufferEffect, MemoryEffect, NONE, NextsBefore, TraceStep};
use super::trace::Race;
use crate::journal::number;
use atropos_event::{Label, Run};
use log::Level;

impl<R: Run> DporWorker<'_, R> {
    /// The name of a process: of its thread, with a mark if it moves the thread's stores to memory.
    fn spell_proc(&self, proc: ProcId) -> String {
        let process = &self.machine.procs[proc.index()];
        let key = self.host.run.key(process.thread);
        if process.role == Role::Thread { key.to_string() } else { format!("{key}'s buffer") }
    }

    fn describe_step(&self, place: u32) -> String {
        let TraceStep {
            proc, act, nexts: NextsBefore { next, .. }, buffer: BufferEffect { store, .. }, ..
        } = self.machine.steps[place as usize];
        let next = if act == Act::Update { self.machine.steps[store as usize].nexts.next } else { next };
        let label = self.host.label(&self.machine.nexts[next as usize].label);
        format!("{} {label}", self.spell_proc(proc))
    }

    /// The step just taken.
    #[cold]
    pub(super) fn log_step(&self) {
        let place = self.machine.steps.len() as u32 - 1;
        let TraceStep {
            act,
            nexts: NextsBefore { next, .. },
            memory: MemoryEffect { source, value_read, .. },
            buffer: BufferEffect { store, updated_at, .. },
            ..
        } = self.machine.steps[place as usize];
        let how = match act {
            Act::Update => format!(", issued by step {store}"),
            Act::Store if updated_at == NONE => ", into the buffer".to_string(),
            Act::Load | Act::Rmw => {
                let Label::Read { access, .. } = self.machine.nexts[next as usize].label else {
                    unreachable!("a load or a read-modify-write reads")
                };
                let from = if source == NONE { "init".to_string() } else { format!("step {source}") };
                format!(" = {} from {from}", number(access, value_read))
            }
            _ => String::new(),
        };
        self.host.log(Level::Trace, format_args!("step {place}: {}{how}", self.describe_step(place)));
    }

    #[cold]
    fn log_race(&self, race: Race, plan: &str) {
        let [first, second] = [race.first, race.second].map(|place| self.describe_step(place));
        let Race { first: earlier, second: later } = race;
        self.host.log(
            Level::Debug,
            format_args!("race of step {earlier} ({first}) with step {later} ({second}): {plan} there"),
        );
    }

    /// Source-DPOR plans to begin with `proc` before the first step of the race.
    #[cold]
    pub(super) fn log_source(&self, race: Race, proc: ProcId) {
        self.log_race(race, &format!("{} goes first", self.spell_proc(proc)));
    }

    /// Optimal-DPOR plans `moves` before the first step of the race.
    #[cold]
    pub(super) fn log_sequence(&self, race: Race, moves: &[(u32, Move)]) {
        let moves: Vec<String> = moves.iter().map(|(_, what)| self.spell_proc(what.proc)).collect();
        self.log_race(race, &format!("{} go first", moves.join(", ")));
    }

    /// The search goes back and continues with `proc`.
    #[cold]
    pub(super) fn log_branch(&self, proc: ProcId) {
        let (place, proc) = (self.machine.steps.len(), self.spell_proc(proc));
        self.host.log(Level::Trace, format_args!("back to step {place}: {proc} goes first"));
    }
}
