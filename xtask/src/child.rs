//! Waiting for a program with a limit on its time.

use std::io;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits for a program. Kills it, and returns `None`, if it takes longer than `limit` or when `is_enough`.
pub fn wait(
    mut child: Child,
    limit: Duration,
    is_enough: impl Fn() -> bool,
) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    while start.elapsed() < limit && !is_enough() {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(PAUSE);
    }
    // It may have ended meanwhile.
    let _ = child.kill();
    child.wait()?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn run(command: &str, limit: Duration, is_enough: bool) -> Option<bool> {
        let child = Command::new("sh").args(["-c", command]).spawn().expect("sh runs");
        wait(child, limit, || is_enough).expect("a child can be waited for").map(|status| status.success())
    }

    #[test]
    fn programs_end_by_themselves_or_are_killed() {
        let long = Duration::from_secs(600);
        assert_eq!(run("exit 0", long, false), Some(true));
        assert_eq!(run("exit 1", long, false), Some(false));
        assert_eq!(run("sleep 600", Duration::from_millis(1), false), None);
        assert_eq!(run("sleep 600", long, true), None);
    }
}
