//! The sum of the records of a search.
//!
//! The whole search is the first part that is open. A record of an open part counts, and opens the parts that it names.
//! A record may come before the one that names its part, because a worker starts on a part as soon as another one gives
//! it away. Such a record waits. It never counts if the process ends before the other record is kept, because then the
//! other worker's part is explored again, and may be split elsewhere. Of two records of the same part the first one
//! counts.

use atropos_check::KeptFindings;
use atropos_event::Stats;
use atropos_explore::{Record, Resumed};
use std::collections::{BTreeMap, BTreeSet};

/// What a search has done, and what is left to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    lessons: String,
    stats: Stats,
    findings: KeptFindings,
    notes: BTreeSet<String>,
    open: BTreeSet<String>,
    /// Records of parts that no record names yet.
    waiting: BTreeMap<String, Record>,
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
            waiting: BTreeMap::new(),
        }
    }

    /// Continues from a sum.
    pub fn from(resumed: Resumed) -> Option<Self> {
        let Resumed { lessons, parts, stats, findings, notes } = resumed;
        Some(Fold {
            lessons,
            stats,
            findings: findings.parse().ok()?,
            notes: notes.split_ascii_whitespace().map(String::from).collect(),
            open: parts.into_iter().collect(),
            waiting: BTreeMap::new(),
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
            let Record { part, stats, findings, notes, rest } = record;
            self.open.remove(&part);
            self.stats += stats;
            self.findings.add(findings.parse().expect("parsed before"));
            self.notes.extend(notes.split_ascii_whitespace().map(String::from));
            for part in rest {
                match self.waiting.remove(&part) {
                    Some(record) => next.push(record),
                    None => {
                        self.open.insert(part.clone());
                        opened.push(part);
                    }
                }
            }
        }
        Some(opened)
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
}
