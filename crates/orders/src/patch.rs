//! Changes orders in the text of C, C++ and Rust programs.
//!
//! Debug information gives the place of a call. Its arguments are read as tokens, and those that name an order are
//! replaced: `memory_order_release`, `std::memory_order::release`, `__ATOMIC_RELEASE`, `Ordering::Release`, `Release`. A
//! call of C or C++ without any gets them as further arguments, and so does a compare-and-swap of C++ with one order for
//! both ends. Where the text does not say what the compiler has made of it, for example because a macro contains the
//! order, it is left as it is. New fences become new lines ([`crate::fence_text`]).

use crate::by_hand::{LeftOut, WhyByHand};
use crate::fence_text::{FenceEdit, insertion};
use crate::sites::Operation;
use crate::strength::{OrderKind, Strength};
use similar::TextDiff;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cpp,
    Rust,
}

impl Language {
    /// The language of a file, by its name.
    pub fn of(file: &str) -> Option<Language> {
        match file.rsplit_once('.')?.1 {
            "c" | "h" => Some(Language::C),
            "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ipp" | "tpp" => Some(Language::Cpp),
            "rs" => Some(Language::Rust),
            _ => None,
        }
    }
}

/// A call whose orders change. A compare-and-swap has two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallEdit {
    /// Counted from 1, as in debug information.
    pub line: u32,
    pub column: u32,
    pub operation: Operation,
    pub written: Vec<Strength>,
    pub wanted: Vec<Strength>,
}

/// A changed file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edited {
    pub text: String,
    /// The edits that could not be made.
    pub left_out: Vec<LeftOut>,
}

/// Makes these edits.
pub fn edit(text: &str, language: Language, edits: &[CallEdit], fences: &[FenceEdit]) -> Edited {
    let mut replacements: Vec<(usize, usize, String)> = Vec::new();
    let mut left_out = Vec::new();
    for edit in edits {
        let call = call_at(text, language, edit.line, edit.column).ok_or(WhyByHand::NoCall);
        let made = call.and_then(|call| call.replacements(text, language, edit).ok_or(WhyByHand::NoToken));
        match made {
            Ok(mut made) => replacements.append(&mut made),
            Err(reason) => left_out.push(LeftOut::of_call(edit, reason)),
        }
    }
    for fence in fences {
        match insertion(text, language, fence) {
            Some((at, line)) => replacements.push((at, at, line)),
            None => left_out.push(LeftOut::of_fence(fence, WhyByHand::NoStatement)),
        }
    }
    replacements.sort();
    replacements.dedup();
    let mut edited = text.to_string();
    for (start, end, new) in replacements.into_iter().rev() {
        edited.replace_range(start..end, &new);
    }
    Edited { text: edited, left_out }
}

/// The difference between two versions of a file, as `patch -p1` reads it.
pub fn difference(file: &str, old: &str, new: &str) -> String {
    let file = file.trim_start_matches('/');
    let (from, to) = (format!("a/{file}"), format!("b/{file}"));
    TextDiff::from_lines(old, new).unified_diff().context_radius(2).header(&from, &to).to_string()
}

/// A call in the text.
struct Call {
    /// The name of the function.
    name: (usize, usize),
    /// The tokens that name orders among its arguments.
    orders: Vec<Token>,
    n_arguments: usize,
    /// The closing parenthesis.
    end: usize,
}

/// The last part of a token, such as `release` in `std::memory_order_release`.
struct Token {
    /// Where the whole token starts.
    prefix: usize,
    start: usize,
    end: usize,
    spelling: Spelling,
    strength: Strength,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `release`, after `memory_order_` or `memory_order::`.
    Lower,
    /// `RELEASE`, after `__ATOMIC_`.
    Upper,
    /// `Release`.
    Camel,
}

impl Spelling {
    pub(crate) fn spell(self, strength: Strength) -> String {
        let name = strength.name();
        match self {
            Spelling::Lower => name.to_string(),
            Spelling::Upper => name.to_uppercase(),
            Spelling::Camel => {
                let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
                name.split('_').map(capital).collect()
            }
        }
    }

    fn read(self, word: &str) -> Option<Strength> {
        const ORDERS: [Strength; 4] =
            [Strength::NONE, Strength::ACQUIRE, Strength::RELEASE, Strength::ACQ_REL];
        let all = ORDERS.into_iter().chain([OrderKind::Update.strongest()]);
        // Consume is read as acquire, but stays as it is written.
        all.into_iter().find(|strength| self.spell(*strength) == word)
    }
}

impl Call {
    fn replacements(
        &self,
        text: &str,
        language: Language,
        edit: &CallEdit,
    ) -> Option<Vec<(usize, usize, String)>> {
        if edit.operation == Operation::CompareExchange && edit.written.len() != 2 {
            // What the other order becomes is not known.
            return None;
        }
        if edit.operation == Operation::Fence && edit.wanted[0] == Strength::NONE {
            return self.removal(text);
        }
        if self.orders.is_empty() {
            return self.further_arguments(text, language, edit);
        }
        let is_as_compiled = self.orders.len() == edit.written.len()
            && self
                .orders
                .iter()
                .zip(&edit.written)
                .all(|(token, written)| is_same(token.strength, *written));
        if !is_as_compiled {
            return self.second_order(text, language, edit);
        }
        let changed = self.orders.iter().zip(edit.written.iter().zip(&edit.wanted));
        let changed = changed.filter(|(_, (written, wanted))| written != wanted);
        Some(
            changed
                .map(|(token, (_, wanted))| (token.start, token.end, token.spelling.spell(*wanted)))
                .collect(),
        )
    }

    /// Changes a compare-and-swap with one order for both ends, of which C++ leaves out what a load cannot have.
    fn second_order(
        &self,
        text: &str,
        language: Language,
        edit: &CallEdit,
    ) -> Option<Vec<(usize, usize, String)>> {
        let failure_of = |success: Strength| success.and(OrderKind::Failure.strongest());
        let ([token], [success, failure]) = (&self.orders[..], &edit.written[..]) else { return None };
        let is_as_compiled = token.strength == *success && failure_of(*success) == *failure;
        if language != Language::Cpp || !is_as_compiled {
            return None;
        }
        let mut orders = token.spelling.spell(edit.wanted[0]);
        if failure_of(edit.wanted[0]) != edit.wanted[1] {
            let prefix = &text[token.prefix..token.start];
            orders += &format!(", {prefix}{}", token.spelling.spell(edit.wanted[1]));
        }
        Some(vec![(token.start, token.end, orders)])
    }

    /// Removes the statement, and its line if there is nothing else on it.
    fn removal(&self, text: &str) -> Option<Vec<(usize, usize, String)>> {
        let end = self.end + 1 + text[self.end + 1..].find(|c: char| !c.is_whitespace())?;
        let line_start = text[..self.name.0].rfind('\n').map_or(0, |at| at + 1);
        let before = text[line_start..self.name.0].trim_start();
        let is_path = before.chars().all(|c| c.is_alphanumeric() || c == ':' || c == '_');
        if !text[end..].starts_with(';') || !is_path {
            return None;
        }
        let rest = &text[end + 1..];
        let line_end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        if rest[..line_end].trim().is_empty() {
            return Some(vec![(line_start, end + 1 + line_end, String::new())]);
        }
        Some(vec![(self.name.0 - before.len(), end + 1, String::new())])
    }

    /// Adds orders to a call that has none.
    fn further_arguments(
        &self,
        text: &str,
        language: Language,
        edit: &CallEdit,
    ) -> Option<Vec<(usize, usize, String)>> {
        // The functions whose order may be left out, and how many arguments they have then, apart from the object.
        const NAMES: [(&str, usize); 15] = [
            ("load", 0),
            ("store", 1),
            ("exchange", 1),
            ("fetch_add", 1),
            ("fetch_sub", 1),
            ("fetch_and", 1),
            ("fetch_or", 1),
            ("fetch_xor", 1),
            ("compare_exchange_weak", 2),
            ("compare_exchange_strong", 2),
            ("test_and_set", 0),
            ("clear", 0),
            ("test", 0),
            ("flag_test_and_set", 0),
            ("flag_clear", 0),
        ];
        let name = &text[self.name.0..self.name.1];
        let has_arguments = |name: &str, more: usize| {
            NAMES.iter().any(|(known, n)| *known == name && *n + more == self.n_arguments)
        };
        let (renamed, prefix) = match (language, name.strip_prefix("atomic_")) {
            (Language::C, Some(rest)) if has_arguments(rest, 1) => (Some(format!("{name}_explicit")), ""),
            (Language::Cpp, Some(rest)) if has_arguments(rest, 1) => {
                (Some(format!("{name}_explicit")), "std::")
            }
            (Language::Cpp, None) if has_arguments(name, 0) => (None, "std::"),
            _ => return None,
        };
        let orders: Vec<String> =
            edit.wanted.iter().map(|wanted| format!("{prefix}memory_order_{}", wanted.name())).collect();
        let comma = if self.n_arguments > 0 { ", " } else { "" };
        let mut made = vec![(self.end, self.end, format!("{comma}{}", orders.join(", ")))];
        made.extend(renamed.map(|name| (self.name.0, self.name.1, name)));
        Some(made)
    }
}

/// Whether a token says what the compiler has made of it: a load has no release, and a store no acquire.
fn is_same(token: Strength, compiled: Strength) -> bool {
    token == compiled || (token.is_seq_cst() && compiled.is_seq_cst())
}

/// The call whose name is at this place.
fn call_at(text: &str, language: Language, line: u32, column: u32) -> Option<Call> {
    let line_start =
        text.split_inclusive('\n').take(line.checked_sub(1)? as usize).map(str::len).sum::<usize>();
    let at = line_start + column.checked_sub(1)? as usize;
    let rest = text.get(at..)?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let open = at + rest.find('(')?;
    // Only names, paths and the dots of methods stand between the place and the parenthesis.
    if !text[at..open].chars().all(|c| is_word(c) || ":.<>&*-[] \t\n".contains(c)) {
        return None;
    }
    let name_end = at + text[at..open].trim_end().len();
    let name_start = text[..name_end].rfind(|c: char| !is_word(c)).map_or(0, |before| before + 1);
    let mut call = Call { name: (name_start, name_end), orders: Vec::new(), n_arguments: 0, end: 0 };
    let (mut depth, mut next) = (0, open);
    while let Some(c) = text[next..].chars().next() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '"' => next += text[next + 1..].find('"')? + 1,
            _ => {}
        }
        if depth == 0 {
            call.end = next;
            return Some(call);
        }
        if next > open && !c.is_whitespace() {
            call.n_arguments = call.n_arguments.max(1);
        }
        if c == ',' && depth == 1 {
            call.n_arguments += 1;
        }
        if is_word(c) {
            let word = &text[next..];
            let length = word.find(|c: char| !is_word(c) && c != ':').unwrap_or(word.len());
            if depth == 1 {
                call.orders.extend(token(&word[..length], next, language));
            }
            next += length;
        } else {
            next += c.len_utf8();
        }
    }
    None
}

fn token(word: &str, at: usize, language: Language) -> Option<Token> {
    let found = |prefix: usize, spelling: Spelling| {
        let strength = spelling.read(&word[prefix..])?;
        Some(Token { prefix: at, start: at + prefix, end: at + word.len(), spelling, strength })
    };
    let after = |marker: &str| word.find(marker).map(|start| start + marker.len());
    if language == Language::Rust {
        return found(word.rfind(':').map_or(0, |colon| colon + 1), Spelling::Camel);
    }
    match (after("memory_order_").or_else(|| after("memory_order::")), after("__ATOMIC_")) {
        (Some(prefix), _) => found(prefix, Spelling::Lower),
        (None, Some(prefix)) => found(prefix, Spelling::Upper),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        text: &str,
        language: Language,
        at: &str,
        operation: Operation,
        orders: &[(Strength, Strength)],
        new: &str,
    ) {
        let offset = text.find(at).expect("the place is in the text");
        let line = text[..offset].matches('\n').count() as u32 + 1;
        let column = (offset - text[..offset].rfind('\n').map_or(0, |start| start + 1)) as u32 + 1;
        let (written, wanted) = orders.iter().copied().unzip();
        let edited = edit(text, language, &[CallEdit { line, column, operation, written, wanted }], &[]);
        assert_eq!(edited.text, new);
        assert_eq!(edited.left_out.is_empty(), text != new);
    }

    fn sc(kind: OrderKind) -> Strength {
        kind.strongest()
    }

    #[test]
    fn tokens_are_replaced_in_every_spelling() {
        let store = [(sc(OrderKind::Store), Strength::RELEASE)];
        for (language, old, new) in [
            (
                Language::C,
                "atomic_store_explicit(&x, f(memory_order_acquire), memory_order_seq_cst);\n",
                "atomic_store_explicit(&x, f(memory_order_acquire), memory_order_release);\n",
            ),
            (
                Language::C,
                "__atomic_store_n(&x,\n    1,\n    __ATOMIC_SEQ_CST);\n",
                "__atomic_store_n(&x,\n    1,\n    __ATOMIC_RELEASE);\n",
            ),
            (Language::Cpp, "store(1, std::memory_order::seq_cst);", "store(1, std::memory_order::release);"),
            (Language::Rust, "store(1, Ordering::SeqCst);", "store(1, Ordering::Release);"),
            (Language::Rust, "store(1, SeqCst);", "store(1, Release);"),
        ] {
            check(old, language, old.split('(').next().unwrap(), Operation::Store, &store, new);
        }
    }

    #[test]
    fn a_compare_and_swap_has_two_tokens() {
        let orders = [(sc(OrderKind::Update), Strength::ACQ_REL), (Strength::ACQUIRE, Strength::NONE)];
        let old = "x.compare_exchange_weak(e, 1, std::memory_order_seq_cst, std::memory_order_acquire);";
        let new = "x.compare_exchange_weak(e, 1, std::memory_order_acq_rel, std::memory_order_relaxed);";
        check(old, Language::Cpp, "compare", Operation::CompareExchange, &orders, new);
        // One order for both is not what was compiled.
        let one = "x.compare_exchange_weak(e, 1, std::memory_order_seq_cst);";
        check(one, Language::Cpp, "compare", Operation::CompareExchange, &orders, one);
    }

    #[test]
    fn a_compare_and_swap_of_cpp_may_have_one_token_for_both_ends() {
        let written = [sc(OrderKind::Update), sc(OrderKind::Failure)];
        let old = "x.compare_exchange_weak(e, 1, std::memory_order_seq_cst);";
        for (wanted, new) in [
            ([Strength::ACQ_REL, Strength::ACQUIRE], "std::memory_order_acq_rel"),
            ([Strength::RELEASE, Strength::NONE], "std::memory_order_release"),
            ([Strength::RELEASE, Strength::ACQUIRE], "std::memory_order_release, std::memory_order_acquire"),
        ] {
            let orders = [(written[0], wanted[0]), (written[1], wanted[1])];
            let new = old.replace("std::memory_order_seq_cst", new);
            check(old, Language::Cpp, "compare", Operation::CompareExchange, &orders, &new);
        }
    }

    #[test]
    fn calls_without_an_order_get_one() {
        let load = [(sc(OrderKind::Load), Strength::ACQUIRE)];
        check(
            "y = atomic_load(&x);",
            Language::C,
            "atomic",
            Operation::Load,
            &load,
            "y = atomic_load_explicit(&x, memory_order_acquire);",
        );
        check(
            "y = x.load();",
            Language::Cpp,
            "load",
            Operation::Load,
            &load,
            "y = x.load(std::memory_order_acquire);",
        );
        check("y = READ(x);", Language::C, "READ", Operation::Load, &load, "y = READ(x);");
        // This one has an order, in a variable.
        check("y = x.load(how);", Language::Cpp, "load", Operation::Load, &load, "y = x.load(how);");
    }

    #[test]
    fn a_fence_that_is_not_needed_goes_with_its_line() {
        let gone = [(sc(OrderKind::Fence), Strength::NONE)];
        check(
            "a();\n    atomic_thread_fence(memory_order_seq_cst);\nb();\n",
            Language::C,
            "atomic",
            Operation::Fence,
            &gone,
            "a();\nb();\n",
        );
        check(
            "a();\n    std::atomic_thread_fence(std::memory_order_seq_cst); b();\n",
            Language::Cpp,
            "atomic",
            Operation::Fence,
            &gone,
            "a();\n     b();\n",
        );
    }

    #[test]
    fn an_order_that_is_not_the_compiled_one_stays() {
        let text = "atomic_store_explicit(&x, 1, ORDER);";
        check(
            text,
            Language::C,
            "atomic",
            Operation::Store,
            &[(sc(OrderKind::Store), Strength::RELEASE)],
            text,
        );
        let text = "atomic_store_explicit(&x, 1, memory_order_relaxed);";
        check(
            text,
            Language::C,
            "atomic",
            Operation::Store,
            &[(sc(OrderKind::Store), Strength::RELEASE)],
            text,
        );
    }

    #[test]
    fn a_difference_applies_with_patch() {
        let patch = difference("src/p.c", "a\nb\nc\n", "a\nd\nc\n");
        assert_eq!(patch, "--- a/src/p.c\n+++ b/src/p.c\n@@ -1,3 +1,3 @@\n a\n-b\n+d\n c\n");
    }
}
