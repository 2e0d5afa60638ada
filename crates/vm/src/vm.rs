//! A module ready to run: a [`Program`] for explorers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, RwLock, RwLockReadGuard};

use atropos_event::shape::Named;
use atropos_event::{
    Access, Addr, AllocKind, BlockReason, BoundedLoop, Diagnostic, Diagnostics, Gap, Initial, Label,
    MixedCell, Place, Program, Refusal, RefusalReason, Run, SourceLocation, Step, ThreadKey,
};

use crate::bounds::{self, LoopBound, LoopNotes};
use crate::check;
use crate::code::Code;
use crate::compile;
use crate::fault::Fault;
use crate::globals::{Globals, function_at};
use crate::instr::Instr;
use crate::ir::{FunctionId, GlobalId, Module, Operand};
use crate::layout::{FUNCTION_BASE, Part, ThreadRegion, is_zeroed};
use crate::overlaps::Overlaps;
use crate::run::VmRun;
use crate::sections::Sections;
use crate::tested::{self, Need};
use crate::text;
use crate::unchanged::Unchanged;
use crate::unused::{self, Fate};

#[derive(Clone, Debug)]
pub struct Config {
    /// The function that the main thread runs.
    pub entry: String,
    /// How many times a loop may repeat before its thread blocks. A loop with at most that many iterations is not
    /// affected.
    pub unroll: Option<u32>,
    /// Other bounds for some loops.
    pub loop_bounds: Vec<LoopBound>,
    /// Block a thread whose loop iteration changed nothing.
    pub detect_spin: bool,
    /// Block a thread whose compare-and-swap would try again with the value it saw: see [`crate::turns`].
    pub cuts_retries: bool,
    /// How many backward jumps and calls a thread may make between two labels.
    pub budget: u64,
    /// How deeply calls may nest.
    pub max_frames: u32,
    /// The store buffers of the modelled machine.
    pub buffering: Buffering,
    /// Plain accesses race with atomic sections instead of waiting for them.
    pub races_on_plain: bool,
    /// Treat plain accesses as relaxed ones.
    pub plain_as_relaxed: bool,
    /// Detect that two threads join or detach the same thread, at the price of events ([`crate::claims`]).
    pub claims: bool,
    /// Call the children of the main thread P0, P1, and so on, as litmus tests do.
    pub numbers_threads: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            entry: "main".to_string(),
            unroll: None,
            loop_bounds: Vec::new(),
            detect_spin: true,
            cuts_retries: true,
            budget: 10_000_000,
            max_frames: 10_000,
            buffering: Buffering::None,
            races_on_plain: false,
            plain_as_relaxed: false,
            claims: false,
            numbers_threads: false,
        }
    }
}

/// The store buffers of the modelled machine. Unlocking a mutex (not a spin lock) is an exchange in the C library, so it
/// is a barrier. A barrier on memory that no other thread can see makes no access, so it must make a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Buffering {
    /// None, or the model uses the program's orders only.
    #[default]
    None,
    /// Sequentially consistent stores drain them.
    Ordered,
    /// Only fences and read-modify-writes drain them.
    Fenced,
}

/// A program in the machine.
pub struct Vm {
    pub(crate) module: Module,
    pub(crate) config: Config,
    pub(crate) globals: Globals,
    pub(crate) code: Code,
    /// By number of the loop.
    pub(crate) loops: Vec<LoopNotes>,
    /// Whether some run has been cut short by a bound.
    pub(crate) was_cut: AtomicBool,
    /// Whether a thread was stopped that would have tried again.
    pub(crate) was_cut_at_retry: AtomicBool,
    /// The bytes that atomic sections access.
    pub(crate) sections: RwLock<Arc<Sections>>,
    pub(crate) unchanged: Unchanged,
    /// Learned by `split`.
    overlaps: RwLock<Overlaps>,
    /// By function: what becomes of results, computed when a search asks.
    fates: Vec<OnceLock<Vec<Fate>>>,
    /// The same for results that are compared.
    needs: Vec<OnceLock<Vec<Need>>>,
    /// By function: whether threads arrive at a barrier there.
    pub(crate) has_rounds: Vec<bool>,
    has_heap: bool,
}

impl Vm {
    /// A fresh run, as [`Program::start`], whose type the explorers can be compiled for.
    pub fn start_run(&self) -> VmRun<'_> {
        VmRun::new(self, self.overlaps().clone())
    }

    /// # Errors
    /// The module is not well-formed or has no entry function.
    pub fn new(module: Module, config: Config) -> Result<Vm, Diagnostics> {
        let problems = check::check(&module);
        if !problems.is_empty() {
            return Err(Diagnostics(problems));
        }
        let entry = module.function(&config.entry).ok_or_else(|| {
            let message = format!("there is no function `{}` to start with", config.entry);
            Diagnostic::error(message)
        })?;
        let globals = Globals::place(&module);
        let mut code = compile::compile(&module, &globals, entry, &config)?;
        bounds::settle(&mut code, &module, &config);
        let loops = (0..code.n_loops).map(|_| LoopNotes::default()).collect();
        let (was_cut, was_cut_at_retry) = (AtomicBool::new(false), AtomicBool::new(false));
        let (sections, overlaps) = (RwLock::default(), RwLock::default());
        let fates = module.functions.iter().map(|_| OnceLock::new()).collect();
        let needs = module.functions.iter().map(|_| OnceLock::new()).collect();
        let has_rounds = module.functions.iter().map(unused::has_round).collect();
        let mut statements = module.functions.iter().flat_map(|function| &function.body);
        let has_heap =
            statements.any(|statement| matches!(statement.instr, Instr::Alloc { kind: AllocKind::Heap, .. }));
        let unchanged = Unchanged::default();
        Ok(Vm {
            module,
            config,
            globals,
            code,
            loops,
            was_cut,
            was_cut_at_retry,
            sections,
            unchanged,
            overlaps,
            fates,
            needs,
            has_rounds,
            has_heap,
        })
    }

    /// What becomes of the results of the statements of a function.
    pub(crate) fn fates(&self, function: usize) -> &[Fate] {
        self.fates[function].get_or_init(|| unused::fates(&self.module.functions[function]))
    }

    /// What is needed of the results of the statements of a function.
    pub(crate) fn needs(&self, function: usize) -> &[Need] {
        self.needs[function].get_or_init(|| tested::needs(&self.module.functions[function]))
    }

    pub fn module(&self) -> &Module {
        &self.module
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The address of the global `id`; for a thread-local one, that of the main thread.
    pub fn global_addr(&self, id: GlobalId) -> Addr {
        let object = self.globals.object(id);
        let main = ThreadRegion::of_key(ThreadKey::MAIN).expect("the main thread has a region");
        Addr(if object.thread_local { main.thread_local(object.addr) } else { object.addr })
    }

    pub(crate) fn overlaps(&self) -> RwLockReadGuard<'_, Overlaps> {
        self.overlaps.read().expect("no thread panics with this lock")
    }

    pub(crate) fn with_overlaps(&self, change: impl FnOnce(&mut Overlaps)) {
        change(&mut self.overlaps.write().expect("no thread panics with this lock"));
    }

    pub(crate) fn sections(&self) -> Arc<Sections> {
        self.sections.read().expect("no thread panics with this lock").clone()
    }

    /// Learns that an access is made in a section.
    pub(crate) fn learn_section(&self, label: &Label) {
        let mut sections = self.sections.write().expect("no thread panics with this lock");
        Arc::make_mut(&mut sections).learn(label);
    }

    /// Learns from two accesses of a run that knew `known`, if they overlap partially.
    pub(crate) fn learn(&self, known: &Overlaps, first: Access, second: Access) -> bool {
        let is_partial = first.cell() != second.cell() && first.overlaps(second);
        if is_partial {
            self.with_overlaps(|overlaps| overlaps.learn(known, first, second));
        }
        is_partial
    }

    /// Takes over what another machine has learned about accesses that overlap and about atomic sections, if its program
    /// makes the same accesses.
    pub fn learn_from(&self, other: &Vm) {
        let (overlaps, sections) = (other.overlaps().clone(), other.sections());
        *self.overlaps.write().expect("no thread panics with this lock") = overlaps;
        *self.sections.write().expect("no thread panics with this lock") = sections;
    }

    pub(crate) fn note_retry(&self) {
        if !self.was_cut_at_retry.load(Ordering::Relaxed) {
            self.was_cut_at_retry.store(true, Ordering::Relaxed);
        }
    }

    /// What a thread does that has this fault.
    pub(crate) fn step_of(&self, fault: Fault) -> Step {
        if fault == Fault::NoLabelInSight && self.config.unroll.is_some() {
            self.note_cut();
            Step::Blocked(BlockReason::Bound)
        } else if fault.is_violation() {
            Step::Failed
        } else {
            Step::Unsupported
        }
    }

    pub(crate) fn note_cut(&self) {
        self.was_cut.store(true, Ordering::Relaxed);
    }

    /// Whether a statement comes from a library that the user has not written.
    pub(crate) fn is_in_library(&self, function: FunctionId, at: usize) -> bool {
        let source = self.module.functions[function.index()].body[at].source;
        source.is_some_and(|id| self.module.sources[id.index()].in_library)
    }

    /// The source location and text of a statement.
    pub(crate) fn place_of(&self, function: FunctionId, at: usize) -> Place {
        let function = &self.module.functions[function.index()];
        let statement = &function.body[at];
        let source = statement.source.map(|id| &self.module.sources[id.index()]);
        let location = source.filter(|source| !source.file.is_empty()).map(|source| SourceLocation {
            file: source.file.clone(),
            line: source.line,
            column: source.column,
        });
        let text = source.map(|source| source.text.as_str()).filter(|text| !text.is_empty());
        let text =
            text.map_or_else(|| text::instr_text(&self.module, function, &statement.instr), String::from);
        let shape = source.and_then(|source| source.object.clone());
        let object = shape.map(|shape| Named { name: String::new(), shape });
        Place { source: location, text, object, library: None }
    }

    fn name_in(&self, id: GlobalId, offset: u64, size: u64) -> String {
        let global = &self.module.globals[id.index()];
        let element = u64::from(global.element);
        if let Some(shape) = &global.shape {
            return format!("{}{}", global.name, shape.path_of(offset, size));
        }
        if offset >= global.size() {
            format!("{}+{offset}", global.name)
        } else if global.count == 1 && offset == 0 {
            global.name.clone()
        } else if global.count > 1 && element > 1 && offset.is_multiple_of(element) {
            format!("{}[{}]", global.name, offset / element)
        } else {
            format!("{}+{offset}", global.name)
        }
    }
}

impl Program for Vm {
    fn start(&self) -> Box<dyn Run + '_> {
        Box::new(self.start_run())
    }

    fn initial(&self, access: Access) -> Initial {
        let addr = access.addr.0;
        if addr < FUNCTION_BASE {
            let object = self.globals.at(addr).map(|id| self.globals.object(id));
            return match object.filter(|object| object.contains(addr, u64::from(access.size))) {
                Some(object) => Initial::Value(object.initial(addr, access.size)),
                None => Initial::Uninitialised,
            };
        }
        match ThreadRegion::of_addr(addr).map(|region| region.part(addr)) {
            Some(Part::Control(offset)) if offset < ThreadRegion::THREAD_LOCALS => Initial::Value(0),
            Some(Part::Control(offset)) => {
                let offset = offset - ThreadRegion::THREAD_LOCALS;
                let object = self.globals.thread_local_at(offset).map(|id| self.globals.object(id));
                match object.filter(|object| object.contains(offset, u64::from(access.size))) {
                    Some(object) => Initial::Value(object.initial(offset, access.size)),
                    None => Initial::Uninitialised,
                }
            }
            _ => Initial::Uninitialised,
        }
    }

    fn has_cells(&self) -> bool {
        self.overlaps().has_cells()
    }

    fn name_of(&self, addr: Addr) -> String {
        self.name_at(addr.0, 0)
    }

    fn name_of_access(&self, access: Access) -> String {
        self.name_at(access.part().addr.0, u64::from(access.part().size))
    }

    fn name_of_thread(&self, thread: ThreadKey, rank: usize) -> String {
        match thread.path()[..] {
            [] => "main".to_string(),
            [nth] if self.config.numbers_threads => format!("P{}", nth - 1),
            _ => format!("t{rank}"),
        }
    }

    fn has_heap(&self) -> bool {
        self.has_heap
    }

    fn is_zeroed(&self, addr: Addr) -> bool {
        is_zeroed(addr.0)
    }

    fn is_global(&self, addr: Addr) -> bool {
        let main = ThreadRegion::of_key(ThreadKey::MAIN).expect("the main thread has a region");
        let is_main = |addr: u64| {
            ThreadRegion::of_addr(addr) == Some(main)
                && matches!(main.part(addr), Part::Control(offset) if offset >= ThreadRegion::THREAD_LOCALS)
        };
        addr.0 < FUNCTION_BASE || is_main(addr.0)
    }

    fn was_cut(&self) -> bool {
        self.was_cut.load(Ordering::Relaxed)
    }

    fn was_cut_at_retry(&self) -> bool {
        self.was_cut_at_retry.load(Ordering::Relaxed)
    }

    fn bounded_loops(&self) -> Vec<BoundedLoop> {
        self.places_of_bounded_loops()
    }

    fn longest_loop(&self) -> Option<(Place, u64)> {
        self.place_of_longest_loop()
    }

    fn mixed_cells(&self) -> Vec<MixedCell> {
        let overlaps = self.overlaps();
        let cells = overlaps.cells().map(|cell| {
            let met = cell.parts_met();
            let parts = met.iter().map(|&(size, _)| size).collect();
            let (function, at) = met.first()?.1;
            let name = self.name_of_access(cell.access);
            let place = self.place_of(FunctionId(function), at as usize);
            Some(MixedCell { name, size: cell.access.size, parts, place, mixing: cell.notes.mixing() })
        });
        cells.flatten().collect()
    }

    /// The user's own statements that cannot run, and calls of functions that cannot.
    fn lessons(&self) -> String {
        self.lessons_as_words()
    }

    fn notes(&self) -> String {
        self.notes_as_words()
    }

    fn recall(&self, word: &str) -> Option<()> {
        self.recall_word(word)
    }

    fn not_modelled(&self) -> Vec<Refusal> {
        fn gap(instr: &Instr) -> Option<&Gap> {
            match instr {
                Instr::Unsupported { gap } => Some(gap),
                _ => None,
            }
        }
        let mut refusals = Vec::new();
        for (index, function) in self.module.functions.iter().enumerate() {
            for (at, statement) in function.body.iter().enumerate() {
                let gap = match &statement.instr {
                    Instr::Call { function: Operand::Function(id), .. } => {
                        let first = self.module.functions[id.index()].body.first();
                        first.filter(|first| first.source.is_none()).and_then(|first| gap(&first.instr))
                    }
                    instr => gap(instr),
                };
                let id = FunctionId(index as u32);
                let Some(gap) = gap.filter(|_| statement.source.is_some() && !self.is_in_library(id, at))
                else {
                    continue;
                };
                let reason = RefusalReason::NotModelled(gap.clone());
                refusals.push(Refusal { reason, place: Some(self.place_of(id, at)), inner: None });
            }
        }
        refusals
    }
}

impl Vm {
    /// The name of `size` bytes at `addr`, or of any number of bytes for 0.
    fn name_at(&self, addr: u64, size: u64) -> String {
        if let Some(function) = function_at(addr, self.module.functions.len()) {
            return self.module.functions[function as usize].name.clone();
        }
        if addr < FUNCTION_BASE {
            return match self.globals.at(addr) {
                Some(id) => self.name_in(id, addr - self.globals.object(id).addr, size),
                None => format!("{addr:#x}"),
            };
        }
        let Some(region) = ThreadRegion::of_addr(addr) else { return format!("{addr:#x}") };
        let owner = region.owner();
        match region.part(addr) {
            Part::Heap(offset) | Part::Zeroes(offset) => format!("heap {owner}+{offset:#x}"),
            Part::Private(offset) => format!("local {owner}+{offset:#x}"),
            Part::Control(0..8) => format!("return value of {owner}"),
            Part::Control(ThreadRegion::GUARD) => "atomic section".to_string(),
            Part::Control(ThreadRegion::OFFER) => format!("offer of {owner}"),
            Part::Control(32..40) => format!("life of {owner}"),
            Part::Control(offset) if offset < ThreadRegion::THREAD_LOCALS => format!("claim on {owner}"),
            Part::Control(offset) => {
                let offset = offset - ThreadRegion::THREAD_LOCALS;
                match self.globals.thread_local_at(offset) {
                    Some(id) => {
                        let name = self.name_in(id, offset - self.globals.object(id).addr, size);
                        format!("{name} of {owner}")
                    }
                    None => format!("{addr:#x}"),
                }
            }
        }
    }
}
