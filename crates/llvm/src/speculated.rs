//! Loads that an optimiser has moved to where the program may not need them.
//!
//! An optimiser loads what is not written yet: it moves a load before a loop or a branch, loads a whole vector where some
//! elements count, and computes with the value before it knows whether that is needed. In optimised code, loading
//! unwritten memory and computing with it is therefore no error by itself. The result is as unwritten as the operands;
//! lowering keeps a flag beside each such value ([`crate::lower`]). It becomes an error where control or memory depends on
//! it: in a branch, as an address, as a divisor, in an atomic access, as an argument or as a result. Storing it makes the
//! memory unwritten again. `freeze` makes any value of it; the optimiser adds it where it branches too early.
//!
//! A load whose value is certainly needed is an error at once, and costs nothing: in the same block, and before any call
//! that may not return, it reaches such a place, or a store of something computed, by operations that depend on every
//! operand.

use std::collections::HashSet;
use std::rc::Rc;

use atropos_vm::instr::BinaryOp;

use crate::ast::{Block, Call, Instr, Op, Operator, Type, Value};
use crate::layout;
use crate::operands::each_value;

/// What may be unwritten in a function.
#[derive(Default)]
pub(crate) struct Speculated {
    loads: HashSet<Rc<str>>,
    values: HashSet<Rc<str>>,
}

impl Speculated {
    /// `is_used` says which loads count as uses of what they load, if not for an optimiser, `is_carried` which values stay
    /// in memory ([`crate::carried`]).
    pub(crate) fn of(
        blocks: &[Block],
        is_used: impl Fn(&Instr) -> bool,
        is_carried: impl Fn(&str) -> bool,
    ) -> Speculated {
        let mut found = Speculated::default();
        for block in blocks {
            for (nth, instr) in block.instrs.iter().enumerate() {
                if let (Op::Load { ty, order: None, ptr: Value::Local(_) }, Some(result)) =
                    (&instr.op, &instr.result)
                    && is_tracked(ty)
                    && is_used(instr)
                    && !is_needed(&block.instrs[nth + 1..], result)
                {
                    found.loads.insert(result.clone());
                    found.values.insert(result.clone());
                }
            }
        }
        let mut grows = !found.loads.is_empty();
        while grows {
            grows = false;
            for instr in blocks.iter().flat_map(|block| &block.instrs) {
                if let Some(result) = &instr.result
                    && !found.values.contains(result)
                    && !is_carried(result)
                    && Role::of(&instr.op) != Role::Use
                    && found.has_operand(&instr.op)
                {
                    found.values.insert(result.clone());
                    grows = true;
                }
            }
        }
        found
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(crate) fn is_load(&self, result: &str) -> bool {
        self.loads.contains(result)
    }

    /// Whether a value may be unwritten.
    pub(crate) fn contains(&self, value: &str) -> bool {
        self.values.contains(value)
    }

    /// Whether some operand may be unwritten.
    pub(crate) fn has_operand(&self, op: &Op) -> bool {
        let mut found = false;
        each_value(op, &mut |value| {
            found |= matches!(value, Value::Local(name) if self.contains(name));
        });
        found
    }
}

/// What an operation does with an unwritten operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It moves parts of its operands; its result is unwritten where they are.
    Moves,
    /// It computes; its result is unwritten if an operand is.
    Computes,
    /// It stores one operand; the other is an address.
    Stores,
    /// It needs its operands.
    Use,
}

impl Role {
    pub(crate) fn of(op: &Op) -> Role {
        match op {
            Op::Phi { .. }
            | Op::Select { .. }
            | Op::ShuffleVector { .. }
            | Op::InsertElement { .. }
            | Op::ExtractElement { .. }
            | Op::InsertValue { .. }
            | Op::ExtractValue { .. } => Role::Moves,
            Op::Binary { op, .. } if divides(*op) => Role::Use,
            Op::Binary { .. }
            | Op::FNeg(_)
            | Op::Cast { .. }
            | Op::Icmp { .. }
            | Op::Fcmp { .. }
            | Op::Gep { .. } => Role::Computes,
            Op::Call(call) if is_pure(call) => Role::Computes,
            Op::Store { value, order: None, .. } if is_tracked(&value.ty) => Role::Stores,
            _ => Role::Use,
        }
    }
}

/// Whether a type's parts can be unwritten one by one.
fn is_tracked(ty: &Type) -> bool {
    let is_access =
        |ty: &Type| layout::bits_of(ty).is_some_and(|bits| matches!(bits.div_ceil(8), 1 | 2 | 4 | 8));
    !layout::is_packed(ty)
        && !layout::is_huge(ty)
        && layout::leaves(ty).is_ok_and(|leaves| leaves.iter().all(|leaf| is_access(&leaf.ty)))
}

fn divides(op: Operator) -> bool {
    use BinaryOp::{SignedDiv, SignedRem, UnsignedDiv, UnsignedRem};
    matches!(op, Operator::Int(SignedDiv | SignedRem | UnsignedDiv | UnsignedRem))
}

/// Whether `value` is certainly needed by what follows it in its block.
fn is_needed(rest: &[Instr], value: &str) -> bool {
    let mut moved: HashSet<&str> = HashSet::from([value]);
    let mut computed: HashSet<&str> = HashSet::new();
    for instr in rest {
        let is_known = |other: &Value, known: &HashSet<&str>| matches!(other, Value::Local(name) if known.contains(&**name));
        let (mut has_moved, mut has_computed) = (false, false);
        each_value(&instr.op, &mut |operand| {
            has_moved |= is_known(operand, &moved);
            has_computed |= is_known(operand, &computed);
        });
        let has_operand = has_moved || has_computed;
        match (&instr.op, &instr.result) {
            // A choice need not take it, and neither must an operation of logic.
            (Op::Phi { .. } | Op::Select { .. } | Op::ShuffleVector { .. } | Op::InsertElement { .. }, _) => {
            }
            (Op::ExtractElement { .. } | Op::InsertValue { .. } | Op::ExtractValue { .. }, _) => {}
            (Op::Binary { op: Operator::Int(BinaryOp::And | BinaryOp::Or), .. }, _) => {}
            (Op::Freeze(_), _) => {}
            (Op::Cast { .. } | Op::Gep { .. }, Some(result)) if has_operand => {
                if has_moved {
                    moved.insert(result)
                } else {
                    computed.insert(result)
                };
            }
            (Op::Store { value, ptr, order: None }, _)
                if is_known(ptr, &moved) || is_known(ptr, &computed) || is_known(&value.value, &computed) =>
            {
                return true;
            }
            (op, _) if has_operand && Role::of(op) == Role::Use => return !is_idle_call(op),
            (_, Some(result)) if has_operand => {
                computed.insert(result);
            }
            (Op::Call(call) | Op::Invoke { call, .. }, _) if !is_intrinsic(call) => return false,
            _ => {}
        }
    }
    false
}

/// Whether a call may take an unwritten argument.
fn is_idle_call(op: &Op) -> bool {
    matches!(op, Op::Call(call) | Op::Invoke { call, .. } if call.args.iter().any(|arg| !arg.noundef))
}

fn is_intrinsic(call: &Call) -> bool {
    matches!(&call.callee, Value::Global(name) if name.starts_with("llvm."))
}

/// Whether a call only computes.
fn is_pure(call: &Call) -> bool {
    const NAMES: [&str; 44] = [
        "abs",
        "smax",
        "smin",
        "umax",
        "umin",
        "ctpop",
        "ctlz",
        "cttz",
        "bswap",
        "bitreverse",
        "fshl",
        "fshr",
        "sadd",
        "uadd",
        "ssub",
        "usub",
        "smul",
        "umul",
        "sshl",
        "ushl",
        "fabs",
        "sqrt",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "nearbyint",
        "round",
        "roundeven",
        "minnum",
        "maxnum",
        "minimum",
        "maximum",
        "copysign",
        "fma",
        "fmuladd",
        "is",
        "vector",
        "ptrmask",
        "fptosi",
        "fptoui",
        "canonicalize",
        "scmp",
        "ucmp",
    ];
    let Value::Global(name) = &call.callee else { return false };
    let word = name.strip_prefix("llvm.").and_then(|rest| rest.split('.').next());
    word.is_some_and(|word| NAMES.contains(&word))
}
