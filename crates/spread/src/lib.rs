//! Searches that outlive a process.
//!
//! Records are the only truth: what a search has done is the [`Fold`] of its [`Record`]s. A [`Checkpoint`] keeps them
//! in a file, so that a search that was killed continues when it is started again. A [`cluster`] spreads a search over
//! many machines.

mod checkpoint;
pub mod cluster;
mod ended;
mod fold;
mod job;
mod lines;

pub use checkpoint::{Checkpoint, Unusable};
pub use ended::Ended;
pub use fold::Fold;
pub use job::Job;

use atropos_event::Stats;
use atropos_explore::Record;
use serde::{Deserialize, Serialize};

/// The text form of [`Stats`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    executions: u64,
    blocked: u64,
    duplicates: u64,
    bounded: u64,
    wasted: u64,
    events: u64,
    dead: u64,
    mirrored: u64,
    revisits: u64,
    largest: u64,
}

impl From<Stats> for Counts {
    fn from(stats: Stats) -> Counts {
        let Stats {
            executions,
            blocked,
            duplicates,
            bounded,
            wasted,
            events,
            dead,
            mirrored,
            revisits,
            largest,
        } = stats;
        Counts { executions, blocked, duplicates, bounded, wasted, events, dead, mirrored, revisits, largest }
    }
}

impl From<Counts> for Stats {
    fn from(counts: Counts) -> Stats {
        let Counts {
            executions,
            blocked,
            duplicates,
            bounded,
            wasted,
            events,
            dead,
            mirrored,
            revisits,
            largest,
        } = counts;
        Stats { executions, blocked, duplicates, bounded, wasted, events, dead, mirrored, revisits, largest }
    }
}

/// The text form of a [`Record`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRecord {
    part: String,
    counts: Counts,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    findings: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    notes: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    known: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rest: Vec<String>,
}

impl From<Record> for WrittenRecord {
    fn from(record: Record) -> WrittenRecord {
        let Record { part, stats, findings, notes, known, rest } = record;
        WrittenRecord { part, counts: stats.into(), findings, notes, known, rest }
    }
}

impl From<WrittenRecord> for Record {
    fn from(record: WrittenRecord) -> Record {
        let WrittenRecord { part, counts, findings, notes, known, rest } = record;
        Record { part, stats: counts.into(), findings, notes, known, rest }
    }
}

/// A [`Record`] as a field of something that is written.
mod written_record {
    use super::WrittenRecord;
    use atropos_explore::Record;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(record: &Record, serializer: S) -> Result<S::Ok, S::Error> {
        WrittenRecord::from(record.clone()).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Record, D::Error> {
        WrittenRecord::deserialize(deserializer).map(Record::from)
    }
}
