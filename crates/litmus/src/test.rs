//! A litmus test ready to be checked.

use crate::ast::{Dialect, Litmus};
use crate::condition::Condition;
use crate::lower::{self, Watch};
use crate::parse::parse;
use crate::state::{Answer, FinalValues, Outcomes, Reading, TestResult};
use atropos_event::{Diagnostics, EventId, Texts, Value};
use atropos_vm::{Config, GlobalId, Vm};
use std::collections::BTreeMap;

pub struct Test {
    litmus: Litmus,
    program: Vm,
    watches: Vec<Watch>,
    /// Address and name of each location.
    addresses: Vec<(i64, String)>,
    has_store_fence: bool,
}

/// Reads the litmus test `text`; `file` is its name in diagnostics.
///
/// # Errors
/// The text is not a litmus test, or uses something unsupported.
pub fn load(text: &str, file: &str) -> Result<Test, Diagnostics> {
    load_with(text, file, Config::default())
}

/// As [`load`], with a loop bound or other settings of the machine.
pub fn load_with(text: &str, file: &str, config: Config) -> Result<Test, Diagnostics> {
    let litmus = parse(text, file)?;
    let complain = |complaints| Texts::of_file(file, text).errors(complaints);
    let lowered = lower::lower(&litmus, file, text).map_err(complain)?;
    let config = Config { numbers_threads: true, ..config };
    let program = Vm::new(lowered.module, config).map_err(|problems| problems.in_file(file))?;
    let address = |(index, name)| (program.global_addr(GlobalId(index as u32)).0 as i64, name);
    let addresses = lowered.locations.into_iter().enumerate().map(address).collect();
    let (watches, has_store_fence) = (lowered.watches, lowered.has_store_fence);
    Ok(Test { litmus, program, watches, addresses, has_store_fence })
}

impl Test {
    pub fn name(&self) -> &str {
        &self.litmus.name
    }

    pub fn syntax(&self) -> &Litmus {
        &self.litmus
    }

    pub fn program(&self) -> &Vm {
        &self.program
    }

    pub fn dialect(&self) -> Dialect {
        self.litmus.code.dialect()
    }

    pub fn condition(&self) -> Option<&Condition> {
        self.litmus.condition.as_ref()
    }

    /// Where the final state is in an execution.
    pub fn watches(&self) -> &[Watch] {
        &self.watches
    }

    /// Whether the test is meaningful under the model named `model`.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check_model(&self, model: &str) -> Result<(), String> {
        let is_hardware = ["sc", "tso", "pso"].contains(&model) || model.ends_with(".cat");
        if self.dialect() == Dialect::X86 && !is_hardware {
            return Err(format!(
                "the X86 test {} cannot be checked under {model}, a model of a language: \
                 its models are sc, tso and pso",
                self.name()
            ));
        }
        if self.has_store_fence && model == "pso" {
            return Err(format!(
                "the test {} has an SFENCE, whose effect under pso is not modelled: its models are sc and tso",
                self.name()
            ));
        }
        Ok(())
    }

    /// The final state of a complete execution, given the values of its events.
    pub fn outcome(&self, mut value_of: impl FnMut(EventId) -> Value) -> FinalValues {
        self.watches.iter().map(|watch| watch.extract(value_of(watch.event))).collect()
    }

    fn reading(&self) -> Reading<'_> {
        Reading { watches: &self.watches, addresses: &self.addresses }
    }

    /// The states, and the answer to the condition, when the complete executions ended with `outcomes`.
    /// Executions that the filter rejects do not count.
    pub fn result(&self, outcomes: &Outcomes) -> TestResult {
        let reading = self.reading();
        let mut states = BTreeMap::new();
        let (mut positive, mut negative) = (0, 0);
        for (outcome, count) in outcomes.iter() {
            if self.litmus.filter.as_ref().is_some_and(|filter| !reading.holds(filter, outcome)) {
                continue;
            }
            *states.entry(reading.state(outcome)).or_default() += count;
            match self.condition() {
                Some(condition) if reading.holds(&condition.prop, outcome) => positive += count,
                _ => negative += count,
            }
        }
        let answer = self.condition().map(|condition| Answer {
            quantifier: condition.quantifier,
            condition: condition.to_string(),
            is_ok: condition.quantifier.holds(positive, negative),
            positive,
            negative,
        });
        TestResult { test: self.name().to_owned(), states: states.into_iter().collect(), answer }
    }
}
