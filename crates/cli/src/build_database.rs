//! The flags with which a build compiles its files: `compile_commands.json`, as CMake, Meson and Bear write it.
//!
//! Only what decides the meaning of a file is taken over: where headers are, definitions, the language and its options.
//! Paths become absolute, because the build may run in another folder.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The commands of a build.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BuildDatabase {
    commands: Vec<BuildCommand>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct BuildCommand {
    file: PathBuf,
    flags: Vec<String>,
}

/// Flags with a path as the next word or behind them.
const WITH_PATH: [&str; 8] =
    ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot", "-I"];

/// Starts of flags that are taken over as they are.
const TAKEN: [&str; 17] = [
    "-D",
    "-U",
    "-std=",
    "-m",
    "-pthread",
    "-nostdinc",
    "-stdlib=",
    "-fexceptions",
    "-fno-exceptions",
    "-fno-rtti",
    "-fshort-enums",
    "-fshort-wchar",
    "-fsigned-char",
    "-funsigned-char",
    "-fms-extensions",
    "-fwrapv",
    "-fno-strict-aliasing",
];

impl BuildDatabase {
    /// Reads the database of a build folder.
    ///
    /// # Errors
    /// There is none, or it is malformed.
    pub fn read(folder: &Path) -> Result<BuildDatabase, String> {
        let path = folder.join("compile_commands.json");
        let about = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| {
            let help = "a build with CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; Meson always writes it";
            format!("{} ({help})", about(&error))
        })?;
        BuildDatabase::parse(&text).map_err(|error| about(&error))
    }

    fn parse(text: &str) -> Result<BuildDatabase, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let entries = value.as_array().ok_or("not a list of commands")?;
        let commands: Result<Vec<_>, String> = entries.iter().map(command).collect();
        Ok(BuildDatabase { commands: commands? })
    }

    /// The flags of a file, if the build compiles it.
    pub fn flags(&self, file: &Path) -> Option<&[String]> {
        let same = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let file = same(file);
        let command = self.commands.iter().find(|command| same(&command.file) == file);
        command.map(|command| command.flags.as_slice())
    }
}

fn command(entry: &Value) -> Result<BuildCommand, String> {
    let text = |name: &str| entry[name].as_str();
    let folder = Path::new(text("directory").unwrap_or("."));
    let file = text("file").ok_or("a command without `file`")?;
    let words = match (entry["arguments"].as_array(), text("command")) {
        (Some(words), _) => words.iter().filter_map(Value::as_str).map(String::from).collect(),
        (None, Some(command)) => split(command),
        (None, None) => return Err(format!("the command of {file} has neither `arguments` nor `command`")),
    };
    Ok(BuildCommand { file: folder.join(file), flags: meaningful(&words, folder) })
}

/// The words of a command, as a shell reads quotes and backslashes.
fn split(command: &str) -> Vec<String> {
    let (mut words, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(letters.next()),
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, Some(end)) if letter == end => quote = None,
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// The flags that decide what a file means.
fn meaningful(words: &[String], folder: &Path) -> Vec<String> {
    let mut flags = Vec::new();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        if let Some(flag) = WITH_PATH.iter().find(|flag| word.starts_with(**flag)) {
            let behind = word[flag.len()..].trim_start_matches('=');
            let Some(path) = (if behind.is_empty() { rest.next().map(String::as_str) } else { Some(behind) })
            else {
                break;
            };
            flags.extend([(*flag).to_string(), folder.join(path).display().to_string()]);
        } else if word == "-D" || word == "-U" {
            flags.extend(rest.next().map(|name| format!("{word}{name}")));
        } else if TAKEN.iter().any(|start| word.starts_with(start)) {
            flags.push(word.clone());
        } else if word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ" || word == "-x" {
            rest.next();
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_matter_are_taken_over_with_absolute_paths() {
        let text = r#"[
            { "directory": "/b", "file": "../src/a.c",
              "command": "cc -I../include -isystem /sys -D 'NAME=\"a b\"' -DX=\\\"y\\\" -O2 -Wall -std=c11 -o a.o -c ../src/a.c" },
            { "directory": "/b", "file": "/src/b.cpp", "arguments": ["c++", "-c", "-I", "inc", "-pthread", "/src/b.cpp"] }
        ]"#;
        let database = BuildDatabase::parse(text).unwrap();
        let flags = |file: &str| database.flags(Path::new(file)).unwrap().join("|");
        let expected = "-I|/b/../include|-isystem|/sys|-DNAME=\"a b\"|-DX=\"y\"|-std=c11";
        assert_eq!(flags("/b/../src/a.c"), expected);
        assert_eq!(flags("/src/b.cpp"), "-I|/b/inc|-pthread");
        assert_eq!(database.flags(Path::new("/src/c.cpp")), None);
    }

    #[test]
    fn what_is_no_database_is_refused() {
        for text in ["", "{}", "[{}]", r#"[{"file": "a.c"}]"#] {
            assert!(BuildDatabase::parse(text).is_err(), "{text}");
        }
        assert!(BuildDatabase::read(Path::new("/no/such/folder")).unwrap_err().contains("CMAKE_EXPORT"));
    }
}
