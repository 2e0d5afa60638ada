//! Compiles one crate: cargo runs this in rustc's place.
//!
//! The crate becomes a library, as cargo expects, and a module of LLVM IR. Programs and tests are not linked: what lies
//! where cargo expects the program describes it ([`Compiled`]). Crates for cargo's own use, such as build scripts and
//! macros, are compiled as cargo says; cargo names a target only for the others.

use super::compiled::Compiled;
use crate::exit::Exit;
use crate::output;
use anyhow::{Context, Result, bail};
use atropos_llvm::{compile, rust_tests};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set where this program is rustc: the harness, compiled.
pub const HARNESS_VARIABLE: &str = "ATROPOS_HARNESS";

/// Set by cargo for rustc, and not for programs that call rustc by themselves.
const CRATE_VARIABLE: &str = "CARGO_CRATE_NAME";

/// Options of rustc that concern how modules are put together.
const DROPPED: [&str; 3] = ["lto", "linker-plugin-lto", "incremental"];

/// Compiles a crate, if cargo has started this program to do so.
pub fn requested() -> Option<Exit> {
    let harness = PathBuf::from(std::env::var_os(HARNESS_VARIABLE)?);
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    Some(compile_crate(&harness, &args).unwrap_or_else(|error| {
        match error.downcast_ref::<atropos_event::Diagnostics>() {
            Some(complaints) => output::complain_about_input(complaints, crate::args::Color::Auto),
            None => output::complain(&format!("{error:#}")),
        }
        Exit::BadInput
    }))
}

fn compile_crate(harness: &Path, args: &[OsString]) -> Result<Exit> {
    let Some((rustc, args)) = args.split_first() else { bail!("there is no rustc to run") };
    let words: Option<Vec<&str>> = args.iter().map(|arg| arg.to_str()).collect();
    let words = words.filter(|words| words.iter().any(|word| word.starts_with("--target")));
    let mut command = Command::new(rustc);
    let invocation = words.filter(|_| std::env::var_os(CRATE_VARIABLE).is_some()).map(Invocation::new);
    match &invocation {
        Some(invocation) => command.args(invocation.arguments(harness)).env("RUSTC_BOOTSTRAP", "1"),
        None => command.args(args),
    };
    let status = command.status().with_context(|| format!("cannot run {}", Path::new(rustc).display()))?;
    if !status.success() {
        return Ok(Exit::BadInput);
    }
    if let Some(invocation) = invocation {
        invocation.describe(harness)?;
    }
    Ok(Exit::Verified)
}

/// How cargo calls rustc.
struct Invocation<'a> {
    words: Vec<&'a str>,
    is_test: bool,
    /// The result is a program or a test, not a library.
    is_program: bool,
}

impl<'a> Invocation<'a> {
    fn new(words: Vec<&'a str>) -> Invocation<'a> {
        let is_test = words.contains(&"--test");
        let is_bin = words.windows(2).any(|pair| pair == ["--crate-type", "bin"]);
        Invocation { words, is_test, is_program: is_test || is_bin }
    }

    /// The value of an option that is followed by it, or that has it after `=`.
    fn values<'s>(&'s self, option: &'s str) -> impl Iterator<Item = &'a str> + 's {
        let separate = self.words.windows(2).filter(move |pair| pair[0] == option).map(|pair| pair[1]);
        let joined = self.words.iter().filter_map(move |word| word.strip_prefix(option)?.strip_prefix('='));
        separate.chain(joined)
    }

    /// What rustc is to do instead.
    fn arguments(&self, harness: &Path) -> Vec<String> {
        let is_dropped =
            |value: &str| DROPPED.iter().any(|name| value == *name || value.starts_with(&format!("{name}=")));
        let mut words: Vec<String> = compile::RUST_DEFAULTS.map(String::from).to_vec();
        let mut rest = self.words.iter();
        while let Some(&word) = rest.next() {
            match word {
                "-C" | "--codegen" => match rest.next() {
                    Some(value) if is_dropped(value) => {}
                    value => words.extend([word.to_string()].into_iter().chain(value.map(|v| v.to_string()))),
                },
                _ if word.strip_prefix("-C").is_some_and(is_dropped) => {}
                _ if word.starts_with("--emit=") && self.is_program => {
                    words.push("--emit=dep-info,llvm-ir".to_string());
                }
                _ => words.push(word.to_string()),
            }
        }
        if !self.is_program {
            words.push("--emit=llvm-ir".to_string());
        }
        words.push(compile::RUST_NO_BITCODE.to_string());
        words.extend(compile::RUST_FLAGS.map(String::from));
        if self.is_test {
            words.push(format!("--extern=test={}", harness.display()));
        }
        words
    }

    /// Where the results are, without an extension.
    fn stem(&self) -> Result<PathBuf> {
        let name = self.values("--crate-name").next();
        let folder = self.values("--out-dir").next();
        let (Some(name), Some(folder)) = (name, folder) else { bail!("cargo names no crate or no folder") };
        let extra = self.values("-C").find_map(|value| value.strip_prefix("extra-filename="));
        Ok(Path::new(folder).join(format!("{name}{}", extra.unwrap_or_default())))
    }

    /// Says what was compiled.
    fn describe(&self, harness: &Path) -> Result<()> {
        let stem = self.stem()?;
        let of_library = |value: &str| library_stem(Path::new(value.split_once('=')?.1));
        let mut libraries: Vec<PathBuf> = self.values("--extern").filter_map(of_library).collect();
        let mut compiled = Compiled { module: Compiled::module_at(&stem), ..Compiled::default() };
        if !self.is_program {
            compiled.libraries = libraries;
            return compiled.write(&Compiled::library_at(&stem));
        }
        if self.is_test {
            libraries.extend(library_stem(harness));
            let file = compiled.module.display().to_string();
            let text = std::fs::read_to_string(&compiled.module).with_context(|| file.clone())?;
            let tests = rust_tests::tests(&file, &text)?;
            std::fs::write(&compiled.module, text + &rust_tests::entries(&tests)).with_context(|| file)?;
            compiled.tests = tests.into_iter().map(|test| (test.name, test.ignored)).collect();
        }
        compiled.libraries = libraries;
        compiled.write(&stem)
    }
}

/// The place of a library's results, without prefix and extension; macros are no libraries.
fn library_stem(path: &Path) -> Option<PathBuf> {
    let is_library = path.extension().is_some_and(|extension| extension == "rlib" || extension == "rmeta");
    let name = path.file_stem()?.to_str()?.strip_prefix("lib")?;
    is_library.then(|| path.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rustc_writes_a_module_and_does_not_link_a_program() {
        let words = "--crate-name p --edition=2024 a.rs --crate-type bin --emit=dep-info,link -C opt-level=3 -C lto \
                     -C incremental=x -Clto=fat -C extra-filename=-1 --out-dir d --extern q=d/libq-2.rmeta --target t";
        let invocation = Invocation::new(words.split_whitespace().collect());
        let changed = invocation.arguments(Path::new("h/libtest.rlib")).join(" ");
        let expected = "--crate-name p --edition=2024 a.rs --crate-type bin --emit=dep-info,llvm-ir -C opt-level=3 \
                        -C extra-filename=-1 --out-dir d --extern q=d/libq-2.rmeta --target t";
        let [defaults, flags] = [compile::RUST_DEFAULTS.join(" "), compile::RUST_FLAGS.join(" ")];
        assert_eq!(changed, format!("{defaults} {expected} {} {flags}", compile::RUST_NO_BITCODE));
        assert_eq!(invocation.stem().unwrap(), Path::new("d/p-1"));
        assert_eq!(library_stem(Path::new("d/libq-2.rmeta")).unwrap(), Path::new("d/q-2"));
        assert_eq!(library_stem(Path::new("d/libmacros-2.so")), None);
    }
}
