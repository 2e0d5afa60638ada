//! Operations on registers alone: the inner loop of the interpreter.
//!
//! It is separate because it needs only the code and the words of one frame, which the compiler can then keep in
//! registers.

use atropos_event::{Access, Label, Rmw, Step};

use crate::arith;
use crate::code::{CONST, FunctionCode, Index, Op};
use crate::float;

/// The value of an operand.
#[inline(always)]
pub(crate) fn fetch(frame: &[u64], consts: &[u64], index: Index) -> u64 {
    if index < CONST { frame[usize::from(index)] } else { consts[usize::from(index - CONST)] }
}

/// Where the loop has stopped, and whether the operation there has issued its label.
pub(crate) struct Stop {
    pub pc: usize,
    pub issued: bool,
}

/// Runs from `pc` up to an operation that needs more than registers, including a division without a result. Accesses
/// with addresses that are known to be valid are issued here, if there is a `step` for them.
#[expect(clippy::too_many_lines, reason = "one arm per operation")]
#[inline(never)]
pub(crate) fn run(code: &FunctionCode, frame: &mut [u64], mut pc: usize, step: Option<&mut Step>) -> Stop {
    let (ops, consts) = (&code.ops[..], &code.consts[..]);
    macro_rules! get {
        ($index:expr) => {
            fetch(frame, consts, $index)
        };
    }
    macro_rules! set {
        ($index:expr, $value:expr) => {{
            let value = $value;
            frame[usize::from($index)] = value;
        }};
    }
    loop {
        match ops[pc] {
            Op::Move { dst, value } => set!(dst, get!(value)),
            Op::Add { width, dst, left, right } => {
                set!(dst, arith::truncate(width, get!(left).wrapping_add(get!(right))))
            }
            Op::Sub { width, dst, left, right } => {
                set!(dst, arith::truncate(width, get!(left).wrapping_sub(get!(right))))
            }
            Op::Mul { width, dst, left, right } => {
                set!(dst, arith::truncate(width, get!(left).wrapping_mul(get!(right))))
            }
            Op::And { width, dst, left, right } => {
                set!(dst, arith::truncate(width, get!(left) & get!(right)))
            }
            Op::Or { width, dst, left, right } => {
                set!(dst, arith::truncate(width, get!(left) | get!(right)))
            }
            Op::Xor { width, dst, left, right } => {
                set!(dst, arith::truncate(width, get!(left) ^ get!(right)))
            }
            Op::Binary { op, width, dst, left, right } => {
                match arith::binary(op, width, get!(left), get!(right)) {
                    Ok(value) => set!(dst, value),
                    Err(_) => return Stop { pc, issued: false },
                }
            }
            Op::Unary { op, width, dst, value } => set!(dst, arith::unary(op, width, get!(value))),
            Op::Compare { test, width, dst, left, right } => {
                set!(dst, test.apply(width, get!(left), get!(right)))
            }
            Op::CompareJump { test, width, dst, left, right, when, to } => {
                let result = test.apply(width, get!(left), get!(right));
                set!(dst, result);
                if result == u64::from(when) {
                    pc = to as usize;
                    continue;
                }
            }
            Op::Cast { op, from, to, dst, value } => set!(dst, arith::cast(op, from, to, get!(value))),
            Op::Select { dst, condition, then, otherwise } => {
                set!(dst, if get!(condition) != 0 { get!(then) } else { get!(otherwise) })
            }
            Op::Address { dst, base: from, index, scale, offset } => {
                let distance = get!(index).wrapping_mul(get!(scale)).wrapping_add(get!(offset));
                set!(dst, get!(from).wrapping_add(distance))
            }
            Op::FloatBinary { op, format, dst, left, right } => {
                set!(dst, float::binary(op, format, get!(left), get!(right)))
            }
            Op::FloatUnary { op, format, dst, value } => set!(dst, float::unary(op, format, get!(value))),
            Op::Fused { format, dst, left, right, addend } => {
                set!(dst, float::fused(format, get!(left), get!(right), get!(addend)))
            }
            Op::FloatCompare { op, format, dst, left, right } => {
                set!(dst, u64::from(float::compare(op, format, get!(left), get!(right))))
            }
            Op::Convert { op, format, width, dst, value } => {
                set!(dst, float::convert(op, format, width, get!(value)))
            }
            Op::FloatResize { to, dst, value } => set!(dst, float::resize(to, get!(value))),
            Op::Jump { to } => {
                pc = to as usize;
                continue;
            }
            Op::JumpIf { condition, to } => {
                if get!(condition) != 0 {
                    pc = to as usize;
                    continue;
                }
            }
            Op::JumpUnless { condition, to } => {
                if get!(condition) == 0 {
                    pc = to as usize;
                    continue;
                }
            }
            Op::Switch { value, table } => {
                let table = &code.switches[table as usize];
                let value = arith::truncate(table.width, get!(value));
                let case = table.cases.binary_search_by_key(&value, |&(value, _)| value);
                pc = case.map_or(table.default, |at| table.cases[at].1) as usize;
                continue;
            }
            _ => break,
        }
        pc += 1;
    }
    // An access is the most common reason to stop.
    let label = match ops[pc] {
        Op::Load { addr, size, order, known: true, .. } => {
            Label::Read { access: Access::new(get!(addr), size), order, rmw: Rmw::None }
        }
        Op::Store { addr, value, size, order, known: true } => {
            let access = Access::new(get!(addr), size);
            Label::Write { access, order, value: access.truncate(get!(value)), exclusive: false }
        }
        Op::Rmw { op, addr, operand, size, read_order: order, write_order, known: true, .. } => {
            let access = Access::new(get!(addr), size);
            let operand = access.truncate(get!(operand));
            Label::Read { access, order, rmw: Rmw::Fetch { op, operand, write_order } }
        }
        Op::Cas { addr, expected, desired, size, orders, known: true, .. } => {
            let access = Access::new(get!(addr), size);
            let rmw = Rmw::Cas {
                expected: access.truncate(get!(expected)),
                desired: access.truncate(get!(desired)),
                write_order: orders.write,
                failure_order: orders.failure,
            };
            Label::Read { access, order: orders.read, rmw }
        }
        Op::Fence { order } => Label::Fence { order },
        _ => return Stop { pc, issued: false },
    };
    match step {
        Some(step) => {
            *step = Step::Do(label);
            Stop { pc, issued: true }
        }
        None => Stop { pc, issued: false },
    }
}
