//! Open choices: the alternatives of an event, and which are still untried.

use crate::engine::Cursor;
use atropos_event::{EventId, Label, Position, ThreadId};
use atropos_graph::LocId;

/// One outcome of a choice. Events are named by [`EventId`], which stays when slots shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// The read reads from this write; `None` is the initial one.
    Source(Option<EventId>),
    /// The write goes to this position of the coherence order.
    Place(u32),
    /// The write revisits this read.
    Revisit(EventId),
    /// The candidate with that number, from 1, is the last owner of the location; 0 is none: see [`super::owners`].
    LastOwner(u32),
}

/// The access whose outcome is chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingAccess {
    pub thread: ThreadId,
    pub label: Label,
    pub loc: LocId,
    /// For the place of a write that revisits: the revisited read.
    pub revisited: Option<EventId>,
}

/// A choice with its untried alternatives `choices[next..end]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChoicePoint {
    pub pending: PendingAccess,
    pub taken: Choice,
    /// The first of the node's alternatives, tried or not.
    pub first: usize,
    pub next: usize,
    pub end: usize,
    /// The size of the graph, and the height of the run's stack, to return to.
    pub base: usize,
    pub mark: Position,
    pub cursor: Cursor,
    /// The value of [`Engine::waits_from`](crate::engine::Engine) to return to.
    pub waits_from: usize,
    /// How many last owners were chosen before.
    pub n_owners: usize,
    /// While a backward revisit is being explored.
    pub restricted: Option<Restricted>,
}

/// A current backward revisit: the size of the restricted graph, and where the saved positions of the threads begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Restricted {
    pub len: usize,
    pub positions: usize,
}
