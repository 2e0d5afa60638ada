//! All rows of all programs, table by table.

use crate::row::{Row, rows};
use std::fs;
use std::path::{Path, PathBuf};

/// The papers by year; other sources come last.
const PAPERS: [&str; 6] = ["Nidhugg Fig.", "Nidhugg Table", "RCMC", "Tracer", "RVF", "TruSt"];

/// The rows of all programs below `folder`, sorted by source, program and place in it.
///
/// # Errors
/// A file cannot be read, a row is malformed, or a program has none.
pub fn load(folder: &Path) -> Result<Vec<Row>, String> {
    let mut all = Vec::new();
    for file in programs(folder)? {
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let rows = rows(&file, &text)?;
        // Our own programs, which no paper has, state their expectations in the form of the C corpus.
        if rows.is_empty() && !text.contains("// check: ") {
            return Err(format!("{}: the program has no line `// row: ...`", file.display()));
        }
        all.extend(rows);
    }
    all.sort_by_cached_key(|row| place(&row.source));
    Ok(all)
}

/// The C programs below `folder`, sorted.
fn programs(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let explain = |error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(explain)? {
        let path = entry.map_err(explain)?.path();
        if path.is_dir() {
            found.extend(programs(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "c" || extension == "cpp") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Sorts sources: papers by [`PAPERS`], tables by their numbers.
fn place(source: &str) -> (usize, Vec<(String, u64)>) {
    let paper = PAPERS.iter().position(|paper| source.starts_with(paper)).unwrap_or(PAPERS.len());
    let mut parts: Vec<(String, u64)> = vec![(String::new(), 0)];
    let mut is_number = false;
    for letter in source.chars() {
        if is_number && !letter.is_ascii_digit() {
            parts.push((String::new(), 0));
        }
        is_number = letter.is_ascii_digit();
        let (text, number) = parts.last_mut().expect("it is never empty");
        match letter.to_digit(10) {
            Some(digit) => *number = number.saturating_mul(10).saturating_add(u64::from(digit)),
            None => text.push(letter),
        }
    }
    (paper, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_come_in_the_order_of_the_papers() {
        let sources = [
            "Nidhugg Table 1",
            "RCMC Table 2",
            "RCMC Table 10",
            "RCMC §2.1",
            "RCMC §2.10",
            "Tracer Table 1",
            "TruSt Table 2",
            "GenMC suite",
            "Nidhugg suite",
        ];
        assert!(sources.is_sorted_by_key(|source| place(source)));
    }

    #[test]
    fn the_programs_of_the_repository_have_well_formed_rows() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks");
        assert!(load(&folder).expect("every row is well-formed").len() > 200);
    }

    #[test]
    fn a_missing_folder_is_named() {
        assert!(load(Path::new("no/such/folder")).unwrap_err().starts_with("no/such/folder: "));
    }
}
