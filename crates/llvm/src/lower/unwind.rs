//! Exceptions: throwing, passing on, catching.
//!
//! While an exception is in flight, the word of its thread holds its address. After each call that may throw, the
//! caller checks the word: an `invoke` goes to its landing pad, a `call` leaves the function, which frees its stack
//! objects like any return. A landing pad takes the exception out of the word if one of its clauses catches it.
//! Exceptions must not leave `main` or the start functions of threads: see `check exception`.
//!
//! Jumps and the ends of threads leave functions in the same way ([`crate::unwinding`]). Landing pads let jumps pass,
//! and take the end of a thread as an exception of a type that only `catch (...)` catches. So do panics of Rust, which
//! only a function of the library catches (`runtime/rust.vm`).

use std::rc::Rc;

use atropos_event::{Exception, Gap, GapKind, ReadOrder, WriteOrder};
use atropos_vm::instr::{BinaryOp, CompareOp};
use atropos_vm::{Failure, FunctionBuilder, Instr, Operand, Reg, SourceId, Target, Width};

use super::Lowering;
use super::function::Code;
use crate::ast::{Call, Clause, Typed, Value};
use crate::exceptions::{Adjust, BaseStep, standard_type, thrown_by_library};
use crate::runtime::standard_exceptions;
use crate::unwinding::{JUMP, THREAD_END};

/// A throw: where it is, and what it throws.
pub(crate) struct Throw {
    source: Option<SourceId>,
    exception: Exception,
}

fn exception_of_type(name: String) -> Exception {
    Exception { name: Some(name), ..Exception::default() }
}

/// The offsets, before an exception, of the thrown object, its type, its throw, and the value for its handler.
const OBJECT_AT: i64 = -56;
const TYPE_AT: i64 = -48;
const THROW_AT: i64 = -32;
const CAUGHT_AT: i64 = -8;

impl Code<'_, '_> {
    /// Checks for an exception after a call that may have thrown one.
    pub(crate) fn after_call(&mut self, call: &Call, unwind: Option<&Rc<str>>) -> Result<(), Gap> {
        let program = self.all.program;
        if !self.all.throwing.exceptions.may_throw(program, self.key.0, call) {
            return Ok(());
        }
        let to = match unwind {
            Some(pad) => self.edge(pad)?,
            None => self.leave(),
        };
        let word = self.code.fresh();
        self.code.push(Instr::Word { dst: word });
        self.code.jump_if(word, to);
        Ok(())
    }

    /// Where exceptions leave the function.
    fn leave(&mut self) -> Target {
        *self.flow.unwinding.get_or_insert_with(|| self.code.fresh_target())
    }

    /// Emits the exit for exceptions, if there is any.
    pub(crate) fn finish_unwinding(&mut self) {
        if let Some(target) = self.flow.unwinding {
            self.code.place(target);
            self.arrive();
            self.push_return(None);
        }
    }

    pub(crate) fn resume(&mut self, value: &Typed) -> Result<(), Gap> {
        let object = self.operands(&value.ty, &value.value)?[0];
        self.code.push(Instr::SetWord { value: object });
        self.push_return(None);
        Ok(())
    }

    /// Functions that throw, or make an exception to be thrown. Returns whether `name` is one of them.
    pub(crate) fn throwing(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        call: &Call,
        what: &str,
    ) -> Result<bool, Gap> {
        if let Some(exception) = thrown_by_library(name) {
            let code = match exception {
                "future_error" => Some(("make future error", self.operand(&call.args[0].value)?)),
                "system_error" => Some(("make system error", self.operand(&call.args[0].value)?)),
                _ => None,
            };
            self.throw_standard(exception, what, code)?;
            return Ok(true);
        }
        if self.all.throwing.exceptions.new_may_throw(name, call) {
            self.new_or_throw(result, call)?;
            return Ok(true);
        }
        if !matches!(name, "__cxa_throw" | "__cxa_init_primary_exception") {
            return Ok(false);
        }
        let [object, info, destructor] = &call.args[..] else {
            return Err(GapKind::NumberOfArguments.of(name).with([call.args.len() as u64]));
        };
        let object = self.operand(&object.value)?;
        let destructor = self.operand(&destructor.value)?;
        let (number, exception) = match &info.value.value {
            Value::Global(info) => {
                let ty = self.all.throwing.exceptions.type_of(self.all.program, self.key.0, info);
                (Operand::Const(self.all.throwing.exceptions.number(&ty)), exception_of_type(readable(&ty)))
            }
            _ => (self.type_number(&info.value)?, Exception::default()),
        };
        match name {
            "__cxa_throw" => self.throw(object, number, destructor, exception),
            _ => {
                let throw = self.throw_number(exception);
                self.call_runtime(None, "init exception", vec![object, number, destructor, throw])?;
                self.assign(result, object)?;
            }
        }
        Ok(true)
    }

    /// Throws an exception of the standard library. Some have a code, and a function that makes them with it.
    fn throw_standard(
        &mut self,
        exception: &str,
        what: &str,
        code: Option<(&str, Operand)>,
    ) -> Result<(), Gap> {
        let object = self.code.fresh();
        let function = self.all.runtime_function("__cxa_allocate_exception").into();
        self.code.push(Instr::Call { dst: Some(object), function, args: vec![Operand::Const(32)] });
        if let Some((make, code)) = code {
            self.call_runtime(None, make, vec![object.into(), code])?;
        } else {
            let table = self.library_symbol(&standard_exceptions::table(exception))?;
            let table = self.at(table, 16);
            let text = self.all.constant_text(what);
            self.call_runtime(None, "make exception", vec![object.into(), table, text])?;
        }
        let destructor = self.all.runtime_function("destroy exception").into();
        let thrown = Exception {
            name: Some(format!("std::{exception}")),
            thrower: None,
            what: Some(what.to_string()),
        };
        let number = Operand::Const(self.all.throwing.exceptions.number(&standard_type(exception)));
        self.throw(object.into(), number, destructor, thrown);
        Ok(())
    }

    /// `operator new`, which throws if there is no memory.
    fn new_or_throw(&mut self, result: Option<&Rc<str>>, call: &Call) -> Result<(), Gap> {
        let size = self.operand(&call.args[0].value)?;
        let alignment = match call.args.get(1) {
            Some(alignment) => self.operand(&alignment.value)?,
            None => Operand::Const(0),
        };
        let object = self.dst(result)?;
        let function = self.all.runtime_function("allocate").into();
        self.code.push(Instr::Call { dst: Some(object), function, args: vec![size, alignment] });
        let good = self.code.fresh_target();
        self.code.jump_if(object, good);
        self.throw_standard("bad_alloc", "std::bad_alloc", None)?;
        self.code.place(good);
        Ok(())
    }

    /// The number of the type with type information at an address.
    fn type_number(&mut self, info: &Typed) -> Result<Operand, Gap> {
        let info = self.operand(info)?;
        let mut number = Operand::Const(u64::MAX);
        for (nth, ty) in (0..).zip(self.all.throwing.exceptions.thrown().to_vec()) {
            let name = ty.rsplit(':').next().unwrap_or(&ty);
            let at = self.library_symbol(name)?;
            let condition = Operand::Reg(self.code.compare(CompareOp::Equal, Width::I64, info, at));
            let dst = self.code.fresh();
            self.code.push(Instr::Select { dst, condition, then: Operand::Const(nth), otherwise: number });
            number = Operand::Reg(dst);
        }
        Ok(number)
    }

    fn throw_number(&mut self, exception: Exception) -> Operand {
        let throw = Operand::Const(self.all.throwing.throws.len() as u64);
        self.all.throwing.throws.push(Throw { source: self.source, exception });
        throw
    }

    fn throw(&mut self, object: Operand, number: Operand, destructor: Operand, exception: Exception) {
        let throw = self.throw_number(exception);
        let function = self.all.runtime_function("throw exception").into();
        self.code.push(Instr::Call { dst: None, function, args: vec![object, number, destructor, throw] });
    }

    fn library_symbol(&mut self, name: &str) -> Result<Operand, Gap> {
        self.all.symbol(self.key.0, &name.into())
    }

    /// Catches the exception in flight if a clause catches it, or if there is something to clean up; otherwise passes
    /// it on.
    pub(crate) fn landing_pad(
        &mut self,
        result: Option<&Rc<str>>,
        cleanup: bool,
        clauses: &[Clause],
    ) -> Result<(), Gap> {
        let object = self.code.fresh();
        self.code.push(Instr::Word { dst: object });
        let [object_dst, selector_dst] = self.dsts(result)[..] else {
            return Err(GapKind::WrongPlace.into());
        };
        let caught = self.code.fresh_target();
        let (mut cases, mut bodies) = (Vec::new(), Vec::new());
        for (nth, thrown) in (0..).zip(self.all.throwing.exceptions.thrown().to_vec()) {
            if let Some((selector, adjust)) = self.handler(clauses, &thrown)? {
                let target = self.code.fresh_target();
                cases.push((nth, target));
                bodies.push((target, selector, adjust));
            }
        }
        if self.all.throwing.exceptions.unwinding.ends
            && let Some((selector, adjust)) = self.handler(clauses, "the end of a thread")?
        {
            let target = self.code.fresh_target();
            cases.push((THREAD_END, target));
            bodies.push((target, selector, adjust));
        }
        if self.all.throwing.exceptions.unwinding.jumps {
            cases.push((JUMP, self.leave()));
        }
        let otherwise = self.code.fresh_target();
        // Panics of Rust have no type.
        let is_panic = cases.is_empty();
        if !is_panic {
            let type_at = Operand::Reg(self.code.address(object, 0u64, 1, TYPE_AT));
            let number = self.code.load(ReadOrder::NotAtomic, 8, type_at).into();
            self.code.push(Instr::Switch { value: number, width: Width::I64, cases, default: otherwise });
        }
        for (target, selector, adjust) in bodies {
            self.code.place(target);
            self.give(object, adjust)?;
            self.code.assign(selector_dst, selector);
            self.code.jump(caught);
        }
        self.code.place(otherwise);
        // What must not panic has an empty list of what may pass.
        match cleanup || is_panic && clauses.contains(&Clause::Filter) {
            true => self.code.assign(selector_dst, 0u64),
            false => {
                let onwards = self.leave();
                self.code.jump(onwards);
            }
        }
        self.code.place(caught);
        self.code.assign(object_dst, object);
        self.code.push(Instr::SetWord { value: Operand::Const(0) });
        Ok(())
    }

    /// The first clause that takes an exception of this type: its selector, and what the handler gets.
    fn handler(&mut self, clauses: &[Clause], thrown: &str) -> Result<Option<(u64, Adjust)>, Gap> {
        for clause in clauses {
            match clause {
                Clause::CatchAll => return Ok(Some((self.all.selector("..."), Adjust::Object(Vec::new())))),
                Clause::Catch(info) => {
                    let caught = self.all.throwing.exceptions.type_of(self.all.program, self.key.0, info);
                    if let Some(adjust) = self.all.throwing.exceptions.catches(&caught, thrown) {
                        return Ok(Some((self.all.selector(&caught), adjust)));
                    }
                }
                Clause::Filter => return Err(GapKind::ExceptionSpecification.into()),
            }
        }
        Ok(None)
    }

    /// Stores the value for the handler before the exception.
    fn give(&mut self, exception: Reg, adjust: Adjust) -> Result<(), Gap> {
        let object_at = Operand::Reg(self.code.address(exception, 0u64, 1, OBJECT_AT));
        let object = Operand::Reg(self.code.load(ReadOrder::NotAtomic, 8, object_at));
        let given = match adjust {
            Adjust::Object(steps) => self.base_of(object, &steps),
            Adjust::Pointer(steps) => {
                let given = self.code.load(ReadOrder::NotAtomic, 8, object);
                let is_null = self.code.fresh_target();
                self.code.jump_unless(given, is_null);
                let base = self.base_of(given.into(), &steps);
                self.code.assign(given, base);
                self.code.place(is_null);
                given.into()
            }
        };
        let at = Operand::Reg(self.code.address(exception, 0u64, 1, CAUGHT_AT));
        self.code.store(WriteOrder::NotAtomic, 8, at, given);
        Ok(())
    }

    /// The address of a base of the object at `addr`.
    fn base_of(&mut self, addr: Operand, steps: &[BaseStep]) -> Operand {
        steps.iter().fold(addr, |addr, step| match *step {
            BaseStep::Offset(offset) => self.at(addr, offset),
            BaseStep::Virtual(at) => {
                let table = self.code.load(ReadOrder::NotAtomic, 8, addr);
                let at = Operand::Reg(self.code.address(table, 0u64, 1, at));
                let offset = self.code.load(ReadOrder::NotAtomic, 8, at);
                self.compute(BinaryOp::Add, Width::I64, addr, offset)
            }
        })
    }

    /// `llvm.eh.typeid.for`: the number that landing pads use for this type.
    pub(crate) fn type_selector(&mut self, call: &Call) -> Result<u64, Gap> {
        match call.args.first().map(|arg| &arg.value.value) {
            Some(Value::Global(info)) => {
                let ty = self.all.throwing.exceptions.type_of(self.all.program, self.key.0, info);
                Ok(self.all.selector(&ty))
            }
            Some(Value::Null) => Ok(self.all.selector("...")),
            _ => Err(GapKind::NotConstant.into()),
        }
    }
}

impl Lowering<'_> {
    fn selector(&mut self, ty: &str) -> u64 {
        let next = self.throwing.selectors.len() as u64 + 1;
        *self.throwing.selectors.entry(ty.to_string()).or_insert(next)
    }

    /// Now that all throws are known: defines the function that reports which one was not caught.
    pub(crate) fn finish_exceptions(&mut self) {
        if self.throwing.throws.is_empty() {
            return;
        }
        let id = self.runtime_function("uncaught exception");
        let mut code = FunctionBuilder::new("uncaught exception");
        let object = code.param("object");
        let at = code.address(object, 0u64, 1, THROW_AT);
        let number = code.load(ReadOrder::NotAtomic, 8, at);
        let targets: Vec<Target> = self.throwing.throws.iter().map(|_| code.fresh_target()).collect();
        let cases = (0..).zip(targets.iter().copied()).collect();
        code.push(Instr::Switch { value: number.into(), width: Width::I64, cases, default: targets[0] });
        for (throw, target) in self.throwing.throws.iter().zip(targets) {
            code.place(target);
            code.at(throw.source);
            code.fail(Failure::UncaughtException(throw.exception.clone()));
        }
        self.module.functions[id.index()] = code.finish();
    }
}

/// A type in C++ syntax, if its mangled name is simple.
fn readable(ty: &str) -> String {
    let name = ty.rsplit(':').next().unwrap_or(ty);
    let name = name.strip_prefix("_ZTI").unwrap_or(name);
    let simple = match name {
        "i" => "int",
        "j" => "unsigned",
        "l" => "long",
        "m" => "unsigned long",
        "c" => "char",
        "b" => "bool",
        "d" => "double",
        "f" => "float",
        "PKc" => "const char *",
        "Pc" => "char *",
        _ => "",
    };
    if !simple.is_empty() {
        return simple.to_string();
    }
    let (prefix, rest) = name.strip_prefix("St").map_or(("", name), |rest| ("std::", rest));
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match rest[..digits].parse::<usize>() {
        Ok(length) if rest.len() == digits + length => format!("{prefix}{}", &rest[digits..]),
        _ => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn simple_types_are_shown_as_cpp_writes_them() {
        assert_eq!(readable("_ZTIi"), "int");
        assert_eq!(readable("_ZTISt13runtime_error"), "std::runtime_error");
        assert_eq!(readable("0:_ZTI5Error"), "Error");
        assert_eq!(readable("_ZTIN1a1bE"), "N1a1bE");
    }
}
