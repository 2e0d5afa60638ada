//! Errors of an input, with their places: the form that all readers of files use.
//!
//! A reader of text makes [`Fault`]s with byte [`Span`]s, and [`Texts`] turns them into diagnostics that quote their line.
//! A reader that only knows lines and columns makes a [`Region`] of them. The command line draws diagnostics.

use std::fmt;

/// A range of bytes of one of the texts of an input.
///
/// Spans say where a thing is, not what it is: all spans are equal, so that two syntax trees are equal when they say the
/// same, and a printed and re-parsed text can be compared with the original.
#[derive(Clone, Copy, Default, Debug)]
pub struct Span {
    /// Which text, of [`Texts`].
    pub file: u32,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// A span of the first text.
    pub fn new(start: usize, end: usize) -> Span {
        Span { file: 0, start: start as u32, end: end as u32 }
    }

    /// From the start of `self` to the end of `last`.
    pub fn to(self, last: Span) -> Span {
        Span { end: last.end.max(self.end), ..self }
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

/// What is wrong at one place of a text, as a reader of it reports it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub span: Span,
    pub message: String,
}

impl Fault {
    pub fn new(span: Span, message: impl Into<String>) -> Fault {
        Fault { span, message: message.into() }
    }

    pub fn err<T>(span: Span, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault::new(span, message))
    }
}

/// A text, and the name under which diagnostics quote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    pub name: String,
    pub text: String,
}

/// The texts that an input consists of, in the order in which spans number them.
#[derive(Clone, Debug, Default)]
pub struct Texts(pub Vec<Text>);

impl Texts {
    pub fn of_file(name: &str, text: &str) -> Texts {
        Texts(vec![Text { name: name.to_string(), text: text.to_string() }])
    }

    pub fn error(&self, fault: Fault) -> Diagnostic {
        let text = &self.0[fault.span.file as usize];
        let region = Region::of(&text.text, fault.span);
        Diagnostic::error(fault.message).at(&text.name, region)
    }

    /// The faults of one file, in the order of its text.
    pub fn errors(&self, mut faults: Vec<Fault>) -> Diagnostics {
        faults.sort_by_key(|fault| fault.span.start);
        Diagnostics(faults.into_iter().map(|fault| self.error(fault)).collect())
    }
}

/// A place in a file. Lines and columns count from one, columns in characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    pub line: u32,
    pub column: u32,
    /// The number of characters of the line, at least one.
    pub width: u32,
    /// The line itself, if known.
    pub text: Option<String>,
}

impl Region {
    /// Where a span of `text` begins, and as much of it as is on that line. A span outside of the text is at its end.
    pub fn of(text: &str, span: Span) -> Region {
        let start = floor(text, span.start as usize);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[line_start..].split('\n').next().unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let line_end = line_start + line.len();
        let start = start.min(line_end);
        let end = floor(text, span.end as usize).clamp(start, line_end);
        Region {
            line: text[..line_start].matches('\n').count() as u32 + 1,
            column: text[line_start..start].chars().count() as u32 + 1,
            width: (text[start..end].chars().count() as u32).max(1),
            text: Some(line.to_string()),
        }
    }
}

/// The nearest character boundary at or before `offset`.
fn floor(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// One complaint about an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    /// Absent if no file is responsible.
    pub file: Option<String>,
    /// Absent if the whole file is.
    pub region: Option<Box<Region>>,
    /// Further information, with its own places.
    pub notes: Vec<Diagnostic>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(severity: Severity, message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        Diagnostic { severity, message, file: None, region: None, notes: Vec::new(), help: None }
    }

    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, message)
    }

    /// An error of a file as a whole.
    pub fn about_file(file: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { file: Some(file.to_string()), ..Diagnostic::error(message) }
    }

    pub fn at(self, file: &str, region: Region) -> Diagnostic {
        Diagnostic { file: Some(file.to_string()), region: Some(Box::new(region)), ..self }
    }

    pub fn at_line(self, file: &str, line: u32, column: u32) -> Diagnostic {
        self.at(file, Region { line, column, width: 1, text: None })
    }
}

/// One line, without notes: file, line and column come first.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            if let Some(region) = &self.region {
                write!(f, "{}:{}:", region.line, region.column)?;
            }
            write!(f, " ")?;
        }
        write!(f, "{}: {}", self.severity.name(), self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// All errors of an input; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        Diagnostics(vec![diagnostic])
    }
}

impl Diagnostics {
    /// Sets the file of diagnostics that name none.
    pub fn in_file(mut self, file: &str) -> Diagnostics {
        for diagnostic in &mut self.0 {
            diagnostic.file.get_or_insert_with(|| file.to_string());
        }
        self
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Diagnostic::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(text: &str, start: usize, end: usize) -> (u32, u32, u32, Option<String>) {
        let Region { line, column, width, text } = Region::of(text, Span::new(start, end));
        (line, column, width, text)
    }

    #[test]
    fn columns_and_widths_count_characters() {
        let text = "C test\n\tint é = $$;\r\nlast";
        let start = text.find('$').unwrap();
        assert_eq!(region(text, start, start + 2), (2, 10, 2, Some("\tint é = $$;".to_string())));
        assert_eq!(region(text, 0, text.len()), (1, 1, 6, Some("C test".to_string())), "one line is shown");
    }

    #[test]
    fn places_outside_the_text_are_at_its_end() {
        assert_eq!(region("é", 1, 99), (1, 1, 1, Some("é".to_string())), "inside of a character");
        assert_eq!(region("ab\n", 99, 100), (2, 1, 1, Some(String::new())));
        assert_eq!(region("", 0, 0), (1, 1, 1, Some(String::new())));
    }

    #[test]
    fn file_line_and_column_come_first() {
        let texts = Texts::of_file("t.litmus", "ab\ncd");
        assert_eq!(texts.error(Fault::new(Span::new(4, 5), "odd")).to_string(), "t.litmus:2:2: error: odd");
        assert_eq!(Diagnostic::about_file("t.vm", "odd").to_string(), "t.vm: error: odd");
        assert_eq!(Diagnostic::error("odd").to_string(), "error: odd");
    }
}
