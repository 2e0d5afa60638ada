//! Loop bounds and idle iterations.
//!
//! At its turning point ([`crate::turns`]), a loop compares the state of the thread with that of the last arrival: the
//! live registers (the others cannot matter), the private memory of all frames, and whether the thread has changed
//! anything that others can see. If all is equal, the next iteration would do the same again as long as its reads see
//! the same values, so the thread blocks. Frames below cannot have changed except for their private memory, and frames
//! above are gone. Private memory is compared by a 64-bit hash: if two different contents collide, an execution is
//! lost.
//!
//! Iterations may also go in a circle: a counter that is reset from time to time. So a loop keeps an older state as
//! well, from the last arrival whose number is a power of two: a circle of any length is noticed.
//!
//! Taking a lock and releasing it again leaves the lock as it was, if no thread can see that it was held: then critical
//! sections that only read are idle, too. A thread that holds a lock must not have let go of one.
//!
//! A store to memory that no other thread knows yet may be forgotten: see [`crate::turns`]. So may one that writes what
//! is there already, if no other thread writes there: see [`crate::writers`].
//!
//! A read-modify-write that writes back what it read (a spin lock's `exchange(lock, 1)` that finds 1) changes nothing
//! either. An execution without it is still consistent if its readers read from its source instead: they see the same
//! value, with less synchronisation.

use atropos_event::{Access, BlockReason};

use crate::code::{Index, LOOP_HEADER, LoopCode, Op, STATE_HEADER};
use crate::fault::Fault;
use crate::interp::Thread;
use crate::state::LabelCounts;
use crate::unchanged::REPETITIONS;

/// The counts of a state that was not recorded. No thread makes as many writes.
const NEVER: u64 = u64::MAX;

impl Thread<'_, '_> {
    /// The first arrival at the head since the loop was entered from outside.
    pub fn enter_loop(&mut self, l: &LoopCode) {
        let record = self.base() + l.record;
        self.words[record..record + LOOP_HEADER].fill(0);
        for &mirror in &l.mirrors {
            self.set(mirror + 1, 0);
        }
        if self.vm.config.detect_spin && !l.counts {
            let last = record + LOOP_HEADER;
            self.words[last] = NEVER;
            self.words[last + STATE_HEADER + l.live.len()] = NEVER;
            if l.turns_at_head || l.begins_outside {
                self.arrive(l).expect("the first arrival repeats nothing");
            }
            if l.begins_outside {
                // The load of a shared global has just been answered.
                self.words[last] -= 1 << 32;
            }
        }
    }

    /// Another arrival at the head. Returns why the thread must stop here, if it must.
    ///
    /// # Errors
    /// The search should start over: see [`crate::unchanged`].
    pub fn repeat_loop(&mut self, l: &LoopCode) -> Result<Option<BlockReason>, Fault> {
        let record = self.base() + l.record;
        self.words[record] += 1;
        // Idle iterations are detected exactly, with any bound.
        if l.turns_at_head
            && !l.counts
            && let Some(reason) = self.turn_loop(l)?
        {
            return Ok(Some(reason));
        }
        let n_iterations = self.words[record];
        let LabelCounts { n_reads, n_writes, .. } = self.state.counts;
        self.vm.note_iterations(l, n_iterations, u64::from(n_reads) + u64::from(n_writes));
        let is_over = l.bound.is_some_and(|bound| n_iterations > u64::from(bound));
        Ok(is_over.then(|| {
            self.vm.note_bounded(l);
            BlockReason::Bound
        }))
    }

    /// An arrival at the turning point. Returns why the thread must stop here, if it must.
    ///
    /// # Errors
    /// As [`Thread::repeat_loop`].
    pub fn turn_loop(&mut self, l: &LoopCode) -> Result<Option<BlockReason>, Fault> {
        if self.vm.config.detect_spin { self.arrive(l) } else { Ok(None) }
    }

    /// What a loop notes after an access of the thread.
    pub fn note_access(&mut self, op: Op) {
        let loops = &self.function().loops;
        match op {
            Op::Forget { index, addr, besides } => {
                self.forget(&loops[index as usize], self.get(addr), self.get(besides));
            }
            Op::Mirror { index, value, mirror, size, stores } => {
                self.mirror(&loops[index as usize], (self.get(value), size), mirror, stores);
            }
            op => unreachable!("{op:?} notes nothing"),
        }
    }

    /// The store to `addr` that the thread has just made does not tell this iteration from the next, if no other thread
    /// knows what it has written. Others may know `besides`.
    fn forget(&mut self, l: &LoopCode, addr: u64, besides: u64) {
        if self.is_unpublished(addr) && !self.is_unpublished(besides) {
            let record = self.base() + l.record;
            self.words[record + 1] += 1;
        }
    }

    /// The thread has stored `value` to a global to which no other thread writes, or loaded it. What `mirror` knows is
    /// right for as long as the thread makes no other writes than those that are forgotten.
    fn mirror(&mut self, l: &LoopCode, (value, size): (u64, u8), mirror: Index, stores: bool) {
        let value = Access::new(0, size).truncate(value);
        let n_forgotten = self.base() + l.record + 1;
        let count = |thread: &Self| 1 + u64::from(thread.state.counts.n_writes) - thread.words[n_forgotten];
        if stores && self.get(mirror + 1) + 1 == count(self) && self.get(mirror) == value {
            self.words[n_forgotten] += 1;
        }
        self.set(mirror, value);
        self.set(mirror + 1, count(self));
    }

    /// Records the state of the thread at arrival, and compares it with those of earlier arrivals.
    fn arrive(&mut self, l: &LoopCode) -> Result<Option<BlockReason>, Fault> {
        let LabelCounts { n_reads, mut n_writes, n_locks } = self.state.counts;
        if self.vm.config.cuts_retries {
            n_writes = n_writes.wrapping_sub(self.words[self.base() + l.record + 1] as u32);
        }
        let counts = u64::from(n_reads) << 32 | u64::from(n_writes);
        let mut hash = self.private_hash().wrapping_add(self.state.word);
        if n_locks > 0 && self.holds_something() {
            // It must not have let go meanwhile.
            hash = hash.wrapping_add(u64::from(n_locks).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        let retry = l.retry.filter(|_| self.vm.config.cuts_retries);
        let base = self.base();
        let (registers, record) = self.words[base..].split_at_mut(l.record);
        let (n_iterations, n_forgotten) = (record[0], record[1]);
        let (last, older) = record[LOOP_HEADER..].split_at_mut(STATE_HEADER + l.live.len());
        let n_reads_since = |state: &[u64]| n_reads - (state[0] >> 32) as u32;
        let may_be_same = |state: &[u64]| state[0] as u32 == n_writes && state[1] == hash;
        let is_same = |state: &[u64], except: Option<Index>| {
            let mut words = state[STATE_HEADER..].iter().zip(&l.live);
            words.all(|(&noted, &word)| noted == registers[usize::from(word)] || Some(word) == except)
        };
        let mut reason = None;
        if may_be_same(last) {
            if is_same(last, None) {
                reason = Some(BlockReason::Spin { reads: n_reads_since(last) });
            } else if let Some((carried, seen)) = retry
                && registers[usize::from(carried)] == registers[usize::from(seen)]
                && is_same(last, Some(carried))
            {
                self.vm.note_retry();
                reason = Some(BlockReason::Retry);
            }
        }
        if reason.is_none() && may_be_same(older) && is_same(older, None) {
            reason = Some(BlockReason::Spin { reads: n_reads_since(older) });
        }
        if reason.is_some() && (n_forgotten > 0 || self.unchanged.compares) {
            self.vm.note_retry();
        }
        let is_long = n_iterations >= REPETITIONS && self.vm.config.cuts_retries && !self.unchanged.compares;
        if reason.is_none() && is_long && last[1] == hash && is_same(last, None) {
            self.vm.compare_stores();
            return Err(Fault::RepeatsStores);
        }
        let note = |state: &mut [u64]| {
            (state[0], state[1]) = (counts, hash);
            let words = state[STATE_HEADER..].iter_mut().zip(&l.live);
            words.for_each(|(noted, &word)| *noted = registers[usize::from(word)]);
        };
        note(last);
        if n_iterations.is_power_of_two() {
            note(older);
        }
        Ok(reason)
    }
}
