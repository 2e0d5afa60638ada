//! Library functions by their real names.
//!
//! Most are written in the text form of the VM, one file per family, and become part of the module if the program
//! needs them; the program's own definition of a name takes precedence. Those that must be fast, or need to know
//! more than their arguments, are lowered where they are called ([`crate::lower`]).
//!
//! A mutex is four bytes and a heap object is what was asked for, unless the program uses recursive mutexes or
//! `realloc`: then other versions of these families are taken, which keep more and cost more.

mod attributes;
mod characters;
mod futures;
mod heap;
pub mod standard_exceptions;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use atropos_vm::ir::Symbol as Target;
use atropos_vm::{FunctionId, GlobalId, Instr, Module, Operand, text};

use crate::ast::{Call, Op, Type, Value};
use crate::options::Options;
use crate::program::{Program, Symbol};

/// A family of functions in the text form of the VM.
macro_rules! family {
    ($($name:ident = $file:literal;)*) => {
        $(const $name: &str = include_str!($file);)*
    };
}

family! {
    STANDARD = "standard.vm";
    TEXT = "text.vm";
    NUMBER = "number.vm";
    SCAN = "scan.vm";
    MATH = "math.vm";
    FORMAT = "format.vm";
    OUTPUT_SILENT = "output_silent.vm";
    OUTPUT_SHOWN = "output_shown.vm";
    PTHREAD = "pthread.vm";
    SPIN = "spin.vm";
    RWLOCK = "rwlock.vm";
    BARRIER = "barrier.vm";
    SEMAPHORE = "semaphore.vm";
    KEYS = "keys.vm";
    KEYS_KEPT = "keys_kept.vm";
    KEYS_DELETED = "keys_deleted.vm";
    KEYS_NONE = "keys_none.vm";
    CONDITION = "condition.vm";
    COND_WAIT = "cond_wait.vm";
    COND_WAIT_SPURIOUS = "cond_wait_spurious.vm";
    TIMED = "timed.vm";
    FUTEX = "futex.vm";
    WAITS = "waits.vm";
    DYNAMIC_CAST = "dynamic_cast.vm";
    ATOMIC_OBJECTS = "atomic_objects.vm";
    THREAD_END = "thread_end.vm";
    CHOICE = "choice.vm";
    EXCEPTIONS = "exceptions.vm";
    CPP = "cpp.vm";
    TREE = "tree.vm";
    HASH = "hash.vm";
    LIST = "list.vm";
    STACK = "stack.vm";
    WIDE = "wide.vm";
    MUTEX = "mutex.vm";
    MUTEX_LIFE = "mutex_life.vm";
    MUTEX_KINDS = "mutex_kinds.vm";
}

/// The families that every version of the library has.
const COMMON: [&str; 22] = [
    STANDARD,
    TEXT,
    NUMBER,
    SCAN,
    MATH,
    FORMAT,
    PTHREAD,
    SPIN,
    RWLOCK,
    BARRIER,
    SEMAPHORE,
    MUTEX_LIFE,
    CONDITION,
    TIMED,
    FUTEX,
    ATOMIC_OBJECTS,
    THREAD_END,
    CHOICE,
    EXCEPTIONS,
    CPP,
    STACK,
    WIDE,
];

pub struct Runtime {
    pub module: Module,
    names: HashMap<String, Target>,
    /// The library functions that the program names.
    used: HashSet<Rc<str>>,
    pub has_kinds: bool,
    pub has_sizes: bool,
    has_destructors: bool,
}

impl Runtime {
    /// `has_destructors`: the program has functions that run when it ends.
    pub fn load(program: &Program, options: &Options, has_destructors: bool) -> Runtime {
        let used = used(program);
        let has = |name: &str| used.contains(name);
        let has_kinds = has("pthread_mutexattr_settype") || makes_recursive_mutexes(program);
        let has_sizes = heap::needs_sizes(&used);
        let has_keys = used.iter().any(|name| name.starts_with("pthread_key_") || name.starts_with("tss_"))
            || has("pthread_setspecific")
            || has("pthread_getspecific");
        let is_cpp = used.iter().any(|name| name.starts_with("_Z"));
        let waits = used.iter().any(|name| name.starts_with("__atropos_"));
        let has_characters = used.iter().any(|name| characters::is_about_characters(name));
        let has_futures = used.iter().any(|name| futures::is_about_futures(name));
        let made = [
            if has_futures { futures::text() } else { String::new() },
            if is_cpp { standard_exceptions::text() } else { String::new() },
            if has_characters { characters::text() } else { String::new() },
            attributes::text(),
            heap::text(&used, options),
        ];
        let chosen = [
            if waits { WAITS } else { "" },
            if has("__dynamic_cast") { DYNAMIC_CAST } else { "" },
            if is_cpp { TREE } else { "" },
            if is_cpp { HASH } else { "" },
            if is_cpp { LIST } else { "" },
            if options.show_output { OUTPUT_SHOWN } else { OUTPUT_SILENT },
            if options.spurious_wakeups { COND_WAIT_SPURIOUS } else { COND_WAIT },
            if has_kinds { MUTEX_KINDS } else { MUTEX },
            if has_keys { KEYS } else { KEYS_NONE },
            match () {
                () if !has_keys => "",
                () if has("pthread_key_delete") || has("tss_delete") => KEYS_DELETED,
                () => KEYS_KEPT,
            },
        ];
        let texts: Vec<&str> =
            COMMON.into_iter().chain(chosen).chain(made.iter().map(String::as_str)).collect();
        let mut module = text::parse("library", &texts.join("\n")).expect("the library's text is right");
        module.sources.clear();
        module.functions.iter_mut().flat_map(|function| &mut function.body).for_each(|s| s.source = None);
        let functions =
            (0..).zip(&module.functions).map(|(n, f)| (f.name.clone(), Target::Function(FunctionId(n))));
        let globals = (0..).zip(&module.globals).map(|(n, g)| (g.name.clone(), Target::Global(GlobalId(n))));
        let names = functions.chain(globals).collect();
        Runtime { module, names, used, has_kinds, has_sizes, has_destructors }
    }

    /// What the library calls by this name. Type information and tables of the C++ library are objects that
    /// nobody looks into.
    pub fn symbol(&mut self, module: &mut Module, name: &str) -> Option<Target> {
        let is_opaque =
            ["_ZTV", "_ZTI", "_ZTS", "_ZSt4cout", "_ZSt4cerr"].iter().any(|p| name.starts_with(p));
        if !self.names.contains_key(name) && is_opaque {
            module.globals.push(atropos_vm::Global::zeroed(name, 8, 64));
            self.names.insert(name.to_string(), Target::Global(GlobalId(module.globals.len() as u32 - 1)));
        }
        self.names.get(name).copied()
    }

    pub fn function(&self, name: &str) -> Option<FunctionId> {
        match self.names.get(name) {
            Some(Target::Function(id)) => Some(*id),
            _ => None,
        }
    }

    pub fn has_exit_handlers(&self) -> bool {
        self.has_destructors || ["atexit", "__cxa_atexit"].iter().any(|name| self.used.contains(*name))
    }

    pub fn exit_handlers(&self) -> Option<FunctionId> {
        self.function("run exit handlers").filter(|_| self.has_exit_handlers())
    }

    /// Whether the program names this library function.
    pub fn uses(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// Whether something must be done when a thread ends.
    pub fn has_thread_ends(&self) -> bool {
        ["pthread_key_create", "tss_create", "__cxa_thread_atexit"].iter().any(|name| self.uses(name))
    }

    pub fn program_arguments(&self) -> GlobalId {
        match self.names.get("program arguments") {
            Some(Target::Global(id)) => *id,
            _ => unreachable!("standard.vm has the arguments of the program"),
        }
    }

    /// Empties the library functions that nothing refers to, so that they cost nothing.
    pub fn prune(&self, module: &mut Module) {
        let n_library = self.module.functions.len();
        let mut needed: HashSet<usize> = HashSet::new();
        let mut open: Vec<usize> = (n_library..module.functions.len()).collect();
        let relocations = module.globals.iter().flat_map(|global| &global.relocations);
        open.extend(relocations.filter_map(|relocation| match relocation.target {
            Target::Function(id) => Some(id.index()),
            Target::Global(_) => None,
        }));
        while let Some(index) = open.pop() {
            if needed.insert(index) {
                for statement in &module.functions[index].body {
                    statement.instr.visit_operands(&mut |operand| {
                        if let Operand::Function(id) = operand {
                            open.push(id.index());
                        }
                    });
                }
            }
        }
        for index in (0..n_library).filter(|index| !needed.contains(index)) {
            let mut empty = atropos_vm::FunctionBuilder::new(&module.functions[index].name);
            empty.push(Instr::Return { value: None });
            module.functions[index] = empty.finish();
        }
    }
}

/// The names that the program refers to and does not define.
fn used(program: &Program) -> HashSet<Rc<str>> {
    let mut found = HashSet::new();
    for (key, blocks) in &program.bodies {
        for instr in blocks.iter().flat_map(|block| &block.instrs) {
            crate::program::each_value(&instr.op, &mut |value| {
                if let Value::Global(name) = value
                    && let Symbol::Missing(name) = program.resolve(key.0, name)
                {
                    found.insert(name);
                }
            });
        }
    }
    found
}

/// Whether `mtx_init` is asked for a recursive mutex, or a mutex is initialised as one.
fn makes_recursive_mutexes(program: &Program) -> bool {
    let instrs = program.bodies.iter().flat_map(|(_, blocks)| blocks.iter().flat_map(|block| &block.instrs));
    let mut calls = instrs.filter_map(|instr| match &instr.op {
        Op::Call(call) | Op::Invoke { call, .. } => Some(call),
        _ => None,
    });
    let initialisers = program.modules.iter().flat_map(|module| module.globals.values());
    let is_class = |(key, _): &(crate::program::Key, _)| key.1.contains("recursive_mutex");
    program.bodies.iter().any(is_class)
        || initialisers.filter_map(|global| global.initialiser.as_ref()).any(is_mutex_with_kind)
        || calls.any(|call: &Call| {
            let is_init = matches!(&call.callee, Value::Global(name) if &**name == "mtx_init");
            is_init && !matches!(call.args.get(1).map(|arg| &arg.value.value), Some(Value::Int(0 | 2)))
        })
}

/// Whether a mutex of glibc's layout in this initial value has another kind than the normal one: its fifth number.
fn is_mutex_with_kind(value: &Value) -> bool {
    let Value::Aggregate(fields) = value else { return false };
    let is_int = |bits: u32, at: usize| fields.get(at).is_some_and(|field| field.ty == Type::Int(bits));
    let has_shape = (0..5).all(|at| is_int(32, at)) && (5..7).all(|at| is_int(16, at));
    let has_kind = has_shape && matches!(fields[4].value, Value::Int(1..=3));
    has_kind || fields.iter().any(|field| is_mutex_with_kind(&field.value))
}

/// Whether a library function keeps this argument where other threads can find it.
pub fn keeps_argument(name: &str, index: usize) -> bool {
    match name {
        "pthread_create" => index == 3,
        "thrd_create" => index == 2,
        "pthread_setspecific" | "tss_set" | "__cxa_atexit" => index == 1,
        "pthread_exit" => true,
        _ => name.contains("_List_node_base") || name.contains("_Rb_tree"),
    }
}

/// Whether this is a library function that is lowered where it is called, so that it has no address.
pub fn is_modelled_in_place(name: &str) -> bool {
    const PREFIXES: [&str; 7] = ["pthread_", "thrd_", "mtx_", "cnd_", "tss_", "__VERIFIER_", "__cxa_"];
    const NAMES: [&str; 8] =
        ["exit", "_exit", "_Exit", "quick_exit", "abort", "reach_error", "__assert_fail", "malloc"];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether this is a part of C++ output streams: it is the library's here even where a template of the program's
/// own headers defines it.
pub fn is_stream_function(name: &str) -> bool {
    ["_ZNSolsE", "_ZStls", "_ZNSo5flush", "_ZNSo3put", "_ZSt4endl", "_ZSt5flush"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// Whether a call only marks where the life of a stack object starts or ends.
pub fn is_lifetime_marker(callee: &Value) -> bool {
    matches!(callee, Value::Global(name) if name.starts_with("llvm.lifetime."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_of_the_library_is_well_formed() {
        let made = [standard_exceptions::text(), characters::text(), futures::text(), attributes::text()];
        let variants = [
            [WAITS, DYNAMIC_CAST, TREE, HASH, LIST, OUTPUT_SILENT, COND_WAIT, MUTEX, KEYS_NONE, ""],
            [
                WAITS,
                DYNAMIC_CAST,
                TREE,
                HASH,
                LIST,
                OUTPUT_SHOWN,
                COND_WAIT_SPURIOUS,
                MUTEX_KINDS,
                KEYS,
                KEYS_KEPT,
            ],
            ["", "", "", "", "", OUTPUT_SHOWN, COND_WAIT, MUTEX, KEYS, KEYS_DELETED],
        ];
        let heaps = [vec![], vec!["realloc"], vec!["realloc", "aligned_alloc"]];
        for (nth, (variant, used)) in variants.into_iter().zip(heaps).enumerate() {
            let used = used.into_iter().map(Rc::from).collect();
            let heap = heap::text(&used, &Options { malloc_may_fail: nth == 1, ..Options::default() });
            let texts =
                COMMON.into_iter().chain(variant).chain(made.iter().map(String::as_str)).chain([&*heap]);
            let text = texts.collect::<Vec<_>>().join("\n");
            let module = text::parse("library", &text).unwrap_or_else(|errors| panic!("{errors}"));
            assert_eq!(atropos_vm::check::check(&module), Vec::new());
        }
    }
}
