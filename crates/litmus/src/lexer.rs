//! Splits text into tokens, for both dialects.
//!
//! Comments are `(* ... *)`, which nest, `/* ... */` and `// ...`. Inside C code `(*` is a parenthesis and a star, as
//! in `(*x)`, so the lexer knows that the first braces hold the initial state and later ones hold code.

use atropos_event::{Fault, Span, TextCursor};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    Ident(String),
    /// The magnitude of an integer literal; a sign is a separate token.
    Number(u64),
    Text(String),
    /// An operator or a bracket, in its source form.
    Symbol(&'static str),
    End,
}

impl Token {
    /// The name of the token in diagnostics.
    pub fn describe(&self) -> String {
        match self {
            Token::Ident(name) => format!("`{name}`"),
            Token::Number(value) => format!("`{value}`"),
            Token::Text(_) => "a string".to_owned(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

/// Longest first, so that the first match is the longest.
const SYMBOLS: [&str; 54] = [
    "<<=", ">>=", "<=>", "...", "/\\", "\\/", "=>", "==", "!=", "<>", "<=", ">=", "<<", ">>", "&&", "||",
    "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "(", ")", "{", "}", "[", "]", ";", ",",
    ":", "=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "?", "$", ".", "#", "@",
];

/// The tokens of `text` from byte `from` on, ended by [`Token::End`].
pub fn tokenize(text: &str, from: usize) -> Result<Vec<(Token, Span)>, Fault> {
    let mut lexer = Lexer { cursor: TextCursor::new(0, text, from), depth: 0, init_is_over: false };
    let mut tokens = Vec::new();
    loop {
        let part = lexer.part();
        skip_blanks(&mut lexer.cursor, part)?;
        let start = lexer.cursor.at();
        let token = lexer.token()?;
        let at_end = token == Token::End;
        tokens.push((token, lexer.cursor.span_from(start)));
        if at_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'text> {
    cursor: TextCursor<'text>,
    /// Open braces.
    depth: u32,
    /// The braces of the initial state have been closed.
    init_is_over: bool,
}

impl Lexer<'_> {
    fn token(&mut self) -> Result<Token, Fault> {
        match self.cursor.first() {
            None => Ok(Token::End),
            Some('a'..='z' | 'A'..='Z' | '_') => Ok(Token::Ident(self.word().to_owned())),
            Some('0'..='9') => self.number(),
            Some('"') => string(&mut self.cursor).map(|text| Token::Text(text.to_owned())),
            Some(_) => self.symbol(),
        }
    }

    fn word(&mut self) -> &str {
        self.cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let start = self.cursor.at();
        let word = self.word().to_ascii_lowercase();
        let digits = word.trim_end_matches(['u', 'l']);
        let value = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        value.map(Token::Number).map_err(|_| {
            let message = format!("`{word}` is not an integer of at most 64 bits");
            Fault::new(self.cursor.span_from(start), message)
        })
    }

    fn symbol(&mut self) -> Result<Token, Fault> {
        let Some(symbol) = SYMBOLS.into_iter().find(|symbol| self.cursor.eat(symbol)) else {
            return Err(self.cursor.unexpected());
        };
        match symbol {
            "{" => self.depth += 1,
            "}" => {
                self.depth = self.depth.saturating_sub(1);
                self.init_is_over |= self.depth == 0;
            }
            _ => {}
        }
        Ok(Token::Symbol(symbol))
    }

    fn part(&self) -> TestPart {
        if self.init_is_over && self.depth > 0 { TestPart::Code } else { TestPart::Header }
    }
}

/// Where a text continues: `(*` begins a comment except in code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestPart {
    Header,
    Code,
}

/// Skips blanks and comments.
pub fn skip_blanks(cursor: &mut TextCursor<'_>, part: TestPart) -> Result<(), Fault> {
    loop {
        cursor.take_while(char::is_whitespace);
        let (start, rest) = (cursor.at(), cursor.rest());
        if rest.starts_with("//") {
            cursor.take_while(|c| c != '\n');
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/");
            cursor.advance(end.map_or(2, |length| length + 4));
            if end.is_none() {
                return Fault::err(cursor.span_from(start), "this comment is never closed; expected `*/`");
            }
        } else if rest.starts_with("(*") && part == TestPart::Header {
            cursor.skip_comment()?;
        } else {
            return Ok(());
        }
    }
}

/// The text in quotation marks that follows.
pub fn string<'text>(cursor: &mut TextCursor<'text>) -> Result<&'text str, Fault> {
    let start = cursor.at();
    cursor.quoted(&[]).ok_or_else(|| {
        cursor.advance(1);
        Fault::new(cursor.span_from(start), "this string is not closed")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match tokenize(text, 0) {
            Ok(tokens) => tokens.iter().map(|(token, _)| token.describe()).collect::<Vec<_>>().join(" "),
            Err(error) => error.message,
        }
    }

    #[test]
    fn a_parenthesis_and_star_is_a_comment_outside_code_only() {
        assert_eq!(
            shown("{ (* a (* b *) *) } P0 { (*x) } (* c *)"),
            "`{` `}` `P0` `{` `(` `*` `x` `)` `}` the end of the file"
        );
    }

    #[test]
    fn connectives_are_not_comments() {
        assert_eq!(shown("a /\\ b \\/ c // d"), "`a` `/\\` `b` `\\/` `c` the end of the file");
    }

    #[test]
    fn strange_input_is_named() {
        assert_eq!(shown("é"), "unexpected character `\\u{e9}`");
        assert_eq!(
            shown("99999999999999999999"),
            "`99999999999999999999` is not an integer of at most 64 bits"
        );
        assert_eq!(shown("(* x"), "this comment is never closed; expected `*)`");
        assert_eq!(shown("\"x"), "this string is not closed");
    }
}
