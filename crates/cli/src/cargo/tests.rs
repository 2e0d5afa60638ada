//! The tests of a package, one check each, and a summary like that of cargo's own tests.

use super::build::Target;
use super::check_of;
use crate::args::{CargoTestArgs, Color, PackageCheckArgs};
use crate::exit::Exit;
use crate::output;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Options of a check that make files, or print something else than a report.
const OF_ONE_TEST: [&str; 10] = [
    "report",
    "dot",
    "dump-graphs",
    "checkpoint",
    "replay",
    "step",
    "format",
    "print-executions",
    "estimate",
    "profile",
];

/// What became of the tests.
#[derive(Default)]
struct Tally {
    n_ok: usize,
    n_failed: usize,
    n_refused: usize,
    n_inconclusive: usize,
    n_ignored: usize,
    n_filtered: usize,
    /// The names of tests that were not verified, with what was said about them.
    said: Vec<(String, String)>,
}

/// Checks the tests that the options choose.
///
/// # Errors
/// If an option needs one test, and there are others; or a check cannot be started.
pub fn check(args: &CargoTestArgs, programs: &[Target]) -> Result<Exit> {
    let is_chosen = |name: &str| match &args.filter {
        Some(filter) if args.exact => name == filter,
        Some(filter) => name.contains(filter.as_str()),
        None => true,
    };
    if let Some(option) = OF_ONE_TEST.iter().find(|name| args.check.given.has(name)) {
        let tests = programs.iter().flat_map(|program| program.tests.iter().map(move |test| (program, test)));
        let chosen: Vec<_> =
            tests.filter(|(_, (name, ignored))| ignored.is_none() && is_chosen(name)).collect();
        let [(program, (name, _))] = chosen[..] else {
            bail!("--{option} concerns one test, and {} are chosen: name one, with --exact", chosen.len());
        };
        let status = check_of(&args.check, program, Some(name))?.status().context("cannot start a check")?;
        return Ok(Exit::of_process(status));
    }
    let mut all = Tally::default();
    let start = Instant::now();
    for program in programs {
        all.check_program(&args.check, program, &is_chosen)?;
    }
    all.finish(start)
}

impl Tally {
    fn check_program(
        &mut self,
        args: &PackageCheckArgs,
        program: &Target,
        is_chosen: &dyn Fn(&str) -> bool,
    ) -> Result<()> {
        let chosen: Vec<_> = program.tests.iter().filter(|(name, _)| is_chosen(name)).collect();
        self.n_filtered += program.tests.len() - chosen.len();
        let s = if chosen.len() == 1 { "" } else { "s" };
        output::print(&format!(
            "\nchecking {} test{s} of {} ({})\n",
            chosen.len(),
            program.name,
            program.source
        ))?;
        for (name, ignored) in chosen {
            output::print(&format!("test {name} ... "))?;
            let word = match ignored {
                Some(reason) => {
                    self.n_ignored += 1;
                    if reason.is_empty() { "ignored".to_string() } else { format!("ignored, {reason}") }
                }
                None => self.check_test(args, program, name)?,
            };
            output::print(&format!("{word}\n"))?;
        }
        Ok(())
    }

    /// Checks one test. Returns what became of it.
    fn check_test(&mut self, args: &PackageCheckArgs, program: &Target, name: &str) -> Result<String> {
        let mut command = check_of(args, program, Some(name))?;
        let report = report_file();
        command.arg("--report").arg(&report);
        if args.output.color == Color::Auto && output::stdout_is_terminal() {
            command.args(["--color", "always"]);
        }
        let output = command.output().context("cannot start a check")?;
        let object = std::fs::read(&report).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        // Without a verdict there may be none.
        let _ = std::fs::remove_file(&report);
        let executions = object.and_then(|object| object["executions"].as_u64());
        let exit = Exit::of_process(output.status);
        let (count, word) = match exit {
            Exit::Verified => (&mut self.n_ok, "ok"),
            Exit::Violation => (&mut self.n_failed, "FAILED"),
            Exit::Inconclusive => (&mut self.n_inconclusive, "inconclusive"),
            Exit::BadInput | Exit::Bug => (&mut self.n_refused, "refused"),
        };
        *count += 1;
        if exit != Exit::Verified {
            let said = [output.stderr, output.stdout].concat();
            self.said.push((name.to_string(), String::from_utf8_lossy(&said).into_owned()));
        }
        Ok(match executions.filter(|_| exit == Exit::Verified) {
            Some(1) => format!("{word} (1 execution)"),
            Some(n) => format!("{word} ({n} executions)"),
            None => word.to_string(),
        })
    }

    /// Says what was found.
    fn finish(self, start: Instant) -> Result<Exit> {
        let mut text = String::new();
        for (name, said) in &self.said {
            write!(text, "\n---- {name} ----\n{}\n", said.trim_end()).expect("writing to a string");
        }
        let word = if self.exit() == Exit::Verified { "ok" } else { "FAILED" };
        write!(
            text,
            "\ntest result: {word}. {} verified; {} failed; {} refused; {} inconclusive; {} ignored; {} filtered out; \
             finished in {:.2} s\n",
            self.n_ok,
            self.n_failed,
            self.n_refused,
            self.n_inconclusive,
            self.n_ignored,
            self.n_filtered,
            start.elapsed().as_secs_f64()
        )
        .expect("writing to a string");
        output::print(&text)?;
        Ok(self.exit())
    }

    fn exit(&self) -> Exit {
        match () {
            () if self.n_failed > 0 => Exit::Violation,
            () if self.n_refused > 0 => Exit::BadInput,
            () if self.n_inconclusive > 0 => Exit::Inconclusive,
            () => Exit::Verified,
        }
    }
}

fn report_file() -> PathBuf {
    std::env::temp_dir().join(format!("atropos-test-{}.json", std::process::id()))
}
