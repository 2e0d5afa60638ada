//! `cargo xtask packages`: what other people's packages may be, by the rules of deny.toml.
//!
//! cargo-deny does more, with a database of advisories, but it must be installed first. This checks what
//! `cargo metadata` knows about the packages that are built here: their licences, that all come from crates.io, that
//! no manifest of the workspace accepts every version, and that what is published has a description.

use serde_json::{Value, json};
use spdx::{Expression, ParseMode};
use std::path::Path;
use std::process::{Command, ExitCode};

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// # Errors
/// If cargo does not answer, or deny.toml has no list of licences.
pub fn run(root: &Path) -> Result<ExitCode, String> {
    let rules =
        std::fs::read_to_string(root.join("deny.toml")).map_err(|error| format!("deny.toml: {error}"))?;
    let allowed = allowed_licences(&rules).ok_or("deny.toml has no list of licences")?;
    let host = output(Command::new("rustc").arg("-vV"))?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?;
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", host]);
    let metadata = output(cargo.current_dir(root))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = list(&metadata["packages"]);
    let complaints: Vec<String> = packages.iter().flat_map(|package| complaints(package, &allowed)).collect();
    for complaint in &complaints {
        eprintln!("error: {complaint}");
    }
    eprintln!("packages: {} packages, {} errors", packages.len(), complaints.len());
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{name}: {error}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| &list[..])
}

/// The list `allow` of the section `licenses`.
fn allowed_licences(rules: &str) -> Option<Vec<String>> {
    let (_, section) = rules.split_once("[licenses]")?;
    let (_, list) = section.split_once("allow = [")?;
    let (list, _) = list.split_once(']')?;
    Some(list.split('"').skip(1).step_by(2).map(String::from).collect())
}

/// What is wrong with a package.
fn complaints(package: &Value, allowed: &[String]) -> Vec<String> {
    let name = format!("{} {}", text(&package["name"]), text(&package["version"]));
    let (licence, source) = (text(&package["license"]), &package["source"]);
    let mut found = Vec::new();
    match Expression::parse_mode(licence, ParseMode::LAX) {
        Err(_) => found.push(format!("{name}: the licence `{licence}` is unknown")),
        Ok(expression) => {
            let is_allowed = expression
                .evaluate(|requirement| allowed.iter().any(|licence| *licence == requirement.to_string()));
            if !is_allowed {
                found.push(format!("{name}: the licence {licence} is not in deny.toml"));
            }
        }
    }
    if !source.is_null() && *source != CRATES_IO {
        found.push(format!("{name}: comes from {}, not from crates.io", text(source)));
    }
    if source.is_null() {
        let dependencies = list(&package["dependencies"]).iter();
        let any = dependencies.filter(|other| other["req"] == "*" && other["path"].is_null());
        found.extend(any.map(|other| format!("{name}: accepts every version of {}", text(&other["name"]))));
        // An empty list of registries: `publish = false`.
        if package["publish"] != json!([]) && package["description"].is_null() {
            found.push(format!("{name}: is published without a description"));
        }
    }
    found
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(licence: &str, source: Value, dependencies: Value) -> Vec<String> {
        let package = json!({
            "name": "p", "version": "1.0.0", "license": licence, "source": source, "dependencies": dependencies,
            "description": "P"
        });
        let rules = "[bans]\nx = 1\n[licenses]\nversion = 2\nallow = [\"MIT\",\n \"Apache-2.0 WITH LLVM-exception\"]\n";
        complaints(&package, &allowed_licences(rules).expect("a list"))
    }

    #[test]
    fn licences_are_those_of_the_rules() {
        let of = |licence| say(licence, json!(CRATES_IO), json!([]));
        for good in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "Apache-2.0 WITH LLVM-exception AND MIT"] {
            assert_eq!(of(good), Vec::<String>::new(), "{good}");
        }
        assert_eq!(of("GPL-3.0"), ["p 1.0.0: the licence GPL-3.0 is not in deny.toml"]);
        assert_eq!(of("MIT AND ISC"), ["p 1.0.0: the licence MIT AND ISC is not in deny.toml"]);
        assert_eq!(of(""), ["p 1.0.0: the licence `` is unknown"]);
    }

    #[test]
    fn packages_come_from_the_registry_in_known_versions() {
        assert_eq!(say("MIT", json!("git+x"), json!([])), ["p 1.0.0: comes from git+x, not from crates.io"]);
        let dependencies = json!([
            { "name": "a", "req": "*" },
            { "name": "b", "req": "*", "path": "/b" },
            { "name": "c", "req": "^1" },
        ]);
        assert_eq!(say("MIT", json!(null), dependencies), ["p 1.0.0: accepts every version of a"]);
    }

    #[test]
    fn what_is_published_is_described() {
        let say = |publish: Value| {
            complaints(&json!({ "name": "p", "license": "MIT", "publish": publish }), &["MIT".to_string()])
        };
        assert_eq!(say(json!(null)), ["p : is published without a description"]);
        assert_eq!(say(json!([])), Vec::<String>::new());
    }
}
