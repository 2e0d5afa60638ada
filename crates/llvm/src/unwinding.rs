//! What leaves functions apart from exceptions: `longjmp`, and threads that end inside their functions.
//!
//! Such a thread leaves its functions one by one only if something must be done on the way: if the program cancels
//! threads, has handlers of `pthread_cleanup_push`, or has landing pads. Otherwise it ends at once.

use std::collections::HashSet;
use std::rc::Rc;

use crate::ast::{Block, Call, Op, Value};
use crate::program::{LinkedProgram, Symbol};

/// The types of what leaves functions, where exceptions have the number of their type.
pub(crate) const JUMP: u64 = -2i64 as u64;
pub(crate) const THREAD_END: u64 = -3i64 as u64;

const JUMPS: [&str; 4] = ["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];

/// Functions that return again when something jumps there.
const RETURNS_TWICE: [&str; 4] = ["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"];

/// The library functions at which a thread that was cancelled ends.
const CANCELLATION_POINTS: [&str; 17] = [
    "pthread_testcancel",
    "pthread_join",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "cnd_wait",
    "cnd_timedwait",
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
    "sem_wait",
    "sem_timedwait",
    "sem_clockwait",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "thrd_sleep",
    "poll",
];

#[derive(Default)]
pub(crate) struct Unwinding {
    pub jumps: bool,
    /// The program cancels threads.
    pub cancels: bool,
    /// Threads that end inside their functions leave them one by one.
    pub ends: bool,
}

impl Unwinding {
    pub(crate) fn of(program: &LinkedProgram, used: &HashSet<Rc<str>>) -> Unwinding {
        let cancels = used.contains("pthread_cancel");
        let has_landing_pads = || {
            let mut instrs =
                program.bodies.iter().flat_map(|(_, blocks)| blocks.iter().flat_map(|b| &b.instrs));
            instrs.any(|instr| matches!(instr.op, Op::LandingPad { .. }))
        };
        let exits = used.contains("pthread_exit") || used.contains("thrd_exit");
        let has_handlers = used.contains("__pthread_register_cancel");
        let jumps = JUMPS.iter().any(|name| used.contains(*name));
        Unwinding { jumps, cancels, ends: cancels || exits && (has_handlers || has_landing_pads()) }
    }

    /// Whether this library function may leave its caller.
    pub(crate) fn may_leave(&self, name: &str) -> bool {
        JUMPS.contains(&name)
            || self.ends && matches!(name, "pthread_exit" | "thrd_exit" | "__pthread_unwind_next")
            || self.cancels && CANCELLATION_POINTS.contains(&name)
    }
}

/// Whether a function that consists of `blocks` calls `setjmp`.
pub(crate) fn sets_jump(program: &LinkedProgram, module: usize, blocks: &[Block]) -> bool {
    blocks.iter().flat_map(|block| &block.instrs).any(|instr| match &instr.op {
        Op::Call(call) | Op::Invoke { call, .. } => is_set_jump(program, module, call),
        _ => false,
    })
}

fn is_set_jump(program: &LinkedProgram, module: usize, call: &Call) -> bool {
    let Value::Global(name) = &call.callee else { return false };
    matches!(program.resolve(module, name), Symbol::Missing(name) if returns_twice(&name))
}

pub(crate) fn returns_twice(name: &str) -> bool {
    RETURNS_TWICE.contains(&name)
}
