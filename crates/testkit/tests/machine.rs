//! Compares the virtual machine with the direct interpretation of tiny programs: the same executions, under a weak
//! model that allows many of them.

use atropos_cat::Model;
use atropos_event::{Access, Label, Replayed};
use atropos_graph::Canonical;
use atropos_testkit::oracle::{Enumeration, EnumerationConfig, Refused, enumerate};
use atropos_testkit::program::access_of;
use atropos_testkit::{Ast, ProgramShape, Var, generate, lower};
use atropos_vm::Vm;
use std::collections::BTreeSet;

/// The execution with the machine's addresses replaced by those of the direct interpretation.
fn translated(vm: &Vm, mut execution: Canonical) -> Canonical {
    let translate = |access: &mut Access| {
        let is_here = |name: &&str| vm.global_addr(vm.module().global(name).unwrap()) == access.addr;
        let var = Var::NAMES.iter().position(is_here).expect("the address of a variable");
        *access = access_of(Var(var as u8));
    };
    for thread in &mut execution.threads {
        for event in &mut thread.events {
            if let Label::Read { access, .. } | Label::Write { access, .. } = &mut event.label {
                translate(access);
            }
        }
    }
    execution.co.iter_mut().for_each(|(access, _)| translate(access));
    execution.co.sort();
    execution
}

fn check(ast: &Ast, model: &Model) -> Result<(), Refused> {
    let config = EnumerationConfig { limit: 5_000, ..EnumerationConfig::default() };
    let direct = enumerate(&Replayed(ast.clone()), model, config)?;
    let vm =
        Vm::new(lower(ast), atropos_vm::Config::default()).unwrap_or_else(|problems| panic!("{problems:?}"));
    let found = enumerate(&vm, model, config)?;
    let all =
        |set: BTreeSet<Canonical>| set.into_iter().map(|execution| translated(&vm, execution)).collect();
    let found = Enumeration {
        complete: all(found.complete),
        blocked: all(found.blocked),
        failed: found
            .failed
            .into_iter()
            .map(|(execution, kind)| (translated(&vm, execution), kind))
            .collect(),
        flags: found.flags,
        misuse: found.misuse,
    };
    assert!(direct == found, "{ast}\ndirectly: {direct:#?}\non the machine: {found:#?}");
    Ok(())
}

#[test]
fn programs_mean_the_same_on_the_machine() {
    let model = Model::builtin("rc11").unwrap();
    let mut n_checked = 0;
    for seed in 0..200 {
        n_checked += usize::from(check(&generate(seed, &ProgramShape::default()), &model).is_ok());
    }
    assert!(n_checked > 160, "only {n_checked} programs are small enough");
}
