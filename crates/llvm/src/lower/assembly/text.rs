//! The text of inline assembly: statements and their operands, as written.
//!
//! LLVM writes the operands of the `asm` statement as `$0` or `${0:w}`, a dollar sign as `$$`, and alternatives for
//! several dialects as `$(first$|second$)`; the first one is the dialect of the compiler.

/// One instruction.
#[derive(PartialEq, Debug)]
pub(super) struct Statement {
    /// The labels in front of it.
    pub labels: Vec<String>,
    /// With a prefix `lock`.
    pub is_locked: bool,
    /// With a prefix `rep` or similar.
    pub is_repeated: bool,
    pub mnemonic: String,
    pub operands: Vec<Operand>,
}

/// An operand of an instruction.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Operand {
    /// The operand of the `asm` statement with this number, and a letter that changes how it is written.
    Argument(usize, Option<char>),
    Immediate(i64),
    Register(String),
    Address(TextAddress),
    /// Memory of the thread itself, at this address in it: `%fs:0`.
    Own(Box<Operand>),
    /// A label, or another word, such as the kind of a barrier.
    Word(String),
}

/// `offset(base, index, scale)`, or `[base, index]`. In the first case, the base may be absent.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TextAddress {
    pub offset: i64,
    pub base: Option<Box<Operand>>,
    pub index: Option<Box<Operand>>,
    pub scale: u64,
}

/// How operands are written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Syntax {
    /// x86 as GCC writes it: `%eax`, `$1`, `4(%rsp)`.
    Att,
    Arm,
}

/// The statements of a template, or `None` if a part of it cannot be read.
pub(super) fn statements(template: &str, syntax: Syntax) -> Option<Vec<Statement>> {
    let mut found = Vec::new();
    let (mut labels, mut is_locked, mut is_repeated) = (Vec::<String>::new(), false, false);
    for line in first_dialect(template).split(['\n', ';']) {
        let comment = if syntax == Syntax::Att { "#" } else { "//" };
        let mut rest = line.split(comment).next().unwrap_or_default().trim();
        while let Some((label, after)) = rest.split_once(':').filter(|(label, _)| is_word(label)) {
            labels.push(label.to_string());
            rest = after.trim_start();
        }
        loop {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            match word.to_lowercase().as_str() {
                "lock" if syntax == Syntax::Att => is_locked = true,
                "rep" | "repe" | "repz" if syntax == Syntax::Att => is_repeated = true,
                _ => break,
            }
            rest = after.trim_start();
        }
        if rest.is_empty() {
            continue;
        }
        let (mnemonic, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        found.push(Statement {
            labels: std::mem::take(&mut labels),
            is_locked: std::mem::take(&mut is_locked),
            is_repeated: std::mem::take(&mut is_repeated),
            mnemonic: mnemonic.to_lowercase(),
            operands: operands(after, syntax)?,
        });
    }
    if !labels.is_empty() {
        let (mnemonic, operands) = ("nop".to_string(), Vec::new());
        found.push(Statement { labels, is_locked: false, is_repeated: false, mnemonic, operands });
    }
    (!is_locked && !is_repeated).then_some(found)
}

/// The template with the first alternative of each group.
fn first_dialect(template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, group)) = rest.split_once("$(") {
        let (inside, after) = group.split_once("$)").unwrap_or((group, ""));
        text.push_str(before);
        text.push_str(inside.split("$|").next().unwrap_or_default());
        rest = after;
    }
    text + rest
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c))
}

/// Operands are separated by commas that are not in brackets.
fn operands(text: &str, syntax: Syntax) -> Option<Vec<Operand>> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0i32, 0);
    let text = text.trim();
    if text.is_empty() {
        return Some(found);
    }
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(operand(&text[start..at], syntax)?);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(operand(&text[start..], syntax)?);
    Some(found)
}

fn operand(text: &str, syntax: Syntax) -> Option<Operand> {
    let text = text.trim();
    match syntax {
        Syntax::Att => att_operand(text),
        Syntax::Arm => arm_operand(text),
    }
}

fn att_operand(text: &str) -> Option<Operand> {
    if let Some(number) = text.strip_prefix("$$") {
        return Some(Operand::Immediate(integer(number)?));
    }
    if let Some(argument) = argument(text) {
        return Some(argument);
    }
    if let Some(rest) = text.strip_prefix("%fs:") {
        let place = match integer(rest) {
            Some(offset) => Operand::Address(TextAddress { offset, base: None, index: None, scale: 1 }),
            None => att_operand(rest)?,
        };
        return Some(Operand::Own(Box::new(place)));
    }
    if let Some(name) = text.strip_prefix('%').filter(|name| is_word(name)) {
        return Some(Operand::Register(name.to_lowercase()));
    }
    if let Some((offset, inside)) = text.split_once('(') {
        let mut parts = inside.strip_suffix(')')?.split(',').map(str::trim);
        let offset = if offset.trim().is_empty() { 0 } else { integer(offset)? };
        let base = parts.next().filter(|base| !base.is_empty());
        let base = base.map(att_operand).map_or(Some(None), |base| base.map(Box::new).map(Some))?;
        let index =
            parts.next().map(att_operand).map_or(Some(None), |index| index.map(Box::new).map(Some))?;
        let scale =
            parts.next().map_or(Some(1), |scale| integer(scale).and_then(|n| u64::try_from(n).ok()))?;
        return Some(Operand::Address(TextAddress { offset, base, index, scale }));
    }
    // `8$1` and `8+$1`: at a distance from a memory operand.
    if let Some(at) = text.find('$') {
        let (offset, base) = text.split_at(at);
        let (offset, base) = (integer(offset.trim().trim_end_matches('+'))?, argument(base)?);
        return Some(Operand::Address(TextAddress {
            offset,
            base: Some(Box::new(base)),
            index: None,
            scale: 1,
        }));
    }
    is_word(text).then(|| Operand::Word(text.to_lowercase()))
}

fn arm_operand(text: &str) -> Option<Operand> {
    if let Some(number) = text.strip_prefix('#') {
        return match argument(number) {
            Some(argument) => Some(argument),
            None => Some(Operand::Immediate(integer(number)?)),
        };
    }
    if let Some(argument) = argument(text) {
        return Some(argument);
    }
    if let Some(inside) = text.strip_prefix('[') {
        let mut parts = inside.strip_suffix(']')?.split(',').map(str::trim);
        let base = Some(Box::new(arm_operand(parts.next()?)?));
        let (mut offset, mut index) = (0, None);
        match parts.next().map(arm_operand) {
            Some(Some(Operand::Immediate(number))) => offset = number,
            Some(Some(other)) => index = Some(Box::new(other)),
            Some(None) => return None,
            None => {}
        }
        return parts.next().is_none().then_some(Operand::Address(TextAddress {
            offset,
            base,
            index,
            scale: 1,
        }));
    }
    if let Some(number) = integer(text) {
        return Some(Operand::Immediate(number));
    }
    let text = text.to_lowercase();
    let digits = text.get(1..).unwrap_or_default();
    let is_register = (text.starts_with(['x', 'w']) && digits.parse::<u8>().is_ok_and(|nth| nth < 31))
        || ["xzr", "wzr", "sp"].contains(&text.as_str());
    match is_register {
        true => Some(Operand::Register(text)),
        false => is_word(&text).then_some(Operand::Word(text)),
    }
}

/// `$0` or `${0:w}`.
fn argument(text: &str) -> Option<Operand> {
    let text = text.strip_prefix('$')?;
    match text.strip_prefix('{') {
        Some(inside) => {
            let (number, letter) = inside.strip_suffix('}')?.split_once(':')?;
            let mut letters = letter.chars();
            let letter = letters.next();
            letters.next().is_none().then_some(Operand::Argument(number.parse().ok()?, letter))
        }
        None => Some(Operand::Argument(text.parse().ok()?, None)),
    }
}

/// A number as assemblers write it.
fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let lower = digits.to_lowercase();
    let number = match lower.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => lower.parse().ok()?,
    };
    Some(if is_negative { (number as i64).wrapping_neg() } else { number as i64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str, syntax: Syntax) -> Statement {
        let mut found = statements(text, syntax).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    #[test]
    fn prefixes_may_be_statements_of_their_own() {
        for text in ["lock; cmpxchgl $2,$1", "lock\n\tcmpxchgl $2, $1", "LOCK CMPXCHGL $2,$1 # comment"] {
            let statement = one(text, Syntax::Att);
            assert!(statement.is_locked);
            assert_eq!(statement.mnemonic, "cmpxchgl");
            assert_eq!(statement.operands, [Operand::Argument(2, None), Operand::Argument(1, None)]);
        }
        assert!(one("rep; nop", Syntax::Att).is_repeated);
        assert_eq!(statements("lock", Syntax::Att), None);
    }

    #[test]
    fn operands_of_x86() {
        let statement = one("addl $$-0x10, 8(%rsp,$1,4)", Syntax::Att);
        let memory = TextAddress {
            offset: 8,
            base: Some(Box::new(Operand::Register("rsp".into()))),
            index: Some(Box::new(Operand::Argument(1, None))),
            scale: 4,
        };
        assert_eq!(statement.operands, [Operand::Immediate(-16), Operand::Address(memory)]);
        assert_eq!(one("xchgb ${0:b}, $1", Syntax::Att).operands[0], Operand::Argument(0, Some('b')));
        let Operand::Address(memory) = &one("movq 8$1, $0", Syntax::Att).operands[0] else { panic!() };
        assert_eq!((memory.offset, memory.base.as_deref()), (8, Some(&Operand::Argument(1, None))));
        let own = Operand::Own(Box::new(Operand::Argument(1, None)));
        assert_eq!(one("movq %fs:$1, $0", Syntax::Att).operands[0], own);
        assert_eq!(one("$(mov $1, $0$|mov $0, $1$)", Syntax::Att).operands[0], Operand::Argument(1, None));
    }

    #[test]
    fn operands_of_aarch64() {
        let statement = one("1: ldxr ${0:w}, [$1, #8] // linked", Syntax::Arm);
        assert_eq!(statement.labels, ["1"]);
        let Operand::Address(memory) = &statement.operands[1] else { panic!() };
        assert_eq!((memory.offset, memory.base.as_deref()), (8, Some(&Operand::Argument(1, None))));
        assert_eq!(one("dmb ish", Syntax::Arm).operands, [Operand::Word("ish".into())]);
        assert_eq!(one("add x1, x2, 3", Syntax::Arm).operands[2], Operand::Immediate(3));
    }
}
