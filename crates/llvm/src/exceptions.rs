//! C++ exceptions: which calls may throw, which types are thrown, and which handlers take them.
//!
//! Types are identified by their type information, an object of the program or, for types of the language and of the
//! standard library, just a name. All types that can be thrown are known before the program runs, so a switch over
//! their numbers finds the handler.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ast::{Block, Call, Clause, Linkage, Op, Value};
use crate::lower::MOST_BYTES;
use crate::operands::each_value;
use crate::options::LibraryOptions;
use crate::program::{Key, LinkedProgram, Symbol};
use crate::unwinding::Unwinding;

/// The exceptions of the standard library, each with its base.
pub(crate) const STANDARD: [(&str, &str); 20] = [
    ("logic_error", "exception"),
    ("domain_error", "logic_error"),
    ("invalid_argument", "logic_error"),
    ("length_error", "logic_error"),
    ("out_of_range", "logic_error"),
    ("future_error", "logic_error"),
    ("runtime_error", "exception"),
    ("range_error", "runtime_error"),
    ("overflow_error", "runtime_error"),
    ("underflow_error", "runtime_error"),
    ("system_error", "runtime_error"),
    ("bad_alloc", "exception"),
    ("bad_array_new_length", "bad_alloc"),
    ("bad_function_call", "exception"),
    ("bad_cast", "exception"),
    ("bad_typeid", "exception"),
    ("bad_weak_ptr", "exception"),
    ("bad_exception", "exception"),
    ("bad_optional_access", "exception"),
    ("bad_variant_access", "exception"),
];

/// The name of the type information of a standard exception.
pub(crate) fn standard_type(name: &str) -> String {
    format!("_ZTISt{}{name}", name.len())
}

/// The standard exception that a function of the C++ library throws for its caller.
pub(crate) fn thrown_by_library(function: &str) -> Option<&'static str> {
    match function {
        "__cxa_bad_cast" => return Some("bad_cast"),
        "__cxa_bad_typeid" => return Some("bad_typeid"),
        "__cxa_throw_bad_array_new_length" => return Some("bad_array_new_length"),
        _ => {}
    }
    let rest = function.strip_prefix("_ZSt")?;
    let (_, rest) = rest.split_once("__throw_")?;
    let known = STANDARD.iter().map(|(name, _)| *name).filter(|name| rest.starts_with(name));
    known.max_by_key(|name| name.len())
}

/// Functions whose second argument is the type of an exception, which is thrown or kept to be thrown.
const THROWS_OF_TYPE: [&str; 2] = ["__cxa_throw", "__cxa_init_primary_exception"];

/// Functions that rethrow.
const THROWS_AGAIN: [&str; 2] =
    ["__cxa_rethrow", "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE"];

/// Functions of Rust's library that panic, or call functions of the program that do.
const PANICS: [&str; 5] = [
    "_Unwind_RaiseException",
    "__rustc::rust_begin_unwind",
    "std::panicking::panic_with_hook",
    "std::io::stdio::_print",
    "std::io::stdio::_eprint",
];

/// How a handler gets what it caught: the steps from the object, or from the object that a thrown pointer points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Adjust {
    Object(Vec<BaseStep>),
    Pointer(Vec<BaseStep>),
}

/// From an object to a part of it that is a base.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BaseStep {
    /// This many bytes on.
    Offset(u64),
    /// To a virtual base: the object's table of virtual functions contains the distance, at this offset from its
    /// start.
    Virtual(i64),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Base {
    class: Rc<str>,
    step: BaseStep,
    is_public: bool,
}

/// A base by all steps that lead to it. Two ways to the same virtual base lead to the same part of the object.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Path {
    /// The last virtual base on the way.
    anchor: Option<Rc<str>>,
    /// The offset of the part from the anchor, or from the object.
    offset: u64,
    steps: Vec<BaseStep>,
    is_public: bool,
}

impl Path {
    const START: Path = Path { anchor: None, offset: 0, steps: Vec::new(), is_public: true };

    fn to(&self, base: &Base) -> Path {
        let mut path = self.clone();
        path.is_public &= base.is_public;
        path.steps.push(base.step);
        match base.step {
            BaseStep::Offset(offset) => path.offset += offset,
            BaseStep::Virtual(_) => (path.anchor, path.offset) = (Some(base.class.clone()), 0),
        }
        path
    }

    fn is_same_part(&self, other: &Path) -> bool {
        (&self.anchor, self.offset) == (&other.anchor, other.offset)
    }
}

/// When `operator new` throws.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum New {
    /// Never: if it fails, nothing catches the exception.
    #[default]
    NeverThrows,
    /// If the size is larger than possible.
    MayBeTooLarge,
    MayFail,
}

#[derive(Default)]
pub(crate) struct Exceptions {
    new: New,
    /// What else leaves functions.
    pub unwinding: Unwinding,
    throwing: HashSet<Key>,
    any: bool,
    /// The types that are thrown somewhere. The number of a type is its index here.
    thrown: Vec<Rc<str>>,
    /// The direct bases of each class.
    bases: HashMap<Rc<str>, Vec<Base>>,
}

impl Exceptions {
    pub(crate) fn analyse(
        program: &LinkedProgram,
        options: &LibraryOptions,
        unwinding: Unwinding,
    ) -> Exceptions {
        let catches = || program.bodies.iter().any(|(key, blocks)| catches_bad_alloc(key, blocks));
        let new = match options.malloc_may_fail {
            true => New::MayFail,
            false if catches() => New::MayBeTooLarge,
            false => New::NeverThrows,
        };
        let mut found = Exceptions { new, unwinding, ..Exceptions::default() };
        for (key, blocks) in &program.bodies {
            for instr in blocks.iter().flat_map(|block| &block.instrs) {
                if let Op::Call(call) | Op::Invoke { call, .. } = &instr.op
                    && found.note_call(program, key, call)
                {
                    found.note_types(program, key, blocks);
                }
            }
        }
        found.any |= !found.throwing.is_empty();
        let mut changed = found.any;
        while changed {
            changed = false;
            for (key, blocks) in &program.bodies {
                let throws = || {
                    blocks.iter().flat_map(|block| &block.instrs).any(|instr| match &instr.op {
                        Op::Call(call) | Op::Invoke { call, .. } => found.may_throw(program, key.0, call),
                        _ => false,
                    })
                };
                if !found.throwing.contains(key) && throws() {
                    found.throwing.insert(key.clone());
                    changed = true;
                }
            }
        }
        found
    }

    /// Whether anything is ever thrown.
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    /// Records what a call throws. Returns whether it throws something whose type is not in the call itself.
    fn note_call(&mut self, program: &LinkedProgram, key: &Key, call: &Call) -> bool {
        let Value::Global(name) = &call.callee else { return false };
        let Symbol::Missing(name) = program.resolve(key.0, name) else { return false };
        if self.new_may_throw(&name, call) {
            self.throwing.insert(key.clone());
            self.note_type(standard_type("bad_alloc").into());
        } else if let Some(exception) = thrown_by_library(&name) {
            self.throwing.insert(key.clone());
            self.note_type(standard_type(exception).into());
        } else if THROWS_OF_TYPE.contains(&&*name) {
            if &*name == "__cxa_throw" {
                self.throwing.insert(key.clone());
            }
            let Some(Value::Global(info)) = call.args.get(1).map(|arg| &arg.value.value) else { return true };
            let ty = self.type_of(program, key.0, info);
            self.note_type(ty);
        } else if THROWS_AGAIN.contains(&&*name)
            || PANICS.contains(&&*name)
            || self.unwinding.may_leave(&name)
        {
            self.throwing.insert(key.clone());
        }
        false
    }

    /// All types that a function mentions may be thrown there: optimisers merge several throws into one.
    fn note_types(&mut self, program: &LinkedProgram, key: &Key, blocks: &[Block]) {
        let mut infos = Vec::new();
        for instr in blocks.iter().flat_map(|block| &block.instrs) {
            each_value(&instr.op, &mut |value| match value {
                Value::Global(name) if name.starts_with("_ZTI") => infos.push(name.clone()),
                _ => {}
            });
        }
        for info in infos {
            let ty = self.type_of(program, key.0, &info);
            self.note_type(ty);
        }
    }

    fn note_type(&mut self, ty: Rc<str>) {
        if !self.thrown.contains(&ty) {
            self.thrown.push(ty);
        }
    }

    /// The type that this type information describes. Its bases become known, too.
    pub(crate) fn type_of(&mut self, program: &LinkedProgram, module: usize, info: &Rc<str>) -> Rc<str> {
        let Symbol::Global(key) = program.resolve(module, info) else { return info.clone() };
        let global = program.global(&key);
        let is_local = global.linkage == Linkage::Local;
        let name: Rc<str> = if is_local { format!("{}:{info}", key.0).into() } else { info.clone() };
        if self.bases.contains_key(&name) {
            return name;
        }
        self.bases.insert(name.clone(), Vec::new());
        let Some(Value::Aggregate(fields)) = &global.initialiser else { return name };
        let kind = fields.first().map(|field| kind_of(&field.value)).unwrap_or_default();
        let mut bases = Vec::new();
        if kind.contains("__si_class_type_info") {
            if let Some(Value::Global(base)) = fields.get(2).map(|field| &field.value) {
                let class = self.type_of(program, key.0, base);
                bases.push(Base { class, step: BaseStep::Offset(0), is_public: true });
            }
        } else if kind.contains("__vmi_class_type_info") {
            for pair in fields.get(4..).unwrap_or_default().chunks(2) {
                let [base, flags] = pair else { continue };
                if let (Value::Global(base), Value::Int(flags)) = (&base.value, &flags.value) {
                    let (is_virtual, is_public) = (flags & 1 != 0, flags & 2 != 0);
                    let distance = *flags as i64 >> 8;
                    let step = if is_virtual {
                        BaseStep::Virtual(distance)
                    } else {
                        BaseStep::Offset(distance as u64)
                    };
                    bases.push(Base { class: self.type_of(program, key.0, base), step, is_public });
                }
            }
        }
        self.bases.insert(name.clone(), bases);
        name
    }

    /// The number of a type that is thrown.
    pub(crate) fn number(&self, ty: &str) -> u64 {
        self.thrown.iter().position(|thrown| &**thrown == ty).map_or(u64::MAX, |at| at as u64)
    }

    pub(crate) fn thrown(&self) -> &[Rc<str>] {
        &self.thrown
    }

    /// Whether a handler for `caught` takes an exception of type `thrown`, and how.
    pub(crate) fn catches(&self, caught: &str, thrown: &str) -> Option<Adjust> {
        if caught == thrown {
            let is_pointer = pointee(thrown).is_some();
            return Some(if is_pointer { Adjust::Pointer(Vec::new()) } else { Adjust::Object(Vec::new()) });
        }
        match (pointee(caught), pointee(thrown)) {
            (Some((to_const, to)), Some((from_const, from))) if to_const || !from_const => {
                if to == from || to == "v" {
                    return Some(Adjust::Pointer(Vec::new()));
                }
                self.steps_to_base(&format!("_ZTI{from}"), &format!("_ZTI{to}")).map(Adjust::Pointer)
            }
            (None, None) => self.steps_to_base(thrown, caught).map(Adjust::Object),
            _ => None,
        }
    }

    /// The steps to a base that is public and not ambiguous.
    fn steps_to_base(&self, class: &str, base: &str) -> Option<Vec<BaseStep>> {
        let mut paths = Vec::new();
        self.find_paths(class, base, &Path::START, &mut paths);
        let first = paths.first()?;
        if !paths.iter().all(|path| path.is_same_part(first)) {
            return None;
        }
        paths.iter().find(|path| path.is_public).map(|path| path.steps.clone())
    }

    fn find_paths(&self, class: &str, base: &str, path: &Path, found: &mut Vec<Path>) {
        if class == base {
            found.push(path.clone());
            return;
        }
        for direct in self.bases_of(class) {
            self.find_paths(&direct.class, base, &path.to(&direct), found);
        }
    }

    fn bases_of(&self, class: &str) -> Vec<Base> {
        if let Some(bases) = self.bases.get(class) {
            return bases.clone();
        }
        let standard = STANDARD.iter().find(|(name, _)| standard_type(name) == class);
        let base = |base: &str| Base {
            class: standard_type(base).into(),
            step: BaseStep::Offset(0),
            is_public: true,
        };
        standard.map(|(_, name)| base(name)).into_iter().collect()
    }

    /// Whether this is a call of an `operator new` that may throw, and something may catch that.
    pub(crate) fn new_may_throw(&self, name: &str, call: &Call) -> bool {
        let is_new = ["_Znwm", "_Znam"]
            .iter()
            .any(|new| name.strip_prefix(new).is_some_and(|rest| matches!(rest, "" | "St11align_val_t")));
        let size = call.args.first().map(|arg| &arg.value.value);
        is_new
            && match self.new {
                New::NeverThrows => false,
                New::MayBeTooLarge => !matches!(size, Some(Value::Int(0..=MOST_BYTES))),
                New::MayFail => true,
            }
    }

    /// Whether this call, in a function of `module`, may end with an exception.
    pub(crate) fn may_throw(&self, program: &LinkedProgram, module: usize, call: &Call) -> bool {
        match &call.callee {
            _ if !self.any => false,
            Value::Global(name) => match program.resolve(module, name) {
                Symbol::Function(key) => self.throwing.contains(&key),
                Symbol::Missing(name) => {
                    let calls_back = ["pthread_once", "qsort", "bsearch"].contains(&&*name);
                    calls_back
                        || &*name == "__cxa_throw"
                        || self.new_may_throw(&name, call)
                        || THROWS_AGAIN.contains(&&*name)
                        || PANICS.contains(&&*name)
                        || self.unwinding.may_leave(&name)
                        || thrown_by_library(&name).is_some()
                }
                Symbol::Global(_) => false,
            },
            Value::Asm { .. } => false,
            _ => true,
        }
    }
}

/// Whether a function of the program has a handler for `std::bad_alloc`. Those of the C++ library clean up and
/// rethrow.
fn catches_bad_alloc(key: &Key, blocks: &[Block]) -> bool {
    let is_library = ["_ZSt", "_ZNSt", "_ZNKSt", "_ZN9__gnu_cxx", "__clang_call_terminate"];
    let catches = |clause: &Clause| match clause {
        Clause::Catch(info) => matches!(&**info, "_ZTISt9bad_alloc" | "_ZTISt9exception"),
        Clause::CatchAll => !is_library.iter().any(|prefix| key.1.starts_with(prefix)),
        Clause::Filter => false,
    };
    blocks.iter().flat_map(|block| &block.instrs).any(|instr| match &instr.op {
        Op::LandingPad { clauses, .. } => clauses.iter().any(catches),
        _ => false,
    })
}

/// The class of type information that an object belongs to: the name of the table at its start.
fn kind_of(value: &Value) -> String {
    match value {
        Value::Global(name) => name.to_string(),
        Value::Gep { args, .. } => args.first().map(|arg| kind_of(&arg.value)).unwrap_or_default(),
        Value::Cast { value, .. } => kind_of(&value.value),
        _ => String::new(),
    }
}

/// Of a pointer type: whether it points to a constant, and to what.
fn pointee(ty: &str) -> Option<(bool, &str)> {
    let rest = ty.rsplit(':').next()?.strip_prefix("_ZTIP")?;
    Some(rest.strip_prefix('K').map_or((false, rest), |rest| (true, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_take_exceptions_of_their_type_its_subclasses_and_convertible_pointers() {
        let mut exceptions = Exceptions::default();
        let base = |name: &str, step| Base { class: Rc::from(name), step, is_public: true };
        let hidden = |name: &str| Base { is_public: false, ..base(name, BaseStep::Offset(0)) };
        let classes = [
            ("_ZTI1C", vec![base("_ZTI1A", BaseStep::Offset(0)), base("_ZTI1B", BaseStep::Offset(16))]),
            ("_ZTI1D", vec![base("_ZTI1C", BaseStep::Offset(8))]),
            ("_ZTI1V", vec![base("_ZTI1D", BaseStep::Virtual(-24))]),
            ("_ZTI1W", vec![base("_ZTI1D", BaseStep::Virtual(-32))]),
            ("_ZTI1X", vec![base("_ZTI1V", BaseStep::Offset(0)), base("_ZTI1W", BaseStep::Offset(8))]),
            ("_ZTI1Y", vec![base("_ZTI1C", BaseStep::Offset(0)), base("_ZTI1D", BaseStep::Offset(40))]),
            ("_ZTI1H", vec![hidden("_ZTI1A")]),
        ];
        exceptions.bases.extend(classes.map(|(class, bases)| (class.into(), bases)));
        let catches = |caught: &str, thrown: &str| exceptions.catches(caught, thrown);
        let object = |steps: &[BaseStep]| Some(Adjust::Object(steps.to_vec()));
        let pointer = |steps: &[BaseStep]| Some(Adjust::Pointer(steps.to_vec()));
        assert_eq!(catches("_ZTIi", "_ZTIi"), object(&[]));
        assert_eq!(catches("_ZTIi", "_ZTIl"), None);
        assert_eq!(catches("_ZTI1B", "_ZTI1D"), object(&[BaseStep::Offset(8), BaseStep::Offset(16)]));
        assert_eq!(catches("_ZTI1D", "_ZTI1C"), None);
        let through_v =
            [BaseStep::Offset(0), BaseStep::Virtual(-24), BaseStep::Offset(8), BaseStep::Offset(16)];
        assert_eq!(catches("_ZTI1B", "_ZTI1X"), object(&through_v), "both ways lead to the same part");
        assert_eq!(catches("_ZTI1B", "_ZTI1Y"), None, "ambiguous");
        assert_eq!(catches("_ZTI1A", "_ZTI1H"), None, "not public");
        assert_eq!(catches("_ZTIPK1B", "_ZTIP1C"), pointer(&[BaseStep::Offset(16)]));
        assert_eq!(catches("_ZTIPc", "_ZTIPKc"), None);
        assert_eq!(catches("_ZTIPKv", "_ZTIPc"), pointer(&[]));
        assert_eq!(catches("_ZTISt9exception", "_ZTISt12out_of_range"), object(&[BaseStep::Offset(0); 2]));
    }

    #[test]
    fn the_library_says_what_it_throws() {
        assert_eq!(thrown_by_library("_ZSt20__throw_length_errorPKc"), Some("length_error"));
        assert_eq!(thrown_by_library("_ZSt28__throw_bad_array_new_lengthv"), Some("bad_array_new_length"));
        assert_eq!(thrown_by_library("_ZSt24__throw_out_of_range_fmtPKcz"), Some("out_of_range"));
        assert_eq!(thrown_by_library("_ZSt4sortv"), None);
    }
}
