//! Rust's standard library, where a model under the path of a function is not enough.
//!
//! Models call functions of the library itself. And the library tries to take a lock with a compare-and-swap before it
//! calls the function that waits: both together are one step here, which waits until the lock is free.

use std::collections::HashSet;
use std::rc::Rc;

use atropos_event::{Gap, ReadOrder, WriteOrder};
use atropos_vm::instr::{AwaitReason, CasOrders};
use atropos_vm::{FunctionBuilder, Instr, Operand, Reg};

use super::Lowering;
use super::function::Code;
use crate::ast::{Block, Call, Op, Value};
use crate::program::{Key, LinkedProgram, Symbol};
use crate::rust_names;

/// The names with which `runtime/rust.vm` calls functions of the program, and their paths.
const CALLED: [(&str, &str); 6] = [
    ("format text", "core::fmt::write"),
    ("run destructors of locals", "std::sys::thread_local::guard::key::enable::run"),
    ("start of thread", "std::sys::thread::unix::Thread::new::thread_start"),
    ("handle of this thread", "std::thread::current::current"),
    ("panic with value", "__rustc::rust_panic"),
    ("free with allocator", "__rustc::__rust_dealloc"),
];

/// The same for an instance of a generic function: parts of its mangled name.
const CALLED_INSTANCE: (&str, [&str; 2]) =
    ("panic with message", ["26___rust_end_short_backtrace", "9panicking13panic_handler0"]);

/// The functions that wait for a lock after the first try.
const CONTENDED: [&str; 2] = [
    "std::sys::sync::mutex::futex::Mutex::lock_contended",
    "std::sys::sync::rwlock::futex::RwLock::write_contended",
];

const COMPARE_EXCHANGE: &str = "core::sync::atomic::atomic_compare_exchange";

/// The functions that models may call, each with the name that it has there.
pub(crate) fn called(program: &LinkedProgram) -> Vec<(&'static str, Symbol)> {
    let found = CALLED.iter().map(|&(name, path)| (name, program.function_with_path(path)));
    let (name, parts) = CALLED_INSTANCE;
    let instance = (name, program.function_with_name(|name| parts.iter().all(|part| name.contains(part))));
    found.chain([instance]).filter_map(|(name, symbol)| Some((name, symbol?))).collect()
}

/// The pointers to locks that a function may have to wait for.
pub(crate) fn contended(program: &LinkedProgram, key: &Key, blocks: &[Block]) -> HashSet<Rc<str>> {
    let calls = blocks.iter().flat_map(|block| &block.instrs).filter_map(|instr| match &instr.op {
        Op::Call(call) | Op::Invoke { call, .. } => Some(call),
        _ => None,
    });
    let pointer = |call: &Call| {
        let Value::Global(name) = &call.callee else { return None };
        let Symbol::Missing(name) = program.resolve(key.0, name) else { return None };
        match &call.args.first()?.value.value {
            Value::Local(pointer) if CONTENDED.contains(&&*name) => Some(pointer.clone()),
            _ => None,
        }
    };
    calls.filter_map(pointer).collect()
}

impl Lowering<'_> {
    /// Makes the library's functions with these names call those of the program.
    pub(crate) fn define_called(&mut self, called: &[(&'static str, Symbol)]) {
        for (name, symbol) in called {
            let Symbol::Function(key) = symbol else { continue };
            let id = self.runtime_function(name);
            let n_params = self.program.function(key).ty.params.len();
            let mut code = FunctionBuilder::new(name);
            let args: Vec<Operand> = (0..n_params).map(|nth| code.param(&format!("p{nth}")).into()).collect();
            let result = code.call(self.functions[key], &args);
            code.push(Instr::Return { value: Some(result.into()) });
            self.module.functions[id.index()] = code.finish();
        }
    }
}

impl Code<'_, '_> {
    /// Waits until a compare-and-swap at `ptr` succeeds, if it takes a lock.
    pub(crate) fn await_lock(&mut self, ptr: &Value, success: Reg) {
        if matches!(ptr, Value::Local(name) if self.locals.contended.contains(name)) {
            let condition = Operand::Reg(success);
            self.code.push(Instr::Await { condition, reason: AwaitReason::Lock, reads: 1 });
        }
    }

    /// A call that tries to take a lock which the function waits for otherwise. Returns whether it is one.
    pub(crate) fn take_lock(
        &mut self,
        result: Option<&Rc<str>>,
        call: &Call,
        key: &Key,
    ) -> Result<bool, Gap> {
        let Some(Value::Local(name)) = call.args.first().map(|arg| &arg.value.value) else {
            return Ok(false);
        };
        if !self.locals.contended.contains(name)
            || rust_names::path(&key.1).as_deref() != Some(COMPARE_EXCHANGE)
        {
            return Ok(false);
        }
        let ([tag, value], [lock, expected, desired, ..]) = (&self.dsts(result)[..], &call.args[..]) else {
            return Ok(false);
        };
        let (tag, value) = (*tag, *value);
        let pointer = lock.value.value.clone();
        let addr = self.operand(&lock.value)?;
        let (expected, desired) = (self.operand(&expected.value)?, self.operand(&desired.value)?);
        let success = self.code.fresh();
        let orders =
            CasOrders { read: ReadOrder::Acquire, write: WriteOrder::Relaxed, failure: ReadOrder::Relaxed };
        self.code.push(Instr::Cas {
            old: None,
            success: Some(success),
            size: 4,
            orders,
            addr,
            expected,
            desired,
        });
        self.await_lock(&pointer, success);
        self.code.assign(tag, 0u64);
        self.code.assign(value, expected);
        Ok(true)
    }
}
