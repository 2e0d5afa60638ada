//! Atomic instructions on 16 bytes: one access each, as to other large objects ([`super::large_atomics`]).

use std::rc::Rc;

use atropos_event::{Gap, GapKind, ReadOrder, WriteOrder};
use atropos_vm::instr::CasOrders;
use atropos_vm::{Instr, Operand, Reg};

use super::function::Code;
use super::memory::{read_order, write_order};
use crate::ast::{Op, Type, Value};
use crate::layout;

const SIZE: u8 = 16;

impl Code<'_, '_> {
    pub(crate) fn wide_atomic(&mut self, result: Option<&Rc<str>>, op: &Op) -> Result<Option<()>, Gap> {
        match op {
            Op::Load { ty, ptr, order: Some(order) } if layout::is_wide(ty) => {
                let (addr, value) = (self.wide_object(ptr, ty)?, self.code.fresh());
                self.code.push(Instr::Load { dst: value, size: SIZE, order: read_order(*order), addr });
                self.assign_wide(result, value);
            }
            Op::Store { value, ptr, order: Some(order) } if layout::is_wide(&value.ty) => {
                let packed = self.wide_value(&value.ty, &value.value)?;
                let addr = self.wide_object(ptr, &value.ty)?;
                self.code.store(write_order(*order), SIZE, addr, packed);
            }
            Op::Rmw { op, ptr, operand, order } if layout::is_wide(&operand.ty) => {
                let operand_value = self.wide_value(&operand.ty, &operand.value)?.into();
                let (addr, old) = (self.wide_object(ptr, &operand.ty)?, self.code.fresh());
                self.code.push(Instr::Rmw {
                    op: *op,
                    dst: Some(old),
                    size: SIZE,
                    read_order: read_order(*order),
                    write_order: write_order(*order),
                    addr,
                    operand: operand_value,
                });
                self.assign_wide(result, old);
            }
            Op::CmpXchg { ptr, expected, desired, success, failure } if layout::is_wide(&expected.ty) => {
                let ty = &expected.ty;
                let values = [self.wide_value(ty, &expected.value)?, self.wide_value(ty, desired)?];
                let [expected, desired] = values.map(Operand::Reg);
                let orders = CasOrders {
                    read: read_order(*success),
                    write: write_order(*success),
                    failure: read_order(*failure),
                };
                let (addr, old) = (self.wide_object(ptr, ty)?, self.code.fresh());
                let success = self.dsts(result).last().copied();
                let old_value = Some(old);
                self.code.push(Instr::Cas {
                    old: old_value,
                    success,
                    size: SIZE,
                    orders,
                    addr,
                    expected,
                    desired,
                });
                self.assign_wide(result, old);
            }
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn wide_object(&mut self, ptr: &Value, ty: &Type) -> Result<Operand, Gap> {
        let addr = self.operand_of(&Type::Ptr, ptr)?;
        self.check_bounds(ptr, addr, ty)?;
        Ok(addr)
    }

    fn wide_value(&mut self, ty: &Type, value: &Value) -> Result<Reg, Gap> {
        let words = self.operands(ty, value)?;
        let words = words.try_into().map_err(|_| GapKind::WrongType)?;
        Ok(self.pack_words(words))
    }

    /// Two words as one value.
    pub(crate) fn pack_words(&mut self, words: [Operand; 2]) -> Reg {
        let (slot, dst) = (self.large_slot(SIZE), self.code.fresh());
        for (at, word) in [0, 8].into_iter().zip(words) {
            let to = self.at(slot, at);
            self.code.store(WriteOrder::NotAtomic, 8, to, word);
        }
        self.code.push(Instr::Pack { dst, size: SIZE, from: slot });
        dst
    }

    /// The words of a value.
    pub(crate) fn unpack_words(&mut self, value: Reg) -> [Reg; 2] {
        let words = [self.code.fresh(), self.code.fresh()];
        self.unpack_into(&words, value);
        words
    }

    fn unpack_into(&mut self, words: &[Reg], value: Reg) {
        let slot = self.large_slot(SIZE);
        self.code.push(Instr::Unpack { to: slot, size: SIZE, value: value.into() });
        for (at, &dst) in [0, 8].into_iter().zip(words) {
            let addr = self.at(slot, at);
            self.code.push(Instr::Load { dst, size: 8, order: ReadOrder::NotAtomic, addr });
        }
    }

    /// The result's first two words become those of a value.
    pub(crate) fn assign_wide(&mut self, result: Option<&Rc<str>>, value: Reg) {
        let dsts = self.dsts(result);
        self.unpack_into(&dsts, value);
    }
}
