//! Documents: links lead somewhere, paths exist, the map shows every crate, and lines fit on a screen.

use super::TidyFinding;
use super::tree::{File, SourceTree, numbered, without_code};

const ARCHITECTURE: &str = "ARCHITECTURE.md";
const ARCHITECTURE_LIMIT: usize = 300;

/// Columns of a line that is neither a row of a table nor mostly a link.
const WIDTH: usize = 120;

/// Folders at the root: what starts with one of them in backticks is a path of the repository.
const ROOTS: [&str; 8] =
    ["crates/", "models/", "docs/", "xtask/", "examples/", "corpus/", "benchmarks/", ".ci/"];

/// `[text](target)` with a relative target leads to a file or folder; `#heading` behind it to a heading.
pub fn broken_links(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in tree.with_extension("md") {
        for (line, text) in prose(file) {
            for target in link_targets(&without_code(text)) {
                if let Some(message) = broken(tree, file, &target) {
                    findings.push(TidyFinding::error(&file.path, line, message));
                }
            }
        }
    }
    findings
}

fn broken(tree: &SourceTree, file: &File, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() { Some(file.path.clone()) } else { resolve(file.folder(), path) };
    let Some(path) = path.filter(|path| tree.exists(path)) else {
        return Some(format!("the link `{target}` leads nowhere"));
    };
    let is_document = path.ends_with(".md") && !heading.is_empty();
    let has_heading = || {
        let linked = tree.file(&path)?;
        prose(linked).iter().any(|(_, line)| line.starts_with('#') && anchor(line) == heading).then_some(())
    };
    (is_document && has_heading().is_none()).then(|| format!("`{path}` has no heading `#{heading}`"))
}

/// The anchor of a heading line, as code hosts make it.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// `path` as seen from `folder`; `None` when it leaves the repository.
fn resolve(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Paths in backticks exist: those that start at the root, and others such as `trust/task.rs` as the end of
/// some path. Stars and words in capitals (`models/NAME.cat`) stand for anything.
pub fn missing_paths(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in tree.with_extension("md") {
        for (line, text) in prose(file) {
            for path in text.split('`').skip(1).step_by(2).filter(|code| is_path(code)) {
                let is_end =
                    |other: &File| other.path.strip_suffix(path).is_some_and(|rest| rest.ends_with('/'));
                if !tree.exists(path) && !tree.files.iter().any(is_end) {
                    findings.push(TidyFinding::error(&file.path, line, format!("there is no `{path}`")));
                }
            }
        }
    }
    findings
}

fn is_path(code: &str) -> bool {
    let is_plain = code.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./".contains(letter));
    let is_source =
        code.contains('/') && (code.ends_with(".rs") || code.ends_with(".cat") || code.ends_with(".md"));
    let is_pattern = code.split(['/', '.']).any(|part| part == "NAME");
    is_plain && !is_pattern && (is_source || ROOTS.iter().any(|root| code.starts_with(root)))
}

/// The map in ARCHITECTURE.md names every crate.
pub fn unmapped_crates(tree: &SourceTree) -> Vec<TidyFinding> {
    let map = tree.file(ARCHITECTURE).map_or("", |file| &file.text);
    let is_missing = |name: &&str| !map.contains(&format!("`crates/{name}`"));
    let finding =
        |name| TidyFinding::error(ARCHITECTURE, 0, format!("the map does not show `crates/{name}`"));
    tree.crates().into_iter().filter(is_missing).map(finding).collect()
}

/// The map stays short enough to be read.
pub fn long_architecture(tree: &SourceTree) -> Vec<TidyFinding> {
    let n_lines = tree.file(ARCHITECTURE).map_or(0, |file| file.text.lines().count());
    let message = format!("{n_lines} lines; it is read in one go, so keep it under {ARCHITECTURE_LIMIT}");
    let is_long = n_lines >= ARCHITECTURE_LIMIT;
    is_long.then(|| TidyFinding::error(ARCHITECTURE, 0, message)).into_iter().collect()
}

/// Lines fit on a screen.
pub fn long_lines(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in tree.with_extension("md") {
        for (line, text) in numbered(&file.text) {
            let width = text.chars().count();
            if width > WIDTH && !text.starts_with('|') && !text.contains("://") {
                findings.push(TidyFinding::error(&file.path, line, format!("{width} columns, over {WIDTH}")));
            }
        }
    }
    findings
}

/// The lines outside of fenced code.
fn prose(file: &File) -> Vec<(usize, &str)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for (line, text) in numbered(&file.text) {
        if text.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push((line, text));
        }
    }
    lines
}

fn link_targets(line: &str) -> Vec<String> {
    let behind = line.split("](").skip(1);
    behind.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::say;
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let text = "[a](../README.md) [b](gone.md) [c](https://x.y) [d](#two-words) [e](#three) [f](../../x)\n# Two words!\n";
        let said = say(broken_links, &[("README.md", ""), ("docs/a.md", text)]);
        let expected = [
            "error: docs/a.md:1: the link `gone.md` leads nowhere",
            "error: docs/a.md:1: `docs/a.md` has no heading `#three`",
            "error: docs/a.md:1: the link `../../x` leads nowhere",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn code_holds_no_links() {
        let text = "`[a](gone.md)`\n```text\n[b](gone.md)\n```\n";
        assert!(say(broken_links, &[("a.md", text)]).is_empty());
    }

    #[test]
    fn paths_that_do_not_exist_are_found() {
        let text = "`crates/a/src/lib.rs` `src/lib.rs` `crates/a` `crates/b` `a/gone.rs` `models/NAME.cat` `x / y` `po/rf`";
        let said = say(missing_paths, &[("crates/a/src/lib.rs", ""), ("A.md", text)]);
        assert_eq!(said, ["error: A.md:1: there is no `crates/b`", "error: A.md:1: there is no `a/gone.rs`"]);
    }

    #[test]
    fn a_crate_missing_in_the_map_is_found() {
        let files = [(ARCHITECTURE, "`crates/a`"), ("crates/a/Cargo.toml", ""), ("crates/b/Cargo.toml", "")];
        assert_eq!(
            say(unmapped_crates, &files),
            ["error: ARCHITECTURE.md: the map does not show `crates/b`"]
        );
    }

    #[test]
    fn long_lines_are_found() {
        let long = "é".repeat(121);
        let text = format!("{}\n{long}\n| {long} |\n", "é".repeat(120));
        assert_eq!(say(long_lines, &[("a.md", &text)]), ["error: a.md:2: 121 columns, over 120"]);
    }

    #[test]
    fn a_long_map_is_found() {
        assert!(say(long_architecture, &[(ARCHITECTURE, &"\n".repeat(299))]).is_empty());
        assert_eq!(say(long_architecture, &[(ARCHITECTURE, &"\n".repeat(300))]).len(), 1);
    }
}
