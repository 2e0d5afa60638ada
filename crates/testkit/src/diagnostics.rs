//! Diagnostics as people see them, for the expectations of tests.

use atropos_event::Diagnostic;

/// Each diagnostic with the line that it is about, and its place in that line.
///
/// # Panics
/// If a diagnostic has no place.
pub fn shown(diagnostics: &[Diagnostic]) -> String {
    let show = |diagnostic: &Diagnostic| {
        let region = diagnostic.region.as_ref().expect("a place");
        let text = region.text.as_ref().expect("the line is known");
        let before = text.chars().take(region.column as usize - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let (number, carets) = (region.line.to_string(), "^".repeat(region.width as usize));
        format!("{diagnostic}\n {number} | {text}\n {:1$} | {indent}{carets}\n", "", number.len())
    };
    diagnostics.iter().map(show).collect()
}
