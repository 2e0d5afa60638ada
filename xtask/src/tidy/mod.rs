//! The rules of style and architecture that no compiler checks, as tests over the repository's text.
//!
//! A [`SourceTree`] is the repository in memory. Each rule is a function from it to [`TidyFinding`]s, in the file named after
//! its subject, with bad samples as tests. To add a rule, write such a function and name it in [`check`].

mod citations;
mod dependencies;
mod english;
mod files;
mod items;
mod markdown;
mod mutants;
mod names;
mod rust;
mod tree;
mod words;

pub use tree::SourceTree;

use std::fmt;

/// Something that breaks a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TidyFinding {
    level: Level,
    path: String,
    /// Counted from 1; 0 for the file as a whole.
    line: usize,
    message: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Error,
    Warning,
}

impl TidyFinding {
    fn error(path: &str, line: usize, message: impl Into<String>) -> Self {
        TidyFinding { level: Level::Error, path: path.into(), line, message: message.into() }
    }

    fn warning(path: &str, line: usize, message: impl Into<String>) -> Self {
        TidyFinding { level: Level::Warning, ..TidyFinding::error(path, line, message) }
    }

    pub fn is_error(&self) -> bool {
        self.level == Level::Error
    }
}

impl fmt::Display for TidyFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = if self.is_error() { "error" } else { "warning" };
        match self.line {
            0 => write!(f, "{level}: {}: {}", self.path, self.message),
            line => write!(f, "{level}: {}:{line}: {}", self.path, self.message),
        }
    }
}

/// All findings of all rules.
pub fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let rules = [
        files::headers,
        files::sizes,
        words::forbidden_words,
        words::printing_below_the_command_line,
        citations::unknown_keys,
        citations::missing_sections,
        citations::missing_documents,
        items::missing_items,
        markdown::broken_links,
        markdown::missing_paths,
        markdown::unmapped_crates,
        markdown::long_architecture,
        markdown::long_lines,
        english::odd_phrases,
        names::ambiguous_types,
        dependencies::forbidden_arrows,
        dependencies::oracle_on_its_own,
        mutants::stale_mutants,
    ];
    rules.iter().flat_map(|rule| rule(tree)).collect()
}

/// What `rule` reports for a repository of the given files, one line per finding.
#[cfg(test)]
fn say(rule: fn(&SourceTree) -> Vec<TidyFinding>, files: &[(&str, &str)]) -> Vec<String> {
    rule(&SourceTree::of(files)).iter().map(TidyFinding::to_string).collect()
}
