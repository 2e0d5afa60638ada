//! Tiny programs, for the generator, the shrinker and the output of failing tests.
//!
//! A program is a list of threads, the main one first; a thread is a list of statements. Every other thread is
//! spawned once, by a statement at the top level of its parent or in a critical section there, so the canonical name
//! of a thread is known without running anything. There are no loops: every program has finitely many executions.

use atropos_event::{FenceOrder, ReadOrder, RmwOp, ThreadKey, Value, WriteOrder};

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ast {
    pub threads: Vec<Vec<Stmt>>,
}

/// A shared variable, initially 0: of four bytes, or of eight for an address; or a part of one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u8);

impl Var {
    pub const NAMES: [&str; 10] = ["x", "y", "z", "u", "v", "w", "m", "n", "p", "q"];
    /// The parts of variables: name, whole variable, offset and size.
    const PARTS: [(&str, Var, u8, u8); 6] = [
        ("x.b0", Var(0), 0, 1),
        ("x.b1", Var(0), 1, 1),
        ("x.lo", Var(0), 0, 2),
        ("x.hi", Var(0), 2, 2),
        ("y.b0", Var(1), 0, 1),
        ("y.hi", Var(1), 2, 2),
    ];
    /// The mutex of generated programs.
    pub const MUTEX: Var = Var(6);
    /// The barrier of programs that have one: see [`crate::lower_meetings`].
    pub const BARRIER: Var = Var(4);
    /// The first variable that holds an address.
    pub const POINTER: Var = Var(8);

    pub fn name(self) -> &'static str {
        match self.as_part() {
            Some((name, ..)) => name,
            None => Self::NAMES[usize::from(self.0)],
        }
    }

    /// The variable or part with that name.
    pub fn named(name: &str) -> Option<Var> {
        let parts = Self::PARTS.iter().map(|(name, ..)| name);
        Self::NAMES.iter().chain(parts).position(|other| *other == name).map(|index| Var(index as u8))
    }

    fn as_part(self) -> Option<(&'static str, Var, u8, u8)> {
        usize::from(self.0).checked_sub(Self::NAMES.len()).map(|part| Self::PARTS[part])
    }

    /// The variable that this is, or is a part of, and its offset there.
    pub fn whole(self) -> (Var, u8) {
        self.as_part().map_or((self, 0), |(_, whole, offset, _)| (whole, offset))
    }

    /// Whether the variable holds an address.
    pub fn is_pointer(self) -> bool {
        self >= Var::POINTER && self.as_part().is_none()
    }

    /// In bytes.
    pub fn size(self) -> u8 {
        match self.as_part() {
            Some((.., size)) => size,
            None if self.is_pointer() => 8,
            None => 4,
        }
    }
}

/// A register of one thread, initially 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register(pub u8);

impl Register {
    pub const LIMIT: usize = 32;

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Stmt {
    Load {
        to: Register,
        var: Var,
        order: ReadOrder,
    },
    Store {
        var: Var,
        value: Expr,
        order: WriteOrder,
    },
    Fetch {
        to: Register,
        op: RmwOp,
        var: Var,
        operand: Value,
        orders: (ReadOrder, WriteOrder),
    },
    Cas {
        to: Register,
        var: Var,
        expected: Value,
        desired: Value,
        /// The orders of the read, of the write, and of the read if it fails.
        orders: (ReadOrder, WriteOrder, ReadOrder),
    },
    /// A load from the address in a register; does nothing if that is 0.
    LoadAt {
        to: Register,
        at: Register,
        order: ReadOrder,
    },
    /// A store to the address in a register; does nothing if that is 0.
    StoreAt {
        at: Register,
        value: Expr,
        order: WriteOrder,
    },
    /// Allocates four bytes.
    New {
        to: Register,
    },
    /// Frees the object that a register points to; does nothing if that is 0.
    Free(Register),
    Fence(FenceOrder),
    Assume(Test),
    Assert(Test),
    If(Test, Vec<Stmt>),
    /// The body between lock and unlock of a mutex.
    Locked(Var, Vec<Stmt>),
    /// Spawns or joins the thread with that number.
    Spawn(usize),
    Join(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    Const(Value),
    /// The register plus a constant.
    Sum(Register, Value),
    /// The address of a variable.
    Address(Var),
}

/// A comparison of a register with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Test {
    pub register: Register,
    pub is_equal: bool,
    pub value: Value,
}

impl Test {
    pub fn holds(self, registers: &[Value]) -> bool {
        (registers[self.register.index()] == self.value) == self.is_equal
    }
}

/// The threads that a body spawns, in order. A critical section runs unless the thread blocks permanently.
pub(crate) fn collect_spawned(body: &[Stmt], spawned: &mut Vec<usize>) {
    for stmt in body {
        match stmt {
            Stmt::Spawn(child) => spawned.push(*child),
            Stmt::Locked(_, body) => collect_spawned(body, spawned),
            _ => {}
        }
    }
}

impl Ast {
    /// The program that runs `threads` in parallel: a main thread spawns and then joins them.
    pub fn parallel(threads: Vec<Vec<Stmt>>) -> Ast {
        let numbers = 1..threads.len() + 1;
        let main = numbers.clone().map(Stmt::Spawn).chain(numbers.map(Stmt::Join)).collect();
        Ast { threads: std::iter::once(main).chain(threads).collect() }
    }

    /// The canonical name of a thread.
    ///
    /// # Panics
    /// If no thread spawns it.
    pub fn key(&self, thread: usize) -> ThreadKey {
        if thread == 0 {
            return ThreadKey::MAIN;
        }
        let (parent, nth) =
            self.creation(thread).unwrap_or_else(|| panic!("no thread spawns thread {thread}"));
        self.key(parent).child(nth).expect("a short path of creations")
    }

    /// The thread that creates a thread; `None` for the main one.
    pub fn parent(&self, thread: usize) -> Option<usize> {
        self.creation(thread).map(|(parent, _)| parent)
    }

    /// The creator of a thread, and its number among the creator's children.
    fn creation(&self, thread: usize) -> Option<(usize, u64)> {
        self.threads.iter().enumerate().find_map(|(parent, body)| {
            let mut spawned = Vec::new();
            collect_spawned(body, &mut spawned);
            let nth = spawned.iter().position(|&other| other == thread)?;
            Some((parent, nth as u64 + 1))
        })
    }

    /// The number of memory accesses and fences.
    pub(crate) fn n_instructions(&self) -> usize {
        fn count(body: &[Stmt]) -> usize {
            let of_stmt = |stmt: &Stmt| match stmt {
                Stmt::Load { .. }
                | Stmt::Store { .. }
                | Stmt::Fetch { .. }
                | Stmt::Cas { .. }
                | Stmt::LoadAt { .. }
                | Stmt::StoreAt { .. }
                | Stmt::Fence(_) => 1,
                Stmt::If(_, body) => count(body),
                Stmt::Locked(_, body) => 2 + count(body),
                Stmt::New { .. }
                | Stmt::Free(_)
                | Stmt::Assume(_)
                | Stmt::Assert(_)
                | Stmt::Spawn(_)
                | Stmt::Join(_) => 0,
            };
            body.iter().map(of_stmt).sum()
        }
        self.threads.iter().map(|body| count(body)).sum()
    }

    /// Whether the program accesses parts of variables.
    pub(crate) fn uses_parts(&self) -> bool {
        fn uses(body: &[Stmt]) -> bool {
            body.iter().any(|stmt| match stmt {
                Stmt::Load { var, .. }
                | Stmt::Store { var, .. }
                | Stmt::Fetch { var, .. }
                | Stmt::Cas { var, .. } => var.as_part().is_some(),
                Stmt::If(_, body) | Stmt::Locked(_, body) => uses(body),
                Stmt::LoadAt { .. }
                | Stmt::StoreAt { .. }
                | Stmt::New { .. }
                | Stmt::Free(_)
                | Stmt::Fence(_)
                | Stmt::Assume(_)
                | Stmt::Assert(_)
                | Stmt::Spawn(_)
                | Stmt::Join(_) => false,
            })
        }
        self.threads.iter().any(|body| uses(body))
    }

    /// The same program with these orders for all accesses.
    pub fn with_orders(mut self, read: ReadOrder, write: WriteOrder) -> Ast {
        self.for_each_mut(&mut |stmt| match stmt {
            Stmt::Load { order, .. } | Stmt::LoadAt { order, .. } => *order = read,
            Stmt::Store { order, .. } | Stmt::StoreAt { order, .. } => *order = write,
            Stmt::Fetch { orders, .. } => *orders = (read, write),
            Stmt::Cas { orders, .. } => *orders = (read, write, read),
            Stmt::New { .. }
            | Stmt::Free(_)
            | Stmt::Fence(_)
            | Stmt::Assume(_)
            | Stmt::Assert(_)
            | Stmt::If(..)
            | Stmt::Locked(..)
            | Stmt::Spawn(_)
            | Stmt::Join(_) => {}
        });
        self
    }

    /// Calls `change` on every statement, including nested ones.
    pub fn for_each_mut(&mut self, change: &mut impl FnMut(&mut Stmt)) {
        fn visit(body: &mut [Stmt], change: &mut impl FnMut(&mut Stmt)) {
            for stmt in body {
                change(stmt);
                if let Stmt::If(_, body) | Stmt::Locked(_, body) = stmt {
                    visit(body, change);
                }
            }
        }
        self.threads.iter_mut().for_each(|body| visit(body, change));
    }
}
