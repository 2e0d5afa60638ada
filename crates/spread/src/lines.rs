//! The lines of a checkpoint: a checksum, a kind, and JSON.
//!
//! A line counts only if it is complete and its checksum is right. The last ones may not be, if the machine stopped
//! while they were being written; they and what follows are dropped.

use crate::{Job, WrittenRecord, WrittenStats};
use atropos_event::Stats;
use atropos_explore::{Record, Resumed};
use serde::{Deserialize, Serialize};

/// The first line names the format, so that other versions can refuse it.
pub(crate) const FORMAT: &str = "atropos checkpoint 1";

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Line {
    Job(Job),
    /// The search starts with these lessons; what comes before does not count.
    Start {
        lessons: String,
    },
    Record(#[serde(with = "WrittenRecord")] Record),
    /// The sum of all records so far, in their place.
    Sum(#[serde(with = "WrittenSum")] Resumed),
}

/// The text form of [`Resumed`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Resumed", deny_unknown_fields)]
pub(crate) struct WrittenSum {
    lessons: String,
    parts: Vec<String>,
    #[serde(with = "WrittenStats", rename = "counts")]
    stats: Stats,
    findings: String,
    notes: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    known: Vec<String>,
}

impl Line {
    /// The line as written, with its end.
    pub fn text(&self) -> String {
        let json = serde_json::to_string(self).expect("text and numbers become JSON");
        format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
    }

    fn read(line: &str) -> Option<Line> {
        let (sum, json) = line.split_once(' ')?;
        (u32::from_str_radix(sum, 16).ok()? == crc32fast::hash(json.as_bytes())).then_some(())?;
        serde_json::from_str(json).ok()
    }
}

/// The lines of a file after the first, up to the first one that does not count, and the length of the file up to
/// there.
pub(crate) fn read_all(bytes: &[u8]) -> (Vec<Line>, usize) {
    let (mut lines, mut len) = (Vec::new(), FORMAT.len() + 1);
    while let Some(end) = bytes.get(len..).and_then(|rest| rest.iter().position(|&byte| byte == b'\n')) {
        let line = std::str::from_utf8(&bytes[len..len + end]).ok().and_then(Line::read);
        let Some(line) = line else { break };
        lines.push(line);
        len += end + 1;
    }
    (lines, len)
}
