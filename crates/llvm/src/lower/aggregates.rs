//! Values of several leaves: taking one out, putting one in, choosing one of two.

use atropos_event::{Gap, GapKind};
use std::rc::Rc;

use atropos_vm::Instr;

use super::function::Code;
use crate::ast::{Op, Value};
use crate::layout;

impl Code<'_, '_> {
    pub(crate) fn aggregate(&mut self, result: Option<&Rc<str>>, op: &Op) -> Result<(), Gap> {
        let dsts = self.dsts(result);
        match op {
            Op::Select { condition, then, otherwise } => {
                let condition = self.operand(condition)?;
                let then = self.operands(&then.ty, &then.value)?;
                let otherwise = self.operands(&otherwise.ty, &otherwise.value)?;
                for (dst, (then, otherwise)) in dsts.into_iter().zip(then.into_iter().zip(otherwise)) {
                    self.code.push(Instr::Select { dst, condition, then, otherwise });
                }
            }
            Op::Freeze(value) => {
                let values = self.operands(&value.ty, &value.value)?;
                dsts.into_iter().zip(values).for_each(|(dst, value)| self.code.assign(dst, value));
            }
            Op::ExtractValue { aggregate, indices } => {
                let (first, n) = layout::leaf_range(&aggregate.ty, indices)?;
                if let Value::Local(name) = &aggregate.value
                    && let Some(&from) = self.frame.carried_in.get(name)
                {
                    let from = self.at(from.into(), 8 * first as u64);
                    let result = result.ok_or(GapKind::WrongPlace)?;
                    return self.take_up(result, &self.locals.types[result].clone(), from);
                }
                let leaves = self.operands(&aggregate.ty, &aggregate.value)?;
                let part = leaves.get(first..first + n).ok_or(GapKind::NoSuchElement)?.to_vec();
                dsts.into_iter().zip(part).for_each(|(dst, value)| self.code.assign(dst, value));
            }
            Op::InsertValue { aggregate, element, indices } => {
                let (first, n) = layout::leaf_range(&aggregate.ty, indices)?;
                let mut leaves = self.operands(&aggregate.ty, &aggregate.value)?;
                let part = self.operands(&element.ty, &element.value)?;
                let places = leaves.get_mut(first..first + n).ok_or(GapKind::NoSuchElement)?;
                if places.len() != part.len() {
                    return Err(GapKind::WrongType.into());
                }
                places.copy_from_slice(&part);
                dsts.into_iter().zip(leaves).for_each(|(dst, value)| self.code.assign(dst, value));
            }
            _ => unreachable!("not about aggregates: {op:?}"),
        }
        Ok(())
    }
}
