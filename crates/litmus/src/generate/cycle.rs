//! Cycles, and the execution that each describes: threads, locations, values.
//!
//! A cycle of n edges has n events; edge i starts at event i. Along the cycle, an external edge begins a new thread,
//! and an edge to a different location the next location; the last such edge returns to the first. So k such edges
//! make k locations, and the events of a location form a path along which coherence only grows: each write gets the
//! next value, each read sees the last write before it on the path, or the initial 0.
//!
//! A cycle on one location is cut open at a program-order edge. The communications then determine the values, and
//! coherence forbids the cut edge.

use super::edge::{Annotation, Direction, Edge, Via};
use std::fmt;
use std::str::FromStr;

/// An edge, and the annotation of the access it starts from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AnnotatedEdge {
    pub annotation: Annotation,
    pub edge: Edge,
}

impl AnnotatedEdge {
    fn rank(self) -> (u8, Annotation) {
        (self.edge.rank().1, self.annotation)
    }
}

/// A cycle that makes a test; always in canonical rotation, whose last edge is external.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cycle {
    steps: Vec<AnnotatedEdge>,
}

/// One access of the execution that a cycle describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CycleAccess {
    pub direction: Direction,
    pub annotation: Annotation,
    pub thread: usize,
    pub location: usize,
    /// Written or read.
    pub value: i64,
    /// How it is reached from the previous access of its thread; `None` for the first one.
    pub reached: Option<Reached>,
}

/// How an access is reached from the previous one in program order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    Via(Via),
    /// It is the write of the read-modify-write whose read precedes it.
    Rmw,
}

impl Cycle {
    /// # Errors
    /// Why these steps are not a cycle that makes a test.
    pub fn new(steps: Vec<AnnotatedEdge>) -> Result<Cycle, String> {
        check_endpoints(&steps)?;
        check_annotations(&steps)?;
        let cycle = Cycle { steps: canonical(&steps) };
        let n_external = steps.iter().filter(|step| step.edge.is_external()).count();
        if n_external < 2 {
            return Err(format!(
                "a cycle needs 2 external edges (Rfe, Fre, Coe) or more, this one has {n_external}"
            ));
        }
        let n_changes = steps.iter().filter(|step| step.edge.changes_location()).count();
        if n_changes == 1 {
            return Err("only one edge of the cycle goes to a different location: no edge returns".to_owned());
        }
        let has_po = steps.iter().any(|step| matches!(step.edge, Edge::Po { .. }));
        if n_changes == 0 && !has_po {
            return Err("a cycle on one location needs an edge of program order".to_owned());
        }
        Ok(cycle)
    }

    pub fn steps(&self) -> &[AnnotatedEdge] {
        &self.steps
    }

    pub fn n_threads(&self) -> usize {
        self.steps.iter().filter(|step| step.edge.is_external()).count()
    }

    pub fn n_locations(&self) -> usize {
        self.steps.iter().filter(|step| step.edge.changes_location()).count().max(1)
    }

    /// Whether these steps, in this rotation, are the canonical form of their cycle.
    pub(super) fn is_canonical(steps: &[AnnotatedEdge]) -> bool {
        steps == canonical(steps)
    }

    /// The accesses in the order of the cycle, which within a thread is program order.
    pub fn accesses(&self) -> Vec<CycleAccess> {
        let (n, n_locations) = (self.steps.len(), self.n_locations());
        let mut accesses: Vec<CycleAccess> = Vec::with_capacity(n);
        let (mut thread, mut location) = (0, 0);
        for (index, step) in self.steps.iter().enumerate() {
            let reached = match index.checked_sub(1).map(|before| self.steps[before].edge) {
                None => None,
                Some(edge) if edge.is_external() => {
                    thread += 1;
                    None
                }
                Some(Edge::Rmw) => Some(Reached::Rmw),
                Some(Edge::Po { via, .. }) => Some(Reached::Via(via)),
                Some(_) => Some(Reached::Via(Via::Nothing)),
            };
            if index > 0 && self.steps[index - 1].edge.changes_location() {
                location = (location + 1) % n_locations;
            }
            let (direction, annotation) = (step.edge.from(), step.annotation);
            accesses.push(CycleAccess { direction, annotation, thread, location, value: 0, reached });
        }
        self.set_values(&mut accesses);
        accesses
    }

    /// Walks each location's path, starting where the path does.
    fn set_values(&self, accesses: &mut [CycleAccess]) {
        let n = accesses.len();
        let mut values = vec![0; self.n_locations()];
        let start = self.path_start();
        for access in (start..start + n).map(|index| index % n) {
            let CycleAccess { direction, location, .. } = accesses[access];
            if direction == Direction::W {
                values[location] += 1;
            }
            accesses[access].value = values[location];
        }
    }

    /// The first event after an edge to another location, or after a program-order edge if there is only one
    /// location.
    fn path_start(&self) -> usize {
        let cuts = |edge: Edge| match self.n_locations() {
            1 => matches!(edge, Edge::Po { .. }),
            _ => edge.changes_location(),
        };
        self.steps.iter().position(|step| cuts(step.edge)).map_or(0, |before| before + 1)
    }
}

fn check_endpoints(steps: &[AnnotatedEdge]) -> Result<(), String> {
    if steps.is_empty() {
        return Err("a cycle needs edges".to_owned());
    }
    for (index, step) in steps.iter().enumerate() {
        let (edge, next) = (step.edge, steps[(index + 1) % steps.len()].edge);
        if edge.to() != next.from() {
            return Err(format!("{edge} ends at {:?}, but {next} starts at {:?}", edge.to(), next.from()));
        }
    }
    Ok(())
}

fn check_annotations(steps: &[AnnotatedEdge]) -> Result<(), String> {
    for (index, step) in steps.iter().enumerate() {
        let AnnotatedEdge { annotation, edge } = *step;
        if !annotation.suits(edge.from()) {
            return Err(format!("the {:?} before {edge} cannot be {annotation:?}", edge.from()));
        }
        let written = steps[(index + 1) % steps.len()].annotation;
        let is_sc = |annotation| annotation == Annotation::Sc;
        let is_plain = annotation == Annotation::Na || written == Annotation::Na;
        if edge == Edge::Rmw && (is_plain || written.is_exchange() || is_sc(annotation) != is_sc(written)) {
            return Err(format!("no read-modify-write reads {annotation:?} and writes {written:?}"));
        }
    }
    for (index, step) in steps.iter().enumerate() {
        let next = steps[(index + 1) % steps.len()];
        if step.edge == Edge::Rmw && next.edge == Edge::Rmw {
            return Err("the write of a read-modify-write does not read".to_owned());
        }
    }
    Ok(())
}

/// The smallest rotation that ends with an external edge: by shape first, then by annotations.
fn canonical(steps: &[AnnotatedEdge]) -> Vec<AnnotatedEdge> {
    let n = steps.len();
    let starts = (0..n).filter(|&start| steps[(start + n - 1) % n].edge.is_external());
    let rotations = starts.map(|start| {
        let mut rotated = steps.to_vec();
        rotated.rotate_left(start);
        rotated
    });
    let key = |steps: &Vec<AnnotatedEdge>| {
        let shape: Vec<u8> = steps.iter().map(|step| step.edge.rank().0).collect();
        let decoration: Vec<(u8, Annotation)> = steps.iter().map(|step| step.rank()).collect();
        (shape, decoration)
    };
    rotations.min_by_key(key).unwrap_or_else(|| steps.to_vec())
}

/// `PodWW Rel Rfe Acq PodRR Fre`: edges, with the annotation of an access between the edges that meet there, or at
/// the front for the first. An access without one is `Rlx`.
impl FromStr for Cycle {
    type Err = String;

    fn from_str(text: &str) -> Result<Cycle, String> {
        let mut steps: Vec<AnnotatedEdge> = Vec::new();
        let mut pending = None;
        for word in text.split([' ', ',', '\t', '\n']).filter(|word| !word.is_empty()) {
            if let Ok(edge) = word.parse() {
                let annotation = pending.take().unwrap_or(Annotation::Rlx);
                steps.push(AnnotatedEdge { annotation, edge });
            } else if let Ok(annotation) = word.parse::<Annotation>() {
                if pending.replace(annotation).is_some() {
                    return Err(format!("two annotations for one access: `{word}`"));
                }
            } else {
                return Err(format!("`{word}` is neither an edge nor an annotation"));
            }
        }
        if let Some(annotation) = pending {
            match steps.first_mut() {
                Some(first) if first.annotation == Annotation::Rlx => first.annotation = annotation,
                _ => return Err(format!("two annotations for the first access: `{annotation:?}`")),
            }
        }
        Cycle::new(steps)
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, AnnotatedEdge { annotation, edge }) in self.steps.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            match annotation {
                Annotation::Rlx => write!(f, "{space}{edge}")?,
                _ => write!(f, "{space}{annotation:?} {edge}")?,
            }
        }
        Ok(())
    }
}
