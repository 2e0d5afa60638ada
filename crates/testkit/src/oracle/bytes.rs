//! A machine whose memory consists of bytes: the meaning of accesses of several sizes under SC, TSO and PSO [ALGORITHMS
//! §F.5].
//!
//! A store puts all its bytes into memory at once. Under TSO it waits in the thread's buffer, a queue. Under PSO it may
//! overtake older stores in the buffer that write none of its bytes, unless it is a release store or a store barrier is
//! between them. A load takes each byte from the newest store in the buffer that has it, else from memory, all at one
//! moment. A barrier waits for an empty buffer. There are no cells here, no merging and no coherence order; a cell in a
//! label only names some of its bytes.
//!
//! The result is the set of all histories: which values each thread has read.

use super::machine::MachineKind;
use super::structure::{StoreBarrier, barrier};
use super::walk::Refused;
use atropos_event::{
    Access, Initial, Label, Mapping, Program, Rmw, Run, Step, ThreadId, ThreadKey, Value, WriteOrder,
};
use atropos_graph::{Canonical, CanonicalEvent, CanonicalThread};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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
            seen: BTreeSet::new(),
            found: BTreeSet::new(),
        };
        let mut state = ByteState::default();
        state.threads.insert(ThreadId::MAIN, ByteThread { key: ThreadKey::MAIN, ..ByteThread::default() });
        match walk.visit(state) {
            Err(Refused::Learned) => {}
            ended => return ended.map(|()| walk.found),
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ByteThread {
    key: ThreadKey,
    values: Vec<Value>,
    n_steps: usize,
    has_ended: bool,
    /// The buffered stores, oldest first.
    buffer: VecDeque<BufferedStore>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum BufferedStore {
    Store {
        /// By address.
        bytes: Vec<(u64, u8)>,
        /// It overtakes no other.
        goes_last: bool,
    },
    /// Keeps the stores before it in front of those behind it, under PSO.
    Barrier,
}

impl BufferedStore {
    fn bytes(&self) -> &[(u64, u8)] {
        match self {
            BufferedStore::Store { bytes, .. } => bytes,
            BufferedStore::Barrier => &[],
        }
    }

    /// Whether a store behind this one, with these bytes, must wait for it.
    fn holds_back(&self, bytes: &[(u64, u8)]) -> bool {
        match self {
            BufferedStore::Store { bytes: own, .. } => {
                own.iter().any(|(at, _)| bytes.iter().any(|(other, _)| at == other))
            }
            BufferedStore::Barrier => true,
        }
    }
}

impl Default for ByteThread {
    fn default() -> Self {
        let (values, buffer) = (Vec::new(), VecDeque::new());
        ByteThread { key: ThreadKey::MAIN, values, n_steps: 0, has_ended: false, buffer }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct ByteState {
    threads: BTreeMap<ThreadId, ByteThread>,
    memory: BTreeMap<u64, u8>,
    /// The known cells: labels must agree on them.
    accesses: BTreeSet<Access>,
}

struct ByteWalk<'a> {
    program: &'a dyn Program,
    run: Box<dyn Run + 'a>,
    machine: MachineKind,
    mapping: Mapping,
    limit: usize,
    seen: BTreeSet<ByteState>,
    found: BTreeSet<ReadHistory>,
}

impl ByteWalk<'_> {
    fn visit(&mut self, state: ByteState) -> Result<(), Refused> {
        if !self.seen.insert(state.clone()) {
            return Ok(());
        }
        if self.seen.len() > self.limit {
            return Err(Refused::TooLarge { limit: self.limit });
        }
        let mut is_final = true;
        let threads: Vec<ThreadId> = state.threads.keys().copied().collect();
        for thread in threads {
            for next in self.flushes(&state, thread) {
                is_final = false;
                self.visit(next)?;
            }
            let label = match self.run.pending(thread) {
                Step::Do(label) => label,
                Step::Unsupported => {
                    return Err(Refused::Unsupported(Box::new(self.run.unsupported(thread))));
                }
                Step::Finished | Step::Blocked(_) | Step::Failed => continue,
            };
            let Some((mut next, answer)) = self.perform(&state, thread, label)? else { continue };
            is_final = false;
            let (position, mark) = (self.run.position(thread), self.run.mark());
            self.run.resume(thread, answer);
            if let Label::Spawn { child, .. } = label {
                next.threads.insert(child, ByteThread { key: self.run.key(child), ..ByteThread::default() });
            }
            self.visit(next)?;
            self.run.rewind(thread, position);
            self.run.release(mark);
        }
        if is_final {
            let threads = state.threads.into_values();
            self.found.insert(threads.map(|thread| (thread.key, (thread.values, thread.n_steps))).collect());
        }
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
            BufferedStore::Store { bytes, .. } => !buffer.range(..nth).any(|older| older.holds_back(bytes)),
        };
        (0..buffer.len()).filter(may_go).map(|nth| Self::flush(state, thread, nth)).collect()
    }

    fn flush(state: &ByteState, thread: ThreadId, nth: usize) -> ByteState {
        let mut next = state.clone();
        let buffer = &mut next.threads.get_mut(&thread).expect("a thread of the state").buffer;
        let store = buffer.remove(nth).expect("a store of the buffer");
        // A barrier with nothing in front of it keeps nothing back.
        while buffer.front() == Some(&BufferedStore::Barrier) {
            buffer.pop_front();
        }
        next.memory.extend(store.bytes().iter().copied());
        next
    }

    /// The state after `thread` performs `label`, and the value it receives; `None` if it has to wait.
    fn perform(
        &mut self,
        state: &ByteState,
        thread: ThreadId,
        label: Label,
    ) -> Result<Option<(ByteState, Value)>, Refused> {
        let mut next = state.clone();
        if let Some(access) = label.access() {
            self.meet(&mut next, access)?;
        }
        let (store, is_load) = match label {
            Label::Write { access, value, order, .. } => (Some((access, value, order)), false),
            Label::Read { access, rmw: Rmw::Merge { value, write_order }, .. } => {
                (Some((access.part(), value, write_order)), false)
            }
            Label::Read { rmw, .. } => (None, rmw == Rmw::None),
            _ => (None, false),
        };
        let merging: Option<WriteOrder> = store.filter(|_| label.is_merge()).map(|(_, _, order)| order);
        let barrier = barrier(label, merging, self.mapping);
        let is_barrier = barrier == Some(StoreBarrier::Full);
        let is_drained = state.threads[&thread].buffer.is_empty();
        let waits_for_end = matches!(label, Label::Join { child } if !state.threads[&child].has_ended);
        if (is_barrier && !is_drained) || waits_for_end {
            return Ok(None);
        }
        let mut answer = 0;
        let own = next.threads.get_mut(&thread).expect("a thread of the state");
        let keeps_stores = self.machine == MachineKind::Pso && barrier == Some(StoreBarrier::Stores);
        if keeps_stores && store.is_none() && !own.buffer.is_empty() {
            own.buffer.push_back(BufferedStore::Barrier);
        }
        if let Some((access, value, _)) = store {
            let bytes = bytes_of(access).zip(value.to_le_bytes()).collect();
            own.buffer.push_back(BufferedStore::Store { bytes, goes_last: keeps_stores });
            if is_barrier || self.machine == MachineKind::Sc {
                next = Self::flush(&next, thread, 0);
            }
        } else if let Label::Read { access, rmw, .. } = label {
            answer = self.value(state, thread, access);
            next.threads.get_mut(&thread).expect("a thread of the state").values.push(access.narrow(answer));
            if let Some((value, _)) = rmw.write_after(access, answer).filter(|_| !is_load) {
                next.memory.extend(bytes_of(access).zip(value.to_le_bytes()));
            }
        }
        let own = next.threads.get_mut(&thread).expect("a thread of the state");
        own.n_steps += 1;
        own.has_ended = label == Label::End;
        Ok(Some((next, answer)))
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
            let own = stores.find(|&&(addr, _)| addr == at).map(|&(_, byte)| byte);
            own.or_else(|| state.memory.get(&at).copied()).unwrap_or(initial.to_le_bytes()[index])
        };
        let bytes = bytes_of(access).enumerate().map(byte);
        bytes.enumerate().fold(0, |value, (index, byte)| value | u64::from(byte) << (8 * index))
    }

    /// Labels name cells once the program knows them.
    fn meet(&mut self, state: &mut ByteState, access: Access) -> Result<(), Refused> {
        let cell = access.cell();
        if let Some(&other) = state.accesses.iter().find(|&&other| other != cell && other.overlaps(cell)) {
            let has_learned = self.run.split(other, access);
            return Err(if has_learned { Refused::Learned } else { Refused::Overlap(other, access) });
        }
        state.accesses.insert(cell);
        Ok(())
    }
}

/// The addresses of all bytes of an access, in order.
fn bytes_of(access: Access) -> impl Iterator<Item = u64> {
    (0..u64::from(access.size)).map(move |offset| access.addr.0 + offset)
}
