//! Citations: `docs/papers.md` explains every key used in code, models and documents.
//!
//! A citation is `[Key §3.1]` with one or more keys, each with places in the work: `[TruSt §3.4, Tracer Def. 3.1]`.
//! In models a bare `[Key]` counts too. Elsewhere, brackets without a place are links of rustdoc or markdown, which
//! this rule ignores.

use super::TidyFinding;
use super::files::comments;
use super::tree::{File, SourceTree, numbered, without_code};

const PAPERS: &str = "docs/papers.md";
/// Our own notes, which are cited by section: `[ALGORITHMS §C.4]` or `ALGORITHMS.md §C.4`.
const NOTES: &str = "docs/ALGORITHMS.md";

/// Words that start a place in a work.
const PLACES: [&str; 12] =
    ["§", "Def.", "Definition", "Alg", "Fig", "Table", "Lemma", "Thm", "Theorem", "Remark", "Example", "App"];

pub fn unknown_keys(tree: &SourceTree) -> Vec<TidyFinding> {
    let papers = tree.file(PAPERS).map_or("", |file| &file.text);
    let keys: Vec<&str> = papers.lines().filter_map(defined_key).collect();
    let mut findings = Vec::new();
    for file in &tree.files {
        let text = match file.extension() {
            "md" => file.text.clone(),
            _ => comments(file).unwrap_or_default(),
        };
        for (line, key) in cited_keys(file, &text) {
            if !keys.contains(&key.as_str()) {
                let message = format!("`{key}` is cited, but `{PAPERS}` has no heading `## {key} — …`");
                findings.push(TidyFinding::error(&file.path, line, message));
            }
        }
    }
    findings
}

/// The key that a heading `## Key — title` of the list of papers defines.
fn defined_key(line: &str) -> Option<&str> {
    let heading = line.strip_prefix("## ").or_else(|| line.strip_prefix("### "))?;
    heading.split_once(" — ").map(|(key, _)| key.trim())
}

fn cited_keys(file: &File, text: &str) -> Vec<(usize, String)> {
    let is_model = file.extension() == "cat";
    let mut keys = Vec::new();
    for (line, text) in numbered(text) {
        for inside in brackets(&without_code(text)) {
            let parts = inside.split([',', ';']).map(str::trim).filter(|part| has_place(part));
            keys.extend(parts.filter_map(key_of).map(|key| (line, key.to_owned())));
            let has_places = inside.split([',', ';']).any(|part| has_place(part.trim()));
            if is_model && !has_places && is_bare_key(inside) {
                keys.push((line, inside.to_owned()));
            }
        }
    }
    keys
}

/// The texts between `[` and `]` of one line.
fn brackets(line: &str) -> impl Iterator<Item = &str> {
    line.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(inside, _)| inside)
}

fn starts_place(word: &str) -> bool {
    PLACES.iter().any(|place| word.starts_with(place))
}

/// `Key place` or a place alone.
fn has_place(part: &str) -> bool {
    part.starts_with(|first: char| first.is_alphabetic() || first == '§') && part.split(' ').any(starts_place)
}

/// The words before the first place, if there are any.
fn key_of(part: &str) -> Option<&str> {
    let end = PLACES.iter().filter_map(|place| {
        let after_space = part.find(&format!(" {place}"));
        if part.starts_with(place) { Some(0) } else { after_space }
    });
    let key = &part[..end.min().unwrap_or(part.len())];
    (!key.is_empty()).then_some(key)
}

/// A key without a place: a name of three letters or more, with at most a year. Sets of the cat language are shorter,
/// or not in comments.
fn is_bare_key(inside: &str) -> bool {
    inside.len() >= 3
        && inside.starts_with(|first: char| first.is_ascii_uppercase())
        && inside.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-' || letter == ' ')
}

/// Each cited section of our own notes exists, as a heading that starts with its number.
pub fn missing_sections(tree: &SourceTree) -> Vec<TidyFinding> {
    let notes = tree.file(NOTES).map_or("", |file| &file.text);
    let headings = notes.lines().filter(|line| line.starts_with('#'));
    let sections: Vec<&str> = headings.filter_map(|line| line.split_whitespace().nth(1)).collect();
    let mut findings = Vec::new();
    for file in &tree.files {
        let Some(comments) = comments(file) else { continue };
        for (line, text) in numbered(&comments) {
            for behind in text.split("ALGORITHMS").skip(1) {
                let Some(place) = behind.strip_prefix(".md").unwrap_or(behind).strip_prefix(" §") else {
                    continue;
                };
                let is_number = |letter: char| letter.is_ascii_alphanumeric() || letter == '.';
                let end = place.find(|letter| !is_number(letter)).unwrap_or(place.len());
                let section = place[..end].trim_end_matches('.');
                if !sections.iter().any(|known| known.trim_end_matches('.') == section) {
                    findings.push(TidyFinding::error(
                        &file.path,
                        line,
                        format!("`{NOTES}` has no section {section}"),
                    ));
                }
            }
        }
    }
    findings
}

/// Each document named in a comment, as in `see ALGORITHMS.md`, exists.
pub fn missing_documents(tree: &SourceTree) -> Vec<TidyFinding> {
    let documents: Vec<&str> = tree.with_extension("md").map(|file| file.path.as_str()).collect();
    let is_there = |name: &str| {
        documents
            .iter()
            .any(|path| path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
    };
    let mut findings = Vec::new();
    for file in &tree.files {
        let Some(comments) = comments(file) else { continue };
        for (line, text) in numbered(&comments) {
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
            let words = text.split(|letter| !is_name(letter)).map(|word| word.trim_end_matches('.'));
            for name in words.filter(|word| word.ends_with(".md") && !is_there(word)) {
                findings.push(TidyFinding::error(&file.path, line, format!("there is no document `{name}`")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::say;
    use super::*;

    const KNOWN: (&str, &str) = (PAPERS, "# Papers\n## TruSt — Title\n## Lamport 1979 — Title\n");

    fn unknown(path: &str, text: &str) -> Vec<String> {
        say(unknown_keys, &[KNOWN, (path, text)])
    }

    #[test]
    fn known_keys_resolve() {
        assert!(
            unknown("a.rs", "//! [TruSt §3.1] [TruSt §3, §4] [TruSt Algorithm 2, Def. 3.1; Lamport 1979 §1]")
                .is_empty()
        );
    }

    #[test]
    fn unknown_keys_are_found() {
        let said = unknown("a.rs", "//! Fine.\n// [Truss §3.1]\n// [TruSt §3, GenMC Table 1]");
        assert_eq!(said.len(), 2);
        assert!(said[0].contains("a.rs:2: `Truss`") && said[1].contains("a.rs:3: `GenMC`"), "{said:?}");
        assert_eq!(unknown("a.md", "See [Unknown §1].").len(), 1);
    }

    #[test]
    fn links_and_indices_are_no_citations() {
        assert!(
            unknown("a.rs", "//! [`Slot`] and [Unknown] or `a[3]` and [`Slot §1`]\nlet a = b[Key];")
                .is_empty()
        );
        assert!(unknown("a.md", "[text](file.md) [Figure](x)").is_empty());
    }

    #[test]
    fn models_may_cite_without_a_place() {
        assert!(
            unknown("models/a.cat", "(* [TruSt] [TruSt Table 3] [Lamport 1979] [W]; [Wx] *) let a = [ACQ]")
                .is_empty()
        );
        assert_eq!(unknown("models/a.cat", "(* [Lamport 1978] *)").len(), 1);
    }

    #[test]
    fn sections_of_our_notes_are_there() {
        let files = [
            (NOTES, "## C. TruSt\n### C.4 Up to rf\n"),
            ("a.rs", "// [ALGORITHMS §C.4] ALGORITHMS.md §C. [ALGORITHMS §D]"),
        ];
        assert_eq!(say(missing_sections, &files), ["error: a.rs:1: `docs/ALGORITHMS.md` has no section D"]);
    }

    #[test]
    fn documents_named_in_comments_are_there() {
        let files =
            [("docs/NOTES.md", ""), ("a.rs", "// NOTES.md §B, docs/NOTES.md. And OTHER.md.\nf(\"x.md\")")];
        assert_eq!(say(missing_documents, &files), ["error: a.rs:1: there is no document `OTHER.md`"]);
    }
}
