//! What follows the threads: `locations [...]`, `filter (...)`, and the final condition.

use super::{Parsed, Parser};
use crate::condition::{Atom, Condition, Observable, Prop, Quantifier, Term};
use crate::lexer::Token;
use atropos_event::Span;

#[derive(Default)]
pub struct Finals {
    pub locations: Vec<(Observable, Span)>,
    pub filter: Option<Prop>,
    pub condition: Option<Condition>,
}

impl Parser {
    pub(super) fn finals(&mut self) -> Parsed<Finals> {
        let mut finals = Finals::default();
        loop {
            self.eat(";");
            if self.eat_word("locations") {
                finals.locations = self.locations()?;
            } else if self.eat_word("filter") {
                finals.filter = Some(self.prop()?);
            } else {
                break;
            }
        }
        if *self.peek() != Token::End {
            finals.condition = Some(self.condition()?);
            self.eat(";");
        }
        match self.peek() {
            Token::End => Ok(finals),
            _ => Err(self.expected("the end of the file after the condition")),
        }
    }

    fn locations(&mut self) -> Parsed<Vec<(Observable, Span)>> {
        self.expect("[")?;
        let mut locations = Vec::new();
        while !self.eat("]") {
            let start = self.span();
            let observable = self.observable("a location or `thread:register`")?;
            locations.push((observable, self.span_since(start)));
            if !self.is_at("]") {
                self.expect(";")?;
            }
        }
        Ok(locations)
    }

    fn condition(&mut self) -> Parsed<Condition> {
        let quantifier = if self.eat_word("exists") {
            Quantifier::Exists
        } else if self.eat_word("forall") {
            Quantifier::Forall
        } else if self.is_at("~") || self.is_at_word("not") {
            self.advance();
            if !self.eat_word("exists") {
                return Err(self.expected("`exists`"));
            }
            Quantifier::NotExists
        } else {
            return Err(self.expected("`exists`, `~exists`, `forall`, `locations` or `filter`"));
        };
        Ok(Condition { quantifier, prop: self.prop()? })
    }

    /// `=>` binds least and to the right, then `\/`, then `/\`.
    fn prop(&mut self) -> Parsed<Prop> {
        let left = self.disjunction()?;
        if !self.eat("=>") {
            return Ok(left);
        }
        let right = self.nested(Self::prop)?;
        Ok(Prop::Implies(Box::new(left), Box::new(right)))
    }

    fn disjunction(&mut self) -> Parsed<Prop> {
        let first = self.conjunction()?;
        self.chain(first, "\\/", Prop::Or, Self::conjunction)
    }

    fn conjunction(&mut self) -> Parsed<Prop> {
        let first = self.literal()?;
        self.chain(first, "/\\", Prop::And, Self::literal)
    }

    /// `first`, then `symbol next` any number of times. Each link deepens the tree, so their number is bounded: later
    /// walks over the tree recurse.
    fn chain(
        &mut self,
        first: Prop,
        symbol: &str,
        join: fn(Box<Prop>, Box<Prop>) -> Prop,
        next: fn(&mut Self) -> Parsed<Prop>,
    ) -> Parsed<Prop> {
        const MAX_LINKS: u32 = 4096;
        let mut prop = first;
        for _ in 0..MAX_LINKS {
            if !self.eat(symbol) {
                return Ok(prop);
            }
            prop = join(Box::new(prop), Box::new(next(self)?));
        }
        Err(self.expected(&format!("fewer than {MAX_LINKS} links of one connective")))
    }

    fn literal(&mut self) -> Parsed<Prop> {
        if self.is_at("~") || self.is_at_word("not") {
            self.advance();
            let negated = self.nested(Self::literal)?;
            return Ok(Prop::Not(Box::new(negated)));
        }
        if self.eat("(") {
            let prop = self.nested(Self::prop)?;
            self.expect(")")?;
            return Ok(prop);
        }
        if self.eat_word("true") {
            return Ok(Prop::True);
        }
        if self.eat_word("false") {
            return Ok(Prop::False);
        }
        self.atom()
    }

    fn atom(&mut self) -> Parsed<Prop> {
        let start = self.span();
        let left = self.observable("a proposition such as `0:r0=1` or `x=2`")?;
        let is_negated = self.is_at("!=") || self.is_at("<>");
        if is_negated {
            self.advance();
        } else if !self.eat("==") {
            self.expect("=")?;
        }
        let right = self.term()?;
        let atom = Prop::Atom(Atom { left, right, span: self.span_since(start) });
        Ok(if is_negated { Prop::Not(Box::new(atom)) } else { atom })
    }

    /// A constant, `0:r1` or `[x]`; a bare `x` is the address of `x`.
    fn term(&mut self) -> Parsed<Term> {
        let is_register = matches!(
            (self.peek(), self.peek_at(1)),
            (Token::Number(_) | Token::Ident(_), Token::Symbol(":"))
        );
        if is_register || self.is_at("[") {
            Ok(Term::Observable(self.observable("a value")?))
        } else {
            Ok(Term::Constant(self.constant()?))
        }
    }
}
