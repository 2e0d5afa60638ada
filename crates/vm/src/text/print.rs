//! Prints modules as text.

use std::fmt::Write;

use atropos_event::{AllocKind, ReadOrder, WriteOrder};

use crate::instr::{AwaitReason, ConvertOp, Float, Instr, LockKind};
use crate::ir::{Function, Global, Module, Operand, Reg, Symbol, Target, Width};
use crate::text::failure;

/// The text form of a module, without its source places.
pub fn print(module: &Module) -> String {
    let mut text = String::new();
    for global in &module.globals {
        text += &global_text(module, global);
    }
    for function in &module.functions {
        if !text.is_empty() {
            text.push('\n');
        }
        text += &function_text(module, function);
    }
    text
}

/// The text form of one instruction of `function`.
pub fn instr_text(module: &Module, function: &Function, instr: &Instr) -> String {
    Printer { module, function }.instr(instr)
}

/// Whether `name` needs no quotes.
fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$');
    let rest = chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'));
    first
        && rest
        && !matches!(name, "_" | "not" | "if" | "return" | "goto" | "else" | "private" | "fresh" | "shared")
}

/// A name as the parser reads it; characters that cannot be quoted become underscores.
fn quoted(name: &str) -> String {
    if is_plain(name) {
        return name.to_string();
    }
    let inside: String = name.chars().map(|c| if c == '`' || c.is_control() { '_' } else { c }).collect();
    format!("`{inside}`")
}

pub(super) fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted += "\\n",
            '\t' => quoted += "\\t",
            _ => quoted.push(c),
        }
    }
    quoted + "\""
}

fn constant(value: u64) -> String {
    let signed = value as i64;
    if signed < 0 && signed > i64::from(i32::MIN) { signed.to_string() } else { value.to_string() }
}

/// The text form of a global of `module`.
pub fn global_text(module: &Module, global: &Global) -> String {
    let modifiers = match (global.constant, global.thread_local) {
        (false, false) => "",
        (true, false) => "const ",
        (false, true) => "thread_local ",
        (true, true) => "const thread_local ",
    };
    let element = u32::from(global.element) * 8;
    let shape =
        if global.count == 1 { format!("i{element}") } else { format!("[i{element}; {}]", global.count) };
    let mut text = format!("{modifiers}global {}: {shape}{}", quoted(&global.name), alignment(global.align));
    let values: Vec<String> =
        global.bytes.chunks(usize::from(global.element).max(1)).map(element_text).collect();
    match &values[..] {
        [] => {}
        [value] if global.count == 1 => text += &format!(" = {value}"),
        values => text += &format!(" = {{ {} }}", values.join(", ")),
    }
    for relocation in &global.relocations {
        let target = match relocation.target {
            Symbol::Global(id) => &module.globals[id.index()].name,
            Symbol::Function(id) => &module.functions[id.index()].name,
        };
        text += &format!(" at {}: &{}", relocation.offset, quoted(target));
    }
    text + "\n"
}

fn alignment(align: u64) -> String {
    if align == 0 { String::new() } else { format!(" align {align}") }
}

fn element_text(bytes: &[u8]) -> String {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word).to_string()
}

/// The text form of a function of `module`.
pub fn function_text(module: &Module, function: &Function) -> String {
    let printer = Printer { module, function };
    let (n_params, n_optional) = (function.n_params as usize, function.n_optional as usize);
    let params = function.registers[..n_params]
        .iter()
        .enumerate()
        .map(|(nth, name)| quoted(name) + if nth + n_optional < n_params { "" } else { " = 0" });
    let params: Vec<String> = params.collect();
    let mut text = format!("fn {}({}) {{\n", quoted(&function.name), params.join(", "));
    for slot in &function.slots {
        let (kind, align) = (slot.kind.name(), alignment(slot.align));
        text += &format!("  {kind} {}: {}{align}\n", quoted(&slot.name), slot.size);
    }
    for (at, statement) in function.body.iter().enumerate() {
        for target in function.targets.iter().filter(|target| target.at as usize == at) {
            text += &format!("{}:\n", quoted(&target.name));
        }
        text += &format!("  {}\n", printer.instr(&statement.instr));
    }
    text + "}\n"
}

struct Printer<'m> {
    module: &'m Module,
    function: &'m Function,
}

impl Printer<'_> {
    fn reg(&self, reg: Reg) -> String {
        quoted(&self.function.registers[reg.index()])
    }

    fn target(&self, target: Target) -> String {
        quoted(&self.function.targets[target.index()].name)
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Const(value) => constant(value),
            Operand::Global(id) => quoted(&self.module.globals[id.index()].name),
            Operand::Function(id) => quoted(&self.module.functions[id.index()].name),
            Operand::Slot(id) => quoted(&self.function.slots[id.index()].name),
        }
    }

    fn list(&self, operands: &[Operand]) -> String {
        operands.iter().map(|&operand| self.operand(operand)).collect::<Vec<_>>().join(", ")
    }

    fn optional(&self, operand: Option<Operand>) -> String {
        operand.map(|operand| format!(" {}", self.operand(operand))).unwrap_or_default()
    }

    fn call(&self, verb: &str, function: Operand, args: &[Operand]) -> String {
        let star = if matches!(function, Operand::Function(_)) { "" } else { "*" };
        format!("{verb} {star}{}({})", self.operand(function), self.list(args))
    }

    /// `dst = operation operands`
    fn assign(&self, dst: Reg, operation: &str, operands: &[Operand]) -> String {
        format!("{} = {operation} {}", self.reg(dst), self.list(operands))
    }

    fn instr(&self, instr: &Instr) -> String {
        match instr {
            Instr::Move { dst, value } => format!("{} = {}", self.reg(*dst), self.operand(*value)),
            Instr::Binary { op, width, dst, left, right } => {
                self.assign(*dst, &format!("{}.{width}", op.name()), &[*left, *right])
            }
            Instr::Unary { op, width, dst, value } => {
                self.assign(*dst, &format!("{}.{width}", op.name()), &[*value])
            }
            Instr::Compare { op, width, dst, left, right } => {
                self.assign(*dst, &format!("{}.{width}", op.name()), &[*left, *right])
            }
            Instr::Cast { op, from, to, dst, value } => {
                self.assign(*dst, &format!("{}.{from}.{to}", op.name()), &[*value])
            }
            Instr::Select { dst, condition, then, otherwise } => {
                self.assign(*dst, "select", &[*condition, *then, *otherwise])
            }
            Instr::Address { dst, base, index, scale, offset } => {
                let mut text = format!("{} = addr {}", self.reg(*dst), self.operand(*base));
                if (*index, *scale) != (Operand::Const(0), 1) {
                    let _ = write!(text, " + {}*{scale}", self.operand(*index));
                }
                match offset {
                    0 => {}
                    ..0 => text += &format!(" - {}", offset.unsigned_abs()),
                    1.. => text += &format!(" + {offset}"),
                }
                text
            }
            Instr::FloatBinary { op, format, dst, left, right } => {
                self.assign(*dst, &format!("{}.{}", op.name(), format.name()), &[*left, *right])
            }
            Instr::FloatUnary { op, format, dst, value } => {
                self.assign(*dst, &format!("{}.{}", op.name(), format.name()), &[*value])
            }
            Instr::Fused { format, dst, left, right, addend } => {
                self.assign(*dst, &format!("fma.{}", format.name()), &[*left, *right, *addend])
            }
            Instr::FloatCompare { op, format, dst, left, right } => {
                self.assign(*dst, &format!("{}.{}", op.name(), format.name()), &[*left, *right])
            }
            Instr::Convert { op, format, width, dst, value } => {
                self.assign(*dst, &convert_text(*op, *format, *width), &[*value])
            }
            Instr::FloatResize { to, dst, value } => {
                self.assign(*dst, &format!("fresize.{}", to.name()), &[*value])
            }
            _ => self.memory(instr).or_else(|| self.control(instr)).unwrap_or_else(|| self.checking(instr)),
        }
    }

    fn memory(&self, instr: &Instr) -> Option<String> {
        Some(match instr {
            Instr::Load { dst, size, order, addr } => {
                let order = if order.is_atomic() { format!(".{order}") } else { String::new() };
                self.assign(*dst, &format!("load{order}.{}", bits(*size)), &[*addr])
            }
            Instr::Store { size, order, addr, value } => {
                let order = if order.is_atomic() { format!(".{order}") } else { String::new() };
                format!("store{order}.{} {}", bits(*size), self.list(&[*addr, *value]))
            }
            Instr::Rmw { op, dst, size, read_order, write_order, addr, operand } => {
                let dst = dst.map(|dst| format!("{} = ", self.reg(dst))).unwrap_or_default();
                let order = order_pair(*read_order, *write_order);
                let operands = self.list(&[*addr, *operand]);
                format!("{dst}rmw.{}.{order}.{} {operands}", op.name(), bits(*size))
            }
            Instr::Cas { old, success, size, orders, addr, expected, desired } => {
                let name = |reg: &Option<Reg>| reg.map_or("_".to_string(), |reg| self.reg(reg));
                let dst = match (old, success) {
                    (None, None) => String::new(),
                    _ => format!("{}, {} = ", name(old), name(success)),
                };
                let (order, failure) = (order_pair(orders.read, orders.write), orders.failure);
                let operands = self.list(&[*addr, *expected, *desired]);
                format!("{dst}cas.{order}.{failure}.{} {operands}", bits(*size))
            }
            Instr::Fence { order } => format!("fence.{order}"),
            Instr::Alloc { dst, size, align, kind, zeroed } => {
                let verb = match kind {
                    AllocKind::Heap if *zeroed => "zeroes",
                    AllocKind::Heap => "malloc",
                    AllocKind::Stack => "alloca",
                };
                let align = match align {
                    Operand::Const(0) => String::new(),
                    align => format!(" align {}", self.operand(*align)),
                };
                format!("{} = {verb} {}{align}", self.reg(*dst), self.operand(*size))
            }
            Instr::Free { addr, kind } => {
                let verb = if *kind == AllocKind::Heap { "free" } else { "unalloca" };
                format!("{verb} {}", self.operand(*addr))
            }
            Instr::Copy { to, from, length } => format!("copy {}", self.list(&[*to, *from, *length])),
            Instr::Fill { to, byte, length } => format!("fill {}", self.list(&[*to, *byte, *length])),
            Instr::CompareBytes { dst, left, right, length } => {
                self.assign(*dst, "compare", &[*left, *right, *length])
            }
            _ => return None,
        })
    }

    fn control(&self, instr: &Instr) -> Option<String> {
        let assigned = |dst: &Option<Reg>| dst.map(|dst| format!("{} = ", self.reg(dst))).unwrap_or_default();
        Some(match instr {
            Instr::Jump { to } => format!("goto {}", self.target(*to)),
            Instr::Branch { condition, when, to } => {
                let not = if *when { "" } else { "not " };
                format!("if {not}{} goto {}", self.operand(*condition), self.target(*to))
            }
            Instr::Switch { value, width, cases, default } => {
                let cases: String = cases
                    .iter()
                    .map(|(value, to)| format!("{}: {}, ", constant(*value), self.target(*to)))
                    .collect();
                let default = self.target(*default);
                format!("switch.{width} {} {{ {cases}else: {default} }}", self.operand(*value))
            }
            Instr::Call { dst, function, args } => assigned(dst) + &self.call("call", *function, args),
            Instr::Return { value } => format!("return{}", self.optional(*value)),
            Instr::Spawn { dst, function, args, drains } => {
                assigned(dst) + &self.call(if *drains { "spawn" } else { "spawn.weak" }, *function, args)
            }
            Instr::Offered { dst, handle } => {
                format!("{} = offered {}", self.reg(*dst), self.operand(*handle))
            }
            Instr::Detach { handle } => format!("detach {}", self.operand(*handle)),
            Instr::Join { dst, handle } => format!("{}join {}", assigned(dst), self.operand(*handle)),
            Instr::Current { dst } => format!("{} = self", self.reg(*dst)),
            Instr::NextChild { dst } => format!("{} = next_child", self.reg(*dst)),
            Instr::ExitThread { value } => format!("exit{}", self.optional(*value)),
            Instr::Halt => "halt".to_string(),
            Instr::EnterSection => "section.enter".to_string(),
            Instr::LeaveSection => "section.leave".to_string(),
            Instr::Word { dst } => format!("{} = word", self.reg(*dst)),
            Instr::SetWord { value } => format!("word {}", self.operand(*value)),
            Instr::Pack { dst, size, from } => self.assign(*dst, &format!("pack.{}", bits(*size)), &[*from]),
            Instr::Unwritten { dst, size, addr } => {
                self.assign(*dst, &format!("unwritten.{}", bits(*size)), &[*addr])
            }
            Instr::Unpack { to, size, value } => {
                format!("unpack.{} {}", bits(*size), self.list(&[*to, *value]))
            }
            Instr::Format { dst, to, value, spec, width, precision } => {
                self.assign(*dst, "format", &[*to, *value, *spec, *width, *precision])
            }
            Instr::ParseFloat { format, dst, from, length } => {
                self.assign(*dst, &format!("parse.{}", format.name()), &[*from, *length])
            }
            Instr::Print { from, length } => format!("print {}", self.list(&[*from, *length])),
            _ => return None,
        })
    }

    fn checking(&self, instr: &Instr) -> String {
        match instr {
            Instr::Assume { condition } => format!("assume {}", self.operand(*condition)),
            Instr::Assert { condition, message } => {
                format!("assert {}, {}", self.operand(*condition), string(message))
            }
            Instr::Fail { failure } => {
                format!("fail {}", failure::print(failure, |operand| self.operand(operand)))
            }
            Instr::Await { condition, reason, reads } => {
                let verb = match reason {
                    AwaitReason::Lock => "wait.lock",
                    AwaitReason::Wait => "wait",
                    AwaitReason::Round => "wait.round",
                };
                format!("{verb} {}, {reads}", self.operand(*condition))
            }
            Instr::Unsupported { gap } => format!("unsupported {}", failure::print_gap(gap)),
            Instr::Lock { mutex, kind } => format!("lock{} {}", lock_kind(*kind), self.operand(*mutex)),
            Instr::TryLock { dst, mutex, kind } => {
                self.assign(*dst, &format!("trylock{}", lock_kind(*kind)), &[*mutex])
            }
            Instr::Unlock { mutex, kind } => format!("unlock{} {}", lock_kind(*kind), self.operand(*mutex)),
            Instr::Hold { object } => format!("hold {}", self.operand(*object)),
            Instr::LetGo { object } => format!("let_go {}", self.operand(*object)),
            Instr::Holds { dst, object } => self.assign(*dst, "holds", &[*object]),
            Instr::Peek { dst, size, addr } => self.assign(*dst, &format!("peek.{}", bits(*size)), &[*addr]),
            _ => unreachable!("printed elsewhere: {instr:?}"),
        }
    }
}

fn lock_kind(kind: LockKind) -> &'static str {
    match kind {
        LockKind::Mutex => "",
        LockKind::Spin => ".spin",
    }
}

fn bits(size: u8) -> String {
    format!("i{}", u32::from(size) * 8)
}

fn convert_text(op: ConvertOp, format: Float, width: Width) -> String {
    match op {
        ConvertOp::SignedToFloat | ConvertOp::UnsignedToFloat => {
            format!("{}.{width}.{}", op.name(), format.name())
        }
        ConvertOp::FloatToSigned | ConvertOp::FloatToUnsigned => {
            format!("{}.{}.{width}", op.name(), format.name())
        }
    }
}

/// The one order that has these halves, or both halves with an underscore between them.
fn order_pair(read: ReadOrder, write: WriteOrder) -> String {
    let name = match (read, write) {
        (ReadOrder::Relaxed, WriteOrder::Relaxed) => "rlx",
        (ReadOrder::Acquire, WriteOrder::Relaxed) => "acq",
        (ReadOrder::Relaxed, WriteOrder::Release) => "rel",
        (ReadOrder::Acquire, WriteOrder::Release) => "acqrel",
        (ReadOrder::SeqCst, WriteOrder::SeqCst) => "sc",
        _ => return format!("{read}_{write}"),
    };
    name.to_string()
}
