//! Calls, returns, and the first frame of a new thread.

use crate::code::{CONST, FRAME_HEADER, FunctionCode, Index, Op};
use crate::fault::Fault;
use crate::globals::function_at;
use crate::interp::Thread;
use crate::layout::align_up;

/// The limit for the words of one thread, which are copied at each event.
const WORD_LIMIT: usize = 1 << 22;

impl Thread<'_, '_> {
    /// Enters the function that the call at the program counter names.
    pub fn call(&mut self, op: Op) -> Result<(), Fault> {
        let (function, args, n_args) = match op {
            Op::Call { function, args, n_args, .. } => (function, args, n_args),
            Op::CallIndirect { pointer, args, n_args, .. } => {
                (self.callee(self.get(pointer), n_args)?, args, n_args)
            }
            _ => unreachable!("not a call: {op:?}"),
        };
        let callee = &self.vm.code.functions[function as usize];
        let top = self.words.len();
        let private_base = align_up(self.private_top(), callee.private.align);
        let too_deep = self.state.frames.depth >= self.vm.config.max_frames;
        if too_deep || top + callee.frame_size - self.start > WORD_LIMIT {
            return Err(Fault::TooDeep);
        }
        if private_base + callee.private.size > self.region().private_size().min(1 << 31) {
            return Err(Fault::OutOfPrivateMemory);
        }
        let (caller, base) = (self.function(), self.base());
        self.words.resize(top + callee.frame_size, 0);
        self.words[top] = u64::from(self.state.pc) << 32 | u64::from(self.state.function);
        self.words[top + 1] = u64::from(self.state.frames.top) << 32 | private_base;
        let n_args = usize::from(n_args).min(callee.n_params);
        for (nth, &arg) in caller.args[args as usize..][..n_args].iter().enumerate() {
            self.words[top + FRAME_HEADER + nth] = match arg {
                CONST.. => caller.consts[usize::from(arg - CONST)],
                _ => self.words[base + usize::from(arg)],
            };
        }
        self.state.frames.top = (top - self.start) as u32;
        self.state.function = function;
        self.state.pc = 0;
        self.state.frames.depth += 1;
        Ok(())
    }

    /// Returns to the caller, after its call.
    pub fn leave(&mut self, value: u64) {
        let base = self.base();
        let (link, bases) = (self.words[base], self.words[base + 1]);
        self.words.truncate(base);
        self.state.function = link as u32;
        self.state.frames.top = (bases >> 32) as u32;
        self.state.frames.depth -= 1;
        let pc = (link >> 32) as u32;
        if let Op::Call { dst, .. } | Op::CallIndirect { dst, .. } = self.function().ops[pc as usize] {
            self.set(dst, value);
        }
        self.state.pc = pc + 1;
    }
}

impl FunctionCode {
    /// The function and the arguments of the `Spawn` at `pc`, in a frame whose words are `frame`.
    pub fn spawned(&self, pc: u32, frame: &[u64], n_functions: usize) -> (u32, Vec<u64>) {
        let Op::Spawn { function, args, n_args, .. } = self.ops[pc as usize] else {
            unreachable!("not a spawn: {:?}", self.ops[pc as usize])
        };
        let value = |index: Index| match index {
            CONST.. => self.consts[usize::from(index - CONST)],
            _ => frame[usize::from(index)],
        };
        let function =
            function_at(value(function), n_functions).expect("checked before the label was issued");
        let args = &self.args[args as usize..][..usize::from(n_args)];
        (function, args.iter().map(|&arg| value(arg)).collect())
    }
}
