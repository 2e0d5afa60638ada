//! `setjmp` and `longjmp`, and the handlers of `pthread_cleanup_push`, which glibc's header makes of `setjmp`.
//!
//! A function that calls `setjmp` notes its activation and the number of the call in the buffer (`runtime/jumps.vm`). A
//! jump leaves functions as an exception does. Where exceptions leave such a function, it asks whether the jump is one
//! to its own activation, and then continues behind the call of `setjmp`, with the value of the jump.
//!
//! Variables keep the values that they have when the jump happens, as in code without optimisation. They are in memory,
//! because a way from every call to every `setjmp` is not among those that the analysis of registers knows.

use std::rc::Rc;

use atropos_event::{Gap, GapKind};
use atropos_vm::{Instr, Operand, Reg, Target, Width};

use super::function::Code;
use crate::ast::Block;
use crate::unwinding::{self, sets_jump};

/// The places to which others jump.
pub(crate) struct Arrivals {
    activation: Reg,
    /// Behind each call of `setjmp`, and the register for its result.
    places: Vec<(Target, Option<Reg>)>,
}

impl Code<'_, '_> {
    /// Begins an activation, if the function calls `setjmp`.
    pub(crate) fn prepare_jumps(&mut self, blocks: &[Block]) {
        if sets_jump(self.all.program, self.key.0, blocks) {
            let activation = self.call_library("begin activation", Vec::new());
            self.flow.arrivals = Some(Arrivals { activation, places: Vec::new() });
        }
    }

    /// Lowers a call of `setjmp`.
    pub(crate) fn set_jump(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        args: &[Operand],
    ) -> Result<Option<()>, Gap> {
        if !unwinding::returns_twice(name) {
            return Ok(None);
        }
        let Some(&buffer) = args.first() else { return Err(GapKind::TooFewArguments.of(name)) };
        let dst = match result {
            Some(_) => Some(self.dst(result)?),
            None => None,
        };
        let place = self.code.fresh_target();
        let arrivals = self.flow.arrivals.as_mut().ok_or(GapKind::WrongPlace)?;
        arrivals.places.push((place, dst));
        let (activation, number) = (arrivals.activation, arrivals.places.len() as u64);
        let args = vec![buffer, activation.into(), number.into()];
        self.call_runtime(None, "set jump", args)?;
        if let Some(dst) = dst {
            self.code.assign(dst, 0u64);
        }
        self.code.place(place);
        Ok(Some(()))
    }

    /// Where something leaves the function: continues at a call of `setjmp`, if the jump leads there.
    pub(crate) fn arrive(&mut self) {
        let Some(Arrivals { activation, ref places }) = self.flow.arrivals else { return };
        let places = places.clone();
        let number = self.call_library("arrive", vec![activation.into()]);
        let onwards = self.code.fresh_target();
        let targets: Vec<Target> = places.iter().map(|_| self.code.fresh_target()).collect();
        let cases = (1..).zip(targets.iter().copied()).collect();
        self.code.push(Instr::Switch { value: number.into(), width: Width::I64, cases, default: onwards });
        for ((place, dst), target) in places.into_iter().zip(targets) {
            self.code.place(target);
            if let Some(dst) = dst {
                let value = self.call_library("jumped with", Vec::new());
                self.code.assign(dst, value);
            }
            self.code.jump(place);
        }
        self.code.place(onwards);
    }

    /// Before the function returns.
    pub(crate) fn end_activation(&mut self) {
        if self.flow.arrivals.is_some() {
            self.call_library("end activation", Vec::new());
        }
    }
}
