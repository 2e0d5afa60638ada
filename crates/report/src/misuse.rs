//! Judges races and misuse of memory again, by the definitions.

use atropos_event::{Access, Addr, AllocKind, Label, ReadOrder, ViolationKind, WriteOrder};
use atropos_graph::{Event, Graph, LocId, Slot};
use std::collections::BTreeMap;

/// Whether one event happens before another.
pub type IsBefore<'a> = &'a dyn Fn(Slot, Slot) -> bool;

/// Checks that the `guilty` events of an execution show a violation of this `kind`.
///
/// # Errors
/// Why they do not.
pub fn judge(
    graph: &Graph,
    is_before: IsBefore<'_>,
    kind: ViolationKind,
    guilty: &[Slot],
) -> Result<(), String> {
    let judge = Judge { graph, is_before };
    match kind {
        ViolationKind::Race => judge.race(guilty),
        ViolationKind::UseAfterFree => judge.use_after_free(guilty),
        ViolationKind::DoubleFree => judge.double_free(guilty),
        ViolationKind::InvalidFree => judge.invalid_free(guilty),
        ViolationKind::InvalidAccess => judge.invalid_access(guilty),
        _ => Err("no event shows such a violation".to_string()),
    }
}

fn demand(is_so: bool, otherwise: &str) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(otherwise.to_string()) }
}

struct Judge<'a> {
    graph: &'a Graph,
    is_before: IsBefore<'a>,
}

impl Judge<'_> {
    fn is_before(&self, first: Slot, second: Slot) -> bool {
        (self.is_before)(first, second)
    }

    fn race(&self, guilty: &[Slot]) -> Result<(), String> {
        let [first, second] = *guilty else { return Err("a race is between two events".to_string()) };
        demand(first != second, "a race is between two events")?;
        let events = [first, second].map(|slot| self.graph.event(slot));
        let overlap = match events.map(|event| event.label.bytes()) {
            [Some(one), Some(other)] => one.overlaps(other),
            _ => false,
        };
        demand(overlap, "the accesses have no byte in common")?;
        demand(events.iter().any(|event| event.is_write()), "neither access writes")?;
        demand(events.iter().any(|event| is_plain(event)), "both accesses are atomic")?;
        let is_ordered = self.is_before(first, second) || self.is_before(second, first);
        demand(!is_ordered, "the accesses are ordered by happens-before")
    }

    fn use_after_free(&self, guilty: &[Slot]) -> Result<(), String> {
        let [first, second] = *guilty else { return Err("a use and a deallocation".to_string()) };
        let free_of = |slot: Slot| match self.graph.event(slot).label {
            Label::Free { addr, .. } => Some(addr),
            _ => None,
        };
        let (free, user, addr) = match (free_of(first), free_of(second)) {
            (Some(addr), None) => (first, second, addr),
            (None, Some(addr)) => (second, first, addr),
            _ => return Err("a use and a deallocation".to_string()),
        };
        let access = self.graph.event(user).label.access().map(Access::part);
        let is_inside = access
            .zip(self.object_at(addr))
            .is_some_and(|(access, (_, size))| (addr.0..addr.0 + size).contains(&access.addr.0));
        demand(is_inside, "the access is to another object")?;
        demand(!self.is_before(user, free), "the access happens before the deallocation")
    }

    fn double_free(&self, guilty: &[Slot]) -> Result<(), String> {
        let freed = |slot: &Slot| match self.graph.event(*slot).label {
            Label::Free { addr, .. } => Some(addr),
            _ => None,
        };
        let [first, second] = guilty else { return Err("two deallocations".to_string()) };
        demand(first != second, "two deallocations")?;
        demand(freed(first).is_some() && freed(first) == freed(second), "different objects are freed")
    }

    fn invalid_free(&self, guilty: &[Slot]) -> Result<(), String> {
        let free = guilty.last().copied().ok_or("a deallocation")?;
        let Label::Free { addr, .. } = self.graph.event(free).label else {
            return Err("no deallocation".into());
        };
        let is_right = self.object_at(addr).is_some_and(|(alloc, _)| {
            let is_heap = matches!(self.graph.event(alloc).label, Label::Alloc { kind: AllocKind::Heap, .. });
            is_heap && self.is_before(alloc, free)
        });
        demand(!is_right, "the object exists when it is freed")
    }

    fn invalid_access(&self, guilty: &[Slot]) -> Result<(), String> {
        let user = guilty.last().copied().ok_or("an access")?;
        let access = self.graph.event(user).label.access().ok_or("no access")?.part();
        let is_right = self.allocations().any(|(alloc, addr, size)| {
            let is_inside = addr <= access.addr && access.addr.0 + u64::from(access.size) <= addr.0 + size;
            is_inside && self.is_before(alloc, user)
        });
        demand(!is_right, "the access is to an object that exists")
    }

    /// All allocations: event, address and size.
    fn allocations(&self) -> impl Iterator<Item = (Slot, Addr, u64)> + '_ {
        self.graph.events().iter().enumerate().filter_map(|(index, event)| match event.label {
            Label::Alloc { addr, size, .. } => Some((Slot::new(index), addr, size)),
            _ => None,
        })
    }

    /// The allocation of the object at `addr`, and its size.
    fn object_at(&self, addr: Addr) -> Option<(Slot, u64)> {
        self.allocations().find(|&(_, start, _)| start == addr).map(|(alloc, _, size)| (alloc, size))
    }
}

fn is_plain(event: &Event) -> bool {
    matches!(
        event.label,
        Label::Read { order: ReadOrder::NotAtomic, .. } | Label::Write { order: WriteOrder::NotAtomic, .. }
    )
}

/// The final content of memory: by address, the size and value of the last write there.
type Contents = BTreeMap<u64, (u8, u64)>;

/// The eight bytes at an address, which may have been written in pieces.
fn pointer_at(contents: &Contents, addr: u64) -> u64 {
    let (mut value, mut at) = (0, addr);
    while at < addr + 8
        && let Some(&(size, piece)) = contents.get(&at)
    {
        value |= piece << (8 * (at - addr));
        at += u64::from(size);
    }
    value
}

/// Checks that the object allocated at `alloc` is never freed and not reachable at the end: neither from a variable
/// for which `is_root` holds, nor from a reachable object. The last write of each location determines the final
/// content of memory.
///
/// # Errors
/// Why it is not leaked.
pub(crate) fn judge_leak(graph: &Graph, alloc: Slot, is_root: &dyn Fn(Addr) -> bool) -> Result<(), String> {
    let Label::Alloc { addr, kind: AllocKind::Heap, .. } = graph.event(alloc).label else {
        return Err("no object of the heap".to_string());
    };
    let mut objects: BTreeMap<u64, u64> = BTreeMap::new();
    let mut freed = Vec::new();
    for event in graph.events() {
        match event.label {
            Label::Alloc { addr, size, kind: AllocKind::Heap } => {
                objects.insert(addr.0, size);
            }
            Label::Free { addr: freed, .. } if freed == addr => return Err("the object is freed".to_string()),
            Label::Free { addr, .. } => {
                freed.push(addr.0);
            }
            _ => {}
        }
    }
    for freed in freed {
        objects.remove(&freed);
    }
    let mut contents = Contents::new();
    for loc in (0..graph.locations().len()).map(LocId::new) {
        let location = graph.location(loc);
        if let Some(&last) = location.co[1..].last() {
            contents.insert(location.access.addr.0, (location.access.size, graph.event(last).value));
        }
    }
    let mut open: Vec<u64> =
        contents.keys().filter(|&&at| is_root(Addr(at))).map(|&at| pointer_at(&contents, at)).collect();
    while let Some(value) = open.pop() {
        let Some((&start, &size)) = objects.range(..=value).next_back() else { continue };
        if value - start < size.max(1) {
            if start == addr.0 {
                return Err("something leads to the object".to_string());
            }
            objects.remove(&start);
            open.extend(contents.range(start..start + size).map(|(&at, _)| pointer_at(&contents, at)));
        }
    }
    Ok(())
}
