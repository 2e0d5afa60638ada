//! From LLVM modules to one VM module.
//!
//! Only what the entry function and global constructors can reach is lowered. What cannot be modelled becomes an
//! `unsupported` instruction with its name: a program is refused if an execution gets there, not because a header
//! mentions it.

mod aggregates;
mod arithmetic;
mod assembly;
mod bounds;
mod calls;
mod control;
mod dynamic;
mod function;
mod globals;
mod half;
mod huge;
mod huge_intrinsics;
mod intrinsics;
mod jumps;
mod large_atomics;
mod library;
mod masked;
mod math;
mod memory;
mod moved_elements;
mod objects;
mod parts;
mod rust;
mod speculated;
mod stream;
mod unwind;
mod values;
mod vectors;
mod wide;
mod wide_atomics;
mod wide_intrinsics;

use std::collections::HashMap;
use std::rc::Rc;

use atropos_vm::ir::Symbol as Target;
use atropos_vm::{
    FunctionBuilder, FunctionId, GlobalId, Instr, Module, ModuleBuilder, Operand, Source, SourceId,
};

use crate::ast::Value;
use crate::escape::Escapes;
use crate::exceptions::Exceptions;
use crate::headers::Headers;
use crate::options::LibraryOptions;
use crate::passing::{self, Passing};
use crate::program::{Key, LinkedProgram, Symbol};
use crate::read::{self, DebugLocation};
use crate::runtime::{self, Runtime};
use crate::source_files::{SourceFiles, SourceLines};
use atropos_event::{Diagnostic, Gap, GapKind};
pub(crate) use library::MOST_BYTES;
use unwind::Throw;

/// The file of Rust's library that moves values of any type to the heap.
const BOXES: &str = "/alloc/src/boxed.rs";

/// A VM module and the function that its main thread runs.
pub struct Loaded {
    pub module: Module,
    pub entry: String,
    /// A compiler has optimised it: races and accesses that it has removed are not found.
    pub is_optimised: bool,
}

/// The function that runs global constructors, calls the entry function and ends the program.
const START: &str = "_start";

pub(crate) fn lower(
    mut program: LinkedProgram,
    entry: &str,
    options: &LibraryOptions,
    files: &SourceFiles<'_>,
) -> Result<Loaded, Diagnostic> {
    let main = (0..program.modules.len()).map(|module| program.resolve(module, &entry.into()));
    let main = main.into_iter().find(|symbol| matches!(symbol, Symbol::Function(_)));
    let Some(Symbol::Function(main)) = main else {
        let file = program.modules.first().map_or("", |module| &module.file);
        return Err(Diagnostic::about_file(file, no_entry(&program, entry)));
    };
    let modules = program.modules.iter().enumerate();
    let choosing = modules.flat_map(|(index, module)| module.choosing.iter().map(move |name| (index, name)));
    let choosing = choosing.map(|(index, name)| program.resolve(index, name));
    let constructors: Vec<Symbol> = choosing.chain(listed(&program, "llvm.global_ctors")).collect();
    let destructors: Vec<Symbol> = listed(&program, "llvm.global_dtors").into_iter().rev().collect();
    let called = rust::called(&program);
    let called_symbols = called.iter().map(|(_, symbol)| symbol);
    let roots = constructors.iter().chain(&destructors).chain(called_symbols).cloned();
    program.reach(roots.chain([Symbol::Function(main.clone())]).collect())?;
    let escapes = Escapes::analyse(&program, options);
    let runtime = Runtime::new(&program, options, !destructors.is_empty());
    let exceptions = Exceptions::analyse(&program, options, runtime.unwinding(&program));
    let mut lowering = Lowering {
        module: Module::default(),
        program: &program,
        options: *options,
        runtime,
        escapes,
        passing: passing::of_program(&program),
        functions: HashMap::new(),
        globals: HashMap::new(),
        sources: HashMap::new(),
        lines: SourceLines::new(files),
        throwing: Throwing { exceptions, throws: Vec::new(), selectors: HashMap::new() },
        constants: HashMap::new(),
    };
    lowering.declare();
    lowering.define_destructors(&destructors);
    lowering.define_called(&called);
    for (key, blocks) in program.bodies.clone() {
        let lowered = function::lower(&mut lowering, &key, &blocks);
        let id = lowering.functions[&key];
        lowering.module.functions[id.index()] = lowered;
    }
    let entry = lowering.start(&main, &constructors);
    lowering.finish_exceptions();
    // Functions and globals of different modules, and the locals of a function, may have the same name.
    let module = ModuleBuilder::from(lowering.module).finish();
    let is_optimised = program.is_optimised();
    Ok(Loaded { entry: module.functions[entry.index()].name.clone(), module, is_optimised })
}

/// Why there is nothing to run.
fn no_entry(program: &LinkedProgram, entry: &str) -> String {
    let is_empty = |module: &read::Module| module.functions.is_empty() && module.globals.is_empty();
    match program.modules.iter().all(is_empty) {
        true => format!("this defines nothing: there is no function `{entry}` to start with"),
        false => format!(
            "there is no function `{entry}` to start with; name the file that defines it as well, or another function \
             with --entry"
        ),
    }
}

/// The functions that `@llvm.global_ctors` or `@llvm.global_dtors` lists, in order of priority.
fn listed(program: &LinkedProgram, list: &str) -> Vec<Symbol> {
    let mut found = Vec::new();
    for (index, module) in program.modules.iter().enumerate() {
        let Some(global) = module.globals.get(list) else { continue };
        let Some(Value::Aggregate(entries)) = &global.initialiser else { continue };
        for entry in entries {
            if let Value::Aggregate(fields) = &entry.value
                && let (Value::Int(priority), Value::Global(name)) = (&fields[0].value, &fields[1].value)
            {
                found.push((*priority, program.resolve(index, name)));
            }
        }
    }
    found.sort_by_key(|(priority, _)| *priority);
    found.into_iter().map(|(_, symbol)| symbol).collect()
}

/// What is thrown and caught.
struct Throwing {
    exceptions: Exceptions,
    throws: Vec<Throw>,
    /// The numbers that landing pads use for the types that they catch.
    selectors: HashMap<String, u64>,
}

pub(crate) struct Lowering<'p> {
    module: Module,
    program: &'p LinkedProgram,
    options: LibraryOptions,
    runtime: Runtime,
    escapes: Escapes,
    /// The functions that have hidden parameters.
    passing: HashMap<Key, Passing>,
    functions: HashMap<Key, FunctionId>,
    globals: HashMap<Key, GlobalId>,
    /// By place, and by the number of the place in its module where several kinds of objects are created at one.
    sources: HashMap<(DebugLocation, Option<(usize, u32)>), SourceId>,
    /// The lines of source files for reports.
    lines: SourceLines<'p>,
    throwing: Throwing,
    /// Texts that the lowering itself needs, by content.
    constants: HashMap<String, GlobalId>,
}

impl Lowering<'_> {
    fn declare(&mut self) {
        for (key, _) in &self.program.bodies {
            let mut placeholder = FunctionBuilder::new(&key.1);
            placeholder.push(Instr::Return { value: None });
            self.module.functions.push(placeholder.finish());
            self.functions.insert(key.clone(), FunctionId(self.module.functions.len() as u32 - 1));
        }
    }

    /// Global destructors run after all handlers for the end of the program.
    fn define_destructors(&mut self, destructors: &[Symbol]) {
        if destructors.is_empty() {
            return;
        }
        let name = "run global destructors";
        let id = self.runtime_function(name);
        let mut code = FunctionBuilder::new(name);
        for destructor in destructors {
            if let Symbol::Function(key) = destructor {
                code.call(self.functions[key], &[]);
            }
        }
        code.push(Instr::Return { value: None });
        self.module.functions[id.index()] = code.finish();
    }

    /// The address of a symbol: a VM operand.
    fn symbol(&mut self, module: usize, name: &Rc<str>) -> Result<Operand, Gap> {
        Ok(match self.program.resolve(module, name) {
            Symbol::Function(key) => Operand::Function(self.functions[&key]),
            Symbol::Global(key) => Operand::Global(self.global(&key)?),
            Symbol::Missing(name) => match self.runtime.symbol(&mut self.module, &name) {
                Some(Target::Function(id)) => Operand::Function(id),
                Some(Target::Global(id)) => Operand::Global(id),
                None if self.is_null(module, &name) => Operand::Const(0),
                None => return Err(self.missing(module, &name)),
            },
        })
    }

    /// A function of the library, by its own name there.
    fn runtime_function(&mut self, name: &str) -> FunctionId {
        self.runtime.function(&mut self.module, name).expect("the library has this function")
    }

    /// Whether an undefined name is declared weakly, so that its address is null.
    fn is_null(&self, module: usize, name: &str) -> bool {
        self.program.is_absent(module, name) && !runtime::is_modelled_in_place(name)
    }

    /// Whether a call of this name calls the null pointer.
    pub(crate) fn calls_null(&self, module: usize, name: &str) -> bool {
        !self.runtime.has_function(name) && self.is_null(module, name)
    }

    fn missing(&self, module: usize, name: &str) -> Gap {
        if self.program.modules.iter().any(|module| module.ifuncs.iter().any(|known| &**known == name)) {
            return GapKind::Ifunc.of(name);
        }
        match self.program.modules[module].functions.contains_key(name) {
            true => GapKind::Function.of(name),
            false => GapKind::Variable.of(name),
        }
    }

    /// The address of a text that is not the program's own.
    fn constant_text(&mut self, text: &str) -> Operand {
        if let Some(&id) = self.constants.get(text) {
            return Operand::Global(id);
        }
        let bytes = [text.as_bytes(), &[0]].concat();
        let name = format!("text {}", self.constants.len());
        let global = atropos_vm::Global::zeroed(&name, 1, bytes.len() as u64);
        self.module.globals.push(atropos_vm::Global { constant: true, bytes, ..global });
        let id = GlobalId(self.module.globals.len() as u32 - 1);
        self.constants.insert(text.to_string(), id);
        Operand::Global(id)
    }

    fn source(&mut self, module: usize, number: Option<u32>) -> Option<SourceId> {
        let number = number?;
        let location = self.users_location(module, number)?;
        // Each instance of the generic function creates an object of another type there.
        let instance = location.file.ends_with(BOXES).then_some((module, number));
        let key = (location, instance);
        if let Some(&id) = self.sources.get(&key) {
            return Some(id);
        }
        let DebugLocation { ref file, line, column } = key.0;
        let file = self.lines.name(file).to_string();
        let text = self.lines.line(&file, line);
        let in_library = is_system_header(&file);
        let file = Headers::name(&file).map_or(file.clone(), str::to_string);
        self.module.sources.push(Source { file, line, column, text, in_library, object: None });
        let id = SourceId(self.module.sources.len() as u32 - 1);
        self.sources.insert(key, id);
        Some(id)
    }

    /// The place of a statement; if it belongs to a function of a library that the compiler has inlined into the user's
    /// code, the place of the call there.
    fn users_location(&self, module: usize, number: u32) -> Option<DebugLocation> {
        const MOST_CALLS: usize = 64;
        let metadata = &self.program.modules[module].metadata;
        let is_users = |location: &DebugLocation| !is_system_header(self.lines.name(&location.file));
        let calls = std::iter::successors(Some(number), |&number| metadata.inlined_at(number));
        let mut places = calls.take(MOST_CALLS).filter_map(|number| metadata.location(number));
        let innermost = places.next()?;
        if is_users(&innermost) { Some(innermost) } else { places.find(is_users).or(Some(innermost)) }
    }

    /// The function that the main thread runs. The program ends when the entry function returns.
    fn start(&mut self, main: &Key, constructors: &[Symbol]) -> FunctionId {
        let id = self.functions[main];
        let n_params = self.module.functions[id.index()].n_params;
        let mut code = FunctionBuilder::new(START);
        for constructor in constructors {
            if let Symbol::Function(key) = constructor {
                code.push(Instr::Call {
                    dst: None,
                    function: Operand::Function(self.functions[key]),
                    args: Vec::new(),
                });
            }
        }
        let mut args = vec![Operand::Const(0); n_params as usize];
        args.iter_mut().take(1).for_each(|count| *count = Operand::Const(1));
        if let Some(list) = args.get_mut(1)
            && let Some(Target::Global(id)) = self.runtime.symbol(&mut self.module, "program arguments")
        {
            *list = Operand::Global(id);
        }
        code.call(id, &args);
        let ends = [
            ("end main thread if left", self.throwing.exceptions.unwinding.ends),
            ("check exception", self.throwing.exceptions.any()),
            ("run thread destructors", self.runtime.has_thread_destructors()),
            ("run exit handlers", self.runtime.has_exit_handlers()),
        ];
        for (name, _) in ends.into_iter().filter(|(_, is_needed)| *is_needed) {
            let function = self.runtime_function(name).into();
            code.push(Instr::Call { dst: None, function, args: Vec::new() });
        }
        code.push(Instr::Halt);
        self.module.functions.push(code.finish());
        FunctionId(self.module.functions.len() as u32 - 1)
    }
}

/// Whether a file comes with the compiler or the system.
fn is_system_header(file: &str) -> bool {
    let roots = ["/usr/include/", "/usr/local/include/", "/usr/lib/", "/usr/lib64/", "/opt/", "/rustc/"];
    roots.iter().any(|root| file.starts_with(root))
        || ["/include/c++/", "/lib/clang/", "/lib/rustlib/"].iter().any(|part| file.contains(part))
        || Headers::name(file).is_some()
}
