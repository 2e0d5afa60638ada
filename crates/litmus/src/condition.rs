//! Final conditions: their observables, their syntax, and when they hold.
//!
//! The order of [`Observable`]s is the order in which herd shows a state: registers by thread and name,
//! then locations by name.

use atropos_event::Span;
use std::fmt;

/// Something that has a value when a test has ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Observable {
    Register { thread: usize, name: String },
    Location(String),
}

impl Observable {
    pub fn register(thread: usize, name: impl Into<String>) -> Self {
        Observable::Register { thread, name: name.into() }
    }

    pub fn location(name: impl Into<String>) -> Self {
        Observable::Location(name.into())
    }
}

impl fmt::Display for Observable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Observable::Register { thread, name } => write!(f, "{thread}:{name}"),
            Observable::Location(name) => f.write_str(name),
        }
    }
}

/// A value in a test.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Constant {
    Int(i64),
    /// The address of the location with this name.
    Address(String),
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Int(value) => write!(f, "{value}"),
            Constant::Address(name) => f.write_str(name),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    pub quantifier: Quantifier,
    pub prop: Prop,
}

/// What a condition claims about the executions of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    Exists,
    NotExists,
    Forall,
}

impl Quantifier {
    pub fn name(self) -> &'static str {
        match self {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        }
    }

    /// Whether the claim holds if `positive` executions satisfy the proposition and `negative` do not.
    pub fn holds(self, positive: u64, negative: u64) -> bool {
        match self {
            Quantifier::Exists => positive > 0,
            Quantifier::NotExists => positive == 0,
            Quantifier::Forall => negative == 0,
        }
    }
}

/// A proposition about one final state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prop {
    True,
    False,
    Atom(Atom),
    Not(Box<Prop>),
    And(Box<Prop>, Box<Prop>),
    Or(Box<Prop>, Box<Prop>),
    Implies(Box<Prop>, Box<Prop>),
}

/// `left = right`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    pub left: Observable,
    pub right: Term,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    Constant(Constant),
    Observable(Observable),
}

impl Prop {
    /// `left = value`, without a place in a file.
    pub fn equals(left: Observable, value: i64) -> Prop {
        let right = Term::Constant(Constant::Int(value));
        Prop::Atom(Atom { left, right, span: Span::default() })
    }

    /// The conjunction of `props`; true if there are none.
    pub fn all(props: impl IntoIterator<Item = Prop>) -> Prop {
        let conjoin = |left, right| Prop::And(Box::new(left), Box::new(right));
        props.into_iter().reduce(conjoin).unwrap_or(Prop::True)
    }

    /// Whether the proposition holds, given which atoms do.
    pub fn evaluate(&self, holds: &mut dyn FnMut(&Atom) -> bool) -> bool {
        match self {
            Prop::True => true,
            Prop::False => false,
            Prop::Atom(atom) => holds(atom),
            Prop::Not(prop) => !prop.evaluate(holds),
            Prop::And(left, right) => left.evaluate(holds) && right.evaluate(holds),
            Prop::Or(left, right) => left.evaluate(holds) || right.evaluate(holds),
            Prop::Implies(left, right) => !left.evaluate(holds) || right.evaluate(holds),
        }
    }

    pub fn for_each_atom<'prop>(&'prop self, visit: &mut dyn FnMut(&'prop Atom)) {
        match self {
            Prop::True | Prop::False => {}
            Prop::Atom(atom) => visit(atom),
            Prop::Not(prop) => prop.for_each_atom(visit),
            Prop::And(left, right) | Prop::Or(left, right) | Prop::Implies(left, right) => {
                left.for_each_atom(visit);
                right.for_each_atom(visit);
            }
        }
    }

    /// How tightly the outermost connective binds.
    fn strength(&self) -> u8 {
        match self {
            Prop::True | Prop::False | Prop::Atom(_) | Prop::Not(_) => 3,
            Prop::And(..) => 2,
            Prop::Or(..) => 1,
            Prop::Implies(..) => 0,
        }
    }

    /// Writes the proposition, in parentheses if it binds less tightly than `strength`.
    fn write(&self, f: &mut fmt::Formatter<'_>, strength: u8) -> fmt::Result {
        if self.strength() < strength {
            f.write_str("(")?;
            self.write(f, 0)?;
            return f.write_str(")");
        }
        match self {
            Prop::True => f.write_str("true"),
            Prop::False => f.write_str("false"),
            Prop::Atom(atom) => write!(f, "{atom}"),
            Prop::Not(prop) => {
                // herd negates only parenthesised propositions.
                f.write_str("not (")?;
                prop.write(f, 0)?;
                f.write_str(")")
            }
            Prop::And(left, right) => write_binary(f, (left, 2), " /\\ ", (right, 3)),
            Prop::Or(left, right) => write_binary(f, (left, 1), " \\/ ", (right, 2)),
            Prop::Implies(left, right) => write_binary(f, (left, 1), " => ", (right, 0)),
        }
    }
}

fn write_binary(
    f: &mut fmt::Formatter<'_>,
    left: (&Prop, u8),
    symbol: &str,
    right: (&Prop, u8),
) -> fmt::Result {
    left.0.write(f, left.1)?;
    f.write_str(symbol)?;
    right.0.write(f, right.1)
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=", self.left)?;
        match &self.right {
            Term::Constant(constant) => write!(f, "{constant}"),
            Term::Observable(Observable::Location(name)) => write!(f, "[{name}]"),
            Term::Observable(register) => write!(f, "{register}"),
        }
    }
}

impl fmt::Display for Prop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.quantifier.name(), self.prop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantifier_counts_executions() {
        let holds = |positive, negative| {
            [Quantifier::Exists, Quantifier::NotExists, Quantifier::Forall]
                .map(|q| q.holds(positive, negative))
        };
        assert_eq!(holds(0, 2), [false, true, false]);
        assert_eq!(holds(2, 2), [true, false, false]);
        assert_eq!(holds(2, 0), [true, false, true]);
    }

    #[test]
    fn connectives_have_their_usual_meaning() {
        let prop = |value| Box::new(if value { Prop::True } else { Prop::False });
        let table = |make: fn(Box<Prop>, Box<Prop>) -> Prop| {
            [(false, false), (false, true), (true, false), (true, true)].map(|(left, right)| {
                make(prop(left), prop(right)).evaluate(&mut |_| unreachable!("no atoms"))
            })
        };
        assert_eq!(table(Prop::And), [false, false, false, true]);
        assert_eq!(table(Prop::Or), [false, true, true, true]);
        assert_eq!(table(Prop::Implies), [true, true, false, true]);
    }
}
