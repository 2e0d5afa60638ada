//! The traces of the current visits, one after the other.
//!
//! σ of Algorithm 2: a sequence of all nodes in which each read sees a good write. Every visit has its own and adds
//! to its end; that of the latest visit is current.

use super::instance::AccessId;

#[derive(Clone, Debug, Default)]
pub struct Traces {
    nodes: Vec<AccessId>,
    /// Where the current one begins.
    start: usize,
}

/// The trace to return to, and where it ends.
#[derive(Clone, Copy, Debug)]
pub struct Outer {
    start: usize,
    end: usize,
}

impl Traces {
    pub fn current(&self) -> &[AccessId] {
        &self.nodes[self.start..]
    }

    pub fn push(&mut self, node: AccessId) {
        self.nodes.push(node);
    }

    /// The current trace as it stands, with nothing entered.
    pub fn here(&self) -> Outer {
        Outer { start: self.start, end: self.nodes.len() }
    }

    /// Makes `trace` current.
    pub fn enter_copy(&mut self, trace: &[AccessId]) -> Outer {
        let outer = self.here();
        self.nodes.extend_from_slice(trace);
        self.start = outer.end;
        outer
    }

    /// Enters a trace that is the current one with `node` at `place`. At the end, this copies nothing.
    pub fn enter_with(&mut self, node: AccessId, place: usize) -> Outer {
        let outer @ Outer { start, end } = self.here();
        if start + place == end {
            self.nodes.push(node);
            return outer;
        }
        self.nodes.extend_from_within(start..start + place);
        self.nodes.push(node);
        self.nodes.extend_from_within(start + place..end);
        self.start = end;
        outer
    }

    /// Goes back to an outer trace, as it was then.
    pub fn leave(&mut self, outer: Outer) {
        self.nodes.truncate(outer.end);
        self.start = outer.start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_traces_leave_the_outer_ones_alone() {
        let mut traces = Traces::default();
        [3, 5].into_iter().for_each(|node| traces.push(node));
        let outer = traces.enter_with(4, 1);
        traces.push(6);
        assert_eq!(traces.current(), [3, 4, 5, 6]);
        let end = traces.enter_with(7, 4);
        assert_eq!(traces.current(), [3, 4, 5, 6, 7]);
        traces.leave(end);
        let inner = traces.enter_copy(&[6, 5]);
        assert_eq!(traces.current(), [6, 5]);
        traces.leave(inner);
        assert_eq!(traces.current(), [3, 4, 5, 6]);
        traces.leave(outer);
        assert_eq!(traces.current(), [3, 5]);
    }
}
