//! From a file to a program.

use crate::args::{CheckArgs, LibraryArg, MappingArg};
use anyhow::{Context, Result, bail};
use atropos_event::ThreadKey;
use atropos_litmus::Test;
use atropos_litmus::ast::Dialect;
use atropos_llvm::SourceFiles;
use atropos_llvm::compile::{self, Job};
use atropos_vm::{Buffering, Config, Vm, text};
use std::path::Path;

/// The files that clang and the reader of LLVM IR are for.
const C_KINDS: [&str; 6] = ["c", "cc", "cpp", "cxx", "ll", "bc"];

/// A program and how to speak about it.
pub enum Input {
    Litmus { test: Box<Test>, text: String },
    Vm(Box<Vm>),
}

impl Input {
    /// Reads the file that `args` name, with `compiler` if it takes one.
    ///
    /// # Errors
    /// When there is no such program, with file, line and column where that helps.
    pub fn load(args: &CheckArgs, compiler: &Job) -> Result<Input> {
        let path = &args.file;
        let kind = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match kind {
            "litmus" => load_litmus(path, args),
            "vm" => load_vm(path, args),
            kind if C_KINDS.contains(&kind) => load_c(args, compiler),
            _ => bail!(
                "{}: unknown kind of file: Atropos checks .c .cc .cpp .ll .bc .litmus and .vm files",
                path.display()
            ),
        }
    }

    pub fn program(&self) -> &Vm {
        match self {
            Input::Litmus { test, .. } => test.program(),
            Input::Vm(vm) => vm,
        }
    }

    pub fn litmus(&self) -> Option<&Test> {
        match self {
            Input::Litmus { test, .. } => Some(test),
            Input::Vm(_) => None,
        }
    }

    pub fn is_x86(&self) -> bool {
        self.litmus().is_some_and(|test| test.dialect() == Dialect::X86)
    }

    /// How reports call a thread: as the program's text does, as far as there is a name.
    pub fn name_thread(&self, key: ThreadKey, rank: usize) -> String {
        match (self, &key.path()[..]) {
            (_, []) => "main".to_string(),
            (Input::Litmus { .. }, [nth]) => format!("P{}", nth - 1),
            _ => format!("t{rank}"),
        }
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn refuse_cflags(args: &CheckArgs) -> Result<()> {
    if !args.cflags.is_empty() {
        bail!("flags for the C compiler are given (after `--`), but {} is not compiled", args.file.display());
    }
    if let Some(more) = args.more_files.first() {
        bail!(
            "{} is a program of its own: {} cannot be checked with it",
            args.file.display(),
            more.display()
        );
    }
    let given = [
        ("--clang", args.clang.is_some()),
        ("--library", args.library.is_some()),
        ("--nondet", args.nondet.is_some()),
        ("--spurious-wakeups", args.spurious_wakeups),
        ("--malloc-may-fail", args.malloc_may_fail),
        ("--show-output", args.show_output),
    ];
    if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) {
        bail!("{flag} is given, but {} is not a C or C++ program", args.file.display());
    }
    Ok(())
}

fn load_litmus(path: &Path, args: &CheckArgs) -> Result<Input> {
    refuse_cflags(args)?;
    if args.entry.is_some() {
        bail!("--entry has no effect on a litmus test, whose threads are all given");
    }
    let config = Config { claims: false, ..vm_config(args) };
    let text = read(path)?;
    let test = atropos_litmus::load_with(&text, &path.display().to_string(), config);
    let test = Box::new(test.map_err(|diagnostics| Malformed(diagnostics.to_string()))?);
    Ok(Input::Litmus { test, text })
}

/// What the options say about how a program runs.
fn vm_config(args: &CheckArgs) -> Config {
    let has_buffers = matches!(args.model.as_deref(), Some("tso" | "pso"));
    let buffering = match args.mapping {
        // Mutexes work whatever a machine makes of the orders of accesses.
        Some(MappingArg::Raw) if args.model.as_deref() != Some("sc") => Buffering::Fenced,
        Some(MappingArg::Raw) => Buffering::None,
        Some(MappingArg::Compiled) | None if has_buffers => Buffering::Ordered,
        Some(MappingArg::Compiled) | None => Buffering::None,
    };
    let plain_as_relaxed = args.no_race_detection;
    let is_language = matches!(args.model.as_deref(), None | Some("ra" | "sra" | "rc11" | "wrc11"));
    let races_on_plain = is_language && !plain_as_relaxed;
    Config {
        unroll: args.unroll,
        buffering,
        races_on_plain,
        plain_as_relaxed,
        claims: true,
        ..Config::default()
    }
}

fn load_vm(path: &Path, args: &CheckArgs) -> Result<Input> {
    refuse_cflags(args)?;
    let file = path.display().to_string();
    let module = text::parse(&file, &read(path)?).map_err(|errors| Malformed(errors.to_string()))?;
    let mut config = vm_config(args);
    config.entry = args.entry.clone().unwrap_or(config.entry);
    let vm = Vm::new(module, config).map_err(|problems| {
        let problems: Vec<_> = problems.iter().map(|problem| format!("{file}: {problem}")).collect();
        Malformed(problems.join("\n"))
    })?;
    Ok(Input::Vm(Box::new(vm)))
}

fn load_c(args: &CheckArgs, compiler: &Job) -> Result<Input> {
    let library = match args.library {
        Some(LibraryArg::AsWritten) => atropos_llvm::Library::AsWritten,
        Some(LibraryArg::Standard) | None => atropos_llvm::Library::Standard,
    };
    let options = compile::Options { clang: args.clang.clone(), flags: args.cflags.clone(), library };
    let mut texts = Vec::new();
    for path in std::iter::once(&args.file).chain(&args.more_files) {
        let kind = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if !C_KINDS.contains(&kind) {
            bail!("{}: only C and C++ files can be parts of one program", path.display());
        }
        let text = compile::compile(path, &options, compiler);
        let text = text.map_err(|diagnostic| Malformed(diagnostic.to_string()))?;
        texts.push((path.display().to_string(), text));
    }
    let library = atropos_llvm::Options {
        nondet: args.nondet,
        show_output: args.show_output,
        spurious_wakeups: args.spurious_wakeups,
        // What a user's own model makes of barriers is not known.
        shows_private_barriers: args.model.as_deref().is_some_and(|name| name.ends_with(".cat")),
        malloc_may_fail: args.malloc_may_fail,
    };
    let mut config = vm_config(args);
    let entry = args.entry.as_deref().unwrap_or(&config.entry);
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let files = SourceFiles { folder: std::env::current_dir().unwrap_or_default(), read: &read };
    let loaded = atropos_llvm::load(texts, entry, &library, &files)
        .map_err(|diagnostic| Malformed(diagnostic.to_string()))?;
    config.entry = loaded.entry;
    let file = args.file.display().to_string();
    let vm = Vm::new(loaded.module, config).map_err(|problems| {
        let problems: Vec<_> = problems.iter().map(|problem| format!("{file}: {problem}")).collect();
        Malformed(problems.join("\n"))
    })?;
    Ok(Input::Vm(Box::new(vm)))
}

/// What is wrong with an input file, in messages that begin with file, line and column.
#[derive(Debug)]
pub struct Malformed(pub String);

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}
