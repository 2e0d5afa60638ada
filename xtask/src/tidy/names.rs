//! Names of types: one word for one thing.
//!
//! The words of the vocabulary (the public types of `event` and `graph`) mean the same in the whole workspace, and
//! two types of one crate have different names. Types inside functions, tests and binaries are free.

use super::tree::{File, SourceTree};
use super::{TidyFinding, rust};
use std::collections::HashMap;

/// The crates whose public types are the vocabulary.
const VOCABULARY: [&str; 2] = ["event", "graph"];

/// Names that do not say what they name.
const VAGUE: [&str; 9] =
    ["Aside", "Explorer", "Lifted", "Manner", "Met", "Outlook", "School", "Stage", "What"];

/// Types that share their name on purpose, by crate.
const SHARED: [(&str, &str); 8] = [
    // What users of the library see: the names of `std`, and a result. They do not see the graph.
    ("atropos", "Barrier"),
    ("atropos", "Outcome"),
    ("native", "Thread"),
    ("native", "ThreadId"),
    // LLVM's own words.
    ("llvm", "Value"),
    // One per dialect, always written with its module.
    ("litmus", "Thread"),
    ("litmus", "ThreadLowering"),
    // A fault of a text and a fault of a step: no file uses both.
    ("vm", "Fault"),
];

struct TypeName<'a> {
    of_crate: &'a str,
    file: &'a File,
    line: usize,
    name: String,
    is_public: bool,
}

/// Types with a vague name, with a word of the vocabulary, or with the name of another type of their crate.
pub fn ambiguous_types(tree: &SourceTree) -> Vec<TidyFinding> {
    let types: Vec<TypeName<'_>> = tree.with_extension("rs").flat_map(types_of).collect();
    let is_word = |kind: &&TypeName<'_>| kind.is_public && VOCABULARY.contains(&kind.of_crate);
    let words: HashMap<&str, &str> =
        types.iter().filter(is_word).map(|kind| (kind.name.as_str(), kind.of_crate)).collect();
    let mut known: HashMap<(&str, &str), &File> = HashMap::new();
    let mut findings = Vec::new();
    for kind in &types {
        let TypeName { of_crate, file, line, name, .. } = kind;
        let mut complain = |message| findings.push(TidyFinding::error(&file.path, *line, message));
        if VAGUE.contains(&name.as_str()) {
            complain(format!("`{name}` does not say what it is"));
        }
        if SHARED.contains(&(of_crate, name)) {
            continue;
        }
        if let Some(owner) = words.get(name.as_str()).filter(|owner| *owner != of_crate) {
            complain(format!("`{name}` is a word of `{owner}`: choose another name"));
        }
        if let Some(other) = known.insert((of_crate, name), file) {
            complain(format!("`{}` has a type `{name}`, too", other.path));
        }
    }
    findings
}

/// The types that a file of a crate's library defines outside of functions and tests.
fn types_of(file: &File) -> Vec<TypeName<'_>> {
    let path = file.path.strip_prefix("crates/").unwrap_or(&file.path);
    let Some((of_crate, rest)) = path.split_once("/src/") else { return Vec::new() };
    if rest.starts_with("bin/") || rest.ends_with("tests.rs") {
        return Vec::new();
    }
    let code = rust::halves(&file.text).code;
    let library = code.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let defined = |(index, line): (usize, &str)| {
        let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let mut word = if line.starts_with(' ') { None } else { words.next() };
        let is_public = line.starts_with("pub ");
        while matches!(word, Some("pub" | "crate" | "super" | "")) {
            word = words.next();
        }
        let is_type = matches!(word, Some("struct" | "enum" | "trait" | "type" | "union"));
        let name = words.next().filter(|_| is_type)?.to_string();
        Some(TypeName { of_crate, file, line: index + 1, name, is_public })
    };
    library.lines().enumerate().filter_map(defined).collect()
}

#[cfg(test)]
mod tests {
    use super::super::say;
    use super::*;

    #[test]
    fn words_of_the_vocabulary_are_taken() {
        let event = ("crates/event/src/a.rs", "pub enum Step {}\nstruct Own;\n");
        let other = ("crates/vm/src/a.rs", "pub(crate) struct Step<'a>(&'a u8);\ntype Own = u8;\n");
        assert_eq!(
            say(ambiguous_types, &[event, other]),
            ["error: crates/vm/src/a.rs:1: `Step` is a word of `event`: choose another name"]
        );
    }

    #[test]
    fn a_name_is_used_once_in_a_crate() {
        let files = [
            ("crates/vm/src/a.rs", "struct Frame;\n"),
            ("crates/vm/src/b.rs", "\nfn f() {\n    struct Frame;\n}\npub struct Frame;\n"),
            ("crates/cat/src/b.rs", "struct Frame;\n#[cfg(test)]\nmod tests {\nstruct Frame;\n}"),
            ("crates/vm/src/bin/c.rs", "struct Frame;\n"),
        ];
        assert_eq!(
            say(ambiguous_types, &files),
            ["error: crates/vm/src/b.rs:5: `crates/vm/src/a.rs` has a type `Frame`, too"]
        );
    }

    #[test]
    fn vague_names_are_found() {
        let said = say(ambiguous_types, &[("xtask/src/a.rs", "enum What {}\n")]);
        assert_eq!(said, ["error: xtask/src/a.rs:1: `What` does not say what it is"]);
    }
}
