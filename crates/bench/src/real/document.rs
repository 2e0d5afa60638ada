//! The page about the checks of real code.

use super::recipe::{RealCheck, RealVerdict, Recipe};
use std::fmt::Write;

/// What one check has found.
pub struct RealRow {
    driver: String,
    packages: String,
    options: String,
    found: String,
}

impl RealRow {
    pub fn new(recipe: &Recipe, check: &RealCheck, found: &Result<RealVerdict, String>) -> RealRow {
        let file = recipe.driver.file_name().unwrap_or_default().to_string_lossy();
        let changed = check.change.as_ref().map_or("", |_| ", changed");
        let packages = recipe.packages.iter().map(|package| match package.is_source {
            true => format!("{} (source)", package.name),
            false => package.name.clone(),
        });
        let words: Vec<&str> = check.options.iter().chain(&check.flags).map(String::as_str).collect();
        RealRow {
            driver: format!("[{file}](../corpus/real/{file}){changed}"),
            packages: packages.collect::<Vec<_>>().join(", "),
            options: if words.is_empty() { String::new() } else { format!("`{}`", words.join(" ")) },
            found: found.as_ref().map_or_else(|_| "no verdict".to_string(), ToString::to_string),
        }
    }
}

const INTRODUCTION: &str = "# Real code

What Atropos says about data structures and locks of other projects, from their own sources as Debian 12 has them.
`make real` fetches and checks them, and `make real UPDATE=--markdown` writes this page. Each driver in `corpus/real` is
a short program that uses the code as it is: nothing of it is replaced by stubs. All options are those of
[CLI.md](CLI.md). Where the driver says *changed*, one line of the source is another one: a bug put in, or one mended.
[found.md](found.md) tells the bugs.

Some projects have no package and are not here: folly, taskflow, and the queues and locks of rigtorp and chaoran.
mimalloc has one and has no driver yet: it can be checked, but each pair of accesses that overlap in parts lets the
search start over, which takes minutes.

";

/// The page with these rows.
pub fn page(rows: &[RealRow]) -> String {
    let mut text = INTRODUCTION.to_string();
    text += "| driver | packages | options and flags | result |\n|---|---|---|---|\n";
    for row in rows {
        let _ = writeln!(text, "| {} | {} | {} | {} |", row.driver, row.packages, row.options, row.found);
    }
    text
}
