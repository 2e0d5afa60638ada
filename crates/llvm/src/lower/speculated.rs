//! Values of optimised programs that may be unwritten ([`crate::speculated`]).
//!
//! Beside such a value there is its *shadow*, a value of the same type: a leaf of it is 1 if the leaf of the value is
//! unwritten, which is then zero, and otherwise 0. Operations that move leaves are done with the shadows, too.

use std::rc::Rc;

use atropos_event::{Gap, ReadOrder, WriteOrder};
use atropos_vm::instr::{BinaryOp, CompareOp};
use atropos_vm::ir::{SlotKind, StackSlot};
use atropos_vm::{Failure, Instr, Operand, Width};

use super::function::{Code, Phi};
use super::values::width_of;
use super::vectors::is_vector;
use crate::ast::{self, Block, Call, Op, Operator, Type, Typed, Value};
use crate::layout;
use crate::operands::{each_value, each_value_mut};
use crate::speculated::{Role, Speculated};
use crate::unwritten::Compiler;

/// The name of the shadow of a value; no name in LLVM IR contains a zero byte.
fn shadow_name(name: &str) -> Rc<str> {
    format!("\0unwritten {name}").into()
}

impl Code<'_, '_> {
    /// Finds what may be unwritten. Unoptimised programs load only what they use.
    pub(crate) fn prepare_speculated(&mut self, blocks: &[Block], compiler: Compiler) {
        if !compiler.optimises || compiler.is_rustc {
            return;
        }
        let is_used = |instr: &ast::Instr| {
            let result = instr.result.as_deref().unwrap_or_default();
            !instr.noundef && !self.carried.is_carried(result) && !self.reads.is_moved(result)
        };
        self.speculated = Speculated::of(blocks, is_used, |value| self.carried.is_carried(value));
    }

    /// Declares the shadow of a value, if it has one.
    pub(crate) fn declare_shadow(&mut self, name: &Rc<str>) {
        if self.speculated.contains(name) {
            let ty = self.locals.types[name].clone();
            let shadow = shadow_name(name);
            let n = layout::leaves(&ty).map_or(1, |leaves| leaves.len());
            let regs = (0..n).map(|_| Operand::Reg(self.code.register("unwritten"))).collect();
            self.locals.values.insert(shadow.clone(), regs);
            self.locals.types.insert(shadow, ty);
        }
    }

    /// The phi that chooses the shadow of a phi's value.
    pub(crate) fn shadow_phi(&self, name: &Rc<str>, (ty, incoming): &Phi) -> Option<(Rc<str>, Phi)> {
        self.speculated.contains(name).then(|| {
            let incoming = incoming.iter().map(|(value, from)| (self.shadow(value), from.clone()));
            (shadow_name(name), (ty.clone(), incoming.collect()))
        })
    }

    /// The shadow of a value: nothing of a value without one is unwritten.
    pub(crate) fn shadow(&self, value: &Value) -> Value {
        match value {
            Value::Local(name) if self.speculated.contains(name) => Value::Local(shadow_name(name)),
            _ => Value::Zero,
        }
    }

    /// An instruction of the program.
    pub(crate) fn instr(&mut self, instr: &ast::Instr) -> Result<(), Gap> {
        if self.speculated.is_empty() {
            return self.operation(instr);
        }
        if let (Op::Load { ty, ptr, .. }, Some(result)) = (&instr.op, &instr.result)
            && self.speculated.is_load(result)
        {
            self.require(ptr)?;
            return self.load_speculated(result, ty, ptr);
        }
        if !self.speculated.has_operand(&instr.op) {
            return self.operation(instr);
        }
        match (Role::of(&instr.op), &instr.result) {
            (Role::Moves, Some(result)) if self.speculated.contains(result) => {
                self.operation(instr)?;
                self.move_shadow(result, &instr.op)
            }
            (Role::Computes, Some(result)) => {
                self.compute_shadow(result, &instr.op)?;
                self.operation(instr)
            }
            (Role::Moves, _) => self.operation(instr),
            (Role::Stores, _) => {
                let Op::Store { value, ptr, .. } = &instr.op else { return self.operation(instr) };
                self.require(ptr)?;
                if self.variable(ptr).is_some() {
                    self.require(&value.value)?;
                }
                self.operation(instr)
            }
            _ => {
                self.require_operands(&instr.op)?;
                self.operation(instr)
            }
        }
    }

    fn load_speculated(&mut self, result: &Rc<str>, ty: &Type, ptr: &Value) -> Result<(), Gap> {
        let (dsts, shadows) = (self.dsts(Some(result)), self.dsts(Some(&shadow_name(result))));
        if let Some(variable) = self.variable(ptr) {
            let Value::Local(name) = ptr else { return Ok(()) };
            let flag = self.locals.flags.get(name).map_or(Operand::Const(1), |&flag| flag.into());
            for (&dst, &shadow) in dsts.iter().zip(&shadows) {
                self.code.assign(dst, variable);
                let unwritten = self.code.compare(CompareOp::Equal, Width::I64, flag, 0u64);
                self.code.assign(shadow, unwritten);
            }
            return Ok(());
        }
        let addr = self.operand_of(&Type::Ptr, ptr)?;
        self.check_bounds(ptr, addr, ty)?;
        let slot = self.frame.speculated.unwrap_or_else(|| self.fresh_slot("speculated"));
        self.frame.speculated = Some(slot);
        for ((leaf, dst), shadow) in layout::leaves(ty)?.iter().zip(dsts).zip(shadows) {
            let size = width_of(&leaf.ty)?.bits().div_ceil(8) as u8;
            let from = self.at(addr, leaf.offset);
            self.code.push(Instr::Copy { to: slot.into(), from, length: u64::from(size).into() });
            self.code.push(Instr::Unwritten { dst: shadow, size, addr: slot.into() });
            let done = self.code.fresh_target();
            self.code.assign(dst, 0u64);
            self.code.jump_if(shadow, done);
            self.load_scalar(dst, &leaf.ty, slot.into(), ReadOrder::NotAtomic)?;
            self.code.place(done);
        }
        Ok(())
    }

    fn fresh_slot(&mut self, name: &str) -> atropos_vm::SlotId {
        self.code.slot(StackSlot::new(name, 8, SlotKind::Fresh))
    }

    /// Stores a value that may be unwritten.
    pub(crate) fn put_speculated(&mut self, value: &Typed, addr: Operand) -> Result<(), Gap> {
        let shadows = self.operands(&value.ty, &self.shadow(&value.value))?;
        let leaves = layout::leaves(&value.ty)?;
        let values = self.operands(&value.ty, &value.value)?;
        for ((leaf, value), shadow) in leaves.iter().zip(values).zip(shadows) {
            let at = self.at(addr, leaf.offset);
            self.put_leaf(&leaf.ty, at, value, shadow)?;
        }
        Ok(())
    }

    /// Stores a leaf, or makes the memory unwritten.
    pub(crate) fn put_leaf(
        &mut self,
        ty: &Type,
        at: Operand,
        value: Operand,
        shadow: Operand,
    ) -> Result<(), Gap> {
        if shadow == Operand::Const(0) {
            return self.store_scalar(ty, at, value, WriteOrder::NotAtomic);
        }
        let never = self.frame.never.unwrap_or_else(|| self.fresh_slot("never written"));
        self.frame.never = Some(never);
        let (unwritten, done) = (self.code.fresh_target(), self.code.fresh_target());
        self.code.jump_if(shadow, unwritten);
        self.store_scalar(ty, at, value, WriteOrder::NotAtomic)?;
        self.code.jump(done);
        self.code.place(unwritten);
        let length = u64::from(width_of(ty)?.bits().div_ceil(8)).into();
        self.code.push(Instr::Copy { to: at, from: never.into(), length });
        self.code.place(done);
        Ok(())
    }

    /// The same operation with the shadows. Whatever a condition or an index that is unwritten chooses is unwritten.
    fn move_shadow(&mut self, result: &Rc<str>, op: &Op) -> Result<(), Gap> {
        let mut moved = op.clone();
        let chooser = match &mut moved {
            Op::Select { condition, then, otherwise } => {
                (then.value, otherwise.value) = (self.shadow(&then.value), self.shadow(&otherwise.value));
                Some(condition.clone())
            }
            Op::ExtractElement { vector, index } => {
                vector.value = self.shadow(&vector.value);
                Some(index.clone())
            }
            Op::InsertElement { vector, element, index } => {
                (vector.value, element.value) = (self.shadow(&vector.value), self.shadow(&element.value));
                Some(index.clone())
            }
            Op::ShuffleVector { left, right, .. } => {
                (left.value, *right) = (self.shadow(&left.value), self.shadow(right));
                None
            }
            other => {
                each_value_mut(other, &mut |value| *value = self.shadow(value));
                None
            }
        };
        let name = shadow_name(result);
        self.operation(&ast::Instr::made(Some(name.clone()), moved))?;
        if let Some(chooser) = chooser.filter(|chooser| self.shadow(&chooser.value) != Value::Zero) {
            let chosen = self.operands(&chooser.ty, &self.shadow(&chooser.value))?;
            let dsts = self.dsts(Some(&name));
            for (nth, dst) in dsts.into_iter().enumerate() {
                let flag = if is_vector(&chooser.ty) { chosen.get(nth) } else { chosen.first() };
                if let Some(&flag) = flag {
                    let sum = self.compute(BinaryOp::Or, Width::I64, dst, flag);
                    self.code.assign(dst, sum);
                }
            }
        }
        Ok(())
    }

    /// A leaf of the result is unwritten if the same leaf of an operand is, for vectors, or anything of an operand.
    fn compute_shadow(&mut self, result: &Rc<str>, op: &Op) -> Result<(), Gap> {
        if let Op::Binary { op: Operator::Int(logic @ (BinaryOp::And | BinaryOp::Or)), left, right } = op
            && left.ty == Type::Int(1)
        {
            return self.logic_shadow(result, *logic, &left.value, right);
        }
        let dsts = self.dsts(Some(&shadow_name(result)));
        let is_by_leaf = is_vector(&self.locals.types[result]);
        let mut shadows = Vec::new();
        each_value(op, &mut |value| match value {
            Value::Local(name) if self.speculated.contains(name) => {
                let leaves = self.locals.values.get(&shadow_name(name)).cloned();
                shadows.push((is_vector(&self.locals.types[name]), leaves.unwrap_or_default()));
            }
            _ => {}
        });
        let mut sums = vec![Operand::Const(0); dsts.len()];
        for (is_vector, leaves) in shadows {
            let all = match is_by_leaf && is_vector && leaves.len() == dsts.len() {
                true => leaves,
                false => vec![self.any(&leaves); dsts.len()],
            };
            for (sum, leaf) in sums.iter_mut().zip(all) {
                *sum = self.either_flag(*sum, leaf);
            }
        }
        dsts.into_iter().zip(sums).for_each(|(dst, sum)| self.code.assign(dst, sum));
        Ok(())
    }

    /// `and` and `or` of truth values: one operand may decide.
    fn logic_shadow(
        &mut self,
        result: &Rc<str>,
        op: BinaryOp,
        left: &Value,
        right: &Value,
    ) -> Result<(), Gap> {
        let dst = self.dst(Some(&shadow_name(result)))?;
        let mut undecided = Vec::new();
        for (one, other) in [(left, right), (right, left)] {
            let value = self.operand_of(&Type::Int(1), other)?;
            let leaves_open = match op {
                BinaryOp::And => value,
                _ => self.code.compare(CompareOp::Equal, Width::I8, value, 0u64).into(),
            };
            let is_other_unwritten = self.operand_of(&Type::Int(1), &self.shadow(other))?;
            let leaves_open = self.either_flag(leaves_open, is_other_unwritten);
            let is_unwritten = self.operand_of(&Type::Int(1), &self.shadow(one))?;
            undecided.push(self.compute(BinaryOp::And, Width::I64, is_unwritten, leaves_open));
        }
        let unwritten = self.any(&undecided);
        self.code.assign(dst, unwritten);
        Ok(())
    }

    fn any(&mut self, flags: &[Operand]) -> Operand {
        flags.iter().fold(Operand::Const(0), |sum, &flag| self.either_flag(sum, flag))
    }

    fn either_flag(&mut self, left: Operand, right: Operand) -> Operand {
        match (left, right) {
            (Operand::Const(0), other) | (other, Operand::Const(0)) => other,
            _ => self.compute(BinaryOp::Or, Width::I64, left, right),
        }
    }

    /// Fails if a value is unwritten.
    fn require(&mut self, value: &Value) -> Result<(), Gap> {
        let Value::Local(name) = value else { return Ok(()) };
        let Some(leaves) = self.locals.values.get(&shadow_name(name)).cloned() else { return Ok(()) };
        let unwritten = self.any(&leaves);
        let good = self.code.fresh_target();
        self.code.jump_unless(unwritten, good);
        self.code.fail(Failure::Uninitialised { variable: "memory".to_string() });
        self.code.place(good);
        Ok(())
    }

    /// Fails if an operation needs a value that is unwritten.
    fn require_operands(&mut self, op: &Op) -> Result<(), Gap> {
        match op {
            Op::Freeze(_) | Op::Phi { .. } => Ok(()),
            Op::Call(call) | Op::Invoke { call, .. } => self.require_arguments(call),
            op => {
                let mut values = Vec::new();
                each_value(op, &mut |value| values.push(value.clone()));
                values.iter().try_for_each(|value| self.require(value))
            }
        }
    }

    /// A function may get unwritten parts of structs. Of the intrinsics, those that access memory need their arguments.
    fn require_arguments(&mut self, call: &Call) -> Result<(), Gap> {
        self.require(&call.callee)?;
        let is_idle = match &call.callee {
            Value::Global(name) => {
                name.starts_with("llvm.")
                    && !name.starts_with("llvm.mem")
                    && !name.starts_with("llvm.masked.")
            }
            _ => false,
        };
        let is_memory = matches!(&call.callee, Value::Global(name) if name.starts_with("llvm."));
        for arg in &call.args {
            if !is_idle && (arg.noundef || is_memory) {
                self.require(&arg.value.value)?;
            }
        }
        Ok(())
    }
}
