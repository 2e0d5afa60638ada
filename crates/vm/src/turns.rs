//! Where a loop compares its iterations, and what it need not compare.
//!
//! *The turning point.* [`crate::loops`] compares the state of the thread each time it passes a certain statement of
//! the loop. Any statement that every iteration passes would do. Of those that come before all accesses, the one with
//! the fewest live registers is best. `a = x; while (a != 0) a = x` has `a` alive at its head, but not before the load,
//! where one idle iteration looks like the next. The load before the loop does what the one in the loop does, so it
//! counts as an iteration.
//!
//! *Retries.* `r = x; while (!CAS(x, r, v)) r = <what the CAS saw>` has `r` alive everywhere. An iteration that fails
//! leaves the thread as if the load had seen what the compare-and-swap saw [ALGORITHMS §L.2]. This file decides which
//! loops have this form: the load is the last thing that happens before the loop, `r` alone depends on its value, and
//! the compare-and-swap is the last thing that happens in an iteration. Whether the rest is as it was, and `r` is what
//! was seen, shows at run time. Instead of a register, the value may live in a *cell* that no other thread knows yet, as
//! in `n->next = x; while (!CAS(x, &n->next, n))`.
//!
//! *Stores that are repeated.* A push writes `n->next` in each try. No other thread knows `n` before the push succeeds,
//! and the next try overwrites the field before anything reads it: so the store does not tell an iteration from the
//! next [ALGORITHMS §L.1].

use crate::counting::counts;
use crate::fixed::Fixed;
use crate::flow::{Liveness, Loop, successors};
use crate::instr::Instr;
use crate::ir::{Function, Operand, Reg};
use atropos_event::{ReadOrder, WriteOrder};

/// How the iterations of a loop are compared.
pub struct Turn {
    /// The statement at which they are.
    pub at: usize,
    /// The load before the loop counts as an iteration: see [`Flow::begins_outside`].
    pub begins_outside: bool,
    /// If the loop has the form of a retry; then `at` is the head.
    pub retry: Option<Retry>,
    /// Stores that do not tell one iteration from the next, if no other thread knows their memory.
    pub forgotten: Vec<Forgotten>,
    /// The stores to the cell that carries a value, of the whole function.
    pub cell_stores: Vec<usize>,
    /// The iterations need not be compared: see [`crate::counting`].
    pub counts: bool,
}

#[derive(Clone, Copy)]
pub struct Forgotten {
    pub store: usize,
    /// Others must know this address: it is read before the store is repeated.
    pub besides: Option<Operand>,
}

/// A loop whose iterations end with a compare-and-swap of what a load before the loop has read.
#[derive(Clone, Copy)]
pub struct Retry {
    /// The compare-and-swap, and its register for the value that it has seen.
    pub cas: usize,
    pub seen: Reg,
    pub carried: Carried,
}

/// The only thing that depends on what the load has seen when the loop is entered: it holds that value.
#[derive(Clone, Copy)]
pub enum Carried {
    Register(Reg),
    OwnCell(OwnCell),
}

/// Memory at a fixed distance from a fixed address.
#[derive(Clone, Copy, PartialEq)]
pub struct OwnCell {
    place: (Operand, i64),
    size: u8,
}

/// Stands for the content of the cell.
const CELL: Reg = Reg(u32::MAX);

/// How many statements are tried as turning points, and how many the search for a load or compare-and-swap passes.
const MOST: usize = 64;

/// The turns of all loops of a function.
pub fn turns(function: &Function, loops: &[Loop], liveness: &Liveness, fixed: &Fixed) -> Vec<Turn> {
    if loops.is_empty() {
        return Vec::new();
    }
    let n = function.body.len();
    let next: Vec<_> = (0..n).map(|at| successors(function, at)).collect();
    let mut before = vec![Vec::new(); n];
    for (at, next) in next.iter().enumerate() {
        next.iter().for_each(|&next: &usize| before[next].push(at));
    }
    let flow = Flow { function, loops, liveness, fixed, next, before };
    loops.iter().map(|l| flow.turn(l)).collect()
}

/// A function with the edges of its statements in both directions.
struct Flow<'a> {
    function: &'a Function,
    loops: &'a [Loop],
    liveness: &'a Liveness,
    fixed: &'a Fixed,
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

/// The registers that hold a value, and those computed from it.
#[derive(Default)]
struct Spread {
    copies: Vec<Reg>,
    derived: Vec<Reg>,
}

impl Flow<'_> {
    fn turn(&self, l: &Loop) -> Turn {
        let retry = self.retry(l);
        let at = if retry.is_some() { l.head } else { self.turning_point(l) };
        let mut forgotten = self.repeated_stores(l, at);
        let mut cell_stores = Vec::new();
        if let Some(Retry { carried: Carried::OwnCell(cell), .. }) = retry {
            cell_stores = (0..self.next.len()).filter(|&at| self.stored_cell(at) == Some(cell)).collect();
            let inside = cell_stores.iter().copied().filter(|&store| l.contains(store));
            forgotten.extend(inside.map(|store| Forgotten { store, besides: None }));
        }
        let begins_outside = at != l.head && self.begins_outside(l, at);
        if retry.is_none() && counts(self.function, l, self.liveness.before(at)) {
            let (forgotten, cell_stores) = (Vec::new(), Vec::new());
            return Turn { at: l.head, begins_outside: false, retry, forgotten, cell_stores, counts: true };
        }
        Turn { at, begins_outside, retry, forgotten, cell_stores, counts: false }
    }

    /// The stores to fixed addresses that every way from `point` passes before anything else reads that memory.
    fn repeated_stores(&self, l: &Loop, point: usize) -> Vec<Forgotten> {
        let mut found = Vec::new();
        for store in (0..self.next.len()).filter(|&at| l.contains(at)) {
            if let Some(cell) = self.stored_cell(store)
                && let Some(besides) = self.read_before(l, point, store, cell)
            {
                found.push(Forgotten { store, besides });
            }
        }
        found
    }

    /// The cell that a statement stores to, if its address is fixed.
    fn stored_cell(&self, at: usize) -> Option<OwnCell> {
        match self.function.body[at].instr {
            Instr::Store { size, addr, .. } => {
                let place = self.fixed.place(addr).filter(|(root, _)| matches!(root, Operand::Reg(_)))?;
                Some(OwnCell { place, size })
            }
            _ => None,
        }
    }

    /// Whether all ways from `point` lead to `store` through operations on registers and loads of other memory; if so,
    /// with the address of such memory, if it is not a global.
    fn read_before(&self, l: &Loop, point: usize, store: usize, cell: OwnCell) -> Option<Option<Operand>> {
        let (mut besides, mut reached, mut next) = (None, vec![point], 0);
        while let Some(&at) = reached.get(next) {
            next += 1;
            if at == store {
                continue;
            }
            if !l.contains(at) || reached.len() > MOST {
                return None;
            }
            match self.function.body[at].instr {
                Instr::Load { size, addr, .. } => match self.fixed.place(addr)? {
                    (Operand::Global(_), _) => {}
                    (root, offset) if root == cell.place.0 => {
                        let apart = offset.abs_diff(cell.place.1);
                        let width = if offset < cell.place.1 { size } else { cell.size };
                        if apart < u64::from(width) {
                            return None;
                        }
                    }
                    (root @ Operand::Reg(_), _) if besides.is_none_or(|known| known == root) => {
                        besides = Some(root);
                    }
                    _ => return None,
                },
                ref instr if !is_register_operation(instr) => return None,
                _ => {}
            }
            let more: Vec<_> = self.next[at].iter().copied().filter(|at| !reached.contains(at)).collect();
            reached.extend(more);
        }
        reached.contains(&store).then_some(besides)
    }

    fn turning_point(&self, l: &Loop) -> usize {
        let n_live = |at: usize| self.liveness.before(at).count();
        let at_head = n_live(l.head);
        let body = || (0..self.next.len()).filter(|&at| at != l.head && l.contains(at));
        // Where a jump leads into the middle, nothing else has reset the record of the loop.
        if body().any(|at| self.before[at].iter().any(|&from| !l.contains(from))) {
            return l.head;
        }
        let is_inner = |at: usize| {
            let inner = self.loops.iter().filter(|inner| inner.head != l.head && l.contains(inner.head));
            inner.into_iter().any(|inner| inner.contains(at))
        };
        let mut others: Vec<_> = self
            .reached_silently(l)
            .into_iter()
            .map(|at| (n_live(at), at))
            .filter(|&(n_live, at)| n_live < at_head && !is_inner(at))
            .collect();
        others.sort_unstable();
        let passed = others.into_iter().take(MOST).find(|&(_, at)| self.is_always_passed(l, at));
        passed.map_or(l.head, |(_, at)| at)
    }

    /// The statements of the loop that come before anything but operations on registers, on some way from the head.
    /// The first arrival there is as early as that at the head.
    fn reached_silently(&self, l: &Loop) -> Vec<usize> {
        let (mut reached, mut next) = (vec![l.head], 0);
        while let Some(&at) = reached.get(next) {
            next += 1;
            if is_register_operation(&self.function.body[at].instr) {
                let more = self.next[at].iter().filter(|&&at| l.contains(at));
                let more: Vec<_> = more.copied().filter(|at| !reached.contains(at)).collect();
                reached.extend(more);
            }
        }
        reached
    }

    /// Whether every way from the head back to the head passes `point`.
    fn is_always_passed(&self, l: &Loop, point: usize) -> bool {
        let mut is_seen = vec![false; self.next.len()];
        let mut open = vec![l.head];
        while let Some(at) = open.pop() {
            for &next in self.next[at].iter().filter(|&&next| next != point && l.contains(next)) {
                if next == l.head {
                    return false;
                }
                if !std::mem::replace(&mut is_seen[next], true) {
                    open.push(next);
                }
            }
        }
        true
    }

    /// Whether the loop can only be entered after a load like that at its turning point `at`, so that the thread is
    /// then as if it came from there. Nothing that lives from one iteration to the next is assigned in the loop,
    /// except for the value of the load.
    fn begins_outside(&self, l: &Loop, at: usize) -> bool {
        let Instr::Load { dst, size, order, addr } = self.function.body[at].instr else { return false };
        let [latch] =
            self.before[l.head].iter().copied().filter(|&from| l.contains(from)).collect::<Vec<_>>()[..]
        else {
            return false;
        };
        let Some((start, way)) = self.way_back(latch, |instr| matches!(instr, Instr::Load { .. }), None)
        else {
            return false;
        };
        let Some(Carried::Register(carried)) =
            self.sole_copy(dst, &way, l.head, None).filter(|_| start == at)
        else {
            return false;
        };
        let is_fixed = |reg: Reg| !self.is_assigned_in(l, Operand::Reg(reg));
        self.liveness.before(l.head).all(|reg| reg == carried || is_fixed(reg))
            && self.liveness.before(at).all(is_fixed)
            && self.is_entered_after_load(l, (addr, size, order), Carried::Register(carried), at)
    }

    /// How the loop is a retry, if it is one.
    fn retry(&self, l: &Loop) -> Option<Retry> {
        let by_register = || {
            let mut live = self.liveness.before(l.head).map(Carried::Register);
            live.find_map(|carried| self.retry_with(l, carried))
        };
        let by_cell = || {
            let stores = (0..self.next.len()).filter(|&at| l.contains(at));
            let mut cells = stores.filter_map(|at| self.stored_cell(at)).map(Carried::OwnCell);
            cells.find_map(|carried| self.retry_with(l, carried))
        };
        by_register().or_else(by_cell)
    }

    fn retry_with(&self, l: &Loop, carried: Carried) -> Option<Retry> {
        let cas = self.last_access(l, carried.cell())?;
        let Instr::Cas { old: Some(seen), addr, size, orders, .. } = self.function.body[cas].instr else {
            return None;
        };
        if carried.cell().is_some_and(|cell| cell.size != size) {
            return None;
        }
        let is_same = self.fixed.place(addr).is_some() || !self.is_assigned_in(l, addr);
        let is_entered = self.is_entered_after_load(l, (addr, size, orders.failure), carried, l.head);
        (is_same && is_entered).then_some(Retry { cas, seen, carried })
    }

    /// The statement that is the last one of each iteration to do more than operations on registers and on the cell.
    fn last_access(&self, l: &Loop, cell: Option<OwnCell>) -> Option<usize> {
        let (mut last, mut is_seen) = (None, vec![false; self.next.len()]);
        let mut open: Vec<usize> =
            self.before[l.head].iter().copied().filter(|&from| l.contains(from)).collect();
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut is_seen[at], true) {
                continue;
            }
            if !self.is_silent(at, cell) {
                if last.is_some_and(|last| last != at) {
                    return None;
                }
                last = Some(at);
            } else if at == l.head {
                return None;
            } else {
                open.extend(&self.before[at]);
            }
        }
        last
    }

    /// Whether every way into the loop is straight and begins with an atomic load of the same bytes, at most as strong as
    /// `order`; whether at the head `carried`, and no other live register, depends on what was loaded; and whether no
    /// register that is live at `at` is assigned on the way.
    fn is_entered_after_load(
        &self,
        l: &Loop,
        (addr, size, order): (Operand, u8, ReadOrder),
        carried: Carried,
        at: usize,
    ) -> bool {
        let mut entries = self.before[l.head].iter().filter(|&&from| !l.contains(from)).peekable();
        let is_load = |instr: &Instr| {
            matches!(*instr, Instr::Load { size: of, order: with, addr: from, .. }
                if of == size && self.is_same_address(from, addr) && with != ReadOrder::NotAtomic && with <= order)
        };
        let is_kept = |way: &[usize]| {
            let addr = Some(addr).filter(|&addr| self.fixed.place(addr).is_none());
            let mut kept = self.liveness.before(at).map(Operand::Reg).filter(|_| at != l.head).chain(addr);
            kept.all(|operand| !way.iter().any(|&at| self.assigns(at, operand)))
        };
        entries.peek().is_some()
            && entries.all(|&entry| {
                let Some((load, mut way)) = self.way_back(entry, is_load, carried.cell()) else {
                    return false;
                };
                let Instr::Load { dst, .. } = self.function.body[load].instr else { return false };
                let is_carried = match (self.sole_copy(dst, &way, l.head, carried.cell()), carried) {
                    (Some(Carried::Register(copy)), Carried::Register(carried)) => copy == carried,
                    (Some(Carried::OwnCell(_)), Carried::OwnCell(_)) => true,
                    _ => false,
                };
                way.push(load);
                is_carried && is_kept(&way)
            })
    }

    fn is_assigned_in(&self, l: &Loop, operand: Operand) -> bool {
        (0..self.next.len()).any(|at| l.contains(at) && self.assigns(at, operand))
    }

    fn is_same_address(&self, first: Operand, second: Operand) -> bool {
        first == second
            || self.fixed.place(first).is_some_and(|place| self.fixed.place(second) == Some(place))
    }

    /// Whether a statement does nothing but operations on registers, or a plain store to the cell.
    fn is_silent(&self, at: usize, cell: Option<OwnCell>) -> bool {
        let instr = &self.function.body[at].instr;
        let is_plain = matches!(instr, Instr::Store { order: WriteOrder::NotAtomic, .. });
        is_register_operation(instr) || (is_plain && cell.is_some() && self.stored_cell(at) == cell)
    }

    /// The statements between `last` and the last statement before that which `is_start`, in the order of execution.
    /// There is only one way from there, through operations on registers, and on the cell, without branches.
    fn way_back(
        &self,
        last: usize,
        is_start: impl Fn(&Instr) -> bool,
        cell: Option<OwnCell>,
    ) -> Option<(usize, Vec<usize>)> {
        let (mut at, mut way) = (last, Vec::new());
        while way.len() < MOST {
            if is_start(&self.function.body[at].instr) {
                way.reverse();
                return Some((at, way));
            }
            let [before] = self.before[at][..] else { return None };
            if !self.is_silent(at, cell) || self.next[at].len() > 1 {
                return None;
            }
            way.push(at);
            at = before;
        }
        None
    }

    /// The only live register at `head`, or the cell, that depends on `value`, if it is a copy, after `way` from where
    /// `value` is set.
    fn sole_copy(&self, value: Reg, way: &[usize], head: usize, cell: Option<OwnCell>) -> Option<Carried> {
        let mut spread = Spread { copies: vec![value], derived: Vec::new() };
        for &at in way {
            let is_cell = cell.is_some() && self.stored_cell(at) == cell;
            spread.pass(&self.function.body[at].instr, is_cell);
        }
        let live = |list: &[Reg]| -> Vec<Reg> {
            let registers = self.liveness.before(head).filter(|reg| list.contains(reg));
            registers.chain(list.iter().copied().filter(|&reg| reg == CELL)).collect()
        };
        match live(&spread.copies)[..] {
            _ if !live(&spread.derived).is_empty() => None,
            [CELL] => cell.map(Carried::OwnCell),
            [copy] if copy != CELL => Some(Carried::Register(copy)),
            _ => None,
        }
    }

    fn assigns(&self, at: usize, operand: Operand) -> bool {
        let mut assigns = false;
        self.function.body[at].instr.visit_results(&mut |reg| assigns |= operand == Operand::Reg(reg));
        assigns
    }
}

impl Carried {
    fn cell(self) -> Option<OwnCell> {
        match self {
            Carried::Register(_) => None,
            Carried::OwnCell(cell) => Some(cell),
        }
    }
}

impl Spread {
    /// `is_cell`: this is a store to the cell.
    fn pass(&mut self, instr: &Instr, is_cell: bool) {
        let (mut copies, mut derives) = (false, false);
        instr.visit_operands(&mut |operand| {
            if let Operand::Reg(reg) = operand {
                copies |= self.copies.contains(&reg);
                derives |= copies || self.derived.contains(&reg);
            }
        });
        let is_move = is_cell || matches!(instr, Instr::Move { .. });
        let mut assign = |reg: Reg| {
            self.copies.retain(|&copy| copy != reg);
            self.derived.retain(|&derived| derived != reg);
            if is_move && copies {
                self.copies.push(reg);
            } else if derives {
                self.derived.push(reg);
            }
        };
        instr.visit_results(&mut assign);
        if is_cell {
            assign(CELL);
        }
    }
}

/// Operations that only read and write registers.
fn is_register_operation(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::Move { .. }
            | Instr::Unary { .. }
            | Instr::Binary { .. }
            | Instr::Compare { .. }
            | Instr::Cast { .. }
            | Instr::Select { .. }
            | Instr::Address { .. }
            | Instr::Jump { .. }
            | Instr::Branch { .. }
    )
}
