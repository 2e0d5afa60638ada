//! Splits Rust source into code and comments, without string literals.
//!
//! Both halves keep the lines of the source, so line numbers of findings are right. The scanner knows string, raw
//! string, byte string and character literals, and nested block comments, which is enough to tell a forbidden macro
//! from a text that mentions one.

/// The two halves of a source text. The text of the other half, and of literals, is blank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Halves {
    pub code: String,
    pub comments: String,
}

/// Splits `source`.
pub fn halves(source: &str) -> Halves {
    let mut scanner = Scanner { rest: source, code: String::new(), comments: String::new() };
    while !scanner.rest.is_empty() {
        scanner.step();
    }
    Halves { code: scanner.code, comments: scanner.comments }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    Comment,
    Literal,
}

struct Scanner<'source> {
    rest: &'source str,
    code: String,
    comments: String,
}

impl Scanner<'_> {
    fn step(&mut self) {
        let rest = self.rest;
        if rest.starts_with("//") {
            self.take(rest.find('\n').unwrap_or(rest.len()), Part::Comment);
        } else if rest.starts_with("/*") {
            self.take(block_comment(rest), Part::Comment);
        } else if let Some(body) = rest.strip_prefix('"') {
            self.take(1 + up_to_quote(body, '"'), Part::Literal);
        } else if let Some(len) = raw_string(rest) {
            self.take(len, Part::Literal);
        } else if let Some(len) = character(rest) {
            self.take(len, Part::Literal);
        } else {
            self.take(word(rest), Part::Code);
        }
    }

    fn take(&mut self, len: usize, part: Part) {
        let (taken, rest) = self.rest.split_at(len);
        self.rest = rest;
        for letter in taken.chars() {
            let keep = |wanted: Part| if letter == '\n' || part == wanted { letter } else { ' ' };
            self.code.push(keep(Part::Code));
            self.comments.push(keep(Part::Comment));
        }
    }
}

/// The length of the identifier at the start, or of one character. It takes identifiers whole, so the `r` of `for"`
/// never starts a raw string.
fn word(text: &str) -> usize {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    match text.find(|letter| !is_part(letter)) {
        Some(0) => text.chars().next().map_or(0, char::len_utf8),
        Some(len) => len,
        None => text.len(),
    }
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            match rest.chars().next() {
                Some(letter) => at += letter.len_utf8(),
                None => return text.len(),
            }
        }
    }
}

/// The length up to and including the first `quote` without a backslash before it.
fn up_to_quote(text: &str, quote: char) -> usize {
    let mut is_hidden = false;
    for (at, letter) in text.char_indices() {
        if is_hidden {
            is_hidden = false;
        } else if letter == '\\' {
            is_hidden = true;
        } else if letter == quote {
            return at + letter.len_utf8();
        }
    }
    text.len()
}

/// `r"…"`, `r#"…"#`, `br"…"` and so on.
fn raw_string(text: &str) -> Option<usize> {
    let start = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = start.len() - start.trim_start_matches('#').len();
    let body = start[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let len = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(text.len() - body.len() + len)
}

/// A character literal, not a lifetime.
fn character(text: &str) -> Option<usize> {
    let body = text.strip_prefix('\'')?;
    if body.starts_with('\\') {
        return Some(1 + up_to_quote(body, '\''));
    }
    let letter = body.chars().next()?;
    body[letter.len_utf8()..].starts_with('\'').then(|| letter.len_utf8() + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeezed(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn check(source: &str, code: &str, comments: &str) {
        let halves = halves(source);
        assert_eq!((squeezed(&halves.code), squeezed(&halves.comments)), (code.into(), comments.into()));
        assert_eq!(halves.code.lines().count(), source.lines().count());
    }

    #[test]
    fn comments_and_code_are_separated() {
        check("a(); // b\nc /* d /* e */ f */ g", "a(); c g", "// b /* d /* e */ f */");
    }

    #[test]
    fn literals_are_neither() {
        check(r#"f("// \" no", 'x', '"', '\'', b'"') // yes"#, "f( , , , , b )", "// yes");
        check("f(r#\"a \" // b\"#, r\"c\", br\"d\") // e", "f( , , )", "// e");
        check("\"one\ntwo\"\nthree", "three", "");
    }

    #[test]
    fn lifetimes_are_code() {
        check("fn f<'a>(x: &'a str) {} // 'a", "fn f<'a>(x: &'a str) {}", "// 'a");
    }
}
