//! C and C++ programs of the repository.
//!
//! Clang takes longer than most checks, so a program that is checked in several ways is compiled once: the first
//! check is given the source, the others the LLVM IR.

use atropos_llvm::compile::{CompileOptions, Job, compile};
use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::hash::{BuildHasher, BuildHasherDefault};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

pub use atropos_testkit::clang::has_clang;

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What is in a folder, in order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// A program with the flags it is compiled with.
type Unit = (PathBuf, Vec<String>);

/// What to give to Atropos for a program with these flags: the source, and from the second time on its LLVM IR.
pub fn source_or_ir(program: &Path, flags: &[&str]) -> PathBuf {
    static UNITS: LazyLock<Mutex<HashMap<Unit, Arc<OnceLock<PathBuf>>>>> = LazyLock::new(Mutex::default);
    let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
    let unit = (program.to_path_buf(), flags.clone());
    let ir = match UNITS.lock().unwrap().entry(unit) {
        Entry::Occupied(ir) => Arc::clone(ir.get()),
        Entry::Vacant(unit) => {
            unit.insert(Arc::default());
            return program.to_path_buf();
        }
    };
    let compile_once = || {
        let options = CompileOptions { flags, ..CompileOptions::default() };
        let Ok(text) = compile(program, &options, &Job::default()) else { return program.to_path_buf() };
        let name = program.file_stem().unwrap().display();
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one((program, &options.flags));
        let ir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{hash:x}.ll"));
        std::fs::write(&ir, text).unwrap();
        ir
    };
    ir.get_or_init(compile_once).clone()
}
