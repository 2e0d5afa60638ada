//! The base vocabulary: the sets and relations that a structure supplies and every model may use.
//!
//! It is fixed, so an unknown name is found when a model is parsed and not when it is first evaluated, and a name is
//! an array index afterwards. `_` (all events) and `id` are implicit. The names follow herd where herd has one. The
//! C11 order sets mean *exactly* that order; `models/prelude.cat` defines the usual "at least" sets.

/// Declares an enum of names with, for each, the cat spelling and one line of documentation.
macro_rules! names {
    ($(#[$meta:meta])* $enum:ident: $($variant:ident $name:literal $doc:literal,)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $enum {
            $(#[doc = $doc] $variant,)*
        }

        impl $enum {
            /// Every name, in the order of declaration.
            pub const ALL: &[$enum] = &[$($enum::$variant,)*];

            /// The spelling in cat files.
            pub fn name(self) -> &'static str {
                match self {
                    $($enum::$variant => $name,)*
                }
            }

            /// One line of documentation.
            pub fn doc(self) -> &'static str {
                match self {
                    $($enum::$variant => $doc,)*
                }
            }

            pub fn from_name(name: &str) -> Option<$enum> {
                match name {
                    $($name => Some($enum::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

names! {
    /// The sets of events a [`crate::Structure`] supplies.
    BaseSet:
    Reads "R" "reads, the read halves of read-modify-writes included",
    Writes "W" "writes, initial writes included",
    InitialWrites "IW" "initial writes, one per location: plain (in NA), in no order set",
    Accesses "M" "memory accesses, R | W",
    Fences "F" "fences",
    Relaxed "RLX" "reads and writes with exactly relaxed order",
    Acquire "ACQ" "reads and fences with exactly acquire order",
    Release "REL" "writes and fences with exactly release order",
    AcquireRelease "ACQ_REL" "fences with exactly acquire-release order",
    SequentiallyConsistent "SC" "reads, writes and fences with sequentially consistent order",
    Plain "NA" "plain (non-atomic) accesses",
    Atomic "A" "atomic accesses, M \\ NA",
    Exclusive "X" "both halves of successful read-modify-writes",
    FailedCas "CASFAIL" "reads of failed compare-and-swaps",
    Merging "MERGE" "both halves of stores to parts of their locations, which are not locked instructions",
    Spawn "SPAWN" "thread creations, in the parent, except those that do not drain the store buffer",
    Begin "BEGIN" "first events of threads",
    End "END" "last events of threads",
    Join "JOIN" "joins, in the waiting thread",
    Alloc "ALLOC" "memory allocations",
    Free "FREE" "memory releases",
    Barrier "BARRIER" "events that drain the store buffer under the chosen mapping to hardware",
    StoreBarrier "STBAR" "release stores and release or stronger fences, as store-store barriers of PSO",
}

names! {
    /// The relations over events a [`crate::Structure`] supplies.
    BaseRelation:
    Po "po" "program order: transitive, within threads; initial writes before everything else",
    Rf "rf" "reads-from: write to read",
    Co "co" "coherence: total and transitive per location, initial write first",
    Rmw "rmw" "exclusive read to its exclusive write",
    Loc "loc" "accesses to the same location (an equivalence on M)",
    Covers "covers" "from a write to the accesses of its location whose bytes it writes all",
    Pieces "pieces" "different pieces of one access, which happen at once; only where parts are stored to",
    Overlap "overlap" "accesses to the same location that share some of the program's bytes",
    Int "int" "same thread (an equivalence; each initial write is alone in its class)",
    Ext "ext" "different threads, the complement of int",
    Sync "sync" "thread creation to thread begin, and thread end to join",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_parse_back() {
        for &set in BaseSet::ALL {
            assert_eq!(BaseSet::from_name(set.name()), Some(set));
            assert_eq!(BaseRelation::from_name(set.name()), None);
        }
        for &relation in BaseRelation::ALL {
            assert_eq!(BaseRelation::from_name(relation.name()), Some(relation));
        }
    }
}
