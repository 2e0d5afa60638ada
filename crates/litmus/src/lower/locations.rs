//! The shared locations of a test: their types, initial values and globals.
//!
//! A location exists if the initial state or a thread mentions it. Its type is the one in the initial state, else the
//! one that the threads use, else `int`; all mentions must agree on the size.

use crate::ast::types::{Base, Type};
use crate::ast::x86::{Instruction, MemoryOperand, Operand};
use crate::ast::{Code, Litmus, c, x86};
use crate::condition::{Constant, Observable};
use atropos_event::{Fault, Span};
use atropos_vm::ir::{Relocation, Symbol};
use atropos_vm::{Global, GlobalId, ModuleBuilder};

#[derive(Clone, Debug)]
pub struct SharedLocation {
    name: String,
    pub ty: Type,
    pub global: GlobalId,
}

pub struct Locations(Vec<SharedLocation>);

/// What is known about a location before the whole test has been seen.
struct Draft {
    name: String,
    ty: Option<Type>,
    initial: Option<Constant>,
}

impl Locations {
    pub fn collect(litmus: &Litmus, module: &mut ModuleBuilder, complaints: &mut Vec<Fault>) -> Locations {
        let mut drafts = Drafts { drafts: Vec::new(), complaints };
        drafts.read_init(litmus);
        match &litmus.code {
            Code::C(threads) => drafts.read_parameters(threads),
            Code::X86 { threads, .. } => drafts.read_operands(threads),
        }
        drafts.check_addresses(litmus);
        drafts.finish(module)
    }

    pub fn get(&self, name: &str) -> Option<&SharedLocation> {
        self.0.iter().find(|location| location.name == name)
    }

    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|location| location.name.clone()).collect()
    }
}

struct Drafts<'complaints> {
    drafts: Vec<Draft>,
    complaints: &'complaints mut Vec<Fault>,
}

impl Drafts<'_> {
    fn entry(&mut self, name: &str) -> &mut Draft {
        if let Some(at) = self.drafts.iter().position(|draft| draft.name == name) {
            return &mut self.drafts[at];
        }
        self.drafts.push(Draft { name: name.to_owned(), ty: None, initial: None });
        self.drafts.last_mut().expect("just pushed")
    }

    fn read_init(&mut self, litmus: &Litmus) {
        for item in &litmus.init {
            let Observable::Location(name) = &item.target else { continue };
            let draft = self.entry(name);
            if draft.initial.is_some() {
                let message = format!("`{name}` is initialised twice");
                self.complaints.push(Fault::new(item.span, message));
                continue;
            }
            draft.initial = Some(item.value.clone());
            draft.ty = match (item.ty, &item.value) {
                (Some(ty), _) => Some(ty),
                (None, Constant::Address(_)) => Some(Type::INT.pointer_to()),
                (None, Constant::Int(_)) => None,
            };
        }
    }

    fn read_parameters(&mut self, threads: &[c::Thread]) {
        for parameter in threads.iter().flat_map(|thread| &thread.parameters) {
            match parameter.ty.pointee() {
                Some(pointee) => self.use_as(&parameter.name, pointee, parameter.span),
                None => {
                    let message = format!(
                        "the parameter `{0}` must be a pointer to the location `{0}`",
                        parameter.name
                    );
                    self.complaints.push(Fault::new(parameter.span, message));
                }
            }
        }
    }

    fn read_operands(&mut self, threads: &[x86::Thread]) {
        let lines = threads.iter().flat_map(|thread| &thread.lines);
        for instruction in lines.filter_map(|line| line.instruction.as_ref()) {
            for operand in &instruction.operands {
                let Operand::Memory(MemoryOperand::Location(name)) = operand else { continue };
                match operand_width(instruction) {
                    Some(width) => {
                        let base = if width == x86::Width::Quad { Base::Long } else { Base::Int };
                        self.use_as(name, Type { base, ..Type::INT }, instruction.span);
                    }
                    None => {
                        self.entry(name);
                    }
                }
            }
        }
    }

    /// A thread accesses `name` with type `ty`.
    fn use_as(&mut self, name: &str, ty: Type, span: Span) {
        let draft = self.entry(name);
        match draft.ty {
            None => draft.ty = Some(ty),
            Some(known) if known.size() != ty.size() => {
                let message = format!(
                    "`{name}` is used with {} bytes here and with {} elsewhere: accesses of mixed size are not \
                     supported in litmus tests",
                    ty.size(),
                    known.size()
                );
                self.complaints.push(Fault::new(span, message));
            }
            Some(known) if known.is_pointer() && ty.is_pointer() => draft.ty = Some(ty),
            Some(_) => {}
        }
    }

    /// Addresses in the initial state are those of locations, which need not be mentioned elsewhere.
    fn check_addresses(&mut self, litmus: &Litmus) {
        for item in &litmus.init {
            let Constant::Address(name) = &item.value else { continue };
            self.entry(name);
            let holds_address = match &item.target {
                Observable::Location(holder) => self.entry(holder).ty.is_none_or(|ty| ty.size() == 8),
                Observable::Register { .. } => true,
            };
            if !holds_address {
                let message = format!("{} is too small for the address of `{name}`", item.target);
                self.complaints.push(Fault::new(item.span, message));
            }
        }
    }

    fn finish(self, module: &mut ModuleBuilder) -> Locations {
        let mut locations = Vec::new();
        for draft in &self.drafts {
            let ty = draft.ty.unwrap_or(Type::INT);
            let value = match draft.initial {
                Some(Constant::Int(value)) => value as u64,
                _ => 0,
            };
            let global = module.global(Global::zeroed(&draft.name, ty.size(), 1).with_elements([value]));
            locations.push(SharedLocation { name: draft.name.clone(), ty, global });
        }
        let locations = Locations(locations);
        for (draft, location) in self.drafts.iter().zip(&locations.0) {
            if let Some(Constant::Address(name)) = &draft.initial
                && let Some(target) = locations.get(name)
            {
                let relocation = Relocation { offset: 0, target: Symbol::Global(target.global) };
                module.global_mut(location.global).relocations.push(relocation);
            }
        }
        locations
    }
}

/// The width of an instruction, as far as its suffix and its registers determine it.
pub(crate) fn operand_width(instruction: &Instruction) -> Option<x86::Width> {
    let of_register = |operand: &Operand| match operand {
        Operand::Register(register) => Some(register.width),
        Operand::Immediate(_) | Operand::Memory(_) | Operand::Label(_) => None,
    };
    instruction.width.or_else(|| instruction.operands.iter().find_map(of_register))
}
