//! What tests of the library demand.

use atropos::{Builder, Outcome, Verdict};

pub fn verified(body: impl Fn() + Send + Sync + 'static) -> Outcome {
    let outcome = Builder::new().explore(body);
    assert_eq!(outcome.verdict(), Verdict::Verified, "{}", outcome.report());
    outcome
}

/// Demands a violation of this kind at a line of the file that contains `line`. The file is its name and its text.
pub fn violation(file: [&str; 2], kind: &str, line: &str, body: impl Fn() + Send + Sync + 'static) {
    let outcome = Builder::new().explore(body);
    assert_eq!(outcome.verdict(), Verdict::Violation, "{}", outcome.report());
    let kinds: Vec<_> = outcome.violations().iter().map(|kind| kind.name()).collect();
    assert_eq!(kinds, [kind], "{}", outcome.report());
    let is_meant = |text: &str| text.contains(line) && text.contains("//~") && !text.contains("violation(");
    let expected = file[1].lines().position(is_meant);
    let expected = expected.map(|index| format!("{}:{}:", file[0], index + 1));
    assert!(expected.is_some_and(|place| outcome.report().contains(&place)), "{}", outcome.report());
}
