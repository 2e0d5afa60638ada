//! All cycles over some edges and annotations, small ones first, each once.
//!
//! The enumeration runs over sequences of edges of growing length, by depth-first search in the given order of edges,
//! and over all annotations of each; only the canonical rotation of a cycle is kept. It is lazy and deterministic:
//! the first thousand tests are the same for any limit.
//!
//! It omits two consecutive external communications that compose to one (`Coe Coe`, `Fre Coe` and `Rfe Fre`, the last
//! through a thread that only reads), because a smaller cycle says the same. It also omits cycles that write a
//! location three times, since a final state does not show in which order.

use super::cycle::{AnnotatedEdge, Cycle};
use super::edge::{Annotation, Direction, Edge, Reach};
use std::sync::Arc;

/// What to enumerate.
#[derive(Clone, Debug)]
pub struct CycleLimits {
    pub edges: Vec<Edge>,
    pub annotations: Vec<Annotation>,
    /// The maximum number of edges, and of accesses.
    pub max_edges: usize,
    pub max_threads: usize,
    /// The maximum number of accesses in one thread.
    pub max_thread_accesses: usize,
}

impl Default for CycleLimits {
    /// Every communication and bare program order, relaxed: the cycles of the classic tests.
    fn default() -> Self {
        let words = "Rfe Fre Coe PodWW PodWR PodRW PodRR";
        let edges = words.split(' ').map(|word| word.parse().expect("an edge")).collect();
        CycleLimits {
            edges,
            annotations: vec![Annotation::Rlx],
            max_edges: 6,
            max_threads: 4,
            max_thread_accesses: 2,
        }
    }
}

/// The canonical cycles that `config` describes.
pub fn cycles(config: CycleLimits) -> impl Iterator<Item = Cycle> {
    let config = Arc::new(config);
    (2..=config.max_edges)
        .flat_map(move |size| Sequences { config: config.clone(), size, indices: Vec::new(), is_over: false })
        .flat_map(|(config, edges)| Annotated::new(&config, edges))
        .filter_map(|steps| if Cycle::is_canonical(&steps) { Cycle::new(steps).ok() } else { None })
        .filter(writes_each_location_at_most_twice)
}

fn writes_each_location_at_most_twice(cycle: &Cycle) -> bool {
    cycle.accesses().iter().all(|access| access.value <= 2)
}

/// Whether `next` may follow `edge`: it starts where `edge` ends, and the two do not compose to one edge.
fn may_follow(edge: Edge, next: Edge) -> bool {
    const E: Reach = Reach::External;
    let composes = matches!(
        (edge, next),
        (Edge::Co(E), Edge::Co(E)) | (Edge::Fr(E), Edge::Co(E)) | (Edge::Rf(E), Edge::Fr(E))
    );
    edge.to() == next.from() && !composes
}

/// All sequences of `size` edges whose shape is the canonical rotation of a cycle, in the order of their indices.
struct Sequences {
    config: Arc<CycleLimits>,
    size: usize,
    /// The next sequence, as indices into the edges of `config`.
    indices: Vec<usize>,
    is_over: bool,
}

impl Sequences {
    fn edges(&self) -> Vec<Edge> {
        self.indices.iter().map(|&index| self.config.edges[index]).collect()
    }

    /// Whether a cycle may begin with `edges`.
    fn may_begin(&self, edges: &[Edge]) -> bool {
        let n_external = edges.iter().filter(|edge| edge.is_external()).count();
        let n_in_last_thread = 1 + edges.iter().rev().take_while(|edge| !edge.is_external()).count();
        n_external <= self.config.max_threads
            && n_in_last_thread <= self.config.max_thread_accesses
            && edges.windows(2).all(|pair| may_follow(pair[0], pair[1]))
    }

    fn is_canonical_cycle(edges: &[Edge]) -> bool {
        let (Some(&first), Some(&last)) = (edges.first(), edges.last()) else { return false };
        let bare = |edge: &Edge| AnnotatedEdge { annotation: Annotation::Rlx, edge: edge.bare() };
        last.is_external()
            && may_follow(last, first)
            && Cycle::is_canonical(&edges.iter().map(bare).collect::<Vec<_>>())
    }

    /// Goes to the next sequence that does not begin with this one.
    fn advance(&mut self) {
        while let Some(last) = self.indices.pop() {
            if last + 1 < self.config.edges.len() {
                self.indices.push(last + 1);
                return;
            }
        }
        self.is_over = true;
    }
}

impl Iterator for Sequences {
    type Item = (Arc<CycleLimits>, Vec<Edge>);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over && !self.config.edges.is_empty() {
            let edges = self.edges();
            let may_begin = self.may_begin(&edges);
            if may_begin && edges.len() < self.size {
                self.indices.push(0);
                continue;
            }
            self.advance();
            if may_begin && Self::is_canonical_cycle(&edges) {
                return Some((self.config.clone(), edges));
            }
        }
        None
    }
}

/// One sequence of edges with all its annotations; the first access varies slowest.
struct Annotated {
    edges: Vec<Edge>,
    /// The annotations that each access can have.
    choices: Vec<Vec<Annotation>>,
    /// Into `choices`; `None` at the end.
    indices: Option<Vec<usize>>,
}

impl Annotated {
    fn new(config: &CycleLimits, edges: Vec<Edge>) -> Self {
        let suiting = |direction: Direction| {
            config.annotations.iter().copied().filter(|annotation| annotation.suits(direction)).collect()
        };
        let choices: Vec<Vec<Annotation>> = edges.iter().map(|edge| suiting(edge.from())).collect();
        let has_choices = choices.iter().all(|choice| !choice.is_empty());
        let indices = has_choices.then(|| vec![0; edges.len()]);
        Annotated { edges, choices, indices }
    }

    fn advance(&mut self) {
        let Some(indices) = &mut self.indices else { return };
        for (index, choice) in indices.iter_mut().zip(&self.choices).rev() {
            *index += 1;
            if *index < choice.len() {
                return;
            }
            *index = 0;
        }
        self.indices = None;
    }
}

impl Iterator for Annotated {
    type Item = Vec<AnnotatedEdge>;

    fn next(&mut self) -> Option<Vec<AnnotatedEdge>> {
        let indices = self.indices.as_ref()?;
        let annotations = indices.iter().zip(&self.choices).map(|(&index, choice)| choice[index]);
        let steps =
            self.edges.iter().zip(annotations).map(|(&edge, annotation)| AnnotatedEdge { annotation, edge });
        let steps = steps.collect();
        self.advance();
        Some(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::Dialect;
    use crate::generate::litmus;
    use std::collections::BTreeSet;

    fn names(config: CycleLimits, limit: usize) -> Vec<String> {
        cycles(config).take(limit).map(|cycle| litmus(&cycle, Dialect::C).unwrap().name).collect()
    }

    #[test]
    fn the_classic_cycles_of_four_edges_are_the_six_of_two_threads() {
        let config = CycleLimits { max_edges: 4, ..CycleLimits::default() };
        assert_eq!(names(config, 100), ["S", "MP", "2+2W", "R", "SB", "LB"]);
    }

    #[test]
    fn every_test_has_its_own_name() {
        let words = "Rfe Fre Coe PodWW PodWR PodRW PodRR FenceScdWR FenceReldWW FenceAcqdRR";
        let config = CycleLimits {
            edges: words.split(' ').map(|word| word.parse().unwrap()).collect(),
            annotations: vec![Annotation::Rlx, Annotation::Acq, Annotation::Rel, Annotation::Sc],
            max_edges: 6,
            ..CycleLimits::default()
        };
        let names = names(config, 10_000);
        let distinct: BTreeSet<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        assert_eq!((names.len(), distinct.len()), (10_000, 10_000));
    }
}
