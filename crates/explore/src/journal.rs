//! The log of a search: steps, choices, revisits, lessons, ends of executions.
//!
//! The facade is the `log` crate; the caller installs a logger or does not. A line has the name of the algorithm as its
//! target, or [`RESTART`]. Steps and choices have the level `trace`, everything else `debug`. While the log is off, a
//! line costs one load and one comparison: [`journal!`] composes it in a branch that is marked as cold.
//!
//! Lines name threads and events as the text form of a graph does, `0.1[3]`, and write labels as reports do, `W(x) rlx`.

use crate::host::Host;
use crate::learned::Lesson;
use atropos_event::{Access, Addr, AllocKind, BlockReason, EventId, Label, Rmw, Run, Step, ThreadId, Value};
use atropos_graph::{Event, Slot};
use log::Level;
use std::fmt;

/// The target of what makes a search start over.
pub const RESTART: &str = "restart";

#[inline(always)]
pub(crate) fn is_on(level: Level) -> bool {
    level <= log::max_level()
}

/// Logs a line, given as for `format!`, in the name of a [`Host`]'s algorithm.
macro_rules! journal {
    ($host:expr, $level:ident, $($line:tt)+) => {
        if $crate::journal::is_on(log::Level::$level) {
            $host.log(log::Level::$level, format_args!($($line)+));
        }
    };
}
pub(crate) use journal;

#[cold]
pub(crate) fn log_restart(line: fmt::Arguments<'_>) {
    log::debug!(target: RESTART, "{line}");
}

impl<R: Run> Host<'_, R> {
    #[cold]
    pub(crate) fn log(&self, level: Level, line: fmt::Arguments<'_>) {
        log::log!(target: self.name(), level, "{line}");
    }

    /// The name of an event: `0.1[3]`.
    pub(crate) fn spell(&self, event: EventId) -> String {
        format!("{}[{}]", self.run.key(event.thread()), event.index())
    }

    /// The name of the event at `slot`, or `init`.
    pub(crate) fn spell_slot(&self, slot: Slot) -> String {
        if slot.is_init() { "init".to_string() } else { self.spell(self.graph.event(slot).id) }
    }

    /// The names of several events.
    pub(crate) fn spell_all(&self, events: impl IntoIterator<Item = EventId>) -> String {
        let names: Vec<String> = events.into_iter().map(|event| self.spell(event)).collect();
        if names.is_empty() { "nothing".to_string() } else { names.join(" ") }
    }

    /// The event at `slot`, with its value and where that comes from.
    pub(crate) fn describe(&self, slot: Slot) -> String {
        let event = self.graph.event(slot);
        let from =
            if event.is_read() { format!(" from {}", self.spell_slot(event.rf)) } else { String::new() };
        format!("{}{}{from}", self.describe_next(event.id, &event.label), self.value(event))
    }

    /// An event with this label, without its value.
    pub(crate) fn describe_next(&self, event: EventId, label: &Label) -> String {
        format!("{} {}", self.spell(event), self.label(label))
    }

    fn value(&self, event: &Event) -> String {
        let access = event.label.access().filter(|_| event.is_read());
        access.map_or_else(String::new, |access| format!(" = {}", number(access, event.value)))
    }

    /// What a step does.
    pub(crate) fn label(&self, label: &Label) -> String {
        let name = |access: Access| self.program.name_of_access(access);
        match *label {
            Label::Begin => "begin".to_string(),
            Label::End => "end".to_string(),
            Label::Read { access, order, rmw } => {
                format!("R({}) {order}{}", name(access), change(access, rmw))
            }
            Label::Write { access, order, value, .. } => {
                format!("W({}) {order} = {}", name(access), number(access, value))
            }
            Label::Fence { order } => format!("F {order}"),
            Label::Spawn { child, .. } => format!("spawn {}", self.run.key(child)),
            Label::Join { child } => format!("join {}", self.run.key(child)),
            Label::Alloc { addr, size, kind: AllocKind::Heap } => format!("alloc({addr}, {size})"),
            Label::Alloc { addr, size, kind: AllocKind::Stack } => format!("enter({addr}, {size})"),
            Label::Free { addr, kind: AllocKind::Heap } => format!("free({addr})"),
            Label::Free { addr, kind: AllocKind::Stack } => format!("leave({addr})"),
        }
    }

    #[cold]
    pub(crate) fn log_lesson(&self, lesson: &Lesson) {
        let name = |addr: &Addr| self.program.name_of(*addr);
        match lesson {
            Lesson::Mutex(addr) => log_restart(format_args!("threads wait for the mutex {}", name(addr))),
            Lesson::Bypass(addr) => {
                log_restart(format_args!(
                    "threads communicate past the mutex {} while it is held",
                    name(addr)
                ));
            }
            Lesson::Irregular(access) => {
                let name = self.program.name_of_access(*access);
                log_restart(format_args!("threads wait for {name} but do not use it like a mutex"));
            }
            Lesson::ThreadOrder(order) => {
                let order: Vec<String> = order.iter().map(ToString::to_string).collect();
                log_restart(format_args!("a cheaper order of threads: {}", order.join(" ")));
            }
            Lesson::Observed(access) => {
                let name = self.program.name_of_access(*access);
                log_restart(format_args!("the order of the updates of {name} matters"));
            }
            Lesson::Synchronised(access) => {
                let name = self.program.name_of_access(*access);
                log_restart(format_args!("updates of {name} synchronise"));
            }
            Lesson::Party(party) => {
                let (name, n) = (self.program.name_of_access(party.access), party.members.len());
                log_restart(format_args!("the same {n} threads meet at {name}"));
            }
            Lesson::Crowd(access) => {
                let name = self.program.name_of_access(*access);
                log_restart(format_args!("the order of arrivals at {name} matters"));
            }
            Lesson::Together(mutex, names) => {
                let [first, second] = names.map(|(key, n)| format!("section {n} of thread {key}"));
                let name = self.program.name_of_access(*mutex);
                log_restart(format_args!("{first} and {second} of the mutex {name} have an order"));
            }
            Lesson::InOrder(mutex) => {
                let name = self.program.name_of_access(*mutex);
                log_restart(format_args!("the order of the sections of {name} matters"));
            }
            Lesson::Candidate(access, (key, _)) => {
                let name = self.program.name_of_access(*access);
                log_restart(format_args!("thread {key} may be the last owner of what {name} counts"));
            }
            Lesson::PartsNothing => log_restart(format_args!("the order of sections may matter")),
            Lesson::CountsNothing => log_restart(format_args!("the order of updates may matter")),
            Lesson::Distinct(parent) => {
                log_restart(format_args!("the children of thread {parent} are not interchangeable"));
            }
        }
    }

    /// Why `thread`, which has not ended, does not move.
    #[cold]
    pub(crate) fn log_stopped(&mut self, thread: ThreadId) {
        let why = match self.run.pending(thread) {
            Step::Blocked(BlockReason::Assume) => "stops at a failed assumption",
            Step::Blocked(BlockReason::Bound) => "stops at the loop bound",
            Step::Blocked(BlockReason::Exit) => "has ended the program",
            Step::Blocked(BlockReason::Retry) => "would try again with the value it saw",
            Step::Blocked(BlockReason::Spin { .. }) => "spins",
            Step::Blocked(BlockReason::Lock { .. }) => "waits for a lock",
            Step::Blocked(BlockReason::Wait { .. }) => "waits",
            Step::Do(Label::Join { .. }) => "waits to join",
            Step::Failed => "has failed",
            Step::Do(_) | Step::Finished | Step::Unsupported => "does not move",
        };
        self.log(Level::Debug, format_args!("thread {} {why}", self.run.key(thread)));
    }
}

/// What the read of a read-modify-write does besides.
fn change(access: Access, rmw: Rmw) -> String {
    let number = |value| spelled(access.part(), access.part().truncate(value));
    match rmw {
        Rmw::None | Rmw::Merge { .. } => String::new(),
        Rmw::Fetch { op, operand, .. } => format!(" ({} {})", op.name(), number(operand)),
        Rmw::Cas { expected, desired, .. } => format!(" (cas {} to {})", number(expected), number(desired)),
    }
}

/// What an access sees of `value`, which the bytes of its location have.
pub(crate) fn number(access: Access, value: Value) -> String {
    spelled(access.part(), access.narrow(value))
}

fn spelled(part: Access, value: Value) -> String {
    match part.is_wide() {
        true => part.bytes_of(value).iter().map(|byte| format!("{byte:02x}")).collect(),
        false => part.signed(value).to_string(),
    }
}
