//! The operands of operations, to look at or to replace.

use crate::ast::{Op, Value};

/// Defines a function that visits every operand, by reference or by mutable reference.
macro_rules! visitor {
    ($(#[$doc:meta])* $name:ident $(, $mutable:ident)?) => {
        $(#[$doc])*
        pub(crate) fn $name<'o>(op: &'o $($mutable)? Op, visit: &mut dyn FnMut(&'o $($mutable)? Value)) {
            match op {
                Op::Ret(Some(value))
                | Op::Switch { value, .. }
                | Op::FNeg(value)
                | Op::Cast { value, .. }
                | Op::Freeze(value)
                | Op::Resume(value)
                | Op::ExtractValue { aggregate: value, .. }
                | Op::Alloca { count: Some(value), .. } => visit(&$($mutable)? value.value),
                Op::CondBr { condition: value, .. } | Op::Load { ptr: value, .. } => visit(value),
                Op::ExtractElement { vector: first, index: second }
                | Op::InsertValue { aggregate: first, element: second, .. } => {
                    visit(&$($mutable)? first.value);
                    visit(&$($mutable)? second.value);
                }
                Op::InsertElement { vector: first, element: second, index: third }
                | Op::Select { condition: first, then: second, otherwise: third } => {
                    visit(&$($mutable)? first.value);
                    visit(&$($mutable)? second.value);
                    visit(&$($mutable)? third.value);
                }
                Op::ShuffleVector { left, right, mask } => {
                    visit(&$($mutable)? left.value);
                    visit(right);
                    visit(&$($mutable)? mask.value);
                }
                Op::Binary { left, right, .. }
                | Op::Icmp { left, right, .. }
                | Op::Fcmp { left, right, .. }
                | Op::Store { value: left, ptr: right, .. } => {
                    visit(&$($mutable)? left.value);
                    visit(right);
                }
                Op::CmpXchg { ptr, expected, desired, .. } => {
                    visit(ptr);
                    visit(&$($mutable)? expected.value);
                    visit(desired);
                }
                Op::Rmw { ptr, operand, .. } => {
                    visit(ptr);
                    visit(&$($mutable)? operand.value);
                }
                Op::Gep { args, .. } => {
                    for arg in args {
                        visit(&$($mutable)? arg.value);
                    }
                }
                Op::Phi { incoming, .. } => {
                    for (value, _) in incoming {
                        visit(value);
                    }
                }
                Op::Call(call) | Op::Invoke { call, .. } => {
                    visit(&$($mutable)? call.callee);
                    for arg in &$($mutable)? call.args {
                        visit(&$($mutable)? arg.value.value);
                    }
                }
                Op::Ret(None)
                | Op::Alloca { count: None, .. }
                | Op::Br(_)
                | Op::Unreachable
                | Op::Fence { .. }
                | Op::LandingPad { .. }
                | Op::NotModelled(_) => {}
            }
        }
    };
}

visitor!(
    /// Visits every operand of an operation.
    each_value
);

visitor!(
    /// Visits every operand of an operation, which may be replaced.
    each_value_mut, mut
);
