//! From source files to the text of LLVM modules.
//!
//! Clang runs without optimisation, which would merge, remove and reorder accesses to shared memory. Private
//! variables become registers later, in the VM code. `-g` gives every instruction its line and column, and names to
//! variables and their fields.
//!
//! A user may ask for optimisation, but without loads that the source does not have: a compiler may add them because
//! hardware does not mind, and they would be races here. Clang omits them when it compiles for its race detector,
//! whose own code is left out. Functions are not inlined, so that library functions are recognised, and code has
//! fixed addresses, so that tables contain no differences of addresses.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use crate::cache::{self, Compilation};
use crate::clang_output;
use crate::headers::{Headers, Library};
use crate::rustc;
pub use crate::rustc::{
    DEFAULTS as RUST_DEFAULTS, FLAGS as RUST_FLAGS, NO_BITCODE as RUST_NO_BITCODE,
    compile_crate as rust_crate, library as rust_library, version as rustc_version,
};
use atropos_event::{Diagnostic, Diagnostics};

/// The name of a C program that is read from standard input.
pub const STANDARD_INPUT: &str = "-";

/// The environment variable that names the compiler.
pub(crate) const CLANG_VARIABLE: &str = "ATROPOS_CLANG";

/// Read before every C++ file: libstdc++ declares its most common instantiations `extern`, so that they are not
/// compiled again. Here there is no library to link with, so they must be compiled. What libstdc++ does for race
/// detectors is right here, too: `shared_ptr` does not read two counters with one access.
const CPP_PREAMBLE: &str = "\
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#undef _GLIBCXX_TSAN
#define _GLIBCXX_TSAN 1
#endif
";

/// Flags for programs that are compiled with optimisation.
const WITH_OPTIMISATION: [&str; 11] = [
    "-fno-pic",
    "-fno-inline",
    "-fsanitize=thread",
    "-mllvm",
    "-tsan-instrument-memory-accesses=0",
    "-mllvm",
    "-tsan-instrument-func-entry-exit=0",
    "-mllvm",
    "-tsan-instrument-atomics=0",
    "-mllvm",
    "-tsan-instrument-memintrinsics=0",
];

/// `long double` is `double`, as the C standard allows and as on other machines. The 80 bits of x86 do not fit a
/// register of the VM.
const LONG_DOUBLE: &str = "-mlong-double-64";

/// Whether a flag for clang selects the target machine.
fn names_target(flag: &str) -> bool {
    ["-target", "--target", "-m32", "-mx32"].iter().any(|known| flag.starts_with(known))
}

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// The compiler to use; by default the environment variable, then the usual names.
    pub clang: Option<PathBuf>,
    /// More flags for it.
    pub flags: Vec<String>,
    /// Which headers C++ programs include.
    pub library: Library,
    /// The folder where compiled files are kept ([`crate::cache`]), if they are.
    pub cache: Option<PathBuf>,
}

/// The compilers as processes that another thread can stop. Each leads its own process group, so everything that it
/// starts is stopped with it.
#[derive(Debug, Default)]
pub struct Job {
    state: Mutex<State>,
}

#[derive(PartialEq, Eq, Debug, Default)]
struct State {
    /// The numbers of the processes, and of their groups.
    running: Vec<u32>,
    /// Nothing may be started any more.
    is_cancelled: bool,
}

impl Job {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the lock")
    }

    /// The numbers of the processes that are running.
    pub fn running(&self) -> Vec<u32> {
        self.lock().running.clone()
    }

    /// Calls `kill` for each process group, and makes sure that none is started from now on.
    pub fn cancel(&self, kill: impl Fn(u32)) {
        let mut state = self.lock();
        state.is_cancelled = true;
        state.running.drain(..).for_each(kill);
    }

    /// Runs a command with `input` as its standard input.
    pub(crate) fn run(&self, mut command: Command, input: &str) -> std::io::Result<Output> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = {
            let mut state = self.lock();
            if state.is_cancelled {
                return Err(std::io::Error::new(std::io::ErrorKind::Interrupted, "cancelled"));
            }
            let child = command.spawn()?;
            state.running.push(child.id());
            child
        };
        let (mut stdin, mut stdout, mut stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| stderr.as_mut().map(|stderr| stderr.read_to_end(&mut err)));
            if let Some(mut stdin) = stdin.take() {
                // A compiler that stops early does not read it, and reports the error itself.
                let _ = stdin.write_all(input.as_bytes());
            }
            stdout.as_mut().map(|stdout| stdout.read_to_end(&mut out))
        });
        let status = self.wait(&mut child)?;
        Ok(Output { status, stdout: out, stderr: err })
    }

    /// Waits for the end of the process. Its number is not given to another one before the lock is held.
    fn wait(&self, child: &mut Child) -> std::io::Result<ExitStatus> {
        loop {
            let mut state = self.lock();
            if let Some(status) = child.try_wait()? {
                state.running.retain(|&pid| pid != child.id());
                return Ok(status);
            }
            drop(state);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The text of the module in `file`, or that `file` compiles to.
///
/// # Errors
/// The file does not exist or does not compile (with clang's own messages), or a tool is missing.
pub fn compile(file: &Path, options: &CompileOptions, job: &Job) -> Result<String, Diagnostics> {
    let name = file.display().to_string();
    let complain = |message: String| Diagnostics::from(Diagnostic::about_file(&name, message));
    let bytes = match file.extension().and_then(|extension| extension.to_str()) {
        _ if file == Path::new(STANDARD_INPUT) => run_clang(file, Language::C, options, job)?,
        Some("rs") => rustc::compile(file, options, job)?,
        Some("ll") => std::fs::read(file).map_err(|error| complain(format!("cannot be read: {error}")))?,
        extension => {
            let start = first_bytes(file).map_err(|error| complain(format!("cannot be read: {error}")))?;
            let language = match extension {
                Some("bc") if !BITCODE_STARTS.contains(&start) => {
                    return Err(complain("this is not LLVM bitcode".to_string()));
                }
                Some("bc") => Language::Bitcode,
                Some("c") => Language::C,
                _ => Language::Cpp,
            };
            run_clang(file, language, options, job)?
        }
    };
    String::from_utf8(bytes).map_err(|_| complain("this is not LLVM IR as text".to_string()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Cpp,
    /// Compiled already; clang only writes it as text.
    Bitcode,
}

/// How bitcode starts, without and with a wrapper.
const BITCODE_STARTS: [[u8; 4]; 2] = [*b"BC\xc0\xde", [0xde, 0xc0, 0x17, 0x0b]];

/// The first bytes of a file; zeroes where there are none.
fn first_bytes(file: &Path) -> std::io::Result<[u8; 4]> {
    let mut start = [0; 4];
    let mut reader = std::fs::File::open(file)?;
    let mut n_bytes = 0;
    while n_bytes < start.len() {
        match reader.read(&mut start[n_bytes..])? {
            0 => break,
            n => n_bytes += n,
        }
    }
    Ok(start)
}

/// The usual names of the compiler, the preferred one first.
const USUAL: [&str; 2] = ["clang-19", "clang"];

/// The compilers to try for C, the first one that exists: the given one, that of the environment, or the usual ones.
pub fn compilers_of_c(given: Option<&Path>) -> Vec<PathBuf> {
    candidates(given, USUAL)
}

fn candidates(given: Option<&Path>, usual: [&str; 2]) -> Vec<PathBuf> {
    let from_environment = std::env::var_os(CLANG_VARIABLE).map(PathBuf::from);
    let given = given.map(Path::to_path_buf).or(from_environment.filter(|path| !path.as_os_str().is_empty()));
    given.map_or_else(|| usual.map(PathBuf::from).to_vec(), |path| vec![path])
}

fn run_clang(
    file: &Path,
    language: Language,
    options: &CompileOptions,
    job: &Job,
) -> Result<Vec<u8>, Diagnostics> {
    let is_cpp = language == Language::Cpp;
    let headers = match options.library {
        Library::Standard if is_cpp => Some(unpack_headers()?),
        _ => None,
    };
    let input = match () {
        () if is_cpp => CPP_PREAMBLE.to_string(),
        () if file == Path::new(STANDARD_INPUT) => read_standard_input()?,
        () => String::new(),
    };
    let usual = if is_cpp { ["clang++-19", "clang++"] } else { USUAL };
    let candidates = candidates(options.clang.as_deref(), usual);
    let temporary = headers.as_ref().map(Headers::folder);
    let args = arguments(file, language, options, temporary);
    for clang in &candidates {
        let flags = options.flags.as_slice();
        let compilation = Compilation { clang, args: &args, flags, file, input: &input, temporary };
        let run = |more: &[&OsStr]| {
            let mut command = Command::new(clang);
            command.args(&args).args(more);
            job.run(command, &input)
        };
        let cache = options.cache.as_ref().filter(|_| language != Language::Bitcode);
        let output = match cache.map_or_else(|| run(&[]), |cache| cache::compile(cache, &compilation, &run)) {
            Ok(output) => output,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                let clang = clang.display().to_string();
                return Err(Diagnostic::about_file(&clang, format!("cannot be run: {error}")).into());
            }
        };
        if !output.status.success() {
            let mut complaints = complaint(file, clang, &output);
            if language == Language::Cpp && !options.flags.iter().any(|flag| flag.starts_with("-std=")) {
                clang_output::suggest_newer_standard(&mut complaints);
            }
            return Err(complaints);
        }
        return Ok(output.stdout);
    }
    let names: Vec<String> = candidates.iter().map(|path| format!("`{}`", path.display())).collect();
    let message = format!(
        "C and C++ files, and bitcode, are read with clang, but there is no {} here",
        names.join(" or ")
    );
    let help =
        format!("install it with `apt-get install clang-19`, or name it with --clang or ${CLANG_VARIABLE}");
    let complaint = Diagnostic::about_file(&file.display().to_string(), message);
    Err(Diagnostic { help: Some(help), ..complaint }.into())
}

/// The arguments of the compiler; `headers` is the folder of those that replace the C++ library's.
fn arguments(
    file: &Path,
    language: Language,
    options: &CompileOptions,
    headers: Option<&Path>,
) -> Vec<OsString> {
    let mut args: Vec<OsString> = Vec::new();
    if language == Language::Cpp {
        args.extend(["--driver-mode=g++", "-include", "/dev/stdin"].map(OsString::from));
    }
    if let Some(headers) = headers {
        args.extend(["-isystem".into(), headers.into()]);
    }
    let mut add = |more: &[&str]| args.extend(more.iter().map(OsString::from));
    add(&["-S", "-emit-llvm", "-fno-color-diagnostics", "-fno-caret-diagnostics", "-o", "-"]);
    if language == Language::Bitcode {
        add(&["-Xclang", "-disable-llvm-passes", "-x", "ir"]);
    } else {
        add(&["-O0", "-g", "-fno-discard-value-names"]);
        if cfg!(target_arch = "x86_64") && !options.flags.iter().any(|flag| names_target(flag)) {
            add(&[LONG_DOUBLE]);
        }
        options.flags.iter().for_each(|flag| add(&[flag]));
        if options.flags.iter().any(|flag| flag.starts_with("-O") && flag != "-O0") {
            add(&WITH_OPTIMISATION);
        }
    }
    if file == Path::new(STANDARD_INPUT) {
        add(&["-x", "c"]);
    }
    args.push(file.into());
    args
}

fn read_standard_input() -> Result<String, Diagnostic> {
    std::io::read_to_string(std::io::stdin())
        .map_err(|error| Diagnostic::about_file(STANDARD_INPUT, format!("cannot be read: {error}")))
}

fn unpack_headers() -> Result<Headers, Diagnostic> {
    Headers::unpack().map_err(|error| {
        let folder = std::env::temp_dir().display().to_string();
        let message = format!(
            "the headers of the C++ library cannot be put there: {error}; name another folder with $TMPDIR, or use the \
             installed headers with --library as-written"
        );
        Diagnostic::about_file(&folder, message)
    })
}

/// Clang's messages about a file that it does not compile. A crash says nothing about the file.
fn complaint(file: &Path, clang: &Path, output: &Output) -> Diagnostics {
    let said = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
    if output.status.code() == Some(1) && !said.is_empty() {
        return clang_output::diagnostics(&said);
    }
    let crash = format!(
        "`{}` gave up on this file ({}); try it on the file by itself, and simplify what it cannot compile",
        clang.display(),
        output.status
    );
    let said = if said.is_empty() { said } else { format!("\n{said}") };
    Diagnostic::about_file(&file.display().to_string(), format!("{crash}{said}")).into()
}
