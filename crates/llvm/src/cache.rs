//! Compiled files, kept by content.
//!
//! Everything that decides the LLVM IR of a file is part of its name in the cache: the compiler, its arguments and
//! environment, the working folder, and the contents of the file and of all headers. Which headers there are, the
//! preprocessor says. A file that was never compiled as it is now needs no answer: it cannot be in the cache. So
//! compiling costs nothing more, and finding costs one run of the preprocessor at first, and then none while nothing has
//! changed that it looks at ([`crate::surroundings`]).
//!
//! What might depend on anything else is not kept: flags that are not known here, scripts instead of compilers,
//! dates, and files that have changed while the compiler ran.
//!
//! Several processes may use the cache at the same time: files appear at once with all of their content, which begins
//! with its checksum. The oldest ones are deleted when all of them have more than [`LIMIT`] bytes.

use crate::compile::STANDARD_INPUT;
use crate::surroundings::{self, Surroundings, last_change};
use sha2::{Digest, Sha256};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Result};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

/// Changes whenever files of an earlier version must not be found.
const FORMAT: &str = "1";

/// The maximum size of all kept files, in bytes.
const LIMIT: u64 = 256 << 20;

/// What a folder with a name of its own for each run is called in kept files.
const TEMPORARY: &str = "atropos-temporary";

/// The compiler's standard input as a file that others include.
const INPUT_FILE: &str = "/dev/stdin";

/// How much clocks of file systems lag behind.
const CLOCK_LAG: Duration = Duration::from_millis(20);

/// Flags whose value is the next word if it is not behind them.
const WITH_VALUE: [&str; 8] = ["-I", "-D", "-U", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"];

/// Starts of other flags with which no file is read that the preprocessor does not name, and none is written.
const PLAIN: [&str; 32] = [
    "-O",
    "-std=",
    "-stdlib=",
    "-nostdinc",
    "-pthread",
    "-pedantic",
    "-ansi",
    "-w",
    "-g",
    "-march=",
    "-mtune=",
    "-mcpu=",
    "-mcx16",
    "-msse",
    "-mavx",
    "-mno-",
    "-m64",
    "-mlse",
    "-fno-",
    "-fexceptions",
    "-frtti",
    "-fshort-",
    "-fsigned-",
    "-funsigned-",
    "-fms-extensions",
    "-fwrapv",
    "-fstrict-",
    "-fPIC",
    "-fpic",
    "-fPIE",
    "-finline",
    "-fvisibility",
];

/// Environment variables that change what the compiler does begin so.
const VARIABLES: [&str; 7] =
    ["CC", "CLANG", "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "COMPILER_PATH", "GCC"];

/// One run of a compiler on one file.
pub(crate) struct Compilation<'c> {
    pub clang: &'c Path,
    pub args: &'c [OsString],
    /// Those of the arguments that the user has chosen.
    pub flags: &'c [String],
    pub file: &'c Path,
    /// The compiler's standard input.
    pub input: &'c str,
    /// A folder with a name of its own for each run.
    pub temporary: Option<&'c Path>,
}

/// Runs the compiler with more arguments.
type CompilerRun<'r> = dyn Fn(&[&OsStr]) -> Result<Output> + 'r;

/// What the compiler makes of a file, or has made of it before. `run` runs it with more arguments.
pub(crate) fn compile(cache: &Path, compilation: &Compilation<'_>, run: &CompilerRun<'_>) -> Result<Output> {
    let Some(unit) = Unit::of(cache, compilation) else { return run(&[]) };
    if unit.is_known() {
        if let Some(stdout) = unit.find_unchanged() {
            return Ok(Output { status: ExitStatus::default(), stdout, stderr: Vec::new() });
        }
        let rule = run(&["-M".as_ref(), "-v".as_ref()])?;
        let dependencies = String::from_utf8_lossy(&rule.stdout);
        let path = unit.path(&dependencies).filter(|_| rule.status.success());
        if let Some((path, stdout)) = path.and_then(|path| unit.read(&path).map(|stdout| (path, stdout))) {
            unit.note(&path, &dependencies, &String::from_utf8_lossy(&rule.stderr));
            return Ok(Output { status: rule.status, stdout, stderr: Vec::new() });
        }
    }
    let rule = unfinished(&cache.join("rule"));
    if fs::create_dir_all(cache).and_then(|()| fs::write(&rule, "")).is_err() {
        return run(&[]);
    }
    let output = run(&["-MD".as_ref(), "-MF".as_ref(), rule.as_os_str()]);
    let dependencies = fs::read_to_string(&rule);
    let _ = fs::remove_file(&rule);
    if let (Ok(output), Ok(dependencies)) = (&output, dependencies)
        && output.status.success()
    {
        unit.keep(&dependencies, &output.stdout);
    }
    output
}

/// A name for a file that no other process writes.
fn unfinished(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    path.with_extension(format!("{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Relaxed)))
}

/// Where one compilation is kept: a folder, with a file for each set of headers.
struct Unit<'c> {
    compilation: &'c Compilation<'c>,
    folder: PathBuf,
    /// The name of the folder of this run; clang writes it with and without the path.
    temporary: Option<String>,
    started: SystemTime,
}

/// The file of a unit that says what it depends on.
const NOTES: &str = "surroundings";

impl<'c> Unit<'c> {
    /// The place of a compilation in the cache at `cache`, if it may be kept at all.
    fn of(cache: &'c Path, compilation: &'c Compilation<'c>) -> Option<Unit<'c>> {
        let started = SystemTime::now();
        if !are_plain(compilation.flags) || has_date(compilation.input) {
            return None;
        }
        let name_of = |folder: &Path| folder.file_name().map(|name| name.display().to_string());
        let temporary = compilation.temporary.and_then(name_of);
        let mut hash = Sha256::new();
        add(&mut hash, FORMAT.as_bytes());
        add(&mut hash, identity(compilation.clang)?.as_bytes());
        add(&mut hash, std::env::current_dir().ok()?.as_os_str().as_bytes());
        for arg in compilation.args {
            add(&mut hash, general(arg, temporary.as_deref()).as_bytes());
        }
        let is_known =
            |name: &OsStr| VARIABLES.iter().any(|start| name.as_bytes().starts_with(start.as_bytes()));
        let mut variables: Vec<_> = std::env::vars_os().filter(|(name, _)| is_known(name)).collect();
        variables.sort();
        for (name, value) in variables {
            add(&mut hash, name.as_bytes());
            add(&mut hash, value.as_bytes());
        }
        add(&mut hash, compilation.input.as_bytes());
        if compilation.file != Path::new(STANDARD_INPUT) {
            add(&mut hash, &fs::read(compilation.file).ok()?);
        }
        let folder = cache.join("compiled").join(name(hash));
        Some(Unit { compilation, folder, temporary, started })
    }

    /// Whether the file was compiled as it is now, if perhaps with other headers.
    fn is_known(&self) -> bool {
        self.folder.is_dir()
    }

    /// The text that was kept, if nothing has changed since then.
    fn find_unchanged(&self) -> Option<Vec<u8>> {
        let notes = fs::read_to_string(self.folder.join(NOTES)).ok()?;
        let (checksum, notes) = notes.split_once('\n')?;
        let (name, surroundings) = notes.split_once('\n')?;
        let is_same =
            checksum == checksum_of(notes) && surroundings::is_same(surroundings, self.compilation.temporary);
        if is_same { self.read(&self.folder.join(name)) } else { None }
    }

    /// Notes what the text at `path` depends on. Failing to do so only costs time later.
    fn note(&self, path: &Path, dependencies: &str, log: &str) {
        let headers = files(dependencies);
        let Some(search_path) = surroundings::search_path(log) else { return };
        let surroundings = Surroundings {
            file: self.compilation.file,
            input: self.compilation.input,
            headers: &headers,
            search_path: &search_path,
            temporary: self.compilation.temporary,
            started: self.started,
        };
        let name = path.file_name().and_then(OsStr::to_str);
        if let (Some(name), Some(text)) = (name, surroundings.note()) {
            let _ = self.write(&self.folder.join(NOTES), &format!("{name}\n{text}"));
        }
    }

    /// The text that is kept in this file.
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let kept = fs::read_to_string(path).ok()?;
        let (checksum, text) = kept.split_once('\n')?;
        if checksum != checksum_of(text) {
            return None;
        }
        // The time of its last use decides when it is deleted.
        if let Ok(file) = fs::File::options().append(true).open(path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(match &self.temporary {
            Some(folder) => text.replace(TEMPORARY, folder).into_bytes(),
            None => text.as_bytes().to_vec(),
        })
    }

    /// Keeps what the compiler has made. Failing to do so only costs time later.
    fn keep(&self, dependencies: &str, text: &[u8]) {
        let Ok(text) = std::str::from_utf8(text) else { return };
        let is_old = |file: &PathBuf| {
            let changed = fs::metadata(file).ok().and_then(|about| last_change(&about));
            // Only this run writes to its own folder.
            self.temporary.as_ref().is_some_and(|folder| file.iter().any(|part| part == folder.as_str()))
                || changed.is_some_and(|changed| changed + CLOCK_LAG < self.started)
        };
        if !files(dependencies).iter().all(is_old) {
            return;
        }
        let (Some(path), Some(text)) = (self.path(dependencies), self.general_text(text)) else { return };
        if self.write(&path, &text).is_ok() {
            let _ = self.folder.parent().map_or(Ok(()), |all| shrink(all, LIMIT));
        }
    }

    /// The text as it is kept. Constants in it know their lengths, so the name of the folder must not be in one.
    fn general_text(&self, text: &str) -> Option<String> {
        let Some(folder) = &self.temporary else { return Some(text.to_string()) };
        let mut code = text.lines().filter(|line| !line.starts_with('!'));
        let is_general = !text.contains(TEMPORARY) && !code.any(|line| line.contains(folder.as_str()));
        is_general.then(|| text.replace(folder, TEMPORARY))
    }

    fn write(&self, path: &Path, text: &str) -> Result<()> {
        fs::create_dir_all(&self.folder)?;
        let unfinished = unfinished(path);
        let written = fs::write(&unfinished, format!("{}\n{text}", checksum_of(text)));
        written.and_then(|()| fs::rename(&unfinished, path)).inspect_err(|_| {
            let _ = fs::remove_file(&unfinished);
        })
    }

    /// The file for these dependencies, if they can all be read and none contains a date.
    fn path(&self, dependencies: &str) -> Option<PathBuf> {
        let mut hash = Sha256::new();
        for file in files(dependencies) {
            let content = fs::read(&file).ok()?;
            if has_date(&String::from_utf8_lossy(&content)) {
                return None;
            }
            add(&mut hash, general(file.as_os_str(), self.temporary.as_deref()).as_bytes());
            add(&mut hash, &content);
        }
        Some(self.folder.join(name(hash)).with_extension("ll"))
    }
}

/// The files that a rule for `make` names.
fn files(rule: &str) -> Vec<PathBuf> {
    let (_, files) = rule.split_once(": ").unwrap_or_default();
    let is_input = |file: &String| file == INPUT_FILE || file == STANDARD_INPUT;
    words(files).into_iter().filter(|file| !is_input(file)).map(PathBuf::from).collect()
}

/// The words of a rule for `make`, in which a backslash hides spaces and the ends of lines.
fn words(rule: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut letters = rule.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('\n')) => {}
            ('\\', Some(' ' | '#' | '\\')) | ('$', Some('$')) => word.extend(letters.next()),
            (letter, _) if letter.is_whitespace() => words.push(std::mem::take(&mut word)),
            (letter, _) => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Whether all flags are known to need nothing else.
fn are_plain(flags: &[String]) -> bool {
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        if WITH_VALUE.contains(&flag.as_str()) {
            flags.next();
            continue;
        }
        let is_warning = flag.starts_with("-W") && !flag.contains(',');
        let has_value =
            WITH_VALUE.iter().any(|start| flag.starts_with(start)) && !flag.starts_with("-include-");
        if !is_warning && !has_value && !PLAIN.iter().any(|start| flag.starts_with(start)) {
            return false;
        }
    }
    true
}

/// Which compiler this is: its file, and the configuration beside it. A script may do anything.
fn identity(clang: &Path) -> Option<String> {
    let found = match clang.components().count() {
        1 => std::env::split_paths(&std::env::var_os("PATH")?)
            .map(|folder| folder.join(clang))
            .find(|path| path.is_file())?,
        _ => clang.to_path_buf(),
    };
    let real = found.canonicalize().ok()?;
    let mut start = [0; 2];
    fs::File::open(&real).and_then(|mut file| file.read_exact(&mut start)).ok()?;
    if start == *b"#!" {
        return None;
    }
    let mut identity = format!("{} {}", found.display(), stamp(&real)?);
    for folder in [found.parent()?, real.parent()?] {
        for entry in fs::read_dir(folder).ok()?.flatten() {
            if entry.path().extension() == Some(OsStr::new("cfg")) {
                identity += &stamp(&entry.path())?;
            }
        }
    }
    Some(identity)
}

/// A file, and when it was changed.
fn stamp(file: &Path) -> Option<String> {
    let about = fs::metadata(file).ok()?;
    Some(format!("{} {} {:?}", file.display(), about.len(), last_change(&about)?))
}

/// A word that is the same in each run.
fn general(word: &OsStr, temporary: Option<&str>) -> OsString {
    match (word.to_str(), temporary) {
        (Some(word), Some(folder)) => word.replace(folder, TEMPORARY).into(),
        _ => word.to_os_string(),
    }
}

/// Deletes the oldest files, until those that are left have at most `limit` bytes.
fn shrink(folder: &Path, limit: u64) -> Result<()> {
    let mut kept = Vec::new();
    for unit in fs::read_dir(folder)? {
        for file in fs::read_dir(unit?.path())? {
            let file = file?;
            let about = file.metadata()?;
            kept.push((about.modified()?, about.len(), file.path()));
        }
    }
    kept.sort();
    let mut size: u64 = kept.iter().map(|(_, size, _)| size).sum();
    for (_, length, path) in kept {
        if size <= limit {
            break;
        }
        fs::remove_file(&path)?;
        size -= length;
        // It stays if it has other files.
        let _ = path.parent().map(fs::remove_dir);
    }
    Ok(())
}

/// Adds a part, with its length, so that two lists of parts never look the same.
fn add(hash: &mut Sha256, part: &[u8]) {
    hash.update((part.len() as u64).to_le_bytes());
    hash.update(part);
}

fn name(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn checksum_of(text: &str) -> String {
    let mut hash = Sha256::new();
    add(&mut hash, text.as_bytes());
    name(hash)
}

/// Whether a source may contain when it was compiled.
fn has_date(source: &str) -> bool {
    ["__DATE__", "__TIME__", "__TIMESTAMP__"].iter().any(|name| source.contains(name))
}

#[cfg(test)]
mod tests;
