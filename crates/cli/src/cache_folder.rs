//! The folder for what can be made again: compiled files, and facts about memory orders.

use std::path::PathBuf;

/// The usual folder, if the environment names one.
pub fn usual() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    caches.map(|folder| folder.join("atropos"))
}
