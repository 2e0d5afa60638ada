//! From names to types: each pair of model and equivalence is its own copy of the explorer.

use crate::algorithms::Algorithm;
use crate::collect::Collector;
use crate::models::Model;
use crate::options::{Equivalence, SearchOptions};
use atropos_explore::dpor::{self, Buffers, Dpor};
use atropos_explore::rcmc::{Rcmc, Strong, Weak};
use atropos_explore::rvf::Rvf;
use atropos_explore::tracer::Tracer;
use atropos_explore::{Co, Control, Rf, Search, Strategy, Trust, search};
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
        let SearchOptions { rvf: heuristics, release_sequences, ref model, .. } = *self.options;
        match self.options.algorithm {
            Algorithm::Trust => self.run_trust(collector),
            Algorithm::Rcmc if *model == Model::Wrc11 => {
                self.run_by(&Rcmc::<Weak>::new(release_sequences), collector)
            }
            Algorithm::Rcmc => self.run_by(&Rcmc::<Strong>::new(release_sequences), collector),
            Algorithm::Tracer => self.run_by(&Tracer, collector),
            Algorithm::SourceDpor => self.run_by(&self.dpor(dpor::Algorithm::Source), collector),
            Algorithm::OptimalDpor => self.run_by(&self.dpor(dpor::Algorithm::Optimal), collector),
            Algorithm::Rvf => self.run_by(&Rvf { heuristics }, collector),
        }
    }

    fn run_trust<'c>(&self, collector: impl Fn() -> Collector<'c> + Sync) -> Search<Collector<'c>> {
        let SearchOptions { model, custom, mapping, release_sequences, .. } = self.options;
        match model {
            Model::Sc => self.run_with(Sc::default(), collector),
            Model::Tso => self.run_with(Tso::new(*mapping), collector),
            Model::Pso => self.run_with(Pso::new(*mapping), collector),
            Model::Ra => self.run_with(Ra::default(), collector),
            Model::Sra => self.run_with(Sra::default(), collector),
            Model::Rc11 => self.run_with(Rc11::new(*release_sequences), collector),
            Model::Wrc11 => unreachable!("refused with the options"),
            Model::Custom(_) => {
                let custom = custom.clone().expect("loaded with the options");
                self.run_by(&Trust::<_, Co>::new(custom), collector)
            }
        }
    }

    fn dpor(&self, algorithm: dpor::Algorithm) -> Dpor {
        let buffers = match self.options.model {
            Model::Sc => Buffers::None,
            Model::Tso => Buffers::PerThread,
            Model::Pso => Buffers::PerLocation,
            _ => unreachable!("refused with the options"),
        };
        Dpor { algorithm, buffers, mapping: self.options.mapping }
    }

    fn run_with<'c, M: ReadsFrom + Clone + Sync>(
        &self,
        model: M,
        collector: impl Fn() -> Collector<'c> + Sync,
    ) -> Search<Collector<'c>> {
        match self.options.equivalence {
            Equivalence::Co => self.run_by(&Trust::<_, Co>::new(model), collector),
            Equivalence::Rf => self.run_by(&Trust::<_, Rf>::new(model), collector),
            Equivalence::Rvf => unreachable!("has its own explorer"),
        }
    }

    fn run_by<'c>(
        &self,
        strategy: &impl Strategy<Vm>,
        collector: impl Fn() -> Collector<'c> + Sync,
    ) -> Search<Collector<'c>> {
        let SearchOptions { config, jobs, .. } = *self.options;
        search(self.program, strategy, config, self.control, jobs, collector)
    }
}
