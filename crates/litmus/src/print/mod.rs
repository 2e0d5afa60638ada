//! Prints litmus tests for herd. Printed text parses back to the same tree.

mod c;
mod x86;

use crate::ast::{Code, Init, Litmus, x86::Mode};
use crate::condition::Observable;
use std::fmt;

impl fmt::Display for Litmus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let language = match self.code {
            Code::C(_) => "C",
            Code::X86 { mode: Mode::B32, .. } => "X86",
            Code::X86 { mode: Mode::B64, .. } => "X86_64",
        };
        writeln!(f, "{language} {}", self.name)?;
        if let Some(doc) = &self.doc {
            writeln!(f, "\"{doc}\"")?;
        }
        for (key, value) in &self.info {
            writeln!(f, "{key}={value}")?;
        }
        self.write_init(f)?;
        match &self.code {
            Code::C(threads) => c::write_threads(f, threads)?,
            Code::X86 { mode, threads } => x86::write_threads(f, threads, *mode)?,
        }
        self.write_finals(f)
    }
}

impl Litmus {
    fn write_init(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{{")?;
        for item in &self.init {
            writeln!(f, "{item};")?;
        }
        writeln!(f, "}}\n")
    }

    fn write_finals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.locations.is_empty() {
            f.write_str("locations [")?;
            for (observable, _) in &self.locations {
                write!(f, "{observable};")?;
            }
            writeln!(f, "]")?;
        }
        if let Some(filter) = &self.filter {
            writeln!(f, "filter ({filter})")?;
        }
        if let Some(condition) = &self.condition {
            writeln!(f, "{condition}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Init {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.ty, &self.target) {
            (Some(ty), target) => write!(f, "{ty} {target}={}", self.value),
            (None, Observable::Location(name)) => write!(f, "[{name}]={}", self.value),
            (None, register) => write!(f, "{register}={}", self.value),
        }
    }
}
