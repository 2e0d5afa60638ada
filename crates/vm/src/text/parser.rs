//! Modules and functions: one function per production.
//!
//! Names of globals and functions are collected before parsing, those of registers and labels before each body, so
//! all may be used before they are defined. After an error, parsing continues at the next statement.

use std::collections::HashMap;

use crate::builder::{FunctionBuilder, ModuleBuilder};
use crate::instr::Instr;
use crate::ir::{FunctionId, GlobalId, Module, Operand, Reg, Source, SourceId, Symbol, Target};
use crate::text::lexer::{Token, lex};
use atropos_event::{Diagnostics, Fault, Span, Texts};

/// An error and where it is.
pub(super) type Parse<T> = Result<T, Fault>;

const ERROR_LIMIT: usize = 20;
/// What items start with.
const ITEMS: [&str; 5] = ["global", "const", "thread_local", "fn", "threads"];

pub(super) fn parse(file: &str, text: &str) -> Result<Module, Diagnostics> {
    Ok(read(Some(file), text, ModuleBuilder::new(), HashMap::new())?.module.finish())
}

pub(super) fn parse_into(
    module: &mut Module,
    names: &mut HashMap<String, Symbol>,
    text: &str,
) -> Result<(), Diagnostics> {
    let builder = ModuleBuilder::from(std::mem::take(module));
    let parser = read(None, text, builder, std::mem::take(names))?;
    (*module, *names) = (parser.module.module, parser.names);
    Ok(())
}

/// Reads the items of `text` into a module; without a file, statements have no places.
fn read<'t>(
    file: Option<&'t str>,
    text: &'t str,
    module: ModuleBuilder,
    names: HashMap<String, Symbol>,
) -> Result<Parser<'t>, Diagnostics> {
    let complain = |faults| Texts::of_file(file.unwrap_or_default(), text).errors(faults);
    let tokens = lex(text).map_err(|error| complain(vec![error]))?;
    let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut parser = Parser { file, text, line_starts, tokens, at: 0, module, names, errors: Vec::new() };
    parser.declare();
    parser.items();
    if !parser.errors.is_empty() {
        return Err(complain(parser.errors));
    }
    Ok(parser)
}

pub(super) struct Parser<'t> {
    file: Option<&'t str>,
    text: &'t str,
    line_starts: Vec<usize>,
    tokens: Vec<(Token, Span)>,
    at: usize,
    pub(super) module: ModuleBuilder,
    names: HashMap<String, Symbol>,
    errors: Vec<Fault>,
}

/// The function being parsed.
pub(super) struct Scope {
    pub code: FunctionBuilder,
    pub names: HashMap<String, Operand>,
    pub targets: HashMap<String, Target>,
}

/// Tokens.
impl Parser<'_> {
    pub(super) fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    /// The token after `n` others; past the end it is `End`.
    pub(super) fn peek_at(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].0
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    pub(super) fn expected<T>(&self, what: &str) -> Parse<T> {
        Err(Fault::new(self.span(), format!("expected {what}, found {}", self.peek().describe())))
    }

    pub(super) fn is_sign(&self, sign: char) -> bool {
        *self.peek() == Token::Sign(sign)
    }

    pub(super) fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.peek(), Token::Name(name) if name == keyword)
    }

    pub(super) fn take_sign(&mut self, sign: char) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.is_keyword(keyword);
        self.at += usize::from(found);
        found
    }

    pub(super) fn sign(&mut self, sign: char) -> Parse<()> {
        if self.take_sign(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    pub(super) fn keyword(&mut self, keyword: &str) -> Parse<()> {
        if self.take_keyword(keyword) { Ok(()) } else { self.expected(&format!("`{keyword}`")) }
    }

    pub(super) fn name(&mut self, what: &str) -> Parse<String> {
        match self.peek() {
            Token::Name(name) | Token::Quoted(name) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => self.expected(what),
        }
    }

    /// A number, with its sign.
    pub(super) fn number(&mut self, what: &str) -> Parse<u64> {
        let negative = self.take_sign('-');
        match *self.peek() {
            Token::Number(value) => {
                self.at += 1;
                Ok(if negative { value.wrapping_neg() } else { value })
            }
            _ => self.expected(what),
        }
    }

    pub(super) fn skip_line_ends(&mut self) {
        while *self.peek() == Token::LineEnd {
            self.at += 1;
        }
    }

    /// Skips to the end of the statement: the end of its line, or a `}` that is not its own.
    fn skip_statement(&mut self) {
        let mut depth = 0;
        loop {
            match self.peek() {
                Token::LineEnd | Token::End => return,
                Token::Sign('}') if depth == 0 => return,
                Token::Sign('}') => depth -= 1,
                Token::Sign('{') => depth += 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Skips to the next line that looks like the start of an item.
    fn skip_item(&mut self) {
        loop {
            while !matches!(self.peek(), Token::LineEnd | Token::End) {
                self.at += 1;
            }
            self.skip_line_ends();
            let starts_item = ITEMS.iter().any(|keyword| self.is_keyword(keyword));
            if starts_item || *self.peek() == Token::End {
                return;
            }
        }
    }

    /// The end of a statement: the end of its line or block.
    pub(super) fn statement_end(&mut self) -> Parse<()> {
        match self.peek() {
            Token::LineEnd => {
                self.at += 1;
                Ok(())
            }
            Token::End | Token::Sign('}') => Ok(()),
            _ => self.expected("the end of the statement"),
        }
    }

    fn report(&mut self, error: Fault) {
        if self.errors.len() < ERROR_LIMIT {
            self.errors.push(error);
        }
    }
}

/// Items.
impl Parser<'_> {
    /// Finds the names of all globals and functions.
    fn declare(&mut self) {
        let mut n_globals = self.module.module.globals.len() as u32;
        for at in 0..self.tokens.len() - 1 {
            let starts_line = at == 0 || self.tokens[at - 1].0 == Token::LineEnd;
            let (Token::Name(keyword), Token::Name(name) | Token::Quoted(name)) =
                (&self.tokens[at].0, &self.tokens[at + 1].0)
            else {
                continue;
            };
            let modified = |back: usize| {
                at > back
                    && matches!(&self.tokens[at - 1 - back].0, Token::Name(m) if m == "const" || m == "thread_local")
            };
            let (keyword, name, span) = (keyword.clone(), name.clone(), self.tokens[at + 1].1);
            let symbol = match keyword.as_str() {
                "global" if starts_line || modified(0) => {
                    n_globals += 1;
                    Symbol::Global(GlobalId(n_globals - 1))
                }
                "fn" if starts_line => Symbol::Function(self.module.declare(&name)),
                _ => continue,
            };
            if self.names.insert(name.clone(), symbol).is_some() {
                self.report(Fault::new(span, format!("the name `{name}` is used twice")));
            }
        }
    }

    fn items(&mut self) {
        loop {
            self.skip_line_ends();
            let result = match self.peek() {
                Token::End => return,
                Token::Name(name) => match name.as_str() {
                    "global" | "const" | "thread_local" => self.global(),
                    "fn" => self.function(),
                    "threads" => self.threads(),
                    _ => self.expected("`global`, `fn` or `threads`"),
                },
                _ => self.expected("`global`, `fn` or `threads`"),
            };
            if let Err(error) = result {
                self.report(error);
                self.skip_item();
            }
        }
    }

    pub(super) fn symbol(&mut self) -> Parse<Symbol> {
        let span = self.span();
        let name = self.name("the name of a global or function")?;
        self.names
            .get(&name)
            .copied()
            .ok_or_else(|| Fault::new(span, format!("there is no global or function `{name}`")))
    }

    /// `fn NAME(PARAMS) { STATEMENTS }`; a call may leave out the last parameters if they are `NAME = 0`.
    fn function(&mut self) -> Parse<()> {
        self.keyword("fn")?;
        let name = self.name("the name of a function")?;
        let mut scope =
            Scope { code: FunctionBuilder::new(&name), names: HashMap::new(), targets: HashMap::new() };
        self.sign('(')?;
        while !self.take_sign(')') {
            let span = self.span();
            let param = self.name("the name of a parameter")?;
            let is_optional = self.take_sign('=');
            if is_optional && self.number("`0`")? != 0 || !is_optional && scope.code.has_optional() {
                return Err(Fault::new(span, "a parameter that may be left out is last and zero"));
            }
            self.declare_local(&mut scope, &param, span, |code| {
                Operand::Reg(if is_optional { code.optional_param(&param) } else { code.param(&param) })
            })?;
            if !self.is_sign(')') {
                self.sign(',')?;
            }
        }
        self.skip_line_ends();
        self.sign('{')?;
        self.declare_locals(&mut scope);
        loop {
            self.skip_line_ends();
            if self.take_sign('}') {
                break;
            }
            if *self.peek() == Token::End {
                return self.expected("`}`");
            }
            let source = self.source_here();
            scope.code.at(source);
            if let Err(error) = self.statement(&mut scope) {
                self.report(error);
                self.skip_statement();
            }
        }
        if self.errors.is_empty()
            && let Some(&Symbol::Function(id)) = self.names.get(&name)
        {
            self.module.define(id, scope.code.finish());
        }
        Ok(())
    }

    fn source_here(&mut self) -> Option<SourceId> {
        let file = self.file?.to_string();
        let start = self.span().start as usize;
        let line = self.line_starts.partition_point(|&line_start| line_start <= start);
        let before = &self.text[self.line_starts[line - 1]..start];
        let (line, column) = (line as u32, before.chars().count() as u32 + 1);
        Some(self.module.source(Source { file, line, column, ..Source::default() }))
    }

    /// Registers and labels of the body that starts here.
    fn declare_locals(&mut self, scope: &mut Scope) {
        let mut depth = 1;
        let mut at = self.at;
        let mut starts_statement = true;
        while depth > 0 && at < self.tokens.len() {
            let (token, span) = self.tokens[at].clone();
            match token {
                Token::Sign('{') => depth += 1,
                Token::Sign('}') => depth -= 1,
                Token::Name(name) | Token::Quoted(name) if starts_statement && depth == 1 => {
                    let result = match self.tokens.get(at + 1) {
                        Some((Token::Sign(':'), _)) => self.declare_target(scope, &name, span),
                        Some((Token::Sign('=' | ','), _)) => self.declare_results(scope, at),
                        _ => Ok(()),
                    };
                    if let Err(error) = result {
                        self.report(error);
                    }
                    starts_statement = matches!(self.tokens.get(at + 1), Some((Token::Sign(':'), _)));
                    at += 1 + usize::from(starts_statement);
                    continue;
                }
                _ => {}
            }
            starts_statement = self.tokens[at].0 == Token::LineEnd;
            at += 1;
        }
    }

    fn declare_target(&mut self, scope: &mut Scope, name: &str, span: Span) -> Parse<()> {
        let target = scope.code.target(name);
        match scope.targets.insert(name.to_string(), target) {
            None => Ok(()),
            Some(_) => Err(Fault::new(span, format!("the label `{name}` is placed twice"))),
        }
    }

    /// `NAME, NAME =` declares registers that are new.
    fn declare_results(&mut self, scope: &mut Scope, mut at: usize) -> Parse<()> {
        while let (Token::Name(name) | Token::Quoted(name), span) = self.tokens[at].clone() {
            let known = matches!(scope.names.get(&name), Some(Operand::Reg(_))) || name == "_";
            if !known {
                self.declare_local(scope, &name, span, |code| Operand::Reg(code.register(&name)))?;
            }
            if self.tokens[at + 1].0 != Token::Sign(',') {
                break;
            }
            at += 2;
        }
        Ok(())
    }

    pub(super) fn declare_local(
        &mut self,
        scope: &mut Scope,
        name: &str,
        span: Span,
        make: impl FnOnce(&mut FunctionBuilder) -> Operand,
    ) -> Parse<()> {
        if self.names.contains_key(name) || scope.names.contains_key(name) {
            return Err(Fault::new(span, format!("`{name}` is already the name of something else")));
        }
        let operand = make(&mut scope.code);
        scope.names.insert(name.to_string(), operand);
        Ok(())
    }

    /// `threads NAME[(ARGS)], ...`: a main function that spawns these, then joins them.
    fn threads(&mut self) -> Parse<()> {
        let span = self.span();
        self.keyword("threads")?;
        if self.names.contains_key("main") {
            return Err(Fault::new(
                span,
                "`threads` makes a function `main`, but there is one already".to_string(),
            ));
        }
        let mut code = FunctionBuilder::new("main");
        let mut handles: Vec<Reg> = Vec::new();
        let mut scope =
            Scope { code: FunctionBuilder::new(""), names: HashMap::new(), targets: HashMap::new() };
        loop {
            code.at(self.source_here());
            let span = self.span();
            let Symbol::Function(function) = self.symbol()? else {
                return Err(Fault::new(span, "this is a global, not a function"));
            };
            let args = if self.is_sign('(') { self.arguments(&mut scope)? } else { Vec::new() };
            let handle = code.register(&format!("t{}", handles.len()));
            code.push(Instr::Spawn { dst: Some(handle), function: function.into(), args, drains: true });
            handles.push(handle);
            if !self.take_sign(',') {
                break;
            }
        }
        handles.into_iter().for_each(|handle| code.join(handle));
        let main: FunctionId = self.module.add(code.finish());
        self.names.insert("main".to_string(), Symbol::Function(main));
        self.statement_end()
    }

    /// The meaning of a name.
    pub(super) fn resolve(&self, scope: &Scope, name: &str) -> Option<Operand> {
        scope.names.get(name).copied().or_else(|| {
            self.names.get(name).map(|symbol| match *symbol {
                Symbol::Global(id) => Operand::Global(id),
                Symbol::Function(id) => Operand::Function(id),
            })
        })
    }
}
