//! The list of mutants: a text file for people, which the tidy check reads as well.
//!
//! ```text
//! suite NAME = PACKAGE TARGET FILTER...    the tests of a binary whose names contain a filter, or all
//! clang-suite NAME = ...                   the same for tests that compile C programs
//!
//! mutant NAME
//! file crates/model/src/sc.rs
//! old next(graph, added).is_none()         an expression; white space counts as one blank
//! new true
//! loses what goes wrong with it
//! suites NAME NAME                         which tests to run, the cheapest first
//! equivalent why no test can notice it     instead of a fault that must be noticed
//! ```
//!
//! Lines that begin with `#` are comments.

use std::ops::Range;
use std::path::Path;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mutant {
    /// Counted from 1.
    pub number: usize,
    pub name: String,
    pub file: String,
    pub old: String,
    pub new: String,
    pub loses: String,
    pub suites: Vec<String>,
    pub equivalent: Option<String>,
}

/// A part of the tests: a test binary, `lib` for the unit tests of the package, and which of its tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suite {
    pub name: String,
    pub package: String,
    pub target: String,
    pub filters: Vec<String>,
    pub needs_clang: bool,
}

#[derive(Clone, Debug, Default)]
pub struct List {
    pub suites: Vec<Suite>,
    pub mutants: Vec<Mutant>,
}

impl List {
    pub fn read(path: &Path) -> Result<List, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        List::parse(&text)
    }

    pub fn parse(text: &str) -> Result<List, String> {
        let mut list = List::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                let read = list.read_line(line);
                read.map_err(|message| format!("{}:{}: {message}", super::LIST, index + 1))?;
            }
        }
        list.check()?;
        Ok(list)
    }

    fn read_line(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').ok_or("a word and what it says")?;
        let rest = rest.trim();
        if word == "suite" || word == "clang-suite" {
            let suite = Suite::parse(rest).ok_or("suite NAME = PACKAGE TARGET FILTER...")?;
            self.suites.push(Suite { needs_clang: word == "clang-suite", ..suite });
            return Ok(());
        }
        if word == "mutant" {
            let number = self.mutants.len() + 1;
            self.mutants.push(Mutant { number, name: rest.into(), ..Mutant::default() });
            return Ok(());
        }
        let mutant = self.mutants.last_mut().ok_or("a mutant begins with its name")?;
        match word {
            "file" => mutant.file = rest.into(),
            "old" => mutant.old = rest.into(),
            "new" => mutant.new = rest.into(),
            "loses" => mutant.loses = rest.into(),
            "suites" => mutant.suites = rest.split_whitespace().map(String::from).collect(),
            "equivalent" => mutant.equivalent = Some(rest.into()),
            _ => return Err(format!("no such word: `{word}`")),
        }
        Ok(())
    }

    /// Nothing is missing, and no name is used twice.
    fn check(&self) -> Result<(), String> {
        for mutant in &self.mutants {
            let Mutant { name, file, old, new, loses, .. } = mutant;
            if [file, old, new, loses].iter().any(|field| field.is_empty()) || mutant.suites.is_empty() {
                return Err(format!("{name}: needs file, old, new, loses and suites"));
            }
            if let Some(text) = [old, new].into_iter().find(|text| !is_balanced(text)) {
                return Err(format!("{name}: not a whole expression: `{text}`"));
            }
            if self.mutants.iter().filter(|other| other.name == *name).count() > 1 {
                return Err(format!("{name}: there are two of that name"));
            }
            if let Some(unknown) = mutant.suites.iter().find(|suite| self.suite(suite).is_none()) {
                return Err(format!("{name}: there is no suite {unknown}"));
            }
        }
        Ok(())
    }

    pub fn suite(&self, name: &str) -> Option<&Suite> {
        self.suites.iter().find(|suite| suite.name == name)
    }
}

impl Suite {
    fn parse(text: &str) -> Option<Suite> {
        let (name, what) = text.split_once('=')?;
        let mut words = what.split_whitespace().map(String::from);
        let (package, target) = (words.next()?, words.next()?);
        Some(Suite {
            name: name.trim().into(),
            package,
            target,
            filters: words.collect(),
            needs_clang: false,
        })
    }
}

/// Whether every bracket is closed, and none is closed before it is opened.
fn is_balanced(text: &str) -> bool {
    let mut open = Vec::new();
    text.chars().all(|c| match c {
        '(' | '[' | '{' => {
            open.push(c);
            true
        }
        ')' => open.pop() == Some('('),
        ']' => open.pop() == Some('['),
        '}' => open.pop() == Some('{'),
        _ => true,
    }) && open.is_empty()
}

/// Where `pattern` occurs in `text`, if it does so exactly once; white space counts as one blank.
pub fn find_once(text: &str, pattern: &str) -> Result<Range<usize>, String> {
    let words: Vec<&str> = pattern.split_whitespace().collect();
    let starts = text.match_indices(words[0]).map(|(start, _)| start);
    let mut found = starts.filter_map(|start| Some(start..match_words(text, start, &words)?));
    match (found.next(), found.next()) {
        (Some(range), None) => Ok(range),
        (None, _) => Err("the old text is not there".into()),
        (Some(_), Some(_)) => Err("the old text is there more than once".into()),
    }
}

/// The end of the words at `start`, if they occur there.
fn match_words(text: &str, start: usize, words: &[&str]) -> Option<usize> {
    let mut end = start;
    for (index, word) in words.iter().enumerate() {
        let rest = &text[end..];
        let trimmed = if index == 0 { rest } else { rest.trim_start() };
        if index > 0 && trimmed.len() == rest.len() {
            return None;
        }
        end += rest.len() - trimmed.len();
        trimmed.strip_prefix(word)?;
        end += word.len();
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "suite own = atropos-model lib\n\nmutant one\nfile a.rs\nold x < y\nnew true\n\
                          loses much\nsuites own\n";

    #[test]
    fn a_list_is_read() {
        let list = List::parse(SAMPLE).unwrap();
        assert_eq!((list.suites.len(), list.mutants.len()), (1, 1));
        assert_eq!((list.mutants[0].number, list.mutants[0].old.as_str()), (1, "x < y"));
    }

    #[test]
    fn what_is_missing_or_unknown_is_an_error() {
        for (old, new) in
            [("new true\n", ""), ("suites own", "suites other"), ("loses", "wins"), ("true", "true {")]
        {
            assert!(List::parse(&SAMPLE.replace(old, new)).is_err(), "{new}");
        }
        assert!(List::parse(&format!("{SAMPLE}{}", &SAMPLE[30..])).is_err(), "two of a name");
    }

    #[test]
    fn white_space_counts_as_one_blank() {
        assert_eq!(find_once("if x <\n    y {", "x < y"), Ok(3..12));
        assert!(find_once("x < y || x < y", "x < y").is_err());
        assert!(find_once("x <y", "x < y").is_err());
    }
}
