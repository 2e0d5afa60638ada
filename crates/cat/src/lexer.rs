//! Splits the text of a cat model into tokens.
//!
//! Names may contain `-` and `.` as in herd (`po-loc`, `no-thin-air`), which is why `^-1` is one token.
//! Comments are `(* … *)` and nest. A closure is written `r^+` or `r+`; `*` is ambiguous (closure or
//! product) and left to the parser.

use atropos_event::{Fault, Span, TextCursor};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token<'t> {
    Name(&'t str),
    Text(&'t str),
    Keyword(Keyword),
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    Equals,
    Union,
    Intersection,
    Difference,
    Compose,
    Star,
    Closure,
    StarClosure,
    Inverse,
    Question,
    Tilde,
    Zero,
    Underscore,
    EndOfFile,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keyword {
    Let,
    Rec,
    And,
    As,
    Acyclic,
    Irreflexive,
    Empty,
    Flag,
    Include,
    Show,
    Unshow,
    /// A word of herd's language that this subset leaves out. It is reserved, so that it can be refused by name.
    Unsupported,
}

fn keyword(word: &str) -> Option<Keyword> {
    Some(match word {
        "let" => Keyword::Let,
        "rec" => Keyword::Rec,
        "and" => Keyword::And,
        "as" => Keyword::As,
        "acyclic" => Keyword::Acyclic,
        "irreflexive" => Keyword::Irreflexive,
        "empty" => Keyword::Empty,
        "flag" => Keyword::Flag,
        "include" => Keyword::Include,
        "show" => Keyword::Show,
        "unshow" => Keyword::Unshow,
        "in" | "fun" | "match" | "with" | "from" | "end" | "forall" | "do" | "procedure" | "call"
        | "enum" | "try" | "if" | "then" | "else" | "instructions" | "begin" | "undefined_unless"
        | "assert" => Keyword::Unsupported,
        _ => return None,
    })
}

/// All tokens with their places, the last one being [`Token::EndOfFile`].
pub(crate) fn tokenize(file: u32, text: &str) -> Result<Vec<(Token<'_>, Span)>, Fault> {
    let mut lexer = Lexer { cursor: TextCursor::new(file, text, 0) };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let start = lexer.cursor.at();
        let token = lexer.token()?;
        tokens.push((token, lexer.cursor.span_from(start)));
        if token == Token::EndOfFile {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    cursor: TextCursor<'t>,
}

impl<'t> Lexer<'t> {
    fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            self.cursor.take_while(char::is_whitespace);
            if !self.cursor.rest().starts_with("(*") {
                return Ok(());
            }
            self.cursor.skip_comment()?;
        }
    }

    fn token(&mut self) -> Result<Token<'t>, Fault> {
        const SYMBOLS: [(&str, Token<'static>); 20] = [
            ("^-1", Token::Inverse),
            ("^+", Token::Closure),
            ("^*", Token::StarClosure),
            ("(", Token::OpenParen),
            (")", Token::CloseParen),
            ("[", Token::OpenBracket),
            ("]", Token::CloseBracket),
            ("{", Token::OpenBrace),
            ("}", Token::CloseBrace),
            (",", Token::Comma),
            ("=", Token::Equals),
            ("|", Token::Union),
            ("&", Token::Intersection),
            ("\\", Token::Difference),
            (";", Token::Compose),
            ("*", Token::Star),
            ("+", Token::Closure),
            ("?", Token::Question),
            ("~", Token::Tilde),
            ("0", Token::Zero),
        ];
        let (start, rest) = (self.cursor.at(), self.cursor.rest());
        let Some(first) = self.cursor.first() else { return Ok(Token::EndOfFile) };
        if first.is_ascii_alphabetic() {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
            let word = self.cursor.take_while(is_part);
            return Ok(keyword(word).map_or(Token::Name(word), Token::Keyword));
        }
        if first == '"' {
            let text = self.cursor.quoted(&['\n']).map(Token::Text);
            return text.ok_or_else(|| {
                self.cursor.advance(1);
                let message = "this string is never closed; expected `\"` on the same line";
                Fault::new(self.cursor.span_from(start), message)
            });
        }
        if self.cursor.eat("_") {
            return Ok(Token::Underscore);
        }
        if self.cursor.eat("++") {
            return Fault::err(self.cursor.span_from(start), "the operator `++` of herd is not supported");
        }
        if let Some((_, token)) = SYMBOLS.into_iter().find(|(symbol, _)| self.cursor.eat(symbol)) {
            return Ok(token);
        }
        let mut fault = self.cursor.unexpected();
        fault.message += match first {
            _ if rest.starts_with("//") => "; comments are written `(* … *)`",
            '^' => "; expected `^+`, `^*` or `^-1`",
            _ => "",
        };
        Err(fault)
    }
}
