//! Starts workers, watches them, and shrinks what they find.

use super::command::{self, Ended};
use super::corpus::{Corpus, Format};
use super::mutate::{self, Input};
use super::worker::{HANGS, SWELLS, last_seed};
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The settings of a hunt.
pub struct Hunt {
    pub corpus: Corpus,
    pub folders: Vec<PathBuf>,
    pub seeds: Range<u64>,
    pub threads: usize,
    /// The command `atropos`, for some of the inputs.
    pub binary: Option<PathBuf>,
    pub has_clang: bool,
    /// The folder for finds.
    pub keep: PathBuf,
    pub keep_going: bool,
}

/// An input that breaks Atropos.
#[derive(Clone, Debug)]
pub struct Find {
    pub seed: u64,
    pub what: String,
    /// The shrunk input.
    pub file: PathBuf,
}

/// The result of a hunt.
#[derive(Debug, Default)]
pub struct Bag {
    pub finds: Vec<Find>,
    /// The inputs that went through the libraries, one line per worker.
    pub counts: Vec<String>,
    /// The number of inputs that went through the command.
    pub commands: BTreeMap<Format, u64>,
}

/// The number of seeds that a worker gets at a time.
const PORTION: u64 = 5_000;
/// The maximum number of attempts to shrink an input.
const MOST_TRIES: usize = 400;

impl Hunt {
    /// # Errors
    /// If workers cannot be started or finds cannot be saved.
    pub fn run(&self) -> std::io::Result<Bag> {
        std::fs::create_dir_all(&self.keep)?;
        let (next, stop) = (AtomicU64::new(self.seeds.start), AtomicBool::new(false));
        let bag = Mutex::new(Bag::default());
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads.max(1))
                .map(|number| {
                    scope.spawn({
                        let (next, stop, bag) = (&next, &stop, &bag);
                        move || self.work(number, next, stop, bag)
                    })
                })
                .collect();
            let is_over = AtomicBool::new(false);
            std::thread::scope(|inner| {
                inner.spawn(|| self.command(&is_over, &stop, &bag));
                let results: std::io::Result<Vec<()>> =
                    workers.into_iter().map(|worker| worker.join().expect("no worker panics")).collect();
                is_over.store(true, Relaxed);
                results
            })
        })?;
        Ok(bag.into_inner().expect("no worker panics"))
    }

    fn note(&self, find: Find, stop: &AtomicBool, bag: &Mutex<Bag>) {
        bag.lock().expect("no worker panics").finds.push(find);
        if !self.keep_going {
            stop.store(true, Relaxed);
        }
    }

    /// Takes portions of the seeds until there are none left.
    fn work(
        &self,
        number: usize,
        next: &AtomicU64,
        stop: &AtomicBool,
        bag: &Mutex<Bag>,
    ) -> std::io::Result<()> {
        let progress = self.keep.join(format!("progress-{}-{number}", std::process::id()));
        while !stop.load(Relaxed) {
            let start = next.fetch_add(PORTION, Relaxed);
            let end = (start + PORTION).min(self.seeds.end);
            let mut seeds = start..end;
            while !seeds.is_empty() && !stop.load(Relaxed) {
                let (status, said) = self.start_worker(&seeds, &progress)?;
                if status.success() {
                    bag.lock().expect("no worker panics").counts.extend(said.lines().map(String::from));
                    break;
                }
                let seed = last_seed(&progress).unwrap_or(seeds.start);
                let Some(input) = mutate::input(&self.corpus, &Format::READ, seed) else { break };
                let find = self.shrink(seed, input, describe(status))?;
                self.note(find, stop, bag);
                seeds.start = seed + 1;
            }
            if end == self.seeds.end {
                break;
            }
        }
        let _ = std::fs::remove_file(progress);
        Ok(())
    }

    fn start_worker(&self, seeds: &Range<u64>, progress: &Path) -> std::io::Result<(ExitStatus, String)> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--worker").arg(seeds.start.to_string()).arg(seeds.end.to_string()).arg(progress);
        command.args(&self.folders).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let mut said = String::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.read_to_string(&mut said)?;
        }
        Ok((child.wait()?, said))
    }

    /// Runs one input in a separate process. Returns what is wrong, if anything.
    fn try_one(&self, input: &Input, file: &Path) -> std::io::Result<Option<String>> {
        std::fs::write(file, &input.bytes)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--one").arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status()?;
        Ok((!status.success()).then(|| describe(status)))
    }

    /// Removes lines as long as the same thing goes wrong.
    fn shrink(&self, seed: u64, input: Input, what: String) -> std::io::Result<Find> {
        let file = self.keep.join(format!("{seed}.{}", input.format.extension()));
        let attempt = self.keep.join(format!("attempt-{seed}.{}", input.format.extension()));
        let mut lines: Vec<Vec<u8>> =
            input.bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        let mut n_out = lines.len() / 2;
        let mut n_tries = 0;
        // A hang takes too long to repeat.
        while n_out > 0 && n_tries < MOST_TRIES && !what.contains("hangs") {
            let mut at = 0;
            while at < lines.len() && n_tries < MOST_TRIES {
                let mut fewer = lines.clone();
                fewer.drain(at..(at + n_out).min(lines.len()));
                n_tries += 1;
                let smaller = Input { format: input.format, bytes: fewer.concat() };
                if self.try_one(&smaller, &attempt)?.as_ref() == Some(&what) {
                    lines = fewer;
                } else {
                    at += n_out;
                }
            }
            n_out /= 2;
        }
        let _ = std::fs::remove_file(attempt);
        std::fs::write(&file, lines.concat())?;
        Ok(Find { seed, what, file })
    }

    /// Runs inputs through the command until the workers are done.
    fn command(&self, is_over: &AtomicBool, stop: &AtomicBool, bag: &Mutex<Bag>) -> std::io::Result<()> {
        let Some(binary) = &self.binary else { return Ok(()) };
        let formats = command::formats(self.has_clang);
        let folder = self.keep.join(format!("command-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("mp.litmus"), super::subject::FOR_MODELS)?;
        std::fs::write(folder.join("readers.vm"), super::kept::PROGRAM)?;
        for seed in self.seeds.start.. {
            if is_over.load(Relaxed) || stop.load(Relaxed) {
                break;
            }
            let Some((input, ended)) = command::run(binary, &self.corpus, &formats, seed, &folder)? else {
                break;
            };
            let mut counts = bag.lock().expect("no worker panics");
            *counts.commands.entry(input.format).or_default() += 1;
            drop(counts);
            if let Ended::Badly(what) = ended {
                let file = self.keep.join(format!("command-{seed}.{}", input.format.extension()));
                std::fs::write(&file, &input.bytes)?;
                self.note(Find { seed, what, file }, stop, bag);
            }
        }
        let _ = std::fs::remove_dir_all(folder);
        Ok(())
    }
}

fn describe(status: ExitStatus) -> String {
    match status.code() {
        Some(HANGS) => "hangs".to_string(),
        Some(SWELLS) => "takes too much memory".to_string(),
        Some(101) => "panics".to_string(),
        _ => status.to_string(),
    }
}
