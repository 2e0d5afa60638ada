//! Draws the errors of an input for a terminal: file, line and column, then the source line with a caret under the
//! place.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use atropos_event::{Diagnostic, Diagnostics, Region, Severity};
use atropos_report::Style;
use std::fmt::Write;

/// Draws the diagnostics one after the other, each with its notes.
pub fn draw(complaints: &Diagnostics, style: Style) -> String {
    let mut out = String::new();
    for complaint in &complaints.0 {
        write_one(&mut out, complaint, style).expect("writing to a string");
        for note in &complaint.notes {
            write_one(&mut out, note, style).expect("writing to a string");
        }
    }
    out
}

fn write_one(out: &mut String, complaint: &Diagnostic, style: Style) -> std::fmt::Result {
    let Diagnostic { severity, message, file, region, help, .. } = complaint;
    if let Some(file) = file {
        write!(out, "{file}:")?;
        if let Some(region) = region {
            write!(out, "{}:{}:", region.line, region.column)?;
        }
        write!(out, " ")?;
    }
    let word = format!("{}:", severity.name());
    let word = match severity {
        Severity::Error => style.bad(&word),
        Severity::Warning => style.unsure(&word),
        Severity::Note => style.bold(&word),
    };
    writeln!(out, "{word} {}", message.trim_end())?;
    if let (Some(file), Some(region)) = (file, region)
        && let Some(text) = region.text.clone().or_else(|| line_of(file, region.line))
    {
        writeln!(out, "{}", excerpt(&text, region, *severity, style))?;
    }
    if let Some(help) = help {
        writeln!(out, "  = help: {help}")?;
    }
    Ok(())
}

/// A line of a file, if it can be read.
fn line_of(file: &str, line: u32) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().nth((line as usize).checked_sub(1)?).map(String::from)
}

fn excerpt(text: &str, region: &Region, severity: Severity, style: Style) -> String {
    let byte = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    let start = (region.column as usize).saturating_sub(1);
    let span = byte(start)..byte(start + region.width as usize);
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let snippet =
        Snippet::source(text).line_start(region.line as usize).annotation(AnnotationKind::Primary.span(span));
    let renderer = match style {
        Style::Colored => Renderer::styled(),
        Style::Plain => Renderer::plain(),
    };
    renderer.render(&[Group::with_level(level).element(snippet)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_event::{Fault, Span, Texts};
    use expect_test::{Expect, expect};

    fn check(text: &str, part: &str, expected: Expect) {
        let start = text.find(part).expect("part of the text");
        let fault = Fault::new(Span::new(start, start + part.len()), "odd");
        let complaint = Texts::of_file("t.litmus", text).error(fault);
        expected.assert_eq(&draw(&complaint.into(), Style::Plain));
    }

    #[test]
    fn carets_are_under_the_part_that_is_meant() {
        check(
            "C test\n\tint r0 = é$$;\n",
            "$$",
            expect![[r#"
                t.litmus:2:12: error: odd
                  |
                2 |     int r0 = é$$;
                  |               ^^
            "#]],
        );
        check(
            "C test\n",
            "C test\n",
            expect![[r#"
                t.litmus:1:1: error: odd
                  |
                1 | C test
                  | ^^^^^^
            "#]],
        );
    }

    #[test]
    fn places_that_do_not_exist_do_not_panic() {
        let region =
            |line, column, width, text: &str| Region { line, column, width, text: Some(text.into()) };
        for region in [region(0, 0, 0, ""), region(1, 99, 99, "é"), region(u32::MAX, 1, u32::MAX, "x\u{0}y")]
        {
            let complaint = Diagnostic::error("odd").at("t", region);
            assert!(draw(&complaint.into(), Style::Colored).contains('^'));
        }
        let nowhere = Diagnostic::error("odd").at_line("/no/such/file", 3, 1);
        assert_eq!(draw(&nowhere.into(), Style::Plain), "/no/such/file:3:1: error: odd\n");
    }

    #[test]
    fn notes_and_help_follow() {
        let mut complaint = Diagnostic::about_file("p.c", "odd");
        complaint.notes.push(Diagnostic::new(Severity::Note, "as is this"));
        complaint.help = Some("do not".to_string());
        expect![[r#"
            p.c: error: odd
              = help: do not
            note: as is this
        "#]]
        .assert_eq(&draw(&complaint.into(), Style::Plain));
    }
}
