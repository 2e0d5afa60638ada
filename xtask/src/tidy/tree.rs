//! The repository's text in memory, so that rules are pure functions and tests write samples inline.

use std::io;
use std::path::Path;

/// All text files of the repository, sorted by path.
#[derive(Clone, Debug, Default)]
pub struct SourceTree {
    pub files: Vec<File>,
}

#[derive(Clone, Debug)]
pub struct File {
    /// Relative to the root, with `/` between the parts.
    pub path: String,
    /// Empty for files that are not text.
    pub text: String,
}

impl SourceTree {
    /// Reads the working tree below `root`, except version control and build output.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut tree = SourceTree::default();
        tree.read_folder(root, "")?;
        tree.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(tree)
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let is_output = prefix.is_empty() && (name == "target" || name.starts_with("target-"));
            if is_output || name == ".git" {
                continue;
            }
            let path = format!("{prefix}{name}");
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.read_folder(&entry.path(), &format!("{path}/"))?;
            } else if kind.is_file() {
                let text = String::from_utf8(std::fs::read(entry.path())?).unwrap_or_default();
                self.files.push(File { path, text });
            }
        }
        Ok(())
    }

    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let file = |&(path, text): &(&str, &str)| File { path: path.into(), text: text.into() };
        SourceTree { files: files.iter().map(file).collect() }
    }

    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    pub fn with_extension(&self, extension: &'static str) -> impl Iterator<Item = &File> {
        self.files.iter().filter(move |file| file.extension() == extension)
    }

    /// Is this a file or a folder of the repository?
    pub fn exists(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let is_below = |file: &File| {
            file.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        path.is_empty() || self.files.iter().any(is_below)
    }

    /// The folders `crates/NAME`, by name.
    pub fn crates(&self) -> Vec<&str> {
        let manifests = self.files.iter().filter_map(|file| {
            let name = file.path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
            (!name.contains('/')).then_some(name)
        });
        manifests.collect()
    }
}

impl File {
    pub fn extension(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// The lines of a text with their numbers, from 1.
pub fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

/// A line of prose without its `code`.
pub fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}
