//! The Static Analysis Results Interchange Format, version 2.1.0: what editors and code hosts read.
//!
//! A violation is a result. Its execution is a code flow with one thread flow for each thread; `executionOrder` says how
//! the steps of the threads interleave. Steps without a place in the source are left out.

use crate::finding::Finding;
use crate::human::{self, Detail};
use crate::rows::Rows;
use crate::summary::{Summary, Verdict};
use crate::text;
use crate::trace::Trace;
use atropos_event::{Diagnostic, Diagnostics, Severity, SourceLocation};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log of a check that has ended.
pub fn render(summary: &Summary) -> String {
    let found = summary.findings.iter().map(|finding| (finding, "error"));
    let results: Vec<(&Finding, &str)> =
        found.chain(summary.warnings.iter().map(|finding| (finding, "warning"))).collect();
    let rules: BTreeSet<&str> = results.iter().map(|(finding, _)| finding.description.kind.name()).collect();
    let rule_index =
        |finding: &Finding| rules.iter().position(|rule| *rule == finding.description.kind.name());
    let notifications: Vec<Value> = match summary.verdict {
        Verdict::Inconclusive(_) => {
            vec![json!({ "level": "warning", "message": { "text": human::verdict_sentence(summary) } })]
        }
        Verdict::Verified | Verdict::Violation => summary.errors.iter().map(notification).collect(),
    };
    let mut properties = json!({
        "verdict": human::verdict_sentence(summary),
        "model": summary.setup.model,
        "algorithm": summary.setup.algorithm,
        "executions": summary.stats.executions,
        "blocked": summary.stats.blocked,
        "complete": summary.coverage.is_complete,
    });
    if let Some(note) = &summary.setup.algorithm_note {
        properties["algorithmNote"] = note.as_str().into();
    }
    log(json!({
        "tool": tool(&summary.setup.version, &rules),
        "invocations": [{
            "executionSuccessful": summary.errors.is_empty(),
            "commandLine": summary.setup.command,
            "toolExecutionNotifications": notifications,
        }],
        "results": results.iter().map(|(finding, level)| result(finding, level, rule_index(finding))).collect::<Vec<_>>(),
        "properties": properties,
    }))
}

/// The log for an input that cannot be checked.
pub fn render_errors(version: &str, errors: &Diagnostics) -> String {
    let notifications: Vec<Value> = errors.0.iter().map(notification).collect();
    log(json!({
        "tool": tool(version, &BTreeSet::new()),
        "invocations": [{ "executionSuccessful": false, "toolExecutionNotifications": notifications }],
        "results": [],
    }))
}

fn log(run: Value) -> String {
    let log = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    serde_json::to_string_pretty(&log).expect("strings and numbers only") + "\n"
}

fn tool(version: &str, rules: &BTreeSet<&str>) -> Value {
    let rule = |id: &&str| json!({ "id": id, "shortDescription": { "text": id.replace('-', " ") } });
    json!({ "driver": { "name": "Atropos", "version": version, "rules": rules.iter().map(rule).collect::<Vec<_>>() } })
}

fn notification(error: &Diagnostic) -> Value {
    let level = if error.severity == Severity::Error { "error" } else { "note" };
    let mut notification = json!({ "level": level, "message": { "text": error.message } });
    if let Some(file) = &error.file {
        let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
        if let Some(region) = &error.region {
            place["region"] = json!({ "startLine": region.line.max(1), "startColumn": region.column.max(1) });
        }
        notification["locations"] = json!([{ "physicalLocation": place }]);
    }
    notification
}

fn result(finding: &Finding, level: &str, rule: Option<usize>) -> Value {
    let mut result = json!({
        "ruleId": finding.description.kind.name(),
        "level": level,
        "message": { "text": message(finding) },
        "occurrenceCount": finding.count.max(1),
    });
    if let Some(rule) = rule {
        result["ruleIndex"] = json!(rule);
    }
    if let Some(location) = &finding.location {
        result["locations"] = json!([{ "physicalLocation": physical(location) }]);
    }
    if let Some(flow) = finding.trace.as_ref().and_then(code_flow) {
        result["codeFlows"] = json!([flow]);
    }
    result
}

/// The sentence, and why it happens.
fn message(finding: &Finding) -> String {
    let notes = finding.trace.as_ref().map(|trace| text::notes(&Rows::of(trace, Detail::Brief)));
    let lines = std::iter::once(finding.description.message.clone()).chain(notes.unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn code_flow(trace: &Trace) -> Option<Value> {
    let rows = Rows::of(trace, Detail::Brief);
    let thread_flow = |thread: usize| {
        let steps = rows.of_thread(thread).filter_map(|(row, nth)| {
            let source = row.place.source.as_ref()?;
            let from = row.from.as_ref().map(|from| format!(" (reads from {from})")).unwrap_or_default();
            let text = format!("{}: {}{from}", row.number(), row.what);
            Some(json!({
                "location": { "physicalLocation": physical(source), "message": { "text": text } },
                "executionOrder": nth + 1,
                "importance": if row.is_guilty { "essential" } else { "important" },
            }))
        });
        let steps: Vec<Value> = steps.collect();
        let name = &trace.threads[thread].name;
        (!steps.is_empty()).then(
            || json!({ "id": name, "message": { "text": text::title(trace, thread) }, "locations": steps }),
        )
    };
    let flows: Vec<Value> = (0..trace.threads.len()).filter_map(thread_flow).collect();
    (!flows.is_empty()).then(|| json!({ "threadFlows": flows }))
}

fn physical(location: &SourceLocation) -> Value {
    json!({
        "artifactLocation": { "uri": uri(&location.file) },
        "region": { "startLine": location.line.max(1), "startColumn": location.column.max(1) },
    })
}

/// A path as a URI reference.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encode =
        |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    let encoded: String = path.bytes().map(encode).collect();
    if path.starts_with('/') { format!("file://{encoded}") } else { encoded }
}
