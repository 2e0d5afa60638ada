//! A machine whose memory consists of bytes: the meaning of accesses of several sizes under SC, TSO and PSO [ALGORITHMS
//! §F.5].
//!
//! A store puts all its bytes into memory at once. Under TSO it waits in the thread's buffer, a queue. Under PSO it may
//! overtake older stores in the buffer that write none of its bytes, unless it is a release store or a store barrier is
//! between them. A load takes each byte from the newest store in the buffer that has it, else from memory, all at one
//! moment. A barrier waits for an empty buffer. There are no cells here, no merging and no coherence order; a cell in a
//! label only names some of its bytes.
//!
//! The result is the set of all histories: which values each thread has read. A step that touches no memory, such as a
//! store into a buffer, commutes with every step of the other threads and with the thread's own flushes. So it happens
//! as soon as it can, and no other step is tried at that state. States share what they have in common.

use super::machine::MachineKind;
use super::structure::{StoreBarrier, barrier};
use super::walk::Refused;
use atropos_event::{
    Access, Initial, Label, Mapping, Program, Rmw, Run, Step, ThreadId, ThreadKey, Value, WriteOrder,
};
use atropos_graph::{Canonical, CanonicalEvent, CanonicalThread};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// For each thread, the values of its reads, and the number of its steps: a read-modify-write is one.
pub type ReadHistory = BTreeMap<ThreadKey, (Vec<Value>, usize)>;

/// The history of an execution.
pub fn history_of(execution: &Canonical) -> ReadHistory {
    let value = |event: &CanonicalEvent| match event.label {
        Label::Read { access, .. } if !event.label.is_merge() => Some(access.narrow(event.value)),
        _ => None,
    };
    let is_step = |event: &&CanonicalEvent| !matches!(event.label, Label::Write { exclusive: true, .. });
    let of_thread = |thread: &CanonicalThread| {
        let n_steps = thread.events.iter().filter(is_step).count();
        (thread.key, (thread.events.iter().filter_map(value).collect(), n_steps))
    };
    execution.threads.iter().map(of_thread).collect()
}

/// All histories of `program`; visits at most `limit` states.
pub fn run_bytes(
    program: &dyn Program,
    machine: MachineKind,
    mapping: Mapping,
    limit: usize,
) -> Result<BTreeSet<ReadHistory>, Refused> {
    loop {
        let mut walk = ByteWalk {
            program,
            run: program.start(),
            machine,
            mapping,
            limit,
            seen: FxHashSet::default(),
            found: BTreeSet::new(),
        };
        let mut state = ByteState::default();
        state.threads.insert(ThreadId::MAIN, Rc::new(ByteThread::new(ThreadKey::MAIN)));
        match walk.visit(state, &BTreeSet::new()) {
            Err(Refused::Learned) => {}
            ended => return ended.map(|()| walk.found),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct ByteThread {
    key: ThreadKey,
    values: Vec<Value>,
    n_steps: usize,
    has_ended: bool,
    /// The buffered stores, oldest first.
    buffer: VecDeque<BufferedStore>,
}

impl ByteThread {
    fn new(key: ThreadKey) -> Self {
        ByteThread { key, values: Vec::new(), n_steps: 0, has_ended: false, buffer: VecDeque::new() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum BufferedStore {
    Store {
        access: Access,
        value: Value,
        /// It overtakes no other.
        goes_last: bool,
    },
    /// Keeps the stores before it in front of those behind it, under PSO.
    Barrier,
}

impl BufferedStore {
    /// By address.
    fn bytes(&self) -> impl Iterator<Item = (u64, u8)> {
        let store = match *self {
            BufferedStore::Store { access, value, .. } => Some(bytes_of(access).zip(value.to_le_bytes())),
            BufferedStore::Barrier => None,
        };
        store.into_iter().flatten()
    }

    /// Whether a store to `access` behind this one must wait for it.
    fn holds_back(&self, access: Access) -> bool {
        match *self {
            BufferedStore::Store { access: own, .. } => own.overlaps(access),
            BufferedStore::Barrier => true,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct ByteState {
    threads: BTreeMap<ThreadId, Rc<ByteThread>>,
    memory: Rc<BTreeMap<u64, u8>>,
}

impl ByteState {
    fn thread_mut(&mut self, thread: ThreadId) -> &mut ByteThread {
        Rc::make_mut(self.threads.get_mut(&thread).expect("a thread of the state"))
    }

    fn write(&mut self, bytes: impl Iterator<Item = (u64, u8)>) {
        Rc::make_mut(&mut self.memory).extend(bytes);
    }
}

/// A step that a thread can take.
struct ByteStep {
    next: ByteState,
    /// The value that the thread receives.
    answer: Value,
    /// It neither reads nor writes memory.
    is_private: bool,
}

struct ByteWalk<'a> {
    program: &'a dyn Program,
    run: Box<dyn Run + 'a>,
    machine: MachineKind,
    mapping: Mapping,
    limit: usize,
    seen: FxHashSet<ByteState>,
    found: BTreeSet<ReadHistory>,
}

impl ByteWalk<'_> {
    /// `met` are the cells on the way to this state.
    fn visit(&mut self, state: ByteState, met: &BTreeSet<Access>) -> Result<(), Refused> {
        if self.seen.contains(&state) {
            return Ok(());
        }
        if self.seen.len() >= self.limit {
            return Err(Refused::TooLarge { limit: self.limit });
        }
        self.seen.insert(state.clone());
        let mut steps = Vec::new();
        for &thread in state.threads.keys() {
            let label = match self.run.pending(thread) {
                Step::Do(label) => label,
                Step::Unsupported => {
                    return Err(Refused::Unsupported(Box::new(self.run.unsupported(thread))));
                }
                Step::Finished | Step::Blocked(_) | Step::Failed => continue,
            };
            let Some(step) = self.perform(&state, thread, label) else { continue };
            if step.is_private {
                return self.enter(step, thread, label, met);
            }
            steps.push((step, thread, label));
        }
        let mut is_final = steps.is_empty();
        for (step, thread, label) in steps {
            self.enter(step, thread, label, met)?;
        }
        for &thread in state.threads.keys() {
            for next in self.flushes(&state, thread) {
                is_final = false;
                self.visit(next, met)?;
            }
        }
        if is_final {
            let history = |thread: &Rc<ByteThread>| (thread.key, (thread.values.clone(), thread.n_steps));
            self.found.insert(state.threads.values().map(history).collect());
        }
        Ok(())
    }

    /// Takes the step, visits what follows, and takes the step back.
    fn enter(
        &mut self,
        step: ByteStep,
        thread: ThreadId,
        label: Label,
        met: &BTreeSet<Access>,
    ) -> Result<(), Refused> {
        let ByteStep { mut next, answer, .. } = step;
        let new = label.access().filter(|access| !met.contains(&access.cell()));
        if let Some(access) = new {
            self.meet(met, access)?;
        }
        let (position, mark) = (self.run.position(thread), self.run.mark());
        self.run.resume(thread, answer);
        if let Label::Spawn { child, .. } = label {
            next.threads.insert(child, Rc::new(ByteThread::new(self.run.key(child))));
        }
        match new {
            Some(access) => self.visit(next, &met.iter().copied().chain([access.cell()]).collect())?,
            None => self.visit(next, met)?,
        }
        self.run.rewind(thread, position);
        self.run.release(mark);
        Ok(())
    }

    /// The states after a buffered store of the thread goes to memory.
    fn flushes(&self, state: &ByteState, thread: ThreadId) -> Vec<ByteState> {
        let buffer = &state.threads[&thread].buffer;
        let may_go = |&nth: &usize| match &buffer[nth] {
            BufferedStore::Barrier => false,
            BufferedStore::Store { goes_last, .. } if *goes_last || self.machine != MachineKind::Pso => {
                nth == 0
            }
            BufferedStore::Store { access, .. } => {
                !buffer.range(..nth).any(|older| older.holds_back(*access))
            }
        };
        (0..buffer.len()).filter(may_go).map(|nth| Self::flush(state, thread, nth)).collect()
    }

    fn flush(state: &ByteState, thread: ThreadId, nth: usize) -> ByteState {
        let mut next = state.clone();
        let buffer = &mut next.thread_mut(thread).buffer;
        let store = buffer.remove(nth).expect("a store of the buffer");
        // A barrier with nothing in front of it keeps nothing back.
        while buffer.front() == Some(&BufferedStore::Barrier) {
            buffer.pop_front();
        }
        next.write(store.bytes());
        next
    }

    /// What happens when `thread` performs `label`; `None` if it has to wait.
    fn perform(&self, state: &ByteState, thread: ThreadId, label: Label) -> Option<ByteStep> {
        let store = match label {
            Label::Write { access, value, order, .. } => Some((access, value, order)),
            Label::Read { access, rmw: Rmw::Merge { value, write_order }, .. } => {
                Some((access.part(), value, write_order))
            }
            _ => None,
        };
        let merging: Option<WriteOrder> = store.filter(|_| label.is_merge()).map(|(_, _, order)| order);
        let barrier = barrier(label, merging, self.mapping);
        let is_barrier = barrier == Some(StoreBarrier::Full);
        let is_drained = state.threads[&thread].buffer.is_empty();
        let waits_for_end = matches!(label, Label::Join { child } if !state.threads[&child].has_ended);
        if (is_barrier && !is_drained) || waits_for_end {
            return None;
        }
        let mut next = state.clone();
        let own = next.thread_mut(thread);
        own.n_steps += 1;
        own.has_ended = label == Label::End;
        let keeps_stores = self.machine == MachineKind::Pso && barrier == Some(StoreBarrier::Stores);
        if keeps_stores && store.is_none() && !is_drained {
            own.buffer.push_back(BufferedStore::Barrier);
        }
        if let Some((access, value, _)) = store {
            own.buffer.push_back(BufferedStore::Store { access, value, goes_last: keeps_stores });
            let is_private = !is_barrier && self.machine != MachineKind::Sc;
            let next = if is_private { next } else { Self::flush(&next, thread, 0) };
            return Some(ByteStep { next, answer: 0, is_private });
        }
        let Label::Read { access, rmw, .. } = label else {
            return Some(ByteStep { next, answer: 0, is_private: true });
        };
        let answer = self.value(state, thread, access);
        own.values.push(access.narrow(answer));
        if let Some((value, _)) = rmw.write_after(access, answer) {
            next.write(bytes_of(access).zip(value.to_le_bytes()));
        }
        Some(ByteStep { next, answer, is_private: false })
    }

    /// The value that the thread sees in the bytes now.
    fn value(&self, state: &ByteState, thread: ThreadId, access: Access) -> Value {
        let buffer = &state.threads[&thread].buffer;
        let initial = match self.program.initial(access) {
            Initial::Value(value) => value,
            Initial::Uninitialised => 0,
        };
        let byte = |(index, at): (usize, u64)| {
            let mut stores = buffer.iter().rev().flat_map(BufferedStore::bytes);
            let own = stores.find(|&(addr, _)| addr == at).map(|(_, byte)| byte);
            own.or_else(|| state.memory.get(&at).copied()).unwrap_or(initial.to_le_bytes()[index])
        };
        let bytes = bytes_of(access).enumerate().map(byte);
        bytes.enumerate().fold(0, |value, (index, byte)| value | u64::from(byte) << (8 * index))
    }

    /// Labels name cells once the program knows them.
    fn meet(&mut self, met: &BTreeSet<Access>, access: Access) -> Result<(), Refused> {
        let Some(&other) = met.iter().find(|other| other.overlaps(access)) else { return Ok(()) };
        let has_learned = self.run.split(other, access);
        Err(if has_learned { Refused::Learned } else { Refused::Overlap(other, access) })
    }
}

/// The addresses of all bytes of an access, in order.
fn bytes_of(access: Access) -> impl Iterator<Item = u64> {
    (0..u64::from(access.size)).map(move |offset| access.addr.0 + offset)
}
