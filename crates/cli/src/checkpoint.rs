//! `--checkpoint`: the file in which a check records what it has explored.

use crate::input::Input;
use crate::models::Model;
use crate::options::{CheckOptions, CheckpointOptions};
use crate::output;
use atropos_event::{Diagnostic, Diagnostics};
use atropos_report::human::grouped;
use atropos_spread::{Checkpoint, Job, Unusable};

/// Opens the checkpoint of a check, and says what it has.
///
/// # Errors
/// If the file cannot be the checkpoint of this check.
pub fn open(
    asked: &CheckpointOptions,
    input: &Input,
    options: &CheckOptions,
) -> Result<Checkpoint, Diagnostics> {
    let model = match &options.search.model {
        Model::Custom(path) => crate::input::read(path)?,
        Model::Builtin(_) => String::new(),
    };
    let program = format!("{}{model}", input.text());
    let job = Job::new(env!("CARGO_PKG_VERSION"), &program, asked.settings.clone());
    let file = asked.file.display().to_string();
    let checkpoint = Checkpoint::open(&asked.file, job).map_err(|unusable| {
        let message = match unusable {
            Unusable::Io(error) => format!("cannot be used as a checkpoint: {error}"),
            Unusable::NoCheckpoint => "exists and is not a checkpoint of this version".to_string(),
            Unusable::InUse => "is the checkpoint of a check that is still running".to_string(),
            Unusable::Other(differences) => format!(
                "is the checkpoint of another check: {}; delete it to start from the beginning",
                differences.join("; ")
            ),
        };
        Diagnostic::about_file(&file, message)
    })?;
    if checkpoint.has_records() {
        let stats = checkpoint.fold().stats();
        let executions = grouped(stats.executions + stats.blocked);
        output::note(&format!("{file}: the check continues after {executions} executions"));
    }
    Ok(checkpoint)
}

/// Warns if the file is not up to date.
pub fn end(checkpoint: &Checkpoint, file: &std::path::Path) {
    if let Err(error) = checkpoint.end() {
        let file = file.display();
        output::note(&format!("{file} does not have all that was explored: it cannot be written: {error}"));
    }
}
