//! The lines before the initial state: `C NAME`, a string, comments, and lines `Key=value`.

use super::Parsed;
use crate::lexer::{TestPart, skip_blanks, string};
use atropos_event::{Fault, Span, TextCursor};

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
    let mut cursor = TextCursor::new(0, text, 0);
    skip_blanks(&mut cursor, TestPart::Header)?;
    let (start, line) = (cursor.at(), cursor.take_while(|c| c != '\n'));
    let mut words = line.split_whitespace();
    let language = language(words.next().unwrap_or(""), Span::new(start, start + line.trim_end().len()))?;
    let name = words.next().ok_or_else(|| {
        Fault::new(cursor.span_from(start), "expected the name of the test after its language")
    })?;
    let mut header = Header { language, name: name.to_owned(), doc: None, info: Vec::new(), body: 0 };
    skip_blanks(&mut cursor, TestPart::Header)?;
    while !cursor.rest().starts_with('{') {
        header.item(&mut cursor)?;
        skip_blanks(&mut cursor, TestPart::Header)?;
    }
    header.body = cursor.at();
    Ok(header)
}

impl Header {
    /// Takes one string or `Key=value` line.
    fn item(&mut self, cursor: &mut TextCursor<'_>) -> Parsed<()> {
        if cursor.rest().starts_with('"') {
            self.doc = Some(string(cursor)?.to_owned());
            return Ok(());
        }
        let (start, line) = (cursor.at(), cursor.take_while(|c| c != '\n'));
        let (key, value) = line.split_once('=').ok_or_else(|| {
            let span = Span::new(start, start + line.trim_end().len());
            Fault::new(span, "expected `{`, a string or a line `Key=value` before the initial state")
        })?;
        self.info.push((key.trim().to_owned(), value.trim().to_owned()));
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
