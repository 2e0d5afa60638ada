//! A part of a search as a value: the choices that lead to it.
//!
//! A task names the outcome of every choice from the root of the search down to its part; everything else follows,
//! because programs are deterministic. So a task is small, self-contained and can be sent anywhere. The worker that
//! takes it replays the choices, which costs one path, and then searches below.
//!
//! Of a choice on the way, later alternatives may belong to the task too. So all that is left of a search is one task.

use super::choice::{Choice, ChoicePoint};
use super::{TrustRules, TrustWorker};
use crate::engine::{Name, read_name};
use crate::pool::WORTH_SPLITTING;
use atropos_event::{EventId, Run};
use atropos_model::MemoryModel;
use std::fmt;
use std::str::FromStr;

/// The choices from the root down; empty for the whole search. One line of text, for the log too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrustTask {
    pub turns: Vec<Turning>,
}

/// One choice on the way to a part of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turning {
    pub choice: CanonicalChoice,
    /// If later alternatives belong to the part too: the number of the first one that does not, counted from the first
    /// alternative of this choice.
    pub open_to: Option<u32>,
}

/// A [`Choice`] with canonical thread names, since workers number threads as they see them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CanonicalChoice {
    Source(Option<Name>),
    Place(u32),
    Revisit(Name),
    LastOwner(u32),
}

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// Splits off the shallowest open alternative, which has the largest part of the search below it. Parts close to
    /// the end of an execution are not worth giving away.
    pub(super) fn split_off(&mut self) -> Option<TrustTask> {
        let depth = self.nodes.iter().position(|node| node.next < node.end)?;
        if self.nodes.len() - depth < WORTH_SPLITTING {
            return None;
        }
        let taken = self.nodes[..depth].iter().map(|node| self.turn(node.taken, None));
        let ChoicePoint { end, .. } = self.nodes[depth];
        let turns = taken.chain([self.turn(self.choices[end - 1], None)]).collect();
        self.nodes[depth].end = end - 1;
        Some(TrustTask { turns })
    }

    /// Splits off about half of what is left: half of the alternatives of the shallowest open choice, or if it has one,
    /// that one and those of every other open choice below. How much is below an alternative is unknown, so a single one
    /// may be next to nothing.
    pub(super) fn split_half(&mut self) -> Option<TrustTask> {
        let shallowest = self.nodes.iter().position(|node| node.next < node.end)?;
        let worthwhile = self.n_worthwhile()?;
        if shallowest >= worthwhile {
            return None;
        }
        let ChoicePoint { first, next, end, .. } = self.nodes[shallowest];
        if end - next > 1 {
            let middle = next + (end - next) / 2;
            let taken = self.nodes[..shallowest].iter().map(|node| self.turn(node.taken, None));
            let open_to = (middle + 1 < end).then_some((end - first) as u32);
            let turns = taken.chain([self.turn(self.choices[middle], open_to)]).collect();
            self.nodes[shallowest].end = middle;
            return Some(TrustTask { turns });
        }
        let open = (shallowest..worthwhile).filter(|&depth| self.nodes[depth].next < self.nodes[depth].end);
        let given: Vec<usize> = open.step_by(2).collect();
        let task = self.task_of(&given);
        given.into_iter().for_each(|depth| self.nodes[depth].end = self.nodes[depth].next);
        task
    }

    /// The choices whose alternatives are worth giving to another process: at most so many, from the root down. How many
    /// executions an alternative has is estimated by those of the present execution [Knuth].
    fn n_worthwhile(&self) -> Option<usize> {
        let most = self.nodes.len().checked_sub(WORTH_SPLITTING - 1)?;
        let (n_worthwhile, mut estimate, mut end) = (self.engine.n_worthwhile(), 1.0, self.choices.len());
        for (depth, node) in self.nodes.iter().enumerate().rev() {
            if estimate >= n_worthwhile {
                return Some(most.min(depth + 1));
            }
            estimate *= (end - node.first) as f64;
            end = node.first;
        }
        None
    }

    /// The untried alternatives of the choices at these depths, which increase.
    fn task_of(&self, depths: &[usize]) -> Option<TrustTask> {
        let (&deepest, others) = depths.split_last()?;
        let open_to =
            |node: &ChoicePoint, next: usize| (next < node.end).then(|| (node.end - node.first) as u32);
        let taken = self.nodes[..deepest].iter().enumerate().map(|(depth, node)| {
            let is_open = others.binary_search(&depth).is_ok();
            self.turn(node.taken, open_to(node, node.next).filter(|_| is_open))
        });
        let node = &self.nodes[deepest];
        let last = self.turn(self.choices[node.next], open_to(node, node.next + 1));
        Some(TrustTask { turns: taken.chain([last]).collect() })
    }

    /// Takes all that is left of this worker's part.
    pub(super) fn split_rest(&mut self) -> Option<TrustTask> {
        let open = (0..self.nodes.len()).filter(|&depth| self.nodes[depth].next < self.nodes[depth].end);
        let task = self.task_of(&open.collect::<Vec<_>>())?;
        self.nodes.iter_mut().for_each(|node| node.next = node.end);
        Some(task)
    }

    fn turn(&self, choice: Choice, open_to: Option<u32>) -> Turning {
        let name = |event: EventId| self.engine.name_of(event);
        let choice = match choice {
            Choice::Source(source) => CanonicalChoice::Source(source.map(name)),
            Choice::Place(place) => CanonicalChoice::Place(place),
            Choice::Revisit(read) => CanonicalChoice::Revisit(name(read)),
            Choice::LastOwner(number) => CanonicalChoice::LastOwner(number),
        };
        Turning { choice, open_to }
    }

    /// Which of the alternatives `choices[first..]` a turn takes, and where its part of them ends; `None` if the task
    /// is not one of this search.
    pub(super) fn follow(&self, turn: Turning, first: usize) -> Option<(usize, usize)> {
        let event = |name: Name| self.engine.event_named(name);
        let choice = match turn.choice {
            CanonicalChoice::Source(None) => Choice::Source(None),
            CanonicalChoice::Source(Some(source)) => Choice::Source(Some(event(source)?)),
            CanonicalChoice::Place(place) => Choice::Place(place),
            CanonicalChoice::Revisit(read) => Choice::Revisit(event(read)?),
            CanonicalChoice::LastOwner(number) => Choice::LastOwner(number),
        };
        let next = first + self.choices[first..].iter().position(|&other| other == choice)?;
        let end = turn.open_to.map_or(next + 1, |end| first + end as usize);
        (next < end && end <= self.choices.len()).then_some((next, end))
    }
}

impl fmt::Display for TrustTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, turn) in self.turns.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            match turn.choice {
                CanonicalChoice::Source(None) => write!(f, "{space}s:init")?,
                CanonicalChoice::Source(Some((key, event))) => write!(f, "{space}s:{key}[{event}]")?,
                CanonicalChoice::Place(place) => write!(f, "{space}p:{place}")?,
                CanonicalChoice::Revisit((key, event)) => write!(f, "{space}r:{key}[{event}]")?,
                CanonicalChoice::LastOwner(number) => write!(f, "{space}o:{number}")?,
            }
            if let Some(end) = turn.open_to {
                write!(f, "/{end}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for TrustTask {
    type Err = ();

    fn from_str(text: &str) -> Result<TrustTask, ()> {
        let turns = text.split_ascii_whitespace().map(|word| read_turn(word).ok_or(()));
        Ok(TrustTask { turns: turns.collect::<Result<_, ()>>()? })
    }
}

fn read_turn(word: &str) -> Option<Turning> {
    let (kind, rest) = word.split_once(':')?;
    let (choice, open_to) = match rest.split_once('/') {
        Some((choice, end)) => (choice, Some(end.parse().ok()?)),
        None => (rest, None),
    };
    let choice = match (kind, choice) {
        ("s", "init") => CanonicalChoice::Source(None),
        ("s", source) => CanonicalChoice::Source(Some(read_name(source)?)),
        ("p", place) => CanonicalChoice::Place(place.parse().ok()?),
        ("o", number) => CanonicalChoice::LastOwner(number.parse().ok()?),
        ("r", read) => CanonicalChoice::Revisit(read_name(read)?),
        _ => return None,
    };
    Some(Turning { choice, open_to })
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_event::ThreadKey;

    #[test]
    fn a_task_is_one_line_of_text() {
        let thread = |path: &[u64]| ThreadKey::from_path(path).expect("a short path");
        let choices = [
            (CanonicalChoice::Source(None), None),
            (CanonicalChoice::Source(Some((thread(&[1]), 3))), Some(4)),
            (CanonicalChoice::Place(2), None),
            (CanonicalChoice::Revisit((thread(&[2, 1]), 0)), Some(1)),
        ];
        let turns = choices.map(|(choice, open_to)| Turning { choice, open_to }).to_vec();
        let (task, text) = (TrustTask { turns }, "s:init s:0.1[3]/4 p:2 r:0.2.1[0]/1");
        assert_eq!((task.to_string().as_str(), text.parse()), (text, Ok(task)));
        assert_eq!((TrustTask::default().to_string().as_str(), "".parse()), ("", Ok(TrustTask::default())));
    }

    #[test]
    fn other_text_is_no_task() {
        for text in [
            "s",
            "x:1",
            "s:",
            "s:0.1",
            "s:0.1[",
            "s:0.1[x]",
            "s:1[0]",
            "p:-1",
            "p:1/",
            "r:init",
            "s:0[4194304]",
        ] {
            assert_eq!(text.parse::<TrustTask>(), Err(()), "{text}");
        }
    }
}
