//! A fence as a further line of a C, C++ or Rust program.
//!
//! The line must begin the statement of the access, so that the fence is executed whenever the statement is, and before
//! all of it; a fence after it needs a statement that ends there. Loops and conditions that are evaluated in parts are left
//! to the user.

use crate::fences::Side;
use crate::patch::Language;
use crate::strength::Strength;

/// A fence to add on one side of a line, which has its first access at a column; both are counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FenceEdit {
    pub line: u32,
    pub column: u32,
    pub side: Side,
    pub strength: Strength,
}

/// A place in the text, and the line to insert there; `None` if it does not fit.
pub(crate) fn insertion(text: &str, language: Language, edit: &FenceEdit) -> Option<(usize, String)> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let index = edit.line.checked_sub(1)? as usize;
    let line = *lines.get(index)?;
    let start: usize = lines[..index].iter().map(|line| line.len()).sum();
    let indent = &line[..line.len() - line.trim_start().len()];
    let before_access = line.get(..edit.column.checked_sub(1)? as usize)?;
    let statement = statement_at(&lines[index..]);
    // What is not indented is not in a function.
    let fits = !indent.is_empty()
        && begins_statement(line)
        && !before_access.contains(['{', '}', ';'])
        && follows_statement(&lines[..index])
        && !["?", "&&", "||", "=>"].iter().any(|part| statement.contains(part))
        && (edit.side == Side::Before || ends_here(line));
    if !fits {
        return None;
    }
    let fence = format!("{indent}{}", spelled(text, language, edit.strength));
    let end = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
    Some(match edit.side {
        Side::Before => (start, fence + end),
        Side::After if line.ends_with('\n') => (start + line.len(), fence + end),
        Side::After => (start + line.len(), format!("\n{fence}")),
    })
}

/// The fence in the words of the file.
fn spelled(text: &str, language: Language, strength: Strength) -> String {
    let name = strength.name();
    match language {
        Language::Rust => {
            let order = crate::patch::Spelling::Camel.spell(strength);
            format!("core::sync::atomic::fence(core::sync::atomic::Ordering::{order});")
        }
        // A header of C++ may be called `.h`.
        _ if text.contains("std::") => format!("std::atomic_thread_fence(std::memory_order_{name});"),
        _ if text.contains("memory_order_") || text.contains("<stdatomic.h>") => {
            format!("atomic_thread_fence(memory_order_{name});")
        }
        _ => format!("__atomic_thread_fence(__ATOMIC_{});", name.to_uppercase()),
    }
}

/// The words that begin something else than a statement, or one that is executed in parts.
const OTHER: [&str; 9] = ["else", "while", "for", "do", "case", "default", "loop", "match", "goto"];

/// The words after whose statement nothing is executed, or only sometimes.
const BRANCHES: [&str; 5] = ["if", "return", "switch", "break", "continue"];

fn begins_statement(line: &str) -> bool {
    let line = code_of(line);
    let is_start = line.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '*' || c == '(');
    let word = first_word(line);
    let is_label = line[word.len()..].starts_with(':') && !line[word.len()..].starts_with("::");
    is_start && !is_label && !OTHER.contains(&word)
}

fn ends_here(line: &str) -> bool {
    let line = code_of(line);
    let n = |c: char| line.matches(c).count();
    line.ends_with(';') && n('(') == n(')') && n('{') + n('}') == 0 && !BRANCHES.contains(&first_word(line))
}

/// Whether the last thing before is the end of a statement, or the start of a block.
fn follows_statement(before: &[&str]) -> bool {
    let mut before = before.iter().rev();
    while let Some(line) = before.next() {
        let mut code = code_of(line);
        if let Some(comment) = code.strip_suffix("*/") {
            let start = match comment.rfind("/*") {
                Some(start) => Some(&comment[..start]),
                None => before.by_ref().find_map(|line| line.rfind("/*").map(|start| &line[..start])),
            };
            code = start.unwrap_or_default().trim();
        }
        if !code.is_empty() && !code.starts_with('#') {
            return code.ends_with([';', '{', '}']);
        }
    }
    false
}

/// The text up to the end of the first statement, or up to its body.
fn statement_at(lines: &[&str]) -> String {
    let mut statement = String::new();
    for line in lines {
        statement += code_of(line);
        if statement.contains([';', '{']) {
            break;
        }
    }
    statement
}

/// A line without spaces around it and without a final `//` comment.
fn code_of(line: &str) -> &str {
    let end = line.match_indices("//").find(|(at, _)| line[..*at].matches('"').count().is_multiple_of(2));
    line[..end.map_or(line.len(), |(at, _)| at)].trim()
}

fn first_word(line: &str) -> &str {
    &line[..line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with a fence beside the line that contains the access `at`.
    fn with_fence(text: &str, language: Language, side: Side, at: &str) -> Option<String> {
        let offset = text.find(at).unwrap();
        let line = text[..offset].matches('\n').count() as u32 + 1;
        let column = (offset - text[..offset].rfind('\n').map_or(0, |end| end + 1)) as u32 + 1;
        let strength = crate::OrderKind::Fence.strongest();
        let (place, fence) = insertion(text, language, &FenceEdit { line, column, side, strength })?;
        Some(text[..place].to_string() + &fence + &text[place..])
    }

    #[test]
    fn a_fence_gets_a_line_of_its_own() {
        let text = "{\n    atomic_store_explicit(&x, 1, memory_order_relaxed); // Mine.\n#if A\n    if (y)\n";
        let fence = "    atomic_thread_fence(memory_order_seq_cst);\n";
        let (start, end) = text.split_at(text.find("#if").unwrap());
        assert_eq!(with_fence(text, Language::C, Side::After, "atomic"), Some([start, fence, end].concat()));
        let (start, end) = text.split_at(text.find("    if").unwrap());
        assert_eq!(with_fence(text, Language::C, Side::Before, "y)"), Some([start, fence, end].concat()));
    }

    #[test]
    fn a_fence_is_spelled_as_the_file_does() {
        for (language, text, fence) in [
            (Language::C, "{\n x;", "__atomic_thread_fence(__ATOMIC_SEQ_CST);"),
            (Language::C, "{\n std::x;", "std::atomic_thread_fence(std::memory_order_seq_cst);"),
            (Language::Rust, "{\n x;", "core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);"),
        ] {
            let expected = text.replace('\n', &format!("\n {fence}\n"));
            assert_eq!(with_fence(text, language, Side::Before, "x"), Some(expected));
        }
    }

    #[test]
    fn what_is_no_whole_statement_is_left_alone() {
        for text in [
            "{\n while (x)\n;",
            "if (a)\n x = 1;",
            "{\n } while (x);",
            "{\n b = a && x;",
            "f(a,\n x);",
            "a =\n  x;",
            "{\n l: x = 1;",
            "/* a */ b = /* c\n */\n x;",
            "}\n int f() { return x; }",
            "}\nint a = x;",
        ] {
            assert_eq!(with_fence(text, Language::C, Side::Before, "x"), None, "{text}");
        }
        for text in ["{\n return x;", "{\n if (x)\n;", "{\n x(a,\nb);"] {
            assert_eq!(with_fence(text, Language::C, Side::After, "x"), None, "{text}");
            assert!(with_fence(text, Language::C, Side::Before, "x").is_some(), "{text}");
        }
        assert!(with_fence("a;\n/* b\n * c */\n x;", Language::C, Side::Before, "x").is_some());
    }
}
