//! Compares cat models with the machine whose memory is bytes, on words accessed in several sizes.

use atropos_cat::Model;
use atropos_event::{Access, FenceOrder, Label, Mapping, Replayed, Rmw};
use atropos_graph::Canonical;
use atropos_testkit::oracle::{
    EnumerationConfig, MachineKind, ReadHistory, Refused, enumerate, history_of, run_bytes,
};
use atropos_testkit::{Ast, ProgramShape, Style, generate};
use std::collections::BTreeSet;

const LIMIT: usize = 20_000;

/// Whether a thread loads bytes of a word beside those that it has stored to since it last drained its buffer.
fn loads_beside_own_store(execution: &Canonical) -> bool {
    execution.threads.iter().any(|thread| {
        let mut stored: Vec<Access> = Vec::new();
        thread.events.iter().any(|event| match event.label {
            Label::Read { access, rmw: Rmw::Merge { .. }, .. } => {
                stored.push(access);
                false
            }
            Label::Read { access, rmw: Rmw::None, .. } => stored
                .iter()
                .any(|store| store.cell() == access.cell() && !store.part().contains(access.part())),
            Label::Read { .. } | Label::Fence { order: FenceOrder::SeqCst } => {
                stored.clear();
                false
            }
            _ => false,
        })
    })
}

/// Checks the program of a seed; returns whether it was small enough and its histories must be equal.
fn check(ast: &Ast, name: &str, machine: MachineKind, mapping: Mapping) -> Result<bool, Refused> {
    let model = Model::builtin(name).unwrap();
    let program = Replayed(ast.clone());
    let found = enumerate(
        &program,
        &model,
        EnumerationConfig { mapping, limit: LIMIT, ..EnumerationConfig::default() },
    )?;
    let all: Vec<_> = found.complete.iter().chain(&found.blocked).collect();
    let by_model: BTreeSet<_> = all.iter().map(|execution| history_of(execution)).collect();
    let by_bytes = run_bytes(&program, machine, mapping, 20 * LIMIT)?;
    let extra = by_model.difference(&by_bytes).next();
    assert!(extra.is_none(), "{name} {mapping:?}:\n{ast}\nnot possible by bytes: {extra:?}");
    let is_exact =
        machine == MachineKind::Sc || !all.iter().any(|execution| loads_beside_own_store(execution));
    if is_exact {
        let missing = by_bytes.difference(&by_model).next();
        assert!(missing.is_none(), "{name} {mapping:?}:\n{ast}\nmissing: {missing:?}");
    }
    Ok(is_exact)
}

fn check_seeds(n_seeds: u64, name: &str, machine: MachineKind) -> u64 {
    let mut n_exact = 0;
    for seed in 0..n_seeds {
        let ast = generate(seed, &ProgramShape { max_instructions: 7, ..ProgramShape::of(Style::Parts) });
        let mapping = if seed.is_multiple_of(2) { Mapping::Compiled } else { Mapping::Raw };
        match check(&ast, name, machine, mapping) {
            Ok(is_exact) => n_exact += u64::from(is_exact),
            Err(Refused::TooLarge { .. }) => {}
            Err(refused) => panic!("seed {seed}: {refused}\n{ast}"),
        }
    }
    n_exact
}

#[test]
fn sc_treats_accesses_of_several_sizes_by_bytes() {
    assert!(check_seeds(250, "sc", MachineKind::Sc) > 225);
}

#[test]
fn tso_does_where_no_thread_loads_beside_its_own_store_and_else_has_nothing_too_much() {
    let n_exact = check_seeds(400, "tso", MachineKind::Tso);
    assert!(n_exact > 100, "{n_exact}");
}

/// Both threads see their own byte and not the other's: a load takes its bytes from the buffer and from memory.
#[test]
fn by_bytes_a_load_may_see_its_own_byte_beside_an_old_one() {
    let ast: Ast =
        "spawn 1; spawn 2 || x.b0 := 1 rlx; r0 := x rlx || x.b1 := 1 rlx; r0 := x rlx".parse().unwrap();
    let histories = run_bytes(&Replayed(ast), MachineKind::Tso, Mapping::Compiled, LIMIT).unwrap();
    let values =
        |history: &ReadHistory| history.values().flat_map(|(values, _)| values.clone()).collect::<Vec<_>>();
    assert!(histories.iter().any(|history| values(history) == [0x0001, 0x0100]));
}
