//! Compiles many programs to LLVM IR with one run of clang.

use crate::conformance::to_c::to_c;
use atropos_llvm::compile;
use atropos_testkit::oracle::runtime::RuntimeProgram;
use std::path::PathBuf;

/// The number of programs in a file. Loading one of them reads the whole file.
pub const BATCH: u64 = 25;

/// The LLVM IR of the C text of these programs.
///
/// # Errors
/// The errors of clang.
pub fn compile_all<'a>(
    programs: impl IntoIterator<Item = (u64, &'a RuntimeProgram)>,
) -> Result<String, String> {
    let text = to_c(programs);
    let file = scratch("c");
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    // Line numbers would be most of the text.
    let options =
        compile::CompileOptions { flags: vec!["-g0".to_string()], ..compile::CompileOptions::default() };
    let ir = compile::compile(&file, &options, &compile::Job::default())
        .map_err(|diagnostic| diagnostic.to_string());
    std::fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    ir
}

/// A file that only this process and thread uses.
pub fn scratch(extension: &str) -> PathBuf {
    let name = format!("atropos-runtime-{}-{:?}", std::process::id(), std::thread::current().id());
    let name: String = name.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
    std::env::temp_dir().join(format!("{name}.{extension}"))
}
