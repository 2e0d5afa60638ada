//! `atropos models` and `atropos algorithms`.

use crate::run::Sandbox;
use expect_test::expect;

#[test]
fn models_are_listed_with_their_axioms() {
    let run = Sandbox::new().run("models");
    let names: Vec<_> = run
        .stdout
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| !name.is_empty())
        .take(7)
        .collect();
    assert!(
        run.stdout.contains("seq_cst store           write                  write that drains the buffer")
    );
    assert_eq!(names, ["sc", "tso", "pso", "ra", "sra", "rc11", "wrc11"]);
    expect![[r#"
        tso   total store order: one store buffer per thread, as on x86
              acyclic po | rf | sync as no-thin-air
              acyclic po-loc | rf | co | fr as coherence
              empty broken-rmw as atomicity
              acyclic ppo | sync | rfe | merged | co | fr | at-once as tso

    "#]]
    .assert_eq(&Sandbox::new().run("models tso").stdout);
}

#[test]
fn a_model_file_can_be_listed_too() {
    let sandbox = Sandbox::new().with("mine.cat", "\"Mine\"\nacyclic po | rf as causality\n");
    assert!(sandbox.run("models mine.cat").stdout.contains("acyclic po | rf as causality"));
    let broken = Sandbox::new().with("mine.cat", "\"Mine\"\nacyclic po |\n").run("models mine.cat");
    expect![[r#"
        stderr: mine.cat:3:1: error: expected a set or relation, found the end of the file
        stderr:   |
        stderr: 3 |
        stderr:   | ^
        exit 2
    "#]]
    .assert_eq(&broken.transcript());
}

#[test]
fn algorithms_are_listed_with_their_models() {
    expect![[r#"
        trust
               visits every execution exactly once and stores none of them; any number of workers
               up to rf: sc tso pso ra sra rc11
               up to co: sc tso pso ra sra rc11 FILE.cat
        rcmc
               visits every execution, some more than once if the program has read-modify-writes (it then stores
               a fingerprint of each); checks the sc axiom only at the end; one worker; the only one for wrc11
               up to rf: wrc11
               up to co: rc11
        tracer
               visits every execution exactly once and never tries an inconsistent one; memory grows with the
               pending schedules; any number of workers; prefer it when trust reports many dead ends
               up to rf: ra
        source-dpor
               runs the store-buffer machine and reverses races; visits every execution once, but also starts
               traces that turn out to be redundant (counted as blocked); one worker
               up to co: sc tso pso
        optimal-dpor
               like source-dpor, but plans whole sequences ahead, so that no trace is redundant; planning costs
               time and memory; one worker
               up to co: sc tso pso
        rvf
               visits each combination of values that threads can see, at most once for each causal order of
               the reads; prefer it when few different values are written often; one worker
               up to values: sc
        auto
               trust up to rf; from 4,096 executions on, trust up to co if random descents suggest that this is
               faster, or rvf under sc if it comes to its end after far fewer executions; prefer it when nothing is
               known of a program that takes long; what is chosen depends on the program and the options alone
    "#]]
    .assert_eq(&Sandbox::new().run("algorithms").stdout);
}
