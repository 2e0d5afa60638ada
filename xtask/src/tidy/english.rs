//! Plain English: phrases that comments, messages and documents avoid.
//!
//! A phrase may be broken over two lines, or be part of the name of a test.

use super::tree::{File, SourceTree};
use super::{TidyFinding, rust};

/// Files and folders that the rule covers.
const COVERED: [&str; 11] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "README.md",
    "benchmarks/",
    "corpus/",
    "crates/",
    "docs/",
    "examples/",
    "models/",
    "mutants/",
    "xtask/",
];

/// The list itself.
const EXEMPT: [&str; 1] = ["xtask/src/tidy/english.rs"];

/// What to avoid, and what to write instead.
const PHRASES: [(&str, &str); 20] = [
    ("nobody", "`no thread`, `no caller`, …"),
    ("no one", "`no thread`, `no caller`, …"),
    ("somebody", "`a thread`, `a caller`, …"),
    ("anybody", "`a thread`, `a caller`, …"),
    ("everybody", "`all threads`, `each caller`, …"),
    ("everyone", "`all threads`, `each caller`, …"),
    ("whoever", "the thread or the code that is meant"),
    ("who", "`which`, `that`; only users and readers are people"),
    ("whom", "`which`, `that`; only users and readers are people"),
    ("for ever", "`forever`"),
    ("is let", "an active verb, or `may`"),
    ("are let", "an active verb, or `may`"),
    ("be let", "an active verb, or `may`"),
    ("was let", "an active verb, or `may`"),
    ("were let", "an active verb, or `may`"),
    ("told", "`learns`, `is reported`, …"),
    ("be it", "`whether it is`"),
    ("of interest", "why it matters"),
    ("of no interest", "why it does not matter"),
    ("as it is asked for", "`on demand`"),
];

/// Words after which `who` is right.
const PEOPLE: [&str; 4] = ["reader", "readers", "user", "users"];

pub fn odd_phrases(tree: &SourceTree) -> Vec<TidyFinding> {
    let is_covered = |file: &&File| {
        let is_below = |path: &&str| file.path.starts_with(path);
        COVERED.iter().any(is_below) && !EXEMPT.contains(&file.path.as_str())
    };
    tree.files.iter().filter(is_covered).flat_map(odd_phrases_in).collect()
}

fn odd_phrases_in(file: &File) -> Vec<TidyFinding> {
    let words = if file.extension() == "rs" { words_of_rust(&file.text) } else { words(&file.text, '_') };
    let mut findings = Vec::new();
    for (phrase, advice) in PHRASES {
        let phrase_words: Vec<&str> = phrase.split(' ').collect();
        for (index, window) in words.windows(phrase_words.len()).enumerate() {
            let is_phrase = window.iter().map(|(_, word)| word.as_str()).eq(phrase_words.iter().copied());
            let previous = words[..index].last().map_or("", |(_, word)| word.as_str());
            let is_about_people = phrase.starts_with("who") && PEOPLE.contains(&previous);
            if is_phrase && !is_about_people {
                let message = format!("`{phrase}`: write {advice}");
                findings.push(TidyFinding::error(&file.path, window[0].0, message));
            }
        }
    }
    findings
}

/// The words of the comments and literals, then those of each name in the code.
fn words_of_rust(source: &str) -> Vec<(usize, String)> {
    let code = rust::halves(source).code;
    let blank = |(letter, code): (char, char)| if code.is_whitespace() { letter } else { ' ' };
    let texts: String = source.chars().zip(code.chars()).map(blank).collect();
    let mut found = words(&texts, '_');
    for (line, name) in words(&code, ' ') {
        found.push((line, String::new()));
        found.extend(name.split('_').map(|part| (line, part.to_owned())));
    }
    found
}

/// The words of a text in lower case, each with the number of its line. `gap` separates words, and so does everything
/// that is neither a letter nor an underscore.
fn words(text: &str, gap: char) -> Vec<(usize, String)> {
    let separates = |letter: char| letter == gap || !(letter.is_alphabetic() || "'_".contains(letter));
    let mut words = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let parts = line.split(separates).filter(|part| !part.is_empty());
        words.extend(parts.map(|part| (index + 1, part.to_lowercase())));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::say;
    use super::*;

    fn odd(text: &str) -> Vec<String> {
        say(odd_phrases, &[("xtask/src/a.rs", text)])
    }

    #[test]
    fn phrases_are_found_in_comments_messages_and_names() {
        assert_eq!(
            odd("// Nobody waits."),
            ["error: xtask/src/a.rs:1: `nobody`: write `no thread`, `no caller`, …"]
        );
        assert_eq!(odd("\nfail(\"it waits for ever\")").len(), 1);
        assert_eq!(odd("fn it_is_let() {}\nfn two_is() {}\nlet letter = 1;").len(), 1);
    }

    #[test]
    fn phrases_are_found_across_lines() {
        assert_eq!(odd("/// The thread is\n/// let wait.").len(), 1);
    }

    #[test]
    fn only_people_are_who() {
        assert!(odd("// A user who waits.").is_empty());
        assert_eq!(odd("// A thread who waits.").len(), 1);
    }

    #[test]
    fn similar_words_are_fine() {
        assert!(
            odd("// This letter is interesting, forever.\nlet x = is_letter;\nif y.is { let z; }").is_empty()
        );
    }
}
