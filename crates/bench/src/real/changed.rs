//! Packages with a change in one of their files: a bug put in, or one mended.

use super::recipe::Change;
use std::path::{Path, PathBuf};

/// A folder like `package`, but with a change in `file`, which lies below it. The other files are links to the
/// originals, so that this costs nothing.
///
/// # Errors
/// The file does not have the text to replace exactly once, or the folder cannot be written.
pub fn apply(package: &Path, file: &Path, change: &Change, copy: &Path) -> Result<(), String> {
    let about = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    let text = std::fs::read_to_string(package.join(file)).map_err(about(&package.join(file)))?;
    let n_places = text.matches(&change.old).count();
    if change.old.is_empty() || n_places != 1 {
        return Err(format!("{} has `{}` {n_places} times, not once", file.display(), change.old));
    }
    let _ = std::fs::remove_dir_all(copy);
    link_all(package, copy, file).map_err(about(copy))?;
    let path = copy.join(file);
    std::fs::write(&path, text.replacen(&change.old, &change.new, 1)).map_err(about(&path))
}

/// Links everything below `from` into `to`, folder by folder on the way to `file`, which is left out.
fn link_all(from: &Path, to: &Path, file: &Path) -> std::io::Result<()> {
    let mut parts = file.components();
    let (first, rest): (PathBuf, PathBuf) =
        (parts.next().into_iter().collect(), parts.as_path().to_path_buf());
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if Path::new(&entry.file_name()) != first {
            std::os::unix::fs::symlink(entry.path(), target)?;
        } else if !rest.as_os_str().is_empty() {
            link_all(&entry.path(), &target, &rest)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_made_in_a_copy_only() {
        let folder = std::env::temp_dir().join(format!("atropos-changed-{}", std::process::id()));
        let (package, copy) = (folder.join("package"), folder.join("copy"));
        std::fs::create_dir_all(package.join("a/b")).unwrap();
        std::fs::write(package.join("a/b/lock.h"), "lock(); fence(); unlock();").unwrap();
        std::fs::write(package.join("a/other.h"), "other").unwrap();
        let change = |old: &str| Change { file: String::new(), old: old.to_string(), new: String::new() };
        let file = Path::new("a/b/lock.h");
        apply(&package, file, &change(" fence();"), &copy).unwrap();
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert_eq!(read(&copy.join(file)), "lock(); unlock();");
        assert_eq!(read(&copy.join("a/other.h")), "other");
        assert_eq!(read(&package.join(file)), "lock(); fence(); unlock();");
        assert!(apply(&package, file, &change("lock();"), &copy).unwrap_err().contains("2 times"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
