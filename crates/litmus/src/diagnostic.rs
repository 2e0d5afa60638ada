//! What is wrong with a litmus file, with the place shown.
//!
//! Parsing and lowering collect [`Diagnostic`]s against byte [`Span`]s; [`Diagnostics`] turns them into
//! what the user sees: `file:line:column: message`, the source line, and carets under the guilty part.

use std::fmt;

/// A range of bytes of the source text.
///
/// Spans say where a thing stood, not what it is: all spans are equal, so that two syntax trees are equal
/// when they say the same, and a printed and re-parsed test can be compared with the original.
#[derive(Clone, Copy, Default, Debug)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    /// From the start of `self` to the end of `last`.
    pub fn to(self, last: Span) -> Span {
        Span { start: self.start, end: last.end.max(self.end) }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl std::hash::Hash for Span {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// One complaint about the text at `span`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub span: Span,
    pub message: String,
}

impl Diagnostic {
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { span, message: message.into() }
    }
}

/// All complaints about one file; never empty when returned as an error.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    file: String,
    text: String,
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    pub fn new(file: &str, text: &str, mut items: Vec<Diagnostic>) -> Self {
        items.sort_by_key(|item| item.span.start);
        Diagnostics { file: file.to_owned(), text: text.to_owned(), items }
    }

    /// Line and column (both from 1, columns in characters) and message of each complaint, in text order.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize, &str)> {
        self.items.iter().map(|item| {
            let (line, column) = self.line_and_column(item.span.start as usize);
            (line, column, item.message.as_str())
        })
    }

    fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.floor(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// The nearest character boundary at or before `offset`.
    fn floor(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        (0..=offset).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
    }

    fn write_excerpt(&self, f: &mut fmt::Formatter<'_>, span: Span) -> fmt::Result {
        let (line, column) = self.line_and_column(span.start as usize);
        let source = self.text.split('\n').nth(line - 1).unwrap_or("").trim_end();
        let until = self.floor(span.end as usize);
        let width = self.text[self.floor(span.start as usize)..until.max(self.floor(span.start as usize))]
            .split('\n')
            .next()
            .map_or(0, |marked| marked.chars().count());
        let margin = line.to_string();
        // Tabs are kept in front of the caret, so that it lines up however wide they are shown.
        let indent: String =
            source.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        writeln!(f, " {margin} | {source}")?;
        writeln!(f, " {:margin$} | {indent}{}", "", "^".repeat(width.max(1)), margin = margin.len())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for item in &self.items {
            let (line, column) = self.line_and_column(item.span.start as usize);
            writeln!(f, "{}:{line}:{column}: error: {}", self.file, item.message)?;
            self.write_excerpt(f, item.span)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn carets_stand_under_the_guilty_text() {
        let text = "C test\n\tint r0 = é$;\n";
        let start = text.find('$').unwrap();
        let shown =
            Diagnostics::new("t.litmus", text, vec![Diagnostic::new(Span::new(start, start + 1), "odd")]);
        expect![[r#"
            t.litmus:2:12: error: odd
             2 | 	int r0 = é$;
               | 	          ^
        "#]]
        .assert_eq(&shown.to_string());
    }

    #[test]
    fn places_outside_the_text_do_not_panic() {
        let shown = Diagnostics::new("t", "é", vec![Diagnostic::new(Span::new(1, 99), "x")]);
        assert_eq!(shown.places().next(), Some((1, 1, "x")));
        assert!(shown.to_string().contains('^'));
    }
}
