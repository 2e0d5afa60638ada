//! Findings as text, so that another process can continue a search.
//!
//! An execution says what is wrong with it when the program follows it again, so the text has the execution and little
//! else.

use crate::collect::{Finds, Found, FoundViolation};
use crate::{Check, Settings};
use atropos_event::Violation;
use atropos_explore::{Config, Control};
use atropos_graph::Canonical;
use atropos_report::Witness;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What was found in some part of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeptFindings {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violations: Vec<KeptViolation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leaks: Vec<KeptViolation>,
    #[serde(skip_serializing_if = "is_zero")]
    n_omitted: u64,
    /// The final states of a litmus test, each with the number of executions that end in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<(Vec<i64>, u64)>,
    /// An execution that violates the condition of a litmus test.
    #[serde(skip_serializing_if = "Option::is_none")]
    bad: Option<String>,
    /// An execution that is not sequentially consistent, and the number of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    weak: Option<String>,
    #[serde(skip_serializing_if = "is_zero")]
    n_weak: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptViolation {
    kind: String,
    /// The places of the events, only to tell violations apart.
    places: String,
    execution: String,
    count: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The text form of an execution.
fn spelled(witness: &Witness) -> String {
    Canonical::of(&witness.graph, |thread| witness.key(thread), witness.tracks_co).to_string()
}

impl KeptFindings {
    /// The text of what was found.
    pub(crate) fn of(found: &Found) -> KeptFindings {
        let kept = |met: &FoundViolation| KeptViolation {
            kind: met.violation.kind().to_string(),
            places: format!("{:?}", met.places),
            execution: spelled(&met.witness),
            count: met.count,
        };
        KeptFindings {
            violations: found.violations.iter().map(kept).collect(),
            leaks: found.leaks.iter().map(kept).collect(),
            n_omitted: found.n_omitted,
            states: found.states.counts.iter().map(|(state, &count)| (state.to_vec(), count)).collect(),
            bad: found.states.bad.as_deref().map(spelled),
            weak: found.weak.as_ref().map(spelled),
            n_weak: found.n_weak,
        }
    }

    pub fn has_violation(&self) -> bool {
        !self.violations.is_empty() || !self.leaks.is_empty()
    }

    /// Adds what was found in another part of the search. Of equal violations at equal places, the first one is shown.
    pub fn add(&mut self, other: KeptFindings) {
        self.n_omitted += other.n_omitted;
        for (list, more) in [(&mut self.violations, other.violations), (&mut self.leaks, other.leaks)] {
            for violation in more {
                let is_same = |known: &KeptViolation| {
                    (&known.kind, &known.places) == (&violation.kind, &violation.places)
                };
                match list.iter().position(is_same) {
                    Some(known) => list[known].count += violation.count,
                    None if list.len() < MOST_KEPT => list.push(violation),
                    None => self.n_omitted += violation.count,
                }
            }
        }
        let states = std::mem::take(&mut self.states).into_iter().chain(other.states);
        let mut counts = BTreeMap::<Vec<i64>, u64>::new();
        states.for_each(|(state, count)| *counts.entry(state).or_default() += count);
        self.states = counts.into_iter().collect();
        self.bad = self.bad.take().or(other.bad);
        self.weak = self.weak.take().or(other.weak);
        self.n_weak += other.n_weak;
    }
}

/// The maximum number of violations, and of leaks, to keep. Every worker may have found others.
const MOST_KEPT: usize = 1000;

/// One line; empty if nothing was found.
impl fmt::Display for KeptFindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == KeptFindings::default() {
            return Ok(());
        }
        f.write_str(&serde_json::to_string(self).expect("numbers and text become JSON"))
    }
}

impl FromStr for KeptFindings {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<KeptFindings, serde_json::Error> {
        if text.is_empty() { Ok(KeptFindings::default()) } else { serde_json::from_str(text) }
    }
}

impl Check<'_> {
    /// What an earlier process has found, as `text` says; `None` if that is not about this program and model.
    pub(crate) fn recall(&self, text: &str) -> Option<Found> {
        let kept: KeptFindings = text.parse().ok()?;
        let mut found = Found { n_omitted: kept.n_omitted, n_weak: kept.n_weak, ..Found::default() };
        for violation in &kept.violations {
            let met = self.recall_violation(violation, |found| found.violations)?;
            found.merge(Found { violations: vec![met], ..Found::default() });
        }
        for leak in &kept.leaks {
            let met = self.recall_violation(leak, |found| found.leaks)?;
            found.merge(Found { leaks: vec![met], ..Found::default() });
        }
        found.states.counts = kept.states.into_iter().map(|(state, count)| (state.into(), count)).collect();
        let witness = |execution: &String| self.follow_again(execution)?.replayed;
        if let Some(bad) = &kept.bad {
            found.states.bad = Some(Box::new(witness(bad)?));
        }
        if let Some(weak) = &kept.weak {
            found.weak = Some(witness(weak)?);
        }
        Some(found)
    }

    fn recall_violation(
        &self,
        kept: &KeptViolation,
        listed: impl Fn(Found) -> Vec<FoundViolation>,
    ) -> Option<FoundViolation> {
        let met = listed(self.follow_again(&kept.execution)?);
        let is_meant = |violation: &Violation| violation.kind().to_string() == kept.kind;
        let met = met.into_iter().rev().find(|met| is_meant(&met.violation))?;
        Some(FoundViolation { count: kept.count, ..met })
    }

    /// Follows an execution again.
    fn follow_again(&self, execution: &str) -> Option<Found> {
        let execution: Canonical = execution.parse().ok()?;
        let config = Config { keep_going: true, max_executions: None, ..self.settings.config };
        let settings = Settings { config, forbids_leaks: false, ..self.settings };
        let check = Check { settings, replay: Some(&execution), sink: None, ledger: None, ..*self };
        let (control, finds) = (Control::default(), Finds::default());
        let search = check.explore(&control, &finds);
        let found = check.found(&finds, false);
        drop(search);
        Some(found)
    }
}
