//! One function: its registers, slots and blocks.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use atropos_event::{Gap, GapKind, shape::Shape};
use atropos_vm::ir::{SlotKind, StackSlot};
use atropos_vm::{Function, FunctionBuilder, Instr, Operand, Reg, SlotId, SourceId, Target};

use super::Lowering;
use super::bounds::Inside;
use super::dynamic::is_section;
use super::huge::is_huge_operation;
use super::jumps::Arrivals;
use super::objects;
use super::rust::{self, Unseen};
use super::vectors::{is_vector, is_vector_operation, vector_length};
use super::wide::is_wide_operation;
use crate::ast::{self, Block, NotModelled, Op, Type};
use crate::carried::Carried;
use crate::layout;
use crate::passing;
use crate::program::Key;
use crate::read::{Variable, element_type};
use crate::speculated::Speculated;
use crate::unwritten::{Compiler, Reads};

/// Lowers one function.
pub(crate) struct Code<'l, 'p> {
    pub all: &'l mut Lowering<'p>,
    pub key: Key,
    pub code: FunctionBuilder,
    pub locals: Locals,
    pub flow: BlockFlow,
    pub frame: FrameLayout,
    pub reads: Reads,
    pub carried: Carried,
    pub speculated: Speculated,
    /// The place of the current instruction.
    pub source: Option<SourceId>,
    /// The function makes room for objects: its instructions have no places.
    pub is_inside_allocation: bool,
}

/// What is known about the function's local values and stack objects, by their names.
#[derive(Default)]
pub(crate) struct Locals {
    /// The leaves of each local value.
    pub values: HashMap<Rc<str>, Vec<Operand>>,
    /// The registers of variables that became registers.
    pub variables: HashMap<Rc<str>, Reg>,
    /// The registers that say whether a variable in a register was assigned, if that is uncertain.
    pub flags: HashMap<Rc<str>, Reg>,
    /// The type of each local value.
    pub types: HashMap<Rc<str>, Type>,
    /// What the source knows about stack objects.
    pub debug: HashMap<Rc<str>, Variable>,
    /// Addresses inside objects of a known size, computed by an index.
    pub inside: HashMap<Rc<str>, Inside>,
    /// The sizes of stack objects in memory.
    pub sizes: HashMap<Rc<str>, u64>,
    /// Pointers to locks of Rust's library that the function waits for.
    pub contended: HashSet<Rc<str>>,
    /// What a function of Rust's library does that no program can see.
    pub unseen: Option<Unseen>,
}

/// Where control goes.
#[derive(Default)]
pub(crate) struct BlockFlow {
    /// The current block.
    pub block: Rc<str>,
    pub targets: HashMap<Rc<str>, Target>,
    /// Edges that need their own code: from, to, and the label of the edge.
    pub edges: Vec<(Rc<str>, Rc<str>, Target)>,
    pub phis: HashMap<Rc<str>, Vec<(Rc<str>, Phi)>>,
    /// Where exceptions leave the function.
    pub unwinding: Option<Target>,
    /// The calls of `setjmp` so far, if the function has any.
    pub arrivals: Option<Arrivals>,
}

/// Registers and slots that the lowering adds to the function's own.
#[derive(Default)]
pub(crate) struct FrameLayout {
    /// Where to put a result of several leaves.
    pub result_at: Option<Reg>,
    /// Where to put a part of a struct that is returned, or zero.
    pub part_at: Option<Reg>,
    /// The parameters that are parts of structs, and where they are, or zero.
    pub parts: Vec<(Rc<str>, Reg)>,
    /// The arguments passed for `...`.
    pub rest_at: Option<Reg>,
    /// Where loads that only move bytes put them.
    pub moved: Option<SlotId>,
    /// Where loads put what may be unwritten, and what never is written.
    pub speculated: Option<SlotId>,
    pub never: Option<SlotId>,
    /// The list of stack objects created at run time.
    pub dynamic: Option<SlotId>,
    /// The places of carried values between their load and their stores.
    pub carried_in: HashMap<Rc<str>, SlotId>,
}

/// The type of a phi and its value for each predecessor.
pub(crate) type Phi = (Type, Vec<(ast::Value, Rc<str>)>);

pub(crate) fn lower(all: &mut Lowering<'_>, key: &Key, blocks: &[Block]) -> Function {
    let mut code = Code {
        all,
        key: key.clone(),
        code: FunctionBuilder::new(&key.1),
        locals: Locals::default(),
        flow: BlockFlow::default(),
        frame: FrameLayout::default(),
        reads: Reads::default(),
        carried: Carried::default(),
        speculated: Speculated::default(),
        source: None,
        is_inside_allocation: objects::is_inside_allocation(&key.1),
    };
    if let Err(gap) = code.prepare(blocks) {
        let n_params = code.all.program.function(key).ty.params.len();
        return refused(&key.1, n_params, gap);
    }
    if is_section(&key.1) {
        code.code.push(Instr::EnterSection);
    }
    code.prepare_jumps(blocks);
    code.describe_objects(blocks);
    let reachable = code.reachable(blocks);
    for block in blocks.iter().filter(|block| reachable.contains(&block.name)) {
        code.block(block);
    }
    code.finish_unwinding();
    code.code.finish()
}

/// A function that cannot be lowered at all.
fn refused(name: &str, n_params: usize, gap: Gap) -> Function {
    let mut code = FunctionBuilder::new(name);
    for nth in 0..n_params {
        code.param(&format!("p{nth}"));
    }
    code.push(Instr::unsupported(Gap { function: Some(name.to_string()), ..gap }));
    code.finish()
}

impl Code<'_, '_> {
    /// The reachable blocks: landing pads only after calls that may throw.
    fn reachable(&self, blocks: &[Block]) -> HashSet<Rc<str>> {
        let by_name: HashMap<&str, &Block> = blocks.iter().map(|block| (&*block.name, block)).collect();
        let mut open: Vec<Rc<str>> = blocks.first().into_iter().map(|block| block.name.clone()).collect();
        let mut found = HashSet::new();
        while let Some(name) = open.pop() {
            if !found.insert(name.clone()) {
                continue;
            }
            let last = by_name.get(&*name).and_then(|block| block.instrs.last());
            match last.map(|instr| &instr.op) {
                Some(Op::Br(to)) => open.push(to.clone()),
                Some(Op::Invoke { call, normal, unwind }) => {
                    open.push(normal.clone());
                    if self.all.throwing.exceptions.may_throw(self.all.program, self.key.0, call) {
                        open.push(unwind.clone());
                    }
                }
                Some(Op::CondBr { then, otherwise, .. }) => open.extend([then.clone(), otherwise.clone()]),
                Some(Op::Switch { default, cases, .. }) => {
                    open.push(default.clone());
                    open.extend(cases.iter().map(|(_, to)| to.clone()));
                }
                _ => {}
            }
        }
        found
    }

    /// Declares parameters, variables, results and labels.
    fn prepare(&mut self, blocks: &[Block]) -> Result<(), Gap> {
        let function = self.all.program.function(&self.key);
        let (ty, params) = (function.ty.clone(), function.params.clone());
        if layout::leaves(&ty.result)?.len() > 1 {
            self.frame.result_at = Some(self.code.param("result"));
        }
        for (name, param) in params.iter().zip(&ty.params) {
            let leaves = layout::leaves(param)?;
            let regs = leaves.iter().map(|_| Operand::Reg(self.code.param(name))).collect();
            self.locals.values.insert(name.clone(), regs);
            self.locals.types.insert(name.clone(), param.clone());
        }
        if ty.variadic {
            self.frame.rest_at = Some(self.code.param("rest"));
        }
        if let Some(passing) = self.all.passing.get(&self.key) {
            let at = self.code.optional_param("result at");
            self.frame.part_at = passing.result.then_some(at);
            for (nth, name) in
                params.iter().enumerate().take(passing.params.last().map_or(0, |last| last + 1))
            {
                let at = self.code.optional_param(&format!("{name} at"));
                if passing.params.contains(&nth) {
                    self.frame.parts.push((name.clone(), at));
                }
            }
        }
        let is_register = |name: &str| self.all.escapes.is_promoted(&self.key, name);
        let passed =
            passing::passed_values(self.all.program, &self.all.passing, &self.key, blocks, is_register);
        let compiler = Compiler::of(&self.all.program.modules[self.key.0]);
        self.carried = Carried::of(blocks, is_register, passed, compiler);
        self.locals.contended = rust::contended(self.all.program, &self.key, blocks);
        self.locals.unseen = rust::unseen(&self.key.1);
        self.reads = Reads::of(blocks, compiler, |name| is_register(name) && !self.carried.is_carrier(name));
        self.prepare_speculated(blocks, compiler);
        self.locals.debug = self.all.program.modules[self.key.0].variables(function);
        self.prepare_dynamic(blocks);
        let reachable = self.reachable(blocks);
        for (nth, block) in blocks.iter().enumerate().filter(|(_, block)| reachable.contains(&block.name)) {
            let target = self.code.target(&block.name);
            self.flow.targets.insert(block.name.clone(), target);
            for instr in &block.instrs {
                if let Some(name) = &instr.result {
                    self.declare(name, &instr.op, nth == 0);
                    self.declare_shadow(name);
                }
                if let (Op::Phi { ty, incoming }, Some(name)) = (&instr.op, &instr.result) {
                    let phi = (name.clone(), (ty.clone(), incoming.clone()));
                    let shadow = self.shadow_phi(name, &phi.1);
                    self.flow
                        .phis
                        .entry(block.name.clone())
                        .or_default()
                        .extend([Some(phi), shadow].into_iter().flatten());
                }
            }
        }
        self.take_parts()
    }

    fn declare(&mut self, name: &Rc<str>, op: &Op, is_first_block: bool) {
        let ty = self.type_of(op);
        self.locals.types.insert(name.clone(), ty.clone());
        if let (&Op::Alloca { ref ty, count: None, align }, true) = (op, is_first_block) {
            if self.all.escapes.is_promoted(&self.key, name) && !self.carried.is_carrier(name) {
                let reg = self.code.register(name);
                self.locals.variables.insert(name.clone(), reg);
                if self.reads.is_doubtful(name) {
                    let flag = self.code.register(&format!("{name} was assigned"));
                    self.locals.flags.insert(name.clone(), flag);
                }
                return;
            }
            if let Ok(size) = layout::size_of(ty) {
                let shared = self.all.escapes.escapes(&self.key, name);
                let kind = if shared { SlotKind::Shared } else { SlotKind::Fresh };
                let slot = self.code.slot(StackSlot { align, ..self.described(name, size, kind) });
                self.locals.sizes.insert(name.clone(), size);
                self.locals.values.insert(name.clone(), vec![Operand::Slot(slot)]);
                return;
            }
        }
        if self.carried.is_carried(name) {
            let is_result = matches!(op, Op::Call(_) | Op::Invoke { .. });
            let size =
                layout::size_of(&ty).unwrap_or(8).max(if is_result { passing::RESULT_SIZE } else { 0 });
            let part = |of| format!("part of {}", self.described(of, size, SlotKind::Fresh).name);
            let unnamed = if is_vector(&ty) { "a vector" } else { "carried" };
            let named = self.reads.variable(name).map_or(unnamed.to_string(), part);
            let slot = self.code.slot(StackSlot::new(&named, size, SlotKind::Fresh));
            self.frame.carried_in.insert(name.clone(), slot);
            return;
        }
        // A value that has no layout is refused where it is made.
        let n = layout::leaves(&ty).map_or(1, |leaves| leaves.len());
        let regs = (0..n).map(|_| Operand::Reg(self.code.register(name))).collect();
        self.locals.values.insert(name.clone(), regs);
    }

    /// A stack object, named as in the source.
    fn described(&self, name: &Rc<str>, size: u64, kind: SlotKind) -> StackSlot {
        let metadata = &self.all.program.modules[self.key.0].metadata;
        let variable = self.locals.debug.get(name);
        let shape = variable.map_or(Shape::Scalar, |variable| metadata.shape_of(variable));
        let name = variable.map_or(&**name, |variable| &variable.name).to_string();
        StackSlot { shape, ..StackSlot::new(&name, size, kind) }
    }

    fn type_of(&self, op: &Op) -> Type {
        match op {
            Op::Binary { left, .. } | Op::FNeg(left) | Op::Freeze(left) => left.ty.clone(),
            Op::Alloca { .. } => Type::Ptr,
            // One address for each element of an argument.
            Op::Gep { args, .. } => args
                .iter()
                .find_map(|arg| vector_length(&arg.ty))
                .map_or(Type::Ptr, |n| Type::Vector(n, Rc::new(Type::Ptr))),
            Op::Load { ty, .. }
            | Op::Phi { ty, .. }
            | Op::Cast { to: ty, .. }
            | Op::LandingPad { ty, .. } => ty.clone(),
            Op::CmpXchg { expected, .. } => {
                let fields = vec![expected.ty.clone(), Type::Int(1)];
                Type::Struct(Rc::new(ast::Struct { fields, packed: false }))
            }
            Op::Rmw { operand, .. } => operand.ty.clone(),
            Op::Icmp { left, .. } | Op::Fcmp { left, .. } => match &left.ty {
                Type::Vector(n, _) => Type::Vector(*n, Rc::new(Type::Int(1))),
                _ => Type::Int(1),
            },
            Op::ExtractElement { vector, .. } => match &vector.ty {
                Type::Vector(_, element) => (**element).clone(),
                _ => Type::Void,
            },
            Op::InsertElement { vector, .. } => vector.ty.clone(),
            Op::ShuffleVector { left, mask, .. } => match (&left.ty, &mask.ty) {
                (Type::Vector(_, element), Type::Vector(n, _)) => Type::Vector(*n, element.clone()),
                _ => Type::Void,
            },
            Op::Select { then, .. } => then.ty.clone(),
            Op::Call(call) | Op::Invoke { call, .. } => call.result.clone(),
            Op::ExtractValue { aggregate, indices } => {
                element_type(&aggregate.ty, indices).unwrap_or(Type::Void)
            }
            Op::InsertValue { aggregate, .. } => aggregate.ty.clone(),
            _ => Type::Int(64),
        }
    }

    fn block(&mut self, block: &Block) {
        self.flow.block = block.name.clone();
        let target = self.flow.targets[&block.name];
        self.code.place(target);
        for instr in &block.instrs {
            let location = instr.location.filter(|_| !self.is_inside_allocation);
            let source = self.all.source(self.key.0, location);
            self.code.at(source);
            self.source = source;
            let n_targets = self.code.n_targets();
            if let Err(gap) = self.instr(instr) {
                // Stack objects have no place: use that of the next instruction.
                if source.is_none() {
                    let near = block.instrs.iter().find_map(|instr| instr.location);
                    let near = self.all.source(self.key.0, near);
                    self.code.at(near);
                }
                self.code.push(Instr::unsupported(gap));
                self.code.place_others(n_targets);
            }
        }
        let is_open = block.instrs.last().is_none_or(|last| {
            !matches!(
                last.op,
                Op::Ret(_)
                    | Op::Br(_)
                    | Op::CondBr { .. }
                    | Op::Switch { .. }
                    | Op::Unreachable
                    | Op::Resume(_)
                    | Op::Invoke { .. }
            )
        });
        if is_open {
            self.code.push(Instr::unsupported(GapKind::OpenBlock));
        }
        self.finish_edges();
    }

    /// An instruction, of which no operand is unwritten.
    pub(crate) fn operation(&mut self, instr: &ast::Instr) -> Result<(), Gap> {
        let result = instr.result.as_ref();
        match &instr.op {
            Op::Ret(_) | Op::Br(_) | Op::CondBr { .. } | Op::Switch { .. } | Op::Unreachable => {
                self.terminator(&instr.op)
            }
            Op::Phi { .. } => Ok(()),
            op if is_vector_operation(op) => self.vector_operation(result, op),
            op if is_huge_operation(op) => self.huge_operation(result, op),
            op if is_wide_operation(op) => self.wide_operation(result, op),
            Op::Binary { .. } | Op::FNeg(_) | Op::Icmp { .. } | Op::Fcmp { .. } | Op::Cast { .. } => {
                let dst = self.dst(result)?;
                self.arithmetic(dst, &instr.op)
            }
            Op::ExtractElement { .. } | Op::InsertElement { .. } | Op::ShuffleVector { .. } => {
                self.vector_operation(result, &instr.op)
            }
            Op::Select { .. } | Op::Freeze(_) | Op::ExtractValue { .. } | Op::InsertValue { .. } => {
                self.aggregate(result, &instr.op)
            }
            Op::Alloca { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Fence { .. }
            | Op::CmpXchg { .. }
            | Op::Rmw { .. }
            | Op::Gep { .. } => self.memory(result, &instr.op),
            Op::Call(call) => {
                self.call(result, call)?;
                self.after_call(call, None)
            }
            Op::Invoke { call, normal, unwind } => {
                self.call(result, call)?;
                self.after_call(call, Some(unwind))?;
                self.go(normal)
            }
            Op::LandingPad { cleanup, clauses, .. } => self.landing_pad(result, *cleanup, clauses),
            Op::Resume(value) => self.resume(value),
            Op::NotModelled(NotModelled { name, .. }) => Err(GapKind::Instruction.of(*name)),
        }
    }
}
