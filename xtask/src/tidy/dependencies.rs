//! The arrows between crates: [`ALLOWED`] lists them all.
//!
//! What a crate cannot import it cannot know. Tests may use more: this rule ignores `dev-dependencies`. The oracle is
//! part of the test kit, and a rule of its own keeps it independent.

use super::TidyFinding;
use super::tree::{File, SourceTree, numbered};

/// The crates of the workspace that a crate may depend on; `None` for a crate on top, which may use any.
const ALLOWED: [(&str, Option<&[&str]>); 20] = [
    ("event", Some(&[])),
    ("graph", Some(&["event"])),
    ("cat", Some(&["event", "graph"])),
    ("model", Some(&["event", "graph"])),
    ("explore", Some(&["event", "graph", "cat", "model"])),
    ("vm", Some(&["event"])),
    ("litmus", Some(&["event", "vm"])),
    ("llvm", Some(&["event", "vm"])),
    ("native", Some(&["event"])),
    (
        "atropos",
        Some(&[
            "event", "graph", "cat", "model", "explore", "report", "check", "native", "spread", "cluster",
        ]),
    ),
    ("report", Some(&["event", "graph", "cat"])),
    ("check", Some(&["event", "graph", "cat", "model", "explore", "report"])),
    ("spread", Some(&["event", "graph", "cat", "model", "explore", "report", "check"])),
    ("cluster", Some(&["spread"])),
    ("loom", Some(&[])),
    ("orders", Some(&["event", "graph", "cat", "model", "explore", "report", "check", "vm"])),
    ("cli", None),
    ("testkit", Some(&["event", "graph", "cat", "vm"])),
    ("differential", None),
    ("bench", None),
];

const PREFIX: &str = "atropos-";

pub fn forbidden_arrows(tree: &SourceTree) -> Vec<TidyFinding> {
    tree.crates().into_iter().flat_map(|name| forbidden_from(tree, name)).collect()
}

fn forbidden_from(tree: &SourceTree, name: &str) -> Vec<TidyFinding> {
    let path = format!("crates/{name}/Cargo.toml");
    let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
        let message = "a new crate: add it to xtask/src/tidy/dependencies.rs with the crates it may use";
        return vec![TidyFinding::error(&path, 0, message)];
    };
    let Some(allowed) = allowed else { return Vec::new() };
    let manifest = tree.file(&path).expect("a crate is where its manifest is");
    let arrows = dependencies(manifest).into_iter();
    let forbidden = arrows.filter(|(_, target)| !allowed.contains(target));
    forbidden
        .map(|(line, target)| {
            let message = format!("`{name}` must not depend on `{target}`: see ARCHITECTURE.md, \"Arrows\"");
            TidyFinding::error(&path, line, message)
        })
        .collect()
}

/// The crates of the workspace that a manifest names outside of its `dev-dependencies`, with the line.
fn dependencies(manifest: &File) -> Vec<(usize, &str)> {
    let mut section = "";
    let mut found = Vec::new();
    for (line, text) in numbered(&manifest.text) {
        let text = text.trim();
        if let Some(header) = text.strip_prefix('[') {
            section = header.trim_end_matches(']');
            let tail = section.rsplit_once('.').map_or("", |(_, tail)| tail);
            if section.contains("dependencies.") && !section.contains("dev-dependencies") {
                found.extend(tail.strip_prefix(PREFIX).map(|name| (line, name)));
            }
        } else if section.ends_with("dependencies") && !section.ends_with("dev-dependencies") {
            let name = text.split(['=', '.', ' ']).next().unwrap_or_default();
            found.extend(name.strip_prefix(PREFIX).map(|name| (line, name)));
        }
    }
    found
}

/// The oracle judges the explorers, so it shares only the vocabulary with them: not the bridge from graphs to cat, and
/// no way to run programs.
pub fn oracle_on_its_own(tree: &SourceTree) -> Vec<TidyFinding> {
    let shared = ["crate::", "bridge", "atropos_vm"];
    let files = tree.with_extension("rs").filter(|file| file.path.starts_with("crates/testkit/src/oracle/"));
    let uses = files.flat_map(|file| numbered(&file.text).map(move |(line, text)| (file, line, text)));
    uses.filter(|(_, _, text)| text.starts_with("use ") && shared.iter().any(|word| text.contains(word)))
        .map(|(file, line, _)| {
            TidyFinding::error(&file.path, line, "the oracle shares no code: see ARCHITECTURE.md")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::say;
    use super::*;

    fn arrows(name: &str, manifest: &str) -> Vec<String> {
        say(forbidden_arrows, &[(&format!("crates/{name}/Cargo.toml"), manifest)])
    }

    #[test]
    fn allowed_arrows_pass() {
        let manifest = "[dependencies]\natropos-event = { path = \"../event\" }\nrustc-hash = \"2\"\n\
                        [dev-dependencies]\natropos-explore = { path = \"../explore\" }\n";
        assert!(arrows("graph", manifest).is_empty());
        assert!(arrows("cli", "[dependencies]\natropos-explore.workspace = true\n").is_empty());
    }

    #[test]
    fn forbidden_arrows_are_found() {
        let said =
            arrows("testkit", "[package]\n[dependencies]\natropos-explore = { path = \"../explore\" }\n");
        assert_eq!(said.len(), 1);
        assert!(
            said[0].starts_with("error: crates/testkit/Cargo.toml:3: `testkit` must not depend on `explore`")
        );
        assert_eq!(arrows("event", "[dependencies.atropos-graph]\npath = \"../graph\"\n").len(), 1);
        assert_eq!(
            arrows("vm", "[target.'cfg(unix)'.dependencies]\natropos-graph.workspace = true\n").len(),
            1
        );
        assert_eq!(arrows("vm", "[build-dependencies]\natropos-graph = \"1\"\n").len(), 1);
    }

    #[test]
    fn the_oracle_shares_only_the_vocabulary() {
        let said = |text| say(oracle_on_its_own, &[("crates/testkit/src/oracle/structure.rs", text)]);
        assert!(said("use atropos_cat::Structure;\nuse super::candidate::Candidate;\n").is_empty());
        assert_eq!(said("use atropos_cat::bridge::structure;\n").len(), 1);
        assert_eq!(said("use crate::lower;\nuse atropos_vm::Vm;\n").len(), 2);
    }

    #[test]
    fn an_unknown_crate_is_found() {
        assert_eq!(arrows("surprise", "[package]\n").len(), 1);
    }
}
