//! Debug information: from the number of a `!DILocation` to a source place.
//!
//! Lines of metadata are kept as text; [`super::debug`] reads what they say about variables and types. A location
//! names a line, a column and a scope; scopes lead, by their own `file:` or through their parents, to a `!DIFile`.

use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct Metadata {
    nodes: HashMap<u32, String>,
    /// What `!llvm.ident` refers to: the node that names the compiler.
    ident: Option<u32>,
}

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct DebugLocation {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Metadata {
    /// Keeps a line that starts with `!`, if it can lead to a place.
    pub(crate) fn note(&mut self, content: &str) {
        let Some((number, node)) = content[1..].split_once(" = ") else { return };
        if number == "llvm.ident" {
            self.ident = references(node).next();
        }
        let node = node.trim_start_matches("distinct ");
        let wanted = [
            "!DILocation(",
            "!DISubprogram(",
            "!DILexicalBlock",
            "!DIFile(",
            "!DIGlobalVariable",
            "!DILocalVariable(",
            "!DICompositeType(",
            "!DIDerivedType(",
            "!DIBasicType(",
            "!DISubrange(",
            "!{",
        ];
        if let (Ok(number), true) = (number.parse(), wanted.iter().any(|kind| node.starts_with(kind))) {
            self.nodes.insert(number, node.to_string());
        }
    }

    /// The version of clang that made the module, if it says so.
    pub(crate) fn clang_version(&self) -> Option<u32> {
        let (_, version) = self.node(self.ident?)?.split_once("clang version ")?;
        version.split('.').next()?.parse().ok()
    }

    /// The version of rustc that made the module, if it says so: 95 for 1.95.
    pub(crate) fn rustc_version(&self) -> Option<u32> {
        let (_, version) = self.node(self.ident?)?.split_once("rustc version 1.")?;
        version.split('.').next()?.parse().ok()
    }

    pub(super) fn node(&self, number: u32) -> Option<&str> {
        self.nodes.get(&number).map(String::as_str)
    }

    pub(crate) fn location(&self, number: u32) -> Option<DebugLocation> {
        let node = self.nodes.get(&number).filter(|node| node.starts_with("!DILocation("))?;
        let line = field(node, "line: ").and_then(|text| text.parse().ok()).unwrap_or(0);
        let column = field(node, "column: ").and_then(|text| text.parse().ok()).unwrap_or(0);
        let file = self.file_of(reference(node, "scope: ")?, 64)?;
        (line > 0).then_some(DebugLocation { file, line, column })
    }

    /// The location of the call that a location was inlined for.
    pub(crate) fn inlined_at(&self, number: u32) -> Option<u32> {
        reference(self.nodes.get(&number)?, "inlinedAt: ")
    }

    fn file_of(&self, scope: u32, depth: u32) -> Option<String> {
        let node = self.nodes.get(&scope)?;
        if node.starts_with("!DIFile(") {
            let name = quoted(node, "filename: ")?;
            let directory = quoted(node, "directory: ").unwrap_or_default();
            let is_plain = name.starts_with('/') || directory.is_empty();
            return Some(if is_plain { name } else { format!("{directory}/{name}") });
        }
        let up = reference(node, "file: ").or_else(|| reference(node, "scope: "))?;
        if depth == 0 { None } else { self.file_of(up, depth - 1) }
    }
}

pub(super) fn field<'n>(node: &'n str, key: &str) -> Option<&'n str> {
    let at = node
        .match_indices(key)
        .map(|(at, _)| at)
        .find(|&at| matches!(node.as_bytes()[at - 1], b'(' | b' '))?;
    let rest = &node[at + key.len()..];
    Some(&rest[..rest.find([',', ')']).unwrap_or(rest.len())])
}

pub(super) fn reference(node: &str, key: &str) -> Option<u32> {
    field(node, key)?.strip_prefix('!')?.parse().ok()
}

/// The numbers in a list of nodes: `!{!3, !4}`.
pub(super) fn references(list: &str) -> impl Iterator<Item = u32> {
    let inside = list.strip_prefix("!{").and_then(|list| list.strip_suffix('}')).unwrap_or_default();
    inside.split(", ").filter_map(|number| number.strip_prefix('!')?.parse().ok())
}

pub(super) fn quoted(node: &str, key: &str) -> Option<String> {
    let at = node.find(&format!("{key}\""))?;
    Some(node[at + key.len() + 1..].split('"').next()?.to_string())
}
