//! How hard an execution is to read: how often another thread continues, and how many events it has.

use crate::finding::essential;
use crate::order::total_order;
use crate::trace::Trace;
use crate::witness::Witness;
use atropos_event::Violation;
use atropos_graph::Slot;

/// Smaller is easier to read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ReadingSize {
    n_switches: usize,
    n_events: usize,
}

impl ReadingSize {
    /// The size of events of these threads, one after the other.
    fn of<T: PartialEq>(threads: impl IntoIterator<Item = T>) -> ReadingSize {
        let (mut size, mut last) = (ReadingSize { n_switches: 0, n_events: 0 }, None);
        for thread in threads {
            size.n_events += 1;
            size.n_switches += usize::from(last.as_ref().is_some_and(|last| *last != thread));
            last = Some(thread);
        }
        size
    }
}

impl Witness {
    /// The size of the part that shows the violation.
    pub fn size(&self, violation: &Violation) -> ReadingSize {
        let is_essential = essential(self, violation);
        let is_shown = |slot: &Slot| is_essential.as_ref().is_none_or(|is_essential| is_essential(*slot));
        let order = total_order(&self.graph, self.tracks_co);
        ReadingSize::of(order.into_iter().filter(is_shown).map(|slot| self.graph.event(slot).id.thread()))
    }
}

impl Trace {
    pub fn size(&self) -> ReadingSize {
        ReadingSize::of(self.events.iter().map(|event| event.thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_switches_are_better_than_few_events() {
        let size = |threads: &str| ReadingSize::of(threads.chars());
        assert!(size("aaabbb") < size("aba"));
        assert!(size("ab") < size("aab"));
        assert_eq!(size("aab"), size("bba"));
    }
}
