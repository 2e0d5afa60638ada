//! Where facts are kept between searches: one file for each set of programs, named after its content.

use crate::cache_folder;
use atropos_orders::programs::Programs;
use atropos_orders::question::KnownFacts;
use atropos_orders::store;
use std::path::{Path, PathBuf};

/// A folder, unless nothing is kept.
pub struct Cache(Option<PathBuf>);

/// What an earlier search has found.
#[derive(Default)]
pub struct StoredFacts {
    pub key: String,
    pub facts: KnownFacts,
    pub bounded: bool,
}

impl Cache {
    /// The folder that the user names, or the usual one.
    pub fn open(given: Option<&Path>) -> Cache {
        Cache(match given {
            Some(folder) if folder == Path::new("off") => None,
            Some(folder) => Some(folder.to_path_buf()),
            None => cache_folder::usual(),
        })
    }

    pub fn read(&self, programs: &Programs<'_>) -> StoredFacts {
        let Some(folder) = &self.0 else { return StoredFacts::default() };
        let key = store::key(programs.drivers, programs.orders, &programs.means.settings, &this_build());
        // A file that is missing or broken means that nothing is known.
        let text = std::fs::read_to_string(path(folder, &key)).ok();
        let (facts, bounded) = text.and_then(|text| store::read(&text, programs)).unwrap_or_default();
        StoredFacts { key, facts, bounded }
    }

    /// Keeps facts. Failing to do so only costs time later.
    pub fn write(&self, key: &str, facts: &KnownFacts, bounded: bool) {
        let Some(folder) = &self.0 else { return };
        let path = path(folder, key);
        let unfinished = path.with_extension(format!("{}.tmp", std::process::id()));
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&unfinished, store::write(facts, bounded)))
            .and_then(|()| std::fs::rename(&unfinished, &path));
        if let Err(error) = written {
            crate::output::note(&format!("{} is not written: {error}", path.display()));
        }
    }
}

fn path(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("orders-{key}.json"))
}

/// The version, and when the program was built: what another build has found may be wrong.
fn this_build() -> String {
    let file = std::env::current_exe().and_then(std::fs::metadata);
    let built = file.and_then(|file| Ok((file.len(), file.modified()?))).ok();
    format!("{} {built:?}", env!("CARGO_PKG_VERSION"))
}
