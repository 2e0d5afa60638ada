//! Loop bounds and idle iterations.
//!
//! At its head, a loop compares the state of the thread with that of the last arrival: the live registers (the others
//! cannot matter), the private memory of all frames, and whether the thread has changed anything that others can see.
//! If all is equal, the next iteration would do the same again as long as its reads see the same values, so the
//! thread blocks. Frames below cannot have changed except for their private memory, and frames above are gone. Private
//! memory is compared by a 64-bit hash: if two different contents collide, an execution is lost.
//!
//! A read-modify-write that writes back what it read (a spin lock's `exchange(lock, 1)` that finds 1) changes nothing
//! either. An execution without it is still consistent if its readers read from its source instead: they see the same
//! value, with less synchronisation.

use atropos_event::BlockReason;

use crate::code::{LOOP_HEADER, LoopCode};
use crate::interp::Thread;

impl Thread<'_, '_> {
    /// The first arrival at the head since the loop was entered from outside.
    pub fn enter_loop(&mut self, l: &LoopCode) {
        let record = self.base() + l.record;
        self.words[record] = 0;
        if self.vm.config.detect_spin {
            self.arrive(l);
        }
    }

    /// Another arrival. Returns why the thread must stop here, if it must.
    pub fn repeat_loop(&mut self, l: &LoopCode) -> Option<BlockReason> {
        let record = self.base() + l.record;
        self.words[record] += 1;
        // Idle iterations are detected exactly, with any bound.
        if self.vm.config.detect_spin
            && let Some(reads) = self.arrive(l)
        {
            return Some(BlockReason::Spin { reads });
        }
        let bound = self.vm.config.unroll?;
        (self.words[record] > u64::from(bound)).then(|| {
            self.vm.note_bounded(l.id);
            BlockReason::Bound
        })
    }

    /// Records the state of the thread at arrival. If it equals that of the last arrival, returns the number of reads
    /// since.
    fn arrive(&mut self, l: &LoopCode) -> Option<u32> {
        let (n_reads, n_writes) = (self.state.counts.n_reads, self.state.counts.n_writes);
        let hash = self.private_hash().wrapping_add(self.state.word);
        let base = self.base();
        let (registers, record) = self.words[base..].split_at_mut(l.record);
        let before = record[1];
        let mut same = before as u32 == n_writes && record[2] == hash;
        record[1] = u64::from(n_reads) << 32 | u64::from(n_writes);
        record[2] = hash;
        for (noted, &word) in record[LOOP_HEADER..].iter_mut().zip(&l.live) {
            let value = registers[usize::from(word)];
            same &= *noted == value;
            *noted = value;
        }
        same.then(|| n_reads - (before >> 32) as u32)
    }
}
