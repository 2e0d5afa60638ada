//! The sum of the records of a search.
//!
//! The whole search is the first part that is open. A record of an open part counts, and opens the parts that it names.
//! A record may come before the one that names its part, because a worker starts on a part as soon as another one gives
//! it away. Such a record waits. It never counts if the process ends before the other record is kept, because then the
//! other worker's part is explored again, and may be split elsewhere. Of two records of the same part the first one
//! counts.
//!
//! Several records may name parts with the same key (see [`atropos_explore::Ledger`]). The first one opens its part; the
//! others are ignored. The keys are kept as long as an open part could name them again.

use atropos_check::KeptFindings;
use atropos_event::Stats;
use atropos_explore::{Record, Resumed, key_of};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// So many keys are kept anyway.
const FEW_KEYS: usize = 100;

/// What a search has done, and what is left to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    lessons: String,
    stats: Stats,
    findings: KeptFindings,
    notes: BTreeSet<String>,
    open: BTreeSet<String>,
    /// The keys of parts that need not be opened again, and how many there were when some were last forgotten.
    known: BTreeSet<String>,
    n_kept: usize,
    /// Records of parts that no record names yet.
    waiting: BTreeMap<String, Record>,
    /// How many records were added.
    n_added: u64,
}

impl Default for Fold {
    fn default() -> Self {
        Fold::new(String::new())
    }
}

impl Fold {
    /// A search that starts with these lessons.
    pub fn new(lessons: String) -> Self {
        Fold {
            lessons,
            stats: Stats::default(),
            findings: KeptFindings::default(),
            notes: BTreeSet::new(),
            open: BTreeSet::from([String::new()]),
            known: BTreeSet::new(),
            n_kept: 0,
            waiting: BTreeMap::new(),
            n_added: 0,
        }
    }

    /// Continues from a sum.
    pub fn from(resumed: Resumed) -> Option<Self> {
        let Resumed { lessons, parts, stats, findings, notes, known } = resumed;
        Some(Fold {
            lessons,
            stats,
            findings: findings.parse().ok()?,
            notes: notes.split_ascii_whitespace().map(String::from).collect(),
            open: parts.into_iter().collect(),
            n_kept: known.len(),
            known: known.into_iter().collect(),
            waiting: BTreeMap::new(),
            n_added: 0,
        })
    }

    /// Adds a record, and returns the parts that are open because of it; `None` if the record is malformed.
    pub fn add(&mut self, record: Record) -> Option<Vec<String>> {
        let _: KeptFindings = record.findings.parse().ok()?;
        if !self.open.contains(&record.part) {
            self.waiting.entry(record.part.clone()).or_insert(record);
            return Some(Vec::new());
        }
        let (mut next, mut opened) = (vec![record], Vec::new());
        while let Some(record) = next.pop() {
            let Record { part, stats, findings, notes, known, rest } = record;
            self.n_added += 1;
            self.open.remove(&part);
            self.stats += stats;
            self.findings.add(findings.parse().expect("parsed before"));
            self.notes.extend(notes.split_ascii_whitespace().map(String::from));
            self.known.extend(known);
            for part in rest {
                if key_of(&part).is_some_and(|key| !self.known.insert(key.to_string())) {
                    continue;
                }
                match self.waiting.remove(&part) {
                    Some(record) => next.push(record),
                    None => {
                        self.open.insert(part.clone());
                        opened.push(part);
                    }
                }
            }
        }
        self.forget_keys();
        Some(opened)
    }

    /// Forgets the keys that no open part can name: the first half of a key is a word of those that can.
    fn forget_keys(&mut self) {
        if self.known.len() < 2 * self.n_kept + FEW_KEYS {
            return;
        }
        let words = self.open.iter().flat_map(|part| part.split([' ', '/', ':', '^', '@', '.']));
        let words: HashSet<&str> = words.collect();
        self.known.retain(|key| key.split('.').next().is_some_and(|word| words.contains(word)));
        self.n_kept = self.known.len();
    }

    /// Adds what was found in a part that stays open; `None` if there is no violation.
    pub(crate) fn add_unfinished(&mut self, record: &Record) -> Option<()> {
        let findings: KeptFindings = record.findings.parse().ok()?;
        findings.has_violation().then(|| self.findings.add(findings))?;
        self.stats += record.stats;
        Some(())
    }

    pub fn stats(&self) -> Stats {
        self.stats
    }

    pub(crate) fn lessons(&self) -> &str {
        &self.lessons
    }

    pub(crate) fn open_parts(&self) -> impl Iterator<Item = &String> {
        self.open.iter()
    }

    pub(crate) fn is_open(&self, part: &str) -> bool {
        self.open.contains(part)
    }

    /// The sum alone, as if it had been read from a file.
    #[cfg(test)]
    pub(crate) fn uncounted(self) -> Fold {
        Fold { n_added: 0, ..self }
    }

    /// How many records count, since it was made.
    pub(crate) fn n_added(&self) -> u64 {
        self.n_added
    }

    pub(crate) fn n_open(&self) -> usize {
        self.open.len()
    }

    pub fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// Where to continue.
    pub fn resumed(&self) -> Resumed {
        Resumed {
            lessons: self.lessons.clone(),
            parts: self.open.iter().cloned().collect(),
            stats: self.stats,
            findings: self.findings.to_string(),
            notes: self.notes.iter().map(|note| format!("{note} ")).collect(),
            known: self.known.iter().cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(part: &str, executions: u64, rest: &[&str]) -> Record {
        let stats = Stats { executions, ..Stats::default() };
        let rest = rest.iter().map(|part| (*part).to_string()).collect();
        Record { part: part.to_string(), stats, rest, ..Record::default() }
    }

    /// The executions counted, and the open parts.
    fn seen(fold: &Fold) -> (u64, Vec<String>) {
        (fold.stats().executions, fold.resumed().parts)
    }

    #[test]
    fn the_order_of_records_does_not_matter() {
        let records =
            [record("", 1, &["p:1", "p:2"]), record("p:1", 10, &["p:1 p:1"]), record("p:1 p:1", 100, &[])];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut fold = Fold::default();
            order.iter().for_each(|&nth| drop(fold.add(records[nth].clone()).unwrap()));
            assert_eq!(seen(&fold), (111, vec!["p:2".to_string()]), "{order:?}");
            assert!(!fold.is_done());
            fold.add(record("p:2", 1000, &[])).unwrap();
            assert!(fold.is_done());
        }
    }

    #[test]
    fn the_first_record_of_a_part_counts() {
        let mut fold = Fold::default();
        fold.add(record("", 1, &["p:1"])).unwrap();
        fold.add(record("p:1", 2, &[])).unwrap();
        fold.add(record("p:1", 20, &["p:1 p:3"])).unwrap();
        fold.add(record("p:1 p:3", 200, &[])).unwrap();
        assert_eq!(seen(&fold), (3, vec![]));
    }

    #[test]
    fn a_part_that_was_split_elsewhere_does_not_count() {
        let mut fold = Fold::default();
        // Another worker took `p:7`, but the record that names it was lost.
        fold.add(record("p:7", 50, &[])).unwrap();
        fold.add(record("", 90, &["p:8"])).unwrap();
        fold.add(record("p:8", 10, &[])).unwrap();
        assert_eq!(seen(&fold), (100, vec![]));
    }

    #[test]
    fn the_first_part_with_a_key_is_opened() {
        let mut fold = Fold::default();
        fold.add(record("", 1, &["a:x p:1", "a:x p:2"])).unwrap();
        fold.add(Record { known: vec!["x.9".to_string()], ..record("a:x p:1", 10, &["@x.5 p:3"]) }).unwrap();
        // This record of another part names the same one, and one that is known.
        fold.add(record("a:x p:2", 100, &["@x.5 p:4", "@x.9 p:5"])).unwrap();
        assert_eq!(seen(&fold), (111, vec!["@x.5 p:3".to_string()]));
        fold.add(record("@x.5 p:3", 1000, &["@x.5 p:6"])).unwrap();
        assert_eq!(seen(&fold), (1111, vec![]));
    }

    #[test]
    fn keys_are_forgotten_when_nothing_can_name_them() {
        let mut fold = Fold::default();
        fold.add(record("", 1, &["a:x p:1", "a:0/y p:2"])).unwrap();
        let known = |read: &str| (0..FEW_KEYS).map(|nth| format!("{read}.{nth}")).collect();
        fold.add(Record { known: known("x"), ..record("a:x p:1", 1, &[]) }).unwrap();
        assert_eq!(fold.resumed().known.len(), 0, "the part that could name them is done");
        fold.add(Record { known: known("y"), ..record("a:0/y p:2", 1, &["a:0/y p:3"]) }).unwrap();
        assert_eq!(fold.resumed().known.len(), FEW_KEYS);
        assert_eq!(Fold::from(fold.resumed()).unwrap().resumed(), fold.resumed());
    }
}
