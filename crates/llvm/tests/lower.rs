//! Lowering, as files: `lower/NAME.ll` becomes what `lower/NAME.vm` says, or is refused as `lower/NAME.refused` says.
//!
//! A folder `lower/NAME` is a program of several files. Expectations have what the program itself defines, without
//! the library, and the source places of its statements. A first line `; options: ...` chooses what the command line
//! would: `nondet LO..HI`, `entry NAME`, `show_output`, `spurious_wakeups`, `shows_private_barriers`,
//! `malloc_may_fail`, `volatile relaxed`. A `NAME.c` beside a file is the source that its debug information names.
//!
//! `UPDATE_EXPECT=1 cargo test -p atropos-llvm --test lower` rewrites the expectations.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use atropos_event::shape::Shape;
use atropos_llvm::{LibraryOptions, SourceFiles, Volatile};
use atropos_vm::{Config, Function, Module, Vm, text};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower")
}

/// A program: its name, and the names and texts of its files.
type Program = (String, Vec<(String, String)>);

fn programs() -> Vec<Program> {
    let sorted = |folder: &Path| {
        let entries =
            std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        entries.map(|entry| entry.unwrap().path()).collect::<BTreeSet<PathBuf>>()
    };
    let is_ir = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "ll");
    let read = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        (name, std::fs::read_to_string(path).unwrap())
    };
    let mut programs = Vec::new();
    for path in sorted(&folder()) {
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        if path.is_dir() {
            programs.push((name, sorted(&path).iter().filter(is_ir).map(read).collect()));
        } else if is_ir(&&path) {
            programs.push((name, vec![read(&path)]));
        }
    }
    programs
}

/// What the first line of a file asks for: options, and the function to start with.
fn options(text: &str) -> (LibraryOptions, String) {
    let (mut options, mut entry) = (LibraryOptions::default(), "main".to_string());
    let first = text.lines().next().unwrap_or_default();
    for option in first.strip_prefix("; options: ").unwrap_or_default().split(", ").filter(|o| !o.is_empty())
    {
        match option.split_once(' ').unwrap_or((option, "")) {
            ("nondet", range) => {
                let (low, high) = range.split_once("..").unwrap();
                options.nondet = Some((low.parse().unwrap(), high.parse().unwrap()));
            }
            ("entry", name) => entry = name.to_string(),
            ("show_output", _) => options.show_output = true,
            ("spurious_wakeups", _) => options.spurious_wakeups = true,
            ("shows_private_barriers", _) => options.shows_private_barriers = true,
            ("malloc_may_fail", _) => options.malloc_may_fail = true,
            ("volatile", "relaxed") => options.volatile = Volatile::Relaxed,
            (unknown, _) => panic!("the option `{unknown}` is not known"),
        }
    }
    (options, entry)
}

/// The extension of the file with the expectation, and the text that it should have.
fn lower((_, files): &Program) -> (&'static str, String) {
    let (options, entry) = options(&files[0].1);
    let read = |file: &str| std::fs::read_to_string(folder().join(file)).ok();
    let sources = SourceFiles { folder: PathBuf::from("/src"), read: &read };
    let loaded = match atropos_llvm::load(files.clone(), &entry, &options, &sources) {
        Ok(loaded) => loaded,
        Err(diagnostic) => return ("refused", format!("{diagnostic}\n")),
    };
    let printed = own_items(files, &loaded.module);
    let config = Config { entry: loaded.entry, ..Config::default() };
    match Vm::new(loaded.module, config) {
        Ok(_) => ("vm", printed),
        Err(problems) => ("refused", format!("{problems}\n")),
    }
}

/// What the files themselves define, of a module that has the library, too.
fn own_items(files: &[(String, String)], module: &Module) -> String {
    let defined: BTreeSet<&str> =
        files.iter().flat_map(|(_, text)| text.lines().filter_map(defined)).collect();
    let is_own = |name: &str| {
        let base = name.rsplit_once('.').filter(|(_, number)| number.parse::<u32>().is_ok());
        defined.contains(name) || base.is_some_and(|(base, _)| defined.contains(base))
    };
    // Parts of the library that each program has of its own.
    let is_made = |function: &Function| match function.name.as_str() {
        "_start" => true,
        "uncaught exception" | "run global destructors" => function.body.len() > 1,
        _ => false,
    };
    let mut printed = String::new();
    for global in module.globals.iter().filter(|global| is_own(&global.name)) {
        printed += &text::global_text(module, global);
        printed +=
            &global.shape.as_ref().map_or(String::new(), |shape| format!("# {} is {shape:?}\n", global.name));
    }
    for function in module.functions.iter().filter(|f| is_own(&f.name) || is_made(f)) {
        printed += if printed.is_empty() { "" } else { "\n" };
        printed += &text::function_text(module, function);
        printed += &places(module, function);
    }
    printed
}

/// The name that a line of LLVM IR, or of its debug information, defines.
fn defined(line: &str) -> Option<&str> {
    let rest = match line.split_once(" = ") {
        _ if line.starts_with("define ") => line.split_once('@')?.1,
        Some(_) if line.starts_with('@') => &line[1..],
        Some((_, node)) if node.contains("!DIGlobalVariable(") => node.split_once("name: \"")?.1,
        _ => return None,
    };
    rest.trim_start_matches('"').split(['(', ' ', '"']).next()
}

/// What debug information says about a function: what its stack objects are, and where its statements are from.
fn places(module: &Module, function: &Function) -> String {
    let slots = function.slots.iter().filter(|slot| slot.shape != Shape::Scalar);
    let slots = slots.map(|slot| format!("# {} is {:?}\n", slot.name, slot.shape));
    let places = function.body.iter().filter_map(|statement| {
        let source = &module.sources[statement.source?.index()];
        let instr = text::instr_text(module, function, &statement.instr);
        let library = if source.in_library { " (library)" } else { "" };
        let object = source.object.as_ref().map_or(String::new(), |shape| format!(" of {shape:?}"));
        let (file, line, column) = (&source.file, source.line, source.column);
        Some(format!("# {file}:{line}:{column}{library} `{}`: {instr}{object}\n", source.text))
    });
    slots.chain(places).collect()
}

#[test]
fn files_are_lowered_as_the_expectations_beside_them_say() {
    let is_blessing = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut different = Vec::new();
    for program in programs() {
        let (ending, found) = lower(&program);
        let other = if ending == "vm" { "refused" } else { "vm" };
        let [expected_at, other_at] =
            [ending, other].map(|ending| folder().join(format!("{}.{ending}", program.0)));
        let expected = std::fs::read_to_string(&expected_at).unwrap_or_default();
        if is_blessing {
            let _ = std::fs::remove_file(other_at);
            std::fs::write(&expected_at, found).unwrap();
        } else if found != expected || other_at.exists() {
            different.push(format!("--- {} should be\n{expected}--- but is\n{found}", expected_at.display()));
        }
    }
    assert!(different.is_empty(), "{}\n(bless with UPDATE_EXPECT=1)", different.join("\n"));
}

#[test]
fn every_expectation_has_its_program() {
    let names: BTreeSet<String> = programs().into_iter().map(|(name, _)| name).collect();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(names.contains(name), "{} has no program", path.display());
    }
}
