//! Building modules from Rust.
//!
//! ```
//! use atropos_event::{ReadOrder, WriteOrder};
//! use atropos_vm::{FunctionBuilder, Global, ModuleBuilder};
//!
//! let mut module = ModuleBuilder::new();
//! let x = module.global(Global::zeroed("x", 4, 1));
//! let worker = module.declare("worker");
//!
//! let mut code = FunctionBuilder::new("worker");
//! let value = code.param("value");
//! code.store(WriteOrder::Release, 4, x, value);
//! module.define(worker, code.finish());
//!
//! let mut code = FunctionBuilder::new("main");
//! let handle = code.spawn(worker, &[1.into()]);
//! code.load(ReadOrder::Acquire, 4, x);
//! code.join(handle);
//! module.add(code.finish());
//! let module = module.finish();
//! assert_eq!(module.functions[1].name, "main");
//! ```

use std::collections::HashMap;

use atropos_event::{AllocKind, FenceOrder, GapKind, ReadOrder, RmwOp, WriteOrder};

use crate::failure::Failure;
use crate::instr::{AwaitReason, BinaryOp, CasOrders, CastOp, CompareOp, Instr, LockKind};
use crate::ir::{
    Function, FunctionId, Global, GlobalId, Module, Operand, Reg, SlotId, SlotKind, Source, SourceId,
    StackSlot, Statement, Target, TargetPlace, Width,
};
use crate::threading::thread_jumps;

/// Collects globals and functions. Names may repeat: `finish` makes them unique.
#[derive(Default)]
pub struct ModuleBuilder {
    pub(crate) module: Module,
}

impl From<Module> for ModuleBuilder {
    fn from(module: Module) -> Self {
        ModuleBuilder { module }
    }
}

impl ModuleBuilder {
    pub fn new() -> Self {
        ModuleBuilder::default()
    }

    pub fn global(&mut self, global: Global) -> GlobalId {
        self.module.globals.push(global);
        GlobalId(self.module.globals.len() as u32 - 1)
    }

    pub fn global_mut(&mut self, id: GlobalId) -> &mut Global {
        &mut self.module.globals[id.index()]
    }

    /// Declares a function; until it is defined, calling it is unsupported.
    pub fn declare(&mut self, name: &str) -> FunctionId {
        let mut placeholder = FunctionBuilder::new(name);
        placeholder.push(Instr::unsupported(GapKind::OnlyDeclared.of(name)));
        self.add(placeholder.finish())
    }

    pub fn define(&mut self, id: FunctionId, function: Function) {
        self.module.functions[id.index()] = function;
    }

    pub fn add(&mut self, function: Function) -> FunctionId {
        self.module.functions.push(function);
        FunctionId(self.module.functions.len() as u32 - 1)
    }

    pub fn source(&mut self, source: Source) -> SourceId {
        self.module.sources.push(source);
        SourceId(self.module.sources.len() as u32 - 1)
    }

    /// Renames duplicates. Functions and globals share one namespace, and the names of the registers and slots of
    /// each function must not clash with it; labels have their own.
    pub fn finish(mut self) -> Module {
        let mut used = HashMap::new();
        let functions = self.module.functions.iter_mut().map(|function| &mut function.name);
        for name in functions.chain(self.module.globals.iter_mut().map(|global| &mut global.name)) {
            make_unique(&mut used, name);
        }
        for function in &mut self.module.functions {
            let mut local = Vec::new();
            let slots = function.slots.iter_mut().map(|slot| &mut slot.name);
            for name in function.registers.iter_mut().chain(slots) {
                make_unique(&mut used, name);
                local.push(name.clone());
            }
            for name in local {
                used.remove(&name);
            }
            let mut targets = HashMap::new();
            for target in &mut function.targets {
                make_unique(&mut targets, &mut target.name);
            }
        }
        self.module
    }
}

/// Renames `name` if it is among those `used`, which maps a name to the number for its next duplicate.
fn make_unique(used: &mut HashMap<String, u64>, name: &mut String) {
    if name.is_empty() {
        name.push('_');
    }
    let Some(&next) = used.get(name.as_str()) else {
        used.insert(name.clone(), 1);
        return;
    };
    let candidates = (next..).map(|n| (n, format!("{name}.{n}")));
    let free = candidates.into_iter().find(|(_, candidate)| !used.contains_key(candidate));
    let (n, unique) = free.expect("there are more numbers than names");
    used.insert(std::mem::replace(name, unique.clone()), n + 1);
    used.insert(unique, 1);
}

/// Builds one function, statement by statement.
pub struct FunctionBuilder {
    function: Function,
    source: Option<SourceId>,
}

impl FunctionBuilder {
    const UNPLACED: u32 = u32::MAX;

    pub fn new(name: &str) -> Self {
        let function = Function {
            name: name.to_string(),
            n_params: 0,
            n_optional: 0,
            registers: Vec::new(),
            slots: Vec::new(),
            targets: Vec::new(),
            body: Vec::new(),
        };
        FunctionBuilder { function, source: None }
    }

    /// # Panics
    /// When another register exists already: parameters come first.
    pub fn param(&mut self, name: &str) -> Reg {
        assert_eq!(self.function.registers.len(), self.function.n_params as usize, "parameters come first");
        self.function.n_params += 1;
        self.register(name)
    }

    /// A parameter that is zero if a call leaves it out. All parameters behind it are optional, too.
    pub fn optional_param(&mut self, name: &str) -> Reg {
        self.function.n_optional += 1;
        self.param(name)
    }

    /// Whether a parameter is optional.
    pub fn has_optional(&self) -> bool {
        self.function.n_optional > 0
    }

    pub fn register(&mut self, name: &str) -> Reg {
        self.function.registers.push(name.to_string());
        Reg(self.function.registers.len() as u32 - 1)
    }

    pub fn fresh(&mut self) -> Reg {
        let name = format!("r{}", self.function.registers.len());
        self.register(&name)
    }

    /// A stack object whose address no other thread ever uses.
    pub fn private_slot(&mut self, name: &str, size: u64) -> SlotId {
        self.slot(StackSlot::new(name, size, SlotKind::Private))
    }

    pub fn shared_slot(&mut self, name: &str, size: u64) -> SlotId {
        self.slot(StackSlot::new(name, size, SlotKind::Shared))
    }

    pub fn slot(&mut self, slot: StackSlot) -> SlotId {
        self.function.slots.push(slot);
        SlotId(self.function.slots.len() as u32 - 1)
    }

    /// A label to jump to, not yet placed.
    pub fn target(&mut self, name: &str) -> Target {
        self.function.targets.push(TargetPlace { name: name.to_string(), at: Self::UNPLACED });
        Target(self.function.targets.len() as u32 - 1)
    }

    pub fn fresh_target(&mut self) -> Target {
        let name = format!("L{}", self.function.targets.len());
        self.target(&name)
    }

    /// Puts a label in front of the next statement.
    pub fn place(&mut self, target: Target) {
        self.function.targets[target.index()].at = self.function.body.len() as u32;
    }

    /// The number of labels so far.
    pub fn n_targets(&self) -> usize {
        self.function.targets.len()
    }

    /// Puts the labels behind the first `n_known` that were not placed in front of the next statement: what they were
    /// made for is given up.
    pub fn place_others(&mut self, n_known: usize) {
        let here = self.function.body.len() as u32;
        let open = self.function.targets[n_known..].iter_mut().filter(|target| target.at == Self::UNPLACED);
        open.for_each(|target| target.at = here);
    }

    /// The source of the following statements.
    pub fn at(&mut self, source: Option<SourceId>) {
        self.source = source;
    }

    pub fn push(&mut self, instr: Instr) {
        self.function.body.push(Statement { instr, source: self.source });
    }

    /// The function, with a return added if it does not end otherwise.
    ///
    /// # Panics
    /// When a label was never placed.
    pub fn finish(mut self) -> Function {
        let length = self.function.body.len() as u32;
        let unplaced = self.function.targets.iter().find(|target| target.at == Self::UNPLACED);
        assert_eq!(unplaced, None, "a label of `{}` was never placed", self.function.name);
        let open = self.function.body.last().is_none_or(|last| last.instr.falls_through());
        if open || self.function.targets.iter().any(|target| target.at == length) {
            self.push(Instr::Return { value: None });
        }
        thread_jumps(&mut self.function);
        self.function
    }
}

/// One method per common instruction; results go to fresh registers. The others are made with `push`.
impl FunctionBuilder {
    pub fn assign(&mut self, dst: Reg, value: impl Into<Operand>) {
        self.push(Instr::Move { dst, value: value.into() });
    }

    pub fn binary(
        &mut self,
        op: BinaryOp,
        width: Width,
        left: impl Into<Operand>,
        right: impl Into<Operand>,
    ) -> Reg {
        let dst = self.fresh();
        self.push(Instr::Binary { op, width, dst, left: left.into(), right: right.into() });
        dst
    }

    pub fn compare(
        &mut self,
        op: CompareOp,
        width: Width,
        left: impl Into<Operand>,
        right: impl Into<Operand>,
    ) -> Reg {
        let dst = self.fresh();
        self.push(Instr::Compare { op, width, dst, left: left.into(), right: right.into() });
        dst
    }

    pub fn cast(&mut self, op: CastOp, from: Width, to: Width, value: impl Into<Operand>) -> Reg {
        let dst = self.fresh();
        self.push(Instr::Cast { op, from, to, dst, value: value.into() });
        dst
    }

    /// `base + index * scale + offset`
    pub fn address(
        &mut self,
        base: impl Into<Operand>,
        index: impl Into<Operand>,
        scale: u64,
        offset: i64,
    ) -> Reg {
        let dst = self.fresh();
        self.push(Instr::Address { dst, base: base.into(), index: index.into(), scale, offset });
        dst
    }

    pub fn load(&mut self, order: ReadOrder, size: u8, addr: impl Into<Operand>) -> Reg {
        let dst = self.fresh();
        self.push(Instr::Load { dst, size, order, addr: addr.into() });
        dst
    }

    pub fn store(
        &mut self,
        order: WriteOrder,
        size: u8,
        addr: impl Into<Operand>,
        value: impl Into<Operand>,
    ) {
        self.push(Instr::Store { size, order, addr: addr.into(), value: value.into() });
    }

    pub fn rmw(
        &mut self,
        op: RmwOp,
        orders: (ReadOrder, WriteOrder),
        size: u8,
        addr: impl Into<Operand>,
        operand: impl Into<Operand>,
    ) -> Reg {
        let dst = self.fresh();
        let (read_order, write_order) = orders;
        let (addr, operand) = (addr.into(), operand.into());
        self.push(Instr::Rmw { op, dst: Some(dst), size, read_order, write_order, addr, operand });
        dst
    }

    /// Returns the value read and whether it was the expected one.
    pub fn cas(
        &mut self,
        orders: CasOrders,
        size: u8,
        addr: impl Into<Operand>,
        expected: impl Into<Operand>,
        desired: impl Into<Operand>,
    ) -> (Reg, Reg) {
        let (old, success) = (self.fresh(), self.fresh());
        self.push(Instr::Cas {
            old: Some(old),
            success: Some(success),
            size,
            orders,
            addr: addr.into(),
            expected: expected.into(),
            desired: desired.into(),
        });
        (old, success)
    }

    pub fn fence(&mut self, order: FenceOrder) {
        self.push(Instr::Fence { order });
    }

    pub fn malloc(&mut self, size: impl Into<Operand>) -> Reg {
        let dst = self.fresh();
        let (size, align) = (size.into(), Operand::Const(0));
        self.push(Instr::Alloc { dst, size, align, kind: AllocKind::Heap, zeroed: false });
        dst
    }

    pub fn free(&mut self, addr: impl Into<Operand>) {
        self.push(Instr::Free { addr: addr.into(), kind: AllocKind::Heap });
    }

    pub fn jump(&mut self, to: Target) {
        self.push(Instr::Jump { to });
    }

    pub fn jump_if(&mut self, condition: impl Into<Operand>, to: Target) {
        self.push(Instr::Branch { condition: condition.into(), when: true, to });
    }

    pub fn jump_unless(&mut self, condition: impl Into<Operand>, to: Target) {
        self.push(Instr::Branch { condition: condition.into(), when: false, to });
    }

    pub fn call(&mut self, function: impl Into<Operand>, args: &[Operand]) -> Reg {
        let dst = self.fresh();
        self.push(Instr::Call { dst: Some(dst), function: function.into(), args: args.to_vec() });
        dst
    }

    pub fn ret(&mut self, value: impl Into<Operand>) {
        self.push(Instr::Return { value: Some(value.into()) });
    }

    pub fn spawn(&mut self, function: impl Into<Operand>, args: &[Operand]) -> Reg {
        let dst = self.fresh();
        self.push(Instr::Spawn {
            dst: Some(dst),
            function: function.into(),
            args: args.to_vec(),
            drains: true,
        });
        dst
    }

    pub fn join(&mut self, handle: impl Into<Operand>) {
        self.push(Instr::Join { dst: None, handle: handle.into() });
    }

    pub fn assume(&mut self, condition: impl Into<Operand>) {
        self.push(Instr::Assume { condition: condition.into() });
    }

    pub fn assert(&mut self, condition: impl Into<Operand>, message: &str) {
        self.push(Instr::Assert { condition: condition.into(), message: message.to_string() });
    }

    pub fn fail(&mut self, failure: Failure) {
        self.push(Instr::Fail { failure });
    }

    /// Blocks until one of the last `reads` read-like events makes `condition` true.
    pub fn wait(&mut self, condition: impl Into<Operand>, reads: u32) {
        self.push(Instr::Await { condition: condition.into(), reason: AwaitReason::Wait, reads });
    }

    pub fn lock(&mut self, mutex: impl Into<Operand>) {
        self.push(Instr::Lock { mutex: mutex.into(), kind: LockKind::Mutex });
    }

    pub fn unlock(&mut self, mutex: impl Into<Operand>) {
        self.push(Instr::Unlock { mutex: mutex.into(), kind: LockKind::Mutex });
    }
}
