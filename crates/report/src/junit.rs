//! A check as a JUnit report, which most servers for continuous integration read: one test case, or one for each
//! violation.

use crate::finding::Finding;
use crate::human::{self, Detail};
use crate::page::escaped;
use crate::style::Style;
use crate::summary::{Summary, Verdict};
use crate::text;
use atropos_event::Diagnostics;
use std::fmt::Write;

/// The report of a check that has ended.
pub fn render(summary: &Summary) -> String {
    let time = summary.cost.time.as_secs_f64();
    let case = |name: &str, body: &str| test_case(&summary.setup.file, name, time, body);
    let name = format!("{} {}", summary.setup.file, summary.setup.model);
    let cases: Vec<String> = match summary.verdict {
        Verdict::Violation => {
            summary.findings.iter().map(|finding| failure(summary, finding, &name)).collect()
        }
        Verdict::Verified => vec![case(&name, "")],
        Verdict::Inconclusive(limit) => {
            let message = escaped(&human::verdict_sentence(summary));
            vec![case(&name, &format!("<error type=\"{}\" message=\"{message}\"/>", limit.name()))]
        }
    };
    let errors = usize::from(matches!(summary.verdict, Verdict::Inconclusive(_)));
    suite(&cases, summary.findings.len(), errors, time)
}

/// The report of an input that cannot be checked.
pub fn render_errors(file: &str, errors: &Diagnostics) -> String {
    let messages = errors.0.iter().map(|error| {
        let place = error.region.as_ref().map(|region| format!(":{}:{}", region.line, region.column));
        let place = format!("{}{}", error.file.as_deref().unwrap_or(file), place.unwrap_or_default());
        format!("<error type=\"input\" message=\"{}\"/>", escaped(&format!("{place}: {}", error.message)))
    });
    let body: String = messages.collect();
    suite(&[test_case(file, file, 0.0, &body)], 0, errors.0.len(), 0.0)
}

fn failure(summary: &Summary, finding: &Finding, name: &str) -> String {
    let place = finding.location.as_ref().map(|location| format!("{location}: ")).unwrap_or_default();
    let (kind, message) = (finding.description.kind, &finding.description.message);
    let trace = finding.trace.as_ref().map(|trace| text::render(trace, Style::Plain, Detail::Brief));
    let mut body = String::new();
    write!(
        body,
        "<failure type=\"{kind}\" message=\"{}\">{}</failure>",
        escaped(&format!("{place}{message}")),
        escaped(&trace.unwrap_or_default())
    )
    .expect("writing to a string");
    let name = format!("{name} {kind} {}", place.trim_end_matches(": "));
    test_case(&summary.setup.file, name.trim_end(), summary.cost.time.as_secs_f64(), &body)
}

fn test_case(file: &str, name: &str, time: f64, body: &str) -> String {
    let (class, name) = (escaped(file), escaped(name));
    format!("<testcase classname=\"{class}\" name=\"{name}\" time=\"{time:.3}\">{body}</testcase>\n")
}

fn suite(cases: &[String], failures: usize, errors: usize, time: f64) -> String {
    let counts =
        format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\"", cases.len());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n<testsuite name=\"atropos\" {counts}>\n{}\
         </testsuite>\n</testsuites>\n",
        cases.concat()
    )
}
