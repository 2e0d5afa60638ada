//! What leader and workers tell each other. All of it is text: JSON, one object for each message.

use crate::{Job, WrittenRecord};
use atropos_explore::{Budget, Record};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// A search, for workers that want to take part: everything they need to know.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    pub job: Job,
    /// The name of the program in reports, and its text.
    pub file: String,
    pub program: String,
    /// The options that decide which executions there are, as words of a command line.
    pub options: Vec<String>,
}

/// A part of the search that is left to do. It is complete in itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// What shapes the search.
    pub lessons: String,
    pub part: String,
    /// How long to explore it before the rest is given away.
    pub time_ms: u64,
    /// The most executions to explore, if there is a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
}

/// A task with a limit is split when its time is over, into so many pieces and the rest.
const PIECES_OF_LIMITED: usize = 8;

impl Task {
    pub fn budget(&self) -> Budget {
        let (time, executions) = (Duration::from_millis(self.time_ms), self.executions.unwrap_or(u64::MAX));
        let n_shed = if self.executions.is_some() { PIECES_OF_LIMITED } else { 0 };
        Budget { time, executions, n_shed, is_elsewhere: true }
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Identifies the lessons that shape a search: a part of it means something only together with them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Epoch(String);

impl Epoch {
    pub fn of(lessons: &str) -> Epoch {
        let digest = Sha256::digest(lessons);
        Epoch(digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }
}

/// An entry of the log: what became of a task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Entry {
    Record {
        epoch: Epoch,
        #[serde(with = "WrittenRecord")]
        record: Record,
        /// How many of the parts that the record names, the first ones, are in the queue or in the hands of others.
        #[serde(default, skip_serializing_if = "is_zero")]
        n_offered: usize,
    },
    /// The search must start over with more lessons; `epoch` is the new one.
    Start { epoch: Epoch, lessons: String },
    /// A part has a violation, which ends the search. The record is of what was explored until then.
    Violation {
        epoch: Epoch,
        #[serde(with = "WrittenRecord")]
        record: Record,
    },
    /// The program cannot be checked, as exploring this part shows.
    Refused { epoch: Epoch, part: String },
}

/// The messages, and what the leader keeps, as JSON.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}

pub(crate) fn written<T: Serialize>(message: &T) -> Vec<u8> {
    serde_json::to_vec(message).expect("text and numbers become JSON")
}

macro_rules! messages {
    ($($name:ty),*) => {
        $(impl $name {
            /// The message with this text, if there is one.
            pub fn read(bytes: &[u8]) -> Option<Self> {
                read(bytes)
            }

            pub fn written(&self) -> Vec<u8> {
                written(self)
            }
        })*
    };
}

messages!(Offer, Task, Entry, super::News, super::Sum, super::Ending);
