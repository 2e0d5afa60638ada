//! Labels in the program's own terms: `W(x) rel`, `R(head) acq`, `spawn P0`.

use crate::names::Names;
use atropos_event::{Access, Addr, AllocKind, Label, Rmw, Value};
use atropos_graph::Event;

/// Writes numbers and names for reports.
pub struct Speaker<'a> {
    pub names: Names<'a>,
}

impl Speaker<'_> {
    /// A value of the width of `access`: signed, or the name of the object at that address.
    pub fn value(&self, access: Access, value: Value) -> String {
        if access.is_wide() {
            let bytes: Vec<String> =
                access.bytes_of(value).iter().map(|byte| format!("{byte:02x}")).collect();
            return bytes.join(" ");
        }
        let may_be_address = access.size == 8 && value != 0;
        let name = may_be_address.then(|| self.names.pointee(Addr(value))).flatten();
        name.map_or_else(|| access.signed(value).to_string(), |name| format!("&{name}"))
    }

    /// What an event does, without its value. `thread` names the thread that a `Spawn` or `Join` concerns.
    pub fn label(&self, event: &Event, thread: &str) -> String {
        match event.label {
            Label::Begin => "begin".to_string(),
            Label::End => "end".to_string(),
            Label::Read { access, rmw, .. } => {
                let (order, name) = (order(event).unwrap_or_default(), self.names.name_of_access(access));
                format!("R({name}) {order}{}", self.rmw(access.part(), rmw, event.exclusive))
            }
            Label::Write { access, order, .. } => {
                format!("W({}) {order}", self.names.name_of_access(access))
            }
            Label::Fence { order } => format!("F {order}"),
            Label::Spawn { .. } => format!("spawn {thread}"),
            Label::Join { .. } => format!("join {thread}"),
            Label::Alloc { addr, size, kind: AllocKind::Heap } => {
                let size = self.names.object_at(addr).map_or(size, |object| object.size);
                format!("alloc({}, {size})", self.names.object_name(addr))
            }
            Label::Alloc { addr, size, kind: AllocKind::Stack } => {
                format!("enter({}, {size})", self.names.object_name(addr))
            }
            Label::Free { addr, kind: AllocKind::Heap } => format!("free({})", self.names.object_name(addr)),
            Label::Free { addr, kind: AllocKind::Stack } => {
                format!("leave({})", self.names.object_name(addr))
            }
        }
    }

    fn rmw(&self, access: Access, rmw: Rmw, succeeds: bool) -> String {
        match rmw {
            Rmw::None | Rmw::Merge { .. } => String::new(),
            Rmw::Fetch { op, operand, .. } => {
                format!(" ({} {})", op.name(), self.value(access, access.truncate(operand)))
            }
            Rmw::Cas { expected, desired, .. } => {
                let [expected, desired] =
                    [expected, desired].map(|value| self.value(access, access.truncate(value)));
                let fails = if succeeds { "" } else { ", fails" };
                format!(" (cas {expected} to {desired}{fails})")
            }
        }
    }
}

/// The order of the event in this execution: a failed CAS has its failure order.
pub fn order(event: &Event) -> Option<String> {
    match event.label {
        Label::Read { rmw: Rmw::Cas { failure_order, .. }, .. } if !event.exclusive => {
            Some(failure_order.to_string())
        }
        Label::Read { order, .. } => Some(order.to_string()),
        Label::Write { order, .. } => Some(order.to_string()),
        Label::Fence { order } => Some(order.to_string()),
        Label::Begin
        | Label::End
        | Label::Spawn { .. }
        | Label::Join { .. }
        | Label::Alloc { .. }
        | Label::Free { .. } => None,
    }
}

/// The kind of a label, for scripts.
pub fn kind(label: &Label) -> &'static str {
    match label {
        Label::Begin => "begin",
        Label::End => "end",
        Label::Read { .. } => "read",
        Label::Write { .. } => "write",
        Label::Fence { .. } => "fence",
        Label::Spawn { .. } => "spawn",
        Label::Join { .. } => "join",
        Label::Alloc { .. } => "alloc",
        Label::Free { .. } => "free",
    }
}
