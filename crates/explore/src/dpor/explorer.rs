//! The search loop that both algorithms share [Nidhugg §4].
//!
//! The search is depth first. Each prefix of the trace has a [`TracePrefix`] with what sleeps there and what is planned
//! from there; the algorithms differ only in how they turn races into plans.

use super::DporVariant;
use super::machine::Machine;
use super::process::{ProcId, Role};
use super::sleep::{Move, Sleep};
use super::step::{Act, RunPositions, TraceStep};
use super::wakeup::{NO_TWIG, WakeupTrees};
use crate::driver::Worker;
use crate::host::Host;
use crate::journal::{self, journal};
use atropos_event::{Label, Run, Step, ThreadId};
use atropos_graph::{Graph, LocId};
use log::Level;

/// A prefix of the trace.
#[derive(Clone, Debug)]
pub(crate) struct TracePrefix {
    pub sleep: Sleep,
    /// Source-DPOR: the processes to begin with from here, including those already explored.
    pub backtrack: Vec<ProcId>,
    /// Optimal-DPOR: the first of the sequences planned from here.
    pub planned: u32,
}

/// Scratch space.
#[derive(Default)]
pub(crate) struct DporScratch {
    pub sequence: Vec<(u32, Move)>,
    pub path: Vec<Move>,
    pub order: Vec<atropos_graph::Slot>,
}

pub struct DporWorker<'a, R: Run> {
    /// Its graph follows the trace lazily: see [`super::record`].
    pub(crate) host: Host<'a, R>,
    pub(crate) variant: DporVariant,
    pub(crate) machine: Machine,
    /// The number of steps in the graph.
    pub(crate) n_recorded: usize,
    /// Whether there is dynamic memory, which can be misused: every trace must be checked.
    pub(crate) judges_memory: bool,
    /// The node of each prefix of the trace; those beyond the current one are kept to reuse their memory.
    pub(crate) nodes: Vec<TracePrefix>,
    pub(crate) tree: WakeupTrees,
    /// Optimal-DPOR: what is planned after the step about to be taken.
    pub(crate) subtree: u32,
    /// Whether the current trace has ended early because the observer does not look at the rest.
    pub(crate) is_silent: bool,
    pub(crate) scratch: DporScratch,
    /// The memory orders of mixed locations when the graph was last made.
    pub(crate) mixed: Vec<(LocId, Vec<u32>)>,
}

impl<'a, R: Run> Worker<'a, R> for DporWorker<'a, R> {
    type Part = ();

    fn explore(&mut self, (): ()) {
        self.look_at(ThreadId::MAIN);
        self.enter_node();
        while !self.host.is_stopped {
            let mut chosen = self.first_branch();
            if chosen.is_none() {
                self.end_trace();
            }
            while chosen.is_none() {
                if self.host.is_stopped || self.machine.steps.is_empty() {
                    return;
                }
                chosen = self.retreat();
            }
            if let Some(proc) = chosen {
                self.advance(proc);
            }
        }
    }

    fn host(&mut self) -> &mut Host<'a, R> {
        &mut self.host
    }
}

impl<'a, R: Run> DporWorker<'a, R> {
    pub(super) fn new(mut host: Host<'a, R>, variant: DporVariant, mut machine: Machine) -> Self {
        machine.keeps_moves = variant == DporVariant::Optimal;
        host.graph = Graph::new(machine.buffers == super::Buffers::PerLocation);
        DporWorker {
            host,
            variant,
            machine,
            n_recorded: 0,
            judges_memory: false,
            nodes: Vec::new(),
            tree: WakeupTrees::default(),
            subtree: NO_TWIG,
            is_silent: false,
            scratch: DporScratch::default(),
            mixed: Vec::new(),
        }
    }

    /// Opens the node of the whole trace.
    fn enter_node(&mut self) {
        let depth = self.machine.steps.len();
        if depth == self.nodes.len() {
            self.nodes.push(TracePrefix { sleep: Sleep::default(), backtrack: Vec::new(), planned: NO_TWIG });
        }
        let (above, below) = self.nodes.split_at_mut(depth);
        let node = &mut below[0];
        node.sleep.clear();
        node.backtrack.clear();
        node.planned = std::mem::replace(&mut self.subtree, NO_TWIG);
        if let Some(parent) = above.last() {
            let moves = parent.sleep.moves().iter();
            moves
                .filter(|sleeper| !self.machine.is_woken(sleeper))
                .for_each(|&sleeper| node.sleep.push(sleeper));
        }
    }

    /// The first process of a new node: the planned one, else any process that can move and does not sleep.
    fn first_branch(&mut self) -> Option<ProcId> {
        let depth = self.machine.steps.len();
        self.is_silent = false;
        if self.nodes[depth].planned != NO_TWIG {
            return self.next_branch();
        }
        let proc = self.machine.any_enabled(&self.nodes[depth].sleep)?;
        let is_heard = || self.judges_memory || self.host.looks_at_executions();
        self.is_silent = self.machine.is_quiet(proc) && self.machine.is_silent() && !is_heard();
        if self.is_silent {
            return None;
        }
        self.nodes[depth].backtrack.push(proc);
        Some(proc)
    }

    /// The next planned process at the current node.
    fn next_branch(&mut self) -> Option<ProcId> {
        let node = &mut self.nodes[self.machine.steps.len()];
        match self.variant {
            DporVariant::Source => node.backtrack.iter().copied().find(|&proc| !node.sleep.has(proc)),
            DporVariant::Optimal => {
                let (proc, subtree) = self.tree.take_first(&mut node.planned)?;
                self.subtree = subtree;
                assert!(!node.sleep.has(proc), "a planned sequence begins with a process that is asleep");
                Some(proc)
            }
        }
    }

    /// Takes a step of `proc`.
    fn advance(&mut self, proc: ProcId) {
        let process = &self.machine.procs[proc.index()];
        let thread = process.thread;
        debug_assert!(
            self.machine.is_enabled(proc) || self.machine.first_waiting().is_some(),
            "a planned step cannot be taken"
        );
        match process.role {
            Role::Updater | Role::UpdaterOf(..) => self.machine.push_update(proc),
            Role::Thread => {
                let (before, mark) = (self.host.run.position(thread), self.host.run.mark());
                let value = self.machine.push_thread(thread, before, mark);
                if self.reads_unwritten() {
                    self.host.run.resume_unwritten(thread);
                } else {
                    self.host.run.resume(thread, value);
                }
                let after = self.host.run.position(thread);
                self.machine.steps.last_mut().expect("the step just taken").run.after = after;
                self.look_around(thread);
                self.watch_mutexes(thread);
            }
        }
        if journal::is_on(Level::Trace) {
            self.log_step();
        }
        let n_events = self.machine.threads[thread.index()].n_events;
        self.host.count_event(thread, n_events);
        if self.variant == DporVariant::Source {
            self.plan_for_last_step();
        }
        self.enter_node();
    }

    /// Updates the next steps of threads after a step of `thread`.
    fn look_around(&mut self, thread: ThreadId) {
        let step = self.machine.steps.last().expect("the step just taken");
        let label = self.machine.nexts[step.nexts.next as usize].label;
        self.look_at(thread);
        if let Label::Spawn { child, .. } = label {
            self.look_at(child);
        }
    }

    /// Finds out what `thread` does next.
    #[inline]
    fn look_at(&mut self, thread: ThreadId) {
        let Step::Do(label) = self.host.run.pending(thread) else { return self.look_at_idle(thread) };
        let (loc, held) = match label.access() {
            Some(access) => {
                let Some(loc) = self.locate(thread, access) else { return self.machine.set_idle(thread) };
                let held = self.held_value(thread, label);
                self.watch_cells(access);
                (loc, held)
            }
            None => {
                self.judges_memory |= matches!(label, Label::Alloc { .. } | Label::Free { .. });
                (LocId::NONE, None)
            }
        };
        let is_quiet = matches!(label, Label::Join { .. } | Label::End) && self.host.run.is_quiet(thread);
        self.machine.set_next(thread, label, loc, is_quiet, held);
    }

    /// The same for a thread that does nothing more, for now or forever.
    fn look_at_idle(&mut self, thread: ThreadId) {
        match self.host.run.pending(thread) {
            Step::Do(_) | Step::Finished | Step::Blocked(_) => {}
            Step::Failed => self.report_failure(thread),
            Step::Unsupported => {
                self.host.failure(thread);
            }
        }
        self.machine.set_idle(thread);
    }

    /// Takes the last step back. All executions that begin with it are explored: its process falls asleep, if
    /// anything else is planned there. Returns what comes next there.
    fn retreat(&mut self) -> Option<ProcId> {
        let place = self.machine.steps.len() - 1;
        let node = &mut self.nodes[place];
        let is_over = match self.variant {
            DporVariant::Source => node.backtrack.len() == 1,
            DporVariant::Optimal => node.planned == NO_TWIG,
        };
        if !is_over {
            node.sleep.push(self.machine.as_move(place as u32));
        }
        self.unrecord(place);
        let TraceStep { act, thread, run: RunPositions { before, mark, .. }, .. } = self.machine.steps[place];
        self.machine.pop();
        if act != Act::Update {
            self.host.run.rewind(thread, before);
            self.host.run.release(mark);
        }
        let next = if is_over { None } else { self.next_branch() };
        if let Some(proc) = next
            && journal::is_on(Level::Trace)
        {
            self.log_branch(proc);
        }
        next
    }

    /// Nothing can move, or only what was explored elsewhere.
    fn end_trace(&mut self) {
        let is_over = self.is_silent || self.machine.any_enabled(&Sleep::default()).is_none();
        if !is_over {
            assert_eq!(self.variant, DporVariant::Source, "optimal-DPOR wastes no trace");
            journal!(self.host, Debug, "abandoned: everything that can move was explored elsewhere");
            if self.host.admit() {
                self.host.stats.wasted += 1;
                self.host.stats.blocked += 1;
            }
            return;
        }
        self.finish();
        if self.variant == DporVariant::Optimal && !self.host.is_stopped {
            self.plan_reversals();
        }
    }
}
