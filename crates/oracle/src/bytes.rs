//! A machine whose memory is bytes: what accesses of several sizes mean under SC and TSO [ALGORITHMS §F.5].
//!
//! A store puts all its bytes into memory at once. Under TSO it waits in the thread's buffer, a queue. A load takes
//! each byte from the newest store in the buffer that has it, else from memory, all at one moment. A barrier waits
//! for an empty buffer. There are no cells here, no merging and no coherence order; a cell in a label only names some
//! of its bytes.
//!
//! The result is the set of all histories: which values each thread has read.

use crate::machine::Machine;
use crate::structure::{Barrier, barrier};
use crate::walk::Refused;
use atropos_event::{
    Access, Initial, Label, Mapping, Program, Rmw, Run, Step, ThreadId, ThreadKey, Value, WriteOrder,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// For each thread, the values of its reads, and the number of its events.
pub type History = BTreeMap<ThreadKey, (Vec<Value>, usize)>;

/// All histories of `program`; visits at most `limit` states.
///
/// # Panics
/// If the machine is not SC or TSO: others are not defined by bytes.
pub fn run_bytes<P: Program>(
    program: &P,
    machine: Machine,
    mapping: Mapping,
    limit: usize,
) -> Result<BTreeSet<History>, Refused> {
    assert!(machine != Machine::Pso, "PSO is not defined by bytes");
    loop {
        let mut walk = Walk {
            program,
            run: program.start(),
            has_buffers: machine == Machine::Tso,
            mapping,
            limit,
            seen: BTreeSet::new(),
            found: BTreeSet::new(),
        };
        let mut state = State::default();
        state.threads.insert(ThreadId::MAIN, Thread { key: ThreadKey::MAIN, ..Thread::default() });
        match walk.visit(state) {
            Err(Refused::Learned) => {}
            ended => return ended.map(|()| walk.found),
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    key: ThreadKey,
    values: Vec<Value>,
    n_events: usize,
    has_ended: bool,
    /// The buffered stores: their bytes, by address.
    buffer: VecDeque<Vec<(u64, u8)>>,
}

impl Default for Thread {
    fn default() -> Self {
        let (values, buffer) = (Vec::new(), VecDeque::new());
        Thread { key: ThreadKey::MAIN, values, n_events: 0, has_ended: false, buffer }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct State {
    threads: BTreeMap<ThreadId, Thread>,
    memory: BTreeMap<u64, u8>,
    /// The known cells: labels must agree on them.
    accesses: BTreeSet<Access>,
}

struct Walk<'a, P: Program> {
    program: &'a P,
    run: P::Run<'a>,
    has_buffers: bool,
    mapping: Mapping,
    limit: usize,
    seen: BTreeSet<State>,
    found: BTreeSet<History>,
}

impl<P: Program> Walk<'_, P> {
    fn visit(&mut self, state: State) -> Result<(), Refused> {
        if !self.seen.insert(state.clone()) {
            return Ok(());
        }
        if self.seen.len() > self.limit {
            return Err(Refused::TooLarge { limit: self.limit });
        }
        let mut is_final = true;
        let threads: Vec<ThreadId> = state.threads.keys().copied().collect();
        for thread in threads {
            if let Some(next) = self.flush(&state, thread) {
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
                next.threads.insert(child, Thread { key: self.run.key(child), ..Thread::default() });
            }
            self.visit(next)?;
            self.run.rewind(thread, position);
            self.run.release(mark);
        }
        if is_final {
            let threads = state.threads.into_values();
            self.found.insert(threads.map(|thread| (thread.key, (thread.values, thread.n_events))).collect());
        }
        Ok(())
    }

    /// Puts the oldest buffered store of the thread into memory.
    fn flush(&self, state: &State, thread: ThreadId) -> Option<State> {
        let mut next = state.clone();
        let bytes = next.threads.get_mut(&thread)?.buffer.pop_front()?;
        next.memory.extend(bytes);
        Some(next)
    }

    /// The state after `thread` performs `label`, and the value it receives; `None` if it has to wait.
    fn perform(
        &mut self,
        state: &State,
        thread: ThreadId,
        label: Label,
    ) -> Result<Option<(State, Value)>, Refused> {
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
        let is_barrier = barrier(label, merging, self.mapping) == Some(Barrier::Full);
        let is_drained = state.threads[&thread].buffer.is_empty();
        let waits_for_end = matches!(label, Label::Join { child } if !state.threads[&child].has_ended);
        if (is_barrier && !is_drained) || waits_for_end {
            return Ok(None);
        }
        let mut answer = 0;
        if let Some((access, value, _)) = store {
            let bytes = bytes_of(access).zip(value.to_le_bytes()).collect();
            let own = next.threads.get_mut(&thread).expect("a thread of the state");
            own.buffer.push_back(bytes);
            own.n_events += usize::from(label.is_merge());
            if is_barrier || !self.has_buffers {
                next = self.flush(&next, thread).expect("a store was just buffered");
            }
        } else if let Label::Read { access, rmw, .. } = label {
            answer = self.value(state, thread, access);
            next.threads.get_mut(&thread).expect("a thread of the state").values.push(access.narrow(answer));
            if let Some((value, _)) = rmw.write_after(access, answer).filter(|_| !is_load) {
                next.memory.extend(bytes_of(access).zip(value.to_le_bytes()));
                next.threads.get_mut(&thread).expect("a thread of the state").n_events += 1;
            }
        }
        let own = next.threads.get_mut(&thread).expect("a thread of the state");
        own.n_events += 1;
        own.has_ended = label == Label::End;
        Ok(Some((next, answer)))
    }

    /// The value that the thread sees in the bytes now.
    fn value(&self, state: &State, thread: ThreadId, access: Access) -> Value {
        let buffer = &state.threads[&thread].buffer;
        let initial = match self.program.initial(access) {
            Initial::Value(value) => value,
            Initial::Uninitialised => 0,
        };
        let byte = |(index, at): (usize, u64)| {
            let mut stores = buffer.iter().rev().flatten();
            let own = stores.find(|&&(addr, _)| addr == at).map(|&(_, byte)| byte);
            own.or_else(|| state.memory.get(&at).copied()).unwrap_or(initial.to_le_bytes()[index])
        };
        let bytes = bytes_of(access).enumerate().map(byte);
        bytes.enumerate().fold(0, |value, (index, byte)| value | u64::from(byte) << (8 * index))
    }

    /// Labels name cells once the program knows them.
    fn meet(&mut self, state: &mut State, access: Access) -> Result<(), Refused> {
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
