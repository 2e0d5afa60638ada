//! Several modules as one program: the meaning of names, and the reachable functions.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ast::{Block, Function, Global, Linkage, Value};
use crate::operands::each_value;
use crate::read::Module;
use crate::runtime;
use crate::rust_names;
use atropos_event::Diagnostic;

/// A definition: the number of its module, and its name there.
pub(crate) type Key = (usize, Rc<str>);

/// The meaning of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    Function(Key),
    Global(Key),
    /// Declared, but defined nowhere.
    Missing(Rc<str>),
}

pub(crate) struct LinkedProgram {
    pub modules: Vec<Module>,
    /// The definitions that modules share: the module of each, and whether another one may take precedence.
    shared: HashMap<Rc<str>, (usize, bool)>,
    /// The functions of Rust's standard library that have models, each with the name of its model.
    models: HashMap<Rc<str>, Rc<str>>,
    /// The bodies of all reachable functions, in the order in which they were found.
    pub bodies: Vec<(Key, Rc<Vec<Block>>)>,
    /// The names that reachable functions and the initial values of reachable variables refer to, and that no module
    /// defines.
    pub missing: HashSet<Rc<str>>,
}

/// The maximum length of a chain of aliases; longer ones are cycles.
const MOST_ALIASES: usize = 64;

impl LinkedProgram {
    /// # Errors
    /// A name has two strong definitions.
    pub(crate) fn link(modules: Vec<Module>) -> Result<LinkedProgram, Diagnostic> {
        let mut shared: HashMap<Rc<str>, (usize, bool)> = HashMap::new();
        for (index, module) in modules.iter().enumerate() {
            for (name, linkage) in definitions(module) {
                let is_weak = matches!(linkage, Linkage::Weak | Linkage::AvailableExternally);
                match shared.get(name) {
                    Some(&(other, false)) if !is_weak => {
                        let message =
                            format!("`{name}` is defined twice, here and in {}", modules[other].file);
                        return Err(Diagnostic::about_file(&module.file, message));
                    }
                    Some(_) if is_weak => {}
                    _ => {
                        shared.insert(name.clone(), (index, is_weak));
                    }
                }
            }
        }
        let names = modules.iter().flat_map(|module| module.functions.keys());
        let models = rust_names::modelled(names, &runtime::models_of_rust());
        Ok(LinkedProgram { modules, shared, models, bodies: Vec::new(), missing: HashSet::new() })
    }

    pub(crate) fn is_optimised(&self) -> bool {
        self.modules.iter().any(|module| module.is_optimised)
    }

    pub(crate) fn function(&self, key: &Key) -> &Function {
        &self.modules[key.0].functions[&key.1]
    }

    pub(crate) fn global(&self, key: &Key) -> &Global {
        &self.modules[key.0].globals[&key.1]
    }

    /// The meaning of `name` in a module.
    pub(crate) fn resolve(&self, module: usize, name: &Rc<str>) -> Symbol {
        let (mut at, mut wanted) = (module, name.clone());
        for _ in 0..MOST_ALIASES {
            if runtime::is_stream_function(&wanted) {
                return Symbol::Missing(wanted);
            }
            if let Some(model) = self.models.get(&wanted) {
                return Symbol::Missing(model.clone());
            }
            if !self.modules[at].defines_locally(&wanted) {
                match self.shared.get(&wanted) {
                    Some(&(found, _)) => at = found,
                    None => return Symbol::Missing(wanted),
                }
            }
            let here = &self.modules[at];
            if here.functions.contains_key(&wanted) {
                return Symbol::Function((at, wanted));
            }
            if here.globals.contains_key(&wanted) {
                return Symbol::Global((at, wanted));
            }
            match here.aliases.get(&wanted).and_then(|alias| alias.target.clone()) {
                Some(target) => wanted = target,
                None => return Symbol::Missing(wanted),
            }
        }
        Symbol::Missing(name.clone())
    }

    /// The function of a Rust program with this path in source code, even if it has a model.
    pub(crate) fn definition_with_path(&self, path: &str) -> Option<Symbol> {
        let last = path.rsplit("::").next().unwrap_or(path);
        self.definition_with_name(|name| {
            name.contains(last) && rust_names::path(name).as_deref() == Some(path)
        })
    }

    /// The function of a Rust program with such a name, even if it has a model.
    pub(crate) fn definition_with_name(&self, is_wanted: impl Fn(&str) -> bool) -> Option<Symbol> {
        let modules = self.modules.iter().enumerate().filter(|_| !self.models.is_empty());
        let mut functions =
            modules.flat_map(|(at, module)| module.functions.values().map(move |function| (at, function)));
        let found = functions.find(|(_, function)| function.body.is_some() && is_wanted(&function.name));
        found.map(|(at, function)| Symbol::Function((at, function.name.clone())))
    }

    /// Whether `module` declares `name` as optional, and no module defines it.
    pub(crate) fn is_absent(&self, module: usize, name: &str) -> bool {
        let module = &self.modules[module];
        let function = module.functions.get(name).map(|function| function.linkage);
        let linkage = function.or_else(|| module.globals.get(name).map(|global| global.linkage));
        linkage == Some(Linkage::ExternWeak)
    }

    /// Reads the bodies of all functions reachable from `roots`.
    ///
    /// # Errors
    /// A body is malformed.
    pub(crate) fn reach(&mut self, roots: Vec<Symbol>) -> Result<(), Diagnostic> {
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
                Symbol::Missing(name) => {
                    self.missing.insert(name);
                }
                Symbol::Function(_) | Symbol::Global(_) => {}
            }
            open.extend(found.iter().map(|(module, name)| self.resolve(*module, name)));
        }
        Ok(())
    }
}

/// What a module defines for other modules.
fn definitions(module: &Module) -> impl Iterator<Item = (&Rc<str>, Linkage)> {
    let functions = module.functions.values().filter(|function| function.body.is_some());
    let globals = module.globals.values().filter(|global| global.initialiser.is_some());
    functions
        .map(|function| (&function.name, function.linkage))
        .chain(globals.map(|global| (&global.name, global.linkage)))
        .chain(module.aliases.iter().map(|(name, alias)| (name, alias.linkage)))
        .filter(|(name, linkage)| *linkage != Linkage::Local && !name.starts_with("llvm."))
}

fn globals_in(value: &Value, found: &mut Vec<(usize, Rc<str>)>) {
    match value {
        Value::Global(name) => found.push((0, name.clone())),
        Value::Aggregate(elements) | Value::Gep { args: elements, .. } => {
            elements.iter().for_each(|element| globals_in(&element.value, found));
        }
        Value::Select(parts) => parts.iter().for_each(|part| globals_in(&part.value, found)),
        Value::Cast { value, .. } => globals_in(&value.value, found),
        Value::Binary { left, right, .. } | Value::Compare { left, right, .. } => {
            globals_in(&left.value, found);
            globals_in(&right.value, found);
        }
        _ => {}
    }
}
