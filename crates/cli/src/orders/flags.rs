//! The options of `atropos weaken` and `atropos repair`.

use crate::flags::Given;
use anyhow::{Result, bail};

/// The options of `check` that `weaken` and `repair` have, too; the others concern the report of one check.
pub const FLAGS_OF_ORDERS: [&str; 25] = [
    "model",
    "algorithm",
    "equivalence",
    "rvf-without",
    "mapping",
    "release-sequences",
    "no-race-detection",
    "reduce",
    "mixed-sizes",
    "unroll",
    "entry",
    "nondet",
    "spurious-wakeups",
    "malloc-may-fail",
    "clang",
    "library",
    "build",
    "no-cache",
    "volatile",
    "jobs",
    "max-executions",
    "timeout",
    "memory-limit",
    "format",
    "color",
];

/// The options that only `weaken` and `repair` have, and whether a repair has them, too.
pub const ORDER_FLAGS: [(&str, bool); 7] = [
    ("with", true),
    ("only", true),
    ("keep", true),
    ("all", true),
    ("from", false),
    ("patch", true),
    ("cache", true),
];

impl Given {
    /// Refuses an option that `weaken` or `repair` does not have.
    ///
    /// # Errors
    /// Names the option, and the command that has it.
    pub fn refuse_for_orders(&self, command: &str, is_repair: bool) -> Result<()> {
        for (name, values) in self.written() {
            if name == "format" && values.iter().any(|value| value == "github") {
                bail!("--format github is for `atropos check`, not for `atropos {command}`");
            }
            match ORDER_FLAGS.iter().find(|(known, _)| *known == name) {
                Some((_, false)) if is_repair => {
                    bail!("--{name} is for `atropos weaken`: a repair starts from the orders as written")
                }
                None if !FLAGS_OF_ORDERS.contains(&name) => {
                    bail!("--{name} is for `atropos check`, not for `atropos {command}`")
                }
                _ => {}
            }
        }
        Ok(())
    }
}
