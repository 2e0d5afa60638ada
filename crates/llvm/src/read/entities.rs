//! Splits the text of a module into its entities: types, globals, functions, metadata.
//!
//! Line breaks have no meaning in LLVM IR. An entity starts, outside all brackets, with a word that nothing else
//! starts with or with a name and `=`, and ends where the next one starts. Strings and comments are skipped. Function
//! bodies, the bulk of a module, are only scanned for their end here.

use std::ops::Range;

use atropos_event::Diagnostic;

/// What an entity is, by how it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EntityKind {
    /// `%name = type ...`
    Type,
    /// `@name = ...`
    Global,
    Define,
    Declare,
    /// `!0 = ...`
    Metadata,
    Target,
    ModuleAsm,
    /// Comdats, attribute groups, the name of the source file, use lists: nothing that affects the meaning of a
    /// program.
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Entity {
    pub kind: EntityKind,
    /// Its text in that of the module.
    pub range: Range<usize>,
    /// The line it starts at, from 1.
    pub line: u32,
    /// The text between the last outermost braces, and the line where it starts.
    pub braces: Option<(Range<usize>, u32)>,
}

/// Words that start an entity, if the following text starts like this.
const STARTS: [(&str, &str, EntityKind); 9] = [
    ("define", "", EntityKind::Define),
    ("declare", "", EntityKind::Declare),
    ("target", "triple", EntityKind::Target),
    ("target", "datalayout", EntityKind::Target),
    ("module", "asm", EntityKind::ModuleAsm),
    ("source_filename", "=", EntityKind::Other),
    ("attributes", "#", EntityKind::Other),
    ("uselistorder", "", EntityKind::Other),
    ("uselistorder_bb", "", EntityKind::Other),
];

/// Cuts `text`, the content of `file`.
///
/// # Errors
/// At the first word that starts no entity, at a bracket too many, and at a bracket or string that does not end.
pub(crate) fn entities(file: &str, text: &str) -> Result<Vec<Entity>, Diagnostic> {
    let mut cutter =
        Cutter { text, bytes: text.as_bytes(), at: 0, line: 1, open: Vec::new(), found: Vec::new() };
    match cutter.cut() {
        Ok(()) => Ok(cutter.found),
        Err((at, line, message)) => {
            let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            Err(Diagnostic::error(message).at_line(file, line, (at - start) as u32 + 1))
        }
    }
}

struct Cutter<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    line: u32,
    /// The brackets that are open: where and in which line.
    open: Vec<(usize, u32)>,
    found: Vec<Entity>,
}

/// A complaint: where, in which line, and what.
type Complaint = (usize, u32, String);

impl Cutter<'_> {
    fn cut(&mut self) -> Result<(), Complaint> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                b';' => self.at += self.bytes[self.at..].iter().take_while(|&&byte| byte != b'\n').count(),
                b'"' => self.outer_string()?,
                b'(' | b'[' | b'{' => {
                    self.need_entity()?;
                    self.open.push((self.at, self.line));
                    self.at += 1;
                }
                b')' | b']' | b'}' => self.close(byte)?,
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ if self.open.is_empty() => self.outer_token()?,
                _ => self.at += 1,
            }
        }
        match self.open.first() {
            Some(&(at, line)) => Err((at, line, "this bracket is not closed".to_string())),
            None => Ok(()),
        }
    }

    fn outer_string(&mut self) -> Result<(), Complaint> {
        self.need_entity()?;
        self.skip_string()?;
        if let Some(entity) = self.found.last_mut().filter(|_| self.open.is_empty()) {
            entity.range.end = self.at;
        }
        Ok(())
    }

    fn skip_string(&mut self) -> Result<(), Complaint> {
        let rest = &self.bytes[self.at + 1..];
        let Some(length) = rest.iter().position(|&byte| byte == b'"') else {
            return Err((self.at, self.line, "a string does not end".to_string()));
        };
        self.line += rest[..length].iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.at += length + 2;
        Ok(())
    }

    fn close(&mut self, byte: u8) -> Result<(), Complaint> {
        let opening = match byte {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        let Some((start, line)) = self.open.pop().filter(|&(start, _)| self.bytes[start] == opening) else {
            return Err((self.at, self.line, format!("`{}` closes nothing", char::from(byte))));
        };
        self.at += 1;
        if let Some(entity) = self.found.last_mut() {
            entity.range.end = self.at;
            if self.open.is_empty() && byte == b'}' {
                entity.braces = Some((start + 1..self.at - 1, line));
            }
        }
        Ok(())
    }

    /// A token outside all brackets: it starts an entity or belongs to the current one.
    fn outer_token(&mut self) -> Result<(), Complaint> {
        let (start, line) = (self.at, self.line);
        match self.bytes[start] {
            b'@' | b'%' | b'!' | b'$' | b'^' | b'#' => {
                self.at += 1;
                if self.bytes.get(self.at) == Some(&b'"') {
                    self.skip_string()?
                } else {
                    self.skip_word()
                }
                if self.follows("=")
                    && let Some(kind) = kind_of_name(self.bytes[start])
                {
                    self.begin(kind, start, line);
                }
            }
            byte if is_word(byte) => {
                self.skip_word();
                let word = &self.text[start..self.at];
                let known = STARTS.iter().find(|(first, next, _)| *first == word && self.follows(next));
                if let Some(&(_, _, kind)) = known {
                    self.begin(kind, start, line);
                }
            }
            _ => self.at += self.text[start..].chars().next().map_or(1, char::len_utf8),
        }
        let end = self.at;
        self.at = start;
        self.need_entity()?;
        self.at = end;
        if let Some(entity) = self.found.last_mut() {
            entity.range.end = end;
        }
        Ok(())
    }

    fn begin(&mut self, kind: EntityKind, start: usize, line: u32) {
        self.found.push(Entity { kind, range: start..self.at, line, braces: None });
    }

    /// Reports an error if there is no entity that the text could belong to.
    fn need_entity(&self) -> Result<(), Complaint> {
        if !self.found.is_empty() {
            return Ok(());
        }
        let content: String = self.text[self.at..].chars().take_while(|&c| c != '\n').take(60).collect();
        Err((self.at, self.line, format!("this is not LLVM IR: `{content}`")))
    }

    fn skip_word(&mut self) {
        self.at += self.bytes[self.at..].iter().take_while(|&&byte| is_word(byte) || byte == b'\\').count();
    }

    /// Whether `text` comes next, after blanks.
    fn follows(&self, text: &str) -> bool {
        let rest = &self.bytes[self.at..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        rest[blanks..].starts_with(text.as_bytes())
    }
}

fn kind_of_name(mark: u8) -> Option<EntityKind> {
    match mark {
        b'@' => Some(EntityKind::Global),
        b'%' => Some(EntityKind::Type),
        b'!' => Some(EntityKind::Metadata),
        b'$' | b'^' => Some(EntityKind::Other),
        _ => None,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(EntityKind, u32, &str)> {
        let found = entities("t.ll", text).unwrap_or_else(|complaint| panic!("{complaint}"));
        found.into_iter().map(|entity| (entity.kind, entity.line, &text[entity.range])).collect()
    }

    #[test]
    fn line_breaks_do_not_matter() {
        let text = "; a comment with @x = global\nsource_filename = \"a;{b\"  @x = global [2 x i32] [i32 1,\n i32 2]\n\
                    %t = type { i32,\n ptr } define { i32, ptr } @f() { ret i32 0 }\n\n  declare void @g()\n!0 = !{!\"}\"}";
        let expected = [
            (EntityKind::Other, 2, "source_filename = \"a;{b\""),
            (EntityKind::Global, 2, "@x = global [2 x i32] [i32 1,\n i32 2]"),
            (EntityKind::Type, 4, "%t = type { i32,\n ptr }"),
            (EntityKind::Define, 5, "define { i32, ptr } @f() { ret i32 0 }"),
            (EntityKind::Declare, 7, "declare void @g()"),
            (EntityKind::Metadata, 8, "!0 = !{!\"}\"}"),
        ];
        assert_eq!(cut(text), expected);
    }

    #[test]
    fn the_body_of_a_function_is_what_its_last_braces_hold() {
        let text = "define { i32 } @f() #0 !dbg !5 {\n  ret { i32 } { i32 1 }\n}\n";
        let found = entities("t.ll", text).unwrap();
        let (range, line) = found[0].braces.clone().unwrap();
        assert_eq!((&text[range], line), ("\n  ret { i32 } { i32 1 }\n", 1));
    }

    #[test]
    fn what_is_no_ir_is_shown_where_it_stands() {
        let complaint = |text: &str| entities("t.ll", text).unwrap_err().to_string();
        assert_eq!(complaint("\n once upon"), "t.ll:2:2: error: this is not LLVM IR: `once upon`");
        assert_eq!(
            complaint("define void @f() {\n  ret void\n"),
            "t.ll:1:18: error: this bracket is not closed"
        );
        assert_eq!(complaint("@x = global [1 x i8] [)"), "t.ll:1:23: error: `)` closes nothing");
        assert_eq!(complaint("@x = global i8 \"\n"), "t.ll:1:16: error: a string does not end");
    }

    #[test]
    fn brackets_may_nest_deeply() {
        let text = format!("@x = global {}i32{} zeroinitializer", "{".repeat(300_000), "}".repeat(300_000));
        assert_eq!(cut(&text).len(), 1);
    }
}
