//! Runs the functions of a file natively and in the VM.

use super::generate::generate;
use crate::SearchSettings;
use crate::algorithm::caught;
use crate::conformance::compile::scratch;
use atropos_llvm::{Loaded, SourceFiles, compile};
use atropos_testkit::UpTo;
use atropos_vm::{Config, Vm};
use std::path::Path;
use std::process::Command;

/// Signed arithmetic wraps, memory has no types, and every floating-point operation rounds.
pub(crate) const FLAGS: [&str; 4] = ["-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off"];

/// Compares the functions of a seed at these levels of optimisation.
///
/// # Errors
/// The first function that differs, or why the functions could not be compared.
pub fn compare(seed: u64, n_functions: usize, levels: &[&str]) -> Result<(), String> {
    let text = generate(seed, n_functions);
    let file = scratch("sequential.c");
    std::fs::write(&file, &text).map_err(|error| format!("{}: {error}", file.display()))?;
    let compared = compare_file(&file, n_functions, levels, machine(seed));
    std::fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    compared.map_err(|complaint| format!("seed {seed}, {n_functions} functions: {complaint}"))
}

/// The flags of a machine whose instructions optimisers may use: some have vectors of which only parts are accessed.
/// Results do not depend on it.
fn machine(seed: u64) -> &'static [&'static str] {
    match seed % 6 {
        1 => &["-mavx2"],
        3 => &["-march=skylake-avx512", "-mprefer-vector-width=512"],
        5 => &["-march=x86-64-v3"],
        _ => &[],
    }
}

fn compare_file(file: &Path, n_functions: usize, levels: &[&str], machine: &[&str]) -> Result<(), String> {
    let expected = native(file)?;
    for level in levels {
        let flags = FLAGS.iter().chain(&["-g0", level]).chain(machine).map(ToString::to_string).collect();
        let options = compile::CompileOptions { flags, ..compile::CompileOptions::default() };
        let ir = compile::compile(file, &options, &compile::Job::default())
            .map_err(|diagnostic| diagnostic.to_string())?;
        if let Err(complaint) = run(&ir, &expected, 0..n_functions) {
            for nth in 0..n_functions {
                run(&ir, &expected, nth..nth + 1)
                    .map_err(|complaint| format!("f{nth} at {level}: {complaint}"))?;
            }
            return Err(format!("{level}: {complaint}, but no function alone differs"));
        }
    }
    Ok(())
}

/// The results on this machine.
fn native(file: &Path) -> Result<Vec<u64>, String> {
    let binary = scratch("sequential");
    let compiled = compile::compilers_of_c(None).into_iter().find_map(|clang| {
        let mut compiler = Command::new(clang);
        compiler.args(FLAGS).args(["-O0", "-DNATIVE", "-o"]).arg(&binary).arg(file).arg("-lm");
        compiler.output().ok()
    });
    let compiled = compiled.ok_or("there is no clang here: run `make setup`")?;
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let output = Command::new(&binary).output().map_err(|error| error.to_string());
    std::fs::remove_file(&binary).map_err(|error| error.to_string())?;
    let output = output?;
    if !output.status.success() {
        return Err(format!("the native run ended with {}: the file has undefined behaviour", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| line.parse().map_err(|_| format!("`{line}` is not a result"))).collect()
}

/// Compares a range of the functions in the VM.
fn run(ir: &str, expected: &[u64], range: std::ops::Range<usize>) -> Result<(), String> {
    let values: Vec<String> = expected.iter().map(|value| format!("i64 {value}")).collect();
    let other = format!(
        "@first = constant i64 {}\n@last = constant i64 {}\n@expected = constant [{} x i64] [{}]\n",
        range.start,
        range.end,
        expected.len(),
        values.join(", ")
    );
    let texts = vec![("sequential.ll".to_string(), ir.to_string()), ("expected.ll".to_string(), other)];
    let loaded = atropos_llvm::load(texts, "main", &Default::default(), &SourceFiles::none());
    let Loaded { module, entry, .. } = loaded.map_err(|diagnostics| diagnostics.to_string())?;
    let vm =
        Vm::new(module, Config { entry, ..Config::default() }).map_err(|problems| format!("{problems:?}"))?;
    let search = SearchSettings { repeats_unseen: false, ..SearchSettings::new("sc", UpTo::Co) };
    let explored = caught(|| search.run(&vm))?;
    if let Some(refused) = explored.refused {
        return Err(refused);
    }
    match explored.violations.first() {
        Some(violation) => Err(format!("another result ({violation:?})")),
        None if explored.complete.len() == 1 => Ok(()),
        None => Err("it does not end".to_string()),
    }
}
