//! The comparison of the algorithms for release-acquire on litmus tests [Tracer §6.1]; `litmus-table` does more of
//! them.

use atropos_differential::litmus_table::{Line, TOOLS, table, tests};

fn line(lines: &[Line], name: &str) -> Line {
    lines[TOOLS.iter().position(|(tool, ..)| *tool == name).unwrap()]
}

#[test]
fn only_wrc11_answers_wrongly_and_tracer_needs_fewer_executions() {
    let (lines, n_tests) = table(tests(60, 31));
    assert_eq!(n_tests, 60);
    for name in ["RCMC/RC11", "Tracer", "TruSt, co", "TruSt, rf"] {
        let Line { n_wrong, n_different, .. } = line(&lines, name);
        assert_eq!((n_wrong, n_different), (0, 0), "{name}");
    }
    let (weak, tracer) = (line(&lines, "RCMC/WRC11"), line(&lines, "Tracer"));
    assert!(weak.n_wrong > 0, "WRC11 allows what RA forbids");
    assert!(tracer.n_executions < weak.n_executions, "{tracer:?} {weak:?}");
    assert!(tracer.n_executions <= line(&lines, "RCMC/RC11").n_executions);
    assert_eq!(tracer.n_executions, line(&lines, "TruSt, rf").n_executions);
}
