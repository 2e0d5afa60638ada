//! Each measurement in a process of its own, so that peak memory is that of one row.

use crate::measure::Measurement;
use crate::rows::Case;
use std::env;
use std::process::{Command, Stdio};

/// Runs this program again for one case; see `--measure`.
///
/// # Errors
/// The child could not be run, or failed.
pub fn measure(case: &Case, jobs: usize) -> Result<Measurement, String> {
    let this = env::current_exe().map_err(|error| error.to_string())?;
    let Case { family, parameter, model, up_to } = case;
    let output = Command::new(this)
        .arg("--measure")
        .args([family, &parameter.to_string(), &model.to_string(), &up_to.to_string()])
        .args(["--jobs", &jobs.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{case}: the process that measures it failed ({})", output.status));
    }
    String::from_utf8_lossy(&output.stdout).trim().parse()
}
