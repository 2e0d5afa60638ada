//! Steps without a choice: everything but reads [RVF-SMC Algorithm 2, line 1], and taking steps back.

use super::explorer::RvfWorker;
use super::instance::AccessNode;
use super::sources::Read;
use super::threads::{ThreadStep, ThreadTrace};
use crate::journal;
use atropos_event::{Label, Position, Run, Step, ThreadId};
use atropos_graph::LocId;
use log::Level;

impl<R: Run> RvfWorker<'_, R> {
    /// Line 1: runs the thread up to its next read, and the threads that it creates or enables.
    pub(crate) fn extend(&mut self, moved: usize) {
        self.extension.failed.clear();
        let mut moving = std::mem::take(&mut self.extension.moving);
        moving.push(moved);
        while let Some(thread) = moving.pop() {
            self.run_thread(thread, &mut moving);
            if self.host.is_stopped {
                moving.clear();
            }
        }
        self.extension.moving = moving;
        if !self.host.is_stopped && !self.extension.failed.is_empty() {
            let failed = std::mem::take(&mut self.extension.failed);
            self.report_failures(&failed);
        }
    }

    fn run_thread(&mut self, thread: usize, moving: &mut Vec<usize>) {
        let id = ThreadId::new(thread);
        self.threads[thread].next_read = None;
        loop {
            match self.host.run.pending(id) {
                Step::Do(label @ Label::Read { access, rmw, .. }) => {
                    let Some(loc) = self.locate(thread, access) else { return };
                    self.threads[thread].next_read = Some(Read { thread, label, loc, rmw });
                    return;
                }
                Step::Finished | Step::Blocked(_) => return,
                Step::Do(Label::Join { child }) if !self.threads[child.index()].has_ended() => return,
                Step::Do(label) => {
                    self.make_step(thread, label);
                    if self.host.is_stopped {
                        return;
                    }
                    match label {
                        Label::Spawn { child, .. } => moving.push(child.index()),
                        Label::End => self.wake_joiners(thread, moving),
                        _ => {}
                    }
                }
                Step::Failed => {
                    self.extension.failed.push(thread);
                    return;
                }
                Step::Unsupported => {
                    self.host.failure(id);
                    return;
                }
            }
        }
    }

    fn wake_joiners(&mut self, ended: usize, moving: &mut Vec<usize>) {
        for thread in 0..self.threads.len() {
            let is_waiting = self.threads[thread].exists
                && matches!(self.host.run.pending(ThreadId::new(thread)), Step::Do(Label::Join { child }) if child.index() == ended);
            if is_waiting {
                moving.push(thread);
            }
        }
    }

    /// A step without a choice.
    fn make_step(&mut self, thread: usize, label: Label) {
        if journal::is_on(Level::Trace) {
            self.log_step(thread, &label);
        }
        let id = ThreadId::new(thread);
        let before = self.host.run.position(id);
        let mut step = ThreadStep::new(label, before);
        match label {
            Label::Write { access, value, .. } => {
                let Some(loc) = self.locate(thread, access) else { return };
                let value = access.truncate(value);
                let n_steps = self.threads[thread].steps.len();
                let node = AccessNode {
                    thread,
                    step: n_steps,
                    loc,
                    read: None,
                    written: Some(value),
                    is_init_good: false,
                };
                step.value = value;
                self.add_node(&mut step, node);
                self.traces.push(self.instance.len() - 1);
                self.watch(self.instance.len() - 1, access);
                self.send_signals(thread, loc);
            }
            Label::Spawn { child, .. } => {
                let own = self.instance.order.last_of(thread);
                let frontier = self.threads[thread].frontier.iter().copied().chain(own).collect();
                if self.threads.len() <= child.index() {
                    self.threads.resize_with(child.index() + 1, ThreadTrace::default);
                    self.instance.order.widen(self.threads.len());
                }
                let creation = (thread, self.threads[thread].steps.len());
                let child = &mut self.threads[child.index()];
                (child.exists, child.creation, child.frontier) = (true, creation, frontier);
            }
            Label::Join { child } => {
                let own = self.instance.order.last_of(child.index());
                step.n_frontier = self.threads[thread].frontier.len();
                for index in 0..self.threads[child.index()].frontier.len() {
                    let joined = self.threads[child.index()].frontier[index];
                    self.threads[thread].frontier.push(joined);
                }
                self.threads[thread].frontier.extend(own);
            }
            Label::Alloc { .. } | Label::Free { .. } => self.judges_memory = true,
            Label::Begin | Label::End | Label::Fence { .. } => {}
            Label::Read { .. } => unreachable!("a read has a choice"),
        }
        self.threads[thread].steps.push(step);
        self.extension.made.push(thread);
        self.host.run.resume(id, 0);
        self.count_event(thread);
    }

    /// Counts the step that `thread` has just made: one event, or two for a read-modify-write that writes.
    pub(crate) fn count_event(&mut self, thread: usize) {
        let state = &mut self.threads[thread];
        state.n_events += state.steps.last().map_or(0, ThreadStep::n_events);
        self.host.count_event(ThreadId::new(thread), state.n_events);
    }

    /// Adds the node of an access behind its thread's frontier.
    pub(crate) fn add_node(&mut self, step: &mut ThreadStep, node: AccessNode) {
        let state = &mut self.threads[node.thread];
        step.frontier = std::mem::take(&mut state.frontier);
        let mark = self.instance.order.mark();
        self.instance.push(node, &step.frontier);
        (step.loc, step.mark) = (LocId::new(node.loc), Some(mark));
    }

    /// Takes back the steps of an extension.
    pub(crate) fn take_back(&mut self, n_made: usize, positions: Position) {
        while self.extension.made.len() > n_made {
            let thread = *self.extension.made.last().expect("there are more");
            let before = self.threads[thread].steps.last().expect("a step to take back").before;
            self.host.run.rewind(ThreadId::new(thread), before);
            self.take_back_step();
        }
        self.host.run.release(positions);
    }

    /// Takes back the latest step; the caller rewinds the run.
    pub(crate) fn take_back_step(&mut self) {
        let thread = self.extension.made.pop().expect("a step to take back");
        self.threads[thread].next_read = None;
        let step = self.threads[thread].steps.pop().expect("a step to take back");
        self.threads[thread].n_events -= step.n_events();
        match step.label {
            Label::Spawn { child, .. } => {
                let child = &mut self.threads[child.index()];
                child.exists = false;
                child.frontier.clear();
            }
            Label::Join { .. } => self.threads[thread].frontier.truncate(step.n_frontier),
            Label::Read { .. } | Label::Write { .. } => {
                self.threads[thread].frontier = step.frontier;
                self.instance.pop(step.mark.expect("an access is a node"));
            }
            Label::Begin | Label::End | Label::Fence { .. } | Label::Alloc { .. } | Label::Free { .. } => {}
        }
    }
}
