//! How far a check on many machines has got: a line at the bottom of the terminal, and lines of JSON.

use super::counted;
use crate::output;
use crate::watch::progress_text;
use anyhow::{Context, Result};
use atropos_report::Estimate;
use atropos_report::human::{grouped, seconds};
use atropos_report::survey::estimate_json;
use atropos_spread::cluster::Leader;
use serde_json::json;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// The interval between changes of the line in the terminal, and between lines of JSON.
const REDRAW: Duration = Duration::from_millis(200);
const BETWEEN_LINES: Duration = Duration::from_secs(1);

pub struct ClusterProgress {
    started: Instant,
    is_shown: bool,
    file: Option<File>,
    drawn: Option<Instant>,
    written: Option<Instant>,
    /// How many executions were explored before.
    inherited: u64,
}

/// The workers that take part, and their explorers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Workers {
    pub n_processes: usize,
    pub n_explorers: usize,
}

impl fmt::Display for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [n_processes, n_explorers] = [self.n_processes, self.n_explorers].map(|n| n as u64);
        match n_processes {
            0 => f.write_str("no worker is there"),
            _ => write!(f, "{} ({})", counted(n_processes, "worker"), counted(n_explorers, "thread")),
        }
    }
}

impl ClusterProgress {
    /// # Errors
    /// If the file cannot be written.
    pub fn new(is_shown: bool, file: Option<&Path>, inherited: u64) -> Result<ClusterProgress> {
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.with_context(|| format!("cannot write {}", path.display()))
        };
        let file = file.map(open).transpose()?;
        let is_shown = is_shown && output::stderr_is_terminal();
        Ok(ClusterProgress { started: Instant::now(), is_shown, file, drawn: None, written: None, inherited })
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Shows the present state, if it is time.
    pub fn show(&mut self, leader: &Leader, workers: Workers, estimate: Option<Estimate>) {
        let is_due = |last: Option<Instant>, interval| last.is_none_or(|last| last.elapsed() >= interval);
        if self.is_shown && is_due(self.drawn, REDRAW) {
            self.drawn = Some(Instant::now());
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", self.line(leader, workers, estimate));
        }
        if self.file.is_some() && is_due(self.written, BETWEEN_LINES) {
            self.write(leader, workers, estimate);
        }
    }

    /// Removes the line, because something else is to be said.
    pub fn wipe(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    /// Shows the last state, for good.
    pub fn end(&mut self, leader: &Leader, workers: Workers, estimate: Option<Estimate>) {
        self.wipe();
        self.write(leader, workers, estimate);
    }

    fn rate(&self, n_executions: u64) -> u64 {
        let explored = n_executions.saturating_sub(self.inherited) as f64;
        (explored / self.elapsed().as_secs_f64().max(0.001)) as u64
    }

    fn line(&self, leader: &Leader, workers: Workers, estimate: Option<Estimate>) -> String {
        let (stats, (n_done, n_open)) = (leader.stats(), leader.n_parts());
        let n_executions = stats.executions + stats.blocked;
        format!(
            "{workers}, {} done, {} left, {}, {}",
            counted(n_done, "part"),
            grouped(n_open as u64),
            progress_text(n_executions, self.rate(n_executions) as f64, estimate),
            seconds(self.elapsed())
        )
    }

    fn write(&mut self, leader: &Leader, workers: Workers, estimate: Option<Estimate>) {
        let (stats, (n_done, n_open)) = (leader.stats(), leader.n_parts());
        let line = json!({
            "time_ms": self.elapsed().as_millis() as u64,
            "workers": workers.n_processes,
            "explorers": workers.n_explorers,
            "parts_done": n_done,
            "parts_left": n_open,
            "executions": stats.executions,
            "blocked": stats.blocked,
            "log_bytes": leader.n_bytes(),
            "estimate": estimate.as_ref().map(estimate_json),
            "per_second": self.rate(stats.executions + stats.blocked),
        });
        if let Some(file) = &mut self.file {
            // The check matters more than its progress.
            let _ = writeln!(file, "{line}");
        }
        self.written = Some(Instant::now());
    }
}
