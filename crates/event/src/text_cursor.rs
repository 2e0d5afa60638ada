//! A position in a text that a reader splits into tokens: what the readers of all languages do in the same way.

use crate::diagnostic::{Fault, Span};

#[derive(Clone, Debug)]
pub struct TextCursor<'t> {
    text: &'t str,
    /// The number of the text, for spans.
    file: u32,
    at: usize,
}

impl<'t> TextCursor<'t> {
    /// Reads `text` from byte `at` on.
    pub fn new(file: u32, text: &'t str, at: usize) -> TextCursor<'t> {
        TextCursor { text, file, at }
    }

    /// The bytes before the current position.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What follows.
    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The next character; `None` at the end.
    pub fn first(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// From byte `start` to the current position.
    pub fn span_from(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    pub fn advance(&mut self, n_bytes: usize) {
        self.at += n_bytes;
    }

    /// Skips `expected`, if it follows.
    pub fn eat(&mut self, expected: &str) -> bool {
        let follows = self.rest().starts_with(expected);
        if follows {
            self.at += expected.len();
        }
        follows
    }

    /// Takes the characters that belong to a token.
    pub fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !belongs(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Skips a comment `(* … *)`, which follows. Such comments nest.
    ///
    /// # Errors
    /// If it is not closed; the message points at its beginning.
    pub fn skip_comment(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let mut depth = 0usize;
        loop {
            if self.eat("(*") {
                depth += 1;
            } else if self.eat("*)") {
                depth -= 1;
            } else if let Some(c) = self.first() {
                self.at += c.len_utf8();
            } else {
                self.at = start + 2;
                return Fault::err(self.span_from(start), "this comment is never closed; expected `*)`");
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Takes the text between two quotation marks, the first of which follows; `None` if the second one does not come
    /// before a character of `stops`.
    pub fn quoted(&mut self, stops: &[char]) -> Option<&'t str> {
        let mark = self.first()?;
        let text = &self.rest()[mark.len_utf8()..];
        let end =
            text.find(|c| c == mark || stops.contains(&c)).filter(|&end| text[end..].starts_with(mark))?;
        self.at += end + 2 * mark.len_utf8();
        Some(&text[..end])
    }

    /// Complains about the next character, which begins no token.
    pub fn unexpected(&mut self) -> Fault {
        let (start, strange) = (self.at, self.first().unwrap_or(' '));
        self.at += strange.len_utf8().min(self.rest().len());
        Fault::new(self.span_from(start), format!("unexpected character `{}`", strange.escape_default()))
    }
}
