//! Attributes of POSIX objects. Values that are set can be read again; few of them have an effect.
//!
//! An attributes object is one word: its kind in the high bits, its fields in the low ones. So each function knows
//! whether the object is initialised and of the right kind. Attributes without an effect on executions are accepted;
//! those with an effect that is not modelled are refused by name.

use atropos_event::GapKind;
use std::fmt::Write;

struct AttributeField {
    name: &'static str,
    shift: u32,
    /// The valid values are `first` to `last`; for others, the function returns `error`.
    first: u32,
    last: u32,
    error: u32,
    /// A value that the library does not model, and why.
    refused: Option<(u32, GapKind)>,
}

struct AttributeKind {
    name: &'static str,
    mark: u32,
    fields: &'static [AttributeField],
}

const EINVAL: u32 = 22;
const ENOTSUP: u32 = 95;
const DESTROYED: u32 = 0xdead;

const fn field(name: &'static str, shift: u32, last: u32) -> AttributeField {
    AttributeField { name, shift, first: 0, last, error: EINVAL, refused: None }
}

const KINDS: [AttributeKind; 5] = [
    AttributeKind {
        name: "pthread_mutexattr",
        mark: 0x4d41,
        fields: &[
            field("type", 0, 3),
            field("pshared", 2, 1),
            field("protocol", 3, 2),
            field("robust", 5, 1),
            AttributeField { first: 1, ..field("prioceiling", 8, 99) },
        ],
    },
    AttributeKind {
        name: "pthread_condattr",
        mark: 0x4341,
        fields: &[field("clock", 0, 1), field("pshared", 2, 1)],
    },
    AttributeKind {
        name: "pthread_rwlockattr",
        mark: 0x5241,
        fields: &[
            AttributeField { refused: Some((2, GapKind::WriterPreference)), ..field("kind_np", 0, 2) },
            field("pshared", 2, 1),
        ],
    },
    AttributeKind { name: "pthread_barrierattr", mark: 0x4241, fields: &[field("pshared", 2, 1)] },
    AttributeKind {
        name: "pthread_attr",
        mark: 0x5441,
        fields: &[
            field("detachstate", 0, 1),
            AttributeField { error: ENOTSUP, ..field("scope", 1, 0) },
            field("inheritsched", 2, 1),
            field("schedpolicy", 3, 2),
        ],
    },
];

/// Functions that make, change, read and destroy attributes.
pub(crate) fn text() -> String {
    let mut text = include_str!("attributes.vm").to_string();
    for kind in &KINDS {
        write_life(&mut text, kind).expect("strings take everything");
        for field in kind.fields {
            write_field(&mut text, kind, field).expect("strings take everything");
        }
    }
    text
}

fn write_life(text: &mut String, kind: &AttributeKind) -> std::fmt::Result {
    let AttributeKind { name, mark, .. } = kind;
    // Thread attributes have more than one word.
    if *name != "pthread_attr" {
        write!(
            text,
            "fn {name}_init(attributes) {{
               store.i32 attributes, {}
               return 0
             }}
             ",
            mark << 16
        )?;
    }
    write!(
        text,
        "fn {name}_destroy(attributes) {{
           word = call `check {name}`(attributes)
           store.i32 attributes, {}
           return 0
         }}
         fn `check {name}`(attributes) {{
           word = load.i32 attributes
           mark = lshr.i32 word, 16
           known = eq.i32 mark, {mark}
           if not known goto misuse
           return word
         misuse:
           fail misuse, attributes, destroyed_or_not_initialised, attributes
         }}
         ",
        DESTROYED << 16
    )
}

fn write_field(text: &mut String, kind: &AttributeKind, field: &AttributeField) -> std::fmt::Result {
    let AttributeField { name, shift, first, last, error, refused } = field;
    let mask = (last + 1).next_power_of_two() - 1;
    let others = !(mask << shift);
    let (refused, gap) = refused.unwrap_or((u32::MAX, GapKind::WriterPreference));
    let gap = gap.name().replace('-', "_");
    write!(
        text,
        "fn {kind}_set{name}(attributes, value) {{
           word = call `check {kind}`(attributes)
           low = ult.i32 value, {first}
           if low goto invalid
           high = ugt.i32 value, {last}
           if high goto invalid
           unknown = eq.i32 value, {refused}
           if unknown goto refused
           value = and.i64 value, {mask}
           value = shl.i32 value, {shift}
           word = and.i32 word, {others}
           word = or.i32 word, value
           store.i32 attributes, word
           return 0
         invalid:
           return {error}
         refused:
           unsupported {gap}, \"{kind}_set{name}\"
         }}
         fn {kind}_get{name}(attributes, out) {{
           word = call `check {kind}`(attributes)
           value = lshr.i32 word, {shift}
           value = and.i32 value, {mask}
           less = ult.i32 value, {first}
           value = select less, {first}, value
           store.i32 out, value
           return 0
         }}
         ",
        kind = kind.name,
    )
}
