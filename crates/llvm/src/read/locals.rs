//! The names of a function's parameters, blocks and results.
//!
//! What has no name gets the next number. Parameters, blocks and results that are not void are numbered together, in
//! the order of the text.

use std::collections::HashSet;
use std::rc::Rc;

use crate::ast::{Op, Type};

#[derive(Default)]
pub(crate) struct LocalNames {
    names: HashSet<Rc<str>>,
    next: u64,
}

impl LocalNames {
    /// Records the name of something, or gives it one.
    ///
    /// # Errors
    /// The name is taken, or a number is out of order.
    pub(crate) fn define(&mut self, name: Option<&str>) -> Result<Rc<str>, String> {
        let number = name.map_or(Some(self.next), number_of);
        let name: Rc<str> = name.map_or_else(|| self.next.to_string().into(), Rc::from);
        if !self.names.insert(name.clone()) {
            return Err(format!("`%{name}` is defined twice"));
        }
        match number {
            Some(number) if number < self.next => {
                return Err(format!("`%{name}` is out of order: the next number is {}", self.next));
            }
            Some(number) => self.next = number + 1,
            None => {}
        }
        Ok(name)
    }
}

/// The number that a name is, as LLVM writes it.
fn number_of(name: &str) -> Option<u64> {
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    name.parse::<u32>().ok().filter(|_| is_number).map(u64::from)
}

/// Whether an operation has a result, with a name or a number.
pub(crate) fn has_result(op: &Op) -> bool {
    match op {
        Op::Call(call) | Op::Invoke { call, .. } => call.result != Type::Void,
        Op::NotModelled(instruction) => instruction.has_result,
        Op::Ret(_)
        | Op::Br(_)
        | Op::CondBr { .. }
        | Op::Switch { .. }
        | Op::Unreachable
        | Op::Store { .. }
        | Op::Fence { .. }
        | Op::Resume(_) => false,
        Op::Binary { .. }
        | Op::FNeg(_)
        | Op::Alloca { .. }
        | Op::Load { .. }
        | Op::CmpXchg { .. }
        | Op::Rmw { .. }
        | Op::Gep { .. }
        | Op::Cast { .. }
        | Op::Icmp { .. }
        | Op::Fcmp { .. }
        | Op::Phi { .. }
        | Op::Select { .. }
        | Op::ExtractValue { .. }
        | Op::InsertValue { .. }
        | Op::ExtractElement { .. }
        | Op::InsertElement { .. }
        | Op::ShuffleVector { .. }
        | Op::Freeze(_)
        | Op::LandingPad { .. } => true,
    }
}

/// Whether an operation ends its block.
pub(crate) fn is_terminator(op: &Op) -> bool {
    match op {
        Op::Ret(_)
        | Op::Br(_)
        | Op::CondBr { .. }
        | Op::Switch { .. }
        | Op::Unreachable
        | Op::Invoke { .. }
        | Op::Resume(_) => true,
        Op::NotModelled(instruction) => instruction.is_terminator,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_name_gets_the_next_number() {
        let mut locals = LocalNames::default();
        let mut define = |name: Option<&str>| locals.define(name).map(|name| name.to_string());
        assert_eq!(define(None), Ok("0".to_string()));
        assert_eq!(define(Some("x")), Ok("x".to_string()));
        assert_eq!(define(None), Ok("1".to_string()));
        assert_eq!(define(Some("5")), Ok("5".to_string()));
        assert_eq!(define(None), Ok("6".to_string()));
        assert_eq!(define(Some("x")), Err("`%x` is defined twice".to_string()));
        assert_eq!(define(Some("3")), Err("`%3` is out of order: the next number is 7".to_string()));
        assert_eq!(define(Some("99999999999999999999")), Ok("99999999999999999999".to_string()));
    }
}
