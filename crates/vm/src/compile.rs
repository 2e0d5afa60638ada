//! From a checked module to the dense form.

use std::collections::HashMap;

use crate::allocate::Assignment;
use crate::check::FRAME_LIMIT;
use crate::claims;
use crate::code::{
    CONST, Code, FunctionCode, Index, LOOP_HEADER, LoopCode, Op, PrivateMemory, PrivateSlot, STATE_HEADER,
    SwitchCode,
};
use crate::fixed::Fixed;
use crate::flow::{self, Liveness, Loop};
use crate::globals::{Globals, function_address};
use crate::instr::Instr;
use crate::ir::{Function, FunctionId, GlobalId, Module, Operand, Reg, SlotId, SlotKind, Target};
use crate::layout::{OBJECT_ALIGN, align_up};
use crate::private::PAGE_BYTES;
use crate::tries;
use crate::turns::{Carried, Turn, turns};
use crate::twins;
use crate::vm::{Buffering, Config};
use crate::writers::own_globals;
use atropos_event::Diagnostic;

pub fn compile(
    module: &Module,
    globals: &Globals,
    main: FunctionId,
    config: &Config,
) -> Result<Code, Diagnostic> {
    let statements = || module.functions.iter().flat_map(|function| &function.body);
    let has_sections = statements().any(|s| matches!(s.instr, Instr::EnterSection));
    let hides_locks = tries::hides_locks(module);
    let tries = statements().any(|s| matches!(s.instr, Instr::TryLock { .. }));
    let mut code = Code {
        functions: Vec::new(),
        main: main.0,
        has_sections,
        hides_locks: hides_locks && !tries,
        shows_locks_to_tries: hides_locks
            && tries
            && !has_sections
            && config.detect_spin
            && config.cuts_retries,
        shows: statements().any(|s| matches!(s.instr, Instr::Print { .. })),
        ends_thread_locals: module.globals.iter().any(|global| global.thread_local && global.escapes),
        keeps_returns: statements().any(|s| matches!(s.instr, Instr::Join { dst: Some(_), .. })),
        has_private: module
            .functions
            .iter()
            .flat_map(|function| &function.slots)
            .any(|slot| slot.kind != SlotKind::Shared),
        n_loops: 0,
        forgets: false,
        anonymous: twins::anonymous(module),
    };
    let has_claims = config.claims && claims::are_needed(module);
    let rules = TranslationRules { has_claims, buffering: config.buffering };
    let own_globals = own_globals(module, main);
    for function in &module.functions {
        let compiler = Compiler::new((globals, &own_globals), function, code.n_loops, rules);
        let function = compiler.run()?;
        code.n_loops += function.loops.len();
        code.forgets |= function.forgets;
        code.functions.push(function);
    }
    Ok(code)
}

/// The place of a slot of the function.
enum SlotPlace {
    /// The word that holds its address.
    Shared(Index),
    /// Its offset in the private memory of the frame.
    Private(u64),
}

/// Translates one function. Jumps are first emitted with the index of their target statement.
pub(crate) struct Compiler<'m> {
    globals: &'m Globals,
    /// The globals that only one thread writes to.
    own_globals: &'m [bool],
    function: &'m Function,
    loops: Vec<Loop>,
    turns: Vec<Turn>,
    first_loop: usize,
    liveness: Liveness,
    assignment: Assignment,
    slots: Vec<SlotPlace>,
    const_index: HashMap<u64, Index>,
    /// The statement being translated.
    at: usize,
    temporaries: Temporaries,
    pub(crate) rules: TranslationRules,
    pub(crate) code: FunctionCode,
}

/// The words that keep what a retry's compare-and-swap has seen, and what the cell holds that carries the value.
#[derive(Clone, Copy)]
struct Mirror {
    seen: Index,
    cell: Option<Index>,
}

/// The next free temporary, and the end of all of them in the frame.
struct Temporaries {
    next: usize,
    end: usize,
}

/// What is translated differently for some models and programs.
#[derive(Clone, Copy)]
pub(crate) struct TranslationRules {
    /// Joins and detaches are recorded in shared memory.
    pub has_claims: bool,
    pub buffering: Buffering,
}

impl<'m> Compiler<'m> {
    fn new(
        (globals, own_globals): (&'m Globals, &'m [bool]),
        function: &'m Function,
        first_loop: usize,
        rules: TranslationRules,
    ) -> Self {
        let liveness = Liveness::of(function);
        let assignment = Assignment::of(function, &liveness);
        let code = FunctionCode {
            ops: Vec::new(),
            origins: Vec::new(),
            consts: Vec::new(),
            args: Vec::new(),
            switches: Vec::new(),
            loops: Vec::new(),
            n_params: function.n_params as usize,
            n_required: (function.n_params - function.n_optional) as usize,
            frame_size: 0,
            forgets: false,
            shared_slots: Vec::new(),
            private: PrivateMemory {
                pages_at: 0,
                slots: Vec::new(),
                size: 0,
                align: PAGE_BYTES,
                shadow_at: 0,
            },
        };
        let end = assignment.end;
        let loops = flow::loops(function);
        let fixed = Fixed::of(function, &loops, &liveness);
        Compiler {
            globals,
            own_globals,
            function,
            turns: turns(function, &loops, &liveness, &fixed),
            loops,
            first_loop,
            liveness,
            assignment,
            slots: Vec::new(),
            const_index: HashMap::new(),
            at: 0,
            temporaries: Temporaries { next: end, end },
            rules,
            code,
        }
    }

    fn run(mut self) -> Result<FunctionCode, Diagnostic> {
        self.place_slots();
        let mirrors = self.mirrors();
        let global_mirrors = self.global_mirrors();
        let first_temporary = self.temporaries.next;
        let mut starts = Vec::with_capacity(self.function.body.len());
        for (at, statement) in self.function.body.iter().enumerate() {
            self.at = at;
            self.temporaries.next = first_temporary;
            starts.push(self.loop_head(at));
            self.instr(&statement.instr);
            self.follow_up(&statement.instr, &mirrors);
            self.mirror_global(&statement.instr, &global_mirrors);
        }
        self.resolve_jumps(&starts);
        self.finish_frame(&mirrors, &global_mirrors)
    }

    /// For each loop, the globals that only one thread writes to and that it stores to, each with two words.
    fn global_mirrors(&mut self) -> Vec<Vec<(GlobalId, Index)>> {
        let stored = |l: &Loop| -> Vec<GlobalId> {
            let body = self.function.body.iter().enumerate().filter(|&(at, _)| l.contains(at));
            let stored = body.filter_map(|(_, statement)| match statement.instr {
                Instr::Store { addr: Operand::Global(id), .. } => Some(id),
                _ => None,
            });
            let mut stored: Vec<_> = stored.filter(|id| self.own_globals[id.index()]).collect();
            stored.dedup();
            stored
        };
        let compared = self.loops.iter().zip(&self.turns);
        let stored: Vec<_> =
            compared.map(|(l, turn)| if turn.counts { Vec::new() } else { stored(l) }).collect();
        let mut words = |id| {
            let value = self.new_temporary();
            self.new_temporary();
            (id, value)
        };
        stored.into_iter().map(|ids| ids.into_iter().map(&mut words).collect()).collect()
    }

    /// Notes what an access says about such a global.
    fn mirror_global(&mut self, instr: &Instr, mirrors: &[Vec<(GlobalId, Index)>]) {
        let (global, value, size, stores) = match *instr {
            Instr::Load { dst, addr: Operand::Global(id), size, .. } => (id, Operand::Reg(dst), size, false),
            Instr::Store { addr: Operand::Global(id), value, size, .. } => (id, value, size, true),
            _ => return,
        };
        for (index, mirrors) in mirrors.iter().enumerate() {
            let mirror = mirrors.iter().find(|&&(id, _)| id == global && self.loops[index].contains(self.at));
            if let Some(&(_, mirror)) = mirror {
                let value = self.operand(value);
                self.emit(Op::Mirror { index: index as u32, value, mirror, size, stores });
            }
        }
    }

    /// Words for what loops must know at their turning points, besides registers.
    fn mirrors(&mut self) -> Vec<Option<Mirror>> {
        let retries: Vec<_> = self.turns.iter().map(|turn| turn.retry).collect();
        let mut mirror = |retry: crate::turns::Retry| Mirror {
            seen: self.new_temporary(),
            cell: matches!(retry.carried, Carried::OwnCell(_)).then(|| self.new_temporary()),
        };
        retries.into_iter().map(|retry| retry.map(&mut mirror)).collect()
    }

    /// What loops note after the statement being translated.
    fn follow_up(&mut self, instr: &Instr, mirrors: &[Option<Mirror>]) {
        for (index, mirror) in mirrors.iter().enumerate() {
            let turn = &self.turns[index];
            let (retry, writes_cell) = (turn.retry, turn.cell_stores.contains(&self.at));
            let forgotten = turn.forgotten.iter().find(|forgotten| forgotten.store == self.at).copied();
            if let (Some(mirror), Some(retry)) = (mirror, retry.filter(|retry| retry.cas == self.at)) {
                self.emit(Op::Move { dst: mirror.seen, value: self.assignment.word(retry.seen) as Index });
            }
            let &Instr::Store { addr, value, .. } = instr else { continue };
            if let Some(cell) = mirror.and_then(|mirror| mirror.cell).filter(|_| writes_cell) {
                let value = self.operand(value);
                self.emit(Op::Move { dst: cell, value });
            }
            if let Some(forgotten) = forgotten {
                let addr = self.operand(addr);
                let besides = self.operand(forgotten.besides.unwrap_or(Operand::Const(0)));
                self.emit(Op::Forget { index: index as u32, addr, besides });
                self.code.forgets = true;
            }
        }
    }

    /// Places each slot, and allocates the shared ones first.
    fn place_slots(&mut self) {
        for slot in &self.function.slots {
            let place = if slot.kind == SlotKind::Shared {
                let word = self.new_temporary();
                let size = self.constant(slot.size);
                let align = self.constant(slot.align);
                self.code.shared_slots.push(word);
                let kind = atropos_event::AllocKind::Stack;
                self.emit(Op::Alloc { dst: word, size, align, kind, zeroed: false });
                SlotPlace::Shared(word)
            } else {
                let align = slot.align.max(OBJECT_ALIGN);
                self.code.private.align = self.code.private.align.max(align);
                let offset = align_up(self.code.private.size, align);
                self.code.private.slots.push(PrivateSlot { offset, size: slot.size, kind: slot.kind });
                self.code.private.size = align_up(offset + slot.size + OBJECT_ALIGN, OBJECT_ALIGN);
                SlotPlace::Private(offset)
            };
            self.slots.push(place);
        }
        self.code.private.shadow_at = self.code.private.size;
        if self.function.slots.iter().any(|slot| slot.kind == SlotKind::Fresh) {
            self.code.private.size += align_up(self.code.private.shadow_at, 64) / 8;
        }
        self.code.private.size = align_up(self.code.private.size, PAGE_BYTES);
    }

    /// Frees the shared slots, last one first, before a function returns.
    pub(crate) fn free_slots(&mut self) {
        for slot in (0..self.slots.len()).rev() {
            if let SlotPlace::Shared(addr) = self.slots[slot] {
                self.emit(Op::Free { addr, kind: atropos_event::AllocKind::Stack });
            }
        }
    }

    /// Emits the code before a loop head or turning point, and returns the start of the statement for jumps that enter
    /// the loop. Jumps that repeat the loop go to the next operation.
    fn loop_head(&mut self, at: usize) -> u32 {
        let Some(index) = self.loops.iter().position(|l| l.head == at) else {
            let start = self.code.ops.len() as u32;
            for index in 0..self.turns.len() {
                if self.turns[index].at == at {
                    self.emit(Op::LoopTurn { index: index as u32 });
                }
            }
            return start;
        };
        let falls_in = at > 0 && self.function.body[at - 1].instr.falls_through();
        if falls_in && self.loops[index].contains(at - 1) {
            self.emit(Op::Jump { to: at as u32 });
            *self.code.origins.last_mut().expect("just emitted") = at as u32 - 1;
        }
        let start = self.code.ops.len() as u32;
        self.emit(Op::LoopEnter { index: index as u32 });
        self.emit(Op::LoopRepeat { index: index as u32 });
        start
    }

    fn resolve_jumps(&mut self, starts: &[u32]) {
        let loops = &self.loops;
        let resolve = |from: u32, to: &mut u32| {
            let repeats = loops.iter().any(|l| l.head == *to as usize && l.contains(from as usize));
            *to = starts[*to as usize] + u32::from(repeats);
        };
        let code = &mut self.code;
        for (op, &origin) in code.ops.iter_mut().zip(&code.origins) {
            match op {
                Op::Jump { to }
                | Op::JumpIf { to, .. }
                | Op::JumpUnless { to, .. }
                | Op::CompareJump { to, .. } => resolve(origin, to),
                Op::Switch { table, .. } => {
                    let table = &mut code.switches[*table as usize];
                    table.cases.iter_mut().for_each(|(_, to)| resolve(origin, to));
                    resolve(origin, &mut table.default);
                }
                _ => {}
            }
        }
    }

    /// Lays out loop records and private pages after the registers and temporaries.
    fn finish_frame(
        mut self,
        mirrors: &[Option<Mirror>],
        global_mirrors: &[Vec<(GlobalId, Index)>],
    ) -> Result<FunctionCode, Diagnostic> {
        if self.temporaries.end >= FRAME_LIMIT * 2 || self.code.consts.len() >= FRAME_LIMIT * 2 {
            let name = &self.function.name;
            let message = format!("in function `{name}`: too many registers or constants for one frame");
            return Err(Diagnostic::error(message));
        }
        let mut end = self.temporaries.end;
        for (index, (l, turn)) in self.loops.iter().zip(&self.turns).enumerate() {
            let word = |reg| self.assignment.word(reg) as Index;
            let mirror = mirrors[index];
            let cell = mirror.and_then(|mirror| mirror.cell);
            let live = self.liveness.before(turn.at).filter(|_| !turn.counts);
            let live: Vec<Index> = live.map(word).chain(cell).collect();
            let carried = |carried| match carried {
                Carried::Register(reg) => Some(word(reg)),
                Carried::OwnCell(_) => cell,
            };
            let retry = turn.retry.and_then(|retry| Some((carried(retry.carried)?, mirror?.seen)));
            let (id, record) = ((self.first_loop + index) as u32, end);
            end += LOOP_HEADER + if turn.counts { 0 } else { 2 * (STATE_HEADER + live.len()) };
            self.code.loops.push(LoopCode {
                id,
                record,
                live,
                retry,
                mirrors: global_mirrors[index].iter().map(|&(_, mirror)| mirror).collect(),
                begins_outside: turn.begins_outside && self.loads_shared_global(turn.at),
                turns_at_head: turn.at == l.head,
                counts: turn.counts,
                head: l.head as u32,
                bound: None,
            });
        }
        self.code.private.pages_at = end;
        self.code.frame_size = end + (self.code.private.size / PAGE_BYTES) as usize;
        Ok(self.code)
    }

    /// Whether the statement is a load that always makes an event.
    fn loads_shared_global(&self, at: usize) -> bool {
        match self.function.body[at].instr {
            Instr::Load { addr, size, .. } => self.is_known(addr, size),
            _ => false,
        }
    }

    pub(crate) fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.origins.push(self.at as u32);
    }

    /// Fuses a comparison with the branch on its result that follows it, if no jump leads between them. The operation
    /// counts as the branch.
    pub(crate) fn fuse_comparison(&mut self, condition: Index, when: bool, to: u32) -> bool {
        let at = self.at as u32;
        let is_target = self.function.targets.iter().any(|target| target.at == at);
        let Some(Op::Compare { test, width, dst, left, right }) = self.code.ops.last().copied() else {
            return false;
        };
        if is_target || dst != condition {
            return false;
        }
        self.code.ops.pop();
        self.code.origins.pop();
        self.emit(Op::CompareJump { test, width, dst, left, right, when, to });
        true
    }

    pub(crate) fn constant(&mut self, value: u64) -> Index {
        let next = self.code.consts.len();
        let index = *self.const_index.entry(value).or_insert((next % usize::from(CONST)) as Index + CONST);
        if usize::from(index - CONST) == next {
            self.code.consts.push(value);
        }
        index
    }

    pub(crate) fn new_temporary(&mut self) -> Index {
        self.temporaries.next += 1;
        self.temporaries.end = self.temporaries.end.max(self.temporaries.next);
        (self.temporaries.next - 1) as Index
    }

    /// The index of an operand; addresses that depend on thread or frame are computed before its use.
    pub(crate) fn operand(&mut self, operand: Operand) -> Index {
        match operand {
            Operand::Reg(reg) => self.assignment.word(reg) as Index,
            Operand::Const(value) => self.constant(value),
            Operand::Function(id) => self.constant(function_address(id)),
            Operand::Slot(id) => self.slot(id),
            Operand::Global(id) => {
                let object = self.globals.object(id);
                let addr = self.constant(object.addr);
                if !object.thread_local {
                    return addr;
                }
                let dst = self.new_temporary();
                self.emit(Op::ThreadLocalAddress { dst, offset: addr });
                dst
            }
        }
    }

    fn slot(&mut self, id: SlotId) -> Index {
        match self.slots[id.index()] {
            SlotPlace::Shared(word) => word,
            SlotPlace::Private(offset) => {
                let offset = self.constant(offset);
                let dst = self.new_temporary();
                self.emit(Op::PrivateAddress { dst, offset });
                dst
            }
        }
    }

    pub(crate) fn result(&mut self, reg: Reg) -> Index {
        self.assignment.word(reg) as Index
    }

    /// The word for a result, or a word that is never read.
    pub(crate) fn optional_result(&mut self, reg: Option<Reg>) -> Index {
        match reg {
            Some(reg) => self.result(reg),
            None => self.new_temporary(),
        }
    }

    /// Whether an access needs no check when it runs.
    pub(crate) fn is_known(&self, addr: Operand, size: u8) -> bool {
        let Operand::Global(id) = addr else { return false };
        let object = self.globals.object(id);
        !object.constant && !object.thread_local && object.contains(object.addr, u64::from(size))
    }

    pub(crate) fn target(&self, target: Target) -> u32 {
        self.function.targets[target.index()].at
    }

    pub(crate) fn args(&mut self, args: &[Operand]) -> (u32, u16) {
        let indices: Vec<Index> = args.iter().map(|&arg| self.operand(arg)).collect();
        let start = self.code.args.len() as u32;
        self.code.args.extend(indices);
        (start, args.len() as u16)
    }

    pub(crate) fn switch(&mut self, table: SwitchCode) -> u32 {
        self.code.switches.push(table);
        self.code.switches.len() as u32 - 1
    }
}
