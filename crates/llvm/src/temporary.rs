//! Folders for files that compilers read or write.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A folder that no other process uses, deleted with this value.
pub(crate) struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    /// # Errors
    /// The folder for temporary files is not writable.
    pub(crate) fn new(purpose: &str) -> std::io::Result<TemporaryFolder> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let name = format!("atropos-{purpose}-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
            let path = std::env::temp_dir().join(name);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(TemporaryFolder { path }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// The rest of a path that leads into a folder for this purpose, which may be gone.
pub(crate) fn name<'p>(purpose: &str, path: &'p str) -> Option<&'p str> {
    let (_, inside) = path.split_once(&format!("/atropos-{purpose}-"))?;
    Some(inside.split_once('/')?.1)
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // If the folder cannot be removed, the system clears it with its other temporary files.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
