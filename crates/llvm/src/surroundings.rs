//! What the preprocessor has looked at, so that nothing needs to be preprocessed again while it is the same.
//!
//! Where a header is found depends on which files exist: a new one may hide another one, or be what `__has_include` asks
//! for. A folder changes whenever a name in it appears or disappears. So the same headers are found as before if they did
//! not change, nor any folder in which one was looked for. That is a folder of the search path, that of the source file or
//! of a header, or one below these with a path that the name of some header has. Where there is no such folder, the one in
//! which it would appear is looked at.
//!
//! Whether a file or a folder has changed, its length and the time of its last change say. Programs cannot set that time,
//! and what has changed just now is not noted. Names that lead up (`../`) and those that macros make are not followed:
//! then nothing is noted.

use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Result;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How many places are looked at: a few thousand cost less than the preprocessor.
const MOST_PLACES: usize = 10_000;

/// How much clocks of file systems lag behind.
const CLOCK_LAG: Duration = Duration::from_millis(20);

/// The folders in which the preprocessor looks, as the compiler lists them with `-v`, also those that do not exist.
pub(crate) fn search_path(log: &str) -> Option<Vec<PathBuf>> {
    let (before, rest) = log.split_once("search starts here:")?;
    let (list, _) = rest.split_once("End of search list.")?;
    let absent = before.lines().filter_map(|line| {
        let name = line.strip_prefix("ignoring nonexistent directory \"")?;
        name.strip_suffix('"')
    });
    let listed = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.ends_with(':'));
    Some(absent.chain(listed).map(PathBuf::from).collect())
}

/// What a compilation depends on.
pub(crate) struct Surroundings<'a> {
    pub file: &'a Path,
    /// The compiler's standard input, which may include headers, too.
    pub input: &'a str,
    pub headers: &'a [PathBuf],
    pub search_path: &'a [PathBuf],
    /// A folder of headers with a name of its own for each run.
    pub temporary: Option<&'a Path>,
    /// When the run began.
    pub started: SystemTime,
}

impl Surroundings<'_> {
    /// Describes them, unless they cannot be known, or have changed just now.
    pub(crate) fn note(&self) -> Option<String> {
        let is_lasting = |path: &&PathBuf| !self.temporary.is_some_and(|folder| path.starts_with(folder));
        let mut seen = Seen { started: self.started, stamps: BTreeMap::new() };
        let (mut bases, mut below) =
            (BTreeSet::from([folder_of(self.file)]), BTreeSet::from([PathBuf::new()]));
        let mut add_below = |path: &Path| {
            let leads_up = path.components().any(|part| part == Component::ParentDir);
            below.extend(path.ancestors().skip(1).map(Path::to_path_buf));
            (!leads_up).then_some(())
        };
        for name in names_in(self.input)? {
            add_below(Path::new(&name))?;
        }
        for header in self.headers {
            for name in names_in(&String::from_utf8_lossy(&fs::read(header).ok()?))? {
                add_below(Path::new(&name))?;
            }
            for folder in self.search_path {
                if let Ok(name) = header.strip_prefix(folder) {
                    add_below(name)?;
                }
            }
        }
        for header in self.headers.iter().filter(is_lasting) {
            seen.stamp(header)?;
            bases.insert(folder_of(header));
        }
        for folder in self.search_path.iter().filter(is_lasting) {
            seen.way_to(folder)?;
            bases.insert(folder.clone());
        }
        // Files that flags include are looked for here first.
        bases.insert(PathBuf::from("."));
        if bases.len() * below.len() > MOST_PLACES {
            return None;
        }
        for (base, below) in bases.iter().flat_map(|base| below.iter().map(move |below| (base, below))) {
            let folder = base.join(below);
            if folder.is_dir() {
                seen.stamp(&folder)?;
            }
        }
        let mut text = format!("{}\n", digest_of(self.temporary).ok()?);
        for (path, stamp) in seen.stamps {
            let path = path.to_str().filter(|path| !path.contains('\n'))?;
            text += &format!("{stamp} {path}\n");
        }
        Some(text)
    }
}

fn folder_of(file: &Path) -> PathBuf {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new(".")).to_path_buf()
}

/// The names of headers for which `source` asks, whether they exist or not; `None` if a macro makes one of them.
fn names_in(source: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let quoted = |text: &str| {
        let end = match text.chars().next()? {
            '<' => '>',
            '"' => '"',
            _ => return None,
        };
        text[1..].split_once(end).map(|(name, _)| name.to_string())
    };
    for line in source.lines() {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        if let Some(rest) = directive.and_then(|line| line.strip_prefix("include")) {
            // Where the name of a header comes from a macro, the header is known, and not asked for in vain.
            names.extend(quoted(rest.trim_start_matches("_next").trim_start()));
        }
        for asked in line.split("__has_include").skip(1) {
            let asked = asked.trim_start_matches("_next").trim_start();
            if let Some(name) = asked.strip_prefix('(') {
                names.push(quoted(name.trim_start())?);
            }
        }
    }
    Some(names)
}

/// Whether everything is as it was described; `temporary` is the folder of this run.
pub(crate) fn is_same(noted: &str, temporary: Option<&Path>) -> bool {
    let Some((digest, stamps)) = noted.split_once('\n') else { return false };
    let is_stamp = |line: &str| {
        let Some((stamp, path)) = line.split_once(' ') else { return false };
        stamp_of(Path::new(path)).is_some_and(|now| now == stamp)
    };
    digest_of(temporary).is_ok_and(|now| now == digest) && stamps.lines().all(is_stamp)
}

struct Seen {
    started: SystemTime,
    stamps: BTreeMap<PathBuf, String>,
}

impl Seen {
    /// Notes what decides that a folder is in the search path, and that it is there.
    fn way_to(&mut self, folder: &Path) -> Option<()> {
        // The compiler derives its own folders from those that it finds on the way.
        let is_up = |part: &Component<'_>| *part == Component::ParentDir;
        if folder.components().any(|part| is_up(&part)) {
            let found: PathBuf = folder.components().take_while(|part| !is_up(part)).collect();
            for above in found.ancestors().filter(|above| above.parent().is_some()) {
                self.stamp(above)?;
            }
        }
        let existing = folder.ancestors().find(|above| above.is_dir());
        self.stamp(existing.unwrap_or(Path::new(".")))
    }

    fn stamp(&mut self, path: &Path) -> Option<()> {
        if !self.stamps.contains_key(path) {
            let changed = last_change(&fs::metadata(path).ok()?)?;
            if changed + CLOCK_LAG >= self.started {
                return None;
            }
            self.stamps.insert(path.to_path_buf(), stamp_of(path)?);
        }
        Some(())
    }
}

/// How long a file is, which file it is, and when it was changed.
fn stamp_of(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    let changed = last_change(&about)?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}-{}-{}", about.len(), about.ino(), changed.as_nanos()))
}

/// When the content of a file or anything else about it was changed.
pub(crate) fn last_change(about: &fs::Metadata) -> Option<SystemTime> {
    let of_node =
        UNIX_EPOCH + Duration::new(about.ctime().try_into().ok()?, about.ctime_nsec().try_into().ok()?);
    Some(of_node.max(about.modified().ok()?))
}

/// Stands for the names and contents of the files in a folder.
fn digest_of(folder: Option<&Path>) -> Result<String> {
    let mut hash = Sha256::new();
    if let Some(folder) = folder {
        let mut files = Vec::new();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next)? {
                let path = entry?.path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        for file in files {
            let name = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
            let content = fs::read(&file)?;
            hash.update(format!("{} {name} {} ", name.len(), content.len()));
            hash.update(content);
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_path_is_what_the_compiler_lists() {
        let log = "clang\nignoring nonexistent directory \"/none\"\n#include \"...\" search starts here:\n \
                   /quoted\n#include <...> search starts here:\n /one\n /two words\nEnd of search list.\n# 1\n";
        let expected = ["/none", "/quoted", "/one", "/two words"].map(PathBuf::from);
        assert_eq!(search_path(log), Some(expected.to_vec()));
        assert_eq!(search_path("nothing"), None);
    }

    #[test]
    fn standard_input_may_ask_for_headers() {
        let root = std::env::temp_dir().join(format!("atropos-surroundings-{}", std::process::id()));
        fs::create_dir_all(root.join("below")).unwrap();
        let note = |input: &str| {
            let search_path = [root.clone()];
            let (file, started) = (Path::new("-"), SystemTime::now() + Duration::from_secs(1));
            Surroundings { file, input, headers: &[], search_path: &search_path, temporary: None, started }
                .note()
        };
        let below = root.join("below").display().to_string();
        assert!(!note("").expect("a note").contains(&below));
        assert!(note("#if __has_include(<below/x.h>)\n").expect("a note").contains(&below));
        assert_eq!(note("#if __has_include(MACRO)\n"), None);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn headers_are_asked_for_by_name() {
        let check = |source: &str| names_in(source).map(|names| names.join(" "));
        let all = "#include <a/b.h>\n #  include \"c.h\" // c\n#include_next <d.h>\n#include MACRO\nint include;\n\
                   #if defined(__has_include) && __has_include(<e/f.h>) || __has_include_next (\"g\")\n";
        assert_eq!(check(all).as_deref(), Some("a/b.h c.h d.h e/f.h g"));
        assert_eq!(check("#if __has_include(MACRO)\n"), None);
    }
}
