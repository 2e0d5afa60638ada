//! Checks a driver as its recipe says.

use super::changed;
use super::fetch::Shelf;
use super::recipe::{RealCheck, RealVerdict, Recipe};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where compilers look for headers, below the folder of a package.
const HEADERS: [&str; 2] = ["usr/include", "usr/include/x86_64-linux-gnu"];

/// Runs one check of a recipe whose packages are there.
///
/// # Errors
/// There is no verdict; with what Atropos says.
pub fn run(atropos: &Path, shelf: &Shelf, recipe: &Recipe, check: &RealCheck) -> Result<RealVerdict, String> {
    let folders = folders(shelf, recipe, check)?;
    let mut command = Command::new(atropos);
    command.args(["check", "--format", "json"]).args(&check.options).arg(&recipe.driver);
    command.args(recipe.files.iter().map(|file| expand(file, &folders))).arg("--");
    let flags: Vec<&String> = recipe.flags.iter().chain(&check.flags).collect();
    for (name, folder) in &folders {
        if !flags.iter().any(|flag| flag.contains(&format!("${name}"))) {
            let found = HEADERS.iter().map(|headers| folder.join(headers)).filter(|path| path.is_dir());
            found.for_each(|path| {
                command.arg("-isystem").arg(path);
            });
        }
    }
    command.args(flags.into_iter().map(|flag| expand(flag, &folders)));
    answer(&mut command)
}

/// The name and the folder of each package: a copy, if the check changes it.
fn folders(shelf: &Shelf, recipe: &Recipe, check: &RealCheck) -> Result<Vec<(String, PathBuf)>, String> {
    let mut folders = Vec::new();
    for package in &recipe.packages {
        let (name, mut folder) = (package.name.clone(), shelf.of(package));
        let file = |change: &super::recipe::Change| {
            change.file.strip_prefix(&format!("${name}/")).map(|file| (change.clone(), PathBuf::from(file)))
        };
        if let Some((change, file)) = check.change.as_ref().and_then(file) {
            let driver = recipe.driver.file_stem().unwrap_or_default().to_string_lossy();
            let copy = shelf.beside(&format!("changed/{driver}-{}", check.line + 1));
            changed::apply(&folder, &file, &change, &copy)?;
            folder = copy;
        }
        folders.push((name, folder));
    }
    Ok(folders)
}

/// Replaces `$NAME` by the folder of that package.
fn expand(text: &str, folders: &[(String, PathBuf)]) -> String {
    folders.iter().fold(text.to_string(), |text, (name, folder)| {
        let (name, path) = (format!("${name}"), folder.display().to_string());
        if text == name { path } else { text.replace(&format!("{name}/"), &format!("{path}/")) }
    })
}

fn answer(command: &mut Command) -> Result<RealVerdict, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let said = || String::from_utf8_lossy(&output.stderr).trim().to_string();
    let object: Value = serde_json::from_slice(&output.stdout).map_err(|_| said())?;
    match object["verdict"].as_str() {
        Some("verified") => {
            let n_executions = object["executions"].as_u64().ok_or("no number `executions`")?;
            let is_bounded = object["bounded"].as_bool().ok_or("no truth value `bounded`")?;
            Ok(RealVerdict::Verified { n_executions, is_bounded })
        }
        Some("violation") => {
            let kind = object["violations"][0]["kind"].as_str().ok_or("no violation in the list")?;
            Ok(RealVerdict::Violation(kind.to_string()))
        }
        _ => Err(format!("no verdict: {}", said())),
    }
}
