//! From the text of a module to its parts.
//!
//! Clang prints one definition per line, and functions from `define` to a line that is a brace. So a module is
//! first cut into lines: headers of functions and globals are read at once, bodies and places only on demand,
//! which makes the many unused functions of C++ headers cheap.

mod debug;
mod instructions;
mod lexer;
mod metadata;
mod parser;
mod values;

use std::collections::HashMap;
use std::rc::Rc;

use crate::ast::{Block, Function, FunctionType, Global};
use crate::diagnostic::Diagnostic;
pub use debug::Variable;
use lexer::Kind;
pub use metadata::{Location, Metadata};
use parser::{NamedTypes, Parsed, Parser};
pub use values::element_type;

/// A module: what its text defines and declares.
pub struct Module {
    pub file: String,
    text: String,
    types: NamedTypes,
    pub triple: String,
    pub globals: HashMap<Rc<str>, Global>,
    pub functions: HashMap<Rc<str>, Function>,
    /// From the name of an alias to what it stands for.
    pub aliases: HashMap<Rc<str>, Rc<str>>,
    pub metadata: Metadata,
}

/// Reads the text of a module; `file` is its name in messages.
pub fn read(file: &str, text: String) -> Result<Module, Diagnostic> {
    let mut module = Module {
        file: file.to_string(),
        text: String::new(),
        types: NamedTypes::default(),
        triple: String::new(),
        globals: HashMap::new(),
        functions: HashMap::new(),
        aliases: HashMap::new(),
        metadata: Metadata::default(),
    };
    for (line, content) in (1..).zip(text.lines()) {
        if let Some((name, ty)) = content.strip_prefix('%').and_then(|rest| rest.split_once(" = type ")) {
            module.types.texts.insert(name.trim_matches('"').to_string(), (ty.to_string(), line));
        }
    }
    let (mut at, mut line) = (0, 0);
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        let content = &text[at..end];
        line += 1;
        let (start, next) = (at, end + 1);
        at = next;
        if content.starts_with("define ") {
            let length = text[start..].find("\n}").ok_or_else(|| Diagnostic {
                file: file.to_string(),
                line,
                column: 1,
                message: "the function does not end".to_string(),
            })?;
            let body_end = start + length;
            let body = next.min(body_end + 1)..body_end + 1;
            module.function(content, line, Some((body, line + 1)))?;
            line += text[start..body_end + 2].matches('\n').count() as u32;
            at = text[body_end + 1..].find('\n').map_or(text.len(), |length| body_end + 1 + length + 1);
        } else {
            module.entity(content, line)?;
        }
    }
    if module.functions.is_empty() && module.globals.is_empty() {
        return Err(Diagnostic::about_file(file, "this is not LLVM IR: it defines nothing"));
    }
    module.text = text;
    Ok(module)
}

impl Module {
    fn entity(&mut self, content: &str, line: u32) -> Parsed<()> {
        match content.bytes().next() {
            Some(b'!') => self.metadata.note(content),
            Some(b'@') => self.global(content, line)?,
            Some(b'd') if content.starts_with("declare ") => self.function(content, line, None)?,
            Some(b't') if content.starts_with("target triple") => {
                self.triple = content.split('"').nth(1).unwrap_or_default().to_string();
            }
            Some(b't') if content.starts_with("target datalayout") => {
                let layout = content.split('"').nth(1).unwrap_or_default();
                if layout.starts_with('E') || layout.split('-').any(|part| part.starts_with("p:32")) {
                    let message = "only 64-bit little-endian targets are supported".to_string();
                    return Err(Diagnostic { file: self.file.clone(), line, column: 1, message });
                }
            }
            Some(b'm') if content.starts_with("module asm") => {
                let message = "assembly outside of functions is not supported".to_string();
                return Err(Diagnostic { file: self.file.clone(), line, column: 1, message });
            }
            None | Some(b'%' | b'$' | b';' | b'a' | b's' | b't' | b'}' | b' ' | b'^' | b'u') => {}
            Some(_) => {
                let message = format!("this is not LLVM IR as clang prints it: `{content}`");
                return Err(Diagnostic { file: self.file.clone(), line, column: 1, message });
            }
        }
        Ok(())
    }

    fn global(&mut self, content: &str, line: u32) -> Parsed<()> {
        let mut parser = Parser::new(&self.file, content, line, &self.types)?;
        let name: Rc<str> = parser.expect_kind(Kind::Global, "a global")?.into();
        parser.expect("=")?;
        let mut words = Vec::new();
        while !matches!(parser.peek().text, "global" | "constant" | "alias" | "ifunc") {
            if parser.peek().kind != Kind::Word {
                return parser.complain(format!("expected `global`, found `{}`", parser.peek().text));
            }
            words.push(parser.next().text);
            parser.skip_parentheses()?;
        }
        let has = |word: &str| words.contains(&word);
        let (kind, is_local) = (parser.next().text, has("private") || has("internal"));
        let is_weak = words
            .iter()
            .any(|word| word.starts_with("linkonce") || word.starts_with("weak") || *word == "common");
        let is_declared = has("external") || has("extern_weak");
        let ty = parser.ty()?;
        if kind == "alias" {
            parser.expect(",")?;
            if let crate::ast::Value::Global(target) = parser.typed()?.value {
                self.aliases.insert(name, target);
            }
            return Ok(());
        }
        let initialiser = if is_declared { None } else { Some(parser.value(&ty)?) };
        let debug = content.rsplit_once("!dbg !").and_then(|(_, number)| number.parse().ok());
        let (constant, thread_local) = (kind == "constant", has("thread_local"));
        let global =
            Global { name: name.clone(), ty, initialiser, constant, thread_local, is_local, is_weak, debug };
        self.globals.insert(name, global);
        Ok(())
    }

    fn function(
        &mut self,
        content: &str,
        line: u32,
        body: Option<(std::ops::Range<usize>, u32)>,
    ) -> Parsed<()> {
        let mut parser = Parser::new(&self.file, content, line, &self.types)?;
        let first = parser.next();
        debug_assert!(first.is("define") || first.is("declare"));
        let mut words = Vec::new();
        while !parser.at_type() {
            words.push(parser.peek().text);
            parser.next();
            parser.skip_parentheses()?;
            if parser.peek().kind == Kind::End {
                return parser.complain("a function without a type");
            }
        }
        let result = parser.ty()?;
        let name: Rc<str> = parser.expect_kind(Kind::Global, "the name of a function")?.into();
        parser.expect("(")?;
        let (mut params, mut names, mut variadic) = (Vec::new(), Vec::new(), false);
        while !parser.accept(")") {
            if parser.accept("...") {
                variadic = true;
                continue;
            }
            params.push(parser.ty()?);
            parser.attributes()?;
            let unnamed: Rc<str> = names.len().to_string().into();
            let is_named = parser.peek().kind == Kind::Local;
            names.push(if is_named { parser.next().text.into() } else { unnamed });
            if !parser.peek().is(")") {
                parser.expect(",")?;
            }
        }
        let ty = Rc::new(FunctionType { result, params, variadic });
        let is_local = words.contains(&"internal") || words.contains(&"private");
        let is_weak = words.iter().any(|word| word.starts_with("linkonce") || word.starts_with("weak"));
        // Only a copy for optimisers: the real one is elsewhere.
        let body = body.filter(|_| !words.contains(&"available_externally"));
        let function = Function { name: name.clone(), ty, params: names, is_local, is_weak, body };
        self.functions.insert(name, function);
        Ok(())
    }

    /// What the source knows about the stack objects of a function: `#dbg_declare(ptr %x, !31, ...)`.
    pub fn variables(&self, function: &Function) -> HashMap<Rc<str>, Variable> {
        let body = function.body.clone().map_or("", |(range, _)| &self.text[range]);
        let declared = body.lines().filter_map(|line| {
            let rest = line.trim_start().strip_prefix("#dbg_declare(ptr %")?;
            let (name, rest) = rest.split_once(", !")?;
            let number = rest.split(',').next()?.parse().ok()?;
            Some((Rc::from(name.trim_matches('"')), self.metadata.variable(number)?))
        });
        declared.collect()
    }

    /// The blocks of a function that is defined here.
    pub fn blocks(&self, function: &Function) -> Result<Vec<Block>, Diagnostic> {
        let Some((range, line)) = function.body.clone() else { return Ok(Vec::new()) };
        let unnamed =
            function.params.iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).count();
        Parser::new(&self.file, &self.text[range], line, &self.types)?.blocks(&unnamed.to_string())
    }
}
