//! The library calls that a thread is in, for reports. Nothing is recorded for this: the stack of a snapshot has it.

use crate::code::{CONST, FunctionCode, Index, Op};
use crate::run::VmRun;
use atropos_event::{Addr, LibraryCall, ThreadId};

impl VmRun<'_> {
    /// The runtime functions that `thread` is in, outermost first, each with its first argument; and the lock operation
    /// that it is about to perform. The runtime is the code without a source.
    pub(crate) fn runtime_calls(&self, thread: ThreadId) -> Vec<LibraryCall> {
        let (words, state) = self.words_of(thread);
        let (mut function, mut pc, mut frame) = (state.function, state.pc, state.frames.top as usize);
        let statement = u64::from(function) << 32 | u64::from(pc);
        let call = |name: &str, object: u64| LibraryCall {
            function: name.to_string(),
            object: Addr(object),
            statement,
        };
        let code = |function: u32| &self.vm.code.functions[function as usize];
        let mut calls = Vec::new();
        if let Some((name, mutex)) = lock_operation(code(function).ops[pc as usize]) {
            calls.push(call(name, value(code(function), &words[frame..], mutex)));
        }
        while frame > 0 && self.place_of(function, pc).source.is_none() {
            let name = &self.vm.module.functions[function as usize].name;
            let (link, bases) = (words[frame], words[frame + 1]);
            (function, pc, frame) = (link as u32, (link >> 32) as u32, (bases >> 32) as usize);
            if let Op::Call { args, n_args: 1.., .. } | Op::CallIndirect { args, n_args: 1.., .. } =
                code(function).ops[pc as usize]
            {
                let first = code(function).args[args as usize];
                calls.push(call(name, value(code(function), &words[frame..], first)));
            }
        }
        calls.reverse();
        calls
    }
}

fn lock_operation(op: Op) -> Option<(&'static str, Index)> {
    match op {
        Op::Lock { mutex, .. } => Some(("lock", mutex)),
        Op::TryLock { mutex, .. } => Some(("trylock", mutex)),
        Op::Unlock { mutex, .. } => Some(("unlock", mutex)),
        _ => None,
    }
}

/// An operand in the frame of a function.
fn value(code: &FunctionCode, frame: &[u64], index: Index) -> u64 {
    match index {
        CONST.. => code.consts[usize::from(index - CONST)],
        _ => frame[usize::from(index)],
    }
}
