//! Output streams of C++: `stream << value` returns the stream, and prints the value with `--show-output`.

use atropos_event::{Gap, GapKind};
use atropos_vm::instr::Float;
use atropos_vm::{Instr, Operand};

use super::function::Code;
use crate::ast::Call;

/// Letters and sizes of the numbers that streams have operators for, as [`atropos_vm::format`] has them.
const NUMBERS: [(&str, char, u64); 14] = [
    ("i", 'd', 4),
    ("j", 'u', 4),
    ("l", 'd', 8),
    ("m", 'u', 8),
    ("x", 'd', 8),
    ("y", 'u', 8),
    ("s", 'd', 2),
    ("t", 'u', 2),
    ("b", 'u', 1),
    ("d", 'g', 8),
    ("f", 'g', 8),
    ("PKv", 'p', 8),
    ("c", 'c', 1),
    ("h", 'c', 1),
];

impl Code<'_, '_> {
    pub(crate) fn stream(&mut self, name: &str, call: &Call, args: &[Operand]) -> Result<(), Gap> {
        if !self.all.options.show_output {
            return Ok(());
        }
        let Some(&value) = args.get(1) else {
            return if name.starts_with("_ZSt4endl") { self.new_line() } else { Ok(()) };
        };
        let ty = name.strip_prefix("_ZNSolsE").or_else(|| name.rsplit("ES5_").next()).unwrap_or_default();
        let number = NUMBERS.iter().find(|(letter, ..)| *letter == ty);
        match number {
            Some((_, letter, size)) => {
                let spec = *letter as u64 | size << 16;
                let value = if ty == "f" { self.widened(value) } else { value };
                self.call_runtime(None, "show number", vec![value, Operand::Const(spec)])
            }
            None if name.ends_with("_PKc") => {
                self.call_runtime(None, "fputs", vec![value, Operand::Const(0)])
            }
            None if name.contains("basic_string") => self.call_runtime(None, "show string", vec![value]),
            None if ty.starts_with("PF") => self.new_line(),
            None if name.starts_with("_ZNSo3put") => self.call_runtime(None, "putchar", vec![value]),
            None => Err(GapKind::UnshownArguments.of(name).with([call.args.len() as u64])),
        }
    }

    /// The effect of manipulators here; `std::endl` is the common one.
    fn new_line(&mut self) -> Result<(), Gap> {
        self.call_runtime(None, "putchar", vec![Operand::Const(10)])
    }

    fn widened(&mut self, value: Operand) -> Operand {
        let dst = self.code.fresh();
        self.code.push(Instr::FloatResize { to: Float::F64, dst, value });
        Operand::Reg(dst)
    }
}
