//! `atropos generate`.

use crate::run::{Run, Sandbox};
use expect_test::expect;

#[test]
fn a_cycle_becomes_a_test() {
    let sandbox = Sandbox::new();
    let output = sandbox.command("generate").arg("PodWW Rel Rfe Acq PodRR Fre").output().unwrap();
    expect![[r#"
        C MP+rlx-rel+acq-rlx
        Cycle=PodWW Rel Rfe Acq PodRR Fre
        {
        [x]=0;
        [y]=0;
        }

        P0 (atomic_int* x, atomic_int* y) {
          atomic_store_explicit(x, 1, memory_order_relaxed);
          atomic_store_explicit(y, 1, memory_order_release);
        }

        P1 (atomic_int* x, atomic_int* y) {
          int r0 = atomic_load_explicit(y, memory_order_acquire);
          int r1 = atomic_load_explicit(x, memory_order_relaxed);
        }

        exists (1:r0=1 /\ 1:r1=0)

        exit 0
    "#]]
    .assert_eq(&Run::of(output).transcript());
}

#[test]
fn all_small_cycles_are_written_and_can_be_checked() {
    let sandbox = Sandbox::new();
    let run = sandbox.run("generate --max-edges 4 --output tests");
    assert_eq!(run.stdout, "6 tests in tests\n", "S, MP, 2+2W, R, SB, LB");
    let exits = ["S", "MP", "2+2W", "R", "SB", "LB"]
        .map(|name| sandbox.run(&format!("check --model tso tests/{name}.litmus")).exit.unwrap());
    assert_eq!(exits, [1, 1, 1, 0, 0, 1]);
}

#[test]
fn a_limit_bounds_the_number() {
    let run = Sandbox::new().run("generate --annotations Rlx,Acq,Rel,Sc --limit 100 --list");
    assert_eq!(run.stdout.lines().count(), 100);
}

#[test]
fn x86_tests_are_x86() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run("generate --dialect x86 --max-edges 4 --output tests").exit, Some(0));
    assert_eq!(sandbox.run("check tests/SB.litmus").exit, Some(0));
}

#[test]
fn what_makes_no_cycle_is_refused() {
    let sandbox = Sandbox::new();
    for args in
        ["generate Rfe", "generate --edges Foo", "generate --annotations Foo", "generate --max-edges 1 -o t"]
    {
        let run = sandbox.run(args);
        assert_eq!((run.exit, run.stdout.as_str()), (Some(2), ""), "{args}: {run:?}");
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
}
