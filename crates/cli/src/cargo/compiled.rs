//! What the wrapper says about a crate that it has compiled, in a file beside the results.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(PartialEq, Eq, Debug, Default)]
pub struct Compiled {
    /// Its LLVM IR.
    pub module: PathBuf,
    /// The libraries that it uses: where their results are, without an extension.
    pub libraries: Vec<PathBuf>,
    /// The names of its tests; an ignored one with the reason.
    pub tests: Vec<(String, Option<String>)>,
}

impl Compiled {
    /// Where the module of the crate is whose results are at `stem`.
    pub fn module_at(stem: &Path) -> PathBuf {
        with_suffix(stem, ".ll")
    }

    /// Where the description of a library is.
    pub fn library_at(stem: &Path) -> PathBuf {
        with_suffix(stem, ".crate.json")
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let tests: Vec<Value> =
            self.tests.iter().map(|(name, ignored)| json!({"name": name, "ignored": ignored})).collect();
        let object = json!({"module": self.module, "libraries": self.libraries, "tests": tests});
        std::fs::write(path, object.to_string()).with_context(|| format!("cannot write {}", path.display()))
    }

    /// # Errors
    /// If there is no such file.
    pub fn read(path: &Path) -> Result<Compiled> {
        let read = || -> Option<Compiled> {
            let object: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
            let libraries = object["libraries"].as_array()?.iter();
            let tests = object["tests"].as_array()?.iter();
            Some(Compiled {
                module: object["module"].as_str()?.into(),
                libraries: libraries.map(|path| Some(path.as_str()?.into())).collect::<Option<_>>()?,
                tests: tests
                    .map(|test| {
                        Some((test["name"].as_str()?.into(), test["ignored"].as_str().map(Into::into)))
                    })
                    .collect::<Option<_>>()?,
            })
        };
        read().with_context(|| format!("{} was not made by Atropos: remove its folder", path.display()))
    }

    /// The modules of the program: its own, and those of all libraries that it uses.
    ///
    /// # Errors
    /// If the description of a library is missing.
    pub fn modules(&self) -> Result<Vec<PathBuf>> {
        let mut modules = vec![self.module.clone()];
        let mut open = self.libraries.clone();
        while let Some(stem) = open.pop() {
            let module = Compiled::module_at(&stem);
            if !modules.contains(&module) {
                open.extend(Compiled::read(&Compiled::library_at(&stem))?.libraries);
                modules.push(module);
            }
        }
        Ok(modules)
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}
