//! From the violations of a search to the findings of a report.

use crate::collect::{Found, FoundViolation};
use crate::{Check, Condition};
use atropos_cat::Model;
use atropos_event::{SourceLocation, Violation};
use atropos_explore::catalogue::{ModelChoice, ModelName};
use atropos_graph::Graph;
use atropos_model::ReleaseSequences;
use atropos_report::finding::{investigate_execution, is_weak};
use atropos_report::{
    Context, Description, Finding, Flaw, Recheck, Specification, Trace, Witness, investigate,
};

/// How much to do about a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Check it again, and show it with its execution.
    Thorough,
    /// Only mention it, because there is no time.
    None,
}

/// The description of an execution.
type Claim<'a> = &'a dyn Fn(&Graph) -> Result<(), String>;

pub(crate) struct Investigator<'a> {
    pub check: &'a Check<'a>,
    pub is_late: &'a dyn Fn() -> bool,
    pub effort: Effort,
}

impl Investigator<'_> {
    /// Checks the violations again. Unless the user asked for all, one is enough: the one with the smallest execution,
    /// since workers may find several before all of them stop.
    pub fn findings(&self, found: &Found) -> Vec<Finding> {
        let mut met: Vec<&FoundViolation> = found.violations.iter().collect();
        if !self.check.settings.config.keep_going {
            met.sort_by_key(|met| met.size());
            met.truncate(1);
        }
        met.into_iter().map(|met| self.finding(met)).collect()
    }

    pub fn finding(&self, met: &FoundViolation) -> Finding {
        let program = self.check.program;
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
        match self.investigate(&met.witness, &met.violation) {
            Ok(finding) => Finding { count: met.count, ..finding },
            // The machine has split its accesses since then.
            Err(_) if met.is_past => mentioned(),
            Err(difference) => disagree(&describe().message, &difference),
        }
    }

    /// # Errors
    /// How the independent check disagrees.
    pub fn investigate(&self, witness: &Witness, violation: &Violation) -> Result<Finding, String> {
        self.with_context(|context| investigate(self.check.program, witness, violation, context))
    }

    fn with_context<T>(&self, ask: impl FnOnce(Context<'_>) -> T) -> T {
        let method = &self.check.settings.method;
        let built_in;
        let model = match (method.model, method.release_sequences) {
            (ModelChoice::Custom(custom), _) => custom.cat(),
            (ModelChoice::Builtin(model), release_sequences) => {
                let name = match (model, release_sequences) {
                    (ModelName::Rc11, ReleaseSequences::C11) => "rc11-c11",
                    _ => model.name(),
                };
                built_in = Model::builtin(name).expect("every model has its file");
                &built_in
            }
        };
        let specification = Specification { model, mapping: method.mapping };
        ask(Context { specification, is_late: self.is_late })
    }

    /// The execution of a witness as the report shows it, if the re-check confirms that the program and the model have
    /// it.
    ///
    /// # Errors
    /// How they differ.
    pub fn replayed(&self, witness: &Witness) -> Result<Trace, String> {
        let program = self.check.program;
        let shown =
            self.with_context(|context| investigate_execution(program, witness, context, &|_| Ok(())));
        shown.map(|(trace, _)| trace)
    }

    /// The execution of a witness in which no thread fails; `claim` says what is wrong with it.
    fn execution(&self, witness: &Witness, message: &str, claim: Claim<'_>) -> (Option<Trace>, Recheck) {
        if self.effort == Effort::None {
            return (None, Recheck::CutShort);
        }
        let program = self.check.program;
        let shown = self.with_context(|context| investigate_execution(program, witness, context, claim));
        let (trace, recheck) = shown.unwrap_or_else(|difference| disagree(message, &difference));
        (Some(trace), recheck)
    }

    pub(crate) fn broken_condition(
        &self,
        condition: &dyn Condition,
        flaw: &Flaw,
        location: Option<SourceLocation>,
        found: &Found,
    ) -> Finding {
        let description = Description::of_flaw(flaw);
        let claim = |graph: &Graph| match condition.is_bad(&condition.state(graph)) {
            true => Ok(()),
            false => Err("the condition holds in this execution".to_string()),
        };
        let shown =
            found.states.bad.as_ref().map(|witness| self.execution(witness, &description.message, &claim));
        let (trace, recheck) = shown.unwrap_or((None, Recheck::Confirmed));
        Finding { description, location, trace, recheck, count: 1 }
    }

    /// An execution that is not sequentially consistent.
    pub(crate) fn weak_execution(&self, model: String, witness: &Witness, count: u64) -> Finding {
        let description = Description::of_flaw(&Flaw::NotRobust { model });
        let (trace, recheck) = self.execution(witness, &description.message, &is_weak);
        Finding { description, location: None, trace, recheck, count }
    }
}

/// Stops Atropos: a violation that the re-check denies must never be shown.
fn disagree(message: &str, difference: &str) -> ! {
    panic!("the search found `{message}`, but its independent check disagrees: {difference}")
}
