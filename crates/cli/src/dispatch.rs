//! From names to types: each pair of model and equivalence is its own copy of the explorer.

use crate::algorithms::Algorithm;
use crate::collect::Collector;
use crate::models::Model;
use crate::options::{Equivalence, SearchOptions};
use atropos_explore::dpor::Buffers;
use atropos_explore::rcmc::{Strong, Weak};
use atropos_explore::{Co, Control, Rf, Search, parallel};
use atropos_model::{Pso, Ra, Rc11, ReadsFrom, Sc, Sra, Tso};
use atropos_vm::Vm;

/// A search that is ready to run.
pub struct Job<'a> {
    pub program: &'a Vm,
    pub options: &'a SearchOptions,
    pub control: &'a Control,
}

impl<'a> Job<'a> {
    /// Explores all executions; each worker has its own collector.
    pub fn run<'c>(&self, collector: impl Fn() -> Collector<'c> + Sync) -> Search<Collector<'c>> {
        let SearchOptions { config, rvf, jobs, .. } = *self.options;
        match self.options.algorithm {
            Algorithm::Trust => self.run_trust(collector),
            Algorithm::Rcmc => self.run_rcmc(collector),
            Algorithm::Tracer => {
                atropos_explore::tracer::explore(self.program, config, self.control, jobs, collector)
            }
            Algorithm::SourceDpor => self.run_dpor(atropos_explore::dpor::Algorithm::Source, collector),
            Algorithm::OptimalDpor => self.run_dpor(atropos_explore::dpor::Algorithm::Optimal, collector),
            Algorithm::Rvf => {
                atropos_explore::rvf::explore(self.program, rvf, config, self.control, collector)
            }
        }
    }

    fn run_trust<'c>(&self, collector: impl Fn() -> Collector<'c> + Sync) -> Search<Collector<'c>> {
        let SearchOptions { model, custom, mapping, release_sequences, .. } = self.options;
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
                let SearchOptions { config, jobs, .. } = *self.options;
                parallel::explore::<_, _, Co, _>(self.program, custom, config, self.control, jobs, collector)
            }
        }
    }

    fn run_dpor<'c>(
        &self,
        algorithm: atropos_explore::dpor::Algorithm,
        collector: impl Fn() -> Collector<'c>,
    ) -> Search<Collector<'c>> {
        let buffers = match self.options.model {
            Model::Sc => Buffers::None,
            Model::Tso => Buffers::PerThread,
            Model::Pso => Buffers::PerLocation,
            _ => unreachable!("refused with the options"),
        };
        let SearchOptions { mapping, config, .. } = *self.options;
        let setting = (algorithm, buffers, mapping);
        let found = atropos_explore::dpor::explore(self.program, setting, config, self.control, collector);
        Search { stats: found.stats, observers: vec![found.observer] }
    }

    fn run_rcmc<'c>(&self, collector: impl Fn() -> Collector<'c>) -> Search<Collector<'c>> {
        let Job { program, options, control } = *self;
        let SearchOptions { config, release_sequences, .. } = *options;
        if options.model == Model::Wrc11 {
            atropos_explore::rcmc::explore::<_, Weak, _>(
                program,
                release_sequences,
                config,
                control,
                collector,
            )
        } else {
            atropos_explore::rcmc::explore::<_, Strong, _>(
                program,
                release_sequences,
                config,
                control,
                collector,
            )
        }
    }

    fn run_with<'c, M: ReadsFrom + Clone + Sync>(
        &self,
        model: &M,
        collector: impl Fn() -> Collector<'c> + Sync,
    ) -> Search<Collector<'c>> {
        let Job { program, options, control } = *self;
        let SearchOptions { config, jobs, .. } = *options;
        match options.equivalence {
            Equivalence::Co => {
                parallel::explore::<_, _, Co, _>(program, model, config, control, jobs, collector)
            }
            Equivalence::Rf => {
                parallel::explore::<_, _, Rf, _>(program, model, config, control, jobs, collector)
            }
            Equivalence::Rvf => unreachable!("has its own explorer"),
        }
    }
}
