//! The files from which inputs are made.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The format of an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    Ll,
    Litmus,
    Vm,
    Cat,
    /// The checkpoint of a search in [`super::kept::PROGRAM`].
    Checkpoint,
    /// An execution of it.
    Execution,
    C,
    Cpp,
    Bitcode,
}

impl Format {
    /// The formats that Atropos's libraries read.
    pub const READ: [Format; 6] =
        [Format::Ll, Format::Litmus, Format::Vm, Format::Cat, Format::Checkpoint, Format::Execution];

    pub fn extension(self) -> &'static str {
        match self {
            Format::Ll => "ll",
            Format::Litmus => "litmus",
            Format::Vm => "vm",
            Format::Cat => "cat",
            Format::Checkpoint => "checkpoint",
            Format::Execution => "graph",
            Format::C => "c",
            Format::Cpp => "cpp",
            Format::Bitcode => "bc",
        }
    }

    fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?;
        [Format::C, Format::Cpp, Format::Bitcode]
            .into_iter()
            .chain(Format::READ)
            .find(|format| format.extension() == extension)
    }
}

#[derive(Clone, Debug)]
pub struct Sample {
    pub path: PathBuf,
    pub format: Format,
    pub bytes: Vec<u8>,
}

/// All samples, by format and path.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    pub samples: Vec<Sample>,
}

/// Larger files are left out, because most of such a mutant would never be read.
const LARGEST: usize = 120_000;
/// The number of files to assemble.
const MOST_BITCODE: usize = 50;

impl Corpus {
    /// Reads the files below these folders.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn read(folders: &[PathBuf]) -> std::io::Result<Corpus> {
        let mut samples = Vec::new();
        let mut open: Vec<PathBuf> = folders.to_vec();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    open.push(path);
                } else if let Some(format) = Format::of(&path) {
                    let bytes = std::fs::read(&path)?;
                    if bytes.len() <= LARGEST {
                        samples.push(Sample { path, format, bytes });
                    }
                }
            }
        }
        samples.sort_by(|one, other| (one.format, &one.path).cmp(&(other.format, &other.path)));
        Ok(Corpus { samples })
    }

    /// Adds the bitcode of some `.ll` files, unless there is bitcode already. Leaves out files that clang rejects.
    ///
    /// # Errors
    /// If clang cannot be run.
    pub fn assemble(&mut self, clang: &str) -> std::io::Result<()> {
        if !self.of_format(Format::Bitcode).is_empty() {
            return Ok(());
        }
        let texts = self.of_format(Format::Ll);
        let mut added = Vec::new();
        for text in texts.iter().step_by(1 + texts.len() / MOST_BITCODE) {
            let mut command = Command::new(clang);
            command.args(["-w", "-c", "-emit-llvm", "-x", "ir", "-o", "-"]).arg(&text.path);
            let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output()?;
            if output.status.success() {
                let path = text.path.with_extension(Format::Bitcode.extension());
                added.push(Sample { path, format: Format::Bitcode, bytes: output.stdout });
            }
        }
        self.samples.extend(added);
        Ok(())
    }

    pub fn of_format(&self, format: Format) -> &[Sample] {
        let start = self.samples.partition_point(|sample| sample.format < format);
        let end = self.samples.partition_point(|sample| sample.format <= format);
        &self.samples[start..end]
    }
}
