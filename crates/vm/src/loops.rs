//! Loop bounds and idle iterations.
//!
//! At its head, a loop compares the thread with what it was at the last arrival there: the registers that
//! are live (the others cannot matter), the private memory of all frames, and whether anything that others
//! can see was changed since. If all is the same, the next iteration would do the same again as long as its
//! reads see the same: the thread blocks instead. Frames below cannot have changed but for their private
//! memory, frames above are gone.

use atropos_event::BlockReason;

use crate::code::{LOOP_HEADER, LoopCode};
use crate::interp::Thread;

impl Thread<'_, '_> {
    /// The first arrival at the head since the loop was entered from outside.
    pub fn enter_loop(&mut self, l: &LoopCode) {
        let record = self.base() + l.record;
        self.words[record] = 0;
        if self.vm.config.detect_spin {
            self.note_arrival(l);
        }
    }

    /// Another arrival. Says why the thread must stop here, if it must.
    pub fn repeat_loop(&mut self, l: &LoopCode) -> Option<BlockReason> {
        let record = self.base() + l.record;
        self.words[record] += 1;
        if self.vm.config.unroll.is_some_and(|bound| self.words[record] > u64::from(bound)) {
            self.vm.note_bounded(l.id);
            return Some(BlockReason::Bound);
        }
        if !self.vm.config.detect_spin {
            return None;
        }
        if self.is_as_before(l) {
            let reads_before = (self.words[record + 1] >> 32) as u32;
            return Some(BlockReason::Spin { reads: self.state.n_reads - reads_before });
        }
        self.note_arrival(l);
        None
    }

    fn note_arrival(&mut self, l: &LoopCode) {
        let base = self.base();
        let record = base + l.record;
        self.words[record + 1] = u64::from(self.state.n_reads) << 32 | u64::from(self.state.n_writes);
        self.words[record + 2] = self.private_hash();
        for (nth, &word) in l.live.iter().enumerate() {
            self.words[record + LOOP_HEADER + nth] = self.words[base + usize::from(word)];
        }
    }

    fn is_as_before(&self, l: &LoopCode) -> bool {
        let base = self.base();
        let (frame, record) = (&self.words[base..], &self.words[base + l.record..]);
        record[1] as u32 == self.state.n_writes
            && l.live
                .iter()
                .zip(&record[LOOP_HEADER..])
                .all(|(&word, &before)| frame[usize::from(word)] == before)
            && record[2] == self.private_hash()
    }
}
