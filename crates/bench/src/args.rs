//! The command line.

use crate::rows::{Case, Model, UpTo};
use clap::Parser;
use std::path::PathBuf;

/// Runs the papers' synthetic programs and compares the numbers of executions with the printed ones.
///
/// The exit status is 1 if a count differs.
#[derive(Parser, Debug)]
#[command(name = "atropos-bench")]
pub struct Args {
    /// Only rows whose name has this in it, as in `fib(5)`, `casw(6) rc11 rf` or ` tso `
    #[arg(long, default_value = "")]
    pub filter: String,

    /// Workers per row
    #[arg(long, default_value_t = 1)]
    pub jobs: usize,

    /// Only rows of less than a second
    #[arg(long)]
    pub quick: bool,

    /// Write the document docs/benchmarks.md, or another file
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/benchmarks.md")]
    pub markdown: Option<PathBuf>,

    /// Time one program with 1, 2, 4, 8 and 16 workers; with --markdown as well as the table
    #[arg(long, value_names = ["FAMILY", "N"], num_args = 2)]
    pub scaling: Option<Vec<String>>,

    /// The model of --scaling
    #[arg(long, default_value = "rc11")]
    pub model: Model,

    /// The equivalence of --scaling
    #[arg(long, default_value = "co")]
    pub up_to: UpTo,

    /// Measure one case in this process and print its numbers
    #[arg(long, hide = true, num_args = 4, value_names = ["FAMILY", "N", "MODEL", "UP_TO"])]
    pub measure: Option<Vec<String>>,
}

impl Args {
    pub fn case_to_measure(&self) -> Option<Result<Case, String>> {
        let [family, parameter, model, up_to] = self.measure.as_deref()? else { return None };
        Some((|| case(family, parameter, model.parse()?, up_to.parse()?))())
    }

    pub fn case_to_scale(&self) -> Option<Result<Case, String>> {
        let [family, parameter] = self.scaling.as_deref()? else { return None };
        Some(case(family, parameter, self.model, self.up_to))
    }
}

fn case(family: &str, parameter: &str, model: Model, up_to: UpTo) -> Result<Case, String> {
    let parameter = parameter.parse().map_err(|_| format!("expected a number, found `{parameter}`"))?;
    Ok(Case { family: family.to_string(), parameter, model, up_to })
}
