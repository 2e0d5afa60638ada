//! The places of statements, for reports.

use atropos_event::Span;
use atropos_vm::Source;

/// Turns byte offsets of one text into lines and columns.
pub struct Sources<'text> {
    file: &'text str,
    text: &'text str,
    line_starts: Vec<usize>,
}

impl<'text> Sources<'text> {
    pub fn new(file: &'text str, text: &'text str) -> Self {
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect();
        Sources { file, text, line_starts }
    }

    /// The place of `span`, for a statement with the text `shown`.
    pub fn place(&self, span: Span, shown: String) -> Source {
        let start = span.start as usize;
        let line = self.line_starts.partition_point(|&line_start| line_start <= start).max(1);
        let before = self.text.get(self.line_starts[line - 1]..start).unwrap_or("");
        Source {
            file: self.file.to_owned(),
            line: line as u32,
            column: before.chars().count() as u32 + 1,
            text: shown,
            ..Source::default()
        }
    }
}
