//! Library functions that are lowered at the call: threads, locks and the heap, because they are everywhere;
//! failures, because their message is in the program; and functions that are refused.

use std::rc::Rc;

use atropos_event::{
    AbortCause, AllocKind, Assertion, Exception, Gap, GapKind, MisuseReason, SyncClass, WriteOrder,
};
use atropos_vm::{Failure, Instr, LockKind, Misused, Operand, Reg};

use super::function::Code;
use super::vectors::is_vector;
use crate::ast::{Call, Value};
use crate::layout;
use crate::options;
use crate::program::Symbol;
use crate::runtime;

/// No object is larger.
pub(crate) const MOST_BYTES: u64 = i64::MAX as u64;

impl Code<'_, '_> {
    pub(crate) fn library(&mut self, result: Option<&Rc<str>>, name: &str, call: &Call) -> Result<(), Gap> {
        if let Some(()) = self.failure(result, name, call)? {
            return Ok(());
        }
        if name.starts_with("__VERIFIER_nondet_") {
            let (first, last) = options::choices(name, self.all.options.nondet)?;
            let args = [first, last].map(|value| Operand::Const(value as u64)).to_vec();
            return self.call_runtime(result, "choose value", args);
        }
        let mut args = Vec::new();
        for arg in &call.args {
            // A complex number of type `float` is a vector.
            match is_vector(&arg.value.ty) {
                true => args.extend(self.operands(&arg.value.ty, &arg.value.value)?),
                false => args.push(self.operand(&arg.value)?),
            }
        }
        if let Some(()) = self.set_jump(result, name, &args)? {
            return Ok(());
        }
        if let Some(()) = self.thread_function(result, name, &args)? {
            return Ok(());
        }
        if let Some(()) = self.common_function(result, name, &args)? {
            return Ok(());
        }
        if let Some(()) = self.large_atomic(result, name, &args)? {
            return Ok(());
        }
        if let Some(()) = self.math_function(result, name, call, &args)? {
            return Ok(());
        }
        if runtime::is_stream_function(name) {
            self.stream(name, call, &args)?;
            return self.assign(result, args[0]);
        }
        let Some(function) = self.all.runtime.function(&mut self.all.module, name) else {
            return Err(self.all.missing(self.key.0, name));
        };
        // The first argument says where to put a result of several parts, as for functions of the program.
        if layout::leaves(&call.result)?.len() > 1 {
            return self.call_function(result, call, Operand::Function(function), None);
        }
        let n_params = self.all.module.functions[function.index()].n_params as usize;
        // Functions of the printf family take the address of the arguments for `...`.
        if call.variadic && n_params == call.n_fixed + 1 && name != "syscall" {
            args.truncate(call.n_fixed);
            args.push(self.rest(&call.args[call.n_fixed..])?);
        }
        // Unneeded arguments of a system call may be omitted.
        if name == "syscall" {
            args.resize(args.len().max(n_params), Operand::Const(0));
        }
        if args.len() < n_params {
            return Err(GapKind::TooFewArguments.of(name));
        }
        let dst = match result {
            Some(_) => Some(self.dst(result)?),
            None => None,
        };
        self.code.push(Instr::Call { dst, function: Operand::Function(function), args });
        Ok(())
    }

    /// Calls a runtime function by its own name.
    pub(crate) fn call_runtime(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        args: Vec<Operand>,
    ) -> Result<(), Gap> {
        let function = self.all.runtime_function(name);
        let dst = match result {
            Some(_) => Some(self.dst(result)?),
            None => None,
        };
        self.code.push(Instr::Call { dst, function: Operand::Function(function), args });
        Ok(())
    }

    /// The result of a runtime function, by its own name.
    pub(crate) fn call_library(&mut self, name: &str, args: Vec<Operand>) -> Reg {
        let function = self.all.runtime_function(name);
        self.code.call(function, &args)
    }

    /// Functions that never return, and throws.
    fn failure(&mut self, result: Option<&Rc<str>>, name: &str, call: &Call) -> Result<Option<()>, Gap> {
        let text = |code: &Self, index: usize| {
            call.args.get(index).and_then(|arg| code.string(&arg.value.value)).unwrap_or_default()
        };
        match name {
            "__assert_fail" | "__assert_rtn" => {
                let condition = text(self, if name == "__assert_fail" { 0 } else { 3 });
                self.code.fail(Failure::Assertion(Assertion::Condition(condition)));
            }
            "__atropos_misuse" => self.code.fail(misuse([0, 1, 2].map(|index| text(self, index)))?),
            "abort" => self.code.fail(Failure::Abort(AbortCause::Call)),
            "__VERIFIER_error" | "reach_error" => {
                self.code.fail(Failure::Assertion(Assertion::Call(name.to_string())));
            }
            _ if self.throwing(result, name, call, &text(self, 0))? => {}
            _ if name.starts_with("_ZSt") && name.contains("__throw_") => {
                let exception = Exception { thrower: Some(name.to_string()), ..Exception::default() };
                self.code.fail(Failure::UncaughtException(exception));
            }
            "exit" | "_exit" | "_Exit" | "quick_exit" | "err" | "errx" | "verr" | "verrx" => {
                let runs_handlers = !matches!(name, "_exit" | "_Exit" | "quick_exit");
                if runs_handlers && self.all.runtime.has_thread_destructors() {
                    self.call_runtime(None, "run thread destructors", Vec::new())?;
                }
                if runs_handlers && self.all.runtime.has_exit_handlers() {
                    self.call_runtime(None, "run exit handlers", Vec::new())?;
                }
                if name == "quick_exit" && self.all.runtime.uses("at_quick_exit") {
                    self.call_runtime(None, "run quick exit handlers", Vec::new())?;
                }
                self.code.push(Instr::Halt);
            }
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn thread_function(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        args: &[Operand],
    ) -> Result<Option<()>, Gap> {
        match (name, args) {
            ("pthread_create", &[handle_at, attributes, function, argument]) => {
                let is_default = attributes == Operand::Const(0);
                if !is_default && self.all.runtime.uses("pthread_attr_setdetachstate") {
                    self.call_runtime(None, "detach next child if asked", vec![attributes])?;
                }
                self.spawn(handle_at, function, argument);
                self.assign(result, 0u64)?;
            }
            ("thrd_create", &[handle_at, function, argument]) => {
                self.spawn(handle_at, function, argument);
                self.assign(result, 0u64)?;
            }
            ("pthread_join", &[handle, value_at]) if !self.all.throwing.exceptions.unwinding.cancels => {
                self.join(handle, value_at, 8);
                self.assign(result, 0u64)?;
            }
            ("thrd_join", &[handle, value_at]) => {
                self.join(handle, value_at, 4);
                self.assign(result, 0u64)?;
            }
            ("pthread_exit" | "thrd_exit", &[value]) if self.all.throwing.exceptions.unwinding.ends => {
                self.call_runtime(None, "leave thread", vec![value])?;
            }
            ("pthread_exit" | "thrd_exit", &[value]) => {
                if self.all.runtime.has_thread_ends() {
                    self.call_runtime(None, "finish thread", Vec::new())?;
                }
                self.code.push(Instr::ExitThread { value: Some(value) });
            }
            ("pthread_mutex_lock", &[mutex]) if !self.all.runtime.has_kinds => {
                self.code.lock(mutex);
                self.assign(result, 0u64)?;
            }
            ("pthread_mutex_unlock", &[mutex]) if !self.all.runtime.has_kinds => {
                self.code.unlock(mutex);
                self.assign(result, 0u64)?;
            }
            ("pthread_spin_lock", &[spin]) => {
                self.code.push(Instr::Lock { mutex: spin, kind: LockKind::Spin });
                self.assign(result, 0u64)?;
            }
            ("pthread_spin_unlock", &[spin]) => {
                self.code.push(Instr::Unlock { mutex: spin, kind: LockKind::Spin });
                self.assign(result, 0u64)?;
            }
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn spawn(&mut self, handle_at: Operand, function: Operand, argument: Operand) {
        let handle = match self.all.runtime.has_thread_ends() || self.all.throwing.exceptions.any() {
            true => {
                let run = self.all.runtime_function("run thread");
                self.code.spawn(run, &[function, argument])
            }
            false => self.code.spawn(function, &[argument]),
        };
        self.code.store(WriteOrder::NotAtomic, 8, handle_at, handle);
    }

    fn join(&mut self, handle: Operand, value_at: Operand, size: u8) {
        if value_at == Operand::Const(0) {
            self.code.join(handle);
            return;
        }
        let value = self.code.fresh();
        self.code.push(Instr::Join { dst: Some(value), handle });
        let out = self.code.fresh_target();
        self.code.jump_unless(value_at, out);
        self.code.store(WriteOrder::NotAtomic, size, value_at, value);
        self.code.place(out);
    }

    fn common_function(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        args: &[Operand],
    ) -> Result<Option<()>, Gap> {
        match (name, args) {
            // This cannot fail; `heap.vm` has the other cases.
            ("malloc", &[size @ Operand::Const(0..=MOST_BYTES)])
                if !self.all.runtime.has_sizes && !self.all.options.malloc_may_fail =>
            {
                let dst = self.dst(result)?;
                let align = Operand::Const(0);
                self.code.push(Instr::Alloc { dst, size, align, kind: AllocKind::Heap, zeroed: false });
            }
            ("free", &[addr]) if !self.all.runtime.has_sizes => self.code.free(addr),
            ("memcpy" | "memmove", &[to, from, length]) => {
                self.code.push(Instr::Copy { to, from, length });
                self.assign(result, to)?;
            }
            ("memset", &[to, byte, length]) => {
                self.code.push(Instr::Fill { to, byte, length });
                self.assign(result, to)?;
            }
            ("__VERIFIER_assume", &[condition]) => self.code.assume(condition),
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    /// The text of a string constant. Up to clang 14, a constant expression leads to its first character.
    fn string(&self, value: &Value) -> Option<String> {
        let name = match value {
            Value::Global(name) => name,
            Value::Gep { args, .. } if args[1..].iter().all(|index| is_zero(&index.value)) => {
                return self.string(&args[0].value);
            }
            _ => return None,
        };
        let Symbol::Global(key) = self.all.program.resolve(self.key.0, name) else { return None };
        match self.all.program.global(&key).initialiser.as_ref()? {
            Value::Bytes(bytes) => {
                Some(String::from_utf8_lossy(bytes.strip_suffix(&[0]).unwrap_or(bytes)).into_owned())
            }
            _ => None,
        }
    }
}

fn is_zero(value: &Value) -> bool {
    matches!(value, Value::Zero | Value::Int(0))
}

/// A broken precondition, as the headers of the C++ library name it.
fn misuse([call, class, reason]: [String; 3]) -> Result<Failure, Gap> {
    let known = SyncClass::from_name(&class).zip(MisuseReason::from_name(&reason));
    let (class, reason) = known.ok_or_else(|| GapKind::UnknownMisuse.of(&call))?;
    Ok(Failure::Misuse(Misused { class, reason, object: None, call: Some(call) }))
}

#[cfg(test)]
mod tests {
    use super::misuse;
    use crate::headers::HEADERS;

    #[test]
    fn every_misuse_in_a_header_has_a_name() {
        let uses = HEADERS.iter().flat_map(|(_, text)| text.split("__atropos_misuse(\"").skip(1));
        let mut n_uses = 0;
        for words in uses {
            let (words, _) = words.split_once("\");").unwrap();
            let words: Vec<String> = words.split("\", \"").map(String::from).collect();
            let words: [String; 3] = words.try_into().unwrap();
            assert!(misuse(words.clone()).is_ok(), "{words:?}");
            n_uses += 1;
        }
        assert_eq!(n_uses, 12);
    }
}
