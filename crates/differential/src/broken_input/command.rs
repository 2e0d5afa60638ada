//! Runs one input through the command `atropos`, with random options.

use super::corpus::{Corpus, Format};
use super::mutate::{self, Input};
use atropos_testkit::Rng;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The limits given to the command, and the times after which they count as broken. Other processes may use the
/// processors meanwhile.
const TIMEOUT: &str = "1";
const MOST_TIME: Duration = Duration::from_secs(15);
const MEMORY_MIB: u64 = 500;

const MODELS: [&str; 8] = ["sc", "tso", "pso", "ra", "sra", "rc11", "wrc11", "nosuch"];
const ALGORITHMS: [&str; 6] = ["trust", "rcmc", "tracer", "source-dpor", "optimal-dpor", "rvf"];
const FLAGS: [&[&str]; 14] = [
    &["--keep-going"],
    &["--leaks"],
    &["--no-race-detection"],
    &["--equivalence", "co"],
    &["--equivalence", "rf"],
    &["--unroll", "2"],
    &["--max-executions", "7"],
    &["--format", "json"],
    &["--print-executions"],
    &["--check-robustness"],
    &["--mapping", "raw"],
    &["--verbose"],
    &["--jobs", "3"],
    &["--dot", "/dev/null"],
];

/// How the command ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// With a documented exit status.
    Well,
    /// In another way, which is a find.
    Badly(String),
}

/// The formats for the command; C, C++ and bitcode need clang.
pub fn formats(has_clang: bool) -> Vec<Format> {
    let compiled = [Format::C, Format::Cpp, Format::Bitcode];
    Format::READ.into_iter().chain(compiled.into_iter().filter(|_| has_clang)).collect()
}

/// Runs the input of a seed, with its file in `folder`.
///
/// # Errors
/// If the file cannot be written or the command cannot be started.
pub fn run(
    binary: &Path,
    corpus: &Corpus,
    formats: &[Format],
    seed: u64,
    folder: &Path,
) -> std::io::Result<Option<(Input, Ended)>> {
    let Some(input) = mutate::input(corpus, formats, seed) else { return Ok(None) };
    let file = folder.join(format!("command.{}", input.format.extension()));
    std::fs::write(&file, &input.bytes)?;
    let arguments = arguments(&mut Rng::new(seed ^ 0x5eed), &input, &file);
    let mut command = Command::new(binary);
    command.args(&arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let ended = wait(command.spawn()?)?;
    let with_command = |what: String| Ended::Badly(format!("{what}: atropos {}", arguments.join(" ")));
    let ended = ended.map_or(Ended::Well, with_command);
    Ok(Some((input, ended)))
}

fn arguments(random: &mut Rng, input: &Input, file: &Path) -> Vec<String> {
    let mut words: Vec<String> = ["check", "--timeout", TIMEOUT].map(String::from).to_vec();
    words.extend(["--memory-limit".to_string(), MEMORY_MIB.to_string()]);
    let mut add = |given: &[&str]| words.extend(given.iter().map(|word| (*word).to_string()));
    let path = file.display().to_string();
    let kept = match input.format {
        Format::Checkpoint => Some("--checkpoint"),
        Format::Execution => Some("--replay"),
        _ => None,
    };
    if let Some(flag) = kept {
        let program = file.with_file_name("readers.vm");
        add(&["--reduce", "none", "--keep-going", flag, &path, &program.display().to_string()]);
        return words;
    }
    if random.below(2) == 0 {
        add(&["--model", random.pick(&MODELS)]);
        if random.below(2) == 0 {
            add(&["--algorithm", random.pick(&ALGORITHMS)]);
        }
    }
    for _ in 0..random.below(3) {
        let flag = random.pick(&FLAGS);
        add(flag);
    }
    if input.format == Format::Cat {
        let test: PathBuf = file.with_file_name("mp.litmus");
        add(&["--model", &path, &test.display().to_string()]);
    } else {
        add(&[&path]);
    }
    words
}

/// Waits for the end of the command. Returns what is wrong with it, if anything.
fn wait(mut child: Child) -> std::io::Result<Option<String>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.code() {
                Some(0..=3) => None,
                Some(code) => Some(format!("exit status {code}")),
                None => Some(format!("{status}")),
            });
        }
        if started.elapsed() > MOST_TIME {
            child.kill()?;
            child.wait()?;
            return Ok(Some("the time limit is not kept".to_string()));
        }
        if rss_mib(child.id()) > MEMORY_MIB + MEMORY_MIB / 10 {
            child.kill()?;
            child.wait()?;
            return Ok(Some("the memory limit is not kept".to_string()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn rss_mib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let now = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    now.and_then(|now| now.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
