//! From a file to a program.

use crate::args::{InputArgs, Unroll};
use crate::build_database::BuildDatabase;
use crate::cache_folder;
use crate::litmus::LitmusInput;
use crate::models::Model;
use crate::output;
use atropos_check::{Check, Collector, Finds, Settings};
use atropos_event::{Diagnostic, Diagnostics, Mapping, Program};
use atropos_explore::catalogue::ModelName;
use atropos_explore::{Control, SearchResult};
use atropos_litmus::Dialect;
use atropos_llvm::SourceFiles;
use atropos_llvm::compile::{self, CompileOptions, Job};
use atropos_orders::programs::{Driver, Explored, ProgramExplorer, check_of, explored};
use atropos_vm::{Buffering, LoopBound, Module, Vm, text};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The files for clang, rustc and the reader of LLVM IR.
const C_KINDS: [&str; 11] = ["c", "cc", "cp", "cpp", "cxx", "c++", "C", "rs", "crates", "ll", "bc"];

/// The kind of a file that lists the modules of a Rust program, which `cargo atropos` writes.
const CRATES: &str = "crates";

/// The kind of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramKind {
    /// C, C++ or Rust, or their LLVM IR.
    C,
    Litmus(Dialect),
    Vm,
}

impl ProgramKind {
    pub fn default_model(self) -> Model {
        match self {
            ProgramKind::Litmus(Dialect::X86) => Model::Builtin(ModelName::Tso),
            ProgramKind::Litmus(Dialect::C) | ProgramKind::C | ProgramKind::Vm => {
                Model::Builtin(ModelName::Rc11)
            }
        }
    }
}

/// The files of a program. A litmus test is read at once, because its first line decides the default model.
#[derive(Clone, Debug)]
pub enum ProgramSource {
    C(Vec<PathBuf>),
    Litmus { path: PathBuf, text: String },
    Vm { path: PathBuf, text: String },
}

impl ProgramSource {
    /// # Errors
    /// If the file cannot be checked.
    pub fn open(path: &Path, more: &[PathBuf]) -> Result<ProgramSource, Diagnostics> {
        match extension(path) {
            "litmus" | "vm" => ProgramSource::with_text(path, read(path)?),
            _ if is_c(path) => {
                let paths = std::iter::once(path).chain(more.iter().map(PathBuf::as_path));
                Ok(ProgramSource::C(paths.map(Path::to_path_buf).collect()))
            }
            _ => {
                let message = "unknown file type: Atropos checks .c, .cc, .cpp, .rs, .ll, .bc, .litmus and .vm files, and C from `-`";
                Err(Diagnostic::about_file(&path.display().to_string(), message).into())
            }
        }
    }

    /// The same for a file with this text.
    ///
    /// # Errors
    /// If the file is neither a litmus test nor a program of the virtual machine.
    pub fn with_text(path: &Path, text: String) -> Result<ProgramSource, Diagnostics> {
        let path = path.to_path_buf();
        match extension(&path) {
            "litmus" => Ok(ProgramSource::Litmus { path, text }),
            "vm" => Ok(ProgramSource::Vm { path, text }),
            _ => Err(Diagnostic::about_file(&path.display().to_string(), "is not text for a machine").into()),
        }
    }

    pub fn kind(&self) -> ProgramKind {
        match self {
            ProgramSource::C(_) => ProgramKind::C,
            ProgramSource::Litmus { text, .. } => {
                ProgramKind::Litmus(atropos_litmus::dialect(text).unwrap_or(Dialect::C))
            }
            ProgramSource::Vm { .. } => ProgramKind::Vm,
        }
    }

    /// The name of the program in reports: its first file.
    pub fn file(&self) -> String {
        match self {
            ProgramSource::C(paths) => paths[0].display().to_string(),
            ProgramSource::Litmus { path, .. } | ProgramSource::Vm { path, .. } => path.display().to_string(),
        }
    }
}

/// Whether this names a file of C, C++ or Rust, or of what they are compiled to; `-` is C from standard input.
fn is_c(path: &Path) -> bool {
    C_KINDS.contains(&extension(path)) || path == Path::new(compile::STANDARD_INPUT)
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// How to read the program.
#[derive(Clone, Debug)]
pub struct InputOptions {
    pub source: ProgramSource,
    pub compiler: CompileOptions,
    /// The folder of the build that has more flags for the files.
    pub build: Option<PathBuf>,
    pub library: atropos_llvm::LibraryOptions,
    pub machine: atropos_vm::Config,
}

impl InputOptions {
    pub fn resolve(
        args: InputArgs,
        source: ProgramSource,
        flags: Vec<String>,
        machine: atropos_vm::Config,
        shows_private_barriers: bool,
    ) -> InputOptions {
        let library = args.library.unwrap_or_default();
        InputOptions {
            source,
            build: args.build,
            compiler: CompileOptions {
                clang: args.clang,
                flags,
                library,
                cache: cache_folder::usual().filter(|_| !args.no_cache),
            },
            library: atropos_llvm::LibraryOptions {
                nondet: args.nondet,
                show_output: args.show_output,
                spurious_wakeups: args.spurious_wakeups,
                shows_private_barriers,
                malloc_may_fail: args.malloc_may_fail,
                volatile: args.volatile.unwrap_or_default(),
            },
            machine,
        }
    }
}

/// How to read the orders of accesses.
#[derive(Clone, Copy)]
pub struct OrderOptions {
    pub mapping: Mapping,
    pub detects_races: bool,
    pub plain_as_relaxed: bool,
}

/// The configuration of the virtual machine.
pub fn machine(
    args: &InputArgs,
    model: &Model,
    orders: OrderOptions,
    kind: ProgramKind,
) -> atropos_vm::Config {
    let default = atropos_vm::Config::default();
    let buffering = match (orders.mapping, model) {
        (Mapping::Raw, Model::Builtin(ModelName::Sc)) => Buffering::None,
        // Mutexes work however a machine reads the orders of accesses.
        (Mapping::Raw, _) => Buffering::Fenced,
        (Mapping::Compiled, Model::Builtin(ModelName::Tso | ModelName::Pso)) => Buffering::Ordered,
        (Mapping::Compiled, _) => Buffering::None,
    };
    atropos_vm::Config {
        entry: args.entry.clone().unwrap_or(default.entry),
        unroll: Unroll::every(&args.unroll),
        loop_bounds: Unroll::loop_bounds(&args.unroll),
        // A check decides which reductions it applies.
        cuts_retries: false,
        buffering,
        races_on_plain: orders.detects_races,
        plain_as_relaxed: orders.plain_as_relaxed,
        claims: !matches!(kind, ProgramKind::Litmus(_)),
        ..default
    }
}

/// A program that is ready to be checked. Only this file knows which machine runs it.
pub enum Input {
    Litmus(Box<LitmusInput>),
    Vm(Box<Vm>),
}

impl Input {
    /// Loads the files that the options name, with `compiler` if they need compiling. `model` is the name of the model
    /// to explore under.
    ///
    /// # Errors
    /// If there is no such program, with file, line and column where they are known.
    pub fn load(options: &InputOptions, model: &str, compiler: &Job) -> Result<Input, Diagnostics> {
        let input = match &options.source {
            ProgramSource::C(paths) => load_c(paths, options, compiler),
            ProgramSource::Litmus { text, .. } => load_litmus(text, options, model),
            ProgramSource::Vm { text, .. } => load_vm(text, options),
        }?;
        for LoopBound { file, line, .. } in input.machine().idle_bounds() {
            output::note(&format!(
                "the program has no loop at {file}:{line}, so this --unroll has no effect"
            ));
        }
        Ok(input)
    }

    pub fn program(&self) -> &dyn Program {
        self.machine()
    }

    /// Explores the program's executions, with explorers that are compiled for its machine.
    pub fn explore<'c>(
        &self,
        check: &Check<'c>,
        control: &'c Control,
        finds: &Finds,
    ) -> SearchResult<Collector<'c>> {
        let machine = self.machine();
        check.explore_as(&|| machine.start_run(), control, finds)
    }

    /// The program as text, of a litmus test or for the virtual machine: what has the same text is the same program.
    pub fn text(&self) -> String {
        match self {
            Input::Litmus(input) => input.text.clone(),
            Input::Vm(vm) => text::print(vm.module()),
        }
    }

    /// The function with which the program starts, unless it is a litmus test.
    pub fn entry(&self) -> Option<&str> {
        match self {
            Input::Litmus(_) => None,
            Input::Vm(vm) => Some(&vm.config().entry),
        }
    }

    fn machine(&self) -> &Vm {
        match self {
            Input::Litmus(input) => input.test.program(),
            Input::Vm(vm) => vm,
        }
    }

    /// The same program, which shares nothing with this one.
    pub fn twin(&self) -> Box<dyn Program> {
        self.new_machine()
    }

    /// The same, to be checked. Of a litmus test, this is only the program.
    pub fn copy(&self) -> Input {
        Input::Vm(self.new_machine())
    }

    fn new_machine(&self) -> Box<Vm> {
        let vm = self.machine();
        let twin = Vm::new(vm.module().clone(), vm.config().clone());
        Box::new(twin.expect("the program was checked before"))
    }

    /// The program by itself, for a search that changes its orders.
    pub fn driver(&self, name: String) -> Driver {
        let vm = self.machine();
        Driver { name, module: vm.module().clone(), machine: vm.config().clone() }
    }

    pub fn litmus(&self) -> Option<&LitmusInput> {
        match self {
            Input::Litmus(input) => Some(input),
            Input::Vm(_) => None,
        }
    }
}

/// Explores the programs of a search that changes orders, with explorers that are compiled for their machine.
pub struct MachineExplorer;

impl ProgramExplorer for MachineExplorer {
    fn explore(&self, vm: &Vm, settings: Settings<'_>, control: &Control) -> Explored {
        let (check, finds) = (check_of(vm, settings), Finds::default());
        let search = check.explore_as(&|| vm.start_run(), control, &finds);
        let explored = explored(&check, &finds, control);
        drop(search);
        explored
    }
}

pub fn read(path: &Path) -> Result<String, Diagnostics> {
    std::fs::read_to_string(path).map_err(|error| {
        Diagnostic::about_file(&path.display().to_string(), format!("cannot be read: {error}")).into()
    })
}

fn load_litmus(text: &str, options: &InputOptions, model: &str) -> Result<Input, Diagnostics> {
    let file = options.source.file();
    let test = atropos_litmus::load_with(text, &file, options.machine.clone())?;
    test.check_model(model).map_err(|message| Diagnostic::about_file(&file, message))?;
    Ok(Input::Litmus(Box::new(LitmusInput { test, file, text: text.to_string() })))
}

fn load_vm(text: &str, options: &InputOptions) -> Result<Input, Diagnostics> {
    let file = options.source.file();
    program(text::parse(&file, text)?, options.machine.clone(), &file)
}

fn load_c(paths: &[PathBuf], options: &InputOptions, compiler: &Job) -> Result<Input, Diagnostics> {
    if let Some(other) = paths.iter().find(|path| !is_c(path)) {
        let message = "only C and C++ programs may consist of several files";
        return Err(Diagnostic::about_file(&other.display().to_string(), message).into());
    }
    let is_rust = |path: &PathBuf| ["rs", CRATES].contains(&extension(path));
    let files = with_listed(paths)?;
    let mut texts = compile_all(&files, &flags_of(&files, options)?, options, compiler)?;
    if paths.iter().any(is_rust) {
        texts.push(("std".to_string(), compile::rust_library(compiler)?));
    }
    let mut machine = options.machine.clone();
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let files = SourceFiles { folder: std::env::current_dir().unwrap_or_default(), read: &read };
    let loaded = atropos_llvm::load(texts, &machine.entry, &options.library, &files)?;
    // Rustc's level of optimisation only adds marks: its passes are turned off.
    if loaded.is_optimised && !paths.iter().all(is_rust) {
        output::note("this program was optimised: races and accesses that LLVM has removed are not found");
    }
    machine.entry = loaded.entry;
    program(loaded.module, machine, &options.source.file())
}

/// The files, with those that a list names in its place.
fn with_listed(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Diagnostics> {
    let mut files = Vec::new();
    for path in paths {
        match extension(path) {
            CRATES => files.extend(read(path)?.lines().map(PathBuf::from)),
            _ => files.push(path.clone()),
        }
    }
    Ok(files)
}

/// The flags for each file.
fn flags_of(paths: &[PathBuf], options: &InputOptions) -> Result<Vec<Vec<String>>, Diagnostics> {
    let database = options.build.as_deref().map(BuildDatabase::read).transpose();
    let database = database.map_err(|message| Diagnostics::from(Diagnostic::error(message)))?;
    let of_build = |path: &PathBuf| database.as_ref()?.flags(path);
    let first = paths.iter().find_map(of_build);
    if let (Some(folder), None) = (&options.build, first) {
        let message = format!("the build in {} compiles none of these files", folder.display());
        return Err(Diagnostic::error(message).into());
    }
    let all = |path| [of_build(path).or(first).unwrap_or_default(), &options.compiler.flags].concat();
    let flags: Vec<Vec<String>> = paths.iter().map(all).collect();
    let ends_with = |flags: &[String], on: &str, off: &str| {
        let last = flags.iter().rfind(|flag| flag.starts_with(on) || flag.starts_with(off));
        last.is_some_and(|flag| flag.starts_with(on))
    };
    if flags.iter().any(|flags| ends_with(flags, "-DNDEBUG", "-UNDEBUG")) {
        output::note("assertions are compiled out, because NDEBUG is defined; -UNDEBUG keeps them");
    }
    Ok(flags)
}

/// The texts of the modules that the files compile to, with the names of the files. Several files compile at a time.
fn compile_all(
    paths: &[PathBuf],
    flags: &[Vec<String>],
    options: &InputOptions,
    compiler: &Job,
) -> Result<Vec<(String, String)>, Diagnostics> {
    let n_workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(paths.len());
    let (next, n_done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = output::PassingLine::new(paths.len() > 1);
    let results: Vec<OnceLock<_>> = paths.iter().map(|_| OnceLock::new()).collect();
    std::thread::scope(|scope| {
        for _ in 0..n_workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(path), Some(flags)) = (paths.get(at), flags.get(at)) else { break };
                    let options = CompileOptions { flags: flags.clone(), ..options.compiler.clone() };
                    let _ = results[at].set(compile::compile(path, &options, compiler));
                    let n_done = n_done.fetch_add(1, Ordering::Relaxed) + 1;
                    progress.show(&format!("compiled {n_done} of {} files", paths.len()));
                }
            });
        }
    });
    drop(progress);
    let (mut texts, mut complaints) = (Vec::new(), Vec::new());
    for (path, result) in paths.iter().zip(results) {
        match result.into_inner().expect("every file was compiled") {
            Ok(text) => texts.push((path.display().to_string(), text)),
            Err(more) => complaints.extend(more.0),
        }
    }
    if complaints.is_empty() { Ok(texts) } else { Err(Diagnostics(complaints)) }
}

/// The program of a module. An error without a place of its own is reported for `file`.
fn program(module: Module, machine: atropos_vm::Config, file: &str) -> Result<Input, Diagnostics> {
    let vm = Vm::new(module, machine).map_err(|problems| problems.in_file(file))?;
    Ok(Input::Vm(Box::new(vm)))
}
