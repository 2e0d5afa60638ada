//! Annotations for the logs of GitHub's continuous integration: one line for each violation, which GitHub shows beside
//! the source.

use crate::finding::Finding;
use crate::human;
use crate::summary::{Summary, Verdict};
use atropos_event::Diagnostics;

/// The lines for a check that has ended.
pub fn render(summary: &Summary) -> String {
    let mut lines: String = summary.findings.iter().map(|finding| annotation("error", finding)).collect();
    lines.extend(summary.warnings.iter().map(|finding| annotation("warning", finding)));
    if let Verdict::Inconclusive(_) = summary.verdict {
        let file = property(&summary.setup.file);
        let message = data(&human::verdict_sentence(summary));
        lines.push_str(&format!("::warning file={file},title=Atropos::{message}\n"));
    }
    lines
}

/// The lines for an input that cannot be checked.
pub fn render_errors(file: &str, errors: &Diagnostics) -> String {
    let lines = errors.0.iter().map(|error| {
        let file = property(error.file.as_deref().unwrap_or(file));
        let place =
            error.region.as_ref().map(|region| format!(",line={},col={}", region.line, region.column));
        let message = data(&error.message);
        format!("::error file={file}{},title=Atropos::{message}\n", place.unwrap_or_default())
    });
    lines.collect()
}

fn annotation(level: &str, finding: &Finding) -> String {
    let place = finding.location.as_ref().map(|location| {
        format!("file={},line={},col={},", property(&location.file), location.line, location.column)
    });
    let (kind, message) = (finding.description.kind, data(&finding.description.message));
    format!("::{level} {}title=Atropos: {kind}::{message}\n", place.unwrap_or_default())
}

/// A message, with what would end it escaped.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, with what would end it escaped.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
