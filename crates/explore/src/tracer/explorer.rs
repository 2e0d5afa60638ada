//! The search: `DfVisit` and, below it, `RunSchedule` [Tracer §5.1, Algorithms 1 and 3].
//!
//! The recursion of the paper is a stack of [`Frame`]s, one per read. The graph only ever grows and shrinks at its
//! end: a schedule of a read is replayed from where the read stood. What the paper does after the recursion below
//! a write (`DeclarePostponed`) happens when the write is taken back.

use crate::pool::{Pool, on_workers};
use crate::tracer::history::Histories;
use crate::tracer::saturated::Saturated;
use crate::tracer::schedule::{Anchor, Schedules, Step};
use crate::tracer::task::{Origin, Task};
use crate::{Config, Control, Manner, Observer, School, Search, Stage, Stats};
use atropos_event::{Access, EventId, Label, Position, Program, Run, ThreadId, mark};
use atropos_graph::{LocId, Outcome, Slot};
use atropos_model::{Ra, ReadsFrom};
use std::sync::Arc;

/// Visits all executions of `program` under release-acquire, up to `rf`, on `jobs` workers. The search starts over, with
/// fresh observers, when the program has to break up its accesses or something about its mutexes is learned.
pub fn explore<P, O>(
    program: &P,
    config: Config,
    control: &Control,
    jobs: usize,
    observer: impl Fn() -> O + Sync,
) -> Search<O>
where
    P: Program,
    O: Observer + Send,
{
    let school = Arc::new(School::default());
    loop {
        let pool = Arc::new(Pool::new(jobs, Task::default()));
        let work = || {
            let manner = Manner { is_final: Ra::may_be_final, is_real: |_, _| true, may_be_silent: true };
            let shared = (control, Arc::clone(&school));
            let mut observer = observer();
            let stage = Stage::new(program, Ra::default(), config, shared, &mut observer, manner);
            let mut explorer = Explorer::new(stage, (jobs > 1).then(|| Arc::clone(&pool)));
            while let Some(task) = pool.take() {
                explorer.explore(task);
            }
            let (stats, restart) = (explorer.stage.stats, explorer.stage.restart);
            drop(explorer);
            (stats, restart, observer)
        };
        let results = on_workers(jobs, work);
        if results.iter().any(|(_, restart, _)| *restart) && !control.is_stopped() {
            control.start_over();
            continue;
        }
        let mut search = Search { stats: Stats::default(), observers: Vec::new() };
        for (stats, _, observer) in results {
            search.stats += stats;
            search.observers.push(observer);
        }
        return search;
    }
}

pub(crate) struct Explorer<'a, P: Program> {
    pub(crate) stage: Stage<'a, P, Ra>,
    pub(crate) saturated: Saturated,
    pub(crate) histories: Histories,
    /// The reads that later writes may serve, the first one first: those that came with the task, then those whose
    /// sources are being tried here, in [`Explorer::frames`].
    pub(crate) anchors: Vec<Anchor>,
    /// The reads whose sources are being tried, and their sources behind each other.
    pub(crate) frames: Vec<Frame>,
    pub(crate) sources: Vec<Slot>,
    /// Where the present task came from, and schedules that were left at reads that came with a task.
    pub(crate) origin: Arc<Origin>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) pool: Option<Arc<Pool<Task>>>,
    /// Per event of the graph; means something for reads only.
    pub(crate) swaps: Vec<Swap>,
    /// Scratch space: the `hb`-prefix of a write.
    pub(crate) prefix: Vec<u32>,
}

/// A read whose sources are being tried.
pub(crate) struct Frame {
    /// The height of the run's stack where the read comes.
    mark: Position,
    pub(crate) thread: ThreadId,
    label: Label,
    loc: LocId,
    /// Its sources: `sources[first..]`, up to those of the next frame; those before `next` have been tried, those from
    /// `end` on given away.
    first: usize,
    pub(crate) next: usize,
    pub(crate) end: usize,
}

/// Whether a read may be served by a later write [Tracer §5.1.1, `Swappable`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Swap {
    /// It was executed by a schedule: other schedules will see to it.
    No,
    /// By any write; schedules go to this anchor.
    Open { frame: u32 },
    /// By writes that happen after the one it reads from: both belong to read-modify-writes.
    After { frame: u32, write: EventId },
}

impl<'a, P: Program> Explorer<'a, P> {
    fn new(stage: Stage<'a, P, Ra>, pool: Option<Arc<Pool<Task>>>) -> Self {
        Explorer {
            stage,
            saturated: Saturated::default(),
            histories: Histories::default(),
            anchors: Vec::new(),
            frames: Vec::new(),
            sources: Vec::new(),
            origin: Arc::default(),
            tasks: Vec::new(),
            pool,
            swaps: Vec::new(),
            prefix: Vec::new(),
        }
    }

    /// Does a part of the search, and what comes up meanwhile.
    fn explore(&mut self, task: Task) {
        if self.stage.graph.is_empty() {
            self.stage.watch(ThreadId::MAIN);
        }
        self.tasks.push(task);
        while !self.stage.stopped
            && let Some(task) = self.tasks.pop()
        {
            self.work_on(task);
        }
        self.stage.flush_progress();
    }

    /// Algorithm 1, `DfVisit`.
    pub(crate) fn visit(&mut self) {
        loop {
            let extended = match self.stage.next_event() {
                Some((thread, label)) => match label {
                    Label::Read { access, .. } => {
                        self.open(thread, label, access);
                        false
                    }
                    Label::Write { access, .. } => self.write(thread, label, access),
                    Label::Begin
                    | Label::End
                    | Label::Fence { .. }
                    | Label::Spawn { .. }
                    | Label::Join { .. }
                    | Label::Alloc { .. }
                    | Label::Free { .. } => self.add_sole(thread, label),
                },
                None => {
                    let ending = self.stage.ending();
                    self.stage.finish(ending);
                    self.stage.look_up();
                    false
                }
            };
            if self.stage.stopped || (!extended && !self.advance()) {
                return;
            }
        }
    }

    fn add_sole(&mut self, thread: ThreadId, label: Label) -> bool {
        let added = Slot::new(self.stage.graph.len());
        self.stage.add_sole(thread, label);
        self.note(added, Swap::No);
        self.saturated.skip();
        true
    }

    fn write(&mut self, thread: ThreadId, label: Label, access: Access) -> bool {
        let Some(loc) = self.stage.locate(thread, access) else { return false };
        let Label::Write { value, .. } = label else { unreachable!("{label:?} is no write") };
        self.saturated.look(&self.stage.graph, thread, loc);
        let write = self.add_write(thread, label, loc, access.truncate(value));
        self.saturated.write(loc);
        self.stage.answer(thread, 0);
        self.stage.check_access(write);
        let is_useless = self.stage.misses_release(write);
        self.stage.stats.dead += u64::from(is_useless);
        !is_useless
    }

    fn add_write(&mut self, thread: ThreadId, label: Label, loc: LocId, value: u64) -> Slot {
        let before = self.stage.run.position(thread);
        let co = self.stage.graph.location(loc).co.len() as u32;
        let write = self.stage.add(thread, label, loc, Outcome { rf: Slot::INIT, co, value, before });
        self.note(write, Swap::No);
        write
    }

    /// Enters what is kept per event for the one just added.
    fn note(&mut self, added: Slot, swap: Swap) {
        self.histories.push(&self.stage.graph, added);
        self.swaps.push(swap);
    }

    /// Algorithm 1, the read case: finds the readable writes. Those that another read-modify-write has taken
    /// make it give way, if it can.
    fn open(&mut self, thread: ThreadId, label: Label, access: Access) {
        let Some(loc) = self.stage.locate(thread, access) else { return };
        let Label::Read { rmw, .. } = label else { unreachable!("{label:?} is no read") };
        let (first, base, mark) = (self.sources.len(), self.stage.graph.len(), self.stage.run.mark());
        self.saturated.look(&self.stage.graph, thread, loc);
        let n_writes = self.stage.graph.location(loc).co.len();
        for position in 0..n_writes {
            let source = self.stage.graph.location(loc).co[position];
            if !self.saturated.is_readable(source) {
                continue;
            }
            let value = self.stage.graph.value_of(loc, source);
            if rmw.write_after(access, value).is_none() || self.saturated.is_free(loc, source) {
                self.sources.push(source);
            } else {
                self.force(thread, label, loc, source);
            }
        }
        let end = self.sources.len();
        self.anchors.push(Anchor { base, schedules: Schedules::default() });
        self.frames.push(Frame { mark, thread, label, loc, first, next: first, end });
    }

    /// Goes on with the latest read that has something left to try; `false` when there is none.
    fn advance(&mut self) -> bool {
        self.offer();
        while let Some(frame) = self.frames.len().checked_sub(1) {
            let anchor = self.anchors.len() - 1;
            self.cut_to(self.anchors[anchor].base);
            if self.stage.stopped {
                return false;
            }
            self.stage.run.release(self.frames[frame].mark);
            let Frame { thread, label, loc, first, next, end, .. } = self.frames[frame];
            if next < end {
                self.frames[frame].next += 1;
                self.saturated.look(&self.stage.graph, thread, loc);
                let read =
                    self.read(thread, label, loc, self.sources[next], Swap::Open { frame: anchor as u32 });
                if self.stage.is_doomed(read) && !self.stage.stopped {
                    self.stage.stats.dead += 1;
                    continue;
                }
                return !self.stage.stopped;
            }
            if let Some(schedule) = self.anchors[anchor].schedules.take() {
                if self.run_schedule(anchor, &schedule) {
                    return !self.stage.stopped;
                }
                if self.stage.stopped {
                    return false;
                }
                mark!("tracer: a schedule whose source is taken");
                // A read-modify-write came too late for its source: nothing has been explored.
                self.stage.stats.dead += 1;
                self.drop_to(self.anchors[anchor].base);
                continue;
            }
            self.anchors.pop();
            self.frames.pop();
            self.sources.truncate(first);
        }
        false
    }

    /// Algorithm 3, `RunSchedule`: performs the steps, and lets the last one, the read of the frame, read from the
    /// write before it. `false` when the source of a read-modify-write is taken.
    fn run_schedule(&mut self, anchor: usize, steps: &[Step]) -> bool {
        let Some((last, before)) = steps.split_last() else { unreachable!("a schedule ends with its read") };
        self.stage.stats.revisits += 1;
        before.iter().all(|&step| self.perform(step, Swap::No)) && self.perform_last(anchor, *last)
    }

    pub(crate) fn perform_last(&mut self, anchor: usize, read: Step) -> bool {
        let write = read.source.expect("the read of a schedule reads from its write");
        let (slot, frame) = (self.stage.graph.slot_of(write), anchor as u32);
        let swap = match self.stage.graph.event(slot).exclusive {
            true => Swap::After { frame, write },
            false if self.stage.is_tight_mutex(slot) => Swap::Open { frame },
            false => Swap::No,
        };
        self.perform(read, swap)
    }

    pub(crate) fn perform(&mut self, Step { thread, source }: Step, swap: Swap) -> bool {
        let atropos_event::Step::Do(label) = self.stage.run.pending(thread) else {
            unreachable!("a scheduled thread can move")
        };
        let Label::Read { access, rmw, .. } = label else {
            return match label {
                Label::Write { access, .. } => self.write(thread, label, access),
                _ => self.add_sole(thread, label),
            };
        };
        let Some(loc) = self.stage.locate(thread, access) else { return false };
        let source = source.map_or(Slot::INIT, |id| self.stage.graph.slot_of(id));
        self.saturated.look(&self.stage.graph, thread, loc);
        let value = self.stage.graph.value_of(loc, source);
        let is_possible = self.saturated.is_readable(source)
            && (rmw.write_after(access, value).is_none() || self.saturated.is_free(loc, source));
        if is_possible {
            self.read(thread, label, loc, source, swap);
        }
        is_possible && !self.stage.stopped
    }

    /// Adds a read from `source`, and the write of a read-modify-write; the thread has been looked at.
    fn read(&mut self, thread: ThreadId, label: Label, loc: LocId, source: Slot, swap: Swap) -> Slot {
        let value = self.stage.graph.value_of(loc, source);
        let before = self.stage.run.position(thread);
        let read = self.stage.add(thread, label, loc, Outcome { rf: source, co: 0, value, before });
        self.note(read, swap);
        self.saturated.read(loc, source);
        self.stage.answer_read(read);
        self.stage.watch_source(read);
        if let Some((write_label, value)) = exclusive_write(label, value) {
            let write = self.add_write(thread, write_label, loc, value);
            self.saturated.write_exclusive(loc, source);
            self.stage.check_access(write);
            self.stage.misses_release(write);
        }
        read
    }

    /// Takes events back. Each write among them is declared as postponed to the reads it comes too late for.
    pub(crate) fn cut_to(&mut self, len: usize) {
        while let Some(last) = self.stage.graph.last_slot().filter(|last| last.index() >= len) {
            if self.stage.graph.event(last).is_write() {
                self.declare(last, None);
            }
            self.drop_last(last);
        }
        self.stage.forget_order();
    }

    pub(crate) fn drop_to(&mut self, len: usize) {
        while let Some(last) = self.stage.graph.last_slot().filter(|last| last.index() >= len) {
            self.drop_last(last);
        }
        self.stage.forget_order();
    }

    fn drop_last(&mut self, last: Slot) {
        self.saturated.pop(self.stage.graph.event(last));
        self.histories.pop();
        self.swaps.pop();
        self.stage.pop();
    }
}

/// The write of a read-modify-write that reads `value`.
pub(crate) fn exclusive_write(label: Label, value: u64) -> Option<(Label, u64)> {
    let Label::Read { access, rmw, .. } = label else { return None };
    let (value, order) = rmw.write_after(access, value)?;
    Some((Label::Write { access, order, value, exclusive: true }, value))
}
