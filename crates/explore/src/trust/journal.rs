//! What TruSt writes to the log.

use super::choice::{Choice, ChoicePoint, PendingAccess};
use super::{TrustRules, TrustWorker};
use atropos_event::{EventId, Run};
use atropos_graph::{Slot, clock};
use atropos_model::MemoryModel;
use log::Level;

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    fn describe_pending(&self, &PendingAccess { thread, label, .. }: &PendingAccess) -> String {
        let event = EventId::new(thread, self.engine.graph.thread(thread).len());
        self.engine.describe_next(event, &label)
    }

    /// The alternative that `node` is about to take.
    #[cold]
    pub(super) fn log_choice(&self, node: usize) {
        let ChoicePoint { pending, taken, first, next, end, .. } = self.nodes[node];
        let chosen = match taken {
            Choice::Source(None) => "read from init".to_string(),
            Choice::Source(Some(source)) => format!("read from {}", self.engine.spell(source)),
            Choice::LastOwner(number) => format!("candidate {number} is the last owner"),
            Choice::Place(place) => format!("place {place}"),
            Choice::Revisit(read) => format!("revisit {}", self.engine.spell(read)),
        };
        let (what, nth, all) = (self.describe_pending(&pending), next - first, end - first);
        self.engine.log(Level::Trace, format_args!("choose {nth} of {all} for {what}: {chosen}"));
    }

    /// The write `pending` revisits `read` and keeps its own `prefix`.
    #[cold]
    pub(super) fn log_revisit(&self, pending: &PendingAccess, read: EventId, prefix: &[u32]) {
        let graph = &self.engine.graph;
        let start = graph.slot_of(read);
        let later = (start.index() + 1..graph.len()).map(|slot| graph.event(Slot::new(slot)).id);
        let deleted = self.engine.spell_all(later.filter(|&event| !clock::contains(prefix, event)));
        let read = self.engine.describe_next(read, &graph.event(start).label);
        let what = self.describe_pending(pending);
        self.engine.log(Level::Debug, format_args!("{what} revisits {read}, deletes {deleted}"));
    }
}
