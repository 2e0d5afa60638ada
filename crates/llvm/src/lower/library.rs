//! Library functions that are lowered where they are called: threads, locks and the heap, because they are
//! everywhere; failures, because their message is in the program; and what is refused.

use std::rc::Rc;

use atropos_event::{AllocKind, ViolationKind, WriteOrder};
use atropos_vm::{Instr, Operand};

use super::function::Code;
use crate::ast::{Call, Value};
use crate::program::Symbol;

impl Code<'_, '_> {
    pub fn library(&mut self, result: Option<&Rc<str>>, name: &str, call: &Call) -> Result<(), String> {
        if let Some(()) = self.failure(name, call)? {
            return Ok(());
        }
        let mut args = Vec::new();
        for arg in &call.args {
            args.push(self.operand(&arg.value)?);
        }
        if let Some(()) = self.thread_function(result, name, &args)? {
            return Ok(());
        }
        if let Some(()) = self.common_function(result, name, &args)? {
            return Ok(());
        }
        if let Some(()) = self.float_intrinsic(result, name, call, &args)? {
            return Ok(());
        }
        // Output of C++: `stream << value` is the stream.
        if ["_ZNSolsE", "_ZStls", "_ZNSo5flush", "_ZNSo3put"].iter().any(|prefix| name.starts_with(prefix)) {
            return self.assign(result, args[0]);
        }
        let Some(function) = self.all.runtime.function(name) else {
            return Err(self.all.missing(self.key.0, name));
        };
        let n_params = self.all.module.functions[function.index()].n_params as usize;
        if args.len() < n_params {
            return Err(format!("a call of `{name}` with too few arguments"));
        }
        let dst = match result {
            Some(_) => Some(self.dst(result)?),
            None => None,
        };
        self.code.push(Instr::Call { dst, function: Operand::Function(function), args });
        Ok(())
    }

    /// Functions that never return.
    fn failure(&mut self, name: &str, call: &Call) -> Result<Option<()>, String> {
        let text = |code: &Self, index: usize| {
            call.args.get(index).and_then(|arg| code.string(&arg.value.value)).unwrap_or_default()
        };
        match name {
            "__assert_fail" | "__assert_rtn" => {
                let condition = text(self, if name == "__assert_fail" { 0 } else { 3 });
                self.code.fail(ViolationKind::Assertion, &format!("assertion `{condition}` failed"));
            }
            "abort" => self.code.fail(ViolationKind::Abort, "abort() is called"),
            "__VERIFIER_error" | "reach_error" => {
                self.code.fail(ViolationKind::Assertion, &format!("{name}() is called"));
            }
            _ if name.starts_with("_ZSt") && name.contains("__throw_") => {
                let what = text(self, 0);
                let message = format!("the C++ library throws an exception ({name}) {what}");
                self.code.fail(ViolationKind::UncaughtException, message.trim_end());
            }
            _ if name.starts_with("__VERIFIER_nondet_") => {
                return Err(format!("{name}() may return any value; choosing one is not modelled yet"));
            }
            "exit" | "_exit" | "_Exit" | "quick_exit" => {
                let handlers = self.all.runtime.exit_handlers().filter(|_| name == "exit");
                if let Some(function) = handlers {
                    let function = Operand::Function(function);
                    self.code.push(Instr::Call { dst: None, function, args: Vec::new() });
                }
                self.code.push(Instr::ExitThread { value: None });
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
    ) -> Result<Option<()>, String> {
        match (name, args) {
            ("pthread_create", &[handle_at, _, function, argument]) => {
                self.spawn(handle_at, function, argument);
                self.assign(result, 0u64)?;
            }
            ("thrd_create", &[handle_at, function, argument]) => {
                self.spawn(handle_at, function, argument);
                self.assign(result, 0u64)?;
            }
            ("pthread_join", &[handle, value_at]) => {
                self.join(handle, value_at, 8);
                self.assign(result, 0u64)?;
            }
            ("thrd_join", &[handle, value_at]) => {
                self.join(handle, value_at, 4);
                self.assign(result, 0u64)?;
            }
            ("pthread_exit" | "thrd_exit", &[value]) => {
                if self.all.runtime.has_keys() {
                    let destructors =
                        self.all.runtime.function("run key destructors").expect("in pthread.vm");
                    let function = Operand::Function(destructors);
                    self.code.push(Instr::Call { dst: None, function, args: Vec::new() });
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
                self.code.lock(spin);
                self.assign(result, 0u64)?;
            }
            ("pthread_spin_unlock", &[spin]) => {
                self.code.unlock(spin);
                self.assign(result, 0u64)?;
            }
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn spawn(&mut self, handle_at: Operand, function: Operand, argument: Operand) {
        let handle = match self.all.runtime.has_keys() {
            true => {
                let run = self.all.runtime.function("run thread").expect("in pthread.vm");
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
    ) -> Result<Option<()>, String> {
        match (name, args) {
            ("malloc", &[size]) if !self.all.runtime.has_sizes => {
                let dst = self.dst(result)?;
                let align = Operand::Const(0);
                self.code.push(Instr::Alloc { dst, size, align, kind: AllocKind::Heap });
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

    /// The text of a string constant.
    fn string(&self, value: &Value) -> Option<String> {
        let Value::Global(name) = value else { return None };
        let Symbol::Global(key) = self.all.program.resolve(self.key.0, name) else { return None };
        match self.all.program.global(&key).initialiser.as_ref()? {
            Value::Bytes(bytes) => {
                Some(String::from_utf8_lossy(bytes.strip_suffix(&[0]).unwrap_or(bytes)).into_owned())
            }
            _ => None,
        }
    }
}
