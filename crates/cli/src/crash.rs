//! Bugs of Atropos: a panic says how to reproduce it and ends the process.

use crate::exit::Exit;
use crate::output::quoted_command;
use std::io::Write;

/// Makes a panic of any thread report itself and end the process. If the thread unwound instead, the other workers of a
/// parallel search would wait for it forever.
pub fn install_hook() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let literal = payload.downcast_ref::<&str>().copied();
        let message = payload.downcast_ref::<String>().map(String::as_str).or(literal).unwrap_or("panic");
        let place = panic.location().map(|place| format!(" ({place})")).unwrap_or_default();
        let report = format!(
            "\ninternal error: {message}{place}\n\
             This is a bug in Atropos {}, not in the program you check.\n\
             To reproduce it, run: {}\n",
            env!("CARGO_PKG_VERSION"),
            quoted_command(std::env::args()),
        );
        let _ = std::io::stderr().write_all(report.as_bytes());
        Exit::Bug.now()
    }));
}
