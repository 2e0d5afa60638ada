//! Ctrl-C: the first one makes the search stop and report, the second one kills the process.

use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The exit status that shells report for a process killed by Ctrl-C.
const KILLED: i32 = 130;

/// Handles Ctrl-C and requests to terminate.
///
/// # Errors
/// If the system refuses.
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
