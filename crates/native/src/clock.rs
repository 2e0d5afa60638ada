//! Clocks. A model repeats its executions, so the time of day must not matter. Inside of a model, all clocks start at the
//! same moment, and time passes when a thread looks at one: at first microseconds, then ever more, so that a loop that
//! waits for a moment ends soon, however far away that is.
//!
//! The standard library asks the system with the C function below, and the linker takes this one.

use crate::context::{is_inside, with};

/// In seconds.
const START: u64 = 1 << 30;
/// In microseconds, when a thread looks for the first time.
const PACE: u64 = 20;

/// The time, as the function of POSIX.
///
/// # Safety
/// `time` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> libc::c_int {
    if !is_inside() {
        // SAFETY: the caller's promise.
        return unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) as libc::c_int };
    }
    let n_looks = with(|context| {
        let thread = context.running();
        // A loop that waits for a moment does not wait forever.
        thread.idle.clear();
        thread.library.n_looks += 1;
        thread.library.n_looks
    });
    let passed = PACE * n_looks * n_looks;
    let now = libc::timespec {
        tv_sec: (START + passed / 1_000_000) as libc::time_t,
        tv_nsec: (passed % 1_000_000 * 1_000) as libc::c_long,
    };
    // SAFETY: the caller's promise.
    unsafe { time.write(now) };
    0
}
