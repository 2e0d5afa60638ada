//! Splits the text of a cat model into tokens.
//!
//! Names may contain `-` and `.` as in herd (`po-loc`, `no-thin-air`), which is why `^-1` is one token.
//! Comments are `(* … *)` and nest. A closure is written `r^+` or `r+`; `*` is ambiguous (closure or
//! product) and left to the parser.

use atropos_event::{Fault, Span};

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
    let mut lexer = Lexer { file, text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let start = lexer.at;
        let token = lexer.token()?;
        tokens.push((token, lexer.span_from(start)));
        if token == Token::EndOfFile {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    file: u32,
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn span_from(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with("(*") {
                return Ok(());
            }
            self.skip_comment()?;
        }
    }

    fn skip_comment(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let mut depth = 0usize;
        loop {
            let rest = self.rest();
            if rest.starts_with("(*") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with("*)") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return Ok(());
                }
            } else if let Some(c) = rest.chars().next() {
                self.at += c.len_utf8();
            } else {
                self.at = start + 2;
                return Fault::err(self.span_from(start), "this comment is never closed; expected `*)`");
            }
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
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::EndOfFile) };
        if first.is_ascii_alphabetic() {
            return Ok(self.word());
        }
        if first == '"' {
            return self.string();
        }
        if first == '_' {
            self.at += 1;
            return Ok(Token::Underscore);
        }
        if rest.starts_with("++") {
            self.at += 2;
            return Fault::err(self.span_from(start), "the operator `++` of herd is not supported");
        }
        for (symbol, token) in SYMBOLS {
            if rest.starts_with(symbol) {
                self.at += symbol.len();
                return Ok(token);
            }
        }
        self.at += first.len_utf8();
        let hint = match rest {
            _ if rest.starts_with("//") => "; comments are written `(* … *)`",
            _ if first == '^' => "; expected `^+`, `^*` or `^-1`",
            _ => "",
        };
        Fault::err(self.span_from(start), format!("unexpected character `{}`{hint}", first.escape_default()))
    }

    fn word(&mut self) -> Token<'t> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.at += word.len();
        keyword(word).map_or(Token::Name(word), Token::Keyword)
    }

    fn string(&mut self) -> Result<Token<'t>, Fault> {
        let start = self.at;
        let body = &self.rest()[1..];
        match body.find(['"', '\n']) {
            Some(end) if body[end..].starts_with('"') => {
                self.at += end + 2;
                Ok(Token::Text(&body[..end]))
            }
            _ => {
                self.at += 1;
                Fault::err(
                    self.span_from(start),
                    "this string is never closed; expected `\"` on the same line",
                )
            }
        }
    }
}
