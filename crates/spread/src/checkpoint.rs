//! A file with the records of a search, appended as they come and synced a few times a second.
//!
//! A process that is killed loses none of them, and a power cut those that were not synced: a beginning of the file stays.
//! When the file has grown much larger than what it says, it is replaced by one with the sum of its records. If it
//! cannot be written, for example because the disk is full, the search goes on; later records try again.

use crate::lines::{FORMAT, Line, read_all};
use crate::{Fold, Job};
use atropos_explore::{Budget, Ledger, Record, Resumed};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How long a worker explores a part of the search before it is recorded: what a power cut costs. The first records of
/// a process come earlier, so that one that is killed soon has not worked in vain.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// Syncing takes as long as the disk needs, and with many threads records come often. So it is not done again so soon.
const BETWEEN_SYNCS: Duration = Duration::from_millis(200);

/// A file is replaced by its sum when it is this much larger than it would then be, and this many times as large.
const WORTHWHILE: u64 = 1 << 20;
const TIMES_LARGER: u64 = 4;

/// The checkpoint of one search.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    job: Job,
    opened: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    fold: Fold,
    /// The length of the file, as far as its lines count.
    len: u64,
    /// The length of the file after it was last replaced.
    base: u64,
    synced: Instant,
    /// There are lines that were not synced.
    is_ahead: bool,
    /// The last record was not written.
    is_behind: bool,
    /// The first error.
    error: Option<io::Error>,
}

/// Why a file cannot be used as the checkpoint of a search.
#[derive(Debug)]
pub enum Unusable {
    Io(io::Error),
    /// The file has other contents.
    NoCheckpoint,
    /// The checkpoint of another search: how this one differs.
    Other(Vec<String>),
    /// Another process uses it.
    InUse,
}

impl From<io::Error> for Unusable {
    fn from(error: io::Error) -> Unusable {
        Unusable::Io(error)
    }
}

impl Checkpoint {
    /// Opens the checkpoint of `job` in a file, which may not exist.
    ///
    /// # Errors
    /// If the file holds anything else, or cannot be read or written.
    pub fn open(path: &Path, job: Job) -> Result<Checkpoint, Unusable> {
        if path.exists() && !path.is_file() {
            return Err(io::Error::other("it is not a file").into());
        }
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Err(Unusable::InUse),
            Err(std::fs::TryLockError::Error(error)) => return Err(error.into()),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let (fold, len) = read(&bytes, &job)?;
        let (path, opened) = (path.to_path_buf(), Instant::now());
        let state = State {
            file,
            fold,
            len,
            base: len,
            synced: opened,
            is_ahead: false,
            is_behind: false,
            error: None,
        };
        let checkpoint = Checkpoint { path, job, opened, state: Mutex::new(state) };
        if len == 0 {
            checkpoint.replace(&mut checkpoint.state())?;
        } else {
            // What follows was being written when the machine stopped.
            checkpoint.state().file.set_len(len)?;
        }
        Ok(checkpoint)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the lock")
    }

    /// Whether the search has got anywhere.
    pub fn has_records(&self) -> bool {
        self.state().fold != Fold::default()
    }

    /// What was recorded so far.
    pub fn fold(&self) -> Fold {
        self.state().fold.clone()
    }

    /// Syncs what is not synced, and says why the file is not up to date, if it is not.
    ///
    /// # Errors
    /// The first error if the last record could not be written.
    pub fn end(&self) -> io::Result<()> {
        let mut state = self.state();
        if state.is_ahead {
            state.is_behind |= state.sync().is_err();
        }
        if state.is_behind
            && let Err(error) = self.replace(&mut state)
        {
            return Err(state.error.take().unwrap_or(error));
        }
        Ok(())
    }

    /// Changes the sum and writes the change.
    fn update(&self, line: &Line, change: impl FnOnce(&mut Fold)) {
        let state = &mut *self.state();
        change(&mut state.fold);
        let written = match state.is_behind {
            true => self.replace(state),
            false => state.append(&line.text()),
        };
        let written = written.and_then(|()| {
            let is_large = state.len > state.base + WORTHWHILE && state.len > TIMES_LARGER * state.base;
            if is_large { self.replace(state) } else { Ok(()) }
        });
        state.is_behind = written.is_err();
        if let Err(error) = written {
            state.error.get_or_insert(error);
        }
    }

    /// Replaces the file by one with the sum of all records: at once, so that a file with all of them always exists.
    fn replace(&self, state: &mut State) -> io::Result<()> {
        let sum = Line::Sum(state.fold.resumed());
        let text = format!("{FORMAT}\n{}{}", Line::Job(self.job.clone()).text(), sum.text());
        let mut name = self.path.file_name().unwrap_or_default().to_os_string();
        name.push(".new");
        let new = self.path.with_file_name(name);
        let mut file = File::create(&new)?;
        let _ = file.try_lock();
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, &self.path)?;
        if let Some(folder) = self.path.parent() {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            // Not every file system can sync a folder.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        (state.file, state.len, state.base) = (file, text.len() as u64, text.len() as u64);
        (state.synced, state.is_ahead, state.is_behind) = (Instant::now(), false, false);
        Ok(())
    }
}

impl State {
    fn append(&mut self, text: &str) -> io::Result<()> {
        let end = SeekFrom::Start(self.len);
        let written = self.file.seek(end).and_then(|_| self.file.write_all(text.as_bytes()));
        if let Err(error) = written {
            // Half a line must not stay before the next one.
            let _ = self.file.set_len(self.len);
            return Err(error);
        }
        self.len += text.len() as u64;
        self.is_ahead = true;
        if self.synced.elapsed() < BETWEEN_SYNCS { Ok(()) } else { self.sync() }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        (self.synced, self.is_ahead) = (Instant::now(), false);
        Ok(())
    }
}

/// The sum of the records in a file, and the length of its lines. An empty file has none, and no length.
fn read(bytes: &[u8], job: &Job) -> Result<(Fold, u64), Unusable> {
    let header = format!("{FORMAT}\n");
    if header.as_bytes().starts_with(bytes) && bytes.len() < header.len() {
        return Ok((Fold::default(), 0));
    }
    if !bytes.starts_with(header.as_bytes()) {
        return Err(Unusable::NoCheckpoint);
    }
    let (lines, len) = read_all(bytes);
    let mut lines = lines.into_iter();
    match lines.next() {
        Some(Line::Job(recorded)) => {
            let differences = job.differences(&recorded);
            if !differences.is_empty() {
                return Err(Unusable::Other(differences));
            }
        }
        Some(_) => return Err(Unusable::NoCheckpoint),
        // Only the first write of all can be cut so short.
        None => return Ok((Fold::default(), 0)),
    }
    let mut fold = Fold::default();
    for line in lines {
        match line {
            Line::Job(_) => return Err(Unusable::NoCheckpoint),
            Line::Start { lessons } => fold = Fold::new(lessons),
            Line::Record(record) => drop(fold.add(record).ok_or(Unusable::NoCheckpoint)?),
            Line::Sum(sum) => fold = Fold::from(sum).ok_or(Unusable::NoCheckpoint)?,
        }
    }
    Ok((fold, len as u64))
}

impl Ledger for Checkpoint {
    fn budget(&self) -> Budget {
        let time = self.opened.elapsed().clamp(SHORTEST, LONGEST);
        Budget { time, executions: u64::MAX, n_shed: 0, is_elsewhere: false }
    }

    fn resume(&self) -> Resumed {
        self.state().fold.resumed()
    }

    fn start_over(&self, lessons: &str) {
        let lessons = lessons.to_string();
        self.update(&Line::Start { lessons: lessons.clone() }, |fold| *fold = Fold::new(lessons));
    }

    fn record(&self, record: Record) {
        let line = Line::Record(record.clone());
        self.update(&line, |fold| drop(fold.add(record).expect("the search writes what it can read")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_event::Stats;

    /// A folder that is removed when it is dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder =
                std::env::temp_dir().join(format!("atropos-checkpoint-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            Folder(folder)
        }

        fn file(&self) -> PathBuf {
            self.0.join("file")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn job(model: &str) -> Job {
        Job::new("1", "main", vec![("--model".to_string(), model.to_string())])
    }

    fn record(part: &str, executions: u64, rest: &[String]) -> Record {
        let stats = Stats { executions, ..Stats::default() };
        let findings = format!("{{\"states\":[[[{executions}],1]]}}");
        let (part, notes, rest) = (part.to_string(), format!("loop:{executions} "), rest.to_vec());
        Record { part, stats, findings, notes, known: Vec::new(), rest }
    }

    fn part(nth: u64) -> String {
        format!("p:{nth}")
    }

    #[test]
    fn a_file_cut_anywhere_has_what_was_recorded_before() {
        let folder = Folder::new("cut");
        let checkpoint = Checkpoint::open(&folder.file(), job("rc11")).unwrap();
        let mut folds = vec![Fold::default(), checkpoint.fold()];
        checkpoint.record(record("", 1, &[part(1), part(2)]));
        folds.push(checkpoint.fold());
        checkpoint.start_over("mutex:0x10");
        folds.push(checkpoint.fold());
        for nth in 0..4 {
            let part = if nth == 0 { String::new() } else { part(nth) };
            checkpoint.record(record(&part, 10 + nth, &[self::part(nth + 1)]));
            folds.push(checkpoint.fold());
        }
        drop(checkpoint);
        let bytes = std::fs::read(folder.file()).unwrap();
        let mut reached = 0;
        for len in 0..=bytes.len() {
            let broken = folder.0.join("broken");
            std::fs::write(&broken, &bytes[..len]).unwrap();
            let fold = Checkpoint::open(&broken, job("rc11")).unwrap().fold();
            let nth = reached + folds[reached..].iter().position(|known| *known == fold).expect("a prefix");
            assert!(nth >= reached, "{len} bytes");
            reached = nth;
            // What is opened can be opened again.
            assert_eq!(Checkpoint::open(&broken, job("rc11")).unwrap().fold(), fold, "{len} bytes");
        }
        assert_eq!(reached, folds.len() - 1);
    }

    #[test]
    fn a_changed_byte_ends_the_file() {
        let folder = Folder::new("changed");
        let checkpoint = Checkpoint::open(&folder.file(), job("rc11")).unwrap();
        checkpoint.record(record("", 1, &[part(1)]));
        let before = checkpoint.fold();
        checkpoint.record(record("p:1", 2, &[]));
        drop(checkpoint);
        let mut bytes = std::fs::read(folder.file()).unwrap();
        let place = bytes.len() - 5;
        bytes[place] ^= 1;
        std::fs::write(folder.file(), &bytes).unwrap();
        assert_eq!(Checkpoint::open(&folder.file(), job("rc11")).unwrap().fold(), before);
    }

    #[test]
    fn what_cannot_be_appended_is_written_later() {
        let folder = Folder::new("full");
        let checkpoint = Checkpoint::open(&folder.file(), job("rc11")).unwrap();
        // Nothing can be written to this file, as if the disk were full.
        checkpoint.state().file = File::open(folder.file()).unwrap();
        checkpoint.record(record("", 1, &[part(1), part(2)]));
        assert!(checkpoint.state().is_behind && checkpoint.state().error.is_some());
        checkpoint.record(record("p:1", 2, &[]));
        assert!(!checkpoint.state().is_behind);
        checkpoint.record(record("p:2", 3, &[]));
        assert!(checkpoint.end().is_ok() && checkpoint.fold().is_done());
        let fold = checkpoint.fold();
        drop(checkpoint);
        assert_eq!(
            Checkpoint::open(&folder.file(), job("rc11")).unwrap().fold().uncounted(),
            fold.uncounted()
        );
    }

    #[test]
    fn records_are_synced_after_a_while_and_at_the_end() {
        let folder = Folder::new("synced");
        let checkpoint = Checkpoint::open(&folder.file(), job("rc11")).unwrap();
        checkpoint.state().synced = Instant::now().checked_sub(BETWEEN_SYNCS).unwrap();
        checkpoint.record(record("", 1, &[part(1), part(2)]));
        assert!(!checkpoint.state().is_ahead);
        checkpoint.state().synced = Instant::now() + LONGEST;
        checkpoint.record(record("p:1", 2, &[]));
        assert!(checkpoint.state().is_ahead);
        assert!(checkpoint.end().is_ok() && !checkpoint.state().is_ahead);
    }

    #[test]
    fn a_file_that_never_can_be_written_is_an_error_at_the_end() {
        let folder = Folder::new("gone");
        let checkpoint = Checkpoint::open(&folder.file(), job("rc11")).unwrap();
        checkpoint.state().file = File::open(folder.file()).unwrap();
        std::fs::remove_dir_all(&folder.0).unwrap();
        checkpoint.record(record("", 1, &[]));
        assert!(checkpoint.end().is_err() && checkpoint.fold().is_done());
    }

    #[test]
    fn a_file_is_for_one_search_and_one_process() {
        let folder = Folder::new("other");
        let checkpoint = Checkpoint::open(&folder.file(), job("rc11")).unwrap();
        assert!(matches!(Checkpoint::open(&folder.file(), job("rc11")), Err(Unusable::InUse)));
        drop(checkpoint);
        let other = Checkpoint::open(&folder.file(), job("tso"));
        assert!(matches!(other, Err(Unusable::Other(clauses)) if clauses == ["--model is tso, it was rc11"]));
        std::fs::write(folder.file(), "something else").unwrap();
        assert!(matches!(Checkpoint::open(&folder.file(), job("rc11")), Err(Unusable::NoCheckpoint)));
    }

    #[test]
    fn a_large_file_is_replaced_by_its_sum() {
        let folder = Folder::new("large");
        let checkpoint = Checkpoint::open(&folder.file(), job("rc11")).unwrap();
        let long = |nth: u64| format!("{} p:{nth}", "s:0.1[3] ".repeat(4000));
        checkpoint.record(record("", 1, &[long(0)]));
        for nth in 0..200 {
            checkpoint.record(record(&long(nth), 1, &[long(nth + 1)]));
        }
        let fold = checkpoint.fold();
        drop(checkpoint);
        assert!(std::fs::metadata(folder.file()).unwrap().len() < 3 * WORTHWHILE);
        assert_eq!(
            Checkpoint::open(&folder.file(), job("rc11")).unwrap().fold().uncounted(),
            fold.uncounted()
        );
    }
}
