//! Which programs keep to what the oracle's language can express.

use atropos_testkit::oracle::runtime::{
    Call, Class, MutexKind, NOT_EXECUTED, Op, RuntimeProgram, RuntimeStmt,
};

/// Whether a program keeps to what the oracle's language can express.
///
/// The library may reuse the identifiers of keys, so only the main thread creates keys, once, before there are other
/// threads, and only created keys are used; a program without any key may use one. A mutex with a static initialiser
/// that is not all zeros is not initialised again. Where threads are cancelled, they are joined at most once and not
/// detached, and the main one is not joined: a wrong join is not noticed before the other thread ends. A thread that has been joined is not cancelled.
pub fn is_sane(program: &RuntimeProgram) -> bool {
    let is_key = |call: &Call| call.op.class() == Class::Key;
    let main = &program.threads[0].body;
    let first_thread = main.iter().position(|stmt| stmt.call.op == Op::Create).unwrap_or(main.len());
    let has_keys = program.calls().any(|call| call.op == Op::KeyCreate);
    for key in 0..2 {
        let create = main[..first_thread].iter().position(|stmt| {
            stmt.call.op == Op::KeyCreate && stmt.call.object == key && stmt.guard.is_none()
        });
        let n_creates = program.calls().filter(|call| call.op == Op::KeyCreate && call.object == key).count();
        let of_key = |call: &Call| is_key(call) && call.object == key;
        let first_use = main.iter().position(|stmt| of_key(&stmt.call));
        if n_creates > 1 || n_creates == 1 && (create.is_none() || first_use != create) {
            return false;
        }
        if has_keys && n_creates == 0 && program.calls().any(|call| of_key(&call)) {
            return false;
        }
    }
    let has_other = |call: &Call| call.op == Op::KeyCreate && call.argument == 3;
    if program.calls().any(|call| has_other(&call))
        && program.calls().filter(|call| call.op == Op::KeyCreate).count() < 2
    {
        return false;
    }
    if program.calls().any(|call| call.op == Op::Cancel) && !cancels_sanely(program) {
        return false;
    }
    let bad_init = |call: Call| call.op == Op::MutexInit && program.mutexes[call.object] != MutexKind::Normal;
    // A condition on a result that nothing can have.
    let is_idle = |stmt: &RuntimeStmt| stmt.guard.is_some_and(|(_, value)| value == NOT_EXECUTED);
    !program.calls().any(bad_init) && !program.threads.iter().flat_map(|thread| &thread.body).any(is_idle)
}

fn cancels_sanely(program: &RuntimeProgram) -> bool {
    let is_late_invalid = |call: Call| call.op == Op::SemTimedwait && call.argument != 0;
    let joins = |target: usize| move |call: &Call| call.op == Op::Join && call.object == target;
    let mut threads = 0..program.threads.len();
    let is_joined_well = |target: usize| {
        let joins_itself = program.threads[target].body.iter().any(|stmt| joins(target)(&stmt.call));
        !joins_itself
            && program.calls().filter(joins(0)).count() == 0
            && program.calls().filter(joins(target)).count() <= 1
    };
    !program.calls().any(is_late_invalid) && threads.all(is_joined_well)
}
