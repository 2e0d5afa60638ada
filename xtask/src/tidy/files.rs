//! The headers of files, and their sizes.

use super::tree::{File, SourceTree};
use super::{TidyFinding, rust};

/// Longer files get a warning, and over the limit an error unless their header has a line `Size: reason`.
const SOFT_LIMIT: usize = 500;
const HARD_LIMIT: usize = 800;

/// Every Rust file opens with `//!`, every model with its name and a comment that cites its source.
pub fn headers(tree: &SourceTree) -> Vec<TidyFinding> {
    let rust = tree.with_extension("rs").filter(|file| !file.text.starts_with("//!")).map(|file| {
        TidyFinding::error(
            &file.path,
            1,
            "the file does not open with `//!`: say what it is and why it is so",
        )
    });
    let models = tree.with_extension("cat").filter(|file| file.path.starts_with("models/"));
    let models = models.filter(|file| !has_model_header(file)).map(|file| {
        TidyFinding::error(
            &file.path,
            1,
            "a model opens with its \"name\" and a comment that cites its source",
        )
    });
    rust.chain(models).collect()
}

fn has_model_header(file: &File) -> bool {
    let mut lines = file.text.lines();
    let is_name = |line: &str| line.len() > 2 && line.starts_with('"') && line.ends_with('"');
    lines.next().is_some_and(is_name) && lines.next().is_some_and(|line| line.starts_with("(*"))
}

pub fn sizes(tree: &SourceTree) -> Vec<TidyFinding> {
    tree.with_extension("rs").filter_map(oversize).collect()
}

fn oversize(file: &File) -> Option<TidyFinding> {
    let n_lines = file.text.lines().count();
    let has_reason = || {
        let header = file.text.lines().take_while(|line| line.starts_with("//!"));
        header.map(|line| line.trim_start_matches("//!").trim()).any(|line| line.starts_with("Size: "))
    };
    if n_lines > HARD_LIMIT && !has_reason() {
        let message = format!("{n_lines} lines: split by idea, or say why not in a header line `Size: …`");
        return Some(TidyFinding::error(&file.path, 0, message));
    }
    let message = format!("{n_lines} lines, over {SOFT_LIMIT}");
    (n_lines > SOFT_LIMIT && n_lines <= HARD_LIMIT).then(|| TidyFinding::warning(&file.path, 0, message))
}

/// The comments of a source file, blank elsewhere; `None` for files that are no source.
pub fn comments(file: &File) -> Option<String> {
    match file.extension() {
        "rs" => Some(rust::halves(&file.text).comments),
        "cat" => Some(model_comments(&file.text)),
        _ => None,
    }
}

fn model_comments(text: &str) -> String {
    let (mut depth, mut before) = (0_usize, ' ');
    let mut comments = String::new();
    for letter in text.chars() {
        depth += usize::from((before, letter) == ('(', '*'));
        comments.push(if depth > 0 || letter == '\n' { letter } else { ' ' });
        depth = depth.saturating_sub(usize::from((before, letter) == ('*', ')')));
        before = letter;
    }
    comments
}

#[cfg(test)]
mod tests {
    use super::super::say;
    use super::*;

    #[test]
    fn a_rust_file_without_header_is_found() {
        let files = [("a.rs", "// plain\n"), ("b.rs", "//! Fine.\n"), ("c.rs", "")];
        let said = say(headers, &files);
        assert_eq!(said.len(), 2);
        assert!(said[0].starts_with("error: a.rs:1:") && said[1].starts_with("error: c.rs:1:"), "{said:?}");
    }

    #[test]
    fn a_model_without_header_is_found() {
        let files = [
            ("models/a.cat", "acyclic po\n"),
            ("models/b.cat", "\"B\"\nacyclic po\n"),
            ("models/c.cat", "\"C\"\n(* [Key §1] *)\n"),
        ];
        assert_eq!(say(headers, &files).len(), 2);
    }

    #[test]
    fn long_files_are_found_unless_they_say_why() {
        let lines = |n: usize| "//! A.\n".to_owned() + &"\n".repeat(n - 1);
        let excused = format!("//! Size: one table.\n{}", lines(900));
        let (short, soft, hard) = (lines(500), lines(501), lines(801));
        let files = [("a.rs", &*short), ("b.rs", &soft), ("c.rs", &hard), ("d.rs", &excused)];
        let said = say(sizes, &files);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said[0].starts_with("warning: b.rs: 501 lines") && said[1].starts_with("error: c.rs: 801 lines")
        );
    }

    #[test]
    fn comments_of_models_are_seen() {
        assert_eq!(
            model_comments("a (* b (* c *) d *) e\nf").split_whitespace().collect::<String>(),
            "*b(*c*)d*)"
        );
    }
}
