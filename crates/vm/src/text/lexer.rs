//! From characters to tokens with places.

use atropos_event::Span;

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

/// The tokens of a text, an `End` last; or the first place without a token.
pub fn lex(text: &str) -> Result<Vec<(Token, Span)>, (Span, String)> {
    let mut tokens = Vec::new();
    let mut line_start = 0;
    for line in text.split('\n') {
        let chars: Vec<char> = line.strip_suffix('\r').unwrap_or(line).chars().collect();
        let (mut at, mut start) = (0, line_start);
        while at < chars.len() {
            let rest = &chars[at..];
            if rest[0] == '#' || rest.starts_with(&['/', '/']) {
                break;
            }
            if rest[0].is_whitespace() {
                (at, start) = (at + 1, start + rest[0].len_utf8());
                continue;
            }
            let character = Span::new(start, start + rest[0].len_utf8());
            let (token, length) = token(rest).map_err(|message| (character, message))?;
            let end = start + rest[..length].iter().map(|c| c.len_utf8()).sum::<usize>();
            tokens.push((token, Span::new(start, end)));
            (at, start) = (at + length, end);
        }
        let line_end = line_start + line.strip_suffix('\r').unwrap_or(line).len();
        tokens.push((Token::LineEnd, Span::new(line_end, line_end)));
        line_start += line.len() + 1;
    }
    let last = tokens.last().map_or(Span::default(), |&(_, span)| span);
    tokens.push((Token::End, last));
    Ok(tokens)
}

/// The token that `chars` (not empty) start with, and its length.
fn token(chars: &[char]) -> Result<(Token, usize), String> {
    let first = chars[0];
    if first.is_ascii_digit() {
        return number(chars);
    }
    if first.is_ascii_alphabetic() || matches!(first, '_' | '$') {
        let is_part = |c: &&char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
        let name: String = chars.iter().take_while(is_part).collect();
        let length = name.len();
        return Ok((Token::Name(name), length));
    }
    match first {
        '`' => {
            let end = chars[1..].iter().position(|&c| c == '`').ok_or("this quoted name does not end")?;
            Ok((Token::Quoted(chars[1..=end].iter().collect()), end + 2))
        }
        '"' => string(chars),
        ';' => Ok((Token::LineEnd, 1)),
        '=' | ',' | ':' | '+' | '-' | '*' | '&' | '(' | ')' | '{' | '}' | '[' | ']' => {
            Ok((Token::Sign(first), 1))
        }
        _ => Err(format!("unexpected character `{}`", first.escape_default())),
    }
}

fn number(chars: &[char]) -> Result<(Token, usize), String> {
    let is_part = |c: &&char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let written: String = chars.iter().take_while(is_part).collect();
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
    let value = value.ok_or_else(|| format!("`{written}` is not a number of at most 64 bits"))?;
    Ok((Token::Number(value), written.len()))
}

fn string(chars: &[char]) -> Result<(Token, usize), String> {
    let mut text = String::new();
    let mut at = 1;
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '"' => return Ok((Token::Text(text), at)),
            '\\' => {
                let escaped = chars.get(at).copied();
                text.push(match escaped {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some(c @ ('"' | '\\')) => c,
                    _ => return Err("unknown escape in this string".to_string()),
                });
                at += 1;
            }
            _ => text.push(c),
        }
    }
    Err("this string does not end".to_string())
}
