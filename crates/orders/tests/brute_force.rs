//! The search against brute force: on small random programs, all minimal assignments are those that checking every
//! assignment finds, and so is the smallest repair, with fences that are not there; and verdicts are monotone, which the
//! search relies on.
//!
//! `make fuzz-orders COUNT=2000` tries more programs.

use atropos_check::{Check, Finds, Settings, Sink};
use atropos_event::{FenceOrder, ReadOrder, RmwOp, Value, WriteOrder};
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelName};
use atropos_explore::{Control, Ending};
use atropos_graph::Canonical;
use atropos_model::ReleaseSequences;
use atropos_orders::candidates::Prices;
use atropos_orders::cost::{aversion_to, price, price_of};
use atropos_orders::programs::{AnyRun, Driver, Means, ProgramExplorer, Programs, check_of};
use atropos_orders::question::{Answer, KnownFacts, Purpose, Question};
use atropos_orders::search::{Facts, Search, Wanted};
use atropos_orders::sites::{Order, Orders};
use atropos_orders::specialise::Specialised;
use atropos_orders::{Assignment, Space, Strength};
use atropos_testkit::{Ast, Expr, ProgramShape, Register, Rng, Stmt, Style, Test, Var, generate, lower};
use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

/// How many assignments a program may have.
const MOST_ASSIGNMENTS: f64 = 800.0;

/// The number of programs and the first seed.
fn programs(default: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let from = number("ORDERS_FROM").unwrap_or(1);
    from..from + number("ORDERS_COUNT").unwrap_or(default)
}

/// The model and algorithm of a check.
#[derive(Clone, Copy, Debug)]
struct Under {
    model: ModelName,
    algorithm: Algorithm,
    equivalence: Equivalence,
    release_sequences: ReleaseSequences,
}

impl Under {
    fn trust(model: ModelName) -> Under {
        let (algorithm, equivalence) = (Algorithm::Trust, Equivalence::Rf);
        Under { model, algorithm, equivalence, release_sequences: ReleaseSequences::Cpp20 }
    }

    fn settings(self) -> Settings<'static> {
        let settings = Settings::new(self.algorithm, self.model, self.equivalence);
        let method = Method { release_sequences: self.release_sequences, ..settings.method };
        Settings { method, ..settings }
    }

    fn driver(self, ast: &Ast) -> Driver {
        let buffering = match self.model {
            ModelName::Tso | ModelName::Pso => atropos_vm::Buffering::Ordered,
            _ => atropos_vm::Buffering::None,
        };
        let races_on_plain = self.model.is_language();
        let machine = atropos_vm::Config { buffering, races_on_plain, ..atropos_vm::Config::default() };
        Driver { name: "random".to_string(), module: lower(ast), machine }
    }
}

/// The values that the main thread reads at its end, in all executions.
#[derive(Default)]
struct FinalReads(Mutex<BTreeSet<Vec<Value>>>);

impl Sink for FinalReads {
    fn execution(&self, _: Ending, execution: &dyn Fn() -> Canonical) {
        let main = &execution().threads[0];
        let reads = main.events.iter().filter(|event| event.label.is_read()).map(|event| event.value);
        self.0.lock().unwrap().insert(reads.collect());
    }

    fn start_over(&self) {}
}

/// What the main thread of a program can read, with all orders as strong or as weak as possible.
fn final_reads(ast: &Ast, under: Under, is_weak: bool) -> BTreeSet<Vec<Value>> {
    let driver = under.driver(ast);
    let orders = Orders::of(&[&Specialised::new(driver.module.clone())]);
    let weakest = Assignment(vec![Strength::NONE; orders.all.len()]);
    let chosen = if is_weak { weakest } else { orders.written() };
    let module = orders.apply(&driver.module, 0, &chosen);
    let vm = atropos_vm::Vm::new(module, driver.machine).expect("well-formed");
    let reads = FinalReads::default();
    let check = Check { sink: Some(&reads), ..check_of(&vm, under.settings()) };
    let (control, finds) = (Control::default(), Finds::default());
    check.explore(&control, &finds);
    reads.0.into_inner().unwrap()
}

/// Threads that access two variables each, perhaps with a fence between, and a final assertion that certain values were
/// not seen together: the shapes of litmus tests. If possible, weak orders allow these values and strong ones do not.
fn with_final_assertion(rng: &mut Rng, under: Under) -> Ast {
    let (read, write) = (ReadOrder::SeqCst, WriteOrder::SeqCst);
    let n_variables = rng.between(2, 3);
    let (mut results, mut threads) = (Vec::new(), Vec::new());
    let mut n_values = 0;
    for thread in 0..rng.pick(&[2, 2, 2, 3]) {
        let first = rng.below(n_variables);
        let second = (first + rng.between(1, n_variables - 1)) % n_variables;
        let (mut body, mut reads) = (Vec::new(), Vec::new());
        for (at, variable) in [first, second].into_iter().enumerate() {
            let (to, var) = (Register(at as u8), Var(variable as u8));
            n_values += 1;
            let stmt = match rng.below(12) {
                0..5 => Stmt::Load { to, var, order: read },
                5..10 => Stmt::Store { var, value: Expr::Const(n_values), order: write },
                10 => Stmt::Fetch { to, op: RmwOp::Add, var, operand: n_values, orders: (read, write) },
                _ => Stmt::Cas { to, var, expected: 0, desired: n_values, orders: (read, write, read) },
            };
            reads.extend((!matches!(stmt, Stmt::Store { .. })).then_some(to));
            body.push(stmt);
            if at == 0 && rng.chance(25) {
                body.push(Stmt::Fence(FenceOrder::SeqCst));
            }
        }
        if let Some(register) = reads.pop().filter(|_| thread < 3) {
            let var = Var(3 + thread as u8);
            body.push(Stmt::Store { var, value: Expr::Sum(register, 0), order: WriteOrder::NotAtomic });
            results.push(var);
            if let Some(other) = reads.pop() {
                // Both values in one: the first one counts in tens.
                let sum = Expr::Sum(register, 10);
                let test = Test { register: other, is_equal: false, value: 0 };
                body.push(Stmt::If(
                    test,
                    vec![Stmt::Store { var, value: sum, order: WriteOrder::NotAtomic }],
                ));
            }
        }
        threads.push(body);
    }
    results.extend((0..n_variables).filter(|_| rng.chance(30)).map(|number| Var(number as u8)));
    let mut ast = Ast::parallel(threads);
    for (at, &var) in results.iter().enumerate() {
        ast.threads[0].push(Stmt::Load { to: Register(at as u8), var, order: ReadOrder::NotAtomic });
    }
    let (weak, strong) = (final_reads(&ast, under, true), final_reads(&ast, under, false));
    let only_weak: Vec<_> = weak.difference(&strong).cloned().collect();
    let seen = if only_weak.is_empty() { weak.into_iter().collect() } else { only_weak };
    let seen = &seen[rng.below(seen.len())];
    let never = Test { register: Register(31), is_equal: false, value: 0 };
    let mut claim = vec![Stmt::Assert(never)];
    for (at, &value) in seen.iter().enumerate() {
        claim = vec![Stmt::If(Test { register: Register(at as u8), is_equal: true, value }, claim)];
    }
    ast.threads[0].append(&mut claim);
    ast
}

/// A random program, all of whose atomic accesses are sequentially consistent. Preferably the orders matter.
fn random(seed: u64, under: Under) -> Option<Case> {
    const ATTEMPTS: u64 = 20;
    let mut last = None;
    for attempt in 0..ATTEMPTS {
        let case = Case::new(draw(seed * ATTEMPTS + attempt, under), under);
        let matters = case.as_ref().is_some_and(|case| {
            let verdict = |it| case.verifies(&it);
            verdict(case.space.strongest()) == Some(true) && verdict(case.space.weakest()) == Some(false)
        });
        last = case.or(last);
        if matters {
            break;
        }
    }
    last
}

fn draw(seed: u64, under: Under) -> Ast {
    let mut rng = Rng::new(seed ^ 0x5eed);
    if rng.chance(70) {
        return with_final_assertion(&mut rng, under);
    }
    let style = rng.pick(&[Style::Races, Style::Fences, Style::Mixed, Style::Pointers, Style::Updates]);
    let shape = ProgramShape { max_instructions: 6, max_threads: 3, ..ProgramShape::of(style) };
    let mut ast = generate(seed, &shape);
    let read = |order: &mut ReadOrder| *order = if order.is_atomic() { ReadOrder::SeqCst } else { *order };
    let write = |order: &mut WriteOrder| *order = if order.is_atomic() { WriteOrder::SeqCst } else { *order };
    ast.for_each_mut(&mut |stmt| match stmt {
        Stmt::Load { order, .. } | Stmt::LoadAt { order, .. } => read(order),
        Stmt::Store { order, .. } | Stmt::StoreAt { order, .. } => write(order),
        Stmt::Fetch { orders, .. } => *orders = (ReadOrder::SeqCst, WriteOrder::SeqCst),
        Stmt::Cas { orders, .. } => *orders = (ReadOrder::SeqCst, WriteOrder::SeqCst, ReadOrder::SeqCst),
        Stmt::Fence(order) => *order = FenceOrder::SeqCst,
        _ => {}
    });
    ast
}

/// A program with all its assignments.
struct Case {
    ast: Ast,
    under: Under,
    orders: Orders,
    space: Space,
    driver: Driver,
}

impl Case {
    /// `None` if it has no orders, or too many assignments.
    fn new(ast: Ast, under: Under) -> Option<Case> {
        let driver = under.driver(&ast);
        let orders = Orders::of(&[&Specialised::new(driver.module.clone())]);
        let weakest = Assignment(vec![Strength::NONE; orders.all.len()]);
        let space = Space::between(&orders.kinds(), &weakest, &orders.written());
        let is_small = !orders.all.is_empty() && space.size() <= MOST_ASSIGNMENTS;
        is_small.then_some(Case { ast, under, orders, space, driver })
    }

    /// The same program with orders that fail. Some of them may be strengthened, and fences may be added at some places.
    fn broken(&self, rng: &mut Rng) -> Option<Case> {
        const ATTEMPTS: usize = 10;
        let mut choose = |_| {
            let choice = |order| rng.pick(self.space.choices(order));
            Assignment((0..self.space.n_orders()).map(choice).collect())
        };
        let written = (0..ATTEMPTS).map(&mut choose).find(|it| self.verifies(it) == Some(false))?;
        let module = self.orders.apply(&self.driver.module, 0, &written);
        let orders = Orders::with_places_for_fences(&[&Specialised::new(module.clone())]);
        let mut strongest = orders.written();
        let mut space = Space::between(&orders.kinds(), &strongest, &strongest);
        let mut left: Vec<usize> = (0..orders.all.len()).collect();
        while !left.is_empty() {
            let order = left.swap_remove(rng.below(left.len()));
            strongest.0[order] = orders.all[order].kind.strongest();
            let larger = Space::between(&orders.kinds(), &orders.written(), &strongest);
            if larger.size() > MOST_ASSIGNMENTS {
                break;
            }
            space = larger;
        }
        let driver = Driver { module, ..self.driver.clone() };
        Some(Case { ast: self.ast.clone(), under: self.under, orders, space, driver })
    }

    /// Whether the program verifies with these orders; `None` if that is not decided.
    fn verifies(&self, assignment: &Assignment) -> Option<bool> {
        let module = self.orders.apply(&self.driver.module, 0, assignment);
        let vm = atropos_vm::Vm::new(module, self.driver.machine.clone()).expect("well-formed");
        let explored = AnyRun.explore(&vm, self.under.settings(), &Control::default());
        let is_decided =
            explored.found.refusal.is_none() && explored.limit.is_none() && !explored.is_approximate;
        match explored.found.violations.is_empty() {
            false => Some(false),
            true => is_decided.then_some(true),
        }
    }

    /// The verdicts on all assignments; `None` if one is not decided.
    fn verdicts(&self) -> Option<HashMap<Assignment, bool>> {
        self.space.all().into_iter().map(|it| Some((it.clone(), self.verifies(&it)?))).collect()
    }

    fn complain(&self, what: &str, assignment: &Assignment) -> ! {
        let orders: Vec<&str> = assignment.0.iter().map(|strength| strength.name()).collect();
        panic!("{what} under {:?} with {orders:?}:\n{}", self.under, self.ast)
    }

    /// Demands that nothing that fails verifies when one order is weakened.
    fn check_monotone(&self, verdicts: &HashMap<Assignment, bool>) {
        for (assignment, verifies) in verdicts {
            for order in (0..self.space.n_orders()).filter(|_| !verifies) {
                for weaker in self.space.below(order, assignment.0[order]) {
                    if verdicts[&assignment.with(order, weaker)] {
                        self.complain(&format!("weakening order {order} repairs it"), assignment);
                    }
                }
            }
        }
    }

    /// Demands that the search finds exactly the minimal assignments that verify. Returns how many there are, and how many
    /// explorations it took.
    fn check_search(&self, verdicts: &HashMap<Assignment, bool>) -> (usize, u64) {
        let is_minimal = |it: &Assignment| {
            let mut weaker = (0..self.space.n_orders())
                .flat_map(|order| self.space.below(order, it.0[order]).into_iter().map(move |w| (order, w)));
            verdicts[it] && weaker.all(|(order, weaker)| !verdicts[&it.with(order, weaker)])
        };
        let mut expected: Vec<Assignment> = verdicts.keys().filter(|it| is_minimal(it)).cloned().collect();
        expected.sort();
        let prices = Prices::new(&self.space, price_of(&self.orders), aversion_to(&self.orders));
        let drivers = [self.driver.clone()];
        let means = Means { explorer: &AnyRun, settings: self.under.settings(), exact: None };
        let judge = Programs::new(&self.orders, &drivers, &self.space, means);
        let control = Control::default();
        let search = |wanted| Search {
            judge: &judge,
            space: &self.space,
            prices: &prices,
            wanted,
            jobs: 1,
            control: &control,
        };
        let Ok(outcome) = search(Wanted::All).run(Facts::default()) else {
            self.complain("the search refuses the program", &self.space.weakest())
        };
        let mut answers = outcome.answers.clone();
        answers.sort();
        if answers != expected {
            let odd =
                answers.iter().chain(&expected).find(|it| answers.contains(it) != expected.contains(it));
            self.complain("the search and brute force differ", odd.expect("they differ"));
        }
        let cheapest = expected.iter().min_by_key(|it| prices.total(&self.space, it));
        assert_eq!(outcome.answers.first(), cheapest, "the first answer is the cheapest");
        for (block, _) in &outcome.facts.blocks {
            if verdicts[block] {
                self.complain("a block verifies", block);
            }
        }
        (expected.len(), judge.effort().n_explorations)
    }

    /// Demands that a repair is one of those with the fewest changes, and of these one of the cheapest. Returns how many
    /// fences it adds; `None` if there is none.
    fn check_repair(&self, verdicts: &HashMap<Assignment, bool>) -> Option<usize> {
        let drivers = [self.driver.clone()];
        let means = Means { explorer: &AnyRun, settings: self.under.settings(), exact: None };
        let programs = Programs::new(&self.orders, &drivers, &self.space, means);
        let control = Control::default();
        let question = Question {
            purpose: Purpose::Repair,
            programs: &programs,
            wanted: Wanted::Cheapest,
            jobs: 1,
            control: &control,
        };
        let Ok(reply) = question.ask(KnownFacts::default()) else {
            self.complain("the search refuses the program", &self.space.weakest())
        };
        let written = self.orders.written();
        let rank = |it: &Assignment| {
            let n_changes = it.0.iter().zip(&written.0).filter(|(new, old)| new != old).count();
            let prices = self.orders.all.iter().zip(&it.0).map(|(order, strength)| price(order, *strength));
            (n_changes, prices.sum::<u64>())
        };
        let best = verdicts.iter().filter(|(_, verifies)| **verifies).map(|(it, _)| rank(it)).min();
        match (reply.answer, best) {
            (Answer::Fails(_), None) => None,
            (Answer::Found(found), Some(best)) => {
                let repair = &found.all[0].assignment;
                if !verdicts[repair] || rank(repair) != best {
                    self.complain("the repair is not the smallest", repair);
                }
                let reasons = &found.all[0].reasons;
                let is_explained = |order: &usize| reasons.iter().any(|reason| reason.order == *order);
                let mut changed = (0..written.0.len()).filter(|&order| repair.0[order] != written.0[order]);
                assert!(changed.all(|order| is_explained(&order)), "each change excludes a violation");
                let is_added = |(order, strength): &(&Order, &Strength)| {
                    order.added.is_some() && **strength != Strength::NONE
                };
                Some(self.orders.all.iter().zip(&repair.0).filter(is_added).count())
            }
            _ => self.complain("the repair and brute force differ", &self.space.strongest()),
        }
    }
}

#[test]
fn a_repair_is_the_smallest_that_brute_force_finds() {
    let (mut n_programs, mut n_repaired, mut n_with_fences, mut n_assignments) = (0, 0, 0, 0);
    for seed in programs(40) {
        let Some(case) = random(seed, Under::trust(ModelName::Rc11)) else { continue };
        let Some(broken) = case.broken(&mut Rng::new(seed)) else { continue };
        let Some(verdicts) = broken.verdicts() else { continue };
        broken.check_monotone(&verdicts);
        broken.check_search(&verdicts);
        let n_fences = broken.check_repair(&verdicts);
        n_programs += 1;
        n_assignments += verdicts.len();
        n_repaired += usize::from(n_fences.is_some());
        n_with_fences += usize::from(n_fences > Some(0));
    }
    assert!(10 * n_with_fences > n_programs, "{n_with_fences} of {n_programs} repairs add a fence");
    println!(
        "{n_programs} programs with {n_assignments} assignments: {n_repaired} repaired, {n_with_fences} of them with \
         new fences"
    );
}

#[test]
fn the_search_finds_what_brute_force_finds() {
    let (mut n_programs, mut n_assignments, mut n_explorations, mut n_answers) = (0, 0, 0, 0);
    let mut n_sensitive = 0;
    for seed in programs(60) {
        let Some(case) = random(seed, Under::trust(ModelName::Rc11)) else { continue };
        let Some(verdicts) = case.verdicts() else { continue };
        case.check_monotone(&verdicts);
        let (answers, explorations) = case.check_search(&verdicts);
        n_programs += 1;
        n_sensitive += usize::from(verdicts.values().any(|it| *it) && verdicts.values().any(|it| !it));
        n_assignments += verdicts.len();
        n_explorations += explorations;
        n_answers += answers;
    }
    assert!(2 * n_sensitive > n_programs, "orders matter in half of the programs");
    println!(
        "{n_programs} programs, in {n_sensitive} of which orders matter, with {n_assignments} assignments: \
         {n_answers} answers by {n_explorations} explorations"
    );
}

#[test]
fn verdicts_are_monotone_under_every_model() {
    let c11 = Under { release_sequences: ReleaseSequences::C11, ..Under::trust(ModelName::Rc11) };
    let weak = Under { model: ModelName::Wrc11, algorithm: Algorithm::Rcmc, ..c11 };
    let weak = Under { release_sequences: ReleaseSequences::Cpp20, ..weak };
    let trust = [ModelName::Sc, ModelName::Tso, ModelName::Pso, ModelName::Ra, ModelName::Sra];
    let optimal = Under {
        algorithm: Algorithm::OptimalDpor,
        equivalence: Equivalence::Co,
        ..Under::trust(ModelName::Pso)
    };
    let all: Vec<Under> = [c11, weak, optimal].into_iter().chain(trust.map(Under::trust)).collect();
    for seed in programs(6) {
        for &under in &all {
            let Some(case) = random(seed, under) else { continue };
            let Some(verdicts) = case.verdicts() else { continue };
            case.check_monotone(&verdicts);
            case.check_search(&verdicts);
            let Some(broken) = case.broken(&mut Rng::new(seed)) else { continue };
            let Some(verdicts) = broken.verdicts() else { continue };
            broken.check_monotone(&verdicts);
            broken.check_repair(&verdicts);
        }
    }
}
