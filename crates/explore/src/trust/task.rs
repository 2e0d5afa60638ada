//! A part of a search as a value: the choices that lead to it.
//!
//! A task names the outcome of every choice from the root of the search down to its part; everything else follows,
//! because programs are deterministic. So a task is small, self-contained and can be sent anywhere. The worker that
//! takes it replays the choices, which costs one path, and then searches below.

use super::choice::{Choice, ChoicePoint};
use super::{TrustRules, TrustWorker};
use crate::engine::Name;
use crate::pool::WORTH_SPLITTING;
use atropos_event::{EventId, Run};
use atropos_model::MemoryModel;
use std::fmt;

/// The choices from the root down; empty for the whole search. The log writes them as one line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrustTask {
    pub choices: Vec<CanonicalChoice>,
}

/// A [`Choice`] with canonical thread names, since workers number threads as they see them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CanonicalChoice {
    Source(Option<Name>),
    Place(u32),
    Revisit(Name),
}

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// Splits off the shallowest open alternative, which has the largest part of the search below it. Parts close to
    /// the end of an execution are not worth giving away.
    pub(super) fn split_off(&mut self) -> Option<TrustTask> {
        let depth = self.nodes.iter().position(|node| node.next < node.end)?;
        if self.nodes.len() - depth < WORTH_SPLITTING {
            return None;
        }
        let mut choices: Vec<_> = self.nodes[..depth].iter().map(|node| self.canonical(node.taken)).collect();
        let ChoicePoint { end, .. } = self.nodes[depth];
        self.nodes[depth].end = end - 1;
        choices.push(self.canonical(self.choices[end - 1]));
        Some(TrustTask { choices })
    }

    fn canonical(&self, choice: Choice) -> CanonicalChoice {
        let name = |event: EventId| self.engine.name_of(event);
        match choice {
            Choice::Source(source) => CanonicalChoice::Source(source.map(name)),
            Choice::Place(place) => CanonicalChoice::Place(place),
            Choice::Revisit(read) => CanonicalChoice::Revisit(name(read)),
        }
    }

    /// The event of this worker with a canonical name. Its thread is known: the choice comes after the event.
    pub(super) fn local(&self, choice: CanonicalChoice) -> Choice {
        let event = |name: Name| self.engine.event_named(name);
        match choice {
            CanonicalChoice::Source(source) => Choice::Source(source.map(event)),
            CanonicalChoice::Place(place) => Choice::Place(place),
            CanonicalChoice::Revisit(read) => Choice::Revisit(event(read)),
        }
    }
}

impl fmt::Display for TrustTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, choice) in self.choices.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            match choice {
                CanonicalChoice::Source(None) => write!(f, "{space}s:init")?,
                CanonicalChoice::Source(Some((key, event))) => write!(f, "{space}s:{key}[{event}]")?,
                CanonicalChoice::Place(place) => write!(f, "{space}p:{place}")?,
                CanonicalChoice::Revisit((key, event)) => write!(f, "{space}r:{key}[{event}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_event::ThreadKey;

    #[test]
    fn a_task_is_one_line_in_the_log() {
        let thread = |path: &[u64]| ThreadKey::from_path(path).expect("a short path");
        let choices = vec![
            CanonicalChoice::Source(None),
            CanonicalChoice::Source(Some((thread(&[1]), 3))),
            CanonicalChoice::Place(2),
            CanonicalChoice::Revisit((thread(&[2, 1]), 0)),
        ];
        assert_eq!(TrustTask { choices }.to_string(), "s:init s:0.1[3] p:2 r:0.2.1[0]");
        assert_eq!(TrustTask::default().to_string(), "");
    }
}
