//! Labels in the program's own terms: `W(x) rel`, `R(head) acq`, `spawn P0`.

use crate::names::{Names, Pointee};
use atropos_event::{Access, Addr, AllocKind, FenceOrder, Label, ReadOrder, Rmw, Value, WriteOrder};
use atropos_graph::Event;
use std::fmt;

/// A value that is read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceValue {
    /// It as a signed number.
    pub number: i64,
    pub text: String,
    /// What it points to, if it is the address of something with a name.
    pub pointee: Option<Pointee>,
}

/// Writes numbers and names for reports.
pub struct Speaker<'a> {
    pub names: Names<'a>,
}

impl Speaker<'_> {
    /// A value of the width of `access`: signed, or the name of the object at that address.
    pub fn value(&self, access: Access, value: Value) -> String {
        self.trace_value(access, value).text
    }

    pub fn trace_value(&self, access: Access, value: Value) -> TraceValue {
        let number = access.signed(value);
        if access.is_wide() {
            let bytes: Vec<String> =
                access.bytes_of(value).iter().map(|byte| format!("{byte:02x}")).collect();
            return TraceValue { number, text: bytes.join(" "), pointee: None };
        }
        let may_be_address = access.size == 8 && value != 0;
        match may_be_address.then(|| self.names.pointee(Addr(value))).flatten() {
            Some((name, pointee)) => TraceValue { number, text: format!("&{name}"), pointee: Some(pointee) },
            None => TraceValue { number, text: number.to_string(), pointee: None },
        }
    }

    /// What an event does, without its value. `thread` names the thread that a `Spawn` or `Join` concerns.
    pub fn label(&self, event: &Event, thread: &str) -> String {
        match event.label {
            Label::Begin => "begin".to_string(),
            Label::End => "end".to_string(),
            Label::Read { access, rmw, .. } => {
                let (order, name) =
                    (order(event).map(|order| order.to_string()), self.names.name_of_access(access));
                let order = order.unwrap_or_default();
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

/// The order of an access or a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventOrder {
    Read(ReadOrder),
    Write(WriteOrder),
    Fence(FenceOrder),
}

impl EventOrder {
    pub fn is_atomic(self) -> bool {
        match self {
            EventOrder::Read(order) => order.is_atomic(),
            EventOrder::Write(order) => order.is_atomic(),
            EventOrder::Fence(_) => true,
        }
    }
}

impl fmt::Display for EventOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventOrder::Read(order) => order.fmt(f),
            EventOrder::Write(order) => order.fmt(f),
            EventOrder::Fence(order) => order.fmt(f),
        }
    }
}

/// The order of the event in this execution: a failed CAS has its failure order.
pub fn order(event: &Event) -> Option<EventOrder> {
    match event.label {
        Label::Read { rmw: Rmw::Cas { failure_order, .. }, .. } if !event.exclusive => {
            Some(EventOrder::Read(failure_order))
        }
        Label::Read { order, .. } => Some(EventOrder::Read(order)),
        Label::Write { order, .. } => Some(EventOrder::Write(order)),
        Label::Fence { order } => Some(EventOrder::Fence(order)),
        Label::Begin
        | Label::End
        | Label::Spawn { .. }
        | Label::Join { .. }
        | Label::Alloc { .. }
        | Label::Free { .. } => None,
    }
}

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    Begin,
    End,
    Read,
    Write,
    Fence,
    Spawn,
    Join,
    Alloc,
    Free,
}

impl EventKind {
    pub fn of(label: &Label) -> EventKind {
        match label {
            Label::Begin => EventKind::Begin,
            Label::End => EventKind::End,
            Label::Read { .. } => EventKind::Read,
            Label::Write { .. } => EventKind::Write,
            Label::Fence { .. } => EventKind::Fence,
            Label::Spawn { .. } => EventKind::Spawn,
            Label::Join { .. } => EventKind::Join,
            Label::Alloc { .. } => EventKind::Alloc,
            Label::Free { .. } => EventKind::Free,
        }
    }

    /// The name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Begin => "begin",
            EventKind::End => "end",
            EventKind::Read => "read",
            EventKind::Write => "write",
            EventKind::Fence => "fence",
            EventKind::Spawn => "spawn",
            EventKind::Join => "join",
            EventKind::Alloc => "alloc",
            EventKind::Free => "free",
        }
    }
}
