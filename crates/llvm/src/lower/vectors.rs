//! Vectors: values whose elements are their leaves. An operation on vectors is the operation on each of its elements.

use std::rc::Rc;

use atropos_event::{Gap, GapKind};
use atropos_vm::instr::{BinaryOp, CompareOp, FloatBinaryOp};
use atropos_vm::{Instr, Operand, Reg, Width};

use super::function::Code;
use super::values::width_of;
use crate::ast::{self, Arg, Call, Cast, Op, Operator, Type, Typed, Value};
use crate::layout;

pub(super) fn is_vector(ty: &Type) -> bool {
    matches!(ty, Type::Vector(..))
}

pub(super) fn vector_length(ty: &Type) -> Option<u64> {
    match ty {
        Type::Vector(n, _) => Some(*n),
        _ => None,
    }
}

/// Whether an instruction works on the elements of vectors.
pub(crate) fn is_vector_operation(op: &Op) -> bool {
    match op {
        Op::Binary { left, .. } | Op::FNeg(left) | Op::Icmp { left, .. } | Op::Fcmp { left, .. } => {
            is_vector(&left.ty)
        }
        Op::Cast { value, to, .. } => is_vector(&value.ty) || is_vector(to),
        Op::Select { condition, .. } => is_vector(&condition.ty),
        Op::Gep { args, .. } => args.iter().any(|arg| is_vector(&arg.ty)),
        Op::Load { ty, .. } => layout::is_packed(ty),
        Op::Store { value, .. } => layout::is_packed(&value.ty),
        Op::ExtractElement { .. } | Op::InsertElement { .. } | Op::ShuffleVector { .. } => true,
        _ => false,
    }
}

/// The number and the type of a vector's elements.
pub(super) fn elements_of(ty: &Type) -> Result<(usize, Type), Gap> {
    match ty {
        Type::Vector(n, element) => Ok((*n as usize, (**element).clone())),
        _ => Err(GapKind::WrongType.into()),
    }
}

/// The integer that a packed vector is in memory.
fn whole_of(ty: &Type) -> Result<Type, Gap> {
    let bits = layout::extent_of(ty)?.checked_mul(8).and_then(|bits| u32::try_from(bits).ok());
    Ok(Type::Int(bits.ok_or(GapKind::ArrayTooBig)?))
}

/// Names for operands and the result of one element; no name in LLVM IR contains a zero byte.
const NAMES: [&str; 8] =
    ["\0first", "\0second", "\0third", "\0fourth", "\0fifth", "\0sixth", "\0seventh", "\0eighth"];
const RESULT: &str = "\0element";

impl Code<'_, '_> {
    pub(crate) fn vector_operation(&mut self, result: Option<&Rc<str>>, op: &Op) -> Result<(), Gap> {
        if let Some(&slot) = result.and_then(|name| self.frame.carried_in.get(name)) {
            return self.move_elements(slot, op);
        }
        match op {
            Op::ExtractElement { vector, index } => match self.carried_in(&vector.value) {
                Some(slot) => self.take_element(result, &vector.ty, slot, index)?,
                None => {
                    let elements = self.elements(vector)?;
                    let element = self.choose(&elements, index)?;
                    self.assign_all(result, element);
                }
            },
            Op::InsertElement { vector, element, index } => self.insert(result, vector, element, index)?,
            Op::ShuffleVector { left, right, mask } => self.shuffle(result, left, right, mask)?,
            Op::Cast { op: Cast::Bits, value, to } => {
                let bits = self.bit_cast(value, to)?;
                self.assign_all(result, bits);
            }
            // The elements of a packed vector are in memory as one integer.
            Op::Load { ty, ptr, order } => {
                let whole = whole_of(ty)?;
                let loaded =
                    self.scalar(&whole, Op::Load { ty: whole.clone(), ptr: ptr.clone(), order: *order })?;
                let value = self.bind(0, whole, loaded);
                let elements = self.bit_cast(&value, ty)?;
                self.assign_all(result, elements);
            }
            Op::Store { value, ptr, order } => {
                let whole = whole_of(&value.ty)?;
                let bits = self.bit_cast(value, &whole)?;
                let value = self.bind(0, whole, bits);
                self.instr(&instruction(None, Op::Store { value, ptr: ptr.clone(), order: *order }))?;
            }
            _ => self.elementwise(result, op)?,
        }
        Ok(())
    }

    /// The leaves of each element.
    pub(super) fn elements(&mut self, vector: &Typed) -> Result<Vec<Vec<Operand>>, Gap> {
        let (n, element) = elements_of(&vector.ty)?;
        let leaves = self.operands(&vector.ty, &vector.value)?;
        let each = layout::leaves(&element)?.len();
        let elements: Vec<Vec<Operand>> = leaves.chunks(each.max(1)).map(<[Operand]>::to_vec).collect();
        match elements.len() == n {
            true => Ok(elements),
            false => Err(GapKind::WrongType.into()),
        }
    }

    /// Gives a name to leaves that are known already.
    fn bind(&mut self, nth: usize, ty: Type, leaves: Vec<Operand>) -> Typed {
        // The number of a field must be a constant.
        if let (Type::Int(_), &[Operand::Const(number)]) = (&ty, &leaves[..]) {
            return Typed { ty, value: Value::Int(number) };
        }
        let name: Rc<str> = NAMES[nth].into();
        self.locals.values.insert(name.clone(), leaves);
        Typed { ty, value: Value::Local(name) }
    }

    /// The leaves of the result of an operation that has a result of this type.
    fn scalar(&mut self, ty: &Type, op: Op) -> Result<Vec<Operand>, Gap> {
        let regs: Vec<Reg> = layout::leaves(ty)?.iter().map(|_| self.code.fresh()).collect();
        self.compute_into(&regs, op)?;
        Ok(regs.into_iter().map(Operand::Reg).collect())
    }

    fn compute_into(&mut self, regs: &[Reg], op: Op) -> Result<(), Gap> {
        let name: Rc<str> = RESULT.into();
        self.locals.values.insert(name.clone(), regs.iter().map(|&reg| Operand::Reg(reg)).collect());
        self.instr(&instruction(Some(name), op))
    }

    fn assign_all(&mut self, result: Option<&Rc<str>>, leaves: Vec<Operand>) {
        let dsts = self.dsts(result);
        dsts.into_iter().zip(leaves).for_each(|(dst, leaf)| self.code.assign(dst, leaf));
    }

    /// An operation, once for each element.
    fn elementwise(&mut self, result: Option<&Rc<str>>, op: &Op) -> Result<(), Gap> {
        let pair =
            |left: &Typed, right: &Value| [left.clone(), Typed { ty: left.ty.clone(), value: right.clone() }];
        match op {
            Op::Binary { op, left, right } => self.for_each(result, &pair(left, right), |operands| {
                let (left, right) = (operands[0].clone(), operands[1].value.clone());
                Op::Binary { op: *op, left, right }
            }),
            Op::Icmp { predicate, left, right } => self.for_each(result, &pair(left, right), |operands| {
                let (left, right) = (operands[0].clone(), operands[1].value.clone());
                Op::Icmp { predicate: *predicate, left, right }
            }),
            Op::Fcmp { predicate, left, right } => self.for_each(result, &pair(left, right), |operands| {
                let (left, right) = (operands[0].clone(), operands[1].value.clone());
                Op::Fcmp { predicate: *predicate, left, right }
            }),
            Op::FNeg(value) => {
                self.for_each(result, std::slice::from_ref(value), |operands| Op::FNeg(operands[0].clone()))
            }
            Op::Cast { op, value, to } => {
                let (_, to) = elements_of(to)?;
                self.for_each(result, std::slice::from_ref(value), |operands| Op::Cast {
                    op: *op,
                    value: operands[0].clone(),
                    to: to.clone(),
                })
            }
            Op::Select { condition, then, otherwise } => {
                let operands = [condition.clone(), then.clone(), otherwise.clone()];
                self.for_each(result, &operands, |operands| Op::Select {
                    condition: operands[0].clone(),
                    then: operands[1].clone(),
                    otherwise: operands[2].clone(),
                })
            }
            Op::Gep { base, args } => self.for_each(result, args, |args| {
                let (base, args) = (base.clone(), args.to_vec());
                Op::Gep { base, args }
            }),
            _ => Err(GapKind::WrongType.into()),
        }
    }

    /// Makes an operation for each element of the operands; those that are no vectors are the same for all.
    fn for_each(
        &mut self,
        result: Option<&Rc<str>>,
        operands: &[Typed],
        make: impl Fn(&[Typed]) -> Op,
    ) -> Result<(), Gap> {
        if operands.len() > NAMES.len() {
            return Err(GapKind::WrongType.into());
        }
        let mut all = Vec::new();
        for operand in operands {
            all.push(match is_vector(&operand.ty) {
                true => Some((elements_of(&operand.ty)?.1, self.elements(operand)?)),
                false => None,
            });
        }
        let n = all.iter().flatten().map(|(_, elements)| elements.len()).min().ok_or(GapKind::WrongType)?;
        let dsts = self.dsts(result);
        let each = dsts.len() / n.max(1);
        for nth in 0..n {
            let mut scalars = Vec::new();
            for (at, (operand, elements)) in operands.iter().zip(&all).enumerate() {
                scalars.push(match elements {
                    Some((ty, elements)) => self.bind(at, ty.clone(), elements[nth].clone()),
                    None => operand.clone(),
                });
            }
            self.compute_into(&dsts[nth * each..(nth + 1) * each], make(&scalars))?;
        }
        Ok(())
    }

    /// A constant vector of addresses.
    pub(super) fn addresses(&mut self, n: usize, base: &Type, args: &[Typed]) -> Result<Vec<Operand>, Gap> {
        let mut found = Vec::new();
        for nth in 0..n {
            let mut scalars = Vec::new();
            for (at, arg) in args.iter().enumerate().take(NAMES.len()) {
                scalars.push(match is_vector(&arg.ty) {
                    true => {
                        let element = self.elements(arg)?.get(nth).cloned().ok_or(GapKind::NoSuchElement)?;
                        self.bind(at, elements_of(&arg.ty)?.1, element)
                    }
                    false => arg.clone(),
                });
            }
            let dst = self.code.fresh();
            self.gep(dst, base, &scalars)?;
            found.push(dst.into());
        }
        Ok(found)
    }

    /// The element with a number that may not be known yet.
    fn choose(&mut self, elements: &[Vec<Operand>], index: &Typed) -> Result<Vec<Operand>, Gap> {
        if let Value::Int(nth) = index.value {
            return elements.get(nth as usize).cloned().ok_or(GapKind::NoSuchElement.into());
        }
        let (width, index) = (width_of(&index.ty)?, self.operand(index)?);
        let mut chosen = elements.first().cloned().ok_or(GapKind::NoSuchElement)?;
        for (nth, element) in elements.iter().enumerate().skip(1) {
            let condition = self.code.compare(CompareOp::Equal, width, index, nth as u64).into();
            for (leaf, &then) in chosen.iter_mut().zip(element) {
                let dst = self.code.fresh();
                self.code.push(Instr::Select { dst, condition, then, otherwise: *leaf });
                *leaf = dst.into();
            }
        }
        Ok(chosen)
    }

    fn insert(
        &mut self,
        result: Option<&Rc<str>>,
        vector: &Typed,
        element: &Typed,
        index: &Typed,
    ) -> Result<(), Gap> {
        let mut elements = self.elements(vector)?;
        let new = self.operands(&element.ty, &element.value)?;
        if let Value::Int(nth) = index.value {
            *elements.get_mut(nth as usize).ok_or(GapKind::NoSuchElement)? = new;
        } else {
            let (width, index) = (width_of(&index.ty)?, self.operand(index)?);
            for (nth, element) in elements.iter_mut().enumerate() {
                let condition = self.code.compare(CompareOp::Equal, width, index, nth as u64).into();
                for (leaf, &then) in element.iter_mut().zip(&new) {
                    let dst = self.code.fresh();
                    self.code.push(Instr::Select { dst, condition, then, otherwise: *leaf });
                    *leaf = dst.into();
                }
            }
        }
        self.assign_all(result, elements.concat());
        Ok(())
    }

    fn shuffle(
        &mut self,
        result: Option<&Rc<str>>,
        left: &Typed,
        right: &Value,
        mask: &Typed,
    ) -> Result<(), Gap> {
        let mut elements = self.elements(left)?;
        elements.extend(self.elements(&Typed { ty: left.ty.clone(), value: right.clone() })?);
        let mut chosen = Vec::new();
        for index in self.elements(mask)? {
            let [Operand::Const(nth)] = index[..] else { return Err(GapKind::NotConstant.into()) };
            let element = elements.get(nth as usize).ok_or(GapKind::NoSuchElement)?;
            chosen.extend(element.iter().copied());
        }
        self.assign_all(result, chosen);
        Ok(())
    }

    /// The same bits as a value of another type: the first element has the lowest bits.
    fn bit_cast(&mut self, value: &Typed, to: &Type) -> Result<Vec<Operand>, Gap> {
        let pieces = |ty: &Type| -> Result<Vec<(u32, u32)>, Gap> {
            let (mut at, mut found) = (0, Vec::new());
            for leaf in layout::leaves(ty)? {
                let bits = width_of(&leaf.ty)?.bits();
                found.push((at, bits));
                at += bits;
            }
            Ok(found)
        };
        let leaves = self.operands(&value.ty, &value.value)?;
        let from = pieces(&value.ty)?;
        let mut made = Vec::new();
        for (at, bits) in pieces(to)? {
            let mut sum = Operand::Const(0);
            for (&leaf, &(start, length)) in leaves.iter().zip(&from) {
                if start >= at + bits || at >= start + length {
                    continue;
                }
                let (op, shift) = match start >= at {
                    true => (BinaryOp::ShiftLeft, start - at),
                    false => (BinaryOp::LogicalShiftRight, at - start),
                };
                let moved = match shift {
                    0 => leaf,
                    shift => self.compute(op, Width::I64, leaf, u64::from(shift)),
                };
                sum = match sum {
                    Operand::Const(0) => moved,
                    sum => self.compute(BinaryOp::Or, Width::I64, sum, moved),
                };
            }
            if from.iter().any(|&(start, length)| start < at + bits && at + bits < start + length) {
                sum = self.compute(BinaryOp::And, Width::I64, sum, u64::MAX >> (64 - bits));
            }
            made.push(sum);
        }
        Ok(made)
    }

    /// Intrinsics with vectors: those that combine the elements of one, and those that do the same with each element.
    pub(crate) fn vector_intrinsic(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        call: &Call,
    ) -> Result<(), Gap> {
        let first_word = |rest: &str| rest.split('.').next().unwrap_or_default().to_string();
        if let Some(op) = name.strip_prefix("vector.reduce.") {
            return self.reduce(result, &first_word(op), call);
        }
        if let Some(kind) = name.strip_prefix("masked.") {
            return self.masked(result, &first_word(kind), call);
        }
        let Type::Vector(_, element) = &call.result else {
            return Err(GapKind::Intrinsic.of(name));
        };
        let args: Vec<Typed> = call.args.iter().map(|arg| arg.value.clone()).collect();
        self.for_each(result, &args, |args| scalar_call(name, element, args.to_vec()))
    }

    /// Combines all elements of a vector, from the first to the last.
    fn reduce(&mut self, result: Option<&Rc<str>>, name: &str, call: &Call) -> Result<(), Gap> {
        let vector = &call.args.last().ok_or(GapKind::TooFewArguments)?.value;
        let (_, ty) = elements_of(&vector.ty)?;
        let mut elements = self.elements(vector)?.into_iter();
        let first = match call.args.len() {
            1 => elements.next().ok_or(GapKind::NoSuchElement)?,
            _ => self.operands(&ty, &call.args[0].value.value)?,
        };
        let operator = match name {
            "fadd" => Some(Operator::Float(FloatBinaryOp::Add)),
            "fmul" => Some(Operator::Float(FloatBinaryOp::Mul)),
            "add" | "mul" | "and" | "or" | "xor" => Operator::from_name(name),
            _ => None,
        };
        let function = match name {
            "fmax" => "maxnum",
            "fmin" => "minnum",
            "smax" | "smin" | "umax" | "umin" => name,
            _ if operator.is_some() => name,
            _ => return Err(GapKind::Intrinsic.of(format!("vector.reduce.{name}"))),
        };
        let mut sum = first;
        for element in elements {
            let left = self.bind(0, ty.clone(), sum);
            let right = self.bind(1, ty.clone(), element);
            let op = match operator {
                Some(op) => Op::Binary { op, left, right: right.value },
                None => scalar_call(function, &ty, vec![left, right]),
            };
            sum = self.scalar(&ty, op)?;
        }
        self.assign_all(result, sum);
        Ok(())
    }
}

fn instruction(result: Option<Rc<str>>, op: Op) -> ast::Instr {
    ast::Instr::made(result, op)
}

/// The intrinsic with this name for one element: `v4i32` in the name becomes `i32`.
fn scalar_call(name: &str, element: &Type, args: Vec<Typed>) -> Op {
    let part = |part: &str| match part.strip_prefix('v') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
            rest.trim_start_matches(|c: char| c.is_ascii_digit()).to_string()
        }
        _ => part.to_string(),
    };
    let name: Vec<String> = name.split('.').map(part).collect();
    let name = format!("llvm.{}", name.join("."));
    let args: Vec<Arg> =
        args.into_iter().map(|value| Arg { value, byval: None, noundef: false, element: None }).collect();
    let callee = Value::Global(name.into());
    Op::Call(Call { result: element.clone(), variadic: false, n_fixed: args.len(), callee, args })
}
