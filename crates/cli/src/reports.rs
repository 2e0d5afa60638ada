//! The files of `--report`: the extension of a name says what is written.

use crate::output;
use anyhow::{Context, Result};
use atropos_event::Diagnostics;
use atropos_report::{Summary, dot, json, junit, page, sarif, svg};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A file to write, and in which format.
#[derive(Clone, Debug)]
pub struct ReportFile {
    path: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Page,
    Svg,
    Dot,
    Sarif,
    Junit,
    Json,
}

/// All extensions.
const KINDS: [(&str, Kind); 6] = [
    ("html", Kind::Page),
    ("svg", Kind::Svg),
    ("dot", Kind::Dot),
    ("sarif", Kind::Sarif),
    ("xml", Kind::Junit),
    ("json", Kind::Json),
];

/// The longest source file to put into a page.
const MOST_SOURCE: u64 = 1 << 20;

impl FromStr for ReportFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let found = KINDS.iter().find(|(known, _)| *known == extension);
        let Some(&(_, kind)) = found else {
            let known: Vec<String> = KINDS.iter().map(|(known, _)| format!(".{known}")).collect();
            return Err(format!("the name must end with one of {}", known.join(" ")));
        };
        Ok(ReportFile { path, kind })
    }
}

impl fmt::Display for ReportFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

/// A report as it will be written; `None` if there is nothing to draw.
pub struct WrittenReport {
    path: PathBuf,
    text: Option<String>,
}

impl ReportFile {
    /// The file of `--dot`, whatever its name.
    pub fn dot(path: PathBuf) -> ReportFile {
        ReportFile { path, kind: Kind::Dot }
    }

    /// Whether it shows an execution and nothing else.
    pub fn is_picture(&self) -> bool {
        matches!(self.kind, Kind::Svg | Kind::Dot)
    }

    /// The report of a check that has ended.
    pub fn render(&self, summary: &Summary) -> WrittenReport {
        let text = match self.kind {
            Kind::Page => Some(page::render(summary, &|file| source_text(Path::new(file)))),
            Kind::Svg => picture(summary, svg::render),
            Kind::Dot => picture(summary, dot::render),
            Kind::Sarif => Some(sarif::render(summary)),
            Kind::Junit => Some(junit::render(summary)),
            Kind::Json => Some(json::render(summary)),
        };
        WrittenReport { path: self.path.clone(), text }
    }

    /// Writes why an input cannot be checked, in the formats that can say it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_errors(&self, file: &str, errors: &Diagnostics) -> Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let text = match self.kind {
            Kind::Page | Kind::Svg | Kind::Dot => return Ok(()),
            Kind::Sarif => sarif::render_errors(version, errors),
            Kind::Junit => junit::render_errors(file, errors),
            Kind::Json => json::render_errors(version, file, errors),
        };
        WrittenReport { path: self.path.clone(), text: Some(text) }.write()
    }
}

impl WrittenReport {
    /// # Errors
    /// If the file cannot be written.
    pub fn write(self) -> Result<()> {
        let path = self.path.display();
        match self.text {
            Some(text) => std::fs::write(&self.path, text).with_context(|| format!("cannot write {path}")),
            None => {
                output::note(&format!("{path} is not written: there is no guilty execution to draw"));
                Ok(())
            }
        }
    }
}

/// The drawing of the first violating execution, if there is one.
fn picture(summary: &Summary, draw: fn(&atropos_report::Trace, &str) -> String) -> Option<String> {
    let (finding, trace) =
        summary.findings.iter().find_map(|finding| Some((finding, finding.trace.as_ref()?)))?;
    Some(draw(trace, &format!("{}: {}", finding.description.kind, finding.description.message)))
}

/// Quotes the calls of libraries in the executions of a summary.
pub fn quote_calls(summary: &mut Summary) {
    let mut files: HashMap<String, Vec<String>> = HashMap::new();
    let mut line = |file: &str, number: u32| {
        if !files.contains_key(file) {
            let text = source_text(Path::new(file)).unwrap_or_default();
            files.insert(file.to_string(), text.lines().map(String::from).collect());
        }
        files[file].get((number as usize).checked_sub(1)?).cloned()
    };
    summary.traces_mut().for_each(|trace| trace.quote_calls(&mut line));
}

fn source_text(path: &Path) -> Option<String> {
    let is_small = std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= MOST_SOURCE);
    let bytes = if is_small { std::fs::read(path).ok()? } else { return None };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
