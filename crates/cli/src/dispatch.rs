//! From names to types: each pair of model and equivalence is its own copy of the explorer.

use crate::algorithms::Algorithm;
use crate::collect::Collector;
use crate::models::Model;
use crate::options::{Equivalence, Options};
use atropos_explore::{Co, Control, Rf, Search, parallel};
use atropos_model::{Pso, Ra, Rc11, ReadsFrom, Sc, Sra, Tso};
use atropos_rcmc::{Strong, Weak};
use atropos_vm::Vm;

/// A search that is ready to run.
pub struct Job<'a> {
    pub program: &'a Vm,
    pub options: &'a Options,
    pub control: &'a Control,
}

impl<'a> Job<'a> {
    /// Explores all executions; each worker has its own collector.
    pub fn run<'c>(&self, collector: impl Fn() -> Collector<'c> + Sync) -> Search<Collector<'c>> {
        let Options { model, custom, mapping, release_sequences, config, .. } = self.options;
        match self.options.algorithm {
            Algorithm::Trust => {}
            Algorithm::Rcmc => return self.run_rcmc(collector),
            Algorithm::Tracer => {
                return atropos_tracer::explore(self.program, *config, self.control, collector);
            }
        }
        match model {
            Model::Sc => self.run_with(&Sc::default(), collector),
            Model::Tso => self.run_with(&Tso::new(*mapping), collector),
            Model::Pso => self.run_with(&Pso::new(*mapping), collector),
            Model::Ra => self.run_with(&Ra::default(), collector),
            Model::Sra => self.run_with(&Sra::default(), collector),
            Model::Rc11 => self.run_with(&Rc11::new(*release_sequences), collector),
            Model::Wrc11 => unreachable!("refused with the options"),
            Model::Custom(_) => {
                let custom = custom.as_ref().expect("loaded with the options");
                let Options { config, jobs, .. } = *self.options;
                parallel::explore::<_, _, Co, _>(self.program, custom, config, self.control, jobs, collector)
            }
        }
    }

    fn run_rcmc<'c>(&self, collector: impl Fn() -> Collector<'c>) -> Search<Collector<'c>> {
        let Job { program, options, control } = *self;
        let Options { config, release_sequences, .. } = *options;
        match options.equivalence {
            Equivalence::Co => {
                atropos_rcmc::explore::<_, Strong, _>(program, release_sequences, config, control, collector)
            }
            Equivalence::Rf => {
                atropos_rcmc::explore::<_, Weak, _>(program, release_sequences, config, control, collector)
            }
        }
    }

    fn run_with<'c, M: ReadsFrom + Clone + Sync>(
        &self,
        model: &M,
        collector: impl Fn() -> Collector<'c> + Sync,
    ) -> Search<Collector<'c>> {
        let Job { program, options, control } = *self;
        let Options { config, jobs, .. } = *options;
        match options.equivalence {
            Equivalence::Co => {
                parallel::explore::<_, _, Co, _>(program, model, config, control, jobs, collector)
            }
            Equivalence::Rf => {
                parallel::explore::<_, _, Rf, _>(program, model, config, control, jobs, collector)
            }
        }
    }
}
