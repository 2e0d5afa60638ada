//! The log of the search, on standard error, one line per action.
//!
//! `ATROPOS_LOG` selects lines in the syntax of the `env_logger` crate: `debug`, `trust=trace,restart=debug`, `off`.
//! Without it, `-vv` selects the level `debug` and `-vvv` the level `trace`. The targets are the algorithms and
//! `restart`; see `atropos_explore::journal`. A name that is neither a target nor a level is an error, because it would
//! select nothing.

use anyhow::{Result, anyhow, bail};
use env_filter::{Builder, Filter};
use log::{LevelFilter, Log, Metadata, Record};
use std::io::Write;

/// The variable that selects lines.
const VARIABLE: &str = "ATROPOS_LOG";

/// What writes lines: the algorithms (both kinds of DPOR are one), replays, estimates, and what starts a search over.
const TARGETS: [&str; 8] = ["trust", "rcmc", "tracer", "dpor", "rvf", "replay", "probe", "restart"];

struct Logger {
    filter: Filter,
}

/// Starts the log if the environment, or else the number of `-v`, asks for one.
///
/// # Errors
/// If the environment holds no valid filter.
pub fn start(verbosity: u8) -> Result<()> {
    let mut builder = Builder::new();
    match std::env::var(VARIABLE) {
        Ok(text) => {
            builder.try_parse(&text).map_err(|error| anyhow!("{VARIABLE}={text}: {error}"))?;
            check_targets(&text)?;
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

/// Refuses a filter that names an unknown target. What follows `/` selects lines by their words.
fn check_targets(text: &str) -> Result<()> {
    let filters = text.split('/').next().unwrap_or_default().split(',').map(str::trim);
    for filter in filters.filter(|filter| !filter.is_empty()) {
        let (name, has_level) =
            filter.split_once('=').map_or((filter, false), |(name, _)| (name.trim(), true));
        let is_level = !has_level && name.parse::<LevelFilter>().is_ok();
        if !is_level && !TARGETS.contains(&name) {
            bail!(
                "{VARIABLE}={text}: `{name}` is no part of the log: write a level (off, error, warn, info, debug, trace), \
                 or one of {} and a level, as in trust=trace",
                TARGETS.join(", ")
            );
        }
    }
    Ok(())
}

/// Whether the log is on.
pub fn is_on() -> bool {
    log::max_level() > LevelFilter::Off
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.filter.enabled(metadata)
    }

    /// Level, target, the worker if there are several, and the message.
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
        // A closed pipe does not end the check.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    fn flush(&self) {}
}
