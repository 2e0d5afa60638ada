//! X86 tables: Intel's syntax for `X86`, AT&T's for `X86_64`, as in herd.

use crate::ast::x86::{Instruction, Line, MemoryOperand, Mode, Operand, Register, Thread, Width};
use std::fmt::{self, Display, Formatter};

pub(crate) fn write_threads(f: &mut Formatter<'_>, threads: &[Thread], mode: Mode) -> fmt::Result {
    let n_rows = threads.iter().map(|thread| thread.lines.len()).max().unwrap_or(0);
    let columns: Vec<Vec<String>> =
        threads.iter().enumerate().map(|(number, thread)| column(number, thread, mode)).collect();
    let widths: Vec<usize> =
        columns.iter().map(|column| column.iter().map(String::len).max().unwrap_or(0)).collect();
    for row in 0..=n_rows {
        for (number, (column, width)) in columns.iter().zip(&widths).enumerate() {
            let cell = column.get(row).map_or("", String::as_str);
            let bar = if number == 0 { " " } else { "| " };
            write!(f, "{bar}{cell:width$} ")?;
        }
        writeln!(f, ";")?;
    }
    writeln!(f)
}

fn column(number: usize, thread: &Thread, mode: Mode) -> Vec<String> {
    let head = format!("P{number}");
    std::iter::once(head).chain(thread.lines.iter().map(|line| cell(line, mode))).collect()
}

fn cell(line: &Line, mode: Mode) -> String {
    let mut words: Vec<String> = line.labels.iter().map(|label| format!("{label}:")).collect();
    words.extend(line.instruction.as_ref().map(|instruction| Written(instruction, mode).to_string()));
    words.join(" ")
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Written(self, Mode::B32).fmt(f)
    }
}

/// An instruction in the syntax of one dialect.
struct Written<'instruction>(&'instruction Instruction, Mode);

impl Display for Written<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Written(instruction, mode) = *self;
        let suffix = match instruction.width {
            None => "",
            Some(Width::Double) => "L",
            Some(Width::Quad) => "Q",
        };
        let mnemonic = format!("{}{suffix}", instruction.mnemonic.name());
        let mut operands: Vec<String> =
            instruction.operands.iter().map(|operand| write_operand(operand, mode)).collect();
        let lock = if instruction.lock { "LOCK " } else { "" };
        match mode {
            Mode::B32 => write!(f, "{lock}{mnemonic}")?,
            Mode::B64 => {
                // With two registers or none, only the `%` tells the parser.
                operands.reverse();
                write!(f, "{}{}", lock.to_ascii_lowercase(), mnemonic.to_ascii_lowercase())?;
            }
        }
        if operands.is_empty() { Ok(()) } else { write!(f, " {}", operands.join(",")) }
    }
}

fn write_operand(operand: &Operand, mode: Mode) -> String {
    let register = |register: &Register| match mode {
        Mode::B32 => register.to_string(),
        Mode::B64 => format!("%{}", register.to_string().to_ascii_lowercase()),
    };
    match (operand, mode) {
        (Operand::Register(name), _) => register(name),
        (Operand::Immediate(value), _) => format!("${value}"),
        (Operand::Label(label), _) => label.clone(),
        (Operand::Memory(MemoryOperand::Location(name)), Mode::B32) => format!("[{name}]"),
        (Operand::Memory(MemoryOperand::Location(name)), Mode::B64) => format!("({name})"),
        (Operand::Memory(MemoryOperand::At(name)), Mode::B32) => format!("[{}]", register(name)),
        (Operand::Memory(MemoryOperand::At(name)), Mode::B64) => format!("({})", register(name)),
    }
}
