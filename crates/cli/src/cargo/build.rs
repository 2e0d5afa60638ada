//! Runs cargo, and finds out what it has compiled.

use super::compiled::Compiled;
use super::wrapper::HARNESS_VARIABLE;
use crate::args::PackageArgs;
use anyhow::{Context, Result, bail};
use atropos_llvm::compile::{self, Job};
use atropos_llvm::rust_tests;
use serde_json::Value;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program or the tests of a crate.
pub struct Target {
    /// The name of the target, for people.
    pub name: String,
    /// The source file, for people.
    pub source: String,
    /// The list of its modules, which is what a check reads.
    pub file: PathBuf,
    pub tests: Vec<(String, Option<String>)>,
}

/// How cargo is run.
pub struct Build<'a> {
    package: &'a PackageArgs,
    cargo: PathBuf,
    folder: PathBuf,
    harness: PathBuf,
    host: String,
    /// Held until the programs are known: another build, with other features, puts its programs in the same place.
    _lock: File,
}

impl<'a> Build<'a> {
    /// Prepares what every build needs.
    ///
    /// # Errors
    /// There is no package here, or no rustc whose library is known.
    pub fn new(package: &'a PackageArgs) -> Result<Build<'a>> {
        compile::rust_library(&Job::default())?;
        let cargo = std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
        let mut metadata = Command::new(&cargo);
        metadata.args(["metadata", "--no-deps", "--format-version=1"]);
        metadata.args(package.manifest_path.iter().flat_map(|path| [Path::new("--manifest-path"), path]));
        metadata.args(package.offline.then_some("--offline"));
        let metadata: Value = serde_json::from_str(&output_of(&mut metadata)?).context("cargo's metadata")?;
        let target =
            metadata["target_directory"].as_str().context("cargo names no folder for its results")?;
        let version = compile::rustc_version(&Job::default())?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.context("rustc does not name its host")?.to_string();
        let mut hasher = DefaultHasher::new();
        (&version, compile::RUST_FLAGS, rust_tests::HARNESS, env!("CARGO_PKG_VERSION")).hash(&mut hasher);
        let folder = Path::new(target).join("atropos").join(format!("{:016x}", hasher.finish()));
        let lock = locked(&folder).with_context(|| format!("cannot use {}", folder.display()))?;
        let harness = harness(&folder.join("harness"))?;
        Ok(Build { package, cargo, folder, harness, host, _lock: lock })
    }

    /// The tests of the package, one program for each crate that has tests.
    ///
    /// # Errors
    /// The package does not compile.
    pub fn tests(&self) -> Result<Vec<Target>> {
        let mut artifacts = self.run(&["test", "--no-run"])?;
        artifacts.retain(|artifact| artifact["profile"]["test"] == true);
        artifacts.iter().map(program).collect()
    }

    /// The binaries and examples of the package that were asked for.
    ///
    /// # Errors
    /// The package does not compile.
    pub fn binaries(&self) -> Result<Vec<Target>> {
        let artifacts = self.run(&["build"])?;
        artifacts.iter().map(program).collect()
    }

    /// Runs cargo, and returns its messages about programs.
    fn run(&self, command: &[&str]) -> Result<Vec<Value>> {
        let mut cargo = Command::new(&self.cargo);
        cargo.args(command).args(self.package.words()).arg("--message-format=json-render-diagnostics");
        cargo.args(["--target", &self.host]).arg("--target-dir").arg(&self.folder);
        cargo.env("RUSTC_WRAPPER", std::env::current_exe().context("cannot find this program")?);
        cargo.env(HARNESS_VARIABLE, &self.harness).env("CARGO_INCREMENTAL", "0");
        let output = output_of(&mut cargo)?;
        let messages = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut programs: Vec<Value> = messages.filter(|message| message["executable"].is_string()).collect();
        // Cargo names them in the order in which they were compiled.
        let kinds = ["lib", "bin", "example", "test", "bench"];
        programs.sort_by_cached_key(|program| {
            let kind = kinds.iter().position(|kind| program["target"]["kind"][0] == *kind);
            (kind, program["target"]["src_path"].to_string())
        });
        Ok(programs)
    }
}

/// A folder for results that no other process uses.
fn locked(folder: &Path) -> std::io::Result<File> {
    std::fs::create_dir_all(folder)?;
    let file = File::create(folder.join("lock"))?;
    file.lock()?;
    Ok(file)
}

/// What a command prints. Its messages go where ours go.
fn output_of(command: &mut Command) -> Result<String> {
    let name = Path::new(command.get_program()).display().to_string();
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        bail!("{name} did not succeed");
    }
    String::from_utf8(output.stdout).with_context(|| format!("{name} does not print text"))
}

/// The program that a message of cargo is about.
fn program(artifact: &Value) -> Result<Target> {
    let path = PathBuf::from(artifact["executable"].as_str().unwrap_or_default());
    let compiled = Compiled::read(&path)?;
    let modules: Vec<String> = compiled.modules()?.iter().map(|path| path.display().to_string()).collect();
    let file = compiled.module.with_extension("crates");
    std::fs::write(&file, modules.join("\n") + "\n").with_context(|| file.display().to_string())?;
    let name = artifact["target"]["name"].as_str().unwrap_or_default().to_string();
    let source = artifact["target"]["src_path"].as_str().unwrap_or_default();
    Ok(Target {
        name,
        source: super::near(Path::new(source)).display().to_string(),
        file,
        tests: compiled.tests,
    })
}

/// The library that takes the place of the crate `test`, compiled into `folder`.
fn harness(folder: &Path) -> Result<PathBuf> {
    let (library, stem) = (folder.join("libtest.rlib"), folder.join("test"));
    if library.exists() {
        return Ok(library);
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let source = folder.join("test.rs");
    std::fs::write(&source, rust_tests::HARNESS).with_context(|| source.display().to_string())?;
    let module = Compiled::module_at(&stem);
    Compiled { module, ..Compiled::default() }.write(&Compiled::library_at(&stem))?;
    compile::rust_crate(&source, "test", folder, &Job::default())?;
    Ok(library)
}
