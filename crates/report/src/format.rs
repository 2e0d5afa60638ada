//! The formats of report files: the extension of a file's name says which one is meant.

use crate::{Summary, Trace, dot, json, junit, page, sarif, svg};
use atropos_event::Diagnostics;
use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Page,
    Svg,
    Dot,
    Sarif,
    Junit,
    Json,
}

/// All extensions.
const EXTENSIONS: [(&str, Format); 6] = [
    ("html", Format::Page),
    ("svg", Format::Svg),
    ("dot", Format::Dot),
    ("sarif", Format::Sarif),
    ("xml", Format::Junit),
    ("json", Format::Json),
];

impl Format {
    /// The format of the file with this name.
    ///
    /// # Errors
    /// If its extension means no format: a sentence that lists all of them.
    pub fn of(path: &Path) -> Result<Format, String> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let found = EXTENSIONS.iter().find(|(known, _)| *known == extension);
        found.map(|&(_, format)| format).ok_or_else(|| {
            let known: Vec<String> = EXTENSIONS.iter().map(|(known, _)| format!(".{known}")).collect();
            format!("the name must end with one of {}", known.join(" "))
        })
    }

    /// Whether it shows an execution and nothing else.
    pub fn is_picture(self) -> bool {
        matches!(self, Format::Svg | Format::Dot)
    }

    /// The report of a check that has ended; `None` if there is nothing to draw. `text_of` reads source files.
    pub fn render(self, summary: &Summary, text_of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        match self {
            Format::Page => Some(page::render(summary, text_of)),
            Format::Svg => picture(summary, svg::render),
            Format::Dot => picture(summary, dot::render),
            Format::Sarif => Some(sarif::render(summary)),
            Format::Junit => Some(junit::render(summary)),
            Format::Json => Some(json::render(summary)),
        }
    }

    /// Why `file` cannot be checked, by this version of Atropos; `None` if the format cannot say it.
    pub fn render_errors(self, version: &str, file: &str, errors: &Diagnostics) -> Option<String> {
        match self {
            Format::Page | Format::Svg | Format::Dot => None,
            Format::Sarif => Some(sarif::render_errors(version, errors)),
            Format::Junit => Some(junit::render_errors(file, errors)),
            Format::Json => Some(json::render_errors(version, file, errors)),
        }
    }
}

/// The drawing of the first violating execution, if there is one.
fn picture(summary: &Summary, draw: fn(&Trace, &str) -> String) -> Option<String> {
    let (finding, trace) =
        summary.findings.iter().find_map(|finding| Some((finding, finding.trace.as_ref()?)))?;
    Some(draw(trace, &format!("{}: {}", finding.description.kind, finding.description.message)))
}
