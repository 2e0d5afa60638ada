//! The lines before the initial state: `C NAME`, a string, comments, and lines `Key=value`.

use super::Parsed;
use crate::lexer::nested_comment;
use atropos_event::{Fault, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    X86,
    X86_64,
}

#[derive(Debug)]
pub struct Header {
    pub language: Language,
    pub name: String,
    pub doc: Option<String>,
    pub info: Vec<(String, String)>,
    /// The byte offset of the `{` that opens the initial state.
    pub body: usize,
}

pub fn parse(text: &str) -> Parsed<Header> {
    let start = skip_blanks(text, 0)?;
    let line = line_at(text, start);
    let mut words = line.split_whitespace();
    let language = language(words.next().unwrap_or(""), Span::new(start, start + line.trim_end().len()))?;
    let name = words.next().ok_or_else(|| {
        Fault::new(Span::new(start, start + line.len()), "expected the name of the test after its language")
    })?;
    let mut header =
        Header { language, name: name.to_owned(), doc: None, info: Vec::new(), body: start + line.len() };
    while !text[header.body..].starts_with('{') {
        header.item(text)?;
    }
    Ok(header)
}

impl Header {
    /// Takes one string or `Key=value` line, and the blanks after it.
    fn item(&mut self, text: &str) -> Parsed<()> {
        let start = skip_blanks(text, self.body)?;
        let line = line_at(text, start);
        let line_span = Span::new(start, start + line.trim_end().len());
        if let Some(rest) = text[start..].strip_prefix('"') {
            let length = rest
                .find('"')
                .ok_or_else(|| Fault::new(Span::new(start, start + 1), "this string is not closed"))?;
            self.doc = Some(rest[..length].to_owned());
            self.body = start + length + 2;
        } else if let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('{')) {
            self.info.push((key.trim().to_owned(), value.trim().to_owned()));
            self.body = start + line.len();
        } else if line.starts_with('{') {
            self.body = start;
        } else {
            let message = "expected `{`, a string or a line `Key=value` before the initial state";
            return Err(Fault::new(line_span, message));
        }
        Ok(())
    }
}

fn language(word: &str, span: Span) -> Parsed<Language> {
    match word.to_ascii_uppercase().as_str() {
        "C" => Ok(Language::C),
        "X86" => Ok(Language::X86),
        "X86_64" => Ok(Language::X86_64),
        "AARCH64" | "ARM" | "PPC" | "RISCV" | "MIPS" | "BPF" | "BELL" | "LISA" | "ASL" | "JAVA" | "PTX" => {
            let message = format!("litmus tests in {word} are not supported, only C, X86 and X86_64");
            Err(Fault::new(span, message))
        }
        _ => Err(Fault::new(span, "expected `C NAME`, `X86 NAME` or `X86_64 NAME`")),
    }
}

fn line_at(text: &str, start: usize) -> &str {
    text[start..].split('\n').next().unwrap_or("")
}

/// The offset after blanks and comments from `at` on.
fn skip_blanks(text: &str, mut at: usize) -> Parsed<usize> {
    loop {
        let rest = &text[at..];
        let blanks = rest.len() - rest.trim_start().len();
        if blanks > 0 {
            at += blanks;
        } else if rest.starts_with("(*") {
            at += nested_comment(rest)
                .ok_or_else(|| Fault::new(Span::new(at, at + 2), "this comment is not closed"))?;
        } else if rest.starts_with("//") {
            at += line_at(text, at).len();
        } else {
            return Ok(at);
        }
    }
}
