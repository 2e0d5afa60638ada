//! Several modules as one program: which definition a name means, and which functions can be reached.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ast::{Block, Function, Global, Op, Typed, Value};
use crate::diagnostic::Diagnostic;
use crate::read::Module;
use crate::runtime;

/// A definition: the number of its module, and its name there.
pub type Key = (usize, Rc<str>);

/// What a name means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Symbol {
    Function(Key),
    Global(Key),
    /// Declared, but defined nowhere.
    Missing(Rc<str>),
}

pub struct Program {
    pub modules: Vec<Module>,
    functions: HashMap<Rc<str>, usize>,
    globals: HashMap<Rc<str>, usize>,
    aliases: HashMap<Rc<str>, Key>,
    /// The bodies of all functions that can be reached, in the order in which they were met.
    pub bodies: Vec<(Key, Rc<Vec<Block>>)>,
}

impl Program {
    /// # Errors
    /// When a name has two strong definitions.
    pub fn link(modules: Vec<Module>) -> Result<Program, Diagnostic> {
        let mut program = Program {
            modules,
            functions: HashMap::new(),
            globals: HashMap::new(),
            aliases: HashMap::new(),
            bodies: Vec::new(),
        };
        for (index, module) in program.modules.iter().enumerate() {
            for function in
                module.functions.values().filter(|function| function.body.is_some() && !function.is_local)
            {
                let other = program.functions.get(&function.name).copied();
                let is_weak = |index: usize| program.modules[index].functions[&function.name].is_weak;
                define(
                    &mut program.functions,
                    module,
                    index,
                    &function.name,
                    other.map(|at| (at, is_weak(at))),
                    function.is_weak,
                )?;
            }
            for global in
                module.globals.values().filter(|global| global.initialiser.is_some() && !global.is_local)
            {
                if global.name.starts_with("llvm.") {
                    continue;
                }
                let other = program.globals.get(&global.name).copied();
                let is_weak = |index: usize| program.modules[index].globals[&global.name].is_weak;
                define(
                    &mut program.globals,
                    module,
                    index,
                    &global.name,
                    other.map(|at| (at, is_weak(at))),
                    global.is_weak,
                )?;
            }
            for (name, target) in &module.aliases {
                program.aliases.insert(name.clone(), (index, target.clone()));
            }
        }
        Ok(program)
    }

    pub fn function(&self, key: &Key) -> &Function {
        &self.modules[key.0].functions[&key.1]
    }

    pub fn global(&self, key: &Key) -> &Global {
        &self.modules[key.0].globals[&key.1]
    }

    /// What `name` means in a module.
    pub fn resolve(&self, module: usize, name: &Rc<str>) -> Symbol {
        if runtime::is_stream_function(name) {
            return Symbol::Missing(name.clone());
        }
        let here = &self.modules[module];
        if here.functions.get(name).is_some_and(|function| function.is_local && function.body.is_some()) {
            return Symbol::Function((module, name.clone()));
        }
        if here.globals.get(name).is_some_and(|global| global.is_local) {
            return Symbol::Global((module, name.clone()));
        }
        if let Some(target) = here.aliases.get(name) {
            return self.resolve(module, target);
        }
        if let Some(&at) = self.functions.get(name) {
            return Symbol::Function((at, name.clone()));
        }
        if let Some(&at) = self.globals.get(name) {
            return Symbol::Global((at, name.clone()));
        }
        match self.aliases.get(name) {
            Some((at, target)) => self.resolve(*at, target),
            None => Symbol::Missing(name.clone()),
        }
    }

    /// Reads the bodies of all functions that can be reached from `roots`.
    ///
    /// # Errors
    /// When a body is malformed.
    pub fn reach(&mut self, roots: Vec<Symbol>) -> Result<(), Diagnostic> {
        let (mut open, mut seen) = (roots, HashSet::new());
        while let Some(symbol) = open.pop() {
            let mut found = Vec::new();
            match symbol {
                Symbol::Function(key) if seen.insert(key.clone()) => {
                    let blocks = self.modules[key.0].blocks(self.function(&key))?;
                    let instrs = blocks.iter().flat_map(|block| &block.instrs);
                    instrs
                        .for_each(|instr| each_value(&instr.op, &mut |value| globals_in(value, &mut found)));
                    found = found.into_iter().map(|(_, name)| (key.0, name)).collect();
                    self.bodies.push((key, Rc::new(blocks)));
                }
                Symbol::Global(key) if seen.insert(key.clone()) => {
                    let initialiser = self.global(&key).initialiser.as_ref();
                    initialiser.into_iter().for_each(|value| globals_in(value, &mut found));
                    found = found.into_iter().map(|(_, name)| (key.0, name)).collect();
                }
                _ => {}
            }
            open.extend(found.iter().map(|(module, name)| self.resolve(*module, name)));
        }
        Ok(())
    }
}

fn define(
    table: &mut HashMap<Rc<str>, usize>,
    module: &Module,
    index: usize,
    name: &Rc<str>,
    other: Option<(usize, bool)>,
    is_weak: bool,
) -> Result<(), Diagnostic> {
    match other {
        Some((_, false)) if !is_weak => {
            return Err(Diagnostic::about_file(&module.file, format!("`{name}` is defined twice")));
        }
        Some(_) if is_weak => {}
        _ => {
            table.insert(name.clone(), index);
        }
    }
    Ok(())
}

fn globals_in(value: &Value, found: &mut Vec<(usize, Rc<str>)>) {
    match value {
        Value::Global(name) => found.push((0, name.clone())),
        Value::Aggregate(elements) | Value::Gep { args: elements, .. } => {
            elements.iter().for_each(|element| globals_in(&element.value, found));
        }
        Value::Cast { value, .. } => globals_in(&value.value, found),
        Value::Binary { left, right, .. } => {
            globals_in(&left.value, found);
            globals_in(&right.value, found);
        }
        _ => {}
    }
}

/// Shows every operand of an operation.
pub fn each_value<'o>(op: &'o Op, visit: &mut dyn FnMut(&'o Value)) {
    fn all<'o>(values: &'o [Typed], visit: &mut dyn FnMut(&'o Value)) {
        values.iter().for_each(|typed| visit(&typed.value));
    }
    match op {
        Op::Ret(value) => value.iter().for_each(|typed| visit(&typed.value)),
        Op::CondBr { condition, .. } => visit(condition),
        Op::Switch { value, .. }
        | Op::FNeg(value)
        | Op::Cast { value, .. }
        | Op::Freeze(value)
        | Op::Resume(value) => visit(&value.value),
        Op::ExtractValue { aggregate, .. } => visit(&aggregate.value),
        Op::InsertValue { aggregate, element, .. } => {
            visit(&aggregate.value);
            visit(&element.value);
        }
        Op::Binary { left, right, .. } | Op::Icmp { left, right, .. } | Op::Fcmp { left, right, .. } => {
            visit(&left.value);
            visit(right);
        }
        Op::Alloca { count, .. } => count.iter().for_each(|typed| visit(&typed.value)),
        Op::Load { ptr, .. } => visit(ptr),
        Op::Store { value, ptr, .. } => {
            visit(&value.value);
            visit(ptr);
        }
        Op::CmpXchg { ptr, expected, desired, .. } => {
            [ptr, &expected.value, desired].into_iter().for_each(visit)
        }
        Op::Rmw { ptr, operand, .. } => [ptr, &operand.value].into_iter().for_each(visit),
        Op::Gep { args, .. } => all(args, visit),
        Op::Phi { incoming, .. } => incoming.iter().for_each(|(value, _)| visit(value)),
        Op::Select { condition, then, otherwise } => {
            [&condition.value, &then.value, &otherwise.value].into_iter().for_each(visit);
        }
        Op::Call(call) | Op::Invoke { call, .. } => {
            visit(&call.callee);
            call.args.iter().for_each(|arg| visit(&arg.value.value));
        }
        Op::Br(_) | Op::Unreachable | Op::Fence { .. } | Op::LandingPad { .. } | Op::Other(_) => {}
    }
}
