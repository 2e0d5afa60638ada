//! Intrinsics that load and store only some elements of a vector: optimisers make them of loops with conditions, for
//! machines that have such instructions.

use std::rc::Rc;

use atropos_event::{Gap, GapKind, ReadOrder, WriteOrder};
use atropos_vm::instr::{BinaryOp, CompareOp};
use atropos_vm::{Operand, Width};

use super::function::Code;
use super::vectors::elements_of;
use crate::ast::{Call, Type, Typed};
use crate::layout;

/// Where the elements are in memory.
enum Places {
    /// One behind the other, also those that are left out.
    Row(Operand),
    /// One behind the other, without those that are left out.
    Dense(Operand),
    /// Each at an address of its own.
    Each(Vec<Operand>),
}

impl Code<'_, '_> {
    /// `masked.load.v4i32.p0` and its relatives.
    pub(super) fn masked(&mut self, result: Option<&Rc<str>>, kind: &str, call: &Call) -> Result<(), Gap> {
        // Up to LLVM 21 the alignment is an argument.
        let is_alignment = |value: &Typed| value.ty == Type::Int(32);
        let args = call.args.iter().map(|arg| &arg.value);
        let args: Vec<Typed> = args.filter(|value| !is_alignment(value)).cloned().collect();
        let [first, second, third] = &args[..] else {
            return Err(GapKind::NumberOfArguments.of(kind).with([args.len() as u64]));
        };
        match kind {
            "load" | "gather" | "expandload" => {
                let places = self.places(kind, first, &third.ty)?;
                if third.ty != call.result {
                    return Err(GapKind::WrongType.into());
                }
                self.masked_load(result, places, second, third)
            }
            "store" | "scatter" | "compressstore" => {
                let places = self.places(kind, second, &first.ty)?;
                self.masked_store(first, places, third)
            }
            _ => Err(GapKind::Intrinsic.of(format!("masked.{kind}"))),
        }
    }

    /// Where the elements of a vector of type `ty` are.
    fn places(&mut self, kind: &str, address: &Typed, ty: &Type) -> Result<Places, Gap> {
        Ok(match kind {
            "gather" | "scatter" => Places::Each(self.one_for_each(address, ty)?),
            "expandload" | "compressstore" => {
                // The address moves, so it must not be the operand's own register.
                let (place, start) = (self.code.fresh(), self.operand(address)?);
                self.code.assign(place, start);
                Places::Dense(place.into())
            }
            _ => Places::Row(self.operand(address)?),
        })
    }

    /// The elements of `vector`, one register for each element of a vector of type `ty`.
    fn one_for_each(&mut self, vector: &Typed, ty: &Type) -> Result<Vec<Operand>, Gap> {
        let elements = self.elements(vector)?;
        let is_whole =
            elements_of(ty)?.0 == elements.len() && elements.iter().all(|leaves| leaves.len() == 1);
        if is_whole { Ok(elements.concat()) } else { Err(GapKind::WrongType.into()) }
    }

    fn masked_load(
        &mut self,
        result: Option<&Rc<str>>,
        places: Places,
        mask: &Typed,
        otherwise: &Typed,
    ) -> Result<(), Gap> {
        let (n, element) = elements_of(&otherwise.ty)?;
        let conditions = self.one_for_each(mask, &otherwise.ty)?;
        let (otherwise, mut dsts) = (self.elements(otherwise)?, self.dsts(result));
        let leaves = layout::leaves(&element)?;
        // A result without a name is loaded, too.
        dsts.resize_with(n * leaves.len(), || self.code.fresh());
        for nth in 0..n {
            let dsts = &dsts[nth * leaves.len()..(nth + 1) * leaves.len()];
            for (&dst, &value) in dsts.iter().zip(&otherwise[nth]) {
                self.code.assign(dst, value);
            }
            self.if_chosen(conditions[nth], |code| {
                let at = code.place_of(&places, &element, nth)?;
                for (leaf, &dst) in leaves.iter().zip(dsts) {
                    let at = code.at(at, leaf.offset);
                    code.load_scalar(dst, &leaf.ty, at, ReadOrder::NotAtomic)?;
                }
                code.advance(&places, &element)
            })?;
        }
        Ok(())
    }

    fn masked_store(&mut self, value: &Typed, places: Places, mask: &Typed) -> Result<(), Gap> {
        let (n, element) = elements_of(&value.ty)?;
        let (leaves, values) = (layout::leaves(&element)?, self.elements(value)?);
        let conditions = self.one_for_each(mask, &value.ty)?;
        for nth in 0..n {
            self.if_chosen(conditions[nth], |code| {
                let at = code.place_of(&places, &element, nth)?;
                for (leaf, &value) in leaves.iter().zip(&values[nth]) {
                    let at = code.at(at, leaf.offset);
                    code.store_scalar(&leaf.ty, at, value, WriteOrder::NotAtomic)?;
                }
                code.advance(&places, &element)
            })?;
        }
        Ok(())
    }

    /// What happens only if the mask has a one for the element.
    fn if_chosen(
        &mut self,
        condition: Operand,
        then: impl FnOnce(&mut Self) -> Result<(), Gap>,
    ) -> Result<(), Gap> {
        match condition {
            Operand::Const(0) => Ok(()),
            Operand::Const(_) => then(self),
            _ => {
                let out = self.code.fresh_target();
                let is_left_out = self.code.compare(CompareOp::Equal, Width::I8, condition, 0u64);
                self.code.jump_if(is_left_out, out);
                then(self)?;
                self.code.place(out);
                Ok(())
            }
        }
    }

    fn place_of(&mut self, places: &Places, element: &Type, nth: usize) -> Result<Operand, Gap> {
        Ok(match places {
            Places::Row(start) => self.at(*start, nth as u64 * layout::distance_of(element)?),
            Places::Dense(place) => *place,
            Places::Each(places) => places[nth],
        })
    }

    /// The next element is behind this one.
    fn advance(&mut self, places: &Places, element: &Type) -> Result<(), Gap> {
        if let Places::Dense(Operand::Reg(place)) = *places {
            let next = self.compute(BinaryOp::Add, Width::I64, place, layout::distance_of(element)?);
            self.code.assign(place, next);
        }
        Ok(())
    }
}
