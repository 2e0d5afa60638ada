//! The text form: printed modules parse back, and errors have the right places.

mod common;

use atropos_event::{
    AbortCause, AllocKind, Assertion, Exception, FenceOrder, Gap, GapKind, MisuseReason, ReadOrder, RmwOp,
    SyncClass, WriteOrder,
};
use atropos_testkit::diagnostics::shown;
use atropos_vm::instr::{
    AwaitReason, BinaryOp, CasOrders, CastOp, CompareOp, ConvertOp, Float, FloatBinaryOp, FloatCompareOp,
    FloatUnaryOp, LockKind, UnaryOp,
};
use atropos_vm::ir::{Relocation, Symbol};
use atropos_vm::text::{parse, print};
use atropos_vm::{
    Config, Failure, FunctionBuilder, Global, Instr, Misused, Module, ModuleBuilder, Operand, Reg, Vm, Width,
};
use common::Rng;

fn without_sources(mut module: Module) -> Module {
    module.sources.clear();
    let bodies = module.functions.iter_mut().flat_map(|function| &mut function.body);
    bodies.for_each(|statement| statement.source = None);
    module
}

fn check_round_trip(module: &Module) {
    let text = print(module);
    let parsed = parse("printed.vm", &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(print(&parsed), text);
    assert_eq!(without_sources(parsed), without_sources(module.clone()), "{text}");
}

/// A module with one of every instruction, operator and order.
fn everything() -> Module {
    let mut module = ModuleBuilder::new();
    let x = module.global(Global::zeroed("x", 4, 1).with_elements([5]));
    let odd = module.global(Global::zeroed("std::vector<int>", 2, 7).with_elements([1, 2, 0xffff]));
    let callee = module.declare("callee");
    let mut table = Global::zeroed("table", 1, 24);
    table.relocations.push(Relocation { offset: 3, target: Symbol::Function(callee) });
    table.relocations.push(Relocation { offset: 16, target: Symbol::Global(x) });
    table.constant = true;
    module.global(table);
    let local = module.global(Global { thread_local: true, ..Global::zeroed("local", 8, 1) });

    let mut code = FunctionBuilder::new("callee");
    code.param("x"); // renamed: there is a global `x`
    code.param("not");
    code.optional_param("maybe");
    code.push(Instr::ExitThread { value: Some(3.into()) });
    module.define(callee, code.finish());

    let mut code = FunctionBuilder::new("main");
    let private = code.private_slot("buffer", 100);
    let shared = code.shared_slot("node", 16);
    let start = code.target("start");
    code.place(start);
    arithmetic(&mut code);
    memory(&mut code, &[x.into(), odd.into(), local.into(), private.into(), shared.into()]);
    let a = code.call(callee, &[1.into(), x.into()]);
    code.push(Instr::Call { dst: None, function: a.into(), args: vec![] });
    let t = code.spawn(callee, &[a.into(), a.into()]);
    code.push(Instr::Spawn { dst: None, function: a.into(), args: vec![], drains: false });
    code.join(t);
    code.push(Instr::Join { dst: Some(a), handle: t.into() });
    code.push(Instr::Current { dst: a });
    code.push(Instr::NextChild { dst: a });
    code.push(Instr::Word { dst: a });
    code.push(Instr::SetWord { value: a.into() });
    let (to, value, spec) = (private.into(), a.into(), 100.into());
    code.push(Instr::Format { dst: a, to, value, spec, width: 0.into(), precision: u64::MAX.into() });
    code.push(Instr::Print { from: private.into(), length: a.into() });
    code.assume(a);
    code.assert(a, "a \"quoted\" \\ text\n");
    code.wait(a, 2);
    for reason in [AwaitReason::Lock, AwaitReason::Round] {
        code.push(Instr::Await { condition: a.into(), reason, reads: 1 });
    }
    code.jump_if(a, start);
    code.jump_unless(0, start);
    let end = code.target("end");
    let cases = vec![(1, start), (u64::MAX, end)];
    code.push(Instr::Switch { value: a.into(), width: Width::I32, cases, default: end });
    code.place(end);
    code.jump(start);
    failures(&mut code, a);
    let gap = GapKind::AtomicSize.of("u").with([128, 127]);
    code.push(Instr::unsupported(Gap { function: Some("f".to_string()), ..gap }));
    code.push(Instr::unsupported(GapKind::SystemCall));
    code.ret(u64::MAX);
    code.push(Instr::ExitThread { value: None });
    module.add(code.finish());
    module.finish()
}

/// Every failure that a statement can declare.
fn failures(code: &mut FunctionBuilder, object: Reg) {
    let text = |text: &str| text.to_string();
    code.fail(Failure::Assertion(Assertion::Message(text("a \"quoted\" text"))));
    code.fail(Failure::Assertion(Assertion::Condition(text("x == 1"))));
    code.fail(Failure::Assertion(Assertion::Call(text("reach_error"))));
    code.fail(Failure::Said { from: Operand::Const(8), length: Operand::Const(2) });
    code.fail(Failure::OutOfBounds { object: text("numbers"), size: 16, access: 4 });
    code.fail(Failure::Uninitialised { variable: text("limit") });
    let without_operands =
        [Failure::NotJoinable, Failure::DivisionByZero, Failure::QuotientOverflow, Failure::Unreachable];
    for failure in without_operands {
        code.fail(failure);
    }
    code.fail(Failure::UncaughtException(Exception::default()));
    let [name, thrower, what] = ["std::bad_alloc", "operator new", "no room"].map(|part| Some(text(part)));
    code.fail(Failure::UncaughtException(Exception {
        name: name.clone(),
        thrower: None,
        what: what.clone(),
    }));
    code.fail(Failure::UncaughtException(Exception { name, thrower, what }));
    for &cause in AbortCause::ALL {
        code.fail(Failure::Abort(cause));
    }
    for &class in SyncClass::ALL {
        for (object, call) in [(None, None), (None, Some(text("std::lock"))), (Some(object.into()), None)] {
            code.fail(Failure::Misuse(Misused { class, reason: MisuseReason::Held, object, call }));
        }
    }
    for &reason in MisuseReason::ALL {
        let (object, call) = (Some(object.into()), Some(text("std::lock")));
        code.fail(Failure::Misuse(Misused { class: SyncClass::Mutex, reason, object, call }));
    }
}

fn arithmetic(code: &mut FunctionBuilder) {
    let a = code.fresh();
    code.assign(a, 7);
    for &op in BinaryOp::ALL {
        code.binary(op, Width::new(13).unwrap(), a, u64::MAX);
    }
    for &op in CompareOp::ALL {
        code.compare(op, Width::I8, 1u64 << 63, a);
    }
    for &op in CastOp::ALL {
        code.cast(op, Width::I8, Width::I32, a);
    }
    for &format in Float::ALL {
        let (dst, left, right) = (code.fresh(), Operand::from(a), Operand::Const(1.5f64.to_bits()));
        for &op in FloatBinaryOp::ALL {
            code.push(Instr::FloatBinary { op, format, dst, left, right });
        }
        code.push(Instr::Fused { format, dst, left, right, addend: left });
        for &op in FloatCompareOp::ALL {
            code.push(Instr::FloatCompare { op, format, dst, left, right });
        }
        for &op in FloatUnaryOp::ALL {
            code.push(Instr::FloatUnary { op, format, dst, value: left });
        }
        for &op in ConvertOp::ALL {
            code.push(Instr::Convert { op, format, width: Width::I16, dst, value: left });
        }
        code.push(Instr::FloatResize { to: format, dst, value: left });
        code.push(Instr::ParseFloat { format, dst, from: left, length: right });
    }
    for &op in UnaryOp::ALL {
        code.push(Instr::Unary { op, width: Width::I16, dst: a, value: a.into() });
    }
    code.push(Instr::Select { dst: a, condition: a.into(), then: 1.into(), otherwise: 2.into() });
    code.address(a, a, 4, 0);
    code.address(a, 0, 1, -8);
    code.address(a, 3, 1, i64::MIN);
    code.address(a, 0, 0, 8);
}

fn memory(code: &mut FunctionBuilder, addresses: &[Operand]) {
    for (nth, &addr) in addresses.iter().enumerate() {
        let size = [1, 2, 4, 8, 8][nth];
        for order in ReadOrder::ALL {
            code.load(order, size, addr);
        }
        for order in WriteOrder::ALL {
            code.store(order, size, addr, 1);
        }
        // Floating-point numbers have four or eight bytes.
        for op in RmwOp::ALL.into_iter().filter(|op| !op.is_float() || matches!(size, 4 | 8)) {
            code.rmw(op, (ReadOrder::Acquire, WriteOrder::Release), size, addr, 1);
        }
        for read in ReadOrder::ALL {
            for write in WriteOrder::ALL.into_iter().filter(|_| read.is_atomic()) {
                if write.is_atomic() {
                    code.rmw(RmwOp::Add, (read, write), size, addr, 1);
                    code.cas(CasOrders { read, write, failure: ReadOrder::Relaxed }, size, addr, 0, 1);
                }
            }
        }
    }
    let (a, addr) = (code.fresh(), addresses[0]);
    let orders = CasOrders { read: ReadOrder::SeqCst, write: WriteOrder::SeqCst, failure: ReadOrder::SeqCst };
    for (old, success) in [(None, None), (Some(a), None), (None, Some(a))] {
        let (expected, desired) = (Operand::Const(1), Operand::Const(2));
        code.push(Instr::Cas { old, success, size: 4, orders, addr, expected, desired });
    }
    FenceOrder::ALL.into_iter().for_each(|order| code.fence(order));
    for (kind, zeroed) in [(AllocKind::Heap, false), (AllocKind::Heap, true), (AllocKind::Stack, false)] {
        for align in [0u64, 64] {
            code.push(Instr::Alloc { dst: a, size: 8.into(), align: align.into(), kind, zeroed });
        }
        code.push(Instr::Free { addr: a.into(), kind });
    }
    let (to, from, length) = (Operand::from(a), addr, Operand::Const(9));
    code.push(Instr::Copy { to, from, length });
    code.push(Instr::Fill { to, byte: 1.into(), length });
    code.push(Instr::Unwritten { dst: a, size: 4, addr });
    code.push(Instr::CompareBytes { dst: a, left: to, right: from, length });
    for kind in [LockKind::Mutex, LockKind::Spin] {
        code.push(Instr::Lock { mutex: addr, kind });
        code.push(Instr::TryLock { dst: a, mutex: addr, kind });
        code.push(Instr::Unlock { mutex: addr, kind });
    }
    code.push(Instr::Hold { object: addr });
    code.push(Instr::Holds { dst: a, object: addr });
    code.push(Instr::LetGo { object: addr });
    code.push(Instr::Peek { dst: a, size: 4, addr });
}

#[test]
fn everything_parses_back() {
    let module = everything();
    assert!(Vm::new(module.clone(), Config::default()).is_ok());
    check_round_trip(&module);
}

#[test]
fn what_is_written_by_hand_round_trips_too() {
    let source = "
        global p: ptr = &x + 4; global x: [i32; 2] = { 1,
            2 }
        fn f() { // nothing
        }
        fn main() {
          head: a = load.sc.i32 x; goto head; `odd name` = a
          b = -1; if not b goto head
        }";
    let module = parse("hand.vm", source).unwrap();
    let printed = print(&module);
    assert_eq!(without_sources(parse("again.vm", &printed).unwrap()), without_sources(module));
    expect_test::expect![[r#"
        global p: i64 = 4 at 0: &x
        global x: [i32; 2] = { 1, 2 }

        fn f() {
          return
        }

        fn main() {
        head:
          a = load.sc.i32 x
          goto head
          `odd name` = a
          b = -1
          if not b goto head
          return
        }
    "#]]
    .assert_eq(&printed);
}

fn check_error(source: &str, expected: expect_test::Expect) {
    expected.assert_eq(&shown(&parse("bad.vm", source).expect_err("an error").0));
}

#[test]
fn errors_say_where_and_what() {
    check_error(
        "fn f(a = 1) { }\nfn g(a = 0, b) { }",
        expect_test::expect![[r#"
        bad.vm:1:6: error: a parameter that may be left out is last and zero
         1 | fn f(a = 1) { }
           |      ^
        bad.vm:2:13: error: a parameter that may be left out is last and zero
         2 | fn g(a = 0, b) { }
           |             ^
    "#]],
    );
    check_error(
        "global x: i33\nfn main() {\n\tr = load.acqrel.i32 x\n  store.i32 x\n  goto nowhere\n  r = frob.i32 1\n}\n",
        expect_test::expect![[r#"
            bad.vm:1:11: error: expected a type: `i8`, `i16`, `i32`, `i64`, `f32`, `f64` or `ptr`, found `i33`
             1 | global x: i33
               |           ^^^
            bad.vm:3:6: error: expected an order of reads (rlx, acq, sc) or a size in `load.acqrel.i32`, found `acqrel`
             3 | 	r = load.acqrel.i32 x
               | 	    ^^^^^^^^^^^^^^^
            bad.vm:4:14: error: expected `,`, found the end of the line
             4 |   store.i32 x
               |              ^
            bad.vm:5:8: error: there is no label `nowhere`
             5 |   goto nowhere
               |        ^^^^^^^
            bad.vm:6:7: error: unknown operation `frob`
             6 |   r = frob.i32 1
               |       ^^^^^^^^
        "#]],
    );
    check_error(
        "fn main() { x = load.i32 y",
        expect_test::expect![[r#"
            bad.vm:1:26: error: unknown name `y`
             1 | fn main() { x = load.i32 y
               |                          ^
            bad.vm:1:27: error: expected `}`, found the end of the file
             1 | fn main() { x = load.i32 y
               |                           ^
        "#]],
    );
    check_error(
        "global x: i32 = 99999999999999999999",
        expect_test::expect![[r#"
            bad.vm:1:17: error: `99999999999999999999` is not a number of at most 64 bits
             1 | global x: i32 = 99999999999999999999
               |                 ^
        "#]],
    );
    check_error(
        "global x: i32\nfn main() { x = 1; a = cas.sc.i32 x, 0, 1; fence.rlx }",
        expect_test::expect![[r#"
            bad.vm:2:13: error: `x` is already the name of something else
             2 | fn main() { x = 1; a = cas.sc.i32 x, 0, 1; fence.rlx }
               |             ^
            bad.vm:2:13: error: `x` is not a register
             2 | fn main() { x = 1; a = cas.sc.i32 x, 0, 1; fence.rlx }
               |             ^
            bad.vm:2:24: error: expected an order of reads (rlx, acq, sc) for failure in `cas.sc.i32`, found `i32`
             2 | fn main() { x = 1; a = cas.sc.i32 x, 0, 1; fence.rlx }
               |                        ^^^^^^^^^^
            bad.vm:2:44: error: expected acq, rel, acqrel or sc in `fence.rlx`, found `rlx`
             2 | fn main() { x = 1; a = cas.sc.i32 x, 0, 1; fence.rlx }
               |                                            ^^^^^^^^^
        "#]],
    );
}

#[test]
fn unknown_gaps_are_named() {
    check_error(
        "fn main() { unsupported gap }\nfn f() { unsupported type, \"t\", of \"f\" }",
        expect_test::expect![[r#"
            bad.vm:1:25: error: `gap` is not a kind of what is not modelled
             1 | fn main() { unsupported gap }
               |                         ^^^
            bad.vm:2:33: error: expected a number, found `of`
             2 | fn f() { unsupported type, "t", of "f" }
               |                                 ^^
        "#]],
    );
}

#[test]
fn empty_and_odd_texts_are_no_trouble() {
    assert_eq!(parse("empty.vm", "").unwrap(), Module::default());
    for text in [
        "\u{0}",
        "fn",
        "fn main(",
        "}",
        "global",
        "threads",
        "threads f",
        "é",
        "\"",
        "`",
        "fn main() { a: a: }",
    ] {
        assert!(parse("odd.vm", text).is_err(), "{text:?}");
    }
}

/// Mutated texts: the parser and, if it accepts, the machine must not panic.
#[test]
fn mutated_texts_never_panic() {
    let seed_text = print(&everything());
    let pieces: Vec<&str> = seed_text.split_inclusive([' ', '\n', '.', ',']).collect();
    let mut rng = Rng(99);
    let mut accepted = 0;
    for _ in 0..4000 {
        let start = rng.below(pieces.len());
        let mut text: Vec<String> = match rng.below(2) {
            0 => pieces.iter().map(ToString::to_string).collect(),
            _ => pieces[start..].iter().take(60).map(ToString::to_string).collect(),
        };
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(text.len());
            match rng.below(5) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, pieces[rng.below(pieces.len())].to_string()),
                2 => text[at] = pieces[rng.below(pieces.len())].to_string(),
                3 => text[at].push(char::from(rng.next() as u8 & 0x7f)),
                _ => text[at] = rng.next().to_string(),
            }
            if text.is_empty() {
                break;
            }
        }
        let Ok(module) = parse("mutant.vm", &text.concat()) else { continue };
        accepted += 1;
        check_round_trip(&module);
        if let Ok(vm) = Vm::new(module, Config { budget: 1000, ..Config::default() }) {
            let mut sc = common::Sc::new(&vm);
            for _ in 0..300 {
                let thread = sc.threads[rng.below(sc.threads.len())];
                if sc.is_enabled(thread) {
                    sc.step(thread);
                } else {
                    common::failure(&mut sc, thread);
                }
            }
        }
    }
    assert!(accepted > 100, "only {accepted} mutants parse");
}
