//! TruSt: truly stateless, optimal dynamic partial order reduction [TruSt §3, §4].
//!
//! Visits every consistent execution graph of a program exactly once, up to `rf` and `co` or up to `rf`
//! alone, and stores nothing about the graphs it has visited. [`Explorer::visit`] is the paper's
//! Algorithm 1; the recursion is a stack of [`Node`]s, so that what is still to be tried can be given to
//! another worker.
//!
//! Deviations from the paper [ALGORITHMS §0.1]:
//! 1. `Deleted` never contains the revisiting write.
//! 2. Up to `rf`, the coherence order behind the maximality test is computed without the revisited read
//!    and the revisiting write.
//! 3. A backward revisit neither copies the graph (§5) nor rebuilds it (Algorithm 4): see
//!    [`atropos_graph::restrict`].

mod apply;
mod backward;
mod choice;
mod doomed;
mod forward;
mod lock_wait;
mod outcome;
mod task;

pub use choice::Choice;
pub use task::Task;

use crate::pool::Pool;
use crate::school::{Lessons, School};
use crate::tally::Tally;
use crate::thread_order::{self, Conflicts};
use crate::{Config, Control, Ending, Execution, Observer, Stats, progress};
use atropos_event::{Label, Position, Program, Run, Step, ThreadId, ThreadKey, mark};
use atropos_graph::{Attic, Graph, Outcome, Slot};
use atropos_model::closure::co_next;
use atropos_model::{Kept, MemoryModel, Orders, ReadsFrom};
use choice::Node;
use std::marker::PhantomData;
use std::sync::Arc;

/// Which executions count as the same, and what the model is asked accordingly.
pub trait Equivalence<M>: Send {
    const TRACKS_CO: bool;

    fn is_consistent(model: &mut M, graph: &Graph, added: Slot) -> bool;

    /// Can the writes of all `accesses` (of a read, its source) be the last of their locations?
    fn is_final(model: &mut M, graph: &Graph, accesses: &[Slot]) -> bool;

    /// The coherence order behind the maximality test, where the graph does not have it.
    fn coherence(model: &mut M, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders);
}

/// Executions differ when `rf` or `co` do (Algorithm 1).
#[derive(Clone, Copy, Debug)]
pub struct Co;

/// Executions differ when `rf` does (Algorithm 2).
#[derive(Clone, Copy, Debug)]
pub struct Rf;

impl<M: MemoryModel> Equivalence<M> for Co {
    const TRACKS_CO: bool = true;

    fn is_consistent(model: &mut M, graph: &Graph, added: Slot) -> bool {
        model.accepts(graph, added)
    }

    fn is_final(_model: &mut M, graph: &Graph, accesses: &[Slot]) -> bool {
        accesses.iter().all(|&access| co_next(graph, access).is_none())
    }

    fn coherence(_model: &mut M, _graph: &Graph, _kept: &Kept<'_>, _orders: &mut Orders) {
        unreachable!("the graph has a coherence order")
    }
}

impl<M: ReadsFrom> Equivalence<M> for Rf {
    const TRACKS_CO: bool = false;

    fn is_consistent(model: &mut M, graph: &Graph, added: Slot) -> bool {
        model.realisable(graph, added)
    }

    fn is_final(model: &mut M, graph: &Graph, accesses: &[Slot]) -> bool {
        model.may_be_final(graph, accesses)
    }

    fn coherence(model: &mut M, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders) {
        model.coherence(graph, kept, orders);
    }
}

pub struct Explorer<'a, P: Program, M, Q> {
    program: &'a P,
    config: Config,
    control: &'a Control,
    model: M,
    observer: &'a mut dyn Observer,
    run: P::Run<'a>,
    /// The height of the run's stack before the first event.
    root_mark: Position,
    graph: Graph,
    pub stats: Stats,
    /// The open choices, the shallowest first, and their alternatives behind each other.
    nodes: Vec<Node>,
    choices: Vec<Choice>,
    /// The exclusive read whose write comes next.
    pending: Option<Slot>,
    /// What backward revisits have set aside: events in the attic, and each thread's position in its run.
    attic: Attic,
    positions: Vec<(ThreadId, Position)>,
    /// All threads met so far: in the order in which they are to move, and of their canonical names.
    schedule: Vec<ThreadId>,
    names: Vec<ThreadId>,
    conflicts: Conflicts,
    /// The threads before this place in the schedule cannot move, or are quiet; the first that waits to join.
    cursor: usize,
    joiner: usize,
    /// The part of the search this explorer does, and how many of the choices leading there it has taken.
    root: Task,
    n_replayed: usize,
    pool: Option<Arc<Pool<Task>>>,
    /// What earlier starts of this search have learned, and where this one adds to it.
    lessons: Lessons,
    school: Arc<School>,
    /// Scratch space.
    prefix: Vec<u32>,
    latest: Vec<Slot>,
    orders: Orders,
    stopped: bool,
    /// Something has been learned that changes the search: it has to be started over.
    pub restart: bool,
    tally: Tally,
    equivalence: PhantomData<Q>,
}

/// What a graph can be extended with.
enum Next {
    Event(ThreadId, Label),
    /// Nothing: the execution is complete, or blocked.
    Nothing,
    /// Nothing but joins and ends that nobody looks at: the execution is as good as complete.
    Silence,
}

impl<'a, P: Program, M: MemoryModel, Q: Equivalence<M>> Explorer<'a, P, M, Q> {
    pub fn new(
        program: &'a P,
        model: M,
        config: Config,
        control: &'a Control,
        school: Arc<School>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let run = program.start();
        Explorer {
            root_mark: run.mark(),
            program,
            config,
            control,
            model,
            observer,
            run,
            graph: Graph::new(M::HAS_VIEWS || program.has_cells()),
            stats: Stats::default(),
            nodes: Vec::new(),
            choices: Vec::new(),
            pending: None,
            attic: Attic::default(),
            positions: Vec::new(),
            schedule: vec![ThreadId::MAIN],
            names: vec![ThreadId::MAIN],
            conflicts: Conflicts::default(),
            cursor: 0,
            joiner: usize::MAX,
            root: Task::default(),
            n_replayed: 0,
            pool: None,
            lessons: school.lessons(),
            school,
            prefix: Vec::new(),
            latest: Vec::new(),
            orders: Orders::default(),
            stopped: false,
            restart: false,
            tally: Tally::default(),
            equivalence: PhantomData,
        }
    }

    /// Visits all executions below `task`; the empty task is the whole search.
    /// From `pool` come workers who ask for a part of the search.
    pub fn explore(&mut self, task: Task, pool: Option<Arc<Pool<Task>>>) {
        (self.root, self.n_replayed, self.pool) = (task, 0, pool);
        self.watch(ThreadId::MAIN);
        if !self.stopped {
            self.visit();
        }
        self.reset();
        self.flush_progress();
    }

    /// Algorithm 1, `Visit`. Each turn extends the graph by the next event; where the event has several
    /// outcomes, the first is taken and the others are kept in a [`Node`]. At the end of an execution,
    /// or when an extension is inconsistent, the search goes on with the latest outcome not yet tried.
    fn visit(&mut self) {
        loop {
            let extended = match self.next() {
                Next::Event(thread, label) => match label {
                    Label::Read { access, .. } => self.visit_read(thread, label, access),
                    Label::Write { access, .. } => self.visit_write(thread, label, access),
                    Label::Begin
                    | Label::End
                    | Label::Fence { .. }
                    | Label::Spawn { .. }
                    | Label::Join { .. }
                    | Label::Alloc { .. }
                    | Label::Free { .. } => self.add_sole(thread, label),
                },
                Next::Nothing => {
                    self.finish();
                    false
                }
                Next::Silence => {
                    if self.admit() {
                        self.stats.executions += 1;
                        self.report_progress();
                    }
                    false
                }
            };
            if self.stopped || (!extended && !self.advance()) {
                return;
            }
        }
    }

    /// The next event of the graph. Any policy would do as long as the write of a pending
    /// read-modify-write goes first [TruSt §4.3]; this one takes the first thread that can move, and those that
    /// are quiet last.
    fn next(&mut self) -> Next {
        if let Some(read) = self.pending.take() {
            let event = self.graph.event(read);
            let Label::Read { access, rmw, .. } = event.label else { unreachable!("a pending {event:?}") };
            let (value, order) = rmw.write_after(access, event.value).expect("a pending read is exclusive");
            return Next::Event(event.id.thread(), Label::Write { access, order, value, exclusive: true });
        }
        for index in self.cursor..self.schedule.len() {
            let thread = self.schedule[index];
            if !self.graph.exists(thread) {
                continue;
            }
            match self.run.pending(thread) {
                Step::Do(Label::Join { child }) if !self.graph.has_ended(child) => {
                    self.joiner = self.joiner.min(index);
                }
                Step::Do(Label::Join { .. } | Label::End) if self.run.is_quiet(thread) => {}
                Step::Do(label) => return self.move_to(index, label),
                Step::Finished | Step::Blocked(_) | Step::Failed | Step::Unsupported => {}
            }
        }
        self.next_quiet()
    }

    /// Only quiet threads can move.
    fn next_quiet(&mut self) -> Next {
        let is_open = |thread: &ThreadId| self.graph.exists(*thread) && !self.graph.has_ended(*thread);
        let is_heard = self.observer.looks_at_executions() || self.model.has_flags();
        if !is_heard && self.schedule.iter().filter(|t| is_open(t)).all(|&t| self.run.is_quiet(t)) {
            mark!("trust: silence");
            return Next::Silence;
        }
        for index in 0..self.schedule.len() {
            let thread = self.schedule[index];
            if self.graph.exists(thread) && self.run.is_quiet(thread) {
                match self.run.pending(thread) {
                    Step::Do(Label::Join { child }) if !self.graph.has_ended(child) => {}
                    Step::Do(label) => return self.move_to(index, label),
                    Step::Finished | Step::Blocked(_) | Step::Failed | Step::Unsupported => {}
                }
            }
        }
        Next::Nothing
    }

    /// The thread at place `index` of the schedule goes on. Only the end of a thread lets an earlier one do so, and
    /// only one that waits to join.
    fn move_to(&mut self, index: usize, label: Label) -> Next {
        self.cursor = match label {
            Label::End => std::mem::replace(&mut self.joiner, usize::MAX).min(index),
            _ => index,
        };
        Next::Event(self.schedule[index], label)
    }

    /// Algorithm 1, the cases without alternatives: `Begin`, `Join`, fences and the like.
    fn add_sole(&mut self, thread: ThreadId, label: Label) -> bool {
        let rf = match label {
            Label::Begin => self.graph.spawn_of(thread).expect("a thread runs after its creation"),
            Label::Join { child } => self.graph.last_of(child).expect("a joined thread has ended"),
            _ => Slot::INIT,
        };
        let before = self.run.position(thread);
        let outcome = Outcome { rf, co: 0, value: 0, before };
        let slot = self.add(thread, label, atropos_graph::LocId::NONE, outcome);
        if !M::IS_EXTENSIBLE && !self.is_consistent(slot) {
            return false;
        }
        self.resume(thread, 0);
        if let Label::Spawn { child, .. } = label {
            self.enter(child);
            if self.run.pending(child) == Step::Do(Label::Begin) {
                // Right away, where no revisit will delete it.
                return self.add_sole(child, Label::Begin);
            }
        }
        if matches!(label, Label::Begin | Label::Join { .. }) {
            self.watch_read(slot);
        }
        self.check_memory(slot);
        self.validate();
        !self.stopped
    }

    /// Keeps the list of threads in the order of their canonical names.
    fn enter(&mut self, child: ThreadId) {
        if !self.names.contains(&child) {
            let key = self.run.key(child);
            let place = self.names.partition_point(|&other| self.run.key(other) < key);
            self.names.insert(place, child);
            self.graph.rank_threads(&self.names);
            let priority = |key: ThreadKey| (self.rank(key), key);
            let place = self.schedule.partition_point(|&other| priority(self.run.key(other)) < priority(key));
            self.schedule.insert(place, child);
        }
        self.cursor = 0;
        self.watch(child);
    }

    /// Threads of a lower rank move first.
    fn rank(&self, key: ThreadKey) -> u64 {
        thread_order::rank(key, self.config.thread_order, &self.lessons)
    }

    /// Counts one more execution. The search is over if that is one too many.
    fn admit(&mut self) -> bool {
        let is_admitted = self.tally.admit(&self.config, self.control);
        self.stopped |= !is_admitted;
        is_admitted
    }

    /// The execution is over. It is not looked at if it is one more than were asked for.
    fn finish(&mut self) {
        if !self.admit() {
            return;
        }
        let mut is_bounded = false;
        let (graph, run) = (&self.graph, &mut self.run);
        let open = self.schedule.iter().filter(|&&thread| graph.exists(thread) && !graph.has_ended(thread));
        let ending = progress::ending(open.map(|&thread| run.pending(thread)).inspect(|step| {
            is_bounded |= *step == Step::Blocked(atropos_event::BlockReason::Bound);
        }));
        match ending {
            Ending::Complete => self.stats.executions += 1,
            Ending::Blocked => self.stats.blocked += 1,
        }
        self.stats.bounded += u64::from(is_bounded);
        self.observer.execution(ending, Execution { graph: &self.graph, run: &mut self.run });
        if ending == Ending::Blocked {
            self.check_progress();
        }
        if self.model.has_flags() {
            self.report_flags(ending);
        }
        self.report_progress();
    }

    /// Gives a part of the search to a worker that waits.
    fn share(&mut self) {
        let task = self.split_off();
        if let (Some(task), Some(pool)) = (task, &self.pool) {
            pool.put(task);
        }
    }

    /// After an execution: shares what is left with idle workers, and hears whether to stop.
    fn report_progress(&mut self) {
        if self.pool.as_ref().is_some_and(|pool| pool.wants_task()) {
            self.share();
        }
        self.stopped |= self.control.must_pause();
    }

    /// Tells how far this worker is, and hears whether to stop.
    fn flush_progress(&mut self) {
        self.tally.flush(self.control);
        self.stopped |= self.control.must_pause();
    }
}
