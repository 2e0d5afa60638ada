//! The log, on standard error: one line for each thing that the search does.
//!
//! `ATROPOS_LOG` says which lines are written, in the language of the `env_logger` crate: `debug`,
//! `trust=trace,restart=debug`, `off`. Without it, `-vv` writes the level `debug` and `-vvv` the level `trace`. Targets
//! are the algorithms and `restart`: see `atropos_explore::journal`.

use anyhow::{Result, anyhow};
use env_filter::{Builder, Filter};
use log::{LevelFilter, Log, Metadata, Record};
use std::io::Write;

/// The variable that says what is logged.
const VARIABLE: &str = "ATROPOS_LOG";

struct Logger {
    filter: Filter,
}

/// Starts the log, if one is asked for: by the environment, or else by that many `-v`.
///
/// # Errors
/// When the environment asks for something that is no filter.
pub fn start(verbosity: u8) -> Result<()> {
    let mut builder = Builder::new();
    match std::env::var(VARIABLE) {
        Ok(text) => {
            builder.try_parse(&text).map_err(|error| anyhow!("{VARIABLE}={text}: {error}"))?;
        }
        Err(_) => {
            let level = match verbosity {
                0 | 1 => LevelFilter::Off,
                2 => LevelFilter::Debug,
                _ => LevelFilter::Trace,
            };
            builder.filter_level(level);
        }
    }
    let filter = builder.build();
    log::set_max_level(filter.filter());
    log::set_boxed_logger(Box::new(Logger { filter })).expect("the log is started once");
    Ok(())
}

/// Whether any line may be written.
pub fn is_on() -> bool {
    log::max_level() > LevelFilter::Off
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.filter.enabled(metadata)
    }

    /// Level, target, the worker if there are several, and the line.
    fn log(&self, record: &Record<'_>) {
        if !self.filter.matches(record) {
            return;
        }
        let current = std::thread::current();
        let worker = current.name().filter(|name| name.starts_with("worker"));
        let worker = worker.map_or_else(String::new, |name| format!(" {name}"));
        let line = format!(
            "{} {}{worker}: {}\n",
            record.level().as_str().to_lowercase(),
            record.target(),
            record.args()
        );
        // A reader that has gone away does not end the check.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    fn flush(&self) {}
}
