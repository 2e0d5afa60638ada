//! The result for people: `docs/mutants.md`.

use super::{Fate, Outcome};
use std::fmt::Write;

const HEAD: &str = "# Mutants of the engine\n\n\
     Each row is a small fault put into the engine on purpose (`mutants/list.txt`), and the first test that failed with\n\
     it. `make mutants` builds them and writes this page. A mutant that no test notices has to be argued equivalent.\n\n";

pub fn document(outcomes: &[Outcome<'_>]) -> String {
    let mut text = HEAD.to_string();
    let _ = writeln!(text, "{}", summary(outcomes));
    text += "| place | mutant | what is lost | result |\n|---|---|---|---|\n";
    for Outcome { mutant, fate } in outcomes {
        let result = match (fate, &mutant.equivalent) {
            (Fate::Killed { suite, test }, _) => format!("killed by {suite}: `{test}`"),
            (Fate::Survived, Some(reason)) => format!("equivalent: {reason}"),
            (Fate::Survived, None) => "**survives**".to_string(),
        };
        let place = mutant.file.trim_start_matches("crates/").replace("/src/", "/");
        let _ = writeln!(text, "| {place} | {} | {} | {result} |", mutant.name, mutant.loses);
    }
    text
}

/// One line, and one more for each survivor.
pub fn summary(outcomes: &[Outcome<'_>]) -> String {
    let count = |is: fn(&Outcome<'_>) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    let n_killed = count(|outcome| matches!(outcome.fate, Fate::Killed { .. }));
    let is_survivor = |outcome: &Outcome<'_>| matches!(outcome.fate, Fate::Survived);
    let n_equivalent =
        count(|outcome| matches!(outcome.fate, Fate::Survived) && outcome.mutant.equivalent.is_some());
    let survivors = outcomes.iter().filter(|o| is_survivor(o) && o.mutant.equivalent.is_none());
    let names: Vec<_> = survivors.map(|outcome| outcome.mutant.name.as_str()).collect();
    let mut text = format!(
        "{} mutants: {n_killed} killed, {n_equivalent} equivalent, {} survive.\n",
        outcomes.len(),
        names.len()
    );
    for name in names {
        let _ = writeln!(text, "\nSurvives: {name}");
    }
    text
}
