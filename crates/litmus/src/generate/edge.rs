//! Edges: the relations that form a cycle, with diy's names.
//!
//! | words | from, to | means |
//! |---|---|---|
//! | `Rfe Rfi` | W, R | the read reads from the write, in another or in the same thread |
//! | `Fre Fri` | R, W | the write is coherence-after the one that the read reads from |
//! | `Coe Coi` (`Wse Wsi`) | W, W | the second write is coherence-after the first |
//! | `PodXY PosXY` | X, Y | program order, to a different or the same location |
//! | `FenceScdXY FenceScsXY` | X, Y | program order across a fence: `Sc`, `AcqRel`, `Acq` or `Rel` |
//! | `MFencedXY MFencesXY` | X, Y | other words for `FenceSc...`, which is an `MFENCE` in X86 |
//! | `DpDatadW DpDatasW` | R, W | the value written depends on the value read |
//! | `DpCtrldY DpCtrlsY` | R, Y | the access is inside an `if` on the value read |
//! | `Rmw` | R, W | the two halves of one atomic exchange |
//!
//! None of the supported models orders by dependencies: such edges are there to show that they have no effect.

use atropos_event::FenceOrder;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    W,
    R,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Edge {
    Rf(Reach),
    Fr(Reach),
    Co(Reach),
    Po { location: LocationChange, from: Direction, to: Direction, via: Via },
    Rmw,
}

/// Whether a communication leaves its thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reach {
    External,
    Internal,
}

/// Whether program order goes to another location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LocationChange {
    Different,
    Same,
}

/// What is between two accesses in program order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Via {
    Nothing,
    Fence(FenceOrder),
    Data,
    Ctrl,
}

impl Edge {
    pub fn from(self) -> Direction {
        match self {
            Edge::Rf(_) | Edge::Co(_) => Direction::W,
            Edge::Fr(_) | Edge::Rmw => Direction::R,
            Edge::Po { from, .. } => from,
        }
    }

    pub fn to(self) -> Direction {
        match self {
            Edge::Rf(_) => Direction::R,
            Edge::Fr(_) | Edge::Co(_) | Edge::Rmw => Direction::W,
            Edge::Po { to, .. } => to,
        }
    }

    pub fn is_external(self) -> bool {
        matches!(self, Edge::Rf(Reach::External) | Edge::Fr(Reach::External) | Edge::Co(Reach::External))
    }

    pub(crate) fn changes_location(self) -> bool {
        matches!(self, Edge::Po { location: LocationChange::Different, .. })
    }

    /// The edge without fences and dependencies, as plain program order.
    pub fn bare(self) -> Edge {
        match self {
            Edge::Po { location, from, to, .. } => Edge::Po { location, from, to, via: Via::Nothing },
            edge => edge,
        }
    }

    /// The rank of the edge in the order that decides the canonical rotation of a cycle. It is chosen so that the
    /// classic shapes begin as usual.
    pub(super) fn rank(self) -> (u8, u8) {
        let kind = match self {
            Edge::Rf(Reach::External) => 0,
            Edge::Po { location, from, to, .. } => {
                let ends = match (from, to) {
                    (Direction::W, Direction::W) => 0,
                    (Direction::W, Direction::R) => 1,
                    (Direction::R, Direction::R) => 2,
                    (Direction::R, Direction::W) => 3,
                };
                1 + location as u8 * 4 + ends
            }
            Edge::Rmw => 9,
            Edge::Rf(Reach::Internal) => 10,
            Edge::Co(reach) => 11 + reach as u8,
            Edge::Fr(reach) => 13 + reach as u8,
        };
        let via = match self {
            Edge::Po { via: Via::Fence(order), .. } => 1 + order as u8,
            Edge::Po { via: Via::Data, .. } => 5,
            Edge::Po { via: Via::Ctrl, .. } => 6,
            _ => 0,
        };
        (kind, via)
    }

    /// Every edge.
    pub fn all() -> Vec<Edge> {
        let mut edges = vec![Edge::Rmw];
        for reach in [Reach::External, Reach::Internal] {
            edges.extend([Edge::Rf(reach), Edge::Fr(reach), Edge::Co(reach)]);
        }
        let fences = FenceOrder::ALL.map(Via::Fence);
        for location in [LocationChange::Different, LocationChange::Same] {
            for (from, to) in [
                (Direction::W, Direction::W),
                (Direction::W, Direction::R),
                (Direction::R, Direction::W),
                (Direction::R, Direction::R),
            ] {
                let vias = [Via::Nothing, Via::Data, Via::Ctrl].into_iter().chain(fences);
                edges.extend(
                    vias.map(|via| Edge::Po { location, from, to, via }).filter(|edge| edge.exists()),
                );
            }
        }
        edges
    }

    /// Dependencies start at reads, and data flows only into writes.
    fn exists(self) -> bool {
        match self {
            Edge::Po { from, to, via: Via::Data, .. } => from == Direction::R && to == Direction::W,
            Edge::Po { from, via: Via::Ctrl, .. } => from == Direction::R,
            _ => true,
        }
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reach = |reach: Reach| if reach == Reach::External { 'e' } else { 'i' };
        match *self {
            Edge::Rf(r) => write!(f, "Rf{}", reach(r)),
            Edge::Fr(r) => write!(f, "Fr{}", reach(r)),
            Edge::Co(r) => write!(f, "Co{}", reach(r)),
            Edge::Rmw => f.write_str("Rmw"),
            Edge::Po { location, from, to, via } => {
                let location = if location == LocationChange::Different { 'd' } else { 's' };
                match via {
                    Via::Nothing => write!(f, "Po{location}{from:?}{to:?}"),
                    Via::Fence(order) => write!(f, "Fence{}{location}{from:?}{to:?}", fence_word(order)),
                    Via::Data => write!(f, "DpData{location}{to:?}"),
                    Via::Ctrl => write!(f, "DpCtrl{location}{to:?}"),
                }
            }
        }
    }
}

fn fence_word(order: FenceOrder) -> &'static str {
    match order {
        FenceOrder::Acquire => "Acq",
        FenceOrder::Release => "Rel",
        FenceOrder::AcqRel => "AcqRel",
        FenceOrder::SeqCst => "Sc",
    }
}

impl FromStr for Edge {
    type Err = ();

    fn from_str(word: &str) -> Result<Edge, ()> {
        let word = match (word.strip_prefix("Ws"), word.strip_prefix("MFence")) {
            (Some(rest), _) => format!("Co{rest}"),
            (_, Some(rest)) => format!("FenceSc{rest}"),
            (None, None) => word.to_owned(),
        };
        Edge::all().into_iter().find(|edge| edge.to_string() == word).ok_or(())
    }
}

/// The strength of an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Annotation {
    /// A plain access.
    Na,
    Rlx,
    Acq,
    Rel,
    Sc,
    /// The write of an atomic exchange of this order, whose read is not part of the cycle.
    XRlx,
    XAcqRel,
    XSc,
}

impl Annotation {
    pub const ALL: [Annotation; 8] = [
        Annotation::Na,
        Annotation::Rlx,
        Annotation::Acq,
        Annotation::Rel,
        Annotation::Sc,
        Annotation::XRlx,
        Annotation::XAcqRel,
        Annotation::XSc,
    ];

    pub(crate) fn is_exchange(self) -> bool {
        matches!(self, Annotation::XRlx | Annotation::XAcqRel | Annotation::XSc)
    }

    /// Whether an access of this direction can have the annotation.
    pub(crate) fn suits(self, direction: Direction) -> bool {
        match self {
            Annotation::Na | Annotation::Rlx | Annotation::Sc => true,
            Annotation::Acq => direction == Direction::R,
            Annotation::Rel | Annotation::XRlx | Annotation::XAcqRel | Annotation::XSc => {
                direction == Direction::W
            }
        }
    }
}

impl FromStr for Annotation {
    type Err = ();

    fn from_str(word: &str) -> Result<Annotation, ()> {
        Annotation::ALL.into_iter().find(|annotation| format!("{annotation:?}") == word).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_print_as_they_are_read() {
        for edge in Edge::all() {
            assert_eq!(edge.to_string().parse(), Ok(edge));
        }
        assert_eq!("Wse".parse(), Ok(Edge::Co(Reach::External)));
        assert_eq!("MFencedWR".parse::<Edge>().unwrap().to_string(), "FenceScdWR");
        assert_eq!("DpDatadR".parse::<Edge>(), Err(()));
    }
}
