//! Which events of an execution concern only their own thread.

use atropos_event::{Label, ThreadId};
use atropos_graph::{Graph, LocId, Slot};

/// For each event, whether no other thread accesses the same location or object. Events without one are not private.
pub(crate) fn private_events(graph: &Graph) -> Vec<bool> {
    let owners = Owners::of(graph);
    let is_private = |index: usize| {
        let event = graph.event(Slot::new(index));
        match event.label {
            Label::Read { .. } | Label::Write { .. } => {
                owners.locations[event.loc.index()] == Owner::One(event.id.thread())
            }
            Label::Alloc { addr, .. } | Label::Free { addr, .. } => {
                owners.of_object(addr.0) == Owner::One(event.id.thread())
            }
            Label::Begin | Label::End | Label::Fence { .. } | Label::Spawn { .. } | Label::Join { .. } => {
                false
            }
        }
    };
    (0..graph.len()).map(is_private).collect()
}

/// The threads that use a piece of memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Unused,
    One(ThreadId),
    Several,
}

impl Owner {
    fn and(self, thread: ThreadId) -> Owner {
        match self {
            Owner::Unused => Owner::One(thread),
            Owner::One(owner) if owner == thread => self,
            Owner::One(_) | Owner::Several => Owner::Several,
        }
    }
}

/// The owners of all locations and of all dynamic objects.
struct Owners {
    locations: Vec<Owner>,
    /// Start, end and owner of each object, in the order of their starts.
    objects: Vec<(u64, u64, Owner)>,
}

impl Owners {
    fn of(graph: &Graph) -> Owners {
        let mut locations = vec![Owner::Unused; graph.locations().len()];
        let mut objects = Vec::new();
        for event in graph.events() {
            if let Label::Alloc { addr, size, .. } = event.label {
                objects.push((addr.0, addr.0 + size, Owner::One(event.id.thread())));
            }
            if event.loc != LocId::NONE {
                let owner = &mut locations[event.loc.index()];
                *owner = owner.and(event.id.thread());
            }
        }
        objects.sort_unstable_by_key(|&(start, ..)| start);
        let mut owners = Owners { locations, objects };
        for event in graph.events() {
            let addr = match event.label {
                Label::Free { addr, .. } => Some(addr.0),
                ref label => label.access().map(|access| access.addr.0),
            };
            if let Some(nth) = addr.and_then(|addr| owners.object_at(addr)) {
                let owner = &mut owners.objects[nth].2;
                *owner = owner.and(event.id.thread());
            }
        }
        owners
    }

    /// The index of the object that contains an address.
    fn object_at(&self, addr: u64) -> Option<usize> {
        let nth = self.objects.partition_point(|&(start, ..)| start <= addr).checked_sub(1)?;
        (addr < self.objects[nth].1).then_some(nth)
    }

    fn of_object(&self, addr: u64) -> Owner {
        self.object_at(addr).map_or(Owner::Several, |nth| self.objects[nth].2)
    }
}
