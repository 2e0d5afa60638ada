//! Attempts to lock that fail and leave the thread where it was.
//!
//! A thread that needs two mutexes locks one, tries to lock the other, and if that fails unlocks the first and starts
//! over. Such an iteration changes nothing for good, but others can see that it holds a mutex: those that try to lock it.
//! If all of them do nothing but start over when they fail, no iteration in which an attempt fails is needed
//! [ALGORITHMS §L.1].
//!
//! That this is so is assumed, and tried out wherever a thread is about to try, whether or not it can fail there: it gets
//! the answer that the mutex is held, and must then unlock what it holds, and block because it is where it was. If it
//! does anything else, the search starts over, and locking counts as a change.

use atropos_event::{BlockReason, Label, Position, Step, ThreadId};

use crate::code::Op;
use crate::fault::Fault;
use crate::instr::Instr;
use crate::interp::Thread;
use crate::ir::{Function, Module, Operand};
use crate::run::VmRun;
use crate::vm::Vm;

/// Whether no operation but locking, trying to lock and unlocking sees whether a lock is held. A lock that is not a global
/// belongs to the thread library, where only trying to lock looks at it without waiting or failing. Whatever else names a
/// lock may access it, now or through a pointer later.
pub fn hides_locks(module: &Module) -> bool {
    let statements = || module.functions.iter().flat_map(|function| &function.body);
    let locks: Vec<Operand> = statements()
        .filter_map(|statement| match statement.instr {
            Instr::Lock { mutex: lock @ Operand::Global(_), .. }
            | Instr::TryLock { mutex: lock @ Operand::Global(_), .. } => Some(lock),
            _ => None,
        })
        .collect();
    let only_lock = only_lock(module);
    module
        .functions
        .iter()
        .all(|function| locks_only(function, &only_lock, |operand| locks.contains(&operand)))
}

/// For each function, whether it does nothing with its parameters but to lock or unlock them.
fn only_lock(module: &Module) -> Vec<bool> {
    let mut only_lock = vec![true; module.functions.len()];
    let keeps_to_it = |function: &Function, only_lock: &[bool]| {
        let is_param = |operand| matches!(operand, Operand::Reg(reg) if reg.0 < function.n_params);
        locks_only(function, only_lock, is_param)
    };
    loop {
        let others: Vec<usize> = (0..only_lock.len())
            .filter(|&index| only_lock[index] && !keeps_to_it(&module.functions[index], &only_lock))
            .collect();
        if others.is_empty() {
            return only_lock;
        }
        others.into_iter().for_each(|index| only_lock[index] = false);
    }
}

/// Whether a function does nothing with these operands, and with copies of them in registers, but to lock or unlock them,
/// and to compare them.
fn locks_only(function: &Function, only_lock: &[bool], is_lock: impl Fn(Operand) -> bool) -> bool {
    let mut copies = vec![false; function.registers.len()];
    loop {
        let n_copies = copies.iter().filter(|&&is_copy| is_copy).count();
        for statement in &function.body {
            let instr = &statement.instr;
            let is_copied = |operand: Operand| match operand {
                Operand::Reg(reg) => copies[reg.0 as usize] || is_lock(operand),
                _ => is_lock(operand),
            };
            let mut is_used = false;
            instr.visit_operands(&mut |operand| is_used |= is_copied(operand));
            if !is_used {
                continue;
            }
            match *instr {
                Instr::Lock { .. } | Instr::TryLock { .. } | Instr::Unlock { .. } | Instr::Compare { .. } => {
                }
                Instr::Call { function: Operand::Function(id), .. } if only_lock[id.index()] => {}
                Instr::Move { dst, .. } | Instr::Select { dst, .. } => copies[dst.0 as usize] = true,
                _ => return false,
            }
        }
        if copies.iter().filter(|&&is_copy| is_copy).count() == n_copies {
            return true;
        }
    }
}

impl Vm {
    /// From the next start on, locking counts as a change where threads try to lock.
    pub(crate) fn follow_tries(&self) {
        self.unchanged.learn(|known| known.tries_matter = true);
    }
}

impl Thread<'_, '_> {
    /// Whether threads that try to lock and fail are assumed to start over.
    pub fn tries_in_vain(&self) -> bool {
        self.vm.code.shows_locks_to_tries && !self.unchanged.tries_matter
    }
}

impl VmRun<'_> {
    /// If `thread`, whose steps end with the topmost snapshot, tries to lock there: tries out what it does if it fails.
    #[inline]
    pub(crate) fn try_in_vain(&mut self, thread: ThreadId) {
        if self.vm.code.shows_locks_to_tries && !self.unchanged.tries_matter {
            self.try_out(thread);
        }
    }

    fn try_out(&mut self, thread: ThreadId) {
        let top = self.snapshots.len() - 1;
        let Op::TryLock { kind, .. } = self.op_at(top) else { return };
        if !matches!(self.snapshots[top].step, Step::Do(Label::Read { .. })) {
            return;
        }
        let here = self.threads.position(thread);
        self.advance(thread, Position(top as u32), Some(kind.held()));
        let is_idle = loop {
            let last = self.snapshots.len() - 1;
            match self.snapshots[last].step {
                Step::Do(Label::Write { .. }) if matches!(self.op_at(last), Op::Unlock { .. }) => {}
                Step::Do(Label::Fence { .. }) => {}
                step => break matches!(step, Step::Blocked(BlockReason::Spin { .. })),
            }
            self.advance(thread, Position(last as u32), Some(0));
        };
        self.threads.stand_at(thread, here);
        self.truncate(Position(top as u32 + 1));
        if is_idle {
            self.vm.note_retry();
        } else {
            self.vm.follow_tries();
            self.snapshots[top].step = Step::Unsupported;
            self.faults.push((top as u32, Fault::TriesMatter));
        }
    }

    fn op_at(&self, position: usize) -> Op {
        let state = &self.snapshots[position].state;
        self.vm.code.functions[state.function as usize].ops[state.pc as usize]
    }
}
