//! The oracles against each other, and the known relations between models, on random programs.

use atropos_cat::Model;
use atropos_event::{FenceOrder, Mapping, ReadOrder, Replayed, WriteOrder};
use atropos_graph::Canonical;
use atropos_testkit::oracle::{
    Build, Enumeration, EnumerationConfig, MachineKind, Refused, enumerate_all, rf_projection, run_machine,
};
use atropos_testkit::{Ast, ProgramShape, Stmt, Style, generate};
use std::collections::BTreeSet;

const LIMIT: usize = 20_000;

/// Calls `check` on the programs of many seeds; it returns an error for a program that is too large.
fn for_seeds(n_seeds: u64, shape: ProgramShape, mut check: impl FnMut(&Ast) -> Result<(), Refused>) {
    let mut n_checked = 0;
    for seed in 0..n_seeds {
        let ast = generate(seed, &shape);
        match check(&ast) {
            Ok(()) => n_checked += 1,
            Err(Refused::TooLarge { .. }) => {}
            Err(refused) => panic!("seed {seed}: {refused}\n{ast}"),
        }
    }
    assert!(n_checked > n_seeds * 9 / 10, "only {n_checked} of {n_seeds} programs are small enough");
}

fn models(names: &[&str]) -> Vec<Model> {
    names.iter().map(|name| Model::builtin(name).unwrap()).collect()
}

fn enumerate(ast: &Ast, models: &[Model], config: EnumerationConfig) -> Result<Vec<Enumeration>, Refused> {
    enumerate_all(&Replayed(ast.clone()), &models.iter().collect::<Vec<_>>(), config)
}

#[test]
fn pruning_changes_nothing() {
    let models = models(&["wrc11", "rc11-c11", "rc11", "ra", "sra", "pso", "tso", "sc"]);
    let shape = ProgramShape { max_instructions: 5, ..ProgramShape::default() };
    for_seeds(400, shape, |ast| {
        let [pruned, whole] = [true, false].map(|prune| EnumerationConfig {
            prune,
            limit: LIMIT,
            ..EnumerationConfig::default()
        });
        for model in models.iter() {
            // WRC11 does not read `co`, so that pruning, which makes updates adjacent, leaves some `co` out.
            let normal = |found: Enumeration| {
                let is_weak = model.name == "wrc11";
                [found.complete, found.blocked].map(|set| if is_weak { rf_projection(&set) } else { set })
            };
            let model = std::slice::from_ref(model);
            let [pruned, whole] = [pruned, whole].map(|config| enumerate(ast, model, config));
            let [pruned, whole] = [pruned?, whole?].map(|mut found| normal(found.remove(0)));
            assert!(pruned == whole, "{}:\n{ast}", model[0].name);
        }
        Ok(())
    });
}

#[test]
fn one_order_of_building_finds_what_all_orders_find() {
    let models = models(&["rc11", "pso", "sra"]);
    for (index, style) in Style::ALL.into_iter().enumerate() {
        let shape = ProgramShape { max_instructions: 6, ..ProgramShape::of(style) };
        for_seeds(60, shape, |ast| {
            let model = &models[index % models.len()..][..1];
            let [once, all] = [Build::Once, Build::AllOrders].map(|build| {
                let config = EnumerationConfig { build, limit: LIMIT, ..EnumerationConfig::default() };
                enumerate(ast, model, config)
            });
            assert!(once? == all?, "{}:\n{ast}", model[0].name);
            Ok(())
        });
    }
}

#[test]
fn a_model_that_does_not_look_at_coherence_needs_no_coherence_orders() {
    let models = models(&["wrc11"]);
    let shape = ProgramShape { max_instructions: 7, ..ProgramShape::default() };
    for_seeds(300, shape, |ast| {
        let normal = |mut found: Vec<Enumeration>| {
            let Enumeration { complete, blocked, flags, .. } = found.remove(0);
            (rf_projection(&complete), rf_projection(&blocked), flags)
        };
        let config = EnumerationConfig { limit: LIMIT, ..EnumerationConfig::default() };
        let all = normal(enumerate(ast, &models, config)?);
        let one_each = enumerate(ast, &models, EnumerationConfig { with_co: false, ..config })?;
        let n_executions = one_each[0].complete.len() + one_each[0].blocked.len();
        let one_each = normal(one_each);
        assert_eq!(n_executions, one_each.0.len() + one_each.1.len(), "{ast}");
        assert!(all == one_each, "{ast}");
        Ok(())
    });
}

#[test]
fn axioms_and_machines_agree() {
    let models = models(&["pso", "tso", "sc"]);
    let machines = [MachineKind::Pso, MachineKind::Tso, MachineKind::Sc];
    let mut check = |ast: &Ast| {
        for mapping in [Mapping::Compiled, Mapping::Raw] {
            let axiomatic = enumerate(
                ast,
                &models,
                EnumerationConfig { mapping, limit: LIMIT, ..EnumerationConfig::default() },
            )?;
            for (machine, axiomatic) in machines.into_iter().zip(axiomatic) {
                let operational = run_machine(&Replayed(ast.clone()), machine, mapping, 20 * LIMIT)?;
                let missing = axiomatic.complete.difference(&operational.complete).next();
                let extra = operational.complete.difference(&axiomatic.complete).next();
                let show = |execution: Option<&Canonical>| execution.map(Canonical::to_string);
                assert!(
                    axiomatic == operational,
                    "{machine:?} {mapping:?}:\n{ast}\nby axioms only: {:?}\nby the machine only: {:?}",
                    show(missing),
                    show(extra),
                );
            }
        }
        Ok(())
    };
    for_seeds(400, ProgramShape { max_instructions: 7, ..ProgramShape::default() }, &mut check);
    for_seeds(120, ProgramShape { max_instructions: 6, ..ProgramShape::of(Style::Parts) }, &mut check);
}

fn all(found: &Enumeration) -> BTreeSet<Canonical> {
    found.complete.union(&found.blocked).cloned().collect()
}

#[test]
fn stronger_models_have_fewer_executions() {
    let names = ["sc", "tso", "pso", "sra", "ra", "rc11-c11", "rc11", "wrc11"];
    let models = models(&names);
    for_seeds(400, ProgramShape { max_instructions: 6, ..ProgramShape::default() }, |ast| {
        let found =
            enumerate(ast, &models, EnumerationConfig { limit: LIMIT, ..EnumerationConfig::default() })?;
        let set = |name: &str| all(&found[names.iter().position(|other| *other == name).unwrap()]);
        let pairs = [("sc", "tso"), ("tso", "pso"), ("tso", "sra"), ("sra", "ra"), ("rc11-c11", "rc11")];
        for (stronger, weaker) in pairs {
            assert!(set(stronger).is_subset(&set(weaker)), "{stronger} ⊆ {weaker}:\n{ast}");
        }
        let is_weaker = rf_projection(&set("rc11")).is_subset(&rf_projection(&set("wrc11")));
        assert!(is_weaker, "rc11 ⊆ wrc11:\n{ast}");
        Ok(())
    });
}

#[test]
fn rc11_coincides_with_ra_and_sc_on_uniform_programs() {
    let models = models(&["rc11", "ra", "sc"]);
    let config = EnumerationConfig { limit: LIMIT, ..EnumerationConfig::default() };
    let shape = ProgramShape { max_instructions: 6, has_locks: false, ..ProgramShape::default() };
    for_seeds(400, shape, |ast| {
        let mut release_acquire = ast.clone().with_orders(ReadOrder::Acquire, WriteOrder::Release);
        for body in &mut release_acquire.threads {
            drop_fences(body);
        }
        let found = enumerate(&release_acquire, &models[..2], config)?;
        assert!(all(&found[0]) == all(&found[1]), "rc11 = ra:\n{release_acquire}");

        let mut seq_cst = ast.clone().with_orders(ReadOrder::SeqCst, WriteOrder::SeqCst);
        seq_cst.for_each_mut(&mut |stmt| {
            if let Stmt::Fence(order) = stmt {
                *order = FenceOrder::SeqCst;
            }
        });
        let found = enumerate(&seq_cst, &models, config)?;
        assert!(all(&found[0]) == all(&found[2]), "rc11 = sc:\n{seq_cst}");
        Ok(())
    });
}

fn drop_fences(body: &mut Vec<Stmt>) {
    body.retain(|stmt| !matches!(stmt, Stmt::Fence(_)));
    for stmt in body {
        if let Stmt::If(_, inner) | Stmt::Locked(_, inner) = stmt {
            drop_fences(inner);
        }
    }
}
