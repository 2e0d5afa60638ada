//! From what a search has met to what is shown of it.

use crate::collect::{Found, Met};
use crate::input::Input;
use crate::litmus::{self, Outlook};
use crate::options::{Options, SearchOptions};
use crate::watch::Watch;
use atropos_graph::Graph;
use atropos_model::Custom;
use atropos_report::finding::{investigate_execution, is_weak};
use atropos_report::{
    Context, Description, Finding, Flaw, Recheck, Specification, Trace, Witness, investigate,
};

/// How much is done about what was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// It is checked once more, and shown with its execution.
    Thorough,
    /// It is only mentioned: there is no time.
    None,
}

/// What is said of an execution.
type Claim<'a> = &'a dyn Fn(&Graph) -> Result<(), String>;

pub struct Investigator<'a> {
    pub input: &'a Input,
    pub options: &'a Options,
    pub watch: &'a Watch,
    pub effort: Effort,
}

impl Investigator<'_> {
    /// Checks what was found once more. Unless all violations were asked for, one is enough: the one with the
    /// smallest execution, since workers may have found several before they all stopped.
    pub fn findings(&self, found: &Found) -> Vec<Finding> {
        let mut met: Vec<&Met> = found.violations.iter().collect();
        if !self.options.search.config.keep_going {
            met.sort_by_key(|met| met.witness.graph.len());
            met.truncate(1);
        }
        met.into_iter().map(|met| self.finding(met)).collect()
    }

    pub fn finding(&self, met: &Met) -> Finding {
        let program = self.input.program();
        let describe = || Description::of(program, &met.witness, &met.violation);
        let mentioned = || Finding {
            description: describe(),
            location: met.places.iter().filter_map(|place| place.source.clone()).next_back(),
            trace: None,
            recheck: Recheck::CutShort,
            count: met.count,
        };
        if self.effort == Effort::None {
            return mentioned();
        }
        match self.with_context(|context| investigate(program, &met.witness, &met.violation, context)) {
            Ok(finding) => Finding { count: met.count, ..finding },
            // Its accesses have been broken up since.
            Err(_) if met.is_past => mentioned(),
            Err(difference) => disagree(&describe().message, &difference),
        }
    }

    fn with_context<T>(&self, ask: impl FnOnce(Context<'_>) -> T) -> T {
        let SearchOptions { custom, mapping, .. } = &self.options.search;
        let built_in = atropos_cat::Model::builtin(&self.options.search.specification_name());
        let model = custom.as_ref().map(Custom::cat).or(built_in.as_ref());
        let model = model.expect("a model is built in or the user's own");
        ask(Context {
            specification: Specification { model, mapping: *mapping },
            is_late: &|| self.watch.is_late(),
        })
    }

    /// The execution of a witness in which no thread goes wrong; `claim` says what is wrong with it.
    fn execution(&self, witness: &Witness, message: &str, claim: Claim<'_>) -> (Option<Trace>, Recheck) {
        if self.effort == Effort::None {
            return (None, Recheck::CutShort);
        }
        let program = self.input.program();
        let shown = self.with_context(|context| investigate_execution(program, witness, context, claim));
        let (trace, recheck) = shown.unwrap_or_else(|difference| disagree(message, &difference));
        (Some(trace), recheck)
    }

    pub fn broken_condition(&self, answer: &atropos_litmus::Answer, found: &Found) -> Finding {
        let description = Description::of_flaw(&litmus::flaw(answer));
        let claim = |graph: &Graph| {
            let value = |event| graph.event(graph.slot_of(event)).value;
            let is_bad =
                self.input.litmus().is_some_and(|test| Outlook { test }.is_bad(&test.outcome(value)));
            if is_bad { Ok(()) } else { Err("the condition holds in this execution".to_string()) }
        };
        let shown =
            found.states.bad.as_ref().map(|witness| self.execution(witness, &description.message, &claim));
        let (trace, recheck) = shown.unwrap_or((None, Recheck::Confirmed));
        let location = match self.input {
            Input::Litmus { test, text } => {
                litmus::condition_location(test, &self.options.output.setup.file, text)
            }
            Input::Vm(_) => None,
        };
        Finding { description, location, trace, recheck, count: 1 }
    }

    /// An execution that sequential consistency does not have.
    pub fn weak_execution(&self, witness: &Witness, count: u64) -> Finding {
        let model = self.options.search.model.name().to_string();
        let description = Description::of_flaw(&Flaw::NotRobust { model });
        let (trace, recheck) = self.execution(witness, &description.message, &is_weak);
        Finding { description, location: None, trace, recheck, count }
    }
}

/// A violation that its own re-check denies must never be shown.
fn disagree(message: &str, difference: &str) -> ! {
    panic!("the search found `{message}`, but its independent check disagrees: {difference}")
}
