//! `ATROPOS_REPLAY`: a check that finds a violation keeps the execution in a file, and another process of the same
//! executable repeats it, without a search.
//!
//! ```text
//! check tests/queue.rs:12:5 1 push_and_pop      the place, how often the test has checked there, and its name
//! knows thread:0.1.2 initial:0x4000,0x20        what runs must know: see `Native::knowledge`
//! thread 0 unfinished                           the execution
//! ```

use atropos_graph::Canonical;
use std::collections::BTreeMap;
use std::fs;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const VARIABLE: &str = "ATROPOS_REPLAY";

/// How often each test has made a check at a place.
static CHECKS: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Which of its process's checks this is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Identity {
    place: String,
    nth: u64,
    /// The name of the test; `None` if the main thread checks.
    test: Option<String>,
}

impl Identity {
    /// The check that the running thread makes at `place`.
    pub fn next(place: &Location<'_>) -> Identity {
        let test = std::thread::current().name().filter(|name| *name != "main").map(str::to_string);
        let (place, key) = (place.to_string(), format!("{place} {test:?}"));
        let mut checks = CHECKS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let nth = checks.entry(key).or_insert(0);
        *nth += 1;
        Identity { place, nth: *nth, test }
    }

    /// The name for all processes.
    #[cfg(feature = "cluster")]
    pub fn program(&self) -> String {
        format!("{} {} ({})", self.test.as_deref().unwrap_or_default(), self.place, self.nth)
    }

    /// The command that makes this check again.
    pub fn command(&self) -> String {
        match &self.test {
            Some(test) => format!("cargo test {test}"),
            None => std::env::args().collect::<Vec<_>>().join(" "),
        }
    }

    fn to_text(&self) -> String {
        format!("{} {} {}", self.place, self.nth, self.test.as_deref().unwrap_or("-"))
    }

    fn parse(text: &str) -> Option<Identity> {
        let mut words = text.rsplitn(3, ' ');
        let test = Some(words.next()?.to_string()).filter(|test| test != "-");
        let (nth, place) = (words.next()?.parse().ok()?, words.next()?.to_string());
        Some(Identity { place, nth, test })
    }

    /// Whether both mean the same check. Tests may also run in the main thread.
    fn is_same(&self, other: &Identity) -> bool {
        let is_named_alike = self.test == other.test || self.test.is_none() || other.test.is_none();
        (&self.place, self.nth) == (&other.place, other.nth) && is_named_alike
    }
}

/// An execution to replay.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub file: PathBuf,
    /// What runs must know.
    pub knowledge: String,
    pub execution: Canonical,
}

impl Record {
    /// The execution that the environment wants this check to replay.
    ///
    /// # Panics
    /// If the file cannot be read.
    pub fn wanted(identity: &Identity) -> Option<Record> {
        let file = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from)?;
        let name = file.display();
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{VARIABLE}={name}: {error}"));
        let (kept, record) =
            Record::parse(&file, &text).unwrap_or_else(|fault| panic!("{VARIABLE}={name}: {fault}"));
        identity.is_same(&kept).then_some(record)
    }

    /// Says that the program does something else.
    pub fn complaint(&self, difference: &str) -> String {
        let file = self.file.display();
        format!("{file}: this execution is not one of the check, which may have changed since: {difference}")
    }

    fn parse(file: &Path, text: &str) -> Result<(Identity, Record), String> {
        let header = || {
            let (check, rest) = text.strip_prefix("check ")?.split_once('\n')?;
            let (knowledge, graph) = rest.strip_prefix("knows")?.split_once('\n')?;
            Some((Identity::parse(check)?, knowledge.trim(), graph))
        };
        let (identity, knowledge, graph) = header().ok_or("a check has not written this file")?;
        let execution = graph.parse::<Canonical>().map_err(|fault| fault.message)?;
        Ok((identity, Record { file: file.into(), knowledge: knowledge.into(), execution }))
    }
}

/// Keeps an execution. Returns the command that replays it; `None` if the file cannot be written.
pub(crate) fn keep(identity: &Identity, knowledge: &str, execution: &Canonical) -> Option<String> {
    let folder = folder();
    let name = identity.test.clone().unwrap_or_else(|| identity.place.clone());
    let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let file = folder.join(format!("{name}-{}.execution", identity.nth));
    let text = format!("check {}\nknows {}\n{execution}", identity.to_text(), knowledge.trim());
    // Another process may be reading the file.
    let unfinished = file.with_extension(std::process::id().to_string());
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&unfinished, text));
    written.and_then(|()| fs::rename(&unfinished, &file)).ok()?;
    Some(format!("{VARIABLE}={} {}", file.display(), identity.command()))
}

/// Beside what cargo has built, if cargo has built this.
fn folder() -> PathBuf {
    let executable = std::env::current_exe().unwrap_or_default();
    let has_name = |folder: &Path, name: &str| folder.file_name().is_some_and(|known| known == name);
    let mut folders = executable.ancestors();
    let of_cargo = folders.find(|folder| has_name(folder, "deps") || has_name(folder, "examples"));
    let target = of_cargo.and_then(|folder| folder.parent()?.parent());
    target.map_or_else(std::env::temp_dir, PathBuf::from).join("atropos")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_execution_is_read_back() {
        let identity = Identity { place: "a b.rs:1:2".into(), nth: 3, test: Some("module::name".into()) };
        let graph = "thread 0 finished\n  end\n";
        let text = format!("check {}\nknows heap:watched\n{graph}", identity.to_text());
        let (kept, record) = Record::parse(Path::new("x"), &text).expect("a record");
        assert_eq!((kept, record.knowledge.as_str()), (identity, "heap:watched"));
        assert_eq!(record.execution.n_events(), 1);
        for text in ["", "check a\n", "check a 1 b\nknows\nthread", "knows a\n"] {
            assert!(Record::parse(Path::new("x"), text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_main_thread_may_replay_what_a_test_has_found() {
        let identity = |nth, test: Option<&str>| Identity {
            place: "a.rs:1:2".to_string(),
            nth,
            test: test.map(str::to_string),
        };
        for (other, is_same) in [
            (identity(1, Some("a")), true),
            (identity(1, None), true),
            (identity(1, Some("b")), false),
            (identity(2, Some("a")), false),
        ] {
            assert_eq!(identity(1, Some("a")).is_same(&other), is_same, "{other:?}");
        }
    }
}
