//! From Rust programs to the text of LLVM modules.
//!
//! Rustc's passes are turned off, on LLVM IR and on MIR: they would merge, remove and reorder accesses to shared memory.
//! At level 0 of optimisation, rustc does not say which values must be initialised; at level 1 it does. Options that are
//! not stable have to be allowed with a variable of the environment.
//!
//! The standard library comes as bitcode. Link-time optimisation of an empty program, without any passes, writes all of
//! it as one module. That takes seconds, so the module is kept, without debug information, for each version of rustc.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::clang_output;
use crate::compile::{CompileOptions, Job};
use crate::temporary::TemporaryFolder;
use atropos_event::{Diagnostic, Diagnostics};

/// The environment variable that names the compiler, as for cargo.
const RUSTC_VARIABLE: &str = "RUSTC";

/// What makes a program fit to be checked.
pub const FLAGS: [&str; 8] = [
    "-Ccodegen-units=1",
    "-Cdebuginfo=2",
    "-Copt-level=1",
    "-Cno-prepopulate-passes",
    "-Zmir-opt-level=0",
    "-Zshare-generics=no",
    "-Zub-checks=no",
    "-Csymbol-mangling-version=v0",
];

/// What the user may change.
pub const DEFAULTS: [&str; 1] = ["-Cdebug-assertions=on"];

/// Keeps rustc from putting bitcode into a library's module.
pub const NO_BITCODE: &str = "-Cembed-bitcode=no";

/// What makes rustc write the standard library.
const LIBRARY_FLAGS: [&str; 2] = ["-Clto=fat", "-Clinker=true"];

/// The edition of a program that names none.
const EDITION: &str = "--edition=2024";

/// The versions of rustc whose standard library is known, 95 for 1.95.
const VERSIONS: std::ops::RangeInclusive<u32> = 95..=95;

/// The text of the module that `file` compiles to.
pub(crate) fn compile(file: &Path, options: &CompileOptions, job: &Job) -> Result<Vec<u8>, Diagnostics> {
    let folder = output_folder()?;
    let text = folder.path().join("program.ll");
    let mut command = rustc();
    command.args(["--crate-type=bin", "--error-format=short", "--cap-lints=allow"]);
    if !options.flags.iter().any(|flag| flag.starts_with("--edition")) {
        command.arg(EDITION);
    }
    if let Some(complaint) = options.flags.iter().find_map(|flag| refused(flag)) {
        return Err(complaint.into());
    }
    command.args(DEFAULTS).args(&options.flags).args(FLAGS);
    // Rustc's temporary files go there, too: other checks may compile a file of the same name.
    command.arg("--out-dir").arg(folder.path());
    command.arg(format!("--emit=llvm-ir={}", text.display())).arg(file);
    run(command, file, job)?;
    std::fs::read(&text).map_err(|error| unreadable(&text, &error))
}

/// Why a flag of the user cannot have its effect, if it cannot.
fn refused(flag: &str) -> Option<Diagnostic> {
    let name = flag.strip_prefix("-C").unwrap_or(flag);
    let name = name.split('=').next().unwrap_or(name);
    let (reason, help) = match name {
        "-O" | "opt-level" | "lto" | "linker-plugin-lto" | "no-prepopulate-passes" | "passes" => (
            "the check needs code that nothing has optimised",
            "leave it out; races and accesses would be lost",
        ),
        "codegen-units" | "symbol-mangling-version" => ("the check needs its own value", "leave it out"),
        "--emit" | "--crate-type" | "-o" | "--out-dir" | "--test" => {
            ("a check compiles one program, for itself", "leave it out; `cargo atropos test` checks tests")
        }
        _ => return None,
    };
    let complaint = Diagnostic::error(format!("`{flag}` cannot have its effect: {reason}"));
    Some(Diagnostic { help: Some(help.to_string()), ..complaint })
}

/// Compiles a library of one file, with its module beside it.
///
/// # Errors
/// The file does not compile.
pub fn compile_crate(file: &Path, name: &str, folder: &Path, job: &Job) -> Result<(), Diagnostics> {
    let mut command = rustc();
    command.args([
        "--crate-type=rlib",
        "--crate-name",
        name,
        EDITION,
        "--emit=link,llvm-ir",
        "--cap-lints=allow",
    ]);
    command.args(DEFAULTS).args(FLAGS).arg(NO_BITCODE).arg("--out-dir").arg(folder).arg(file);
    run(command, file, job).map(|_| ())
}

/// What rustc says about itself.
///
/// # Errors
/// There is no rustc.
pub fn version(job: &Job) -> Result<String, Diagnostics> {
    let mut command = rustc();
    command.arg("-vV");
    let output = run(command, Path::new("rustc"), job)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The text of the standard library's module.
///
/// # Errors
/// There is no rustc of a known version.
pub fn library(job: &Job) -> Result<String, Diagnostics> {
    let version = version(job)?;
    check_version(&version)?;
    let mut hasher = DefaultHasher::new();
    (&version, FLAGS, LIBRARY_FLAGS, STARTED, env!("CARGO_PKG_VERSION")).hash(&mut hasher);
    let kept = cache_folder().map(|folder| folder.join(format!("rust-{:016x}.ll", hasher.finish())));
    if let Some(text) = kept.as_ref().and_then(|kept| std::fs::read_to_string(kept).ok()) {
        return Ok(text);
    }
    let folder = output_folder()?;
    let (written, program) = (folder.path().join("library.ll"), folder.path().join("program"));
    let source = folder.path().join("empty.rs");
    std::fs::write(&source, "fn main() {}\n").map_err(|error| unreadable(&source, &error))?;
    let mut command = rustc();
    command.arg("--crate-type=bin").args(DEFAULTS).args(FLAGS).args(LIBRARY_FLAGS);
    command.arg("--out-dir").arg(folder.path());
    command.arg(format!("--emit=llvm-ir={},link={}", written.display(), program.display())).arg(&source);
    run(command, &source, job)?;
    let text = std::fs::read_to_string(&written).map_err(|error| unreadable(&written, &error))?;
    let text = reduced(&text);
    // Without a place to keep it, it is made again the next time.
    if let Some(kept) = kept {
        let _ = keep(&kept, &text);
    }
    Ok(text)
}

fn rustc() -> Command {
    let path = std::env::var_os(RUSTC_VARIABLE).map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let mut command = Command::new(path);
    command.env("RUSTC_BOOTSTRAP", "1");
    command
}

fn output_folder() -> Result<TemporaryFolder, Diagnostic> {
    TemporaryFolder::new("rust").map_err(|error| {
        let folder = std::env::temp_dir().display().to_string();
        Diagnostic::about_file(&folder, format!("rustc's output cannot be put there: {error}"))
    })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostics {
    Diagnostic::about_file(&path.display().to_string(), format!("cannot be used: {error}")).into()
}

fn cache_folder() -> Option<PathBuf> {
    let path = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let folder = path("XDG_CACHE_HOME").or_else(|| Some(path("HOME")?.join(".cache")))?;
    Some(folder.join("atropos"))
}

/// Puts a text where other processes find it as a whole or not at all.
fn keep(kept: &Path, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(kept.parent().unwrap_or(kept))?;
    let partial = kept.with_extension(format!("{}", std::process::id()));
    std::fs::write(&partial, text)?;
    std::fs::rename(&partial, kept)
}

fn check_version(version: &str) -> Result<(), Diagnostic> {
    let release = version.lines().find_map(|line| line.strip_prefix("release: ")).unwrap_or("unknown");
    let minor = release.strip_prefix("1.").and_then(|rest| rest.split('.').next()?.parse().ok());
    if minor.is_some_and(|minor| VERSIONS.contains(&minor)) {
        return Ok(());
    }
    let known = format!("1.{}", VERSIONS.start());
    let complaint = Diagnostic::error(format!(
        "this is rustc {release}: the standard library of rustc {known} is known, and no other"
    ));
    let help = format!(
        "install it with `rustup toolchain install {known}`, and name its rustc with ${RUSTC_VARIABLE}"
    );
    Err(Diagnostic { help: Some(help), ..complaint })
}

fn run(command: Command, file: &Path, job: &Job) -> Result<Output, Diagnostics> {
    let rustc = command.get_program().to_string_lossy().into_owned();
    match job.run(command, "") {
        Ok(output) if output.status.success() => Ok(output),
        Ok(output) => Err(complaint(&output)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let message = format!("Rust is compiled with rustc, but there is no `{rustc}` here");
            let help = format!("install Rust from https://rustup.rs, or name rustc with ${RUSTC_VARIABLE}");
            let complaint = Diagnostic::about_file(&file.display().to_string(), message);
            Err(Diagnostic { help: Some(help), ..complaint }.into())
        }
        Err(error) => Err(Diagnostic::about_file(&rustc, format!("cannot be run: {error}")).into()),
    }
}

/// Rustc's messages about a file that it does not compile, without the numbers of errors.
fn complaint(output: &Output) -> Diagnostics {
    let said = String::from_utf8_lossy(&output.stderr);
    let plain = |line: &str| match (line.find(": error["), line.find("]: ")) {
        (Some(start), Some(end)) if start < end => format!("{}: error: {}", &line[..start], &line[end + 3..]),
        _ => line.to_string(),
    };
    let lines: Vec<String> = said.lines().map(plain).collect();
    clang_output::diagnostics(&lines.join("\n"))
}

/// Variables of the library that start with other values: the ends of their names, their definitions, and the values.
///
/// The library counts the panics of its own thread only if there are panics in any thread: here, always. It knows the
/// main thread by its number, which is the first one. And it looks for the least size of stacks in the environment, the
/// first time that a thread is started: here, it has looked.
const STARTED: [(&str, &str, &str, &str); 3] = [
    ("9panicking11panic_count18GLOBAL_PANIC_COUNT", "global [8 x i8] ", "zeroinitializer", ONE),
    ("15spawn_unchecked03MIN", "local_unnamed_addr global [8 x i8] ", "zeroinitializer", ONE),
    ("6thread11main_thread4MAIN.0", "unnamed_addr global i64 ", "0", "1"),
];

const ONE: &str = "c\"\\01\\00\\00\\00\\00\\00\\00\\00\"";

/// The definition of a variable with another value at the start, if it has one.
fn started(line: &str) -> Option<String> {
    let (name, definition) = line.split_once(" = internal ")?;
    STARTED.iter().find_map(|(end, start, value, instead)| {
        let rest = definition.strip_prefix(start)?.strip_prefix(value)?;
        name.ends_with(end).then(|| format!("{name} = weak {start}{instead}{rest}\n"))
    })
}

/// The library without comments and debug information. Its functions and variables can be found by other modules, and
/// give way to theirs.
fn reduced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() / 3);
    for line in text.lines() {
        let start = line.trim_start();
        let is_wanted = match start.as_bytes().first() {
            None | Some(b';' | b'#') => false,
            Some(b'!') => start.starts_with("!llvm.ident") || start.contains("rustc version"),
            Some(_) => !start.starts_with("attributes #"),
        };
        if !is_wanted {
            continue;
        }
        let line = line.split(", !dbg !").next().unwrap_or(line);
        if let Some(line) = started(line) {
            out.push_str(&line);
            continue;
        }
        match (line.strip_prefix("define "), line.split_once(" = internal ")) {
            (Some(rest), _) => out.extend(["define weak ", rest.strip_prefix("internal ").unwrap_or(rest)]),
            (None, Some((name, rest))) if name.starts_with("@_R") => out.extend([name, " = weak ", rest]),
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{check_version, reduced};

    #[test]
    fn the_library_gives_way_and_has_no_debug_information() {
        let text = "; a comment\n@_RNvX = internal global i32 0, align 4, !dbg !3\n@vtable.1 = internal constant i32 0\n\
                    define internal void @_RNvf() unnamed_addr #3 !dbg !7 {\n  #dbg_value(i32 0, !1, !2, !3)\n  \
                    %1 = load i32, ptr @_RNvX, align 4, !noundef !9, !dbg !8\n  ret void, !dbg !9\n}\n\
                    attributes #3 = { nounwind }\n!llvm.ident = !{!5}\n!5 = !{!\"rustc version 1.95.0 (x)\"}\n!7 = !{}\n";
        let expected = "@_RNvX = weak global i32 0, align 4\n@vtable.1 = internal constant i32 0\n\
                        define weak void @_RNvf() unnamed_addr #3 !dbg !7 {\n  \
                        %1 = load i32, ptr @_RNvX, align 4, !noundef !9\n  ret void\n}\n\
                        !llvm.ident = !{!5}\n!5 = !{!\"rustc version 1.95.0 (x)\"}\n";
        assert_eq!(reduced(text), expected);
    }

    #[test]
    fn other_versions_are_refused_by_name() {
        assert!(check_version("rustc 1.95.0\nrelease: 1.95.0\n").is_ok());
        let complaint = check_version("release: 1.90.1\n").unwrap_err().to_string();
        assert!(complaint.contains("rustc 1.90.1") && complaint.contains("1.95"), "{complaint}");
        assert!(check_version("clang").is_err());
    }
}
