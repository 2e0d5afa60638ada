//! Output to standard output and standard error.

use crate::args::Color;
use crate::complaint;
use anyhow::{Context, Result};
use atropos_event::Diagnostics;
use atropos_report::Style;
use std::io::{ErrorKind, IsTerminal, Write};

/// Writes to standard output. Ignores a closed pipe (`atropos ... | head`).
///
/// # Errors
/// If standard output cannot be written to.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Prints an error on standard error.
pub fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "error: {}", message.trim_end());
}

/// Prints the errors of an input file on standard error.
pub fn complain_about_input(complaints: &Diagnostics, color: Color) {
    let drawn = complaint::draw(complaints, style(color, &std::io::stderr()));
    let _ = std::io::stderr().write_all(drawn.as_bytes());
}

/// Prints a note on standard error.
pub fn note(message: &str) {
    let _ = writeln!(std::io::stderr(), "note: {message}");
}

/// A line on standard error that replaces itself and disappears in the end, if standard error is a terminal.
pub struct PassingLine {
    is_shown: bool,
}

impl PassingLine {
    pub fn new(is_wanted: bool) -> PassingLine {
        PassingLine { is_shown: is_wanted && stderr_is_terminal() }
    }

    pub fn show(&self, text: &str) {
        if self.is_shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
        }
    }
}

impl Drop for PassingLine {
    fn drop(&mut self) {
        self.show("");
    }
}

/// Colours, unless the stream does not show them or the user does not want them.
pub fn style(color: Color, stream: &impl IsTerminal) -> Style {
    let is_unwanted = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match color {
        Color::Always => Style::Colored,
        Color::Auto if stream.is_terminal() && !is_unwanted() => Style::Colored,
        Color::Auto | Color::Never => Style::Plain,
    }
}

pub fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// A command line that a shell parses into these arguments.
pub fn quoted_command(args: impl IntoIterator<Item = String>) -> String {
    let quoted: Vec<_> = args.into_iter().map(quoted).collect();
    quoted.join(" ")
}

fn quoted(arg: String) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=+,:@%".contains(c);
    if !arg.is_empty() && arg.chars().all(is_plain) {
        arg
    } else {
        format!("'{}'", arg.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_quoted_arguments_back() {
        let args = ["atropos", "check", "a b.litmus", "it's", ""].map(String::from);
        assert_eq!(quoted_command(args), r"atropos check 'a b.litmus' 'it'\''s' ''");
    }
}
