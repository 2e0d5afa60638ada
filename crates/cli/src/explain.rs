//! `atropos explain`: why a model forbids executions of a program.
//!
//! The search runs under a model that is as weak as possible. It looks for executions that go wrong, or that satisfy a
//! litmus test's condition, and asks the model in question about each of them. The report shows one execution for each
//! axiom that forbids some, with the cycle that the axiom rules out; or else an execution that the model allows.

use crate::args::ExplainArgs;
use crate::exit::Exit;
use crate::input::{Input, ProgramSource};
use crate::litmus::LitmusInput;
use crate::options::ExplainOptions;
use crate::{logger, output};
use anyhow::{Result, anyhow};
use atropos_check::Condition;
use atropos_event::{Diagnostics, Mapping, Refusal};
use atropos_explore::{Co, Config, Control, Ending, Execution, Observer, Report, Trust, search};
use atropos_graph::Graph;
use atropos_litmus::FinalValues;
use atropos_litmus::condition::Quantifier;
use atropos_llvm::compile::Job;
use atropos_report::explain::{BrokenAxiom, Explanation, broken_axiom, explain};
use atropos_report::human::Detail;
use atropos_report::names::Names;
use atropos_report::{Specification, Style, Witness, text, words};
use std::fmt::Write;

pub fn command(args: ExplainArgs) -> Result<Exit> {
    logger::start(0)?;
    let source = ProgramSource::open(&args.file, &args.more_files)?;
    let options = ExplainOptions::resolve(args, source)?;
    let input = Input::load(&options.input, &options.model, &Job::default())?;
    let asked = Question { options: &options, input: &input };
    let found = asked.search()?;
    if let Some(refusal) = &found.refusal {
        let complaint = words::refusal(refusal, &Names::of_program(input.program()));
        return Err(Diagnostics::from(complaint).in_file(&options.input.source.file()).into());
    }
    let exit = if found.allowed.is_some() { Exit::Violation } else { Exit::Verified };
    output::print(&asked.report(&found)?)?;
    Ok(exit)
}

/// A program, and the model to ask about it.
struct Question<'a> {
    options: &'a ExplainOptions,
    input: &'a Input,
}

/// What the search has found.
#[derive(Default)]
struct ExplainResult {
    /// An execution that the model allows.
    allowed: Option<Witness>,
    /// The axioms that forbid others, each with one execution and the number of all.
    forbidden: Vec<(String, Witness, u64)>,
    refusal: Option<Refusal>,
    /// Why the model cannot judge an execution.
    complaint: Option<String>,
}

/// Asks the model about every execution that goes wrong.
struct Asker<'a> {
    specification: Specification<'a>,
    litmus: Option<&'a LitmusInput>,
    control: &'a Control,
    found: ExplainResult,
}

impl Asker<'_> {
    fn ask(&mut self, graph: &Graph, witness: impl FnOnce() -> Witness) {
        match broken_axiom(graph, self.specification) {
            Err(complaint) => {
                self.found.complaint = Some(complaint);
                self.control.stop();
            }
            Ok(None) => {
                self.found.allowed.get_or_insert_with(witness);
                self.control.stop();
            }
            Ok(Some(BrokenAxiom { name, .. })) => {
                match self.found.forbidden.iter_mut().find(|(known, ..)| *known == name) {
                    Some((.., count)) => *count += 1,
                    None => self.found.forbidden.push((name, witness(), 1)),
                }
            }
        }
    }
}

impl Observer for Asker<'_> {
    fn looks_at_executions(&self) -> bool {
        self.litmus.is_some()
    }

    fn execution(&mut self, _ending: Ending, execution: Execution<'_>) {
        let Some(test) = self.litmus else { return };
        let Execution { graph, run } = execution;
        if is_asked_about(test, &test.state(graph)) {
            self.ask(graph, || Witness::new(graph, run, true));
        }
    }

    fn violation(&mut self, report: Report, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        self.ask(graph, || Witness::new(graph, run, true).blaming(report.thread, &report.events));
    }

    fn refused(&mut self, refusal: Refusal) {
        self.found.refusal = Some(refusal);
    }
}

/// Whether a test's condition asks about executions that end like this: for `forall`, those that violate it.
fn is_asked_about(test: &LitmusInput, outcome: &FinalValues) -> bool {
    test.answer(outcome).is_some_and(|answer| match answer.quantifier {
        Quantifier::Exists | Quantifier::NotExists => answer.positive > 0,
        Quantifier::Forall => answer.negative > 0,
    })
}

impl Question<'_> {
    fn specification(&self) -> Specification<'_> {
        Specification { model: &self.options.cat, mapping: Mapping::Compiled }
    }

    fn search(&self) -> Result<ExplainResult> {
        let control = Control::default();
        let config = Config { keep_going: true, detect_races: false, ..Config::default() };
        let asker = || Asker {
            specification: self.specification(),
            litmus: self.input.litmus(),
            control: &control,
            found: ExplainResult::default(),
        };
        let weaker = &self.options.weaker;
        let search =
            search(self.input.program(), &Trust::<_, Co>::new(weaker.clone()), config, &control, 1, asker);
        let observer = search.observers.into_iter().next().expect("there is one worker");
        match observer.found.complaint {
            Some(complaint) => Err(anyhow!(complaint)),
            None => Ok(observer.found),
        }
    }

    fn report(&self, found: &ExplainResult) -> Result<String> {
        let ExplainOptions { model, weaker, input, style, .. } = self.options;
        let (file, weaker) = (input.source.file(), &weaker.cat().name);
        let mut out = String::new();
        if let Some(witness) = &found.allowed {
            let explanation = self.explain(witness)?;
            writeln!(out, "{file}: {model} allows this execution\n")?;
            writeln!(out, "{}", text::render(&explanation.trace, *style, Detail::Brief))?;
            return Ok(out);
        }
        if found.forbidden.is_empty() {
            let what =
                if self.input.litmus().is_some() { "ends as the condition says" } else { "goes wrong" };
            writeln!(out, "{file}: no execution {what}, not even under {weaker}")?;
        }
        for (_, witness, count) in &found.forbidden {
            let executions =
                if *count == 1 { "this execution".into() } else { format!("{count} executions") };
            writeln!(
                out,
                "{file}: {model} forbids {executions}{}\n",
                if *count == 1 { "" } else { " like this one" }
            )?;
            self.write_forbidden(&mut out, &self.explain(witness)?, *style)?;
        }
        Ok(out)
    }

    fn explain(&self, witness: &Witness) -> Result<Explanation> {
        explain(self.input.program(), witness, self.specification()).map_err(|message| anyhow!(message))
    }

    fn write_forbidden(&self, out: &mut String, explanation: &Explanation, style: Style) -> Result<()> {
        let Some(broken) = &explanation.broken else {
            return Err(anyhow!("the model allows the replayed execution but forbids the original one"));
        };
        writeln!(out, "{}", text::render(&explanation.trace, style, Detail::Brief))?;
        let what = if broken.is_cycle { "rules out the cycle" } else { "rules out" };
        writeln!(out, "its axiom `{}` {what}\n", style.bold(&broken.statement))?;
        let edges: Vec<[String; 3]> = broken.edges.iter().map(|link| explanation.words(link)).collect();
        let width = |column: usize| edges.iter().map(|edge| edge[column].chars().count()).max().unwrap_or(0);
        let (width_from, width_relation) = (width(0), width(1));
        for [from, relation, to] in &edges {
            writeln!(out, "  {from:width_from$}  {relation:─^width_relation$}→  {to}")?;
        }
        writeln!(out)?;
        Ok(())
    }
}
