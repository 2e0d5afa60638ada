//! Names of generated tests.
//!
//! A classic shape has its classic name, followed by its annotations and fences, thread by thread, if it has any:
//! `MP`, `MP+rlx-rel+acq-rlx`, `SB+rlx-fsc-rlx+rlx-fsc-rlx`. Other cycles are named by their edges:
//! `PodWW-Rel-Rfe-Acq-PosRR-Fre`. Different cycles have different names, even if case is ignored.

use super::cycle::{AnnotatedEdge, Cycle, Reached};
use super::edge::{Annotation, Edge, Via};
use atropos_event::FenceOrder;
use std::sync::LazyLock;

/// Shapes and names, from the literature on diy and herd ("Herding cats" and its catalogues),
/// in canonical rotation.
const SHAPES: [(&str, &str); 28] = [
    ("SB", "PodWR Fre PodWR Fre"),
    ("MP", "PodWW Rfe PodRR Fre"),
    ("LB", "PodRW Rfe PodRW Rfe"),
    ("S", "PodWW Rfe PodRW Coe"),
    ("R", "PodWW Coe PodWR Fre"),
    ("2+2W", "PodWW Coe PodWW Coe"),
    ("WRC", "Rfe PodRW Rfe PodRR Fre"),
    ("WWC", "Rfe PodRW Rfe PodRW Coe"),
    ("RWC", "Rfe PodRR Fre PodWR Fre"),
    ("WRW+WR", "Rfe PodRW Coe PodWR Fre"),
    ("WRR+2W", "Rfe PodRR Fre PodWW Coe"),
    ("WRW+2W", "Rfe PodRW Coe PodWW Coe"),
    ("IRIW", "Rfe PodRR Fre Rfe PodRR Fre"),
    ("IRRWIW", "Rfe PodRR Fre Rfe PodRW Coe"),
    ("IRWIW", "Rfe PodRW Coe Rfe PodRW Coe"),
    ("ISA2", "PodWW Rfe PodRW Rfe PodRR Fre"),
    ("W+RWC", "PodWW Rfe PodRR Fre PodWR Fre"),
    ("Z6.0", "PodWW Rfe PodRW Coe PodWR Fre"),
    ("Z6.1", "PodWW Rfe PodRW Coe PodWW Coe"),
    ("Z6.2", "PodWW Rfe PodRW Rfe PodRW Coe"),
    ("Z6.3", "PodWW Rfe PodRR Fre PodWW Coe"),
    ("Z6.4", "PodWW Coe PodWR Fre PodWR Fre"),
    ("Z6.5", "PodWW Coe PodWW Coe PodWR Fre"),
    ("3.SB", "PodWR Fre PodWR Fre PodWR Fre"),
    ("3.LB", "PodRW Rfe PodRW Rfe PodRW Rfe"),
    ("3.2W", "PodWW Coe PodWW Coe PodWW Coe"),
    ("CoRR", "Rfe PosRR Fre"),
    ("CoRW2", "Rfe PosRW Coe"),
];

static SHAPE_CYCLES: LazyLock<Vec<(&str, Cycle)>> = LazyLock::new(|| {
    let cycle = |text: &str| text.parse().expect("the table holds cycles");
    SHAPES.iter().map(|&(name, text)| (name, cycle(text))).collect()
});

/// The classic name of the cycle's shape, if it has one.
fn shape(cycle: &Cycle) -> Option<&'static str> {
    let bare: Vec<Edge> = cycle.steps().iter().map(|step| step.edge.bare()).collect();
    let is_same = |other: &Cycle| other.steps().iter().map(|step| step.edge).eq(bare.iter().copied());
    SHAPE_CYCLES.iter().find(|(_, known)| is_same(known)).map(|&(name, _)| name)
}

pub fn name(cycle: &Cycle) -> String {
    let Some(shape) = shape(cycle) else { return cycle.to_string().replace(' ', "-") };
    let is_plain = |step: &AnnotatedEdge| step.annotation == Annotation::Rlx && step.edge == step.edge.bare();
    if cycle.steps().iter().all(is_plain) {
        shape.to_owned()
    } else {
        format!("{shape}{}", decoration(cycle))
    }
}

/// `+` before each thread, `-` between what is in it.
fn decoration(cycle: &Cycle) -> String {
    let mut text = String::new();
    for access in cycle.accesses() {
        match access.reached {
            None => text.push('+'),
            Some(reached) => {
                text.push('-');
                text.push_str(via_word(reached));
            }
        }
        text.push_str(&format!("{:?}", access.annotation).to_ascii_lowercase());
    }
    text
}

fn via_word(reached: Reached) -> &'static str {
    match reached {
        Reached::Rmw => "rmw-",
        Reached::Via(Via::Nothing) => "",
        Reached::Via(Via::Data) => "data-",
        Reached::Via(Via::Ctrl) => "ctrl-",
        Reached::Via(Via::Fence(FenceOrder::Acquire)) => "facq-",
        Reached::Via(Via::Fence(FenceOrder::Release)) => "frel-",
        Reached::Via(Via::Fence(FenceOrder::AcqRel)) => "facqrel-",
        Reached::Via(Via::Fence(FenceOrder::SeqCst)) => "fsc-",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_shapes_is_canonical() {
        for (name, text) in SHAPES {
            assert_eq!(text.parse::<Cycle>().unwrap().to_string(), text, "{name}");
        }
    }

    #[test]
    fn names_tell_what_is_on_the_shape() {
        let named = |text: &str| name(&text.parse().unwrap());
        assert_eq!(named("PodRR Fre PodWW Rfe"), "MP");
        assert_eq!(named("PodWW Rel Rfe Acq PodRR Fre"), "MP+rlx-rel+acq-rlx");
        assert_eq!(named("MFencedWR Fre PodWR Fre"), "SB+rlx-rlx+rlx-fsc-rlx");
        assert_eq!(named("PodWW Rfe DpDatadW Rfe PosRR PodRR Fre"), "PodWW-Rfe-DpDatadW-Rfe-PosRR-PodRR-Fre");
    }
}
