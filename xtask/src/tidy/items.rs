//! Documents about the code: the files, types and functions that they name exist.
//!
//! Below a heading of ARCHITECTURE.md that names crates or folders, a bare file name means a file there.

use super::tree::{File, SourceTree, numbered};
use super::{TidyFinding, rust};

const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Words before a name that define it.
const DEFINITIONS: [&str; 11] =
    ["const", "enum", "fn", "macro_rules!", "mod", "pub", "static", "struct", "trait", "type", "union"];

/// Files and items in backticks that do not exist.
pub fn missing_items(tree: &SourceTree) -> Vec<TidyFinding> {
    let sources: Vec<Source<'_>> = tree.with_extension("rs").map(Source::of).collect();
    let mut findings = Vec::new();
    for file in DOCUMENTS.iter().filter_map(|path| tree.file(path)) {
        let mut folders = Vec::new();
        let mut is_sample = false;
        for (line, text) in numbered(&file.text) {
            let spans = || text.split('`').skip(1).step_by(2);
            is_sample ^= text.starts_with("```");
            if text.starts_with('#') {
                folders = spans().collect();
            } else if !is_sample {
                let is_missing = |code: &&str| !exists(code, tree, &sources, &folders);
                let finding =
                    |code| TidyFinding::error(&file.path, line, format!("the code has no `{code}`"));
                findings.extend(spans().filter(is_missing).map(finding));
            }
        }
    }
    findings
}

/// Whether `code` names a file or an item that exists, or neither.
fn exists(code: &str, tree: &SourceTree, sources: &[Source<'_>], folders: &[&str]) -> bool {
    if code.ends_with(".rs") && !code.contains('/') {
        let is_here = |file: &&File| folders.is_empty() || folders.iter().any(|it| file.path.contains(it));
        return tree.files.iter().filter(is_here).any(|file| file.path.ends_with(&format!("/{code}")));
    }
    let parts: Vec<&str> = code.trim_end_matches('!').split("::").collect();
    let is_name = |part: &&str| part.starts_with(char::is_alphabetic) && part.chars().all(is_word);
    let is_item = parts.len() > 1 || code.contains('_') || has_both_cases(code);
    let is_constant = !code.contains(|letter: char| letter.is_lowercase());
    if !is_item || is_constant || !parts.iter().all(is_name) {
        return true;
    }
    sources.iter().any(|source| source.defines(&parts))
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn has_both_cases(code: &str) -> bool {
    code.starts_with(char::is_uppercase) && code.contains(char::is_lowercase)
}

struct Source<'a> {
    path: &'a str,
    code: String,
}

impl<'a> Source<'a> {
    fn of(file: &'a File) -> Self {
        Source { path: &file.path, code: rust::halves(&file.text).code }
    }

    /// Whether the file defines the last of `path`, and the others are modules or crates that it is in or occur in it.
    fn defines(&self, path: &[&str]) -> bool {
        let Some((name, outer)) = path.split_last() else { return false };
        let is_outer = |part: &&str| {
            let module = part.strip_prefix("atropos_").unwrap_or(part);
            self.path.split(['/', '.']).any(|folder| folder == module) || self.words(part).next().is_some()
        };
        let is_module = self.path.split(['/', '.']).any(|folder| folder == *name);
        outer.iter().all(is_outer) && (is_module || self.words(name).any(is_definition))
    }

    /// The text before each place where the name occurs.
    fn words<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        self.code.match_indices(name).filter_map(move |(at, _)| {
            let (before, after) = (&self.code[..at], &self.code[at + name.len()..]);
            (!before.ends_with(is_word) && !after.starts_with(is_word)).then_some(before)
        })
    }
}

/// Whether a name after this text is defined there: after a keyword, or as a variant or a field on a line of its own.
fn is_definition(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    let last = line.rsplit([' ', ')']).next().unwrap_or_default();
    line.is_empty() || line.ends_with("pub(crate)") || DEFINITIONS.contains(&last)
}

#[cfg(test)]
mod tests {
    use super::super::say;
    use super::*;

    fn missing(text: &str) -> Vec<String> {
        let source = "pub struct Graph;\nimpl Graph {\n    pub fn add(&self) { self.gone(Shape::None) }\n}\n";
        let files = [("ARCHITECTURE.md", text), ("crates/graph/src/graph.rs", source)];
        say(missing_items, &files)
    }

    #[test]
    fn names_that_the_code_does_not_define_are_found() {
        assert!(
            missing("`Graph` `Graph::add` `graph::Graph` `atropos_graph::Graph` `po` `make test`").is_empty()
        );
        assert_eq!(missing("`Graph::gone`"), ["error: ARCHITECTURE.md:1: the code has no `Graph::gone`"]);
        assert_eq!(missing("`Shape`").len(), 1);
        assert_eq!(missing("`event::Graph`").len(), 1);
        assert_eq!(missing("`add_event`").len(), 1);
    }

    #[test]
    fn files_are_looked_for_below_the_heading() {
        assert!(missing("# `crates/graph`\n`graph.rs`").is_empty());
        assert_eq!(missing("# `crates/event`\n`graph.rs`").len(), 1);
        assert_eq!(missing("`gone.rs`").len(), 1);
    }

    #[test]
    fn samples_are_not_searched() {
        assert!(missing("```text\n`Gone`\n```").is_empty());
    }
}
