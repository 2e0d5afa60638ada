//! Random tiny programs as Rust source, with the real standard library, against the oracle.
//!
//! Many programs are compiled as one, whose `main` chooses one of them; one search explores all. The standard library
//! takes steps of its own, so executions are compared by what the program's own variables show: which values each thread
//! reads and writes, as a multiset over all executions. Blocked executions are left out, since the library has other
//! ways to wait.

use crate::SearchSettings;
use atropos_cat::Model;
use atropos_event::{Addr, FenceOrder, Label, Program, ReadOrder, Replayed, RmwOp, WriteOrder};
use atropos_graph::Canonical;
use atropos_llvm::compile::{self, CompileOptions, Job};
use atropos_llvm::{LibraryOptions, SourceFiles};
use atropos_testkit::oracle::{EnumerationConfig, Refused, enumerate_all, rf_projection};
use atropos_testkit::program::access_of;
use atropos_testkit::{Ast, Expr, ProgramShape, Register, Stmt, Style, Test, UpTo, Var, generate};
use atropos_vm::Vm;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The number of programs in a file.
pub const BATCH: u64 = 40;
/// The number of variables.
pub const VARIABLES: u8 = 10;

/// Operations that `AtomicU32` has no method for.
const NOT_RUST: [RmwOp; 6] = [
    RmwOp::Max,
    RmwOp::Min,
    RmwOp::UnsignedIncrementWrap,
    RmwOp::UnsignedDecrementWrap,
    RmwOp::UnsignedSubtractIf,
    RmwOp::UnsignedSubtractSaturating,
];

/// Whether the program can be written in Rust.
pub fn is_rust(ast: &Ast) -> bool {
    let mut threads = ast.threads.iter().enumerate();
    threads.all(|(thread, body)| body.iter().all(|stmt| is_rust_stmt(ast, thread, stmt)))
}

/// Whether a statement of `thread` can be written in Rust.
fn is_rust_stmt(ast: &Ast, thread: usize, stmt: &Stmt) -> bool {
    let is_whole = |var: Var| var < Var::POINTER && var.0 < VARIABLES;
    match stmt {
        Stmt::Load { var, order, .. } => is_whole(*var) && order.is_atomic(),
        Stmt::Store { var, value, order } => {
            is_whole(*var) && order.is_atomic() && !matches!(value, Expr::Address(_))
        }
        Stmt::Fetch { op, var, orders: (read, write), .. } => {
            let is_consistent = (*read == ReadOrder::SeqCst) == (*write == WriteOrder::SeqCst);
            is_whole(*var) && is_consistent && !NOT_RUST.contains(op)
        }
        Stmt::Cas { var, orders: (read, write, _), .. } => {
            is_whole(*var) && (*read == ReadOrder::SeqCst) == (*write == WriteOrder::SeqCst)
        }
        Stmt::If(_, body) | Stmt::Locked(_, body) => body.iter().all(|stmt| is_rust_stmt(ast, thread, stmt)),
        Stmt::Join(child) => ast.parent(*child) == Some(thread),
        Stmt::Fence(_) | Stmt::Assume(_) | Stmt::Assert(_) | Stmt::Spawn(_) => true,
        Stmt::LoadAt { .. } | Stmt::StoreAt { .. } | Stmt::New { .. } | Stmt::Free(_) => false,
    }
}

/// A program for this seed, without assertions. All threads are children of the main one, which joins them in the end.
pub fn program(seed: u64) -> Ast {
    let style = Style::ALL[seed as usize % Style::ALL.len()];
    let shape = ProgramShape { has_plain: false, has_asserts: false, ..ProgramShape::of(style) };
    let is_fit = |ast: &Ast| {
        let is_flat = (1..ast.threads.len()).all(|thread| ast.parent(thread) == Some(0));
        is_flat && is_rust(ast) && ast.estimate() <= 200.0
    };
    let mut drawn = (0..).map(|nth: u64| generate(seed.wrapping_add(nth << 40), &shape));
    drawn.find(is_fit).expect("some program can be written in Rust")
}

fn load_order(order: ReadOrder) -> &'static str {
    match order {
        ReadOrder::NotAtomic | ReadOrder::Relaxed => "Relaxed",
        ReadOrder::Acquire => "Acquire",
        ReadOrder::SeqCst => "SeqCst",
    }
}

fn store_order(order: WriteOrder) -> &'static str {
    match order {
        WriteOrder::NotAtomic | WriteOrder::Relaxed => "Relaxed",
        WriteOrder::Release => "Release",
        WriteOrder::SeqCst => "SeqCst",
    }
}

fn both(read: ReadOrder, write: WriteOrder) -> &'static str {
    match (read.is_acquire(), write.is_release()) {
        _ if read == ReadOrder::SeqCst => "SeqCst",
        (true, true) => "AcqRel",
        (true, false) => "Acquire",
        (false, true) => "Release",
        (false, false) => "Relaxed",
    }
}

fn method(op: RmwOp) -> &'static str {
    match op {
        RmwOp::Exchange => "swap",
        RmwOp::Add => "fetch_add",
        RmwOp::Sub => "fetch_sub",
        RmwOp::And => "fetch_and",
        RmwOp::Or => "fetch_or",
        RmwOp::Xor => "fetch_xor",
        RmwOp::Nand => "fetch_nand",
        RmwOp::UnsignedMax => "fetch_max",
        RmwOp::UnsignedMin => "fetch_min",
        op => unreachable!("{} is left out", op.name()),
    }
}

/// A statement of the program with this number, as Rust.
fn statement(number: usize, stmt: &Stmt) -> String {
    let set = |to: Register, value: String| format!("r[{}] = {value};", to.0);
    let test = |test: &Test| {
        let Test { register, is_equal, value } = test;
        format!("r[{}] {} {}", register.0, if *is_equal { "==" } else { "!=" }, *value as u32)
    };
    let block = |body: &[Stmt]| body.iter().map(|stmt| statement(number, stmt)).collect::<String>();
    match *stmt {
        Stmt::Load { to, var, order } => set(to, format!("V{}.load({})", var.0, load_order(order))),
        Stmt::Store { var, value, order } => {
            let value = match value {
                Expr::Const(value) => (value as u32).to_string(),
                Expr::Sum(register, more) => format!("r[{}].wrapping_add({})", register.0, more as u32),
                Expr::Address(_) => unreachable!("left out"),
            };
            format!("V{}.store({value}, {});", var.0, store_order(order))
        }
        Stmt::Fetch { to, op, var, operand, orders: (read, write) } => {
            set(to, format!("V{}.{}({}, {})", var.0, method(op), operand as u32, both(read, write)))
        }
        Stmt::Cas { to, var, expected, desired, orders: (read, write, failure) } => {
            let (expected, desired) = (expected as u32, desired as u32);
            let (success, failure) = (both(read, write), load_order(failure));
            let call = format!("V{}.compare_exchange({expected}, {desired}, {success}, {failure})", var.0);
            set(to, format!("{call}.unwrap_or_else(|value| value)"))
        }
        Stmt::Fence(order) => format!(
            "fence({});",
            match order {
                FenceOrder::Acquire => "Acquire",
                FenceOrder::Release => "Release",
                FenceOrder::AcqRel => "AcqRel",
                FenceOrder::SeqCst => "SeqCst",
            }
        ),
        Stmt::Assume(ref condition) => format!("assume({});", test(condition)),
        Stmt::If(ref condition, ref body) => format!("if {} {{ {} }}", test(condition), block(body)),
        Stmt::Locked(mutex, ref body) => format!(
            "assume(V{0}.compare_exchange(0, 1, Acquire, Relaxed).is_ok()); {1} V{0}.store(0, Release);",
            mutex.0,
            block(body)
        ),
        Stmt::Spawn(child) => format!("t[{child}] = Some(thread::spawn(p{number}_{child}));"),
        Stmt::Join(child) => format!("t[{child}].take().unwrap().join().unwrap();"),
        Stmt::Assert(_) | Stmt::LoadAt { .. } | Stmt::StoreAt { .. } | Stmt::New { .. } | Stmt::Free(_) => {
            unreachable!("left out")
        }
    }
}

/// One Rust program that chooses one of these.
pub fn source(programs: &[Ast]) -> String {
    let mut text = "use std::sync::atomic::{AtomicU32, Ordering::*, fence};\nuse std::thread;\n\
        unsafe extern \"C\" {\n    fn __VERIFIER_nondet_int() -> i32;\n    fn __VERIFIER_assume(condition: i32);\n}\n\
        fn assume(condition: bool) {\n    unsafe { __VERIFIER_assume(condition as i32) }\n}\n"
        .to_string();
    let mut line = |words: String| writeln!(text, "{words}").expect("a string has room");
    (0..VARIABLES).for_each(|var| line(format!("static V{var}: AtomicU32 = AtomicU32::new(0);")));
    for (number, ast) in programs.iter().enumerate() {
        for (thread, body) in ast.threads.iter().enumerate() {
            line(format!("fn p{number}_{thread}() {{"));
            line(format!("    let mut r = [0u32; {}];", Register::LIMIT));
            if thread == 0 {
                line(format!(
                    "    let mut t = [const {{ None::<thread::JoinHandle<()>> }}; {}];",
                    ast.threads.len()
                ));
            }
            body.iter().for_each(|stmt| line(format!("    {}", statement(number, stmt))));
            if thread == 0 {
                line("    t.into_iter().flatten().for_each(|thread| thread.join().unwrap());".to_string());
            }
            line("    let _ = &mut r;\n}".to_string());
        }
    }
    line("fn main() {\n    match unsafe { __VERIFIER_nondet_int() } {".to_string());
    (0..programs.len()).for_each(|number| line(format!("        {number} => p{number}_0(),")));
    line("        _ => {}\n    }\n}".to_string());
    text
}

/// What a thread does with the variables: which one, whether it writes, and the value.
type ThreadHistory = Vec<(u8, bool, u64)>;
/// How many executions show each history of all threads.
type Histories = BTreeMap<Vec<ThreadHistory>, usize>;

/// What the execution shows of the variables.
fn history(execution: &Canonical, variable: &dyn Fn(Addr) -> Option<u8>) -> Vec<ThreadHistory> {
    let of_thread = |events: &[atropos_graph::CanonicalEvent]| {
        let shown = events.iter().filter_map(|event| {
            let var = variable(event.label.access()?.addr)?;
            Some((var, matches!(event.label, Label::Write { .. }), event.value))
        });
        shown.collect::<ThreadHistory>()
    };
    let all = execution.threads.iter().map(|thread| of_thread(&thread.events));
    let mut shown: Vec<_> = all.filter(|history| !history.is_empty()).collect();
    shown.sort();
    shown
}

/// What the oracle expects of a program; `None` if it is too large.
fn expected(ast: &Ast, model: &Model, equivalence: UpTo) -> Option<Histories> {
    let config = EnumerationConfig { limit: 20_000, ..EnumerationConfig::default() };
    let found = match enumerate_all(&Replayed(ast.clone()), &[model], config) {
        Ok(mut found) => found.remove(0).complete,
        Err(Refused::TooLarge { .. }) => return None,
        Err(refused) => panic!("the oracle refuses a generated program: {refused}"),
    };
    let executions = if equivalence == UpTo::Rf { rf_projection(&found) } else { found };
    let first = access_of(Var(0)).addr.0;
    let stride = access_of(Var(1)).addr.0 - first;
    let variable = |addr: Addr| Some(((addr.0 - first) / stride) as u8);
    let mut histories = Histories::new();
    for execution in &executions {
        *histories.entry(history(execution, &variable)).or_default() += 1;
    }
    Some(histories)
}

/// The machine that runs these programs.
///
/// # Errors
/// They do not compile, or cannot be loaded.
pub fn machine(programs: &[Ast], name: &str) -> Result<Vm, String> {
    let file = std::env::temp_dir().join(format!("atropos-{}-{name}.rs", std::process::id()));
    std::fs::write(&file, source(programs)).map_err(|error| error.to_string())?;
    let options = CompileOptions { flags: vec!["-Cdebuginfo=0".to_string()], ..CompileOptions::default() };
    let compiled = compile::compile(&file, &options, &Job::default());
    let text = compiled.map_err(|complaint| complaint.to_string());
    std::fs::remove_file(&file).map_err(|error| error.to_string())?;
    let library = compile::rust_library(&Job::default()).map_err(|complaint| complaint.to_string())?;
    let texts = vec![("programs".to_string(), text?), ("std".to_string(), library)];
    let options =
        LibraryOptions { nondet: Some((0, programs.len() as i64 - 1)), ..LibraryOptions::default() };
    let loaded = atropos_llvm::load(texts, "main", &options, &SourceFiles::none())
        .map_err(|complaint| complaint.to_string())?;
    let config = atropos_vm::Config { entry: loaded.entry, ..atropos_vm::Config::default() };
    Vm::new(loaded.module, config).map_err(|complaint| complaint.to_string())
}

/// The result of a comparison without differences.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceTotals {
    pub agreed: u64,
    pub too_large: u64,
    pub executions: u64,
}

/// Compares the programs of these seeds, as one Rust program, with the oracle under a model.
///
/// # Errors
/// The first difference.
pub fn compare(seeds: std::ops::Range<u64>, model: &str, equivalence: UpTo) -> Result<SourceTotals, String> {
    let programs: Vec<Ast> = seeds.clone().map(program).collect();
    let vm = machine(&programs, &format!("{}-{model}", seeds.start))?;
    let explored =
        SearchSettings { repeats_unseen: false, ..SearchSettings::new(model, equivalence) }.run(&vm);
    if explored.refused.is_some() || !explored.violations.is_empty() {
        return Err(format!("{:?} {:?} from seed {}", explored.refused, explored.violations, seeds.start));
    }
    let variable = |addr: Addr| variable(&vm.name_of(addr));
    let mut found = vec![Histories::new(); programs.len()];
    for execution in &explored.complete {
        let chosen = chosen(execution, &variable);
        *found[chosen].entry(history(execution, &variable)).or_default() += 1;
    }
    let oracle = Model::builtin(model).expect("a built-in model");
    let mut compared = SourceTotals::default();
    for ((seed, ast), found) in seeds.zip(&programs).zip(found) {
        let Some(expected) = expected(ast, &oracle, equivalence) else {
            compared.too_large += 1;
            continue;
        };
        if expected != found {
            let wrong = expected.iter().find(|(history, n)| found.get(*history) != Some(n));
            let extra = found.iter().find(|(history, n)| expected.get(*history) != Some(n));
            return Err(format!(
                "seed {seed} under {model} up to {equivalence:?}:\n{ast}\n{}\nexpected {wrong:?}\nfound {extra:?}",
                source(std::slice::from_ref(ast))
            ));
        }
        compared.agreed += 1;
        compared.executions += found.values().sum::<usize>() as u64;
    }
    Ok(compared)
}

/// The number of a variable by its name, `V3` or a path that ends so.
fn variable(name: &str) -> Option<u8> {
    name.rsplit("::").next()?.strip_prefix('V')?.parse().ok()
}

/// The program that `main` has chosen: what it reads first, apart from variables.
fn chosen(execution: &Canonical, variable: &dyn Fn(Addr) -> Option<u8>) -> usize {
    let mut reads = execution.threads[0]
        .events
        .iter()
        .filter(|event| matches!(event.label, Label::Read { access, .. } if variable(access.addr).is_none()));
    reads.next().map_or(0, |event| event.value as usize)
}
