//! All mutants in one copy of the tree: each old expression becomes a choice between itself and its mutant.
//!
//! ```text
//! OLD   becomes   (if atropos_event::mutant::is(7) { NEW } else { OLD })
//! ```
//!
//! The copy of `atropos-event`, on which every crate of the engine depends, gets the module with `is`.
//!
//! The modelled library is text (`.vm`). There both versions stand side by side, between characters that no text has,
//! and the copy of the crate that reads the library chooses one (`resolve`).

use super::VARIABLE;
use super::list::{Mutant, find_once};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

/// The crate that gets the module.
const HOST: &str = "crates/event/src/lib.rs";
/// Where the texts of the library are read, and what becomes of that.
const READER: &str = "crates/llvm/src/runtime/items.rs";
const RESOLVED: [(&str, &str); 2] = [
    ("fn new(texts: Vec<Cow<'static, str>>)", "fn new(mut texts: Vec<Cow<'static, str>>)"),
    (
        "let mut places = HashMap::new();",
        "for text in &mut texts { *text = Cow::Owned(atropos_event::mutant::resolve(text)); } \
         let mut places = HashMap::new();",
    ),
];

/// Copies the tree of `root` to `copy`, with all mutants. Unchanged files keep their times, so a second build has
/// little to do.
pub fn plant(root: &Path, copy: &Path, mutants: &[Mutant]) -> Result<(), String> {
    let files = files_of(root)?;
    let changed = changed_files(root, mutants)?;
    for file in &files {
        let target = copy.join(file);
        if let Ok(link) = std::fs::read_link(root.join(file)) {
            copy_link(&link, &target).map_err(|error| format!("{}: {error}", target.display()))?;
            continue;
        }
        let text = match changed.get(file) {
            Some(text) => text.clone().into_bytes(),
            None => match std::fs::read(root.join(file)) {
                Ok(text) => text,
                // Deleted, but not committed yet.
                Err(_) => continue,
            },
        };
        if std::fs::read(&target).is_ok_and(|old| old == text) {
            continue;
        }
        let folder = target.parent().expect("a file lies in a folder");
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&target, text))
            .map_err(|error| format!("{}: {error}", target.display()))?;
    }
    Ok(())
}

/// Makes `target` a symbolic link to what `link` says, as in the tree that is copied.
fn copy_link(link: &Path, target: &Path) -> std::io::Result<()> {
    if std::fs::read_link(target).is_ok_and(|old| old == link) {
        return Ok(());
    }
    std::fs::create_dir_all(target.parent().expect("a link lies in a folder"))?;
    std::os::unix::fs::symlink(link, target)
}

/// The files that version control knows or does not ignore.
fn files_of(root: &Path) -> Result<Vec<String>, String> {
    let arguments = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let listed = Command::new("git").args(arguments).current_dir(root).output();
    let listed = listed.map_err(|error| format!("git ls-files: {error}"))?;
    let text = String::from_utf8(listed.stdout).map_err(|error| format!("git ls-files: {error}"))?;
    Ok(text.lines().map(String::from).collect())
}

/// The files with mutants, and the one that says which mutant is selected.
fn changed_files(root: &Path, mutants: &[Mutant]) -> Result<BTreeMap<String, String>, String> {
    let read =
        |file: &str| std::fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"));
    let mut by_file: BTreeMap<&str, Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        by_file.entry(&mutant.file).or_default().push(mutant);
    }
    let mut changed = BTreeMap::new();
    for (file, mutants) in by_file {
        let text = mutate(&read(file)?, &mutants)?;
        changed.insert(file.to_string(), text);
    }
    changed.insert(HOST.to_string(), read(HOST)? + &host_module());
    if changed.keys().any(|file| is_library(file)) {
        let mut text = read(READER)?;
        for (old, new) in RESOLVED {
            text.replace_range(find_once(&text, old).map_err(|message| format!("{READER}: {message}"))?, new);
        }
        changed.insert(READER.to_string(), text);
    }
    Ok(changed)
}

fn is_library(file: &str) -> bool {
    file.ends_with(".vm")
}

fn host_module() -> String {
    HOST_MODULE.replace("VARIABLE", VARIABLE)
}

const HOST_MODULE: &str = r#"
/// The selected mutant.
pub mod mutant {
    use std::sync::OnceLock;
    static NUMBER: OnceLock<usize> = OnceLock::new();

    #[inline]
    pub fn is(number: usize) -> bool {
        let read = || std::env::var("VARIABLE").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        *NUMBER.get_or_init(read) == number
    }

    /// A text of the library with the selected mutant.
    pub fn resolve(text: &str) -> String {
        let mut parts = text.split('\u{1}');
        let mut resolved = parts.next().unwrap_or_default().to_string();
        for part in parts {
            let mut fields = part.split('\u{2}');
            let number = fields.next().and_then(|number| number.parse().ok());
            let (new, old) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
            resolved += if number.is_some_and(is) { new } else { old };
            resolved += fields.next().unwrap_or_default();
        }
        resolved
    }
}
"#;

/// The text of a file with its mutants.
fn mutate(text: &str, mutants: &[&Mutant]) -> Result<String, String> {
    let mut places: Vec<(Range<usize>, &Mutant)> = Vec::new();
    for &mutant in mutants {
        let place = find_once(text, &mutant.old);
        places.push((place.map_err(|message| format!("{}: {message}", mutant.name))?, mutant));
    }
    places.sort_by_key(|(range, _)| range.start);
    if let Some(pair) = places.windows(2).find(|pair| pair[0].0.end > pair[1].0.start) {
        return Err(format!("{} and {} change the same text", pair[0].1.name, pair[1].1.name));
    }
    let (mut mutated, mut end) = (String::new(), 0);
    for (range, mutant) in places {
        mutated += &text[end..range.start];
        end = range.end;
        let (number, new, old) = (mutant.number, &mutant.new, &text[range]);
        mutated += &match is_library(&mutant.file) {
            true => format!("\u{1}{number}\u{2}{new}\u{2}{old}\u{2}"),
            false => format!("(if atropos_event::mutant::is({number}) {{ {new} }} else {{ {old} }})"),
        };
    }
    Ok(mutated + &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(number: usize, old: &str, new: &str) -> Mutant {
        Mutant { number, name: format!("m{number}"), old: old.into(), new: new.into(), ..Mutant::default() }
    }

    #[test]
    fn an_expression_becomes_a_choice() {
        let (one, two) = (mutant(1, "a < b", "true"), mutant(2, "c", "d"));
        assert_eq!(
            mutate("if a < b { c }", &[&two, &one]).unwrap(),
            "if (if atropos_event::mutant::is(1) { true } else { a < b }) { \
             (if atropos_event::mutant::is(2) { d } else { c }) }"
        );
    }

    #[test]
    fn a_text_of_the_library_has_both_versions() {
        let mutant = Mutant { file: "a.vm".into(), ..mutant(7, "store x, 1", "yield") };
        assert_eq!(
            mutate("lock; store x, 1; unlock", &[&mutant]).unwrap(),
            "lock; \u{1}7\u{2}yield\u{2}store x, 1\u{2}; unlock"
        );
    }

    #[test]
    fn two_mutants_of_the_same_text_are_refused() {
        let (one, two) = (mutant(1, "a < b", "true"), mutant(2, "b", "c"));
        assert!(mutate("if a < b {}", &[&one, &two]).is_err());
    }
}
