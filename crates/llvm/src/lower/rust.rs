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
use crate::layout;
use crate::program::{Key, LinkedProgram, Symbol};
use crate::rust_names;

/// The names with which `runtime/rust.vm` calls functions of the program, and their paths.
const CALLED: [(&str, &str); 8] = [
    ("format text", "core::fmt::write"),
    ("run destructors of locals", "std::sys::thread_local::guard::key::enable::run"),
    ("start of thread", "std::sys::thread::unix::Thread::new::thread_start"),
    ("handle of this thread", "std::thread::current::current"),
    ("panic with value", "__rustc::rust_panic"),
    ("free with allocator", "__rustc::__rust_dealloc"),
    ("new thread handle", "std::thread::thread::Thread::new"),
    ("call once", "std::sys::sync::once::futex::Once::call"),
];

/// The same for an instance of a generic function: parts of its mangled name.
const CALLED_INSTANCE: (&str, [&str; 2]) =
    ("panic with message", ["26___rust_end_short_backtrace", "9panicking13panic_handler0"]);

/// The functions that wait for a lock after the first try.
const CONTENDED: [&str; 2] = [
    "std::sys::sync::mutex::futex::Mutex::lock_contended",
    "std::sys::sync::rwlock::futex::RwLock::write_contended",
];

/// The first try. One that may fail for no reason does not, because waiting follows anyway.
const COMPARE_EXCHANGE: [&str; 2] =
    ["core::sync::atomic::atomic_compare_exchange", "core::sync::atomic::atomic_compare_exchange_weak"];

const LOAD: &str = "core::sync::atomic::atomic_load";

/// The functions whose counts of owners are all those of thread handles, which no program can see.
const COUNT_HANDLES: [&str; 9] = [
    "std::sys::thread::unix::Thread::new::thread_start",
    "std::sys::thread_local::guard::key::enable::run",
    "std::thread::current::current",
    "std::thread::current::current_or_unnamed",
    "std::thread::current::init_current",
    "std::sync::mpmc::context::Context::new",
    "core::ptr::drop_in_place::<alloc::boxed::Box<std::thread::lifecycle::ThreadInit>>",
    "core::ptr::drop_in_place::<std::thread::lifecycle::ThreadInit>",
    "core::ptr::drop_in_place::<std::thread::thread::Thread>",
];

/// The functions that look whether something is done before they call the one that does it once, which looks again.
const LOOK_FIRST: [&str; 4] = [
    "std::sync::once::Once::call_once",
    "std::sync::once::Once::call_once_force",
    "std::sync::once_lock::OnceLock::get_or_try_init",
    "std::sync::lazy_lock::LazyLock::force",
];

/// What is not done yet.
const NOT_DONE: u64 = 3;

const SCOPE: &str = "std::thread::scoped::scope";

/// The functions that drop a handle to join, and the models that do it later, if the result of the thread has a type
/// whose destructor no program can see.
const DROP_HANDLE: [(&str, &str); 2] = [
    ("core::ptr::drop_in_place::<std::thread::join_handle::JoinHandle<", "drop handle to join"),
    ("core::ptr::drop_in_place::<std::thread::scoped::ScopedJoinHandle<", "drop scoped handle to join"),
];

/// How channels with buffers wait: they register with the threads that wake them, look again, and park. After that they try
/// once more, so trying again and again is the same, and less to do.
const WAIT_FOR_CHANNEL: [&str; 2] = [
    "<std::sync::mpmc::context::Context>::with::<<std::sync::mpmc::list::Channel<",
    "<std::sync::mpmc::context::Context>::with::<<std::sync::mpmc::array::Channel<",
];

/// What makes a channel without a limit, and its blocks: the names before and after the type of the messages.
const MAKE_CHANNEL: [&str; 2] =
    ["<alloc::boxed::Box<std::sync::mpmc::counter::Counter<std::sync::mpmc::list::Channel<", ">>>>::new"];
const MAKE_BLOCK: [&str; 2] = ["<alloc::boxed::Box<std::sync::mpmc::list::Block<", ">>>::new_zeroed_in"];

const START_TO_SEND: &str = "std::sync::mpmc::list::Channel::start_send";

/// Whether a function only waits until it is worthwhile to try again.
fn only_waits(name: &str) -> bool {
    let is_wait = |full: String| WAIT_FOR_CHANNEL.iter().any(|start| full.starts_with(start));
    name.contains("7Context4with") && rust_names::full(name).is_some_and(is_wait)
}

/// The words in the names of types whose destructors at most free memory.
const PLAIN_TYPES: [&str; 37] = [
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "bool",
    "char",
    "str",
    "alloc",
    "boxed",
    "Box",
    "string",
    "String",
    "vec",
    "Vec",
    "core",
    "option",
    "Option",
    "result",
    "Result",
    "std",
    "sync",
    "mpsc",
    "SendError",
    "RecvError",
    "thread",
    "id",
    "ThreadId",
];

/// What a function of the library has to do with what no program can see.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unseen {
    /// It counts the owners of thread handles.
    HandleCounts,
    /// Its first look at something that is done once.
    FirstLook,
    /// It waits for the threads of a scope.
    ScopeEnd,
}

/// The part of a function's work that no program can see, if it is a function of the library with such a part.
pub(crate) fn unseen(name: &str) -> Option<Unseen> {
    let full = rust_names::full(name)?;
    let path = rust_names::plain(&full);
    let is_one_of = |names: &[&str]| names.contains(&&*full) || names.contains(&&*path);
    match () {
        () if is_one_of(&COUNT_HANDLES) => Some(Unseen::HandleCounts),
        () if is_one_of(&LOOK_FIRST) => Some(Unseen::FirstLook),
        () if is_one_of(&[SCOPE]) => Some(Unseen::ScopeEnd),
        () => None,
    }
}

/// The model that drops a handle to join in place of the function with this name, if there is one.
fn drops_handle(name: &str) -> Option<&'static str> {
    if !name.contains("JoinHandle") {
        return None;
    }
    let full = rust_names::full(name)?;
    let (start, model) = DROP_HANDLE.iter().find(|(start, _)| full.starts_with(start))?;
    let mut words = full[start.len()..].split(|c: char| !c.is_alphanumeric() && c != '_');
    words.all(|word| word.is_empty() || PLAIN_TYPES.contains(&word)).then_some(model)
}

/// The functions that models may call, each with the name that it has there.
pub(crate) fn called(program: &LinkedProgram) -> Vec<(&'static str, Symbol)> {
    let found = CALLED.iter().map(|&(name, path)| (name, program.definition_with_path(path)));
    let (name, parts) = CALLED_INSTANCE;
    let instance = (name, program.definition_with_name(|name| parts.iter().all(|part| name.contains(part))));
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

    /// A call of the library that no program can see, or the part of it that can be seen. Returns whether it is one.
    pub(crate) fn unseen_call(
        &mut self,
        result: Option<&Rc<str>>,
        call: &Call,
        key: &Key,
    ) -> Result<bool, Gap> {
        if let (Some(model), [joined]) = (drops_handle(&key.1), &call.args[..]) {
            let joined = self.operand(&joined.value)?;
            let drop = Operand::Function(self.all.functions[key]);
            return self.call_runtime(None, model, vec![joined, drop]).map(|()| true);
        }
        if only_waits(&key.1) {
            return Ok(true);
        }
        if key.1.contains("start_send") && rust_names::path(&key.1).as_deref() == Some(START_TO_SEND) {
            let args: Result<Vec<Operand>, Gap> =
                call.args.iter().map(|arg| self.operand(&arg.value)).collect();
            let original = Operand::Function(self.all.functions[key]);
            let args = args?.into_iter().chain([original]).collect();
            return self.call_runtime(result, "start to send", args).map(|()| true);
        }
        let Some(unseen) = self.locals.unseen else { return Ok(false) };
        if !key.1.contains("atomic_load") || rust_names::path(&key.1).as_deref() != Some(LOAD) {
            return Ok(false);
        }
        let size = layout::size_of(&call.result)?;
        match (unseen, &call.args[..]) {
            (Unseen::FirstLook, _) if size == 4 => self.assign(result, NOT_DONE).map(|()| true),
            (Unseen::ScopeEnd, [counter, ..]) if size == 8 => {
                let counter = self.operand(&counter.value)?;
                self.call_runtime(result, "end of scope", vec![counter]).map(|()| true)
            }
            _ => Ok(false),
        }
    }

    /// Gives a new channel its first block, which its first senders would make otherwise.
    pub(crate) fn give_first_block(&mut self, result: Option<&Rc<str>>, key: &Key) -> Result<(), Gap> {
        if !key.1.contains("4mpmc7counter7Counter") {
            return Ok(());
        }
        let full = rust_names::full(&key.1);
        let message = full.as_deref().and_then(|full| {
            let [start, end] = MAKE_CHANNEL;
            full.strip_prefix(start)?.strip_suffix(end)
        });
        let Some(message) = message else { return Ok(()) };
        let wanted = format!("{}{message}{}", MAKE_BLOCK[0], MAKE_BLOCK[1]);
        let is_wanted = |name: &str| {
            name.contains("new_zeroed_in") && rust_names::full(name).as_deref() == Some(&*wanted)
        };
        let Some(Symbol::Function(make)) = self.all.program.definition_with_name(is_wanted) else {
            return Ok(());
        };
        // A program that never sends does not have it.
        let Some(&make) = self.all.functions.get(&make) else { return Ok(()) };
        let channel = self.dst(result)?;
        let block = self.code.call(make, &[]);
        self.call_runtime(None, "give first block", vec![channel.into(), block.into()])
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
            || !rust_names::path(&key.1).is_some_and(|path| COMPARE_EXCHANGE.contains(&&*path))
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
