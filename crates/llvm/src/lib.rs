//! C and C++ programs: clang compiles them to textual LLVM IR, which is read and lowered to the virtual machine.
//!
//! Reading order: [`compile`] runs clang; [`read`](crate::read) parses its output into a tree ([`ast`]); [`program`]
//! links modules and finds the reachable functions; [`escape`] separates private stack objects from shared ones;
//! [`lower`] makes VM code, with [`runtime`] for the library functions.
//!
//! This crate reads LLVM IR itself instead of linking LLVM: the workspace builds without it, a check starts at once
//! and needs little memory, and users need only clang.

#![warn(unreachable_pub)]

mod ast;
mod carried;
pub mod compile;
mod diagnostic;
mod escape;
mod exceptions;
mod headers;
mod layout;
mod lower;
mod options;
mod program;
mod read;
mod runtime;
mod source_files;
mod thread_locals;
mod unwritten;

pub use diagnostic::Diagnostic;
pub use headers::Library;
pub use lower::Loaded;
pub use options::{MOST_CHOICES, Options};
pub use source_files::SourceFiles;

/// Makes a VM module from the texts of several LLVM modules, each with its name.
///
/// # Errors
/// A text is malformed, or there is no entry function.
pub fn load(
    texts: Vec<(String, String)>,
    entry: &str,
    options: &Options,
    files: &SourceFiles<'_>,
) -> Result<Loaded, Diagnostic> {
    let load = || {
        let modules =
            texts.into_iter().map(|(file, text)| read::read(&file, text)).collect::<Result<Vec<_>, _>>()?;
        lower::lower(program::Program::link(modules)?, entry, options, files)
    };
    load().map_err(place_in_source)
}

/// Users cannot see the text of a compiled module: its lines are not those of the file.
fn place_in_source(complaint: Diagnostic) -> Diagnostic {
    let Diagnostic { file, line, message, .. } = &complaint;
    if *line == 0 || file.ends_with(".ll") {
        return complaint;
    }
    let message = format!("{message} (line {line} of the LLVM IR that clang makes of it)");
    Diagnostic::about_file(file, message)
}
