//! From the text of a module to its parts.
//!
//! A module is first split into its entities ([`entities`]). Headers of functions and globals are read at once,
//! bodies and places only on demand, which makes the many unused functions of C++ headers cheap.

mod calls;
mod chosen;
mod debug;
mod entities;
mod instructions;
mod lexer;
mod locals;
mod metadata;
mod module_assembly;
mod parser;
mod typed_pointers;
mod values;

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::rc::Rc;

use crate::Volatile;
use crate::ast::{Alias, Block, Function, FunctionType, Global, Linkage, Type, Value};
use atropos_event::Diagnostic;
pub(crate) use debug::{TypeNumber, Variable};
use entities::{Entity, EntityKind};
use lexer::TokenKind;
pub(crate) use metadata::{DebugLocation, Metadata};
use module_assembly::ModuleAssembly;
use parser::{NamedTypes, Parsed, Parser};
pub(crate) use values::element_type;

/// Words before `global` that are not a linkage.
const GLOBAL_WORDS: [&str; 13] = [
    "addrspace",
    "default",
    "dllexport",
    "dllimport",
    "dso_local",
    "dso_preemptable",
    "externally_initialized",
    "hidden",
    "local_unnamed_addr",
    "partition",
    "protected",
    "thread_local",
    "unnamed_addr",
];

/// A module: what its text defines and declares.
pub(crate) struct Module {
    pub file: String,
    text: String,
    types: NamedTypes,
    pub triple: String,
    pub globals: HashMap<Rc<str>, Global>,
    pub functions: HashMap<Rc<str>, Function>,
    /// Other names of functions and globals.
    pub aliases: HashMap<Rc<str>, Alias>,
    /// Functions that are chosen when a program is loaded and take any number of arguments.
    pub ifuncs: Vec<Rc<str>>,
    /// The functions that choose the others ([`chosen`]).
    pub choosing: Vec<Rc<str>>,
    /// The bodies of functions that the text does not have.
    made: HashMap<Rc<str>, Vec<Block>>,
    pub metadata: Metadata,
    volatile: Volatile,
    assembly: ModuleAssembly,
    /// Accesses have types, which only optimisers use.
    pub has_types: bool,
    /// A compiler has optimised it: its debug information says so, accesses have types, or clang marks no function as
    /// one that is not to be optimised.
    pub is_optimised: bool,
}

/// The versions of clang whose IR is read; others have not been tried.
const CLANG_VERSIONS: RangeInclusive<u32> = 14..=22;

/// Reads the text of a module; `file` is its name in messages.
pub(crate) fn read(file: &str, text: String, volatile: Volatile) -> Result<Module, Diagnostic> {
    let has_types = text.contains(", !tbaa !");
    let mut module = Module {
        file: file.to_string(),
        text: String::new(),
        types: NamedTypes::default(),
        triple: String::new(),
        globals: HashMap::new(),
        functions: HashMap::new(),
        aliases: HashMap::new(),
        ifuncs: Vec::new(),
        choosing: Vec::new(),
        made: HashMap::new(),
        metadata: Metadata::default(),
        volatile,
        assembly: ModuleAssembly::default(),
        has_types,
        is_optimised: has_types || text.contains("isOptimized: true") || is_of_optimising_clang(&text),
    };
    let entities = entities::entities(file, &text)?;
    // The version explains why something cannot be read, and stands at the end.
    for entity in entities.iter().filter(|entity| entity.kind == EntityKind::Metadata) {
        module.metadata.note(&text[entity.range.clone()]);
    }
    module.entities(&text, &entities).map_err(|complaint| module.explained(complaint))?;
    module.text = text;
    Ok(module)
}

/// Whether clang has compiled functions, and marks none of them as one that is not to be optimised.
fn is_of_optimising_clang(text: &str) -> bool {
    let has = |part: &str| text.contains(part);
    has("clang version") && has("\nattributes #") && has("\ndefine ") && !has(" optnone ")
}

impl Module {
    fn entities(&mut self, text: &str, entities: &[Entity]) -> Parsed<()> {
        for entity in entities.iter().filter(|entity| entity.kind == EntityKind::Type) {
            self.named_type(&text[entity.range.clone()], entity.line)?;
        }
        entities.iter().try_for_each(|entity| self.entity(&text[entity.range.clone()], entity))
    }

    /// A complaint about the text, with the version of clang if that may be the reason.
    fn explained(&self, mut complaint: Diagnostic) -> Diagnostic {
        if let Some(version) =
            self.metadata.clang_version().filter(|version| !CLANG_VERSIONS.contains(version))
        {
            let (first, last) = CLANG_VERSIONS.into_inner();
            let note =
                format!(" (clang {version} made this LLVM IR; that of clang {first} to {last} is read)");
            complaint.message.push_str(&note);
        }
        complaint
    }

    fn complain(&self, line: u32, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at_line(&self.file, line, 1)
    }

    fn named_type(&mut self, content: &str, line: u32) -> Parsed<()> {
        let split = content.split_once('=');
        let Some((name, ty)) =
            split.and_then(|(name, rest)| Some((name, rest.trim_start().strip_prefix("type")?)))
        else {
            return Err(self.complain(line, format!("expected a type, found `{content}`")));
        };
        let name = name.trim().trim_start_matches('%').trim_matches('"').to_string();
        match self.types.texts.insert(name.clone(), (ty.trim().to_string(), line)) {
            Some(_) => Err(self.complain(line, format!("the type `%{name}` is defined twice"))),
            None => Ok(()),
        }
    }

    fn entity(&mut self, content: &str, entity: &Entity) -> Parsed<()> {
        let line = entity.line;
        match entity.kind {
            EntityKind::Global => self.global(content, line)?,
            EntityKind::Declare => self.function(content, line, None)?,
            EntityKind::Define => {
                let Some((range, body_line)) = entity.braces.clone() else {
                    return Err(self.complain(line, "this function has no body"));
                };
                let header = &content[..range.start - 1 - entity.range.start];
                self.function(header, line, Some((range, body_line)))?;
            }
            EntityKind::Target => self.target(content, line)?,
            EntityKind::ModuleAsm => {
                let text =
                    content.split_once('"').and_then(|(_, text)| text.strip_suffix('"')).unwrap_or_default();
                if !self.assembly.is_harmless(&String::from_utf8_lossy(&lexer::unescape(text))) {
                    let message = "assembly outside of functions is not modelled, and may define anything; leave it \
                                   out of what is checked, with `#ifdef` and a flag `-D`, or write it in C";
                    return Err(self.complain(line, message));
                }
            }
            EntityKind::Type | EntityKind::Metadata | EntityKind::Other => {}
        }
        Ok(())
    }

    fn target(&mut self, content: &str, line: u32) -> Parsed<()> {
        let text = content.split('"').nth(1).unwrap_or_default();
        if content[6..].trim_start().starts_with("triple") {
            self.triple = text.to_string();
        } else if text.starts_with('E') || text.split('-').any(|part| part.starts_with("p:32")) {
            return Err(self.complain(line, "only 64-bit little-endian targets are supported"));
        }
        Ok(())
    }

    fn is_defined(&self, name: &Rc<str>) -> bool {
        self.globals.contains_key(name)
            || self.functions.contains_key(name)
            || self.aliases.contains_key(name)
            || self.ifuncs.contains(name)
    }

    fn global(&mut self, content: &str, line: u32) -> Parsed<()> {
        let mut parser = Parser::new(&self.file, content, line, &self.types)?;
        let name: Rc<str> = parser.expect_kind(TokenKind::Global, "a global")?.into();
        if self.is_defined(&name) {
            return Err(self.complain(line, format!("`@{name}` is defined twice")));
        }
        parser.expect("=")?;
        let (mut linkage, mut thread_local) = (Linkage::Strong, false);
        while !matches!(parser.peek().text, "global" | "constant" | "alias" | "ifunc") {
            let word = parser.peek().text;
            match Linkage::from_name(word) {
                Some(known) => linkage = known,
                None if GLOBAL_WORDS.contains(&word) => thread_local |= word == "thread_local",
                None => return parser.complain(format!("expected `global`, found `{word}`")),
            }
            parser.next();
            parser.skip_parentheses()?;
        }
        let kind = parser.next().text;
        let ty = parser.ty()?;
        if kind == "ifunc" {
            parser.expect(",")?;
            // Up to clang 14, a cast has no type before it.
            let resolver = if parser.at_type() { parser.typed()?.value } else { parser.value(&Type::Ptr)? };
            match (ty, resolver) {
                (Type::Function(ty), Value::Global(resolver)) if !ty.variadic => {
                    self.choose_at_start(&name, ty, resolver, linkage);
                }
                _ => self.ifuncs.push(name),
            }
            return Ok(());
        }
        if kind == "alias" {
            parser.expect(",")?;
            let target = match parser.typed()?.value {
                Value::Global(target) => Some(target),
                _ => None,
            };
            self.aliases.insert(name, Alias { target, linkage });
            return Ok(());
        }
        let is_declared = matches!(linkage, Linkage::External | Linkage::ExternWeak);
        let initialiser = if is_declared { None } else { Some(parser.value(&ty)?) };
        let align = parser.trailer()?.align;
        let debug = content.rsplit_once("!dbg !").and_then(|(_, number)| number.parse().ok());
        let constant = kind == "constant";
        let global =
            Global { name: name.clone(), ty, initialiser, constant, thread_local, align, linkage, debug };
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
        parser.next();
        let mut linkage = Linkage::Strong;
        while !parser.at_type() {
            linkage = Linkage::from_name(parser.next().text).unwrap_or(linkage);
            parser.skip_parentheses()?;
            if parser.peek().kind == TokenKind::End {
                return parser.complain("a function without a type");
            }
        }
        let result = parser.ty()?;
        let place = parser.place();
        let name: Rc<str> = parser.expect_kind(TokenKind::Global, "the name of a function")?.into();
        if self.is_defined(&name) {
            return parser.complain_at(place, format!("`@{name}` is defined twice"));
        }
        let (params, names, variadic) = parser.parameters()?;
        let ty = Rc::new(FunctionType { result, params, variadic });
        let body = body.filter(|_| linkage != Linkage::AvailableExternally);
        let function = Function { name: name.clone(), ty, params: names, linkage, body };
        self.functions.insert(name, function);
        Ok(())
    }

    /// Whether the name is local to this module.
    pub(crate) fn defines_locally(&self, name: &str) -> bool {
        let function = self.functions.get(name).filter(|function| function.body.is_some());
        let linkage = function.map(|function| function.linkage);
        let linkage = linkage.or_else(|| self.globals.get(name).map(|global| global.linkage));
        linkage.or_else(|| self.aliases.get(name).map(|alias| alias.linkage)) == Some(Linkage::Local)
    }

    /// What the source knows about the stack objects of a function: `#dbg_declare(ptr %x, !31, ...)`, and up to clang 18
    /// `call void @llvm.dbg.declare(metadata ptr %x, metadata !31, ...)`.
    pub(crate) fn variables(&self, function: &Function) -> HashMap<Rc<str>, Variable> {
        let body = function.body.clone().map_or("", |(range, _)| &self.text[range]);
        let declared = body.lines().filter_map(|line| {
            let (name, number) = declaration(line.trim_start())?;
            Some((Rc::from(name.trim_matches('"')), self.metadata.variable(number)?))
        });
        declared.collect()
    }

    /// The blocks of a function that is defined here.
    pub(crate) fn blocks(&self, function: &Function) -> Result<Vec<Block>, Diagnostic> {
        if let Some(blocks) = self.made.get(&function.name) {
            return Ok(blocks.clone());
        }
        let Some((range, line)) = function.body.clone() else { return Ok(Vec::new()) };
        let parser = Parser::new(&self.file, &self.text[range], line, &self.types);
        let mut blocks = parser
            .and_then(|parser| {
                let mut parser = parser.with_volatile(self.volatile);
                let mut blocks = parser.blocks(&function.params)?;
                parser.views.restore(&mut blocks);
                Ok(blocks)
            })
            .map_err(|complaint| self.explained(complaint))?;
        typed_pointers::remove_casts(&mut blocks);
        Ok(blocks)
    }
}

/// The stack object that a line declares to be a variable of the source, and the number of that variable.
fn declaration(line: &str) -> Option<(&str, u32)> {
    let operands = line
        .strip_prefix("#dbg_declare(")
        .or_else(|| line.split_once("@llvm.dbg.declare(metadata ").map(|(_, operands)| operands))?;
    let (object, rest) = operands.split_once(", metadata !").or_else(|| operands.split_once(", !"))?;
    let (ty, name) = object.rsplit_once(" %")?;
    let number = rest.split(',').next()?.parse().ok()?;
    (ty == "ptr" || ty.ends_with('*')).then_some((name, number))
}

#[cfg(test)]
mod tests {
    use super::declaration;

    #[test]
    fn variables_are_declared_in_three_ways() {
        let found = Some(("x", 31));
        assert_eq!(declaration("#dbg_declare(ptr %x, !31, !DIExpression(), !33)"), found);
        let call =
            "call void @llvm.dbg.declare(metadata ptr %x, metadata !31, metadata !DIExpression()), !dbg !33";
        assert_eq!(declaration(call), found);
        let call =
            "call void @llvm.dbg.declare(metadata { i32, i32 }* %x, metadata !31, metadata !32), !dbg !33";
        assert_eq!(declaration(call), found);
        assert_eq!(declaration("#dbg_declare(i32 %x, !31, !DIExpression(), !33)"), None);
        assert_eq!(declaration("call void @f(ptr %x)"), None);
    }
}
