//! A directed graph as a list of edges, and whether it has a cycle.

/// Nodes are numbered from 0.
#[derive(Clone, Debug)]
pub struct Digraph {
    n_nodes: usize,
    edges: Vec<(u32, u32)>,
}

impl Digraph {
    pub fn new(n_nodes: usize) -> Self {
        Digraph { n_nodes, edges: Vec::new() }
    }

    /// A new node.
    pub fn node(&mut self) -> usize {
        self.n_nodes += 1;
        self.n_nodes - 1
    }

    pub fn add(&mut self, from: usize, to: usize) {
        self.edges.push((from as u32, to as u32));
    }

    pub fn is_acyclic(&self) -> bool {
        self.order().is_some()
    }

    /// All nodes in an order that extends the edges; `None` if they have a cycle.
    pub fn order(&self) -> Option<Vec<u32>> {
        let mut starts = vec![0u32; self.n_nodes + 1];
        let mut n_before = vec![0u32; self.n_nodes];
        for &(from, to) in &self.edges {
            starts[from as usize + 1] += 1;
            n_before[to as usize] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut targets = vec![0u32; self.edges.len()];
        for &(from, to) in &self.edges {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        let mut order: Vec<u32> =
            (0..self.n_nodes as u32).filter(|&node| n_before[node as usize] == 0).collect();
        let mut n_done = 0;
        while let Some(&node) = order.get(n_done) {
            n_done += 1;
            let range = starts[node as usize] as usize..starts[node as usize + 1] as usize;
            for &to in &targets[range] {
                n_before[to as usize] -= 1;
                if n_before[to as usize] == 0 {
                    order.push(to);
                }
            }
        }
        (order.len() == self.n_nodes).then_some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_has_no_order() {
        let mut graph = Digraph::new(3);
        graph.add(2, 0);
        graph.add(0, 1);
        assert_eq!(graph.order(), Some(vec![2, 0, 1]));
        graph.add(1, 2);
        assert!(!graph.is_acyclic());
        let mut own = Digraph::new(1);
        own.add(0, 0);
        assert!(!own.is_acyclic());
    }
}
