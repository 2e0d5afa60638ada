//! How large a search is, and where its executions come from, as random descents through it suggest.

use crate::human::grouped;
use atropos_event::{BlockReason, Place};
use serde_json::{Value, json};
use std::fmt::Write;

/// What random descents through a search suggest.
#[derive(Clone, PartialEq, Debug)]
pub struct Survey {
    pub estimate: Estimate,
    pub profile: Option<Profile>,
}

/// An estimate of the number of executions, complete and blocked.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    pub executions: f64,
    /// The interval of two standard errors on both sides.
    pub low: f64,
    pub high: f64,
    /// The number of descents.
    pub n_descents: u64,
    pub bound: Bound,
}

/// What an estimate says about the number of executions of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bound {
    /// It is of the search itself.
    #[default]
    Neither,
    /// The search has at most so many.
    Upper,
    /// The search has at least so many.
    Lower,
}

impl Bound {
    fn words(self) -> &'static str {
        match self {
            Bound::Neither => "about",
            Bound::Upper => "at most about",
            Bound::Lower => "at least about",
        }
    }

    fn name(self) -> Option<&'static str> {
        match self {
            Bound::Neither => None,
            Bound::Upper => Some("upper"),
            Bound::Lower => Some("lower"),
        }
    }
}

/// Where executions come from. Shares are those of all choices among several outcomes, the largest first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Profile {
    /// Of statements.
    pub places: Vec<(Place, f64)>,
    pub variables: Vec<(String, f64)>,
    /// Of pairs of threads whose accesses make several outcomes possible.
    pub pairs: Vec<([String; 2], f64)>,
    /// Where threads stop before their end, with the estimated number of executions.
    pub stops: Vec<(Place, BlockReason, f64)>,
}

/// `about 40,000 executions (36,000 to 45,000)`, or `at most about 7 executions`.
pub fn estimate_words(estimate: &Estimate) -> String {
    let Estimate { executions, low, high, .. } = *estimate;
    let (rough_low, rough_high) = (rough(low), rough(high));
    let spread =
        if rough_low == rough_high { String::new() } else { format!(" ({rough_low} to {rough_high})") };
    format!("{} {} executions{spread}", estimate.bound.words(), rough(executions))
}

/// A number with two significant digits, as a power of ten if it is very large.
fn rough(number: f64) -> String {
    if number >= 1e15 {
        return format!("10^{:.0}", number.log10());
    }
    let unit = 10_f64.powi((number.max(1.0).log10().floor() as i32 - 1).max(0));
    grouped(((number / unit).round() * unit) as u64)
}

/// The lines of the report.
pub(crate) fn render(survey: &Survey) -> String {
    let n_descents = grouped(survey.estimate.n_descents);
    let mut out = format!("{}, by {n_descents} random descents\n", estimate_words(&survey.estimate));
    if let Some(profile) = &survey.profile {
        write_profile(&mut out, profile).expect("writing to a string");
    }
    out
}

fn write_profile(out: &mut String, profile: &Profile) -> std::fmt::Result {
    if !profile.places.is_empty() {
        writeln!(out, "\nwhere executions come from, as shares of all choices among outcomes:")?;
    }
    for (place, share) in &profile.places {
        let at = place.source.as_ref().map(|at| format!("{}:{}", at.file, at.line)).unwrap_or_default();
        writeln!(out, "  {}  {at}  {}", percent(*share), place.text.trim())?;
    }
    let variables =
        profile.variables.iter().map(|(name, share)| format!("{name} {}", percent(*share).trim()));
    write_list(out, "hot variables", variables)?;
    let pairs = profile.pairs.iter();
    let pairs = pairs.map(|([one, other], share)| format!("{one} and {other} {}", percent(*share).trim()));
    write_list(out, "threads that meet", pairs)?;
    for (place, reason, count) in &profile.stops {
        let at = place.source.as_ref().map_or_else(|| format!("`{}`", place.text), ToString::to_string);
        let (what, count) = (stop_words(*reason), rough(*count));
        let executions = if count == "1" { "execution" } else { "executions" };
        writeln!(out, "  at {at}, {what}, in about {count} {executions}")?;
    }
    Ok(())
}

fn write_list(out: &mut String, title: &str, items: impl Iterator<Item = String>) -> std::fmt::Result {
    let items: Vec<String> = items.collect();
    if items.is_empty() { Ok(()) } else { writeln!(out, "  {title}: {}", items.join(", ")) }
}

fn percent(share: f64) -> String {
    format!("{:3.0} %", share * 100.0)
}

fn stop_words(reason: BlockReason) -> &'static str {
    match reason {
        BlockReason::Assume => "an assumption fails",
        BlockReason::Bound => "the loop bound stops a thread",
        BlockReason::Exit => "the program ends",
        BlockReason::Retry => "a compare-and-swap would only be tried again",
        BlockReason::Spin { .. } => "a loop waits for another value",
        BlockReason::Lock { .. } => "a thread waits for a lock",
        BlockReason::Wait { .. } => "a thread waits to be woken",
    }
}

fn stop_name(reason: BlockReason) -> &'static str {
    match reason {
        BlockReason::Assume => "assume",
        BlockReason::Bound => "bound",
        BlockReason::Exit => "exit",
        BlockReason::Retry => "retry",
        BlockReason::Spin { .. } => "spin",
        BlockReason::Lock { .. } => "lock",
        BlockReason::Wait { .. } => "wait",
    }
}

/// The objects `estimate` and `profile` of the report in JSON.
pub fn estimate_json(estimate: &Estimate) -> Value {
    let Estimate { executions, low, high, n_descents, bound } = estimate;
    json!({ "executions": executions, "low": low, "high": high, "descents": n_descents, "bound": bound.name() })
}

pub(crate) fn profile_json(profile: &Profile) -> Value {
    let at = |place: &Place| {
        place.source.as_ref().map(|at| json!({ "file": at.file, "line": at.line, "column": at.column }))
    };
    let places = profile.places.iter();
    let stops = profile.stops.iter();
    json!({
        "places": places.map(|(place, share)| json!({ "location": at(place), "code": place.text, "share": share })).collect::<Vec<_>>(),
        "variables": profile.variables.iter().map(|(name, share)| json!({ "variable": name, "share": share })).collect::<Vec<_>>(),
        "threads": profile.pairs.iter().map(|(pair, share)| json!({ "threads": pair, "share": share })).collect::<Vec<_>>(),
        "stops": stops
            .map(|(place, reason, count)| {
                json!({ "location": at(place), "code": place.text, "reason": stop_name(*reason), "executions": count })
            })
            .collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_rounded() {
        let shown = [0.4, 7.0, 99.6, 123.0, 40_320.0, 3.2e20].map(rough);
        assert_eq!(shown, ["0", "7", "100", "120", "40,000", "10^21"]);
    }

    #[test]
    fn an_estimate_without_spread_is_one_number() {
        let estimate =
            Estimate { executions: 6.0, low: 6.0, high: 6.0, n_descents: 100, bound: Bound::Neither };
        assert_eq!(estimate_words(&estimate), "about 6 executions");
        let estimate = Estimate { low: 4.0, high: 8.0, bound: Bound::Upper, ..estimate };
        assert_eq!(estimate_words(&estimate), "at most about 6 executions (4 to 8)");
    }
}
