//! The source files that debug information names: their names, and where their text comes from.
//!
//! The crate does not read them; the caller provides the text.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The caller's source files.
pub struct SourceFiles<'r> {
    /// Files below this folder are named relative to it.
    pub folder: PathBuf,
    /// The text of a file, if it can be read.
    pub read: &'r dyn Fn(&str) -> Option<String>,
}

impl SourceFiles<'static> {
    /// No file has a text: reports show instructions instead of source lines.
    pub fn none() -> SourceFiles<'static> {
        SourceFiles { folder: PathBuf::new(), read: &|_| None }
    }
}

/// The lines of source files, each file read once.
pub(crate) struct SourceLines<'r> {
    files: &'r SourceFiles<'r>,
    lines: HashMap<String, Vec<String>>,
}

impl<'r> SourceLines<'r> {
    pub(crate) fn new(files: &'r SourceFiles<'r>) -> SourceLines<'r> {
        SourceLines { files, lines: HashMap::new() }
    }

    /// The name of a file in reports.
    pub(crate) fn name<'p>(&self, path: &'p str) -> &'p str {
        Path::new(path).strip_prefix(&self.files.folder).ok().and_then(Path::to_str).unwrap_or(path)
    }

    /// A line of a file, counted from 1, without the blanks around it; empty if it cannot be read.
    pub(crate) fn line(&mut self, file: &str, number: u32) -> String {
        if !self.lines.contains_key(file) {
            let text = (self.files.read)(file).unwrap_or_default();
            self.lines.insert(file.to_string(), text.lines().map(|line| line.trim().to_string()).collect());
        }
        let index = (number as usize).wrapping_sub(1);
        self.lines[file].get(index).cloned().unwrap_or_default()
    }
}
