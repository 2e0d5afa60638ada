//! Words that the source must not contain.

use super::tree::{File, SourceTree, numbered};
use super::{TidyFinding, rust};

/// Forbidden in code, and why.
const IN_CODE: [(&str, &str); 6] = [
    ("todo!", "finish it"),
    ("unimplemented!", "finish it, or make it a named error"),
    ("dbg!", "a leftover"),
    ("#[ignore", "assert what happens today, or delete the test"),
    ("#[should_panic", "return an error and test it, or catch the panic around the one call"),
    (UNREACHABLE, "a broken invariant must panic"),
];
const UNREACHABLE: &str = "unreachable_unchecked";

/// A package whose tests are the input of a test of ours, with everything that tests may have.
const CHECKED_TESTS: &str = "corpus/cargo/";
const TEST_ATTRIBUTES: [&str; 2] = ["#[ignore", "#[should_panic"];

/// Allowed in comments only with the number of an issue, as in `NOTE(#12)`.
const IN_COMMENTS: [&str; 3] = ["TODO", "FIXME", "XXX"];

/// The programs, which may write to the terminal and end the process, and what only tests use.
const MAY_PRINT: [&str; 7] =
    ["crates/cli/", "crates/bench/", "crates/loom/", "crates/testkit/", "xtask/", "/src/bin/", "/examples/"];

/// Where the library offers what is forbidden elsewhere, because the standard library does.
const OFFERS: [&str; 2] = ["crates/native/src/hint.rs", "crates/atropos/tests/memory.rs"];
const PRINTING: [&str; 5] = ["println!", "eprintln!", "print!", "eprint!", "process::exit"];

pub fn forbidden_words(tree: &SourceTree) -> Vec<TidyFinding> {
    tree.with_extension("rs").flat_map(forbidden_in).collect()
}

fn forbidden_in(file: &File) -> Vec<TidyFinding> {
    let halves = rust::halves(&file.text);
    let mut findings = Vec::new();
    for (line, text) in numbered(&halves.code) {
        for (word, advice) in IN_CODE {
            let is_offered = word == UNREACHABLE && OFFERS.iter().any(|path| file.path.starts_with(path));
            let is_input = file.path.starts_with(CHECKED_TESTS) && TEST_ATTRIBUTES.contains(&word);
            if has_word(text, word) && !is_offered && !is_input {
                findings.push(TidyFinding::error(&file.path, line, format!("`{word}`: {advice}")));
            }
        }
        let is_lint_exception = text.contains("[allow(") || text.contains("[expect(");
        let following = halves.code.lines().skip(line - 1).take(4).collect::<String>();
        if is_lint_exception && !following.contains("reason =") {
            findings.push(TidyFinding::error(
                &file.path,
                line,
                "a lint is switched off without `reason = \"…\"`",
            ));
        }
    }
    for (line, text) in numbered(&halves.comments) {
        for word in IN_COMMENTS {
            if has_word(text, word) && !text.contains(&format!("{word}(#")) {
                let message = format!("`{word}` without a number: write `{word}(#12)` or do it now");
                findings.push(TidyFinding::error(&file.path, line, message));
            }
        }
    }
    findings
}

/// Libraries neither print nor end the process; their tests may print.
pub fn printing_below_the_command_line(tree: &SourceTree) -> Vec<TidyFinding> {
    let is_library = |file: &&File| {
        let may_print = MAY_PRINT.iter().any(|folder| file.path.contains(folder));
        !may_print && file.path.contains("/src/") && !file.path.ends_with("tests.rs")
    };
    let mut findings = Vec::new();
    for file in tree.with_extension("rs").filter(is_library) {
        let code = rust::halves(&file.text).code;
        for (line, text) in numbered(&code) {
            if let Some(word) = PRINTING.iter().find(|word| has_word(text, word)) {
                let message = format!("`{word}` in a library: hand the caller a value instead");
                findings.push(TidyFinding::error(&file.path, line, message));
            }
        }
    }
    findings
}

/// Whether `word` occurs in `text` and is not the tail or, if it ends in a letter, the head of a longer word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let starts = !word.starts_with(is_part) || !before.is_some_and(is_part);
        starts && (!word.ends_with(is_part) || !after.is_some_and(is_part))
    })
}

#[cfg(test)]
mod tests {
    use super::super::say;
    use super::*;

    fn forbidden(text: &str) -> Vec<String> {
        say(forbidden_words, &[("crates/a/src/lib.rs", text)])
    }

    #[test]
    fn unfinished_code_is_found() {
        let words =
            ["todo!()", "unimplemented!(\"x\")", "dbg!(x)", "#[ignore]", "#[should_panic(expected = \"\")]"];
        for word in words {
            assert_eq!(forbidden(&format!("fn f() {{}}\n{word}")).len(), 1, "{word}");
        }
        assert!(forbidden("todo!()")[0].starts_with("error: crates/a/src/lib.rs:1: `todo!`"));
    }

    #[test]
    fn a_text_that_mentions_a_macro_is_fine() {
        assert!(forbidden("f(\"todo!\") // todo! is forbidden\nmy_todo!()").is_empty());
    }

    #[test]
    fn notes_to_self_need_a_number() {
        assert_eq!(forbidden("// TODO later").len(), 1);
        assert_eq!(forbidden("/* FIXME */ f(); // XXX").len(), 2);
        assert!(forbidden("// TODO(#12): later\nlet TODO = 1;").is_empty());
    }

    #[test]
    fn lints_are_switched_off_with_a_reason() {
        assert_eq!(forbidden("#[allow(dead_code)]\nfn f() {}").len(), 1);
        assert!(forbidden("#[expect(\n    dead_code,\n    reason = \"x\"\n)]\nfn f() {}").is_empty());
    }

    #[test]
    fn libraries_do_not_print() {
        let print = |path| say(printing_below_the_command_line, &[(path, "fn f() { println!(); }")]).len();
        assert_eq!(print("crates/explore/src/lib.rs"), 1);
        assert_eq!(print("crates/cli/src/main.rs"), 0);
        assert_eq!(print("crates/explore/tests/a.rs"), 0);
        assert_eq!(print("crates/testkit/src/bin/fuzz.rs"), 0);
    }
}
