//! From characters to tokens with places.

use atropos_event::{Fault, Span, TextCursor};

/// A token. Line ends matter: they end statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    Name(String),
    /// A name in backticks: never a keyword.
    Quoted(String),
    Number(u64),
    Text(String),
    Sign(char),
    LineEnd,
    End,
}

impl Token {
    /// The name of the token in messages.
    pub fn describe(&self) -> String {
        match self {
            Token::Name(name) | Token::Quoted(name) => format!("`{name}`"),
            Token::Number(value) => format!("`{value}`"),
            Token::Text(_) => "a string".to_string(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::LineEnd => "the end of the line".to_string(),
            Token::End => "the end of the file".to_string(),
        }
    }
}

/// The tokens of a text, an `End` last; or the first place that is no token.
pub fn lex(text: &str) -> Result<Vec<(Token, Span)>, Fault> {
    let mut cursor = TextCursor::new(0, text, 0);
    let mut tokens = Vec::new();
    loop {
        cursor.take_while(|c| c != '\n' && c.is_whitespace());
        if cursor.rest().starts_with('#') || cursor.rest().starts_with("//") {
            cursor.take_while(|c| c != '\n');
        }
        let start = cursor.at();
        let token = token(&mut cursor)?;
        let at_end = token == Token::End;
        if at_end && tokens.last().is_none_or(|(last, _)| *last != Token::LineEnd) {
            tokens.push((Token::LineEnd, cursor.span_from(start)));
        }
        tokens.push((token, cursor.span_from(start)));
        if at_end {
            return Ok(tokens);
        }
    }
}

/// The next token of a line.
fn token(cursor: &mut TextCursor<'_>) -> Result<Token, Fault> {
    let start = cursor.at();
    let Some(first) = cursor.first() else { return Ok(Token::End) };
    let complain = |message: &str| Fault::new(Span::new(start, start + 1), message);
    match first {
        '0'..='9' => number(cursor).map_err(|message| complain(&message)),
        'a'..='z' | 'A'..='Z' | '_' | '$' => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
            Ok(Token::Name(cursor.take_while(is_part).to_string()))
        }
        '`' => {
            let name = cursor.quoted(&['\n']).ok_or_else(|| complain("this quoted name does not end"))?;
            Ok(Token::Quoted(name.to_string()))
        }
        '"' => string(cursor).map_err(complain),
        '\n' | ';' => {
            cursor.advance(1);
            Ok(Token::LineEnd)
        }
        '=' | ',' | ':' | '+' | '-' | '*' | '&' | '(' | ')' | '{' | '}' | '[' | ']' => {
            cursor.advance(1);
            Ok(Token::Sign(first))
        }
        _ => Err(cursor.unexpected()),
    }
}

fn number(cursor: &mut TextCursor<'_>) -> Result<Token, String> {
    let written = cursor.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    let digits = written.replace('_', "");
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).ok()
    } else if digits.contains('.') {
        match digits.strip_suffix("f32") {
            Some(single) => single.parse::<f32>().ok().map(|value| u64::from(value.to_bits())),
            None => digits.parse::<f64>().ok().map(f64::to_bits),
        }
    } else {
        digits.parse().ok()
    };
    value.map(Token::Number).ok_or_else(|| format!("`{written}` is not a number of at most 64 bits"))
}

fn string(cursor: &mut TextCursor<'_>) -> Result<Token, &'static str> {
    let mut text = String::new();
    cursor.advance(1);
    loop {
        text += cursor.take_while(|c| !matches!(c, '"' | '\\' | '\n'));
        if cursor.eat("\"") {
            return Ok(Token::Text(text));
        }
        if !cursor.eat("\\") {
            return Err("this string does not end");
        }
        let escapes = [("n", '\n'), ("t", '\t'), ("\"", '"'), ("\\", '\\')];
        let escaped = escapes.into_iter().find(|(escape, _)| cursor.eat(escape));
        text.push(escaped.ok_or("unknown escape in this string")?.1);
    }
}
