//! What to report, as written on the command line.

use super::one_of;
use crate::reports::ReportFile;
use clap::Args;
use std::path::PathBuf;

/// What to report.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// A report for people, one JSON object, or annotations for GitHub [default: human]
    ///
    /// github: the report for people, and a line for each violation that GitHub shows beside the source.
    #[arg(long, value_name = "human|json|github", hide_possible_values = true, default_value = "human")]
    #[arg(hide_default_value = true)]
    #[arg(value_parser = one_of(&[("human", Format::Human), ("json", Format::Json), ("github", Format::Github)]))]
    pub format: Format,

    /// Write a report to FILE, which may be .html .svg .dot .sarif .xml or .json
    ///
    /// html: a page to look at, complete in itself; svg: a picture of the first violating execution; dot: the same for
    /// Graphviz; sarif: SARIF 2.1.0; xml: JUnit; json: the object of --format json. The option may be given several times.
    #[arg(long, value_name = "FILE", value_parser = str::parse::<ReportFile>)]
    pub report: Vec<ReportFile>,

    /// With --replay: show the execution step by step
    ///
    /// Each step has its place in the source. On a terminal, Enter shows the next step, and q skips the rest.
    #[arg(long)]
    pub step: bool,

    /// Draw the first violating execution into FILE, for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// Write every complete execution to a file in DIR
    ///
    /// The files are 00001.graph and so on, at most 10000, in the form of --print-executions; with --verbose also those of
    /// blocked executions. Violating executions go to violation-1.graph and so on. Such files of an earlier check are
    /// removed first. --replay reads these files.
    #[arg(long, value_name = "DIR")]
    pub dump_graphs: Option<PathBuf>,

    /// Print every execution as text
    #[arg(long)]
    pub print_executions: bool,

    /// When to use colours [default: auto]
    #[arg(long, value_name = "auto|always|never", hide_possible_values = true, default_value = "auto")]
    #[arg(hide_default_value = true)]
    #[arg(value_parser = one_of(&[("auto", Color::Auto), ("always", Color::Always), ("never", Color::Never)]))]
    pub color: Color,

    /// Say more about the search; -vv logs what it does, -vvv every step
    ///
    /// The log goes to standard error. The variable ATROPOS_LOG selects its parts, as in `trust=trace,restart=debug`.
    #[arg(long, short, action = clap::ArgAction::Count)]
    pub verbose: u8,

    /// Before the search, estimate how many executions there are
    ///
    /// Atropos walks down trust's search at random, for up to two seconds, and says how far the estimate may be off. On a
    /// terminal, a search that takes long shows an estimate without this option. For rvf it is an upper bound, for wrc11 a
    /// lower one.
    #[arg(long)]
    pub estimate: bool,

    /// Before the search, estimate where its executions come from
    ///
    /// The same walks show which statements, variables and pairs of threads have several outcomes, and where threads stop
    /// before their end.
    #[arg(long)]
    pub profile: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Human,
    Json,
    Github,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    Auto,
    Always,
    Never,
}
