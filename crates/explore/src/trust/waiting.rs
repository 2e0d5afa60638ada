//! Abandons executions that can only end blocked. [`crate::waiting`] says which; this file says why that is right for
//! TruSt.
//!
//! *Doomed.* A thread that blocked because of what its last read saw (a failed `assume`, a held lock, an idle loop)
//! moves again only if that read is revisited; and a search below the graph loses the read only if a revisit deletes
//! it. Both require that the read was added maximally. If a write is already `co`-after the read's source, it was
//! not, whatever happens next: every execution below ends with the thread blocked.
//!
//! If the read is the last event, that write was there before it. If `w` has revisited the read, a write added after
//! the read is `w` or in the `porf`-prefix of `w`. A revisit by another write `a` cannot delete `w`, which an earlier
//! read reads, so `w` is in the prefix of `a`, and so is the write: it counts as previous.
//!
//! *Left behind.* When a new acquisition `W` of a mutex revisits the read `r` of an earlier one, `r`'s thread waits. The
//! release `U` of `W` then has two continuations: `U` revisits `r`, or `r` stays blocked on a value that is out of date.
//! The second leads to a complete execution only if a later revisit deletes `U` again, together with `r` or without it.
//! For this, threads must communicate past the mutex while it is held: it must be [bypassed](crate::bypass). If no other
//! thread has moved between `W` and `U`, everything below the second continuation ends blocked; the proof is in
//! [ALGORITHMS §C.9]. The holder moves first ([`crate::waiting`]), so others seldom do.

use super::{TrustRules, TrustWorker};
use atropos_event::{Run, mark};
use atropos_graph::{Graph, Slot};
use atropos_model::MemoryModel;

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// Whether the read at `read`, just answered, has blocked its thread permanently.
    #[inline]
    pub(super) fn is_doomed(&mut self, read: Slot) -> bool {
        let is_doomed = self.engine.is_doomed(read);
        if is_doomed && Q::TRACKS_CO {
            mark!("trust: a doomed execution");
        } else if is_doomed {
            mark!("trust: a doomed execution up to rf");
        }
        is_doomed
    }

    /// After `write` was added: whether a displaced waiter has now missed the release of its mutex.
    pub(super) fn leaves_waiter_behind(&mut self, write: Slot) -> bool {
        let is_left = self
            .engine
            .misses_release(write, |graph, read, source| source > read && is_alone(graph, source, write));
        if is_left {
            mark!("trust: a waiter is left behind");
        }
        is_left
    }
}

/// Whether one thread has added everything from the event at `first` up to the one at `last`.
fn is_alone(graph: &Graph, first: Slot, last: Slot) -> bool {
    let events = &graph.events()[first.index()..=last.index()];
    events.iter().all(|event| event.id.thread() == events[0].id.thread())
}
