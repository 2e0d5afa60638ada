//! The registers, operands and targets of each instruction, in one place for all analyses and checks.

use crate::instr::Instr;
use crate::ir::{Operand, Reg, Target};

impl Instr {
    pub fn visit_operands(&self, visit: &mut dyn FnMut(Operand)) {
        match self {
            Instr::Move { value, .. }
            | Instr::Unary { value, .. }
            | Instr::Cast { value, .. }
            | Instr::FloatUnary { value, .. }
            | Instr::Convert { value, .. }
            | Instr::FloatResize { value, .. }
            | Instr::Switch { value, .. } => visit(*value),
            Instr::Binary { left, right, .. }
            | Instr::Compare { left, right, .. }
            | Instr::FloatBinary { left, right, .. }
            | Instr::FloatCompare { left, right, .. } => [*left, *right].into_iter().for_each(visit),
            Instr::CompareBytes { left, right, length: third, .. }
            | Instr::Fused { left, right, addend: third, .. } => {
                [*left, *right, *third].into_iter().for_each(visit)
            }
            Instr::Select { condition, then, otherwise, .. } => {
                [*condition, *then, *otherwise].into_iter().for_each(visit)
            }
            Instr::Address { base, index, .. } => [*base, *index].into_iter().for_each(visit),
            Instr::Load { addr, .. } | Instr::Free { addr, .. } => visit(*addr),
            Instr::Store { addr, value, .. } => [*addr, *value].into_iter().for_each(visit),
            Instr::Rmw { addr, operand, .. } => [*addr, *operand].into_iter().for_each(visit),
            Instr::Cas { addr, expected, desired, .. } => {
                [*addr, *expected, *desired].into_iter().for_each(visit)
            }
            Instr::Alloc { size, align, .. } => [*size, *align].into_iter().for_each(visit),
            Instr::Copy { to, from, length } => [*to, *from, *length].into_iter().for_each(visit),
            Instr::Fill { to, byte, length } => [*to, *byte, *length].into_iter().for_each(visit),
            Instr::Call { function, args, .. } | Instr::Spawn { function, args, .. } => {
                visit(*function);
                args.iter().copied().for_each(visit);
            }
            Instr::Return { value } | Instr::ExitThread { value } => value.iter().copied().for_each(visit),
            Instr::Join { handle, .. } | Instr::Detach { handle } | Instr::Offered { handle, .. } => {
                visit(*handle)
            }
            Instr::SetWord { value } => visit(*value),
            Instr::Pack { from, .. } => visit(*from),
            Instr::Unwritten { addr, .. } => visit(*addr),
            Instr::Unpack { to, value, .. } => [*to, *value].into_iter().for_each(visit),
            Instr::Format { to, value, spec, width, precision, .. } => {
                [*to, *value, *spec, *width, *precision].into_iter().for_each(visit);
            }
            Instr::Print { from, length } | Instr::ParseFloat { from, length, .. } => {
                [*from, *length].into_iter().for_each(visit)
            }
            Instr::Branch { condition, .. }
            | Instr::Assume { condition }
            | Instr::Assert { condition, .. }
            | Instr::Await { condition, .. } => visit(*condition),
            Instr::Lock { mutex, .. } | Instr::TryLock { mutex, .. } | Instr::Unlock { mutex, .. } => {
                visit(*mutex)
            }
            Instr::Hold { object } | Instr::LetGo { object } | Instr::Holds { object, .. } => visit(*object),
            Instr::Peek { addr, .. } => visit(*addr),
            Instr::Fail { failure } => failure.operands().for_each(visit),
            Instr::Fence { .. }
            | Instr::Jump { .. }
            | Instr::Current { .. }
            | Instr::NextChild { .. }
            | Instr::Word { .. }
            | Instr::Halt
            | Instr::EnterSection
            | Instr::LeaveSection
            | Instr::Unsupported { .. } => {}
        }
    }

    pub fn visit_results(&self, visit: &mut dyn FnMut(Reg)) {
        match self {
            Instr::Move { dst, .. }
            | Instr::Binary { dst, .. }
            | Instr::Unary { dst, .. }
            | Instr::Compare { dst, .. }
            | Instr::Cast { dst, .. }
            | Instr::Select { dst, .. }
            | Instr::Address { dst, .. }
            | Instr::FloatBinary { dst, .. }
            | Instr::FloatUnary { dst, .. }
            | Instr::Fused { dst, .. }
            | Instr::FloatCompare { dst, .. }
            | Instr::Convert { dst, .. }
            | Instr::FloatResize { dst, .. }
            | Instr::Load { dst, .. }
            | Instr::Alloc { dst, .. }
            | Instr::CompareBytes { dst, .. }
            | Instr::Current { dst }
            | Instr::NextChild { dst }
            | Instr::Offered { dst, .. }
            | Instr::Word { dst }
            | Instr::Pack { dst, .. }
            | Instr::Unwritten { dst, .. }
            | Instr::Format { dst, .. }
            | Instr::ParseFloat { dst, .. }
            | Instr::Holds { dst, .. }
            | Instr::Peek { dst, .. }
            | Instr::TryLock { dst, .. } => visit(*dst),
            Instr::Rmw { dst, .. }
            | Instr::Call { dst, .. }
            | Instr::Spawn { dst, .. }
            | Instr::Join { dst, .. } => dst.iter().copied().for_each(visit),
            Instr::Cas { old, success, .. } => old.iter().chain(success).copied().for_each(visit),
            Instr::Store { .. }
            | Instr::Fence { .. }
            | Instr::Free { .. }
            | Instr::Copy { .. }
            | Instr::Fill { .. }
            | Instr::Jump { .. }
            | Instr::Branch { .. }
            | Instr::Switch { .. }
            | Instr::Return { .. }
            | Instr::ExitThread { .. }
            | Instr::Halt
            | Instr::EnterSection
            | Instr::LeaveSection
            | Instr::SetWord { .. }
            | Instr::Unpack { .. }
            | Instr::Print { .. }
            | Instr::Assume { .. }
            | Instr::Assert { .. }
            | Instr::Fail { .. }
            | Instr::Await { .. }
            | Instr::Unsupported { .. }
            | Instr::Lock { .. }
            | Instr::Detach { .. }
            | Instr::Hold { .. }
            | Instr::LetGo { .. }
            | Instr::Unlock { .. } => {}
        }
    }

    pub fn visit_targets(&self, visit: &mut dyn FnMut(Target)) {
        match self {
            Instr::Jump { to } | Instr::Branch { to, .. } => visit(*to),
            Instr::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, to)| visit(*to));
                visit(*default);
            }
            _ => {}
        }
    }
}
