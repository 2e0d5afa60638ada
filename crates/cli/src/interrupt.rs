//! Ctrl-C: the first one asks the search to stop and to report, the second one kills.

use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a shell reports for a process that Ctrl-C has killed.
const KILLED: i32 = 130;

/// Takes over Ctrl-C, and requests to terminate.
///
/// # Errors
/// When the system refuses.
pub fn listen() -> Result<()> {
    let handler = || {
        if IS_INTERRUPTED.swap(true, SeqCst) {
            std::process::exit(KILLED);
        }
    };
    ctrlc::set_handler(handler).context("cannot take over Ctrl-C")
}

pub fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(SeqCst)
}
