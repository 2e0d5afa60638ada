//! Random tiny programs, drawn so as to find all known mistakes in the papers [ALGORITHMS §0.2, §I].
//!
//! Each program first draws its [`Traits`], so that programs differ in kind and not only in details: half of them
//! have one variable, a third are rich in read-modify-writes. A [`Style`] selects the kinds of programs.

use crate::ast::{Ast, Expr, Register, Stmt, Test, Var};
use crate::style::{Orders, ProgramShape, Style, Traits};
use crate::{joins, pieces, rng::Rng};
use atropos_event::{FenceOrder, ReadOrder, RmwOp, Value, WriteOrder};

/// The program of a seed.
pub fn generate(seed: u64, shape: &ProgramShape) -> Ast {
    let mut rng = Rng::new(seed);
    let mut ast = generate_with(&mut rng, shape);
    if rng.chance(12) {
        joins::make_foreign(&mut rng, &mut ast);
    }
    ast
}

fn generate_with(rng: &mut Rng, shape: &ProgramShape) -> Ast {
    if let Some(ast) = pieces::generate(rng, shape) {
        return ast;
    }
    let traits = Traits::draw(rng, shape);
    let n_threads = rng.between(traits.min_threads, shape.max_threads.max(traits.min_threads));
    let least = if shape.style == Style::Mixed { 2 } else { shape.max_instructions / 2 };
    let n_instructions = rng.between(least, shape.max_instructions.max(2));
    let mut generator = Generator { rng, traits };
    let is_main_busy = generator.rng.chance(30);
    let mut threads: Vec<_> = (0..n_threads).map(|_| Thread::default()).collect();
    for _ in 0..4 * n_instructions {
        let n_used: usize = threads.iter().map(|thread| thread.n_instructions).sum();
        if n_used >= n_instructions {
            break;
        }
        let index = generator.rng.below(n_threads);
        generator.extend(&mut threads[index], n_instructions - n_used);
    }
    let bodies = threads.into_iter().map(|thread| thread.body);
    generator.assemble(bodies.collect(), is_main_busy)
}

/// A thread under construction.
#[derive(Default)]
struct Thread {
    body: Vec<Stmt>,
    n_registers: u8,
    n_instructions: usize,
    /// The mutexes held at the next statement.
    held: Vec<Var>,
}

impl Thread {
    fn register(&mut self) -> Register {
        self.n_registers += 1;
        Register(self.n_registers - 1)
    }
}

struct Generator<'a> {
    rng: &'a mut Rng,
    traits: Traits,
}

impl Generator<'_> {
    /// Appends a statement with at most `budget` instructions.
    fn extend(&mut self, thread: &mut Thread, budget: usize) {
        if thread.n_registers > 0 && self.rng.chance(15) {
            let test = self.test(thread);
            let stmt = if self.rng.chance(self.traits.assert_percent) {
                Stmt::Assert(test)
            } else if self.rng.chance(40) {
                Stmt::Assume(test)
            } else {
                Stmt::If(test, self.block(thread, budget))
            };
            thread.body.push(stmt);
        } else if budget > 2 && self.rng.chance(self.traits.lock_percent) {
            let stmt = self.locked(thread, budget);
            thread.body.push(stmt);
        } else if self.traits.raw_percent > 0 && self.rng.chance(self.traits.raw_percent) {
            self.raw_mutex(thread);
        } else {
            let stmt = self.instruction(thread);
            thread.body.push(stmt);
        }
    }

    fn mutex(&mut self) -> Var {
        Var(Var::MUTEX.0
            + if self.traits.n_mutexes > 1 { self.rng.below(self.traits.n_mutexes) as u8 } else { 0 })
    }

    /// A critical section of more than two instructions.
    fn locked(&mut self, thread: &mut Thread, budget: usize) -> Stmt {
        let mutex = self.mutex();
        thread.n_instructions += 2;
        thread.held.push(mutex);
        let body = self.section(thread, budget - 2);
        thread.held.pop();
        Stmt::Locked(mutex, body)
    }

    /// The inside of a critical section.
    fn section(&mut self, thread: &mut Thread, budget: usize) -> Vec<Stmt> {
        if self.traits.nested_percent == 0 {
            return self.block(thread, budget);
        }
        let mut body = Vec::new();
        let n_before = thread.n_instructions;
        for _ in 0..self.rng.between(1, 3) {
            let left = budget.saturating_sub(thread.n_instructions - n_before);
            if left == 0 {
                break;
            }
            let may_nest = left > 2 && thread.held.len() < self.traits.n_mutexes;
            body.push(if may_nest && self.rng.chance(self.traits.nested_percent) {
                self.locked(thread, left)
            } else if thread.n_registers > 0 && self.rng.chance(12) {
                let test = self.test(thread);
                if self.rng.chance(50) {
                    Stmt::Assume(test)
                } else {
                    Stmt::If(test, self.block(thread, left))
                }
            } else {
                self.instruction(thread)
            });
        }
        body
    }

    /// A mutex that is tried, read or stored to like any variable.
    fn raw_mutex(&mut self, thread: &mut Thread) {
        let var = self.mutex();
        thread.n_instructions += 1;
        if self.rng.chance(60) {
            let to = thread.register();
            let orders = (ReadOrder::Acquire, WriteOrder::Relaxed, ReadOrder::Relaxed);
            thread.body.push(Stmt::Cas { to, var, expected: 0, desired: 1, orders });
            let mut body = vec![self.instruction(thread)];
            body.push(Stmt::Store { var, value: Expr::Const(0), order: WriteOrder::Release });
            thread.n_instructions += 1;
            thread.body.push(Stmt::If(Test { register: to, is_equal: true, value: 0 }, body));
        } else if self.rng.chance(60) {
            let stmt = Stmt::Load { to: thread.register(), var, order: self.read_order() };
            thread.body.push(stmt);
        } else {
            let value = Expr::Const(self.rng.pick(&[0, 0, 1]));
            thread.body.push(Stmt::Store { var, value, order: self.write_order() });
        }
    }

    fn block(&mut self, thread: &mut Thread, budget: usize) -> Vec<Stmt> {
        (0..self.rng.between(1, budget.clamp(1, 2))).map(|_| self.instruction(thread)).collect()
    }

    fn instruction(&mut self, thread: &mut Thread) -> Stmt {
        thread.n_instructions += 1;
        let var = Var(self.rng.below(self.traits.n_variables) as u8);
        if self.rng.chance(self.traits.fence_percent) {
            let is_sc = self.traits.sc_fence_percent > 0 && self.rng.chance(self.traits.sc_fence_percent);
            return Stmt::Fence(if is_sc { FenceOrder::SeqCst } else { self.rng.pick(&FenceOrder::ALL) });
        }
        if self.rng.chance(self.traits.rmw_percent) {
            return self.read_modify_write(thread, var);
        }
        if self.rng.chance(50) {
            let order = self.read_order();
            Stmt::Load { to: thread.register(), var, order }
        } else {
            let value = if thread.n_registers > 0 && self.rng.chance(20) {
                Expr::Sum(self.some_register(thread), self.value())
            } else {
                Expr::Const(self.value())
            };
            Stmt::Store { var, value, order: self.write_order() }
        }
    }

    fn read_modify_write(&mut self, thread: &mut Thread, var: Var) -> Stmt {
        let (read, write) = self.rmw_orders();
        let to = thread.register();
        if self.rng.chance(50) {
            let (expected, desired) = (self.value(), self.value());
            let failure = match self.traits.orders {
                Orders::Mixed => self.rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst]),
                Orders::Relaxed | Orders::ReleaseAcquire | Orders::SeqCst => read,
            };
            return Stmt::Cas { to, var, expected, desired, orders: (read, write, failure) };
        }
        let any = self.rng.pick(&integer_ops());
        let op = self.rng.pick_weighted(&[(5, RmwOp::Add), (3, RmwOp::Exchange), (2, any)]);
        Stmt::Fetch { to, op, var, operand: self.value(), orders: (read, write) }
    }

    fn read_order(&mut self) -> ReadOrder {
        if self.rng.chance(self.traits.plain_percent) {
            return ReadOrder::NotAtomic;
        }
        match self.traits.orders {
            Orders::Mixed => self.rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst]),
            Orders::Relaxed => ReadOrder::Relaxed,
            Orders::ReleaseAcquire => ReadOrder::Acquire,
            Orders::SeqCst => ReadOrder::SeqCst,
        }
    }

    fn write_order(&mut self) -> WriteOrder {
        if self.rng.chance(self.traits.plain_percent) {
            return WriteOrder::NotAtomic;
        }
        match self.traits.orders {
            Orders::Mixed => self.rng.pick(&[WriteOrder::Relaxed, WriteOrder::Release, WriteOrder::SeqCst]),
            Orders::Relaxed => WriteOrder::Relaxed,
            Orders::ReleaseAcquire => WriteOrder::Release,
            Orders::SeqCst => WriteOrder::SeqCst,
        }
    }

    /// C11's five orders for read-modify-writes [RCMC §3.1, Mod_RMW].
    fn rmw_orders(&mut self) -> (ReadOrder, WriteOrder) {
        let relaxed = (ReadOrder::Relaxed, WriteOrder::Relaxed);
        let seq_cst = (ReadOrder::SeqCst, WriteOrder::SeqCst);
        let both = (ReadOrder::Acquire, WriteOrder::Release);
        let acquire = (ReadOrder::Acquire, WriteOrder::Relaxed);
        let release = (ReadOrder::Relaxed, WriteOrder::Release);
        match self.traits.orders {
            Orders::Mixed => self.rng.pick(&[relaxed, acquire, release, both, seq_cst]),
            Orders::Relaxed => relaxed,
            Orders::ReleaseAcquire => both,
            Orders::SeqCst => seq_cst,
        }
    }

    /// Few values, so that comparisons and CASes often succeed and the same value is sometimes written twice.
    fn value(&mut self) -> Value {
        self.rng.pick_weighted(&[(2, 0), (5, 1), (3, 2)])
    }

    fn some_register(&mut self, thread: &Thread) -> Register {
        // Prefer the latest one.
        let latest = thread.n_registers - 1;
        Register(if self.rng.chance(70) { latest } else { self.rng.below(usize::from(latest) + 1) as u8 })
    }

    fn test(&mut self, thread: &Thread) -> Test {
        let is_equal = self.rng.chance(60);
        Test { register: self.some_register(thread), is_equal, value: self.value() }
    }

    /// Adds the spawns and joins. A busy main thread runs one of the bodies; otherwise it does nothing else.
    fn assemble(self, bodies: Vec<Vec<Stmt>>, is_main_busy: bool) -> Ast {
        let mut threads = if is_main_busy { Vec::new() } else { vec![Vec::new()] };
        threads.extend(bodies);
        let main_body = std::mem::take(&mut threads[0]);
        let (mut spawns, mut joins) = (Vec::new(), Vec::new());
        let joins_all = self.rng.chance(50);
        for thread in 1..threads.len() {
            // Sometimes an earlier thread spawns a later one.
            let percent = if self.traits.nested_percent > 0 { 25 } else { 10 };
            let parent =
                if thread > 1 && self.rng.chance(percent) { self.rng.between(1, thread - 1) } else { 0 };
            if parent == 0 {
                spawns.push(Stmt::Spawn(thread));
                joins.extend((joins_all || self.rng.chance(20)).then_some(Stmt::Join(thread)));
                continue;
            }
            let at = self.rng.between(0, threads[parent].len());
            match threads[parent].get_mut(at) {
                // The child starts in the middle of a critical section.
                Some(Stmt::Locked(_, body)) if self.traits.nested_percent > 0 => {
                    let at = self.rng.between(0, body.len());
                    body.insert(at, Stmt::Spawn(thread));
                }
                _ => threads[parent].insert(at, Stmt::Spawn(thread)),
            }
            if self.rng.chance(50) {
                threads[parent].push(Stmt::Join(thread));
            }
        }
        // The main thread may also act between its spawns.
        let at = if self.rng.chance(70) { spawns.len() } else { self.rng.between(0, spawns.len()) };
        spawns.splice(at..at, main_body);
        threads[0] = spawns.into_iter().chain(joins).collect();
        Ast { threads }
    }
}

/// The operations of read-modify-writes on variables, which hold integers.
fn integer_ops() -> Vec<RmwOp> {
    RmwOp::ALL.into_iter().filter(|op| !op.is_float()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_means_the_same_program() {
        let ast = generate(7, &ProgramShape::default());
        assert_eq!(ast, generate(7, &ProgramShape::default()));
        assert_eq!(ast.to_string().parse(), Ok(ast));
    }

    #[test]
    fn programs_respect_their_shape_and_use_everything() {
        let texts: Vec<_> = (0..6000)
            .map(|seed| {
                let ast = generate(seed, &ProgramShape::default());
                assert!(ast.n_instructions() <= 9 && ast.threads.len() <= 5, "{ast}");
                (1..ast.threads.len()).for_each(|thread| drop(ast.key(thread).path()));
                assert!(ast.has_sound_joins(), "{ast}");
                assert_eq!(ast.to_string().parse(), Ok(ast.clone()), "parse after print");
                ast.to_string()
            })
            .collect();
        let needed = [
            "na", "rlx", "acq", "rel", "sc", "acqrel", "cas", "fence", "assume", "assert", "if", "lock",
            "spawn", "join", "z", "+",
        ];
        for word in needed.into_iter().chain(integer_ops().into_iter().map(RmwOp::name)) {
            let n_uses =
                texts.iter().filter(|text| text.split_whitespace().any(|other| other == word)).count();
            assert!(n_uses >= 10, "`{word}` is in {n_uses} of 6000 programs");
        }
        let n_foreign =
            (0..2000).filter(|&seed| generate(seed, &ProgramShape::default()).has_foreign_join()).count();
        assert!(n_foreign >= 30, "{n_foreign} programs have foreign joins");
        let n_single = texts[..2000].iter().filter(|text| !text.contains('y') && !text.contains('z')).count();
        assert!((800..1400).contains(&n_single), "{n_single} programs of one variable");
    }
}
