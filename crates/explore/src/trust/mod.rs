//! TruSt: truly stateless, optimal dynamic partial order reduction [TruSt §3, §4].
//!
//! Visits every consistent execution graph of a program exactly once, up to `rf` and `co` or up to `rf` alone, and
//! stores nothing about the graphs it has visited. [`TrustWorker::visit`] is the paper's Algorithm 1; the recursion is a
//! stack of [`ChoicePoint`]s, so that untried alternatives can be given to another worker.
//!
//! Deviations from the paper [ALGORITHMS §0.1]:
//! 1. `Deleted` never contains the revisiting write.
//! 2. Up to `rf`, the coherence order behind the maximality test is computed without the revisited read
//!    and the revisiting write.
//! 3. A backward revisit neither copies the graph (§5) nor rebuilds it (Algorithm 4): see
//!    [`atropos_graph::restrict`].

mod apply;
mod backward;
mod barriers;
mod choice;
mod counts;
mod forward;
mod journal;
mod locks;
pub(crate) mod owners;
mod probe;
mod task;
mod twins;
mod waiting;

pub(crate) use probe::Probes;
pub use task::TrustTask;

use crate::driver::{Strategy, Worker};
use crate::engine::Engine;
use crate::host::Host;
use crate::journal::journal;
use crate::pool::Pool;
use crate::rules::Rules;
use atropos_event::{Label, Position, RefusalReason, Run, Step, ThreadId};
use atropos_graph::{Attic, Graph, LocId, Slot};
use atropos_model::closure::co_next;
use atropos_model::{Kept, MemoryModel, Orders, ReadsFrom};
use backward::Outside;
use choice::{Choice, ChoicePoint};
use std::marker::PhantomData;

/// Which executions count as the same, and the corresponding questions to the model.
pub trait TrustRules<M: MemoryModel>: Rules<M> + Send + Sync {
    /// The coherence order behind the maximality test, where the graph does not have it.
    fn coherence(model: &mut M, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders);
}

/// Executions differ when `rf` or `co` do (Algorithm 1).
#[derive(Clone, Copy, Debug)]
pub struct Co;

/// Executions differ when `rf` does (Algorithm 2).
#[derive(Clone, Copy, Debug)]
pub struct Rf;

impl<M: MemoryModel> Rules<M> for Co {
    const TRACKS_CO: bool = true;
    const DELAYS_WAITERS: bool = false;

    fn is_consistent(model: &mut M, graph: &Graph, added: Slot) -> bool {
        model.accepts(graph, added)
    }

    fn is_final(_model: &mut M, graph: &Graph, accesses: &[Slot]) -> bool {
        accesses.iter().all(|&access| co_next(graph, access).is_none())
    }
}

impl<M: MemoryModel> TrustRules<M> for Co {
    fn coherence(_model: &mut M, _graph: &Graph, _kept: &Kept<'_>, _orders: &mut Orders) {
        unreachable!("the graph has a coherence order")
    }
}

impl<M: ReadsFrom> Rules<M> for Rf {
    const TRACKS_CO: bool = false;
    const DELAYS_WAITERS: bool = false;

    fn is_consistent(model: &mut M, graph: &Graph, added: Slot) -> bool {
        model.realisable(graph, added)
    }

    fn is_final(model: &mut M, graph: &Graph, accesses: &[Slot]) -> bool {
        model.may_be_final(graph, accesses)
    }
}

impl<M: ReadsFrom> TrustRules<M> for Rf {
    fn coherence(model: &mut M, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders) {
        model.coherence(graph, kept, orders);
    }
}

/// TruSt under a model, up to an equivalence.
#[derive(Clone, Copy, Debug)]
pub struct Trust<M, Q> {
    model: M,
    equivalence: PhantomData<Q>,
}

impl<M: MemoryModel, Q: TrustRules<M>> Trust<M, Q> {
    pub fn new(model: M) -> Self {
        Trust { model, equivalence: PhantomData }
    }
}

impl<R: Run, M: MemoryModel + Clone + Sync, Q: TrustRules<M>> Strategy<R> for Trust<M, Q> {
    const NAME: &'static str = "trust";

    type Part = TrustTask;
    type Worker<'a>
        = TrustWorker<'a, R, M, Q>
    where
        Self: 'a,
        R: 'a;

    const CAN_SPLIT: bool = true;

    fn text_of(part: &TrustTask) -> String {
        part.to_string()
    }

    fn read_parts(texts: &[String], _known: &[String]) -> Option<Vec<TrustTask>> {
        texts.iter().map(|text| text.parse().ok()).collect()
    }

    fn start<'a>(&'a self, host: Host<'a, R>, pool: Option<&'a Pool<TrustTask>>) -> TrustWorker<'a, R, M, Q> {
        TrustWorker::new(host, self.model.clone(), pool)
    }
}

pub struct TrustWorker<'a, R: Run, M, Q> {
    engine: Engine<'a, R, M, Q>,
    /// The open choices, the shallowest first, and their alternatives, one after the other.
    nodes: Vec<ChoicePoint>,
    choices: Vec<Choice>,
    /// The exclusive read whose write comes next.
    pending: Option<Slot>,
    /// What backward revisits have saved: events in the attic, and each thread's position in its run.
    attic: Attic,
    positions: Vec<(ThreadId, Position)>,
    /// The part of the search this explorer does, and how many of the choices leading there it has taken.
    root: TrustTask,
    n_replayed: usize,
    /// The next choice of the root is about to be taken.
    is_on_its_way: bool,
    /// The search has met twins.
    has_twins: bool,
    /// The counters that the search has met.
    counters: Vec<LocId>,
    /// Sections of mutexes may have no order.
    parts_sections: bool,
    /// The mutexes that the search has met whose sections have none.
    mutexes: Vec<LocId>,
    /// It has met read-modify-writes after sections that only reads-from orders.
    has_unordered_updates: bool,
    /// The search has met a fence that is sequentially consistent: counters care.
    has_met_sc_fence: bool,
    pool: Option<&'a Pool<TrustTask>>,
    /// Present if this is a random descent: see [`probe`].
    dice: Option<probe::Dice>,
    /// Scratch space.
    outside: Outside,
    latest: Vec<Slot>,
    orders: Orders,
}

impl<'a, R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'a, R, M, Q> {
    fn new(host: Host<'a, R>, model: M, pool: Option<&'a Pool<TrustTask>>) -> Self {
        let mut worker = TrustWorker {
            engine: Engine::new(host, model),
            nodes: Vec::new(),
            choices: Vec::new(),
            pending: None,
            attic: Attic::default(),
            positions: Vec::new(),
            root: TrustTask::default(),
            n_replayed: 0,
            is_on_its_way: false,
            has_twins: false,
            counters: Vec::new(),
            parts_sections: false,
            mutexes: Vec::new(),
            has_unordered_updates: false,
            has_met_sc_fence: false,
            pool,
            dice: None,
            outside: Outside::default(),
            latest: Vec::new(),
            orders: Orders::default(),
        };
        worker.parts_sections = worker.may_part();
        worker
    }
}

impl<'a, R: Run, M: MemoryModel, Q: TrustRules<M>> Worker<'a, R> for TrustWorker<'a, R, M, Q> {
    type Part = TrustTask;

    fn explore(&mut self, task: TrustTask) {
        self.engine.is_replaying = !task.turns.is_empty();
        if self.engine.is_replaying {
            journal!(self.engine, Debug, "takes the part below {task}");
        }
        (self.root, self.n_replayed, self.is_on_its_way) = (task, 0, false);
        self.engine.watch(ThreadId::MAIN);
        if !self.engine.is_stopped {
            self.visit();
        }
        self.reset();
    }

    fn host(&mut self) -> &mut Host<'a, R> {
        &mut self.engine.host
    }
}

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// Algorithm 1, `Visit`. Each turn extends the graph by the next event; if the event has several outcomes, a
    /// [`ChoicePoint`] keeps them. Then, at the end of an execution, and if an extension is inconsistent, the search
    /// continues with the first untried outcome of the latest choice point.
    fn visit(&mut self) {
        loop {
            self.engine.validate();
            let extended = match self.next() {
                Some((thread, label)) => match label.access() {
                    Some(access) if label.is_read() => self.visit_read(thread, label, access),
                    Some(access) => self.visit_write(thread, label, access),
                    None => self.add_sole(thread, label),
                },
                None if self.engine.is_replaying => {
                    self.engine.refuse(RefusalReason::OtherSearch);
                    return;
                }
                None => {
                    if !self.engine.references.is_empty() {
                        match self.is_imaginary() {
                            None => return,
                            Some(true) => {
                                self.engine.stats.dead += 1;
                                if !self.advance() {
                                    return;
                                }
                                continue;
                            }
                            Some(false) => {}
                        }
                    }
                    if self.has_twins && self.are_twins_distinct() {
                        return;
                    }
                    if !self.mutexes.is_empty() && self.are_sections_grouped() {
                        return;
                    }
                    let closing = self.engine.closing();
                    if !(self.counters.is_empty() && self.mutexes.is_empty())
                        && self.leaks_with_counters(closing)
                    {
                        return;
                    }
                    self.engine.finish(closing);
                    self.share();
                    false
                }
            };
            if self.engine.is_stopped || (!extended && !self.advance()) {
                return;
            }
        }
    }

    /// The next event of the graph. Any policy would do as long as the write of a pending
    /// read-modify-write goes first [TruSt §4.3].
    fn next(&mut self) -> Option<(ThreadId, Label)> {
        match self.pending.take() {
            Some(read) => Some(self.engine.completion(read)),
            None => match self.engine.next_event() {
                Some((thread, label)) if self.has_twins => Some(self.leader(thread, label)),
                next => next,
            },
        }
    }

    /// Algorithm 1, the cases without alternatives: `Begin`, `Join`, fences and the like.
    fn add_sole(&mut self, thread: ThreadId, label: Label) -> bool {
        if !self.engine.add_sole(thread, label) {
            return false;
        }
        if let Label::Fence { order } = label
            && self.engine.config.rmws
        {
            self.watch_fence(order);
        }
        if self.engine.config.symmetry {
            self.watch_twins(label);
        }
        if !self.mutexes.is_empty() {
            let added = self.engine.graph.last_slot().expect("the event just added");
            self.follow_section(added);
            self.watch_sc(label);
        }
        if let Label::Spawn { child, .. } = label
            && self.engine.run.pending(child) == Step::Do(Label::Begin)
        {
            // Right away, where no revisit will delete it.
            return self.add_sole(child, Label::Begin);
        }
        !self.engine.is_stopped
    }

    /// Gives a part of the search to an idle worker, pieces to other processes, and all that is left when the time for
    /// this part is over.
    fn share(&mut self) {
        let Some(pool) = self.pool.filter(|_| !self.engine.is_stopped) else { return };
        let is_over = self.engine.is_over();
        if !is_over && !self.mutexes.is_empty() && self.is_first_execution() {
            return;
        }
        let n_wanted = if is_over { self.engine.n_to_shed() } else { usize::from(pool.wants_task()) };
        for _ in 0..n_wanted {
            let Some(task) = self.split_off() else { break };
            self.give(pool, task);
        }
        if !is_over {
            self.give_pieces();
        } else if let Some(task) = self.split_rest() {
            self.give(pool, task);
        }
    }

    fn give_pieces(&mut self) {
        for _ in 0..self.engine.n_wanted() {
            let Some(task) = self.split_half() else { return self.engine.keep_pieces() };
            journal!(self.engine, Debug, "gives the part below {task} to another process");
            self.engine.give_piece(task.to_string());
        }
    }

    fn give(&mut self, pool: &Pool<TrustTask>, task: TrustTask) {
        journal!(self.engine, Debug, "gives away the part below {task}");
        self.engine.give(pool, task);
    }
}
