//! The operands of a violation for scripts: the object `operands` of docs/CLI.md.

use crate::names::Names;
use crate::operation::{outermost, readable};
use crate::words::{name, object_name};
use atropos_event::{Assertion, Awaited, Exception, Extent, JoinError, Misuse, ThreadKey, Violation, Wait};
use serde_json::{Map, Value, json};

/// The operands of the violation, with the names of the trace for objects and threads. `rank` numbers the threads.
pub fn operands(violation: &Violation, names: &Names<'_>, rank: &dyn Fn(ThreadKey) -> usize) -> Value {
    match violation {
        Violation::Assertion(Assertion::Message(text)) => json!({ "reason": "message", "text": text }),
        Violation::Assertion(Assertion::Condition(text)) => json!({ "reason": "condition", "text": text }),
        Violation::Assertion(Assertion::Call(function)) => json!({ "reason": "call", "text": function }),
        Violation::Race { bytes } => {
            json!({ "variable": names.name_of_access(*bytes), "size": bytes.part().size })
        }
        Violation::UseAfterFree { memory, end } => {
            json!({ "reason": end.name(), "variable": name(memory, names) })
        }
        Violation::DoubleFree { object } => json!({ "object": names.object_name(*object) }),
        Violation::InvalidFree { object, reason } => {
            json!({ "reason": reason.name(), "object": object_name(object, names) })
        }
        Violation::OutOfBounds { size, at, object } => {
            let mut operands = with_reason("out-of-bounds", [("size", json!(size))]);
            if let Some(at) = at {
                operands.insert("variable".to_string(), json!(name(at, names)));
            }
            if let Some(Extent { object, size }) = object {
                operands.insert("object".to_string(), json!(object_name(object, names)));
                let header = object.addr().map_or(0, |start| names.header_at(start));
                operands.insert("object_size".to_string(), json!(size.saturating_sub(header)));
            }
            Value::Object(operands)
        }
        Violation::AccessBeforeAllocation { memory, object } => json!({
            "reason": "before-allocation",
            "variable": name(memory, names),
            "object": names.object_name(*object),
        }),
        Violation::NullPointer { addr } => json!({ "reason": "null-pointer", "address": addr.to_string() }),
        Violation::ConstantWritten { memory } => {
            json!({ "reason": "constant-written", "variable": name(memory, names) })
        }
        Violation::Misaligned { memory, size } => {
            json!({ "reason": "misaligned", "variable": name(memory, names), "size": size })
        }
        Violation::NotAFunction { addr } => {
            json!({ "reason": "not-a-function", "address": addr.to_string() })
        }
        Violation::MissingArguments => json!({ "reason": "missing-arguments" }),
        Violation::Uninitialised { memory } => json!({ "variable": name(memory, names) }),
        Violation::Leak { object, size } => {
            let size = size.saturating_sub(names.header_at(*object));
            json!({ "object": names.object_name(*object), "size": size })
        }
        Violation::Deadlock { waits } | Violation::NonTermination { waits } => {
            let waits: Vec<Value> = waits.iter().map(|wait| wait_operands(wait, names, rank)).collect();
            json!({ "waits": waits })
        }
        Violation::LockMisuse(misuse) => misuse_operands(misuse, names),
        Violation::InvalidJoin(error) => match error {
            JoinError::NotAThread { handle } => {
                json!({ "reason": error.name(), "handle": format!("{handle:#x}") })
            }
            JoinError::Itself | JoinError::NotJoinable => json!({ "reason": error.name() }),
        },
        Violation::UncaughtException(Exception { name, thrower, what }) => {
            json!({ "exception": name, "thrower": thrower, "what": what })
        }
        Violation::Abort { cause } => json!({ "reason": cause.name() }),
        Violation::Flag { name } => json!({ "flag": name }),
        Violation::DivisionByZero | Violation::QuotientOverflow | Violation::Unreachable => json!({}),
    }
}

fn with_reason<const N: usize>(reason: &str, more: [(&str, Value); N]) -> Map<String, Value> {
    let reason = [("reason", json!(reason))].into_iter();
    reason.chain(more).map(|(key, value)| (key.to_string(), value)).collect()
}

fn wait_operands(wait: &Wait, names: &Names<'_>, rank: &dyn Fn(ThreadKey) -> usize) -> Value {
    let name_of = |thread| names.name_of_thread(thread, rank(thread));
    let thread = name_of(wait.thread);
    match &wait.awaited {
        Awaited::Values { reason, bytes, calls } => {
            let variables: Vec<String> = bytes.iter().map(|&bytes| names.name_of_access(bytes)).collect();
            let call = outermost(calls);
            json!({
                "thread": thread,
                "for": reason.name(),
                "variables": variables,
                "call": call.map(|call| readable(&call.function)),
                "object": call.map(|call| names.object_name(call.object)),
            })
        }
        Awaited::End(child) => json!({ "thread": thread, "for": "join", "joins": name_of(*child) }),
    }
}

fn misuse_operands(misuse: &Misuse, names: &Names<'_>) -> Value {
    let Misuse { call, class, object, reason } = misuse;
    let object = object.as_ref().map(|object| object_name(object, names));
    json!({ "reason": reason.name(), "call": call.as_deref().map(readable), "class": class.name(), "object": object })
}
