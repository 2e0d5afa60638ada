//! Shrinks a failing program: drops a thread, a statement or a condition, or makes objects plainer.

use crate::conformance::generate::without_statement;
use crate::conformance::sanity::is_sane;
use atropos_testkit::oracle::runtime::{Argument, Class, End, MutexKind, Op, RuntimeProgram, RuntimeStmt};

/// A program for which `fails` still holds, and which no single step makes smaller without losing that.
pub fn shrink(mut program: RuntimeProgram, mut fails: impl FnMut(&RuntimeProgram) -> bool) -> RuntimeProgram {
    let simpler = |program: &RuntimeProgram| simpler_programs(program).into_iter().filter(is_sane);
    while let Some(smaller) = simpler(&program).find(|smaller| fails(smaller)) {
        program = smaller;
    }
    program
}

/// All programs that are one step simpler, the largest steps first.
fn simpler_programs(program: &RuntimeProgram) -> Vec<RuntimeProgram> {
    let mut simpler: Vec<_> =
        (1..program.threads.len()).map(|thread| without_thread(program, thread)).collect();
    for (thread, of) in program.threads.iter().enumerate() {
        for index in 0..of.body.len() {
            if of.body[index].call.op != Op::Create {
                let mut smaller = program.clone();
                smaller.threads[thread].body = without_statement(&of.body, index);
                simpler.push(smaller);
            }
        }
        if of.end != End::Return(0) {
            let mut smaller = program.clone();
            smaller.threads[thread].end = End::Return(0);
            simpler.push(smaller);
        }
        for index in 0..of.body.len() {
            for stmt in simpler_statements(of.body[index]) {
                let mut smaller = program.clone();
                smaller.threads[thread].body[index] = stmt;
                simpler.push(smaller);
            }
        }
    }
    for (index, kind) in program.mutexes.iter().enumerate() {
        if *kind != MutexKind::Normal {
            let mut smaller = program.clone();
            smaller.mutexes[index] = MutexKind::Normal;
            simpler.push(smaller);
        }
    }
    simpler
}

fn simpler_statements(stmt: RuntimeStmt) -> Vec<RuntimeStmt> {
    let mut simpler = Vec::new();
    if stmt.guard.is_some() {
        simpler.push(RuntimeStmt { guard: None, ..stmt });
    }
    if stmt.call.object > 0 && stmt.call.op.class() != Class::Thread {
        let mut smaller = stmt;
        smaller.call.object = 0;
        simpler.push(smaller);
    }
    if stmt.call.argument > 0 && stmt.call.op.argument() != Argument::None {
        let mut smaller = stmt;
        smaller.call.argument -= 1;
        simpler.push(smaller);
    }
    simpler
}

/// The program without a thread, its creation, and calls that refer to it.
fn without_thread(program: &RuntimeProgram, dropped: usize) -> RuntimeProgram {
    let mut program = program.clone();
    program.threads.remove(dropped);
    for thread in &mut program.threads {
        let is_about =
            |stmt: &RuntimeStmt| stmt.call.op.class() == Class::Thread && stmt.call.object == dropped;
        while let Some(index) = thread.body.iter().position(is_about) {
            thread.body = without_statement(&thread.body, index);
        }
        for stmt in &mut thread.body {
            if stmt.call.op.class() == Class::Thread && stmt.call.object > dropped {
                stmt.call.object -= 1;
            }
        }
    }
    program
}
