//! Which stack objects other threads may access.
//!
//! A local variable whose address is only used to load from it and to store into it becomes a register. Any other one
//! whose address stays within its thread (it may be passed to functions that do not keep it) becomes a private slot:
//! its accesses make no events. The others are shared stack objects.
//!
//! The analysis follows pointers from value to value inside a function, through variables that became registers,
//! into functions that are called by name and back out of them. An address *escapes* when it is stored anywhere
//! else, turned into an integer, passed to a function that is not known, or returned by the function whose variable it
//! belongs to: no use of it is right then, and another thread may use it. Parameters are assumed not to escape until some
//! function shows otherwise; this is repeated until nothing changes.
//!
//! If barriers must be visible on every object, an object also escapes if it is accessed atomically or passed to the
//! library.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::LibraryOptions;
use crate::ast::{Block, Call, Op, Type, Value};
use crate::layout;
use crate::operands::each_value;
use crate::program::{Key, LinkedProgram, Symbol};
use crate::unwinding::sets_jump;
use crate::{runtime, thread_locals};

/// What is known about each function.
pub(crate) struct Escapes {
    functions: HashMap<Key, Flow>,
    /// A thread may pass the address of a thread-local variable to another thread.
    pub thread_locals: bool,
}

/// A value, the function and the parameter it is passed to, and the result.
type Passed = (Rc<str>, Key, usize, Option<Rc<str>>);

/// How pointers move in one function.
#[derive(Default)]
struct Flow {
    params: Vec<Rc<str>>,
    /// The stack objects whose addresses the function could return.
    objects: HashSet<Rc<str>>,
    promoted: HashSet<Rc<str>>,
    /// From a value to those computed from it.
    steps: HashMap<Rc<str>, Vec<Rc<str>>>,
    /// Values passed to a parameter of a known function, and where its result goes.
    passed: Vec<Passed>,
    escaping: HashSet<Rc<str>>,
    returned: HashSet<Rc<str>>,
    shows_barriers: bool,
}

const RETURNED: &str = "return value";

impl Escapes {
    pub(crate) fn analyse(program: &LinkedProgram, options: &LibraryOptions) -> Escapes {
        let functions =
            program.bodies.iter().map(|(key, blocks)| (key.clone(), Flow::of(program, key, blocks, options)));
        let thread_locals = thread_locals::escape(program);
        let mut escapes = Escapes { functions: functions.collect(), thread_locals };
        let keys: Vec<Key> = escapes.functions.keys().cloned().collect();
        let mut changed = true;
        while changed {
            changed = false;
            for key in &keys {
                changed |= escapes.update(key);
            }
        }
        escapes
    }

    pub(crate) fn is_promoted(&self, key: &Key, local: &str) -> bool {
        self.functions.get(key).is_some_and(|flow| flow.promoted.contains(local))
    }

    pub(crate) fn escapes(&self, key: &Key, local: &str) -> bool {
        self.functions.get(key).is_none_or(|flow| flow.escaping.contains(local))
    }

    pub(crate) fn param_escapes(&self, key: &Key, index: usize) -> bool {
        let flow = self.functions.get(key);
        flow.and_then(|flow| Some(flow.escaping.contains(flow.params.get(index)?))).unwrap_or(true)
    }

    /// Adds what has become known about callees. Returns whether more escapes or returns than before.
    fn update(&mut self, key: &Key) -> bool {
        let flow = &self.functions[key];
        let mut escaping: Vec<Rc<str>> = flow.escaping.iter().cloned().collect();
        let mut returned: Vec<Rc<str>> = vec![RETURNED.into()];
        let mut back: HashMap<&str, Vec<&Rc<str>>> = HashMap::new();
        for (from, to) in &flow.steps {
            to.iter().for_each(|to| back.entry(to).or_default().push(from));
        }
        for (value, callee, index, result) in &flow.passed {
            let Some(target) = self.functions.get(callee) else { continue };
            match target.params.get(*index) {
                Some(param) if target.escaping.contains(param) => escaping.push(value.clone()),
                Some(param) if target.returned.contains(param) => {
                    result.iter().for_each(|result| back.entry(result).or_default().push(value));
                }
                Some(_) => {}
                None => escaping.push(value.clone()),
            }
        }
        let returned = closure(&mut returned, &back);
        escaping.extend(returned.intersection(&flow.objects).cloned());
        let escaping = closure(&mut escaping, &back);
        let grown = escaping.len() > flow.escaping.len() || returned.len() > flow.returned.len();
        let flow = self.functions.get_mut(key).expect("it was there before");
        flow.escaping = escaping;
        flow.returned = returned;
        grown
    }
}

fn closure(open: &mut Vec<Rc<str>>, back: &HashMap<&str, Vec<&Rc<str>>>) -> HashSet<Rc<str>> {
    let mut found: HashSet<Rc<str>> = HashSet::new();
    while let Some(value) = open.pop() {
        if found.insert(value.clone()) {
            open.extend(back.get(&*value).into_iter().flatten().map(|&from| from.clone()));
        }
    }
    found
}

impl Flow {
    fn of(program: &LinkedProgram, key: &Key, blocks: &[Block], options: &LibraryOptions) -> Flow {
        let params = program.function(key).params.clone();
        let shows_barriers = options.shows_private_barriers;
        let promoted = if sets_jump(program, key.0, blocks) { HashSet::new() } else { promotable(blocks) };
        let mut flow = Flow { params, promoted, shows_barriers, ..Flow::default() };
        for instr in blocks.iter().flat_map(|block| &block.instrs) {
            flow.note(program, key, instr.result.as_ref(), &instr.op);
        }
        flow
    }

    fn step(&mut self, from: &Value, to: Option<&Rc<str>>) {
        if let (Value::Local(from), Some(to)) = (from, to) {
            self.steps.entry(from.clone()).or_default().push(to.clone());
        }
    }

    fn escape(&mut self, value: &Value) {
        if let Value::Local(name) = value {
            self.escaping.insert(name.clone());
        }
    }

    /// A barrier accesses the object at `value`.
    fn show(&mut self, value: &Value) {
        if self.shows_barriers {
            self.escape(value);
        }
    }

    fn note(&mut self, program: &LinkedProgram, key: &Key, result: Option<&Rc<str>>, op: &Op) {
        match op {
            Op::Load { ptr: Value::Local(ptr), .. } if self.promoted.contains(ptr) => {
                self.step(&Value::Local(content_of(ptr)), result);
            }
            Op::Store { value, ptr: Value::Local(ptr), .. } if self.promoted.contains(ptr) => {
                self.step(&value.value, Some(&content_of(ptr)));
            }
            Op::Store { value, ptr, order } => {
                self.escape(&value.value);
                if order.is_some() {
                    self.show(ptr);
                }
            }
            Op::Gep { args, .. } => self.step(&args[0].value, result),
            Op::Freeze(value) => self.step(&value.value, result),
            Op::Cast { value, to, .. } if *to == Type::Ptr => self.step(&value.value, result),
            Op::Phi { incoming, .. } => incoming.iter().for_each(|(value, _)| self.step(value, result)),
            Op::Select { then, otherwise, .. } => {
                self.step(&then.value, result);
                self.step(&otherwise.value, result);
            }
            Op::Ret(Some(value)) => self.step(&value.value, Some(&RETURNED.into())),
            Op::Call(call) | Op::Invoke { call, .. } => self.note_call(program, key, result, call),
            Op::CmpXchg { ptr, expected, desired, .. } => {
                self.show(ptr);
                self.escape(&expected.value);
                self.escape(desired);
            }
            Op::Rmw { ptr, operand, .. } => {
                self.show(ptr);
                self.escape(&operand.value);
            }
            Op::Alloca { .. } if program.function(key).ty.result == Type::Ptr => {
                self.objects.extend(result.cloned());
            }
            Op::Alloca { .. } | Op::Load { .. } | Op::Icmp { .. } => {}
            other => each_value(other, &mut |value| self.escape(value)),
        }
    }

    fn note_call(&mut self, program: &LinkedProgram, key: &Key, result: Option<&Rc<str>>, call: &Call) {
        let callee = match &call.callee {
            Value::Global(name) => program.resolve(key.0, name),
            _ => {
                call.args.iter().for_each(|arg| self.escape(&arg.value.value));
                return;
            }
        };
        for (index, arg) in call.args.iter().enumerate() {
            let value = &arg.value.value;
            match (&callee, value) {
                _ if arg.byval.is_some() => {}
                (Symbol::Function(_), _) if index >= call.n_fixed => self.escape(value),
                (Symbol::Function(callee), Value::Local(name)) => {
                    self.passed.push((name.clone(), callee.clone(), index, result.cloned()));
                }
                (Symbol::Missing(name), _) if runtime::keeps_argument(name, index) => self.escape(value),
                (Symbol::Missing(name), _) if !name.starts_with("llvm.") => {
                    self.show(value);
                    self.step(value, result);
                }
                _ => self.step(value, result),
            }
        }
    }
}

/// The name of what a variable that became a register holds.
fn content_of(variable: &str) -> Rc<str> {
    format!("*{variable}").into()
}

/// The variables of one scalar that are only loaded from and stored to, always as that scalar or as one with the same
/// bits: clang accesses an atomic pointer as an integer. Rustc makes every variable an array of bytes; its accesses may
/// have any scalar type of that size.
fn promotable(blocks: &[Block]) -> HashSet<Rc<str>> {
    let mut types: HashMap<Rc<str>, Type> = HashMap::new();
    for instr in blocks.first().into_iter().flat_map(|block| &block.instrs) {
        if let (Op::Alloca { ty, count: None, .. }, Some(name)) = (&instr.op, &instr.result)
            && (is_scalar(ty) || is_bytes(ty))
        {
            types.insert(name.clone(), ty.clone());
        }
    }
    let fits = |known: Option<&Type>, ty: &Type| match known {
        Some(bytes) if is_bytes(bytes) => is_scalar(ty) && layout::size_of(ty) == layout::size_of(bytes),
        Some(known) => known == ty || has_same_bits(known, ty),
        None => false,
    };
    for instr in blocks.iter().flat_map(|block| &block.instrs) {
        match &instr.op {
            Op::Load { ty, ptr: Value::Local(ptr), order: None } if fits(types.get(ptr), ty) => {}
            Op::Store { value, ptr: Value::Local(ptr), order: None } if fits(types.get(ptr), &value.ty) => {
                if let Value::Local(stored) = &value.value {
                    types.remove(stored);
                }
            }
            Op::Call(call) if runtime::is_lifetime_marker(&call.callee) => {}
            other => each_value(other, &mut |value| {
                if let Value::Local(name) = value {
                    types.remove(name);
                }
            }),
        }
    }
    types.into_keys().collect()
}

fn is_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Int(1..=64) | Type::Ptr | Type::Float | Type::Double | Type::Half(_))
}

/// Whether both are scalars without padding, of the same size.
fn has_same_bits(first: &Type, second: &Type) -> bool {
    let fills_bytes = |ty: &Type| match ty {
        Type::Int(n) => matches!(n, 8 | 16 | 32 | 64),
        ty => is_scalar(ty),
    };
    fills_bytes(first) && fills_bytes(second) && layout::size_of(first) == layout::size_of(second)
}

/// Whether this is the type that rustc gives to a variable of one scalar.
fn is_bytes(ty: &Type) -> bool {
    matches!(ty, Type::Array(1 | 2 | 4 | 8, element) if **element == Type::Int(8))
}
