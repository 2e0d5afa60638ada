//! Generated litmus tests: the explorers' states and verdicts against the oracle's. The program `litmus-oracle`
//! does the same for thousands.

use atropos_differential::litmus::{Family, Judge, Judged};

#[test]
fn generated_litmus_tests_are_answered_as_the_oracle_answers() {
    let judge = Judge::default();
    let mut n_allowed = 0;
    let mut n_tests = 0;
    for family in Family::all() {
        for test in family.tests(70, 17) {
            match judge.check(&test) {
                Ok(Judged::Agreed { n_allowed: n_more, .. }) => n_allowed += n_more,
                Ok(Judged::Skipped) => panic!("{} is too large", test.name()),
                Err(difference) => panic!("{difference}"),
            }
            n_tests += 1;
        }
    }
    assert!(n_tests >= 280, "{n_tests} tests");
    assert!(n_allowed > n_tests / 4, "weak behaviour is seen: {n_allowed} of {n_tests} tests");
}
