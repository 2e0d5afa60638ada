//! The text form of canonical values; printing and parsing are inverse to each other.
//!
//! ```text
//! thread 0 finished
//!   spawn 0.1
//!   write 0x10/4 1 rlx
//!   join 0.1
//!   end
//! thread 0.1 finished
//!   begin
//!   read 0x10/4 1 acq from 0[1]
//!   update 0x20/4 0 acq from init by add 1 rel
//!   write 0x20/4 1 rel exclusive
//!   fence sc
//!   end
//! co 0x10/4 0[1]
//! co 0x20/4 0.1[3]
//! ```
//!
//! An access is written `address/size`, an event `thread[index]`. The values of reads and writes are decimal; those of
//! more than eight bytes are `#` and the bytes in hexadecimal. A read that is part of a read-modify-write is an
//! `update` if it succeeds and an `attempt` if not, followed by its operation: `by add 1 rel`, `by cas 0 1 rel rlx`
//! (expected, desired, orders of the write and of the failure), `by merge 7 rlx` (a store of 7 to a part). An access to
//! a part of its bytes has the part after a colon: `0x10/4:0x12/1`. The sources of `begin` and `join` are omitted,
//! because they are unique.

use crate::canonical::{Canonical, CanonicalEvent, CanonicalThread, Status};
use atropos_event::{Access, AllocKind, BlockReason, EventId, Label, Rmw, ThreadId, Value};
use std::fmt;

mod parse;
pub use parse::place_of;

#[cfg(test)]
mod tests;

impl fmt::Display for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for thread in &self.threads {
            writeln!(f, "thread {} {}", thread.key, thread.status)?;
            for event in &thread.events {
                write!(f, "  ")?;
                self.write_event(f, event)?;
                writeln!(f)?;
            }
        }
        for (access, writes) in &self.co {
            write!(f, "co {}", Bytes(*access))?;
            for &write in writes {
                write!(f, " {}", self.name(write))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Canonical {
    /// The name of an event: `0.1[3]`.
    pub fn name(&self, id: EventId) -> EventName<'_> {
        EventName { thread: &self.threads[id.thread().index()], index: id.index() }
    }

    /// An event as one line of the text form.
    pub fn describe(&self, id: EventId) -> String {
        struct Line<'a>(&'a Canonical, &'a CanonicalEvent);
        impl fmt::Display for Line<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write_event(f, self.1)
            }
        }
        Line(self, self.event(id)).to_string()
    }

    fn write_event(&self, f: &mut fmt::Formatter<'_>, event: &CanonicalEvent) -> fmt::Result {
        let key = |thread: ThreadId| self.threads[thread.index()].key;
        match event.label {
            Label::Begin => write!(f, "begin"),
            Label::End => write!(f, "end"),
            Label::Spawn { child, drains: true } => write!(f, "spawn {}", key(child)),
            Label::Spawn { child, drains: false } => write!(f, "spawn.weak {}", key(child)),
            Label::Join { child } => write!(f, "join {}", key(child)),
            Label::Fence { order } => write!(f, "fence {order}"),
            Label::Alloc { addr, size, kind } => write!(f, "alloc {addr} {size} {}", name_of_kind(kind)),
            Label::Free { addr, kind } => write!(f, "free {addr} {}", name_of_kind(kind)),
            Label::Write { access, order, value, exclusive } => {
                write!(
                    f,
                    "write {} {} {order}{}",
                    Bytes(access),
                    Number(access, value),
                    if exclusive { " exclusive" } else { "" }
                )
            }
            Label::Read { access, order, rmw } => {
                let verb = match (rmw, event.exclusive) {
                    (Rmw::None, _) => "read",
                    (_, true) => "update",
                    (_, false) => "attempt",
                };
                write!(f, "{verb} {} {} {order} from ", Bytes(access), Number(access, event.value))?;
                match event.source {
                    Some(source) => write!(f, "{}", self.name(source))?,
                    None => write!(f, "init")?,
                }
                match rmw {
                    Rmw::None => Ok(()),
                    Rmw::Fetch { op, operand, write_order } => {
                        write!(f, " by {} {operand} {write_order}", op.name())
                    }
                    Rmw::Cas { expected, desired, write_order, failure_order } => {
                        write!(f, " by cas {expected} {desired} {write_order} {failure_order}")
                    }
                    Rmw::Merge { value, write_order } => {
                        write!(f, " by merge {} {write_order}", Number(access.part(), value))
                    }
                }
            }
        }
    }
}

/// See [`Canonical::name`].
#[derive(Clone, Copy, Debug)]
pub struct EventName<'a> {
    thread: &'a CanonicalThread,
    index: usize,
}

impl fmt::Display for EventName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.thread.key, self.index)
    }
}

/// An access as `address/size`, with the part if it does not touch all bytes.
struct Bytes(Access);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0.addr, self.0.size)?;
        match self.0.is_whole() {
            true => Ok(()),
            false => write!(f, ":{}/{}", self.0.part().addr, self.0.part().size),
        }
    }
}

/// A value of these bytes.
struct Number(Access, Value);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Number(access, value) = self;
        if !access.is_wide() {
            return write!(f, "{value}");
        }
        write!(f, "#")?;
        access.bytes_of(value).iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

fn name_of_kind(kind: AllocKind) -> &'static str {
    match kind {
        AllocKind::Heap => "heap",
        AllocKind::Stack => "stack",
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Finished => write!(f, "finished"),
            Status::Unfinished => write!(f, "unfinished"),
            Status::Joining => write!(f, "joining"),
            Status::Failed => write!(f, "failed"),
            Status::Blocked(BlockReason::Assume) => write!(f, "assume"),
            Status::Blocked(BlockReason::Bound) => write!(f, "bound"),
            Status::Blocked(BlockReason::Exit) => write!(f, "exit"),
            Status::Blocked(BlockReason::Retry) => write!(f, "retry"),
            Status::Blocked(BlockReason::Spin { reads }) => write!(f, "spin {reads}"),
            Status::Blocked(BlockReason::Lock { reads }) => write!(f, "lock {reads}"),
            Status::Blocked(BlockReason::Wait { reads }) => write!(f, "wait {reads}"),
        }
    }
}
