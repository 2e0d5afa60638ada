//! One row of a paper's table, in the first comment of a program:
//!
//! ```text
//! // row: [slow: ]SOURCE | DEFINES | OPTIONS | FIGURES [| ours FIGURES: reason]
//! // row: RCMC Table 2 | N=4 | --model rc11 --algorithm rcmc | executions 576, duplicates 98
//! ```
//!
//! FIGURES are the paper's. If ours differ, the last field says what they are and why. The field is required if the
//! paper gives only a time. A slow row takes more than about ten seconds and runs only with `--all`.

use crate::figures::Figures;
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub file: PathBuf,
    /// The paper and its table or section.
    pub source: String,
    pub is_slow: bool,
    /// Passed to the compiler as `-D`.
    pub defines: Vec<String>,
    /// Passed to `atropos check`.
    pub options: Vec<String>,
    pub paper: Figures,
    pub ours: Option<Explained>,
}

/// Figures that differ from the paper's, and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Explained {
    pub figures: Figures,
    pub reason: String,
}

const MARK: &str = "// row:";

/// The rows of a program.
///
/// # Errors
/// What is wrong with a row, with file and line.
pub fn rows(file: &Path, text: &str) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (nth, line) in text.lines().enumerate() {
        let Some(fields) = line.trim_start().strip_prefix(MARK) else { continue };
        let row = row(file, fields).map_err(|error| format!("{}:{}: {error}", file.display(), nth + 1))?;
        rows.push(row);
    }
    Ok(rows)
}

fn row(file: &Path, text: &str) -> Result<Row, String> {
    let fields: Vec<&str> = text.split('|').map(str::trim).collect();
    let (&[source, defines, options, paper], ours) = match fields.as_slice() {
        [source, defines, options, paper] => (&[*source, *defines, *options, *paper], None),
        [source, defines, options, paper, ours] => (&[*source, *defines, *options, *paper], Some(*ours)),
        _ => return Err(format!("expected four or five fields between `|`, found {}", fields.len())),
    };
    let (is_slow, source) = match source.strip_prefix("slow:") {
        Some(source) => (true, source.trim()),
        None => (false, source),
    };
    let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let paper: Figures = paper.parse()?;
    let ours = ours.map(explained).transpose()?;
    if source.is_empty() {
        return Err("the first field must say where the figures are printed".to_string());
    }
    if !paper.has_counts() && ours.is_none() {
        return Err("the paper gives no figure to compare, so the row needs a field `ours`".to_string());
    }
    let source = source.to_string();
    let file = file.to_path_buf();
    Ok(Row { file, source, is_slow, defines: words(defines), options: words(options), paper, ours })
}

fn explained(text: &str) -> Result<Explained, String> {
    let parts = text.strip_prefix("ours ").and_then(|text| text.split_once(':'));
    let (figures, reason) =
        parts.ok_or_else(|| format!("expected `ours FIGURES: reason`, found `{text}`"))?;
    let (figures, reason): (Figures, _) = (figures.parse()?, reason.trim().to_string());
    if reason.is_empty() || !figures.has_counts() {
        return Err("the field `ours` needs a count or a verdict, and a reason".to_string());
    }
    Ok(Explained { figures, reason })
}

impl Row {
    /// The expected figures.
    pub fn expected(&self) -> &Figures {
        self.ours.as_ref().map_or(&self.paper, |ours| &ours.figures)
    }

    /// Whether the row takes a fraction of a second, as far as the figures show it. Tests run such rows.
    pub fn is_quick(&self) -> bool {
        !self.is_slow && self.expected().total() <= 2500 && self.paper.time_s.is_none_or(|time| time <= 20.0)
    }

    /// Whether the row contains each of the words; a definition such as `N=1` must match as a whole.
    pub fn has_words(&self, words: &str) -> bool {
        let text = self.to_string();
        let has_word = |word: &str| {
            if word.contains('=') { text.split(' ').any(|other| other == word) } else { text.contains(word) }
        };
        words.split_whitespace().all(has_word)
    }

    /// The name of the program.
    pub fn name(&self) -> String {
        self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The text that `--filter` searches.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source, self.name())?;
        self.defines.iter().chain(&self.options).try_for_each(|word| write!(f, " {word}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Row, String> {
        rows(Path::new("a/casw.c"), line).map(|mut rows| rows.remove(0))
    }

    #[test]
    fn a_row_has_its_fields() {
        let row = read("// row: RCMC Table 3 | N=4 K=2 | --model sc | executions 1200, blocked 40").unwrap();
        assert_eq!(row.to_string(), "RCMC Table 3: casw N=4 K=2 --model sc");
        assert_eq!((row.paper.executions, row.paper.blocked, row.is_slow), (Some(1200), Some(40), false));
        assert_eq!(row.expected(), &row.paper);
    }

    #[test]
    fn a_row_may_be_slow_and_explained() {
        let row = read("// row: slow: T | | | time 3 | ours executions 7: the paper has: no count").unwrap();
        assert!(row.is_slow && row.defines.is_empty() && row.options.is_empty());
        assert_eq!(row.expected().executions, Some(7));
        assert_eq!(row.ours.unwrap().reason, "the paper has: no count");
    }

    #[test]
    fn a_row_with_few_executions_is_quick_unless_it_says_otherwise() {
        let is_quick = |fields: &str| read(&format!("// row: {fields}")).unwrap().is_quick();
        assert!(is_quick("T | | | executions 5") && is_quick("T | | | verdict verified, time 2"));
        assert!(!is_quick("slow: T | | | executions 5") && !is_quick("T | | | executions 5, blocked 9000"));
        assert!(!is_quick("T | | | verdict verified, time 60"));
    }

    #[test]
    fn rows_are_found_by_their_words() {
        let row = read("// row: RCMC Table 3 | N=10 | --model rc11 | executions 1").unwrap();
        for words in ["", "casw", "RCMC N=10", "rc11 Table", "N=10"] {
            assert!(row.has_words(words), "{words}");
        }
        for words in ["casrot", "N=1", "casw N=1"] {
            assert!(!row.has_words(words), "{words}");
        }
    }

    #[test]
    fn a_malformed_row_is_refused_with_its_place() {
        let wrong = [
            "T | N=1 | executions 1",
            "| N=1 | | executions 1",
            "T | N=1 | | executions 1 | 7: reason",
            "T | N=1 | | executions 1 | ours executions 7:",
            "T | N=1 | | executions 1 | ours time 7: reason",
            "T | N=1 | | time 1",
            "T | N=1 | | runs 1",
        ];
        for fields in wrong {
            let error = read(&format!("// A program.\n// row: {fields}\n")).unwrap_err();
            assert!(error.starts_with("a/casw.c:2: "), "{error}");
        }
    }
}
