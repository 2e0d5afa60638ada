//! Clang's messages, read back as diagnostics.
//!
//! Clang omits excerpts (`-fno-caret-diagnostics`), so that each message is one line, `FILE:LINE:COLUMN: error:
//! MESSAGE`. Lines of other forms say which file includes which, and how many errors there are.

use atropos_event::{Diagnostic, Diagnostics, Severity};

const SEVERITIES: [(&str, Severity); 4] = [
    (": error: ", Severity::Error),
    (": fatal error: ", Severity::Error),
    (": warning: ", Severity::Warning),
    (": note: ", Severity::Note),
];

/// The errors in `said`, each with its notes.
pub(crate) fn diagnostics(said: &str) -> Diagnostics {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut includes = Vec::new();
    for line in said.lines() {
        if let Some(place) = line.trim_start().strip_prefix("In file included from ") {
            let note = Diagnostic::new(Severity::Note, "included from here");
            includes.push(placed(note, place.trim_end_matches([':', ','])));
            continue;
        }
        let Some(diagnostic) = diagnostic(line) else { continue };
        match found.last_mut() {
            Some(last) if diagnostic.severity == Severity::Note => last.notes.push(diagnostic),
            _ => found.push(Diagnostic { notes: std::mem::take(&mut includes), ..diagnostic }),
        }
    }
    if found.iter().all(|diagnostic| diagnostic.severity != Severity::Error) {
        return Diagnostic::error(said).into();
    }
    Diagnostics(found)
}

/// Adds what may help to the first complaint about a name that the C++ library has only in newer standards.
pub(crate) fn suggest_newer_standard(diagnostics: &mut Diagnostics) {
    let is_missing = |complaint: &&mut Diagnostic| {
        let message = &complaint.message;
        message.starts_with("no ") && message.contains(" named '") && message.ends_with(" in namespace 'std'")
    };
    if let Some(complaint) = diagnostics.0.iter_mut().find(is_missing) {
        complaint.help = Some("if a newer standard has it, name the standard: -- -std=c++20".to_string());
    }
}

fn diagnostic(line: &str) -> Option<Diagnostic> {
    let found = SEVERITIES.iter().filter_map(|(word, severity)| Some((line.find(word)?, *word, *severity)));
    let (at, word, severity) = found.min_by_key(|(at, ..)| *at)?;
    Some(placed(Diagnostic::new(severity, &line[at + word.len()..]), &line[..at]))
}

/// Sets the place of a diagnostic to `place`: `FILE:LINE:COLUMN` or `FILE:LINE`, or else the name of a program.
fn placed(complaint: Diagnostic, place: &str) -> Diagnostic {
    let number = |text: &str| text.parse::<u32>().ok();
    let mut parts = place.rsplitn(3, ':');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(column), Some(line), Some(file)) if number(line).is_some() => {
            complaint.at_line(file, number(line).unwrap_or(1), number(column).unwrap_or(1))
        }
        (Some(line), Some(file), None) if number(line).is_some() => {
            complaint.at_line(file, number(line).unwrap_or(1), 1)
        }
        _ => Diagnostic { file: Some(place.to_string()), ..complaint },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_is_read_with_its_notes() {
        let said = "In file included from a.c:1:\nIn file included from ./b.h:2:\n./c.h:3:4: error: odd: one\n\
                    a.c:5:6: warning: hm [-Wodd]\na.c:7:8: error: two\nb.h:1:2: note: declared here\n\
                    2 errors and 1 warning generated.";
        let Diagnostics(found) = diagnostics(said);
        let lines: Vec<String> = found
            .iter()
            .flat_map(|one| std::iter::once(one).chain(&one.notes).map(Diagnostic::to_string))
            .collect();
        let expected = [
            "./c.h:3:4: error: odd: one",
            "a.c:1:1: note: included from here",
            "./b.h:2:1: note: included from here",
            "a.c:5:6: warning: hm [-Wodd]",
            "a.c:7:8: error: two",
            "b.h:1:2: note: declared here",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_name_of_a_newer_standard_has_a_suggestion() {
        let mut found = diagnostics(
            "a.cpp:1:1: error: odd\na.cpp:2:3: error: no member named 'latch' in namespace 'std'\n\
             a.cpp:3:3: error: no template named 'span' in namespace 'std'",
        );
        suggest_newer_standard(&mut found);
        let helped: Vec<bool> = found.0.iter().map(|complaint| complaint.help.is_some()).collect();
        assert_eq!(helped, [false, true, false]);
    }

    #[test]
    fn what_has_no_place_is_passed_on() {
        let line = |said: &str| diagnostics(said).to_string();
        assert_eq!(
            line("clang-19: error: unknown argument: '-fx'"),
            "clang-19: error: unknown argument: '-fx'"
        );
        assert_eq!(line("something else"), "error: something else");
    }
}
