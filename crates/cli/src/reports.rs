//! The files of `--report`: the extension of a name says what is written.

use crate::output;
use anyhow::{Context, Result};
use atropos_event::Diagnostics;
use atropos_report::{Format, Summary};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A file to write, and in which format.
#[derive(Clone, Debug)]
pub struct ReportFile {
    path: PathBuf,
    format: Format,
}

/// The longest source file to put into a page.
const MOST_SOURCE: u64 = 1 << 20;

impl FromStr for ReportFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let format = Format::of(&path)?;
        Ok(ReportFile { path, format })
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
        ReportFile { path, format: Format::Dot }
    }

    /// Whether it shows an execution and nothing else.
    pub fn is_picture(&self) -> bool {
        self.format.is_picture()
    }

    /// The report of a check that has ended.
    pub fn render(&self, summary: &Summary) -> WrittenReport {
        let text = self.format.render(summary, &|file| source_text(Path::new(file)));
        WrittenReport { path: self.path.clone(), text }
    }

    /// Writes why an input cannot be checked, in the formats that can say it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_errors(&self, file: &str, errors: &Diagnostics) -> Result<()> {
        match self.format.render_errors(env!("CARGO_PKG_VERSION"), file, errors) {
            Some(text) => WrittenReport { path: self.path.clone(), text: Some(text) }.write(),
            None => Ok(()),
        }
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
