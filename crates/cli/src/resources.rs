//! The resources that the process uses, as Linux reports them. On other systems they are unknown.

use atropos_report::Exploration;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, killpg};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::unistd::Pid;
use std::fs;
use std::time::{Duration, Instant};

/// A moment, and the processor time used before it.
pub struct Spent {
    at: Instant,
    cpu: Duration,
}

impl Spent {
    pub fn now() -> Self {
        Spent { at: Instant::now(), cpu: cpu() }
    }

    pub fn until_now(&self) -> Exploration {
        Exploration { wall: self.at.elapsed(), cpu: cpu().saturating_sub(self.cpu) }
    }
}

/// The processor time of all threads, in user and kernel mode.
fn cpu() -> Duration {
    let duration = |time: TimeVal| Duration::from_micros(u64::try_from(time.num_microseconds()).unwrap_or(0));
    getrusage(UsageWho::RUSAGE_SELF)
        .map_or(Duration::ZERO, |usage| duration(usage.user_time()) + duration(usage.system_time()))
}

/// The peak memory of the process in KiB; 0 if unknown.
pub fn peak_rss_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The present memory of a process, given by its number or as `self`, in MiB.
pub fn rss_mib(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let now = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = now.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024)
}

/// Kills a process and everything it has started.
pub fn kill_group(leader: u32) {
    let Ok(leader) = i32::try_from(leader) else { return };
    // The process may have ended by itself.
    let _ = killpg(Pid::from_raw(leader), Signal::SIGKILL);
}
