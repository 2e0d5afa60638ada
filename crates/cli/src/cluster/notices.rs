//! What the user of a leader should know: that its server dies, and that no worker is left.

use std::time::{Duration, Instant};

/// All workers may connect again after so long.
const ALONE: Duration = Duration::from_secs(10);

pub struct Notices {
    url: String,
    has_trouble: bool,
    /// Since when no worker is there, after there was one.
    alone: Option<Instant>,
    had_workers: bool,
    has_said_alone: bool,
}

impl Notices {
    /// Those of a leader whose workers join there.
    pub fn new(url: &str) -> Notices {
        let url = url.to_string();
        Notices { url, has_trouble: false, alone: None, had_workers: false, has_said_alone: false }
    }

    /// What is to be said now, if anything: with `trouble` of the server, and so many workers.
    pub fn look(&mut self, trouble: Option<&str>, n_workers: usize) -> Option<String> {
        let had_trouble = std::mem::replace(&mut self.has_trouble, trouble.is_some());
        if let Some(reason) = trouble.filter(|_| !had_trouble) {
            return Some(format!("{reason}; it is started again"));
        }
        if n_workers > 0 {
            (self.alone, self.had_workers) = (None, true);
            let was_alone = std::mem::replace(&mut self.has_said_alone, false);
            return was_alone.then(|| "the check goes on".to_string());
        }
        let alone = *self.alone.get_or_insert_with(Instant::now);
        if !self.had_workers || self.has_said_alone || alone.elapsed() < ALONE {
            return None;
        }
        self.has_said_alone = true;
        Some(format!("no worker is there any more: the check waits for `atropos work {}`", self.url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_said_once() {
        let mut notices = Notices::new("nats://host:1");
        assert_eq!(notices.look(None, 0), None);
        assert_eq!(notices.look(Some("it was killed"), 2).unwrap(), "it was killed; it is started again");
        assert_eq!(notices.look(Some("it was killed"), 2), None);
        assert_eq!(notices.look(None, 0), None);
        notices.alone = Instant::now().checked_sub(ALONE);
        let waits = "no worker is there any more: the check waits for `atropos work nats://host:1`";
        assert_eq!(notices.look(None, 0).unwrap(), waits);
        assert_eq!(notices.look(None, 0), None);
        assert_eq!(notices.look(None, 1).unwrap(), "the check goes on");
        assert_eq!(notices.look(None, 1), None);
    }
}
