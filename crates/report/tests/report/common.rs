//! Witnesses from real searches over tiny programs.

use atropos_event::{Refusal, Replayed};
use atropos_explore::{Config, Control, Ending, Execution, Observer, Report, Trust, TrustRules};
use atropos_model::MemoryModel;
use atropos_report::{Context, Specification, Witness};
use atropos_testkit::Ast;

pub type Program = Replayed<Ast>;

/// A program in the testkit's text form. Without `spawn`, the main thread spawns all others and joins them.
pub fn program(text: &str) -> Program {
    let ast: Ast = text.parse().unwrap();
    Replayed(if text.contains("spawn") { ast } else { Ast::parallel(ast.threads) })
}

/// Checks by a specification, without any limit.
pub fn context(specification: Specification<'_>) -> Context<'_> {
    Context { specification, is_late: &|| false }
}

/// Keeps all executions, and all that go wrong.
struct Keep {
    tracks_co: bool,
    witnesses: Vec<Witness>,
    blocked: Vec<Witness>,
    violations: Vec<(Report, Witness)>,
}

impl Observer for Keep {
    fn execution(&mut self, ending: Ending, execution: Execution<'_>) {
        let witness = Witness::new(execution.graph, execution.run, self.tracks_co);
        match ending {
            Ending::Complete => self.witnesses.push(witness),
            Ending::Blocked => self.blocked.push(witness),
        }
    }

    fn violation(&mut self, report: Report, execution: Execution<'_>) {
        let witness = Witness::new(execution.graph, execution.run, self.tracks_co);
        let witness = witness.blaming(report.thread, &report.events);
        self.violations.push((report, witness));
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("{refusal:?}");
    }
}

fn search<M: MemoryModel + Clone + Sync, Q: TrustRules<M>>(
    program: &impl atropos_event::Program,
    model: &M,
) -> Keep {
    let control = Control::default();
    let tracks_co = Q::TRACKS_CO;
    let keep = || Keep { tracks_co, witnesses: Vec::new(), blocked: Vec::new(), violations: Vec::new() };
    let config =
        Config { keep_going: true, detect_races: M::HAS_VIEWS, abandon_doomed: false, ..Config::default() };
    let search =
        atropos_explore::search(program, &Trust::<_, Q>::new(model.clone()), config, &control, 1, keep);
    search.observers.into_iter().next().expect("one worker")
}

/// All complete executions.
pub fn executions<M: MemoryModel + Clone + Sync, Q: TrustRules<M>>(
    program: &impl atropos_event::Program,
    model: &M,
) -> Vec<Witness> {
    search::<M, Q>(program, model).witnesses
}

/// All executions that end blocked.
pub fn blocked<M: MemoryModel + Clone + Sync, Q: TrustRules<M>>(
    program: &impl atropos_event::Program,
    model: &M,
) -> Vec<Witness> {
    search::<M, Q>(program, model).blocked
}

/// All violations.
pub fn violations<M: MemoryModel + Clone + Sync, Q: TrustRules<M>>(
    program: &impl atropos_event::Program,
    model: &M,
) -> Vec<(Report, Witness)> {
    search::<M, Q>(program, model).violations
}
