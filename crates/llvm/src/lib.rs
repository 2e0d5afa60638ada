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
mod cache;
mod carried;
mod clang_output;
pub mod compile;
mod escape;
mod exceptions;
mod headers;
mod layout;
mod lower;
mod operands;
mod options;
mod passing;
mod program;
mod read;
mod runtime;
mod rust_names;
pub mod rust_tests;
mod rustc;
mod source_files;
mod speculated;
mod surroundings;
mod temporary;
mod thread_locals;
mod unwinding;
mod unwritten;

use atropos_event::{Diagnostic, Diagnostics};

pub use headers::Library;
pub use lower::Loaded;
pub use options::{LibraryOptions, MOST_CHOICES, Volatile};
pub use source_files::SourceFiles;

/// Makes a VM module from the texts of several LLVM modules, each with its name.
///
/// # Errors
/// The errors of each malformed text; otherwise, that the texts do not fit together or that there is no entry function.
pub fn load(
    texts: Vec<(String, String)>,
    entry: &str,
    options: &LibraryOptions,
    files: &SourceFiles<'_>,
) -> Result<Loaded, Diagnostics> {
    let (mut modules, mut complaints) = (Vec::new(), Vec::new());
    for (file, text) in texts {
        match read::read(&file, text, options.volatile) {
            Ok(module) => modules.push(module),
            Err(complaint) => complaints.push(place_in_source(complaint)),
        }
    }
    if !complaints.is_empty() {
        return Err(Diagnostics(complaints));
    }
    let lower = |program| lower::lower(program, entry, options, files);
    Ok(program::LinkedProgram::link(modules).and_then(lower).map_err(place_in_source)?)
}

/// Users cannot see the text of a compiled module: its lines are not those of the file.
fn place_in_source(complaint: Diagnostic) -> Diagnostic {
    match (&complaint.file, &complaint.region) {
        (Some(file), Some(region)) if !file.ends_with(".ll") => {
            let (message, line) = (&complaint.message, region.line);
            let message = format!("{message} (line {line} of the LLVM IR that clang makes of it)");
            Diagnostic::about_file(file, message)
        }
        _ => complaint,
    }
}
