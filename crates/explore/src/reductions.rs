//! Reductions: which executions a check leaves out because others stand for them.
//!
//! Without reductions, a check counts what the papers count. A reduction keeps the verdict, the violations and the final
//! states. Each has a name, an argument in docs/ALGORITHMS.md (§L), and one file:
//!
//! | name | leaves out | where |
//! |---|---|---|
//! | `symmetry` | executions in which identical threads have exchanged their roles; for TruSt | `trust/twins.rs` |
//! | `rmws` | orders of read-modify-writes whose results no thread uses, and of references that are given up; for TruSt | `trust/counts.rs`, `trust/owners.rs` |
//! | `barriers` | orders of arrival at a barrier; for TruSt | `trust/barriers.rs` |
//! | `locks` | orders of sections of a mutex that touch nothing in common; for TruSt | `trust/locks.rs` |
//! | `await` | tries that fail and start over with the value seen, or write only what the next try writes again | `crates/vm/src/turns.rs` |

use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// Identical threads that have exchanged their roles.
    Symmetry,
    /// Other orders of read-modify-writes that commute.
    Rmws,
    /// Other orders of arrival at a barrier.
    Barriers,
    /// Other orders of sections of a mutex.
    Locks,
    /// Failed tries.
    Await,
}

impl Reduction {
    pub const ALL: [Reduction; 5] =
        [Reduction::Symmetry, Reduction::Rmws, Reduction::Barriers, Reduction::Locks, Reduction::Await];

    pub fn name(self) -> &'static str {
        match self {
            Reduction::Symmetry => "symmetry",
            Reduction::Rmws => "rmws",
            Reduction::Barriers => "barriers",
            Reduction::Locks => "locks",
            Reduction::Await => "await",
        }
    }
}

/// The reductions that a check may apply; by default all but `locks`, which is new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reductions(Vec<Reduction>);

impl Reductions {
    pub fn has(&self, reduction: Reduction) -> bool {
        self.0.contains(&reduction)
    }
}

impl Default for Reductions {
    fn default() -> Self {
        Reductions(Reduction::ALL.into_iter().filter(|&reduction| reduction != Reduction::Locks).collect())
    }
}

/// `all`, `none`, or names with commas between them.
impl FromStr for Reductions {
    type Err = String;

    fn from_str(text: &str) -> Result<Reductions, String> {
        let named = |name: &str| {
            Reduction::ALL.into_iter().find(|reduction| reduction.name() == name).ok_or_else(|| {
                let names = Reduction::ALL.map(Reduction::name).join(", ");
                format!("unknown reduction `{name}`: the reductions are {names}")
            })
        };
        match text {
            "all" => Ok(Reductions(Reduction::ALL.to_vec())),
            "none" => Ok(Reductions(Vec::new())),
            list => list.split(',').map(named).collect::<Result<_, _>>().map(Reductions),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_have_names() {
        let parse = |text: &str| text.parse::<Reductions>();
        assert!(
            Reduction::ALL.into_iter().all(|one| Reductions::default().has(one) == (one != Reduction::Locks))
        );
        assert!(parse("all").is_ok_and(|all| Reduction::ALL.into_iter().all(|one| all.has(one))));
        assert_eq!(parse("none"), Ok(Reductions(Vec::new())));
        assert_eq!(parse("await"), Ok(Reductions(vec![Reduction::Await])));
        assert_eq!(parse("await,symmetry"), Ok(Reductions(vec![Reduction::Await, Reduction::Symmetry])));
        assert_eq!(parse("rmws"), Ok(Reductions(vec![Reduction::Rmws])));
        assert_eq!(parse("barriers"), Ok(Reductions(vec![Reduction::Barriers])));
        assert_eq!(parse("locks"), Ok(Reductions(vec![Reduction::Locks])));
        assert!(parse("").is_err() && parse("await,none").is_err());
    }
}
