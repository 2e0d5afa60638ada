//! The machine and the date of the measurements.

use std::fs;
use std::process::Command;
use std::thread;

pub struct HostMachine {
    pub processor: String,
    pub cores: usize,
    pub memory_gib: u64,
    pub kernel: String,
    /// Load averages before the measurements: 0 means an idle machine.
    pub load: String,
    pub compiler: String,
    pub commit: String,
    pub date: String,
}

impl HostMachine {
    pub fn here() -> Self {
        let cpuinfo = read("/proc/cpuinfo");
        let meminfo = read("/proc/meminfo");
        let kib: u64 = value(&meminfo, "MemTotal").trim_end_matches("kB").trim().parse().unwrap_or(0);
        HostMachine {
            processor: value(&cpuinfo, "model name"),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_gib: kib.div_ceil(1 << 20),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_string(),
            load: read("/proc/loadavg").split_whitespace().take(3).collect::<Vec<_>>().join(" "),
            compiler: said(&["rustc", "--version"]),
            commit: said(&["git", "describe", "--always", "--dirty", "--exclude", "*"]),
            date: said(&["date", "--utc", "+%Y-%m-%d %H:%M UTC"]),
        }
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The text after `key:` on the first such line.
fn value(text: &str, key: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(key));
    line.and_then(|line| line.split_once(':'))
        .map_or("unknown".to_string(), |(_, value)| value.trim().to_string())
}

fn said(command: &[&str]) -> String {
    let output = Command::new(command[0]).args(&command[1..]).output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    said.ok().filter(|said| !said.is_empty()).unwrap_or("unknown".to_string())
}
