//! Executions that can only end blocked: abandoned early.
//!
//! A thread that blocked because of what its last read saw (a failed `assume`, a held lock, an idle loop)
//! moves again only if that read is revisited; and a search below the graph gets rid of the read only if it
//! is deleted by a revisit. Both demand that the read was added maximally. If a write that was there before
//! the read is already `co`-after its source, it was not, whatever comes: every execution below ends with the
//! thread blocked, and nothing of interest is lost by not looking [RCMC Remark 2]. What other threads do there
//! they do as well where the read sees the latest value.
//!
//! Complete executions, violations and deadlocks are the same with and without; blocked executions are fewer.

use super::{Equivalence, Explorer};
use crate::Observer;
use atropos_event::{BlockReason, Program, Run, Step};
use atropos_graph::{Slot, clock};
use atropos_model::MemoryModel;

impl<'a, P: Program, M: MemoryModel, Q: Equivalence<M>, O: Observer<P::Run<'a>>> Explorer<'a, P, M, Q, O> {
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
            return writes[position + 1..].iter().any(|&write| write < read);
        }
        // Without coherence: a write that happens after the source is behind it in every order.
        writes[1..].iter().any(|&write| {
            write < read
                && write != event.rf
                && (event.rf.is_init()
                    || clock::contains(self.model.hb(&self.graph, write), self.graph.event(event.rf).id))
        })
    }
}
