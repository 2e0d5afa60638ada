//! Errors in model files, with their places.
//!
//! Inside the crate a fault is a message and a span, cheap to make and without borrowed text. [`Sources::error`]
//! turns it into an [`Error`] that owns its source line.

use std::fmt;

/// A model text and the name under which errors quote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// A range of bytes in one of the [`Sources`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span {
    pub file: u32,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn to(self, last: Span) -> Span {
        Span { end: last.end, ..self }
    }
}

/// What is wrong and where.
#[derive(Debug)]
pub(crate) struct Fault {
    pub span: Span,
    pub message: String,
}

impl Fault {
    pub fn new<T>(span: Span, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { span, message: message.into() })
    }
}

/// Every text that takes part in a model, in the order of inclusion.
#[derive(Debug, Default)]
pub(crate) struct Sources(pub Vec<Source>);

impl Sources {
    pub fn error(&self, fault: Fault) -> Error {
        let source = &self.0[fault.span.file as usize];
        let start = fault.span.start as usize;
        let line_start = source.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_text = source.text[line_start..].lines().next().unwrap_or_default();
        let line_end = line_start + line_text.len();
        let marked =
            &source.text[start.min(line_end)..(fault.span.end as usize).clamp(start.min(line_end), line_end)];
        let location = Location {
            file: source.name.clone(),
            line: source.text[..start].matches('\n').count() + 1,
            column: source.text[line_start..start].chars().count() + 1,
            width: marked.chars().count().max(1),
            text: line_text.to_string(),
        };
        Error { message: fault.message, location: Some(location) }
    }
}

/// A place in a model file. Lines and columns count from one, columns in characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// Characters concerned, at least one.
    pub width: usize,
    /// The whole source line.
    pub text: String,
}

/// Why a model could not be read or evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    pub message: String,
    /// Absent if no line of a model is at fault: a missing file, an incomplete structure.
    pub location: Option<Location>,
}

impl Error {
    pub(crate) fn general(message: impl Into<String>) -> Error {
        Error { message: message.into(), location: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(location) = &self.location else { return f.write_str(&self.message) };
        let Location { file, line, column, width, text } = location;
        writeln!(f, "{file}:{line}:{column}: {}", self.message)?;
        writeln!(f, "{line:5} | {text}")?;
        // Tabs stay tabs, so that the caret is under its character.
        let indent: String =
            text.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        write!(f, "      | {indent}{}", "^".repeat(*width))
    }
}

impl std::error::Error for Error {}
