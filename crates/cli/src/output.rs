//! Writing to the terminal, whatever stands at its other end.

use anyhow::{Context, Result};
use std::io::{ErrorKind, IsTerminal, Write};

/// Writes to standard output. A reader that has gone away (`atropos ... | head`) is none of our business.
///
/// # Errors
/// When it cannot be written to.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Says what is wrong, on standard error.
pub fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "error: {}", message.trim_end());
}

/// Says what is wrong in an input file; the message begins with file, line and column.
pub fn complain_about_input(message: &str) {
    let _ = writeln!(std::io::stderr(), "{}", message.trim_end());
}

/// Something the user should know, on standard error.
pub fn note(message: &str) {
    let _ = writeln!(std::io::stderr(), "note: {message}");
}

/// Whether colours are seen, and not unwanted, on this stream.
pub fn wants_colors(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// A command line that a shell reads back as these arguments.
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
