//! Executions as text: whatever a search finds parses back, and a fresh run of the program can be led through it again.

use atropos_differential::machine;
use atropos_event::{Mapping, Program, Refusal, RefusalReason, ReplayDifference, ViolationKind};
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelChoice, ModelName};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{Config, Control, Ending, Execution, Observer, Report};
use atropos_graph::Canonical;
use atropos_model::ReleaseSequences;
use atropos_testkit::{Ast, ProgramShape, Rng, Style, generate};

/// Executions of a program to replay, at most.
const MOST: u64 = 12;

/// What a search finds: executions that end, and those that show a violation.
#[derive(Default)]
struct Collect {
    has_co: bool,
    ended: Vec<(Ending, Canonical)>,
    violations: Vec<(ViolationKind, Canonical)>,
    refusal: Option<RefusalReason>,
}

impl Observer for Collect {
    fn execution(&mut self, ending: Ending, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        self.ended.push((ending, Canonical::of(graph, |thread| run.key(thread), self.has_co)));
    }

    fn violation(&mut self, report: Report, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        let canonical = Canonical::of(graph, |thread| run.key(thread), self.has_co);
        self.violations.push((report.violation.kind(), canonical));
    }

    fn refused(&mut self, refusal: Refusal) {
        self.refusal = Some(refusal.reason);
    }
}

fn method(algorithm: Algorithm, model: ModelName, equivalence: Equivalence) -> Method<'static> {
    Method {
        algorithm,
        model: ModelChoice::Builtin(model),
        mapping: Mapping::Compiled,
        release_sequences: ReleaseSequences::default(),
        equivalence: algorithm.equivalence(model).unwrap_or(equivalence),
        heuristics: Heuristics::default(),
    }
}

fn config(model: ModelName) -> Config {
    let is_machine = matches!(model, ModelName::Sc | ModelName::Tso | ModelName::Pso);
    Config { keep_going: true, detect_races: !is_machine, ..Config::default() }
}

fn explore(program: &dyn Program, method: Method<'_>, model: ModelName) -> Collect {
    let has_co = method.equivalence != Equivalence::Rf;
    let config = Config { max_executions: Some(MOST), ..config(model) };
    let observer = || Collect { has_co, ..Collect::default() };
    method.explore(program, config, &Control::default(), 1, observer).observers.remove(0)
}

/// Leads a fresh run through an execution.
fn follow(ast: &Ast, execution: &Canonical, method: Method<'_>, model: ModelName) -> Collect {
    let has_co = method.equivalence != Equivalence::Rf;
    let observer = || Collect { has_co, ..Collect::default() };
    let found = method.follow(execution, &machine(ast), config(model), &Control::default(), observer);
    found.observers.into_iter().next().expect("there is one worker")
}

/// Whether the refusal is one of those that a replay may end with.
fn is_part(refusal: &Option<RefusalReason>) -> bool {
    matches!(refusal, Some(RefusalReason::OtherExecution { difference: ReplayDifference::Part, .. }))
}

/// Replays what the algorithm finds, from its text. Returns the number of executions.
fn check(ast: &Ast, algorithm: Algorithm, model: ModelName, equivalence: Equivalence) -> usize {
    let method = method(algorithm, model, equivalence);
    let found = explore(&machine(ast), method, model);
    let context = || format!("{algorithm:?} under {model:?} of\n{ast}");
    for (ending, execution) in &found.ended {
        let parsed = execution.to_string().parse::<Canonical>();
        assert_eq!(parsed.as_ref(), Ok(execution), "{}", context());
        let again = follow(ast, execution, method, model);
        if !is_part(&again.refusal) {
            let expected = [(*ending, execution.clone())];
            assert_eq!((&again.ended[..], &again.refusal), (&expected[..], &None), "{}", context());
        }
    }
    for (kind, execution) in &found.violations {
        let again = follow(ast, execution, method, model);
        let is_there = again.violations.iter().any(|(other, _)| other == kind);
        assert!(
            is_there || is_part(&again.refusal),
            "{kind}: {:?} {}\n{execution}",
            again.refusal,
            context()
        );
    }
    found.ended.len() + found.violations.len()
}

#[test]
fn what_is_found_can_be_replayed() {
    let mut n_replayed = 0;
    for style in Style::ALL {
        for seed in 0..12 {
            let ast = generate(
                seed,
                &ProgramShape { has_asserts: true, has_plain: true, ..ProgramShape::of(style) },
            );
            for algorithm in Algorithm::ALL {
                for &model in algorithm.models() {
                    n_replayed += check(&ast, algorithm, model, Equivalence::Co);
                }
            }
            for model in [ModelName::Rc11, ModelName::Tso] {
                n_replayed += check(&ast, Algorithm::Trust, model, Equivalence::Rf);
            }
        }
    }
    assert!(n_replayed > 1000, "{n_replayed} executions");
}

/// A word of the text is replaced by another one, or a line is gone, twice or elsewhere.
fn broken(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let [one, other] = [(); 2].map(|()| rng.below(lines.len()));
    match rng.below(5) {
        0 => {
            lines.remove(one);
        }
        1 => lines.swap(one, other),
        2 => lines.insert(one, lines[other].clone()),
        _ => {
            let words: Vec<&str> = text.split_whitespace().collect();
            let mut of_line: Vec<String> = lines[one].split_whitespace().map(String::from).collect();
            let at = rng.below(of_line.len());
            of_line[at] = match rng.below(4) {
                0 => "18446744073709551615".to_string(),
                1 => "0x10000/255".to_string(),
                _ => words[rng.below(words.len())].to_string(),
            };
            lines[one] = of_line.join(" ");
        }
    }
    lines.join("\n")
}

#[test]
fn broken_executions_are_refused_or_replayed() {
    let (mut n_faulty, mut n_refused, mut n_followed) = (0, 0, 0);
    for seed in 0..60 {
        let style = Style::ALL[seed as usize % Style::ALL.len()];
        let ast = generate(seed, &ProgramShape::of(style));
        let mut rng = Rng::new(seed);
        for model in [ModelName::Rc11, ModelName::Tso, ModelName::Wrc11] {
            let algorithm = if model == ModelName::Wrc11 { Algorithm::Rcmc } else { Algorithm::Trust };
            let method = method(algorithm, model, Equivalence::Co);
            for (_, execution) in explore(&machine(&ast), method, model).ended.iter().take(3) {
                for _ in 0..6 {
                    let mut text = execution.to_string();
                    for _ in 0..=rng.below(3) {
                        text = broken(&text, &mut rng);
                    }
                    match text.parse::<Canonical>() {
                        Err(fault) => {
                            assert!(fault.span.end as usize <= text.len(), "{}: {text}", fault.message);
                            n_faulty += 1;
                        }
                        Ok(execution) => {
                            let again = follow(&ast, &execution, method, model);
                            n_refused += usize::from(again.refusal.is_some());
                            n_followed += usize::from(again.refusal.is_none());
                        }
                    }
                }
            }
        }
    }
    assert!(n_faulty > 100 && n_refused > 100 && n_followed > 10, "{n_faulty} {n_refused} {n_followed}");
}
