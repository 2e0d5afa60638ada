//! Retries: a thread reads, fails to exchange what it has read, and tries again with the value that it saw instead. In
//! another execution its first read sees this value. If that leads to the same state, the thread blocks here, because
//! nothing else is lost [ALGORITHMS §L.2].
//!
//! Whether it is the same state is tried out ([`NativeRun::decide_retry`]): the run goes back to the first read, where the
//! other threads stay where they are. Once more, the thread fails; and once, it reads the new value at first. Then all
//! memory is compared, with the thread's stack from the frame of the user's code upwards, as in [`crate::idle`]. A frame
//! may hold values that are not needed any more; if they differ, the thread goes on, and nothing is saved.
//!
//! This is decided once for each point of a thread's past.

use crate::context::{self, Context, Point, Where, with};
use crate::heap::Heap;
use crate::library::Drops;
use crate::perform;
use crate::run::NativeRun;
use crate::system_locals;
use atropos_event::{Access, BlockReason, Label, Position, ReadOrder, Rmw, Step, ThreadId, Value};

/// A thread that is about to read: the place in its code, what it will read, and where the frame of the user's code is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrival {
    pub place: usize,
    pub access: Access,
    pub stack: usize,
}

/// A read and a failed exchange, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed {
    /// The point before the read.
    first: Position,
    /// What the read has seen, and then the exchange.
    values: [Value; 2],
}

/// What is being tried out.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) enum Trial {
    #[default]
    None,
    /// The running thread has failed, and asks whether it would be in the same state if its first read had seen what it
    /// sees now.
    Wanted(Failed),
    /// The running thread has got an answer to the first read. The answer to the exchange follows, if it is to fail.
    Running { next: Option<Value> },
    /// It is about to read again.
    Reached(Arrival),
}

/// The state of a program, as far as it can differ.
#[derive(PartialEq)]
struct Image {
    /// Pieces of memory: where they start, and their sizes.
    pieces: Vec<(usize, usize)>,
    bytes: Vec<u8>,
    heaps: Vec<usize>,
    n_children: u64,
    n_looks: u64,
    n_joined: usize,
    drops: Vec<Drops>,
}

enum Course {
    Proceed,
    Block,
    Wait,
}

/// The running thread is about to read. Does not return if another execution stands for this one. Otherwise, returns
/// whether the thread does something that no execution has.
pub(crate) fn is_left_alone(arrival: Arrival, place: Where) -> bool {
    match with(|context| context.consider(arrival)) {
        Course::Proceed => with(|context| context.is_trying()),
        Course::Block => perform::try_again(place),
        Course::Wait => perform::abandon(),
    }
}

impl Context {
    /// Whether the running thread does something that no execution has, to see where it leads.
    pub fn is_trying(&self) -> bool {
        matches!(self.trial, Trial::Running { .. })
    }

    /// The answer to a step of the running thread, which does something that no execution has.
    pub fn tried_answer(&mut self, step: Step) -> Option<Value> {
        if self.running().is_probing() {
            return None;
        }
        match &mut self.trial {
            Trial::Running { next } if matches!(step, Step::Do(Label::Read { .. })) => next.take(),
            Trial::Running { .. } | Trial::None | Trial::Wanted(_) | Trial::Reached(_) => None,
        }
    }

    fn consider(&mut self, arrival: Arrival) -> Course {
        match self.trial {
            Trial::Running { next: Some(_) } => return Course::Proceed,
            Trial::Running { next: None } => {
                self.trial = Trial::Reached(arrival);
                return Course::Wait;
            }
            Trial::None | Trial::Wanted(_) | Trial::Reached(_) => {}
        }
        let failed = if self.shared().skips_retries { self.failed_try() } else { None };
        let Some(failed) = failed else { return Course::Proceed };
        let at = self.running().at;
        let known = self.point(at).step.map(|step| step == Step::Blocked(BlockReason::Retry));
        let decided = self.retries.iter().find(|(position, _)| *position == at);
        match known.or(decided.map(|&(_, is_same)| is_same)) {
            Some(true) => Course::Block,
            Some(false) => Course::Proceed,
            None => {
                self.trial = Trial::Wanted(failed);
                Course::Wait
            }
        }
    }

    /// The last two events of the running thread, if they are a read and a failed exchange of the same object, whose
    /// place the read may take.
    fn failed_try(&mut self) -> Option<Failed> {
        let at = self.running().at;
        let (failed, value) = self.point(at).before?;
        let Point { before, step, .. } = *self.point(failed);
        let Some(Step::Do(Label::Read { access, rmw: rmw @ Rmw::Cas { failure_order, .. }, .. })) = step
        else {
            return None;
        };
        let (first, last_value) = before?;
        let Some(Step::Do(Label::Read { access: read, order, rmw: of_first })) = self.point(first).step
        else {
            return None;
        };
        let order = match of_first {
            Rmw::None => order,
            Rmw::Cas { failure_order, .. } => failure_order,
            Rmw::Fetch { .. } | Rmw::Merge { .. } => return None,
        };
        let reads_only = !rmw.writes_after(access, value)
            && ![last_value, value].iter().any(|&value| of_first.writes_after(read, value));
        let is_weak = order != ReadOrder::NotAtomic && order <= failure_order;
        let thread = self.running();
        let is_usual = thread.panics.n_unwinding == 0 && !thread.is_probing();
        (read == access && reads_only && is_weak && is_usual)
            .then_some(Failed { first, values: [last_value, value] })
    }

    /// The state now, where `thread` is about to read.
    fn image(&mut self, thread: ThreadId, stack: usize) -> Image {
        let mut pieces = Vec::new();
        for index in 0..self.threads.len() {
            let known = &self.threads[index];
            if known.exists && known.fiber.is_some() {
                let start = if index == thread.index() { stack } else { known.stack };
                let end = known.exit as usize;
                pieces.push((start, end - start));
            }
        }
        let heaps: Vec<Heap> = self.heaps().map(|(_, heap)| heap).collect();
        pieces.extend(heaps.iter().map(|heap| (heap.range().start, heap.range().len())));
        let mut copies = Vec::new();
        self.names.copies.each(|start, end| copies.push((start, end - start)));
        copies.sort_unstable();
        pieces.extend(copies);
        pieces.extend(system_locals::range().map(|range| (range.start, range.len())));
        let mut bytes = Vec::new();
        for &(start, size) in &pieces {
            // SAFETY: memory of the model, which no thread uses now.
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(start as *const u8, size) });
        }
        let known = self.thread(thread);
        Image {
            pieces,
            bytes,
            heaps: heaps.iter().map(|heap| heap.range().end).collect(),
            n_children: known.n_children,
            n_looks: known.library.n_looks,
            n_joined: known.library.joined.len(),
            drops: known.library.drops.clone(),
        }
    }
}

impl NativeRun<'_> {
    /// Whether a live thread asks whether it tries again.
    pub(crate) fn has_retry(&self) -> bool {
        matches!(self.context().trial, Trial::Wanted(_))
    }

    /// Decides whether the running thread, which asks, tries again in the same state.
    pub(crate) fn decide_retry(&mut self) {
        let context = self.context_mut();
        let Trial::Wanted(failed) = std::mem::take(&mut context.trial) else { return };
        let thread = context.current;
        let at = context.thread(thread).at;
        let wanted: Vec<Position> = context.threads.iter().map(|thread| thread.wanted).collect();
        context
            .threads
            .iter_mut()
            .filter(|thread| thread.exists)
            .for_each(|thread| thread.wanted = thread.at);
        context.thread(thread).wanted = failed.first;
        self.repeat(thread);
        assert!(!self.has_retry(), "what is repeated was decided before");
        let is_same = self.is_same_without(thread, failed);
        let context = self.context_mut();
        context.threads.iter_mut().zip(wanted).for_each(|(thread, wanted)| thread.wanted = wanted);
        context.retries.push((at, is_same));
        self.start_anew();
    }

    /// Whether `thread`, which is about to read for the first time, comes to the same state without failing.
    fn is_same_without(&mut self, thread: ThreadId, Failed { values: [first, last], .. }: Failed) -> bool {
        if !self.context_mut().keep_moment() {
            return false;
        }
        let Some(with_failure) = self.try_out(thread, first, Some(last)) else { return false };
        self.context_mut().return_to_latest_moment();
        self.try_out(thread, last, None).is_some_and(|without| without == with_failure)
    }

    /// Lets `thread` run on with these answers; what it then is about to read, and the state.
    fn try_out(&mut self, thread: ThreadId, answer: Value, next: Option<Value>) -> Option<(Arrival, Image)> {
        let context = self.context_mut();
        // What the thread does from here on is not recorded: this point goes away.
        let aside = Position(context.points.len() as u32);
        context.points.push(Point { before: None, step: None, place: None });
        context.thread(thread).at = aside;
        context.trial = Trial::Running { next };
        // SAFETY: the run owns the context.
        unsafe { context::go(self.context, thread, answer) };
        let context = self.context_mut();
        context.points.pop();
        match std::mem::take(&mut context.trial) {
            Trial::Reached(arrival) => Some((arrival, context.image(thread, arrival.stack))),
            Trial::None | Trial::Wanted(_) | Trial::Running { .. } => None,
        }
    }
}
