//! What RVF-SMC writes to the log.

use super::explorer::RvfWorker;
use super::sources::{Group, Read};
use crate::journal::number;
use atropos_event::{EventId, Label, Run, ThreadId};
use log::Level;
use std::ops::Range;

impl<R: Run> RvfWorker<'_, R> {
    fn describe_next(&self, thread: usize, label: &Label) -> String {
        let event = EventId::new(ThreadId::new(thread), self.threads[thread].n_events);
        self.host.describe_next(event, label)
    }

    /// The step that `thread` is about to make, which has no choice.
    #[cold]
    pub(super) fn log_step(&self, thread: usize, label: &Label) {
        self.host.log(Level::Trace, format_args!("add {}", self.describe_next(thread, label)));
    }

    /// The value that a read is about to get, of those in `sources`.
    #[cold]
    pub(super) fn log_value(&self, read: Read, group: Group, sources: Range<usize>) {
        let mut groups: Vec<Group> = Vec::new();
        for source in &self.stack.sources[sources] {
            if !groups.contains(&source.group) {
                groups.push(source.group);
            }
        }
        let nth = groups.iter().position(|&other| other == group).map_or(0, |index| index + 1);
        let Label::Read { access, .. } = read.label else { unreachable!("{:?} reads", read.label) };
        let value = match group.is_unwritten {
            true => "no value".to_string(),
            false => number(access, group.value),
        };
        let what = self.describe_next(read.thread, &read.label);
        let all = groups.len();
        self.host.log(Level::Trace, format_args!("choose {nth} of {all} for {what}: value {value}"));
    }
}
