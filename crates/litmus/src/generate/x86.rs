//! The threads of a generated test in X86 assembly.
//!
//! Accesses are `Rlx`; an exchange is `XSc`, and `MFENCE` the only fence.

use super::cycle::{CycleAccess, Reached};
use super::edge::{Annotation, Direction, Via};
use super::{by_thread, location_name};
use crate::ast::x86::{Instruction, Line, MemoryOperand, Mnemonic, Operand, Register, Thread, Width};
use atropos_event::FenceOrder;
use atropos_event::Span;

pub fn threads(accesses: &[CycleAccess]) -> Result<Vec<Thread>, String> {
    by_thread(accesses).map(one_thread).collect()
}

/// Receives the value that an exchange reads if it is not used.
const SPARE: Operand = Operand::Register(Register { index: 6, width: Width::Double });

/// `EAX` to `EDI` for the reads of a thread.
pub fn register(n: usize) -> Option<Register> {
    (n < 6).then_some(Register { index: n as u8, width: Width::Double })
}

fn one_thread(thread: &[CycleAccess]) -> Result<Thread, String> {
    let mut lines = Vec::new();
    let mut n_reads = 0;
    for (index, access) in thread.iter().enumerate() {
        if !matches!(access.annotation, Annotation::Rlx | Annotation::XSc) {
            return Err(format!("X86 has no accesses that are {:?}", access.annotation));
        }
        match access.reached {
            Some(Reached::Rmw) => continue,
            None | Some(Reached::Via(Via::Nothing)) => {}
            Some(Reached::Via(Via::Fence(FenceOrder::SeqCst))) => lines.push(line(Mnemonic::Mfence, vec![])),
            Some(Reached::Via(Via::Fence(order))) => {
                return Err(format!("X86 has no fence that is {order:?}"));
            }
            Some(Reached::Via(via @ (Via::Data | Via::Ctrl))) => {
                return Err(format!("dependencies ({via:?}) are generated in C only"));
            }
        }
        let memory = Operand::Memory(MemoryOperand::Location(location_name(access.location)));
        if access.annotation == Annotation::XSc {
            lines.push(line(Mnemonic::Mov, vec![SPARE, Operand::Immediate(access.value)]));
            lines.push(line(Mnemonic::Xchg, vec![memory, SPARE]));
            continue;
        }
        if access.direction == Direction::W {
            lines.push(line(Mnemonic::Mov, vec![memory, Operand::Immediate(access.value)]));
            continue;
        }
        let register = register(n_reads).map(Operand::Register);
        let register = register.ok_or_else(|| "a thread of an X86 test has at most 6 reads".to_owned())?;
        n_reads += 1;
        match thread.get(index + 1).filter(|next| next.reached == Some(Reached::Rmw)) {
            None => lines.push(line(Mnemonic::Mov, vec![register, memory])),
            Some(write) => {
                lines.push(line(Mnemonic::Mov, vec![register.clone(), Operand::Immediate(write.value)]));
                lines.push(line(Mnemonic::Xchg, vec![memory, register]));
            }
        }
    }
    Ok(Thread { lines })
}

fn line(mnemonic: Mnemonic, operands: Vec<Operand>) -> Line {
    let instruction = Instruction { mnemonic, lock: false, width: None, operands, span: Span::default() };
    Line { labels: Vec::new(), instruction: Some(instruction) }
}
