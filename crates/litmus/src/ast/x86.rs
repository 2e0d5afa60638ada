//! The X86 dialect: a table with one column of instructions per thread.
//!
//! Operands are in Intel's order, destination first, whichever order the file uses.

use atropos_event::Span;
use std::fmt;

/// `X86` or `X86_64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    B32,
    B64,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    pub lines: Vec<Line>,
}

/// A cell of the table: labels, and the instruction after them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    pub labels: Vec<String>,
    pub instruction: Option<Instruction>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    pub mnemonic: Mnemonic,
    /// With a `LOCK` prefix.
    pub lock: bool,
    /// The width given by a suffix (`MOVL`, `MOVQ`).
    pub width: Option<Width>,
    pub operands: Vec<Operand>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    Register(Register),
    Immediate(i64),
    Memory(MemoryOperand),
    Label(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemoryOperand {
    Location(String),
    /// The location whose address a register holds.
    At(Register),
}

/// `EAX` is the register with index 0, 32 bits wide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Register {
    pub index: u8,
    pub width: Width,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Width {
    Double,
    Quad,
}

impl Width {
    pub fn bytes(self) -> u8 {
        match self {
            Width::Double => 4,
            Width::Quad => 8,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mnemonic {
    Mov,
    Xchg,
    Xadd,
    Cmpxchg,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    Cmp,
    Test,
    Mfence,
    Lfence,
    Sfence,
    Nop,
    Jump(Jump),
}

/// The condition of a jump, after a comparison of `left` with `right`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Jump {
    Always,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Mnemonic {
    /// Every spelling; the first one of a mnemonic is printed.
    const NAMES: [(&'static str, Mnemonic); 31] = [
        ("MOV", Mnemonic::Mov),
        ("XCHG", Mnemonic::Xchg),
        ("XADD", Mnemonic::Xadd),
        ("CMPXCHG", Mnemonic::Cmpxchg),
        ("ADD", Mnemonic::Add),
        ("SUB", Mnemonic::Sub),
        ("AND", Mnemonic::And),
        ("OR", Mnemonic::Or),
        ("XOR", Mnemonic::Xor),
        ("INC", Mnemonic::Inc),
        ("DEC", Mnemonic::Dec),
        ("CMP", Mnemonic::Cmp),
        ("TEST", Mnemonic::Test),
        ("MFENCE", Mnemonic::Mfence),
        ("LFENCE", Mnemonic::Lfence),
        ("SFENCE", Mnemonic::Sfence),
        ("NOP", Mnemonic::Nop),
        ("PAUSE", Mnemonic::Nop),
        ("JMP", Mnemonic::Jump(Jump::Always)),
        ("JE", Mnemonic::Jump(Jump::Equal)),
        ("JZ", Mnemonic::Jump(Jump::Equal)),
        ("JNE", Mnemonic::Jump(Jump::NotEqual)),
        ("JNZ", Mnemonic::Jump(Jump::NotEqual)),
        ("JL", Mnemonic::Jump(Jump::Less)),
        ("JLE", Mnemonic::Jump(Jump::LessEqual)),
        ("JG", Mnemonic::Jump(Jump::Greater)),
        ("JGE", Mnemonic::Jump(Jump::GreaterEqual)),
        ("JS", Mnemonic::Jump(Jump::Less)),
        ("JNS", Mnemonic::Jump(Jump::GreaterEqual)),
        ("JLT", Mnemonic::Jump(Jump::Less)),
        ("JGT", Mnemonic::Jump(Jump::Greater)),
    ];

    /// The mnemonic `word`, in any case, and the width of its suffix.
    pub(crate) fn from_word(word: &str) -> Option<(Mnemonic, Option<Width>)> {
        let word = word.to_ascii_uppercase();
        let find =
            |name: &str| Self::NAMES.iter().find(|(known, _)| *known == name).map(|&(_, mnemonic)| mnemonic);
        if let Some(mnemonic) = find(&word) {
            return Some((mnemonic, None));
        }
        let width = if word.ends_with('L') {
            Width::Double
        } else if word.ends_with('Q') {
            Width::Quad
        } else {
            return None;
        };
        let mnemonic = find(&word[..word.len() - 1])?;
        mnemonic.takes_width().then_some((mnemonic, Some(width)))
    }

    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, mnemonic)| *mnemonic == self).map_or("?", |(name, _)| name)
    }

    fn takes_width(self) -> bool {
        self.n_operands() > 0 && !matches!(self, Mnemonic::Jump(_))
    }

    pub(crate) fn n_operands(self) -> usize {
        match self {
            Mnemonic::Mfence | Mnemonic::Lfence | Mnemonic::Sfence | Mnemonic::Nop => 0,
            Mnemonic::Inc | Mnemonic::Dec | Mnemonic::Jump(_) => 1,
            Mnemonic::Mov
            | Mnemonic::Xchg
            | Mnemonic::Xadd
            | Mnemonic::Cmpxchg
            | Mnemonic::Add
            | Mnemonic::Sub
            | Mnemonic::And
            | Mnemonic::Or
            | Mnemonic::Xor
            | Mnemonic::Cmp
            | Mnemonic::Test => 2,
        }
    }
}

impl Register {
    pub const COUNT: usize = 16;
    const LEGACY: [&'static str; 8] = ["AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP"];

    /// The register `word`, in any case: `EAX` to `ESP`, `RAX` to `RSP`, `R8` to `R15`, `R8D` to `R15D`.
    pub(crate) fn from_word(word: &str) -> Option<Register> {
        let word = word.to_ascii_uppercase();
        let legacy =
            |name: &str| Self::LEGACY.iter().position(|known| *known == name).map(|index| index as u8);
        if let Some(index) = word.strip_prefix('E').and_then(legacy) {
            return Some(Register { index, width: Width::Double });
        }
        let rest = word.strip_prefix('R')?;
        if let Some(index) = legacy(rest) {
            return Some(Register { index, width: Width::Quad });
        }
        let (digits, width) = match rest.strip_suffix('D') {
            Some(digits) => (digits, Width::Double),
            None => (rest, Width::Quad),
        };
        let index = (8..16).find(|index: &u8| index.to_string() == digits)?;
        Some(Register { index, width })
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (Self::LEGACY.get(usize::from(self.index)), self.width) {
            (Some(name), Width::Double) => write!(f, "E{name}"),
            (Some(name), Width::Quad) => write!(f, "R{name}"),
            (None, Width::Double) => write!(f, "R{}D", self.index),
            (None, Width::Quad) => write!(f, "R{}", self.index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_print_as_they_are_read() {
        for name in ["EAX", "RSP", "R8", "R15D"] {
            assert_eq!(Register::from_word(name).unwrap().to_string(), name);
        }
        for name in ["AL", "R16", "R7", "R08", "E", "X"] {
            assert_eq!(Register::from_word(name), None, "{name}");
        }
    }

    #[test]
    fn suffixes_tell_the_width() {
        assert_eq!(Mnemonic::from_word("movq"), Some((Mnemonic::Mov, Some(Width::Quad))));
        assert_eq!(Mnemonic::from_word("JL"), Some((Mnemonic::Jump(Jump::Less), None)));
        assert_eq!(Mnemonic::from_word("MFENCEL"), None);
    }
}
