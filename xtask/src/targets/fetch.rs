//! Fetches published packages with cargo, and copies them to where they are built.

use super::{OWN, Target, Workshop};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lets cargo fetch the packages: they are the dependencies of an empty one.
pub(super) fn fetch(workshop: &Workshop, targets: &[Target]) -> Result<(), String> {
    let folder = workshop.folder.join("fetch");
    fs::create_dir_all(folder.join("src")).map_err(|error| error.to_string())?;
    let mut manifest =
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n"
            .to_string();
    for Target { name, version, .. } in targets.iter().filter(|target| target.version != OWN) {
        writeln!(manifest, "{name} = \"={version}\"").expect("a string has room");
    }
    let write =
        |file: &str, text: &str| fs::write(folder.join(file), text).map_err(|error| error.to_string());
    write("Cargo.toml", &manifest)?;
    write("src/lib.rs", "")?;
    let status = Command::new("cargo").arg("fetch").current_dir(&folder).status();
    match status.map_err(|error| error.to_string())?.success() {
        true => Ok(()),
        false => Err("cargo cannot fetch the packages".to_string()),
    }
}

/// Copies a package, without its lock file, which would exclude the patch.
pub(super) fn copy(workshop: &Workshop, target: &Target) -> Result<PathBuf, String> {
    let copy = workshop.folder.join("src").join(target.name);
    if let Some(driver) = target.driver {
        return copy_driver(workshop, target, driver, &copy)
            .map_err(|error| format!("cannot copy our own tests: {error}"));
    }
    let source = registry()?.join(format!("{}-{}", target.name, target.version));
    if copy.exists() {
        fs::remove_dir_all(&copy).map_err(|error| error.to_string())?;
    }
    copy_folder(&source, &copy).map_err(|error| format!("cannot copy {}: {error}", source.display()))?;
    let _ = fs::remove_file(copy.join("Cargo.lock"));
    let manifest = copy.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|error| error.to_string())?;
    fs::write(&manifest, adapted(&text)).map_err(|error| error.to_string())?;
    Ok(copy)
}

/// Makes a package of our own tests, of loom alone or of another package.
fn copy_driver(workshop: &Workshop, target: &Target, driver: &str, copy: &Path) -> std::io::Result<PathBuf> {
    let mut manifest = "[package]\nname = \"driver\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
        [dev-dependencies]\nloom = \"0.7\"\n"
        .to_string();
    if target.version != OWN {
        let Target { name, version, .. } = target;
        writeln!(manifest, "{name} = {{ version = \"={version}\", features = [\"loom\"] }}")
            .expect("a string has room");
    }
    fs::create_dir_all(copy.join("src"))?;
    fs::create_dir_all(copy.join("tests"))?;
    fs::write(copy.join("Cargo.toml"), manifest)?;
    fs::write(copy.join("src/lib.rs"), "")?;
    fs::copy(workshop.root.join(driver), copy.join("tests/driver.rs"))?;
    let _ = fs::remove_file(copy.join("Cargo.lock"));
    Ok(copy.to_path_buf())
}

/// The manifest for a package that lies below a workspace to which it does not belong. The largest of the dependencies
/// that only benchmarks need is left out.
fn adapted(manifest: &str) -> String {
    let mut is_kept = true;
    let mut text = String::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_kept = !line.ends_with("dev-dependencies.criterion]");
        }
        if is_kept {
            text += line;
            text += "\n";
        }
    }
    text + "\n[workspace]\n"
}

/// Where cargo unpacks the packages of the registry.
fn registry() -> Result<PathBuf, String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let folder = home.ok_or("there is no home folder")?.join("registry/src");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut registries = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_main =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().contains("crates.io"));
    registries.find(is_main).ok_or_else(|| format!("{} has no registry", folder.display()))
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}
