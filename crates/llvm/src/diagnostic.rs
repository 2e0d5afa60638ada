//! Complaints about the input, each with the place it is about.

use std::fmt;

/// One complaint: what is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub file: String,
    /// Line and column from 1; a line of 0 means that the whole file is meant.
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl Diagnostic {
    pub fn about_file(file: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { file: file.to_string(), line: 0, column: 0, message: message.into() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file.is_empty() {
            return write!(f, "{}", self.message);
        }
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            _ => write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message),
        }
    }
}

impl std::error::Error for Diagnostic {}
