//! The result for people: `docs/mutants.md`.

use super::list::Mutant;
use super::results::Fate;
use std::fmt::Write;

const HEAD: &str = "# Mutants of the engine\n\n\
     Each row is a small fault put into the engine on purpose (`mutants/list.txt`), and the first test that failed with\n\
     it. `make mutants` builds them and writes this page. A mutant that no test notices has to be argued equivalent.\n\n";

pub fn document(outcomes: &[(&Mutant, &Fate)]) -> String {
    let mut text = HEAD.to_string();
    let _ = writeln!(text, "{}", summary(outcomes));
    text += "| place | mutant | what is lost | result |\n|---|---|---|---|\n";
    for (mutant, fate) in outcomes {
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
pub fn summary(outcomes: &[(&Mutant, &Fate)]) -> String {
    let survivors = outcomes.iter().filter(|(_, fate)| **fate == Fate::Survived);
    let (equivalent, bad): (Vec<_>, Vec<_>) = survivors.partition(|(mutant, _)| mutant.equivalent.is_some());
    let mut text = format!(
        "{} mutants: {} killed, {} equivalent, {} survive.\n",
        outcomes.len(),
        outcomes.len() - equivalent.len() - bad.len(),
        equivalent.len(),
        bad.len()
    );
    for (mutant, _) in bad {
        let _ = writeln!(text, "\nSurvives: {}", mutant.name);
    }
    text
}
