//! Words, numbers, names and punctuation of textual LLVM IR.

use atropos_event::Diagnostic;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// `%name`, `@name`, `!name`, `#name`, `$name`; the text is without the mark and quotes.
    Local,
    Global,
    Meta,
    Attribute,
    Comdat,
    Word,
    Number,
    String,
    /// `c"..."`
    Bytes,
    Punctuation,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub kind: TokenKind,
    pub text: &'t str,
    pub line: u32,
    pub column: u32,
}

impl Token<'_> {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, TokenKind::Word | TokenKind::Punctuation)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-')
}

/// Splits `text`, which starts at `line` of `file`, into tokens; the last one is [`TokenKind::End`].
pub(crate) fn tokens<'t>(file: &str, text: &'t str, line: u32) -> Result<Vec<Token<'t>>, Diagnostic> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, line, line_start: 0 };
    let mut tokens = Vec::with_capacity(text.len() / 5);
    loop {
        let token = lexer.next().map_err(|message| {
            let column = (lexer.at - lexer.line_start) as u32 + 1;
            Diagnostic::error(message).at_line(file, lexer.line, column)
        })?;
        tokens.push(token);
        if token.kind == TokenKind::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'t> Lexer<'t> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn skip_blanks(&mut self) {
        while self.at < self.bytes.len() {
            match self.peek() {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                b';' => {
                    while self.at < self.bytes.len() && self.peek() != b'\n' {
                        self.at += 1;
                    }
                }
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    fn next(&mut self) -> Result<Token<'t>, String> {
        self.skip_blanks();
        let (line, column) = (self.line, (self.at - self.line_start) as u32 + 1);
        let start = self.at;
        let (kind, text) = match self.peek() {
            0 if self.at >= self.bytes.len() => (TokenKind::End, ""),
            b'%' => (TokenKind::Local, self.name()?),
            b'@' => (TokenKind::Global, self.name()?),
            b'!' => (TokenKind::Meta, self.name()?),
            b'#' => (TokenKind::Attribute, self.name()?),
            b'$' => (TokenKind::Comdat, self.name()?),
            b'"' => (TokenKind::String, self.quoted()?),
            b'c' if self.bytes.get(self.at + 1) == Some(&b'"') => {
                self.at += 1;
                (TokenKind::Bytes, self.quoted()?)
            }
            byte if byte.is_ascii_digit() || byte == b'-' || byte == b'+' => {
                self.at += 1;
                while is_word(self.peek()) || (self.peek() == b'+' && self.bytes[self.at - 1] == b'e') {
                    self.at += 1;
                }
                (TokenKind::Number, &self.text[start..self.at])
            }
            byte if is_word(byte) => {
                while is_word(self.peek()) {
                    self.at += 1;
                }
                (TokenKind::Word, &self.text[start..self.at])
            }
            byte if byte.is_ascii_punctuation() => {
                self.at += 1;
                (TokenKind::Punctuation, &self.text[start..self.at])
            }
            byte => return Err(format!("the byte {byte:#04x} has no place in LLVM IR")),
        };
        Ok(Token { kind, text, line, column })
    }

    /// The name after a mark; empty for a mark alone (`!{...}`).
    fn name(&mut self) -> Result<&'t str, String> {
        self.at += 1;
        if self.peek() == b'"' {
            return self.quoted();
        }
        let start = self.at;
        while is_word(self.peek()) || self.peek() == b'\\' {
            self.at += 1;
        }
        Ok(&self.text[start..self.at])
    }

    fn quoted(&mut self) -> Result<&'t str, String> {
        let start = self.at + 1;
        let length =
            self.bytes[start..].iter().position(|&byte| byte == b'"').ok_or("a string does not end")?;
        self.at = start + length + 1;
        let inside = &self.text[start..start + length];
        let lines = inside.bytes().filter(|&byte| byte == b'\n').count();
        self.line += lines as u32;
        Ok(inside)
    }
}

/// The bytes of a string with `\xx` escapes.
pub(crate) fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'\\').then(|| bytes.get(at + 1..at + 3)).flatten();
        let code = escaped.and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                result.push(byte);
                at += 3;
            }
            None if bytes[at..].starts_with(b"\\\\") => {
                result.push(b'\\');
                at += 2;
            }
            None => {
                result.push(bytes[at]);
                at += 1;
            }
        }
    }
    result
}
