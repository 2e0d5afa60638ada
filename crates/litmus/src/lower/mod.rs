//! From syntax to a module of the virtual machine.
//!
//! `main` spawns `P0`, `P1`, ..., joins them, and then observes the final state ([`observe`]).

mod c;
mod code;
mod expression;
mod locations;
mod observe;
mod source;
mod x86;

pub use observe::Watch;

use crate::ast::types::Type;
use crate::ast::{Code, Litmus};
use crate::condition::{Constant, Observable};
use atropos_event::ThreadId;
use atropos_event::{Fault, Span};
use atropos_vm::{Module, ModuleBuilder, Reg};
use locations::Locations;
use source::Sources;
use std::collections::BTreeMap;

/// A test as a program, and the places of its observed values at the end.
pub struct Lowered {
    pub module: Module,
    /// In herd's order.
    pub watches: Vec<Watch>,
    /// The names of the locations, in the order of the module's globals.
    pub locations: Vec<String>,
    /// The program has a store fence, which has an effect only under pso and is not modelled.
    pub has_store_fence: bool,
}

/// The registers of one thread that can be observed, with their types.
type Registers = BTreeMap<String, (Reg, Type)>;

/// What all threads share during lowering.
struct Context<'test> {
    litmus: &'test Litmus,
    module: ModuleBuilder,
    locations: Locations,
    sources: Sources<'test>,
    complaints: Vec<Fault>,
}

impl Context<'_> {
    fn complain(&mut self, span: Span, message: impl Into<String>) {
        self.complaints.push(Fault::new(span, message));
    }

    /// The initial registers of thread `thread`: the value and, if given, the type.
    fn initial_registers(&self, thread: usize) -> Vec<(String, Constant, Option<Type>, Span)> {
        let of_thread = |item: &crate::ast::Init| match &item.target {
            Observable::Register { thread: owner, name } if *owner == thread => {
                Some((name.clone(), item.value.clone(), item.ty, item.span))
            }
            _ => None,
        };
        self.litmus.init.iter().filter_map(of_thread).collect()
    }
}

/// Lowers `litmus`, which was parsed from `text` in `file`.
pub fn lower(litmus: &Litmus, file: &str, text: &str) -> Result<Lowered, Vec<Fault>> {
    check_threads(litmus)?;
    let mut module = ModuleBuilder::new();
    let mut complaints = Vec::new();
    let locations = Locations::collect(litmus, &mut module, &mut complaints);
    let sources = Sources::new(file, text);
    let mut context = Context { litmus, module, locations, sources, complaints };
    let threads = match &litmus.code {
        Code::C(threads) => c::lower_threads(&mut context, threads),
        Code::X86 { threads, .. } => x86::lower_threads(&mut context, threads),
    };
    let watches = observe::finish(&mut context, threads);
    if !context.complaints.is_empty() {
        return Err(context.complaints);
    }
    Ok(Lowered {
        module: context.module.finish(),
        watches,
        locations: context.locations.names(),
        has_store_fence: x86::has_store_fence(&litmus.code),
    })
}

fn check_threads(litmus: &Litmus) -> Result<(), Vec<Fault>> {
    let n_threads = litmus.code.n_threads();
    if n_threads + 1 > ThreadId::LIMIT {
        let message =
            format!("a test may have at most {} threads, and this one has {n_threads}", ThreadId::LIMIT - 1);
        return Err(vec![Fault::new(Span::default(), message)]);
    }
    let mut complaints = Vec::new();
    for item in &litmus.init {
        if let Observable::Register { thread, .. } = item.target
            && thread >= n_threads
        {
            complaints.push(Fault::new(item.span, format!("there is no thread P{thread}")));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints) }
}
