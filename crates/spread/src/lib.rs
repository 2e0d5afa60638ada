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
#[derive(Serialize, Deserialize)]
#[serde(remote = "Stats", deny_unknown_fields)]
struct WrittenStats {
    executions: u64,
    blocked: u64,
    duplicates: u64,
    bounded: u64,
    wasted: u64,
    events: u64,
    dead: u64,
    mirrored: u64,
    counted: u64,
    #[serde(default)]
    gathered: u64,
    #[serde(default)]
    parted: u64,
    revisits: u64,
    largest: u64,
}

/// The text form of a [`Record`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Record", deny_unknown_fields)]
struct WrittenRecord {
    part: String,
    #[serde(with = "WrittenStats", rename = "counts")]
    stats: Stats,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    findings: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    notes: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    known: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rest: Vec<String>,
}
