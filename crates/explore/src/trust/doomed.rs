//! Executions that can only end blocked: abandoned early.
//!
//! A thread that blocked because of what its last read saw (a failed `assume`, a held lock, an idle loop)
//! moves again only if that read is revisited; and a search below the graph gets rid of the read only if it
//! is deleted by a revisit. Both demand that the read was added maximally. If a write is already `co`-after the
//! read's source, it was not, whatever comes: every execution below ends with the thread blocked, and nothing
//! of interest is lost by not looking [RCMC Remark 2]. What other threads do there they do as well where the read
//! sees the latest value.
//!
//! If the read is the last event, that write was there before it. If the read was revisited, by `w`, a write that
//! stands behind the read is `w` or in the `porf`-prefix of `w`. A revisit by another write `a` cannot delete `w`,
//! which an earlier read reads, so `w` is in the prefix of `a`, and the write with it: it counts as previous.
//!
//! Complete executions, violations and deadlocks are the same with and without; blocked executions are fewer.

use super::{Equivalence, Explorer};
use atropos_event::{BlockReason, Program, Run, Step, mark};
use atropos_graph::{Slot, clock};
use atropos_model::MemoryModel;

impl<'a, P: Program, M: MemoryModel, Q: Equivalence<M>> Explorer<'a, P, M, Q> {
    /// Has the read at `read`, just answered, blocked its thread for good?
    pub(super) fn is_doomed(&mut self, read: Slot) -> bool {
        let event = *self.graph.event(read);
        if !self.config.abandon_doomed || event.exclusive {
            return false;
        }
        match self.run.pending(event.id.thread()) {
            // Who ends the program has come to an end.
            Step::Blocked(reason) if reason != BlockReason::Exit => {}
            _ => return false,
        }
        let position = self.graph.co_position(event.rf);
        let writes = &self.graph.location(event.loc).co;
        if Q::TRACKS_CO {
            let is_doomed = position + 1 < writes.len();
            if is_doomed {
                mark!("trust: a doomed execution");
            }
            return is_doomed;
        }
        // Without coherence: a write that happens after the source is behind it in every order.
        let is_doomed = writes[1..].iter().any(|&write| {
            write != event.rf
                && (event.rf.is_init()
                    || clock::contains(self.model.hb(&self.graph, write), self.graph.event(event.rf).id))
        });
        if is_doomed {
            mark!("trust: a doomed execution up to rf");
        }
        is_doomed
    }
}
