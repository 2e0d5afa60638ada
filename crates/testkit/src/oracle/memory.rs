//! Misuse of dynamic memory in a whole candidate execution, by the definitions.
//!
//! An access needs an object around all its bytes, allocated before the access and freed after it. A free needs the
//! start of a heap object that was allocated before it and that nothing else frees. A read needs memory that was
//! written. An explorer judges events as they are added and stops at the first error of an event, so it may find
//! fewer of these in an execution, but never none of them.

use super::candidate::Candidate;
use atropos_event::{Access, Addr, AllocKind, EventId, Initial, Label, ViolationKind};
use std::collections::BTreeSet;

/// Whether an event happens before another one.
pub type Before<'a> = &'a dyn Fn(EventId, EventId) -> bool;

/// All errors. `initial` returns the initial content of memory.
pub fn misuse(
    candidate: &Candidate,
    initial: impl Fn(Access) -> Initial,
    happens_before: Before<'_>,
) -> BTreeSet<ViolationKind> {
    let heap = Heap { candidate, happens_before };
    let mut found = BTreeSet::new();
    for (id, event) in candidate.events() {
        match event.label {
            Label::Read { access, .. } | Label::Write { access, .. } => {
                if initial(access) == Initial::Uninitialised {
                    heap.judge_access(id, access.part(), &mut found);
                    let reads_nothing = event.label.is_read()
                        && event.label.bytes().is_some_and(|part| !candidate.is_written(part, event.source));
                    found.extend(reads_nothing.then_some(ViolationKind::Uninitialised));
                }
            }
            Label::Free { addr, kind: AllocKind::Heap } => heap.judge_free(id, addr, &mut found),
            Label::Free { kind: AllocKind::Stack, .. }
            | Label::Begin
            | Label::End
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Join { .. }
            | Label::Alloc { .. } => {}
        }
    }
    found
}

struct Heap<'a> {
    candidate: &'a Candidate,
    happens_before: Before<'a>,
}

impl Heap<'_> {
    /// The allocation of the object around an address, with its start and size.
    fn object(&self, addr: Addr) -> Option<(EventId, Addr, u64)> {
        self.candidate.events().find_map(|(id, event)| match event.label {
            Label::Alloc { addr: start, size, .. } if (start.0..start.0 + size).contains(&addr.0) => {
                Some((id, start, size))
            }
            _ => None,
        })
    }

    fn frees(&self, object: Addr) -> impl Iterator<Item = EventId> + '_ {
        let is_free = move |label: Label| matches!(label, Label::Free { addr, .. } if addr == object);
        self.candidate.events().filter(move |(_, event)| is_free(event.label)).map(|(id, _)| id)
    }

    fn judge_access(&self, id: EventId, access: Access, found: &mut BTreeSet<ViolationKind>) {
        let Some((alloc, start, size)) = self.object(access.addr) else {
            found.insert(ViolationKind::InvalidAccess);
            return;
        };
        let is_inside = access.addr.0 + u64::from(access.size) <= start.0 + size;
        if !is_inside || !(self.happens_before)(alloc, id) {
            found.insert(ViolationKind::InvalidAccess);
        }
        if self.frees(start).any(|free| !(self.happens_before)(id, free)) {
            found.insert(ViolationKind::UseAfterFree);
        }
    }

    fn judge_free(&self, id: EventId, addr: Addr, found: &mut BTreeSet<ViolationKind>) {
        let object = self.object(addr).filter(|&(_, start, _)| start == addr);
        let is_valid = object.is_some_and(|(alloc, ..)| (self.happens_before)(alloc, id));
        found.extend((!is_valid).then_some(ViolationKind::InvalidFree));
        let is_freed_twice = object.is_some() && self.frees(addr).count() > 1;
        found.extend(is_freed_twice.then_some(ViolationKind::DoubleFree));
    }
}
