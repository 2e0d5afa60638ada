//! Executions as files, in the text form of graphs: `--dump-graphs` writes them, and [`crate::replay`] reads one.

use anyhow::{Context, Result};
use atropos_check::Sink;
use atropos_explore::Ending;
use atropos_graph::Canonical;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// The maximum number of executions to write.
pub const MOST_GRAPHS: usize = 10_000;

/// A folder for executions, numbered from 1 in the order in which the search finds them.
pub struct Dump {
    folder: PathBuf,
    /// Whether to write blocked executions, too.
    has_blocked: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    n_written: usize,
    /// The number of executions beyond the maximum.
    n_omitted: u64,
    /// The first error.
    error: Option<anyhow::Error>,
}

impl Dump {
    /// Removes the executions that an earlier check has written to the folder, which would look like those of this one.
    ///
    /// # Errors
    /// If the folder does not exist and cannot be created, or if its files cannot be removed.
    pub fn new(folder: &Path, has_blocked: bool) -> Result<Dump> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        remove_executions(folder).with_context(|| format!("cannot tidy up {}", folder.display()))?;
        Ok(Dump { folder: folder.to_path_buf(), has_blocked, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the lock")
    }

    fn path(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{number:05}.graph"))
    }

    /// Writes the execution of the finding with this number.
    pub fn finding(&self, number: usize, execution: &Canonical) {
        self.write(&finding_path(&self.folder, number), execution);
    }

    fn write(&self, path: &Path, execution: &Canonical) {
        let written = std::fs::write(path, execution.to_string());
        if let Err(error) = written.with_context(|| format!("cannot write {}", path.display())) {
            self.state().error.get_or_insert(error);
        }
    }

    /// Returns a note on what was left out.
    ///
    /// # Errors
    /// The first file that could not be written.
    pub fn end(&self) -> Result<Option<String>> {
        let State { n_omitted, error, .. } = std::mem::take(&mut *self.state());
        match error {
            Some(error) => Err(error),
            None if n_omitted == 0 => Ok(None),
            None => {
                let executions = if n_omitted == 1 { "execution is" } else { "executions are" };
                Ok(Some(format!("{n_omitted} more {executions} not written: {MOST_GRAPHS} are the most")))
            }
        }
    }
}

impl Sink for Dump {
    /// Writes an execution, with a number that no other execution has.
    fn execution(&self, ending: Ending, execution: &dyn Fn() -> Canonical) {
        if ending == Ending::Blocked && !self.has_blocked {
            return;
        }
        let mut state = self.state();
        if state.n_written == MOST_GRAPHS {
            state.n_omitted += 1;
            return;
        }
        state.n_written += 1;
        let path = self.path(state.n_written);
        drop(state);
        self.write(&path, &execution());
    }

    /// Starts over: the search will find all executions again.
    fn start_over(&self) {
        let State { n_written, .. } = std::mem::take(&mut *self.state());
        for number in 1..=n_written {
            // Ignore a file that cannot be removed: it is overwritten, or it does not exist.
            let _ = std::fs::remove_file(self.path(number));
        }
    }
}

/// Removes the files that have the names of executions.
fn remove_executions(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().and_then(|name| name.to_str()).is_some_and(is_execution) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Whether a file has the name of a numbered execution or finding.
fn is_execution(name: &str) -> bool {
    let Some(name) = name.strip_suffix(".graph") else { return false };
    let number = name.strip_prefix("violation-").or(Some(name).filter(|name| name.len() >= 5));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The file of the finding with this number.
pub fn finding_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("violation-{number}.graph"))
}
