//! Broken files of searches: a checkpoint is continued, and an execution repeated, as far as they are about the program.

use super::subject::InputOutcome;
use atropos_check::{Check, Finds, Settings};
use atropos_event::Mapping;
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelChoice, ModelName};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{Config, Control, Stats};
use atropos_graph::Canonical;
use atropos_spread::{Checkpoint, Job};
use atropos_vm::{Vm, text};
use std::path::Path;

/// The program of the checkpoint and the executions in the corpus.
pub const PROGRAM: &str = include_str!("../../../../corpus/kept/readers.vm");

/// The search of the checkpoint.
fn job() -> Job {
    Job::new("1", "kept.vm", Vec::new())
}

fn program() -> Vm {
    let module = text::parse("readers.vm", PROGRAM).expect("a program");
    Vm::new(module, atropos_vm::Config::default()).expect("well-formed")
}

fn settings() -> Settings<'static> {
    let method = Method {
        algorithm: Algorithm::Trust,
        model: ModelChoice::Builtin(ModelName::Rc11),
        mapping: Mapping::Compiled,
        release_sequences: Default::default(),
        equivalence: Equivalence::Rf,
        heuristics: Heuristics::default(),
    };
    let config = Config { keep_going: true, symmetry: false, abandon_doomed: false, ..Config::default() };
    Settings {
        method,
        config,
        jobs: 1,
        checks_robustness: false,
        forbids_leaks: false,
        needs_exact_sizes: true,
        keeps_executions: false,
    }
}

/// Makes the checksum of every line right, so that more than its checksum is looked at.
pub(crate) fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    for (nth, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        match line.iter().position(|&byte| byte == b' ') {
            Some(space) if nth > 0 => {
                let text = &line[space + 1..];
                let sum = checksum(text.strip_suffix(b"\n").unwrap_or(text));
                lines.extend_from_slice(format!("{sum:08x} ").as_bytes());
                lines.extend_from_slice(text);
            }
            _ => lines.extend_from_slice(line),
        }
    }
    lines
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

/// Continues the search of a checkpoint up to that many executions. Returns what was counted, unless the file is refused.
pub fn continued(file: &Path, control: &Control, max_executions: Option<u64>) -> Option<Stats> {
    let checkpoint = Checkpoint::open(file, job()).ok()?;
    let program = program();
    let (program, finds) = (&program, Finds::default());
    let ledger: Option<&dyn atropos_explore::Ledger> = Some(&checkpoint);
    let mut settings = settings();
    settings.config.max_executions = max_executions;
    let check = Check { program, condition: None, settings, replay: None, sink: None, ledger };
    let stats = check.explore(control, &finds).stats;
    let found = check.found(&finds, control.is_stopped());
    found.refusal.is_none().then_some(stats)
}

/// Repeats the execution with this text.
pub(crate) fn repeat(text: &str, control: &Control) -> InputOutcome {
    let Ok(execution) = text.parse::<Canonical>() else { return InputOutcome::Refused };
    let program = program();
    let (program, replay, finds) = (&program, Some(&execution), Finds::default());
    let check = Check { program, condition: None, settings: settings(), replay, sink: None, ledger: None };
    drop(check.explore(control, &finds));
    let found = check.found(&finds, false);
    let is_accepted = found.refusal.is_none() && check.check_replay(&found, &|| false).is_ok();
    if is_accepted { InputOutcome::Explored } else { InputOutcome::Refused }
}
