//! The report for people: the findings, what was explored, and the verdict last.

use crate::finding::{Description, Finding, FindingKind};
use crate::recheck::Recheck;
use crate::style::Style;
use crate::summary::{Limit, MendedOrder, Mending, Setup, Summary, Verdict};
use crate::survey;
use crate::text;
use crate::trace::Trace;
use atropos_event::{BoundedLoop, MixedCell, Place, Stats, ViolationKind};
use std::fmt::Write;
use std::time::Duration;

/// The amount of detail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    #[default]
    Brief,
    /// Also what the search did, and every step of an execution.
    Verbose,
}

pub fn render(summary: &Summary, style: Style, detail: Detail) -> String {
    let mut out = String::new();
    write_summary(&mut out, summary, style, detail).expect("writing to a string");
    out
}

fn write_summary(out: &mut String, summary: &Summary, style: Style, detail: Detail) -> std::fmt::Result {
    writeln!(out, "{}\n", style.dim(&heading(&summary.setup)))?;
    if let Some(litmus) = &summary.litmus {
        writeln!(out, "{}", litmus.lines)?;
    }
    for finding in &summary.findings {
        write_finding(out, finding, style, detail)?;
    }
    for sentence in insights(summary) {
        writeln!(out, "{sentence}\n")?;
    }
    if summary.n_omitted > 0 {
        writeln!(
            out,
            "and {} more violations, of other kinds or at other places\n",
            grouped(summary.n_omitted)
        )?;
    }
    if summary.findings.iter().any(|finding| finding.trace.is_some()) {
        writeln!(out, "to see it again: {}\n", summary.setup.command)?;
        if let Some(command) = &summary.setup.replay {
            writeln!(out, "to replay it: {command}\n")?;
        }
    }
    if let Some(trace) = &summary.replayed {
        writeln!(out, "{}", text::render(trace, style, detail))?;
        write_output(out, trace)?;
    }
    for warning in &summary.warnings {
        write_warning(out, warning, style)?;
    }
    for cell in &summary.coverage.cells {
        writeln!(out, "{}\n", mixed(cell, style))?;
    }
    writeln!(out, "{}", explored(&summary.stats, summary.cost.time))?;
    if !summary.coverage.reductions.is_empty() {
        let names = summary.coverage.reductions.join(", ");
        writeln!(out, "reduced by {names}: executions were left out that others stand for")?;
    }
    if detail == Detail::Verbose {
        writeln!(out, "{}", details(summary))?;
    }
    if let Some(survey) = &summary.coverage.survey {
        writeln!(out, "{}", survey::render(survey))?;
    }
    if matches!(summary.verdict, Verdict::Inconclusive(_))
        && let Some(advice) =
            advice(summary.stats.largest, summary.setup.unroll, &summary.coverage.longest_loop)
    {
        writeln!(out, "{advice}")?;
    }
    writeln!(out, "{}", verdict(summary, style))
}

fn heading(setup: &Setup) -> String {
    let Setup { file, model, algorithm, equivalence, jobs, .. } = setup;
    let [note, reason] = [&setup.model_note, &setup.algorithm_note]
        .map(|note| note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default());
    let workers = if *jobs == 1 { "1 worker".to_string() } else { format!("{jobs} workers") };
    format!("{file}: model {model}{note}, {algorithm}{reason} up to {equivalence}, {workers}")
}

fn write_finding(out: &mut String, finding: &Finding, style: Style, detail: Detail) -> std::fmt::Result {
    let Description { kind, message, .. } = &finding.description;
    let place = finding.location.as_ref().map(|location| format!("{location}: ")).unwrap_or_default();
    writeln!(out, "{place}{} {}", style.bad(&format!("{kind}:")), style.bold(message))?;
    writeln!(out)?;
    if let Some(trace) = &finding.trace {
        writeln!(out, "{}", text::render(trace, style, detail))?;
        write_output(out, trace)?;
    }
    finding_notes(finding).iter().try_for_each(|note| writeln!(out, "  {note}\n"))
}

/// How often a violation was found, and what was not checked about it.
pub(crate) fn finding_notes(finding: &Finding) -> Vec<String> {
    let count =
        (finding.count > 1).then(|| format!("found {} times; this is one of them", grouped(finding.count)));
    let recheck = match finding.recheck {
        Recheck::Confirmed => None,
        Recheck::ReplayedOnly => Some(
            "replayed and judged again, but whether the model allows this execution was not checked again: that would take \
             too long",
        ),
        Recheck::CutShort => Some("not re-checked: a limit was hit before"),
    };
    count.into_iter().chain(recheck.map(String::from)).collect()
}

/// What is known about the first violation beyond its execution.
pub(crate) fn insights(summary: &Summary) -> Vec<String> {
    let mending = summary.insight.mending.as_ref();
    elsewhere(summary).into_iter().chain(mending.map(mended)).collect()
}

/// The orders that mend the program.
fn mended(mending: &Mending) -> String {
    let change = |order: &MendedOrder| {
        let place = order.location.as_ref().map(|place| format!("{}:{} ", place.file, place.line));
        let MendedOrder { operation, before, after, .. } = order;
        format!("{}{operation} {before} → {after}", place.unwrap_or_default())
    };
    match mending {
        Mending::By(orders) => {
            let changes: Vec<String> = orders.iter().map(change).collect();
            format!("mended by: {} (checked)", changes.join(" and "))
        }
        Mending::No => "stronger memory orders do not mend this (checked)".to_string(),
    }
}

/// Under which other models the first violation happens.
fn elsewhere(summary: &Summary) -> Option<String> {
    let models = |happens: bool| {
        let known = summary.insight.elsewhere.iter().filter(|other| other.happens == happens);
        let names: Vec<&str> = known.map(|other| other.model.as_str()).collect();
        (!names.is_empty()).then(|| names.join(" and "))
    };
    let first = summary.findings.first()?;
    let is_race = first.description.kind == FindingKind::Violation(ViolationKind::Race);
    let is_interleaving = first.trace.as_ref().is_some_and(|trace| trace.is_interleaving == Some(true));
    // Then another search has found it.
    let is_about_order = first.trace.as_ref().is_some_and(|trace| trace.unordered.is_some());
    match (models(false), models(true)) {
        (None, None) if is_race && is_interleaving => {
            Some("an interleaving shows this race, but sc and tso know no data races".to_string())
        }
        (None, None) if is_race => Some("sc and tso know no data races".to_string()),
        (None, None) => None,
        (None, Some(wrong)) if is_interleaving && is_about_order => {
            Some(format!("this happens under {wrong}, too"))
        }
        (None, Some(wrong)) if is_interleaving => {
            Some(format!("this happens under {wrong}, too: the execution is an interleaving"))
        }
        (Some(right), None) => Some(format!("under {right}, no execution goes wrong")),
        (None, Some(wrong)) => Some(format!("this happens under {wrong}, too, in another execution")),
        (Some(right), Some(wrong)) => Some(format!(
            "this happens under {wrong}, too, in another execution; under {right}, no execution goes wrong"
        )),
    }
}

/// The verdict in words.
pub(crate) fn verdict_sentence(summary: &Summary) -> String {
    verdict(summary, Style::Plain)
}

fn write_warning(out: &mut String, warning: &Finding, style: Style) -> std::fmt::Result {
    let place = warning.location.as_ref().map(|location| format!("{location}: ")).unwrap_or_default();
    let times =
        if warning.count == 1 { String::new() } else { format!("met {} times; ", grouped(warning.count)) };
    let Description { kind, message, .. } = &warning.description;
    let kind = style.unsure(&format!("warning: {kind}:"));
    writeln!(out, "{place}{kind} {message} ({times}--leaks shows an execution)\n")
}

fn write_output(out: &mut String, trace: &Trace) -> std::fmt::Result {
    if trace.output.is_empty() {
        return Ok(());
    }
    writeln!(out, "  output:")?;
    for (thread, text) in &trace.output {
        for line in text.lines() {
            writeln!(out, "    {}: {line}", trace.threads[*thread].name)?;
        }
    }
    writeln!(out)
}

/// What the verdict does not cover: a weak memory model may order the parts of a cell too strictly.
fn mixed(cell: &MixedCell, style: Style) -> String {
    let MixedCell { name, size, .. } = cell;
    let parts: Vec<String> = cell.parts.iter().map(u8::to_string).collect();
    let (parts, place) = (parts.join(", "), place(&cell.place));
    format!(
        "{} the {size} bytes of `{name}` are also accessed in parts (bytes: {parts}; at {place}) and are taken as one \
         location: some reorderings of these accesses are not explored",
        style.unsure("note:"),
    )
}

fn explored(counts: &Stats, time: Duration) -> String {
    let executions = if counts.executions == 1 { "execution" } else { "executions" };
    let again = match counts.duplicates {
        0 => String::new(),
        duplicates => format!(", {} visited again", grouped(duplicates)),
    };
    format!(
        "{} complete {executions}, {} blocked{again}, in {}",
        grouped(counts.executions),
        grouped(counts.blocked),
        seconds(time)
    )
}

fn details(summary: &Summary) -> String {
    let Stats { executions, blocked, events, dead, revisits, largest, .. } = summary.stats;
    let n_ended = (executions + blocked).max(1);
    format!(
        "{} events added ({:.1} per execution), {} dead ends, {} revisits, largest execution {largest} events, \
         peak memory {:.1} MiB",
        grouped(events),
        events as f64 / n_ended as f64,
        grouped(dead),
        grouped(revisits),
        summary.cost.peak_rss_kib as f64 / 1024.0
    )
}

fn verdict(summary: &Summary, style: Style) -> String {
    match summary.verdict {
        Verdict::Verified if summary.replayed.is_some() => {
            format!("{} in this execution; no other one was explored", style.good("no violation"))
        }
        Verdict::Verified if summary.coverage.bounded => {
            format!("{} up to {}{}", style.good("verified"), bounds(summary), merged(summary))
        }
        Verdict::Verified => {
            format!("{}{}: no violation in any execution", style.good("verified"), merged(summary))
        }
        Verdict::Violation if summary.findings.iter().all(is_condition) => {
            style.bad("the condition of the test does not hold")
        }
        Verdict::Violation if summary.setup.is_replay => {
            format!("{} in this execution; no other one was explored", style.bad("violation found"))
        }
        Verdict::Violation if summary.coverage.is_complete => style.bad("violation found"),
        Verdict::Violation => {
            format!("{}; there may be other executions and other violations", style.bad("violation found"))
        }
        Verdict::Inconclusive(Limit::MixedSizes) => format!(
            "{}: no violation, but accesses of several sizes can be reordered in more ways than were explored; \
             {}--mixed-sizes merge accepts that",
            style.unsure("inconclusive"),
            if has_machine(&summary.setup) { "--algorithm optimal-dpor explores all of them, " } else { "" }
        ),
        Verdict::Inconclusive(limit) => {
            let limit = limit_reached(limit);
            format!(
                "{}: {limit} before all executions were explored; no violation so far",
                style.unsure("inconclusive")
            )
        }
    }
}

/// Whether there is an algorithm that runs the machine of the model.
fn has_machine(setup: &Setup) -> bool {
    matches!(setup.model.as_str(), "tso" | "pso")
}

fn is_condition(finding: &Finding) -> bool {
    finding.description.kind == FindingKind::Condition
}

/// What a user who accepts this must still know.
fn merged(summary: &Summary) -> &'static str {
    if summary.coverage.cells.is_empty() {
        ""
    } else {
        ", taking words accessed in several sizes as one location each"
    }
}

/// Which loops were bounded by how many iterations.
fn bounds(summary: &Summary) -> String {
    let mut bounds: Vec<(u32, Vec<String>)> = Vec::new();
    for BoundedLoop { place: at, times } in &summary.coverage.bounded_loops {
        match bounds.iter_mut().find(|(bound, _)| bound == times) {
            Some((_, places)) => places.push(place(at)),
            None => bounds.push((*times, vec![place(at)])),
        }
    }
    if bounds.is_empty() {
        let bound = summary.setup.unroll.map(|bound| format!("{bound} ")).unwrap_or_default();
        return format!("{bound}iterations of loops");
    }
    let each = bounds.iter().map(|(times, places)| {
        let iterations = if *times == 1 { "iteration" } else { "iterations" };
        format!("{times} {iterations} of the loop at {}", places.join(" and at "))
    });
    each.collect::<Vec<_>>().join(", ")
}

/// Advice about an execution so long that it may have no end.
fn advice(largest: u64, unroll: Option<u32>, longest: &Option<(Place, u64)>) -> Option<String> {
    const PERHAPS_ENDLESS: u64 = 1000;
    if largest < PERHAPS_ENDLESS || unroll.is_some() {
        return None;
    }
    let events = grouped(largest);
    let named =
        longest.as_ref().and_then(|(place, n_iterations)| Some((place.source.as_ref()?, n_iterations)));
    Some(match named {
        Some((source, &n_iterations)) => format!(
            "one execution has {events} events, and the loop at {source} has run {} times: if it changes state in \
             every iteration (even just a counter), it may run forever; bound it with --unroll {}:{}=N",
            grouped(n_iterations),
            source.file,
            source.line
        ),
        None => format!(
            "one execution has {events} events: a loop that changes state in every iteration (even just a counter) \
             may run forever; bound it with --unroll N"
        ),
    })
}

fn place(place: &atropos_event::Place) -> String {
    match &place.source {
        Some(source) => source.to_string(),
        None => format!("`{}`", place.text),
    }
}

fn limit_reached(limit: Limit) -> String {
    match limit {
        Limit::Executions(most) => format!("stopped after {} executions (--max-executions)", grouped(most)),
        Limit::Time(most) => format!("stopped after {} (--timeout)", seconds(most)),
        Limit::MemoryMib(most) => format!("stopped at {} MiB of memory (--memory-limit)", grouped(most)),
        Limit::Interrupt => "interrupted".to_string(),
        Limit::MixedSizes => "stopped at accesses of several sizes".to_string(),
    }
}

/// A number with separated thousands: `147,456`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A duration in seconds, with few digits.
pub fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..0.0995 => format!("{:.0} ms", seconds * 1000.0),
        ..9.995 => format!("{seconds:.2} s"),
        _ => format!("{seconds:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_event::SourceLocation;

    #[test]
    fn thousands_stand_apart() {
        let shown = [0, 999, 1000, 147_456, 1_000_000].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "147,456", "1,000,000"]);
    }

    #[test]
    fn a_bound_is_advised_where_an_execution_does_not_end() {
        assert_eq!(advice(500, None, &None), None);
        assert_eq!(advice(1_000_000, Some(5), &None), None);
        let about = |longest| advice(123_456, None, &longest).expect("so long an execution is worth a word");
        let text = about(None);
        assert!(
            text.starts_with("one execution has 123,456 events:") && text.ends_with("--unroll N"),
            "{text}"
        );
        let source = Some(SourceLocation { file: "p.c".to_string(), line: 7, column: 5 });
        let text = about(Some((Place { source, ..Place::default() }, 4096)));
        assert!(text.contains("the loop at p.c:7:5 has run 4,096 times"), "{text}");
        assert!(text.ends_with("--unroll p.c:7=N"), "{text}");
    }

    #[test]
    fn short_times_are_shown_in_milliseconds() {
        let shown = [3, 1234, 60_000].map(|ms| seconds(Duration::from_millis(ms)));
        assert_eq!(shown, ["3 ms", "1.23 s", "60.0 s"]);
    }
}
