//! Library functions by their real names.
//!
//! Most are written in the text form of the VM, one file per family, and become part of the module if the program
//! refers to them ([`items`]); the program's own definition of a name takes precedence. Functions that must be fast,
//! or need to know more than their arguments, are lowered at the call ([`crate::lower`]).
//!
//! A mutex is four bytes and a heap object has the requested size, unless the program uses recursive mutexes or
//! `realloc`: then other versions of these families are used, which keep more and cost more.

mod attributes;
mod characters;
mod futures;
mod heap;
mod items;
pub(crate) mod standard_exceptions;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use atropos_vm::ir::Symbol as Target;
use atropos_vm::{FunctionId, GlobalId, Module, text};

use crate::ast::{Call, Op, Type, Value};
use crate::options::LibraryOptions;
use crate::program::LinkedProgram;
use crate::unwinding::Unwinding;
use items::Items;

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
    HALF = "half.vm";
    COMPLEX = "complex.vm";
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
    PIPES = "pipes.vm";
    PIPES_NONE = "pipes_none.vm";
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
    JUMPS = "jumps.vm";
    CANCEL = "cancel.vm";
    CANCEL_NONE = "cancel_none.vm";
    TREE = "tree.vm";
    HASH = "hash.vm";
    LIST = "list.vm";
    STACK = "stack.vm";
    SYSTEM = "system.vm";
    SIGNALS = "signals.vm";
    OPTIONS = "options.vm";
    CALENDAR = "calendar.vm";
    WIDE_TEXT = "wide_text.vm";
    HEXADECIMAL = "hexadecimal.vm";
    WIDE = "wide.vm";
    HUGE = "huge.vm";
    MUTEX = "mutex.vm";
    MUTEX_LIFE = "mutex_life.vm";
    MUTEX_KINDS = "mutex_kinds.vm";
    MUTEX_ROBUST = "mutex_robust.vm";
    MUTEX_ROBUST_NONE = "mutex_robust_none.vm";
    RUST = "rust.vm";
}

/// The families that every version of the library has.
const COMMON: [&str; 38] = [
    STANDARD,
    TEXT,
    NUMBER,
    SCAN,
    MATH,
    HALF,
    COMPLEX,
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
    JUMPS,
    STACK,
    SYSTEM,
    SIGNALS,
    OPTIONS,
    CALENDAR,
    WIDE_TEXT,
    HEXADECIMAL,
    WIDE,
    HUGE,
    WAITS,
    DYNAMIC_CAST,
    TREE,
    HASH,
    LIST,
    RUST,
];

/// The versions of the families that a program needs.
#[derive(Default)]
struct Versions {
    /// Mutexes have kinds, for instance recursive ones.
    has_kinds: bool,
    has_robust: bool,
    /// Threads are cancelled.
    cancels: bool,
    /// Threads have values of their own, by keys.
    has_keys: bool,
    /// Keys are deleted.
    deletes_keys: bool,
    has_pipes: bool,
    is_cpp: bool,
    has_characters: bool,
    has_futures: bool,
}

impl Versions {
    fn of(program: &LinkedProgram, used: &HashSet<Rc<str>>) -> Versions {
        let has = |name: &str| used.contains(name);
        let any = |test: fn(&str) -> bool| used.iter().any(|name| test(name));
        let has_robust = has("pthread_mutexattr_setrobust") || has("pthread_mutexattr_setrobust_np");
        Versions {
            has_kinds: has_robust || has("pthread_mutexattr_settype") || makes_recursive_mutexes(program),
            has_robust,
            cancels: has("pthread_cancel"),
            has_keys: any(|name| name.starts_with("pthread_key_") || name.starts_with("tss_"))
                || has("pthread_setspecific")
                || has("pthread_getspecific"),
            deletes_keys: has("pthread_key_delete") || has("tss_delete"),
            has_pipes: has("pipe") || has("pipe2") || has("eventfd"),
            is_cpp: any(|name| name.starts_with("_Z")),
            has_characters: any(characters::is_about_characters),
            has_futures: any(futures::is_about_futures),
        }
    }

    /// The text of the library.
    fn texts(&self, used: &HashSet<Rc<str>>, options: &LibraryOptions) -> Vec<Cow<'static, str>> {
        let chosen = [
            if options.show_output { OUTPUT_SHOWN } else { OUTPUT_SILENT },
            if options.spurious_wakeups { COND_WAIT_SPURIOUS } else { COND_WAIT },
            if self.has_kinds { MUTEX_KINDS } else { MUTEX },
            if self.has_robust { MUTEX_ROBUST } else { MUTEX_ROBUST_NONE },
            if self.cancels { CANCEL } else { CANCEL_NONE },
            if self.has_keys { KEYS } else { KEYS_NONE },
            match () {
                () if !self.has_keys => "",
                () if self.deletes_keys => KEYS_DELETED,
                () => KEYS_KEPT,
            },
            if self.has_pipes { PIPES } else { PIPES_NONE },
        ];
        let made = [
            self.has_futures.then(futures::text),
            self.is_cpp.then(standard_exceptions::text),
            self.has_characters.then(characters::text),
            Some(attributes::text()),
            Some(heap::text(used, options)),
        ];
        let written = COMMON.into_iter().chain(chosen).map(Cow::Borrowed);
        written.chain(made.into_iter().flatten().map(Cow::Owned)).collect()
    }
}

/// The type information of a type with this mangled name, and the name if it is not there.
fn type_information(ty: &str, has_name: bool) -> String {
    let bytes: Vec<String> = ty.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    let name = format!("const global `_ZTS{ty}`: [i8; {}] = {{ {} }}\n", bytes.len(), bytes.join(", "));
    let name = if has_name { String::new() } else { name };
    format!("{name}const global `_ZTI{ty}`: [i64; 8] = {{ 0, &`_ZTS{ty}`, 0, 0, 0, 0, 0, 0 }}\n")
}

pub(crate) struct Runtime {
    items: Items,
    /// The parts of the library in the module.
    names: HashMap<String, Target>,
    /// The library functions that the program names.
    used: HashSet<Rc<str>>,
    pub has_kinds: bool,
    has_robust: bool,
    pub has_sizes: bool,
    has_destructors: bool,
}

impl Runtime {
    /// `has_destructors`: the program has functions that run at its end.
    pub(crate) fn new(program: &LinkedProgram, options: &LibraryOptions, has_destructors: bool) -> Runtime {
        let used = program.missing.clone();
        let versions = Versions::of(program, &used);
        Runtime {
            items: Items::new(versions.texts(&used, options)),
            names: HashMap::new(),
            has_kinds: versions.has_kinds,
            has_robust: versions.has_robust,
            has_sizes: heap::needs_sizes(&used),
            has_destructors,
            used,
        }
    }

    /// The library's item with this name; it becomes part of the module, with all that it needs. Type information that
    /// the C++ library defines has the name of the type; its tables are objects whose content no program uses.
    pub(crate) fn symbol(&mut self, module: &mut Module, name: &str) -> Option<Target> {
        let is_opaque =
            || ["_ZTV", "_ZTI", "_ZTS", "_ZSt4cout", "_ZSt4cerr"].iter().any(|p| name.starts_with(p));
        if self.names.contains_key(name) {
        } else if self.items.has(name) {
            let text = self.items.closure(name, &self.names);
            text::parse_into(module, &mut self.names, &text).expect("the library's text is right");
        } else if let Some(ty) = name.strip_prefix("_ZTI") {
            let text = type_information(ty, self.names.contains_key(&format!("_ZTS{ty}")));
            text::parse_into(module, &mut self.names, &text).expect("the text is right");
        } else if is_opaque() {
            module.globals.push(atropos_vm::Global::zeroed(name, 8, 64));
            self.names.insert(name.to_string(), Target::Global(GlobalId(module.globals.len() as u32 - 1)));
        }
        self.names.get(name).copied()
    }

    /// As [`Runtime::symbol`], for a function.
    pub(crate) fn function(&mut self, module: &mut Module, name: &str) -> Option<FunctionId> {
        if !self.items.has_function(name) {
            return None;
        }
        match self.symbol(module, name) {
            Some(Target::Function(id)) => Some(id),
            _ => None,
        }
    }

    pub(crate) fn has_function(&self, name: &str) -> bool {
        self.items.has_function(name)
    }

    pub(crate) fn has_exit_handlers(&self) -> bool {
        self.has_destructors || ["atexit", "__cxa_atexit"].iter().any(|name| self.used.contains(*name))
    }

    /// Whether the program names this library function.
    pub(crate) fn uses(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// Whether something must be done when a thread ends.
    pub(crate) fn has_thread_ends(&self) -> bool {
        self.has_robust
            || self.has_thread_destructors()
            || ["pthread_key_create", "tss_create", "pthread_cancel"].iter().any(|name| self.uses(name))
    }

    /// Whether thread-local objects have destructors.
    pub(crate) fn has_thread_destructors(&self) -> bool {
        const REGISTERING: [&str; 3] = [
            "__cxa_thread_atexit",
            "std::sys::thread_local::destructors::linux_like::register",
            "std::sys::thread_local::guard::key::enable",
        ];
        REGISTERING.iter().any(|name| self.uses(name))
    }

    /// What leaves functions of the program apart from exceptions.
    pub(crate) fn unwinding(&self, program: &LinkedProgram) -> Unwinding {
        Unwinding::of(program, &self.used)
    }
}

/// Whether the program calls `mtx_init` for a recursive mutex, or initialises a mutex as one.
fn makes_recursive_mutexes(program: &LinkedProgram) -> bool {
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

/// Whether this initial value is a mutex of glibc's layout with another kind than the normal one: its fifth number.
fn is_mutex_with_kind(value: &Value) -> bool {
    let Value::Aggregate(fields) = value else { return false };
    let is_int = |bits: u32, at: usize| fields.get(at).is_some_and(|field| field.ty == Type::Int(bits));
    let has_shape = (0..5).all(|at| is_int(32, at)) && (5..7).all(|at| is_int(16, at));
    let has_kind = has_shape && matches!(fields[4].value, Value::Int(1..=3));
    has_kind || fields.iter().any(|field| is_mutex_with_kind(&field.value))
}

/// The paths of the functions of Rust's standard library that have models.
pub(crate) fn models_of_rust() -> HashSet<&'static str> {
    let names = RUST.lines().filter_map(items::item_name).map(|(name, _)| name);
    names.filter(|name| name.contains("::")).collect()
}

/// Whether a library function keeps this argument where other threads can find it.
pub(crate) fn keeps_argument(name: &str, index: usize) -> bool {
    match name {
        "pthread_create" => index == 3,
        "thrd_create" => index == 2,
        "pthread_setspecific" | "tss_set" | "__cxa_atexit" => index == 1,
        "pthread_exit" => true,
        _ => name.contains("_List_node_base") || name.contains("_Rb_tree"),
    }
}

/// Whether this library function is lowered at the call, so that it has no address.
pub(crate) fn is_modelled_in_place(name: &str) -> bool {
    const PREFIXES: [&str; 7] = ["pthread_", "thrd_", "mtx_", "cnd_", "tss_", "__VERIFIER_", "__cxa_"];
    const NAMES: [&str; 12] = [
        "exit",
        "_exit",
        "_Exit",
        "quick_exit",
        "err",
        "errx",
        "verr",
        "verrx",
        "abort",
        "reach_error",
        "__assert_fail",
        "malloc",
    ];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether this is a part of C++ output streams: it is the library's here even if a template of the program's own
/// headers defines it.
pub(crate) fn is_stream_function(name: &str) -> bool {
    let is_ours = name.contains("9__atropos");
    !is_ours
        && ["_ZNSolsE", "_ZStls", "_ZNSo5flush", "_ZNSo3put", "_ZSt4endl", "_ZSt5flush"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// Whether a call only marks the start or end of the life of a stack object.
pub(crate) fn is_lifetime_marker(callee: &Value) -> bool {
    matches!(callee, Value::Global(name) if name.starts_with("llvm.lifetime."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The versions of the library that differ in each choice.
    fn versions() -> Vec<Vec<Cow<'static, str>>> {
        let least = Versions { is_cpp: true, has_characters: true, has_futures: true, ..Versions::default() };
        let kept = Versions {
            has_kinds: true,
            has_robust: true,
            cancels: true,
            has_keys: true,
            ..Versions::default()
        };
        let deleted = Versions { has_keys: true, deletes_keys: true, ..Versions::default() };
        let most = LibraryOptions {
            show_output: true,
            spurious_wakeups: true,
            malloc_may_fail: true,
            ..LibraryOptions::default()
        };
        let used = |names: &[&str]| names.iter().map(|&name| Rc::from(name)).collect();
        vec![
            least.texts(&used(&[]), &LibraryOptions::default()),
            kept.texts(&used(&["realloc"]), &most),
            deleted.texts(&used(&["realloc", "aligned_alloc"]), &LibraryOptions::default()),
        ]
    }

    #[test]
    fn every_version_of_the_library_is_well_formed() {
        for texts in versions() {
            let module =
                text::parse("library", &texts.join("\n")).unwrap_or_else(|errors| panic!("{errors}"));
            assert_eq!(atropos_vm::check::check(&module), Vec::new());
        }
    }

    #[test]
    fn every_item_can_be_had_by_itself() {
        for texts in versions() {
            let whole = text::parse("library", &texts.join("\n")).unwrap();
            let items = Items::new(texts);
            let functions = whole.functions.iter().map(|function| &function.name);
            for name in functions.chain(whole.globals.iter().map(|global| &global.name)) {
                let (mut module, mut names) = (Module::default(), HashMap::new());
                let text = items.closure(name, &names);
                text::parse_into(&mut module, &mut names, &text).unwrap_or_else(|errors| panic!("{errors}"));
                assert!(names.contains_key(name), "{name}");
                assert_eq!(atropos_vm::check::check(&module), Vec::new(), "{name}");
                let function = whole.functions.iter().find(|function| function.name == *name);
                if let (Some(function), Some(Target::Function(id))) = (function, names.get(name)) {
                    let found = text::function_text(&module, &module.functions[id.index()]);
                    assert_eq!(found, text::function_text(&whole, function));
                }
            }
        }
    }
}
