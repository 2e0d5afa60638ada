//! Laws of the relation algebra, on random relations of sizes below, at and above one machine word.

use atropos_cat::{EventSet, Relation};

/// SplitMix64: small, and good enough to pick edges.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn relation(&mut self, n: usize, n_pairs: usize) -> Relation {
        Relation::from_pairs(n, (0..if n == 0 { 0 } else { n_pairs }).map(|_| (self.below(n), self.below(n))))
    }

    fn set(&mut self, n: usize) -> EventSet {
        let members: Vec<usize> = (0..n).filter(|_| self.next().is_multiple_of(2)).collect();
        EventSet::from_events(n, members)
    }
}

/// Runs a law on three random relations and two random sets of many sizes and densities.
fn check(law: impl Fn(&Relation, &Relation, &Relation, &EventSet, &EventSet)) {
    let mut random = Random(1);
    for n in [0, 1, 2, 5, 13, 63, 64, 65, 130] {
        for n_pairs in [0, 1, n / 2, n, 2 * n, n * n / 3] {
            let [r, s, t] = [(); 3].map(|()| random.relation(n, n_pairs));
            law(&r, &s, &t, &random.set(n), &random.set(n));
        }
    }
}

fn full(n: usize) -> Relation {
    Relation::product(&EventSet::full(n), &EventSet::full(n))
}

#[test]
fn boolean_algebra() {
    check(|r, s, t, a, b| {
        assert_eq!(r.union(s), s.union(r));
        assert_eq!(r.intersection(&s.union(t)), r.intersection(s).union(&r.intersection(t)));
        assert_eq!(r.difference(s), r.intersection(&s.complement()));
        assert_eq!(r.complement().complement(), *r);
        assert_eq!(r.union(&r.complement()), full(r.n_events()));
        assert!(r.intersection(&r.complement()).is_empty());
        assert_eq!(a.union(b).complement(), a.complement().intersection(&b.complement()));
        assert_eq!(a.difference(b).len() + a.intersection(b).len(), a.len());
        assert_eq!(a.union(&a.complement()), EventSet::full(r.n_events()));
    });
}

#[test]
fn composition_and_inverse() {
    check(|r, s, t, a, b| {
        assert_eq!(r.compose(&s.compose(t)), r.compose(s).compose(t));
        assert_eq!(r.compose(&s.union(t)), r.compose(s).union(&r.compose(t)));
        assert_eq!(r.compose(s).inverse(), s.inverse().compose(&r.inverse()));
        assert_eq!(r.inverse().inverse(), *r);
        let identity = Relation::identity(&EventSet::full(r.n_events()));
        assert_eq!(r.compose(&identity), *r);
        assert_eq!(identity.compose(r), *r);
        // Restriction and product say the same: [A] ; r ; [B] = r & (A * B).
        let restricted = Relation::identity(a).compose(r).compose(&Relation::identity(b));
        assert_eq!(restricted, r.intersection(&Relation::product(a, b)));
    });
}

#[test]
fn closures() {
    check(|r, _, _, _, _| {
        let plus = r.transitive_closure();
        assert_eq!(plus, r.union(&r.compose(&plus)));
        assert_eq!(plus, plus.transitive_closure());
        assert_eq!(plus.inverse(), r.inverse().transitive_closure());
        assert!(plus.compose(&plus).difference(&plus).is_empty());
        // Least: nothing but what a path reaches.
        for (from, to) in plus.pairs() {
            assert!(r.shortest_path(from, to).is_some());
        }
    });
}

#[test]
fn cycles() {
    check(|r, _, _, _, _| {
        let plus = r.transitive_closure();
        assert_eq!(r.is_acyclic(), plus.is_irreflexive());
        assert_eq!(r.find_cycle().is_none(), r.is_acyclic());
        if let Some(cycle) = r.find_cycle() {
            let next = cycle.iter().cycle().skip(1);
            assert!(cycle.iter().zip(next).all(|(&from, &to)| r.contains(from, to)));
            let mut events = cycle.clone();
            events.sort_unstable();
            events.dedup();
            assert_eq!(events.len(), cycle.len(), "a shortest cycle repeats no event");
        }
        if let Some(event) = r.find_reflexive() {
            assert_eq!(r.find_cycle(), Some(vec![event]));
        }
    });
}

#[test]
fn pairs_and_members_come_back_in_order() {
    check(|r, _, _, a, _| {
        assert_eq!(Relation::from_pairs(r.n_events(), r.pairs()), *r);
        assert_eq!(r.pairs().count(), r.len());
        assert!(r.pairs().is_sorted());
        assert_eq!(EventSet::from_events(a.n_events(), a.iter()), *a);
        assert!(a.iter().is_sorted());
    });
}

#[test]
fn the_witness_is_a_shortest_cycle() {
    let ring = |n: usize| (0..n).map(move |i| (i, (i + 1) % n));
    let relation = Relation::from_pairs(20, ring(20).chain([(7, 5), (12, 9)]));
    assert_eq!(relation.find_cycle(), Some(vec![5, 6, 7]));
    let chain = Relation::from_pairs(100, (0..99).map(|i| (i, i + 1)));
    assert!(chain.is_acyclic());
}
