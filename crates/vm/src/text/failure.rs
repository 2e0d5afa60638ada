//! `fail` and `unsupported` statements, as text: `fail assertion, "x is 1"`, `fail abort, trap`,
//! `fail misuse, barrier, destroyed, b`, `fail said, text, 5`, `unsupported too_many_keys, 2048`.
//!
//! The names of causes, classes and reasons are those of reports, with `_` for `-`.

use atropos_event::{AbortCause, Assertion, Exception, Fault, Gap, GapKind, MisuseReason, SyncClass};

use crate::failure::{Failure, Misused};
use crate::ir::Operand;
use crate::text::lexer::Token;
use crate::text::parser::{Parse, Parser, Scope};
use crate::text::print::string;

/// The words after `fail`.
const FAILURES: &str = "assertion, condition, error_call, out_of_bounds, uninitialised, misuse, not_joinable, \
                        division_by_zero, overflow, unreachable, uncaught_exception, abort, said";

/// The parts of an exception that may be known.
const PARTS: [&str; 3] = ["name", "thrower", "what"];

impl Parser<'_> {
    pub(super) fn failure(&mut self, scope: &Scope) -> Parse<Failure> {
        let span = self.span();
        let failure = self.name("what is wrong")?;
        Ok(match failure.as_str() {
            "assertion" if !self.is_sign(',') => Failure::Assertion(Assertion::Message(String::new())),
            "assertion" => Failure::Assertion(Assertion::Message(self.next_text()?)),
            "condition" => Failure::Assertion(Assertion::Condition(self.next_text()?)),
            "error_call" => Failure::Assertion(Assertion::Call(self.next_text()?)),
            "out_of_bounds" => {
                let object = self.next_text()?;
                self.sign(',')?;
                let size = self.number("the size of the object")?;
                self.sign(',')?;
                Failure::OutOfBounds { object, size, access: self.number("the size of the access")? }
            }
            "uninitialised" => Failure::Uninitialised { variable: self.next_text()? },
            "misuse" => Failure::Misuse(self.misuse(scope)?),
            "not_joinable" => Failure::NotJoinable,
            "division_by_zero" => Failure::DivisionByZero,
            "overflow" => Failure::QuotientOverflow,
            "unreachable" => Failure::Unreachable,
            "uncaught_exception" => Failure::UncaughtException(self.exception()?),
            "abort" => Failure::Abort(self.one_of("a cause", AbortCause::from_name)?),
            "said" => {
                self.sign(',')?;
                let from = self.operand(scope)?;
                self.sign(',')?;
                Failure::Said { from, length: self.operand(scope)? }
            }
            _ => {
                return Err(Fault::new(
                    span,
                    format!("unknown failure `{failure}`: the failures are {FAILURES}"),
                ));
            }
        })
    }

    fn misuse(&mut self, scope: &Scope) -> Parse<Misused> {
        let class = self.one_of("a class of objects", SyncClass::from_name)?;
        let reason = self.one_of("a reason", MisuseReason::from_name)?;
        let is_text = |token: &Token| matches!(token, Token::Text(_));
        let has_object = self.is_sign(',') && !is_text(self.peek_at(1));
        let object = match has_object {
            true => {
                self.sign(',')?;
                Some(self.operand(scope)?)
            }
            false => None,
        };
        let call = if self.is_sign(',') { Some(self.next_text()?) } else { None };
        Ok(Misused { class, reason, object, call })
    }

    fn exception(&mut self) -> Parse<Exception> {
        let mut exception = Exception::default();
        while self.take_sign(',') {
            let span = self.span();
            let part = self.name("a part of an exception")?;
            let text = Some(self.text()?);
            match PARTS.iter().position(|known| *known == part) {
                Some(0) => exception.name = text,
                Some(1) => exception.thrower = text,
                Some(_) => exception.what = text,
                None => {
                    return Err(Fault::new(
                        span,
                        format!("unknown part `{part}`: the parts are {}", PARTS.join(", ")),
                    ));
                }
            }
        }
        Ok(exception)
    }

    /// What follows `unsupported`: a kind, and the name, the numbers and the function that it has.
    pub(super) fn gap(&mut self) -> Parse<Gap> {
        let mut gap = Gap::from(self.known("a kind of what is not modelled", GapKind::from_name)?);
        while self.take_sign(',') {
            match self.peek() {
                Token::Text(_) => gap.name = Some(self.text()?),
                Token::Name(word) if word == "in" => {
                    self.advance();
                    gap.function = Some(self.text()?);
                }
                _ => gap.numbers.push(self.number("a number")?),
            }
        }
        Ok(gap)
    }

    /// A comma, and a name that `find` knows.
    fn one_of<T>(&mut self, what: &str, find: fn(&str) -> Option<T>) -> Parse<T> {
        self.sign(',')?;
        self.known(what, find)
    }

    fn known<T>(&mut self, what: &str, find: fn(&str) -> Option<T>) -> Parse<T> {
        let span = self.span();
        let name = self.name(what)?;
        find(&name.replace('_', "-")).ok_or_else(|| Fault::new(span, format!("`{name}` is not {what}")))
    }

    /// A comma and a text.
    fn next_text(&mut self) -> Parse<String> {
        self.sign(',')?;
        self.text()
    }
}

/// The text after `fail`; `operand` prints an operand.
pub(super) fn print(failure: &Failure, operand: impl Fn(Operand) -> String) -> String {
    match failure {
        Failure::Assertion(Assertion::Message(text)) => format!("assertion, {}", string(text)),
        Failure::Assertion(Assertion::Condition(text)) => format!("condition, {}", string(text)),
        Failure::Assertion(Assertion::Call(function)) => format!("error_call, {}", string(function)),
        Failure::OutOfBounds { object, size, access } => {
            format!("out_of_bounds, {}, {size}, {access}", string(object))
        }
        Failure::Uninitialised { variable } => format!("uninitialised, {}", string(variable)),
        Failure::Misuse(Misused { class, reason, object, call }) => {
            let object = object.map(|object| format!(", {}", operand(object))).unwrap_or_default();
            let call = call.as_ref().map(|call| format!(", {}", string(call))).unwrap_or_default();
            format!("misuse, {}, {}{object}{call}", word(class.name()), word(reason.name()))
        }
        Failure::NotJoinable => "not_joinable".to_string(),
        Failure::DivisionByZero => "division_by_zero".to_string(),
        Failure::QuotientOverflow => "overflow".to_string(),
        Failure::Unreachable => "unreachable".to_string(),
        Failure::UncaughtException(Exception { name, thrower, what }) => {
            let parts = PARTS.iter().zip([name, thrower, what]);
            let known = parts.filter_map(|(part, text)| Some(format!(", {part} {}", string(text.as_ref()?))));
            format!("uncaught_exception{}", known.collect::<String>())
        }
        Failure::Abort(cause) => format!("abort, {}", word(cause.name())),
        Failure::Said { from, length } => format!("said, {}, {}", operand(*from), operand(*length)),
    }
}

/// The text after `unsupported`.
pub(super) fn print_gap(gap: &Gap) -> String {
    let name = gap.name.as_ref().map(|name| format!(", {}", string(name))).unwrap_or_default();
    let numbers: String = gap.numbers.iter().map(|number| format!(", {number}")).collect();
    let function = gap.function.as_ref().map(|name| format!(", in {}", string(name))).unwrap_or_default();
    format!("{}{name}{numbers}{function}", word(gap.kind.name()))
}

fn word(name: &str) -> String {
    name.replace('-', "_")
}
