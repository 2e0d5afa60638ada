//! The options of `atropos check` that concern a check on many machines.

use crate::flags::{Given, Settled};
use anyhow::{Result, bail};

/// The options that decide how a program is compiled. Workers of a check on many machines get the compiled program.
const FLAGS_OF_COMPILING: [&str; 9] = [
    "entry",
    "nondet",
    "volatile",
    "spurious-wakeups",
    "malloc-may-fail",
    "show-output",
    "clang",
    "library",
    "build",
];

/// The options that `serve` does not have, with the reason.
const NOT_FLAGS_OF_SERVE: [(&str, &str); 5] = [
    ("jobs", "is for `atropos work`: the server explores nothing itself"),
    ("checkpoint", "is for `atropos check`: --store keeps what was explored"),
    ("replay", "is for `atropos check`: a replay is of one execution"),
    ("print-executions", "is for `atropos check`: workers do not send their executions"),
    ("dump-graphs", "is for `atropos check`: workers do not send their executions"),
];

impl Given {
    /// The same for a check on many machines: whether it stops at the first violation also matters.
    pub fn settings_for_workers(&self, settled: &Settled) -> Vec<(String, String)> {
        let keeps_going = self.has("keep-going").then(|| ("--keep-going".to_string(), "given".to_string()));
        self.settings(settled).into_iter().chain(keeps_going).collect()
    }

    /// The options of a worker of a check on many machines, as words of a command line.
    pub fn words_for_workers(&self, settled: &Settled) -> Vec<String> {
        let mut words = Vec::new();
        for (name, values) in self.that_matter(settled) {
            if !FLAGS_OF_COMPILING.contains(&name) {
                words.push(format!("--{name}"));
                words.extend((!values.is_empty()).then(|| values.join(",")));
            }
        }
        words.extend(self.has("keep-going").then(|| "--keep-going".to_string()));
        words
    }

    /// Refuses an option that `serve` does not have.
    ///
    /// # Errors
    /// Names the option, and where it belongs.
    pub fn refuse_for_serve(&self) -> Result<()> {
        if self
            .written()
            .any(|(name, values)| name == "unroll" && values.iter().any(|value| value.contains('=')))
        {
            bail!("--unroll FILE:LINE=N is for `atropos check`: workers get the program without its lines");
        }
        match NOT_FLAGS_OF_SERVE.iter().find(|(name, _)| self.has(name)) {
            Some((name, reason)) => bail!("--{name} {reason}"),
            None => Ok(()),
        }
    }
}
