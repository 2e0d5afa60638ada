//! `atropos doctor`: what works on this machine, and what is missing.
//!
//! Each language is tried with a tiny program, the way a check would read it.

use crate::exit::Exit;
use crate::output;
use anyhow::{Context, Result};
use atropos_llvm::compile::{self, CompileOptions, Job};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const C: &str = "#include <pthread.h>\n#include <stdatomic.h>\nint main(void) { return 0; }\n";
const CPP: &str = "#include <atomic>\n#include <thread>\nint main() {}\n";
const RUST: &str = "fn main() {}\n";

/// Looks at this machine.
///
/// # Errors
/// If no file can be written for the compiler.
pub fn doctor() -> Result<Exit> {
    let folder = std::env::temp_dir().join(format!("atropos-doctor-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let languages =
        [("C", "doctor.c", C, true), ("C++", "doctor.cpp", CPP, false), ("Rust", "doctor.rs", RUST, false)];
    let results: Result<Vec<_>> = languages
        .iter()
        .map(|&(name, file, text, is_needed)| Ok((name, try_language(&folder.join(file), text)?, is_needed)))
        .collect();
    // What is left of it does no harm.
    let _ = std::fs::remove_dir_all(&folder);
    let mut report = format!("atropos {}\n", env!("CARGO_PKG_VERSION"));
    let mut is_complete = true;
    for (name, result, is_needed) in results? {
        is_complete &= result.is_ok() || !is_needed;
        write_line(&mut report, name, &result.map(|()| "programs are compiled and read".to_string()));
    }
    write_line(&mut report, "litmus", &Ok("built in".to_string()));
    write_line(
        &mut report,
        "Graphviz",
        &version(
            &["dot", "-V"],
            "only drawing the files of --report FILE.dot needs it: apt-get install graphviz",
        ),
    );
    let server = atropos_cluster::nats_server().map(|(_, version)| format!("nats-server {version}"));
    let server = server.ok_or("only `atropos serve` needs it: apt-get install nats-server".to_string());
    write_line(&mut report, "cluster", &server);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    write_line(&mut report, "workers", &Ok(format!("{cores} by default")));
    let limits = crate::resources::rss_mib("self").is_some();
    let limits = if limits {
        Ok("--memory-limit can be enforced".to_string())
    } else {
        Err("--memory-limit needs Linux".to_string())
    };
    write_line(&mut report, "memory", &limits);
    output::print(&report)?;
    Ok(if is_complete { Exit::Verified } else { Exit::BadInput })
}

fn write_line(report: &mut String, name: &str, result: &std::result::Result<String, String>) {
    let (mark, text) = match result {
        Ok(text) => ("ok     ", text),
        Err(text) => ("missing", text),
    };
    writeln!(report, "{mark}  {name:9} {text}").expect("writing to a string");
}

/// Whether a program is compiled; otherwise, why not and what would help.
fn try_language(file: &Path, text: &str) -> Result<std::result::Result<(), String>> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    let compiled = compile::compile(file, &CompileOptions::default(), &Job::default());
    let is_rust = file.extension().is_some_and(|extension| extension == "rs");
    // A Rust program is checked together with the standard library of its compiler.
    let compiled = compiled
        .and_then(|_| if is_rust { compile::rust_library(&Job::default()) } else { Ok(String::new()) });
    Ok(compiled.map(|_| ()).map_err(|complaints| {
        let lines = complaints.0.iter().map(|complaint| match &complaint.help {
            Some(help) => format!("{}; {help}", complaint.message),
            None => complaint.message.clone(),
        });
        lines.collect::<Vec<_>>().join("; ")
    }))
}

/// The first line that a program prints about its version.
fn version(command: &[&str], otherwise: &str) -> std::result::Result<String, String> {
    let output = Command::new(command[0]).args(&command[1..]).output();
    let output = output.ok().filter(|output| output.status.success()).ok_or(otherwise)?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    Ok(text.lines().next().unwrap_or_default().to_string())
}
