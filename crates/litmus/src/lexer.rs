//! Splits text into tokens, for both dialects.
//!
//! Comments are `(* ... *)`, which nest, `/* ... */` and `// ...`. Inside C code `(*` is a parenthesis and a star, as
//! in `(*x)`, so the lexer knows that the first braces hold the initial state and later ones hold code.

use atropos_event::{Fault, Span};

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
    let mut lexer = Lexer { text, at: from, depth: 0, init_is_over: false };
    let mut tokens = Vec::new();
    loop {
        let (token, span) = lexer.next()?;
        let at_end = token == Token::End;
        tokens.push((token, span));
        if at_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'text> {
    text: &'text str,
    at: usize,
    /// Open braces.
    depth: u32,
    /// The braces of the initial state have been closed.
    init_is_over: bool,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    fn next(&mut self) -> Result<(Token, Span), Fault> {
        self.skip_blanks_and_comments()?;
        let start = self.at;
        let Some(first) = self.rest().chars().next() else {
            return Ok((Token::End, Span::new(start, start)));
        };
        let token = match first {
            'a'..='z' | 'A'..='Z' | '_' => Token::Ident(self.word()),
            '0'..='9' => self.number()?,
            '"' => Token::Text(self.string()?),
            _ => self.symbol()?,
        };
        Ok((token, self.span_from(start)))
    }

    fn word(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        self.at += end;
        word
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        let word = self.word().to_ascii_lowercase();
        let digits = word.trim_end_matches(['u', 'l']);
        let value = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        value.map(Token::Number).map_err(|_| {
            Fault::new(self.span_from(start), format!("`{word}` is not an integer of at most 64 bits"))
        })
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        match self.text[start + 1..].find('"') {
            Some(length) => {
                self.at = start + length + 2;
                Ok(self.text[start + 1..start + 1 + length].to_owned())
            }
            None => Err(Fault::new(Span::new(start, start + 1), "this string is not closed")),
        }
    }

    fn symbol(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        let Some(symbol) = SYMBOLS.into_iter().find(|symbol| self.rest().starts_with(symbol)) else {
            let strange = self.rest().chars().next().unwrap_or(' ');
            self.at += strange.len_utf8();
            let message = format!("unexpected character `{}`", strange.escape_default());
            return Err(Fault::new(self.span_from(start), message));
        };
        self.at += symbol.len();
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

    fn is_in_code(&self) -> bool {
        self.init_is_over && self.depth > 0
    }

    fn skip_blanks_and_comments(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            if blanks > 0 {
                self.at += blanks;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let length = comment.find("*/").ok_or_else(|| self.open_comment())?;
                self.at += length + 4;
            } else if rest.starts_with("(*") && !self.is_in_code() {
                self.at += nested_comment(rest).ok_or_else(|| self.open_comment())?;
            } else {
                return Ok(());
            }
        }
    }

    fn open_comment(&self) -> Fault {
        Fault::new(Span::new(self.at, self.at + 2), "this comment is not closed")
    }
}

/// The length of the comment `(* ... *)` at the start of `text`, or `None` if it is not closed.
pub fn nested_comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    loop {
        let next = at + text[at..].find(['(', '*'])?;
        if text[next..].starts_with("(*") {
            depth += 1;
            at = next + 2;
        } else if text[next..].starts_with("*)") {
            depth -= 1;
            at = next + 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at = next + 1;
        }
    }
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
        assert_eq!(shown("(* x"), "this comment is not closed");
        assert_eq!(shown("\"x"), "this string is not closed");
    }
}
