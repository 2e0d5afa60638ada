//! Random tiny programs, after the recipe that found all known mistakes in the papers [ALGORITHMS §0.2, §I].
//!
//! Each program first draws a [`Style`], so that programs differ in kind and not in details only: half of them
//! have one variable, a third are rich in read-modify-writes, some use one family of orders throughout. What a
//! style leaves open is drawn per statement.

use crate::ast::{Ast, Expr, Register, Stmt, Test, Var};
use crate::rng::Rng;
use atropos_event::{FenceOrder, ReadOrder, RmwOp, Value, WriteOrder};

/// How large programs may become, and what they may contain.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub max_threads: usize,
    /// Memory accesses and fences; lock and unlock count.
    pub max_instructions: usize,
    pub max_variables: usize,
    /// Accesses that are not atomic, and so may race.
    pub has_plain: bool,
    pub has_locks: bool,
    pub has_asserts: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            max_threads: 4,
            max_instructions: 9,
            max_variables: 3,
            has_plain: true,
            has_locks: true,
            has_asserts: true,
        }
    }
}

/// The program of a seed.
pub fn generate(seed: u64, shape: &Shape) -> Ast {
    let mut rng = Rng::new(seed);
    let style = Style::draw(&mut rng, shape);
    let n_threads = rng.between(2, shape.max_threads.max(2));
    let n_instructions = rng.between(2, shape.max_instructions.max(2));
    let mut generator = Generator { rng, style };
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

/// What one program is like as a whole.
#[derive(Clone, Copy)]
struct Style {
    n_variables: usize,
    rmw_percent: usize,
    fence_percent: usize,
    plain_percent: usize,
    lock_percent: usize,
    assert_percent: usize,
    orders: Orders,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Orders {
    Mixed,
    Relaxed,
    ReleaseAcquire,
    SeqCst,
}

impl Style {
    fn draw(rng: &mut Rng, shape: &Shape) -> Style {
        let has_many = shape.max_variables > 1 && rng.chance(50);
        Style {
            n_variables: if has_many { rng.between(2, shape.max_variables) } else { 1 },
            rmw_percent: if rng.chance(33) { 40 } else { 10 },
            fence_percent: rng.pick(&[0, 5, 20]),
            plain_percent: if shape.has_plain && rng.chance(20) { 30 } else { 0 },
            lock_percent: if shape.has_locks && rng.chance(12) { 30 } else { 0 },
            assert_percent: if shape.has_asserts && rng.chance(10) { 20 } else { 0 },
            orders: rng.pick_weighted(&[
                (6, Orders::Mixed),
                (2, Orders::Relaxed),
                (1, Orders::ReleaseAcquire),
                (2, Orders::SeqCst),
            ]),
        }
    }
}

/// A thread under construction.
#[derive(Default)]
struct Thread {
    body: Vec<Stmt>,
    n_registers: u8,
    n_instructions: usize,
}

impl Thread {
    fn register(&mut self) -> Register {
        self.n_registers += 1;
        Register(self.n_registers - 1)
    }
}

struct Generator {
    rng: Rng,
    style: Style,
}

impl Generator {
    /// Appends a statement with at most `budget` instructions.
    fn extend(&mut self, thread: &mut Thread, budget: usize) {
        if thread.n_registers > 0 && self.rng.chance(15) {
            let test = self.test(thread);
            let stmt = if self.rng.chance(self.style.assert_percent) {
                Stmt::Assert(test)
            } else if self.rng.chance(40) {
                Stmt::Assume(test)
            } else {
                Stmt::If(test, self.block(thread, budget))
            };
            thread.body.push(stmt);
        } else if budget > 2 && self.rng.chance(self.style.lock_percent) {
            thread.n_instructions += 2;
            let body = self.block(thread, budget - 2);
            thread.body.push(Stmt::Locked(Var::MUTEX, body));
        } else {
            let stmt = self.instruction(thread);
            thread.body.push(stmt);
        }
    }

    fn block(&mut self, thread: &mut Thread, budget: usize) -> Vec<Stmt> {
        (0..self.rng.between(1, budget.clamp(1, 2))).map(|_| self.instruction(thread)).collect()
    }

    fn instruction(&mut self, thread: &mut Thread) -> Stmt {
        thread.n_instructions += 1;
        let var = Var(self.rng.below(self.style.n_variables) as u8);
        if self.rng.chance(self.style.fence_percent) {
            return Stmt::Fence(self.rng.pick(&FenceOrder::ALL));
        }
        if self.rng.chance(self.style.rmw_percent) {
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
            let failure = match self.style.orders {
                Orders::Mixed => self.rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst]),
                Orders::Relaxed | Orders::ReleaseAcquire | Orders::SeqCst => read,
            };
            return Stmt::Cas { to, var, expected, desired, orders: (read, write, failure) };
        }
        let any = self.rng.pick(&RmwOp::ALL);
        let op = self.rng.pick_weighted(&[(5, RmwOp::Add), (3, RmwOp::Exchange), (2, any)]);
        Stmt::Fetch { to, op, var, operand: self.value(), orders: (read, write) }
    }

    fn read_order(&mut self) -> ReadOrder {
        if self.rng.chance(self.style.plain_percent) {
            return ReadOrder::NotAtomic;
        }
        match self.style.orders {
            Orders::Mixed => self.rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst]),
            Orders::Relaxed => ReadOrder::Relaxed,
            Orders::ReleaseAcquire => ReadOrder::Acquire,
            Orders::SeqCst => ReadOrder::SeqCst,
        }
    }

    fn write_order(&mut self) -> WriteOrder {
        if self.rng.chance(self.style.plain_percent) {
            return WriteOrder::NotAtomic;
        }
        match self.style.orders {
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
        match self.style.orders {
            Orders::Mixed => self.rng.pick(&[relaxed, acquire, release, both, seq_cst]),
            Orders::Relaxed => relaxed,
            Orders::ReleaseAcquire => both,
            Orders::SeqCst => seq_cst,
        }
    }

    /// Few values, so that comparisons and CASes succeed often and the same value is written twice sometimes.
    fn value(&mut self) -> Value {
        self.rng.pick_weighted(&[(2, 0), (5, 1), (3, 2)])
    }

    fn some_register(&mut self, thread: &Thread) -> Register {
        // The latest one is the most interesting.
        let latest = thread.n_registers - 1;
        Register(if self.rng.chance(70) { latest } else { self.rng.below(usize::from(latest) + 1) as u8 })
    }

    fn test(&mut self, thread: &Thread) -> Test {
        let is_equal = self.rng.chance(60);
        Test { register: self.some_register(thread), is_equal, value: self.value() }
    }

    /// Adds the spawns and joins. A busy main thread is one of the bodies; else it does nothing of its own.
    fn assemble(mut self, bodies: Vec<Vec<Stmt>>, is_main_busy: bool) -> Ast {
        let mut threads = if is_main_busy { Vec::new() } else { vec![Vec::new()] };
        threads.extend(bodies);
        let main_body = std::mem::take(&mut threads[0]);
        let (mut spawns, mut joins) = (Vec::new(), Vec::new());
        let joins_all = self.rng.chance(50);
        for thread in 1..threads.len() {
            // Sometimes an earlier thread spawns a later one.
            let parent = if thread > 1 && self.rng.chance(10) { self.rng.between(1, thread - 1) } else { 0 };
            if parent == 0 {
                spawns.push(Stmt::Spawn(thread));
                joins.extend((joins_all || self.rng.chance(20)).then_some(Stmt::Join(thread)));
                continue;
            }
            let at = self.rng.between(0, threads[parent].len());
            threads[parent].insert(at, Stmt::Spawn(thread));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_program_for_ever() {
        let ast = generate(7, &Shape::default());
        assert_eq!(ast, generate(7, &Shape::default()));
        assert_eq!(ast.to_string().parse(), Ok(ast));
    }

    #[test]
    fn programs_respect_their_shape_and_use_everything() {
        let texts: Vec<_> = (0..2000)
            .map(|seed| {
                let ast = generate(seed, &Shape::default());
                assert!(ast.n_instructions() <= 9 && ast.threads.len() <= 5, "{ast}");
                (1..ast.threads.len()).for_each(|thread| drop(ast.key(thread).path()));
                assert_eq!(ast.to_string().parse(), Ok(ast.clone()), "parse after print");
                ast.to_string()
            })
            .collect();
        let needed = [
            "na", "rlx", "acq", "rel", "sc", "acqrel", "cas", "add", "xchg", "umin", "fence", "assume",
            "assert", "if", "lock", "spawn", "join", "z", "+",
        ];
        for word in needed {
            let n_uses =
                texts.iter().filter(|text| text.split_whitespace().any(|other| other == word)).count();
            assert!(n_uses >= 10, "`{word}` is in {n_uses} of 2000 programs");
        }
        let n_single = texts.iter().filter(|text| !text.contains('y') && !text.contains('z')).count();
        assert!((800..1400).contains(&n_single), "{n_single} programs of one variable");
    }
}
