//! What the process uses, as Linux tells it. Elsewhere nothing is known.

use std::fs;

/// The most memory the process has had, in KiB; 0 where that is not known.
pub fn peak_rss_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The memory the process has now, in MiB.
pub fn rss_mib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let now = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = now.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024)
}
