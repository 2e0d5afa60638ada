//! Which algorithm works under which model, up to which equivalence, and how it runs: the only place where names become
//! types. Each combination is a separate copy of an explorer, compiled here for boxed runs, and by the caller of
//! [`Method::explore_as`] for runs of one type.

use crate::dpor::{self, Buffers, Dpor};
use crate::driver::{Kept, Search, Workers};
use crate::follow::Follow;
use crate::rcmc::{Rcmc, Strong, Weak};
use crate::rvf::{Heuristics, Rvf};
use crate::tracer::Tracer;
use crate::trust::{Co, Probes, Rf, Trust};
use crate::{Config, Control, Custom, Observer, SearchResult, Stats};
use atropos_event::{Mapping, Mixing, Program, Run};
use atropos_graph::Canonical;
use atropos_model::{Pso, Ra, Rc11, ReadsFrom, ReleaseSequences, Sc, Sra, Tso};
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Algorithm {
    #[default]
    Trust,
    Rcmc,
    Tracer,
    SourceDpor,
    OptimalDpor,
    Rvf,
}

/// A built-in model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ModelName {
    Sc,
    Tso,
    Pso,
    Ra,
    Sra,
    Rc11,
    Wrc11,
}

/// What distinguishes executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Equivalence {
    /// Reads-from and coherence.
    Co,
    /// Reads-from.
    Rf,
    /// The values that threads see.
    Values,
}

impl Algorithm {
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Trust,
        Algorithm::Rcmc,
        Algorithm::Tracer,
        Algorithm::SourceDpor,
        Algorithm::OptimalDpor,
        Algorithm::Rvf,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Trust => "trust",
            Algorithm::Rcmc => "rcmc",
            Algorithm::Tracer => "tracer",
            Algorithm::SourceDpor => "source-dpor",
            Algorithm::OptimalDpor => "optimal-dpor",
            Algorithm::Rvf => "rvf",
        }
    }

    /// Whether several workers can share its search.
    pub fn is_parallel(self) -> bool {
        match self {
            Algorithm::Trust | Algorithm::Tracer => true,
            Algorithm::Rcmc | Algorithm::SourceDpor | Algorithm::OptimalDpor | Algorithm::Rvf => false,
        }
    }

    /// Whether parts of its search can be kept or sent to another process.
    pub fn has_text_parts(self) -> bool {
        match self {
            Algorithm::Trust | Algorithm::Tracer => true,
            Algorithm::Rcmc | Algorithm::SourceDpor | Algorithm::OptimalDpor | Algorithm::Rvf => false,
        }
    }

    /// Whether random descents say how large its search is.
    pub fn can_be_probed(self) -> bool {
        self == Algorithm::Trust
    }

    /// Whether its executions are runs of a machine whose memory and store buffers hold bytes.
    fn runs_the_machine(self) -> bool {
        matches!(self, Algorithm::SourceDpor | Algorithm::OptimalDpor)
    }

    /// The built-in models that it supports. TruSt also supports the user's own models, up to `co`.
    pub fn models(self) -> &'static [ModelName] {
        use ModelName::{Pso, Ra, Rc11, Sc, Sra, Tso, Wrc11};
        match self {
            Algorithm::Trust => &[Sc, Tso, Pso, Ra, Sra, Rc11],
            Algorithm::Rcmc => &[Rc11, Wrc11],
            Algorithm::Tracer => &[Ra],
            Algorithm::SourceDpor | Algorithm::OptimalDpor => &[Sc, Tso, Pso],
            Algorithm::Rvf => &[Sc],
        }
    }

    /// Its equivalence under such a model; `None` if the user may choose.
    pub fn equivalence(self, model: ModelName) -> Option<Equivalence> {
        match self {
            Algorithm::Trust => None,
            Algorithm::Rcmc if model == ModelName::Wrc11 => Some(Equivalence::Rf),
            Algorithm::Rcmc | Algorithm::SourceDpor | Algorithm::OptimalDpor => Some(Equivalence::Co),
            Algorithm::Tracer => Some(Equivalence::Rf),
            Algorithm::Rvf => Some(Equivalence::Values),
        }
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Algorithm, String> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Algorithm::name).join(", ");
            format!("unknown algorithm: the algorithms are {names}")
        })
    }
}

impl ModelName {
    pub const ALL: [ModelName; 7] = [
        ModelName::Sc,
        ModelName::Tso,
        ModelName::Pso,
        ModelName::Ra,
        ModelName::Sra,
        ModelName::Rc11,
        ModelName::Wrc11,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ModelName::Sc => "sc",
            ModelName::Tso => "tso",
            ModelName::Pso => "pso",
            ModelName::Ra => "ra",
            ModelName::Sra => "sra",
            ModelName::Rc11 => "rc11",
            ModelName::Wrc11 => "wrc11",
        }
    }

    /// Models of a language, in which a data race is undefined behaviour. Models of machines have no races, and read
    /// C11's orders through a mapping.
    pub fn is_language(self) -> bool {
        match self {
            ModelName::Ra | ModelName::Sra | ModelName::Rc11 | ModelName::Wrc11 => true,
            ModelName::Sc | ModelName::Tso | ModelName::Pso => false,
        }
    }
}

impl Equivalence {
    pub fn name(self) -> &'static str {
        match self {
            Equivalence::Co => "co",
            Equivalence::Rf => "rf",
            Equivalence::Values => "rvf",
        }
    }
}

/// The model of a search.
#[derive(Clone, Copy, Debug)]
pub enum ModelChoice<'a> {
    Builtin(ModelName),
    /// The user's own.
    Custom(&'a Custom),
}

/// How to explore a program.
#[derive(Clone, Copy, Debug)]
pub struct Method<'a> {
    pub algorithm: Algorithm,
    pub model: ModelChoice<'a>,
    pub mapping: Mapping,
    pub release_sequences: ReleaseSequences,
    /// For TruSt; each other algorithm has one.
    pub equivalence: Equivalence,
    /// For RVF-SMC.
    pub heuristics: Heuristics,
}

impl Method<'_> {
    /// Whether no execution is missed if the program accesses a word in several sizes in this way. The arguments are in
    /// docs/ALGORITHMS.md, under *Sizes*.
    pub fn mixes_exactly(&self, mixing: Mixing) -> bool {
        let Mixing { in_several_parts, stores_to_part, loads_beside_own_store } = mixing;
        match self.model {
            ModelChoice::Builtin(ModelName::Sc) => true,
            ModelChoice::Builtin(ModelName::Tso | ModelName::Pso) if self.algorithm.runs_the_machine() => {
                true
            }
            ModelChoice::Builtin(ModelName::Tso) => !loads_beside_own_store,
            ModelChoice::Builtin(ModelName::Pso) => !stores_to_part,
            ModelChoice::Builtin(ModelName::Ra | ModelName::Sra | ModelName::Rc11 | ModelName::Wrc11)
            | ModelChoice::Custom(_) => !stores_to_part && !in_several_parts,
        }
    }

    /// Explores all executions of `program`; each worker has its own observer.
    ///
    /// # Panics
    /// If the algorithm does not support the model.
    pub fn explore<'w, O: Observer + Send>(
        &self,
        program: &dyn Program,
        config: Config,
        control: &Control,
        workers: impl Into<Workers<'w>>,
        observer: impl Fn() -> O + Sync,
    ) -> SearchResult<O> {
        let kept = Kept::new(observer);
        let start = || program.start();
        let workers = workers.into();
        let search = Search { program, start: &start, config, control, workers, observers: &kept };
        let stats = self.run_boxed(&search);
        kept.with(stats)
    }

    /// The same for runs of one type, which `start` starts: the explorers are compiled for it, and faster.
    ///
    /// # Panics
    /// If the algorithm does not support the model.
    pub fn explore_as<'w, R: Run, O: Observer + Send>(
        &self,
        (program, start): (&dyn Program, &(dyn Fn() -> R + Sync)),
        config: Config,
        control: &Control,
        workers: impl Into<Workers<'w>>,
        observer: impl Fn() -> O + Sync,
    ) -> SearchResult<O> {
        let kept = Kept::new(observer);
        let workers = workers.into();
        let stats = self.run(&Search { program, start, config, control, workers, observers: &kept });
        kept.with(stats)
    }

    /// Follows `execution`, and no other. Its coherence order counts unless the equivalence is `rf`.
    pub fn follow<O: Observer + Send>(
        &self,
        execution: &Canonical,
        program: &dyn Program,
        config: Config,
        control: &Control,
        observer: impl Fn() -> O + Sync,
    ) -> SearchResult<O> {
        let kept = Kept::new(observer);
        let start = || program.start();
        let search = Search { program, start: &start, config, control, workers: 1.into(), observers: &kept };
        let stats = self.follow_boxed(execution, &search);
        kept.with(stats)
    }

    /// Descends through the search at random, `most` times, to see how large it is: [`Observer::choice`]. Only TruSt's
    /// search can be probed.
    ///
    /// # Panics
    /// If the algorithm is another one, or does not support the model.
    pub fn probe<O: Observer + Send>(
        &self,
        program: &dyn Program,
        config: Config,
        control: &Control,
        most: u64,
        observer: impl Fn() -> O + Sync,
    ) -> SearchResult<O> {
        let kept = Kept::new(observer);
        let start = || program.start();
        // A descent ends with a violation, and the next one begins.
        let config = Config { keep_going: true, max_executions: None, ..config };
        let search = Search { program, start: &start, config, control, workers: 1.into(), observers: &kept };
        let stats = self.probe_boxed(most, &search);
        kept.with(stats)
    }

    /// Not generic, so that the explorers for boxed runs are compiled here, and not again by every caller.
    #[inline(never)]
    fn run_boxed<'p>(&self, search: &Search<'_, Box<dyn Run + 'p>>) -> Stats {
        self.run(search)
    }

    fn run<R: Run>(&self, search: &Search<'_, R>) -> Stats {
        let model = match self.model {
            ModelChoice::Builtin(model) => model,
            ModelChoice::Custom(custom) => {
                assert_eq!(self.algorithm, Algorithm::Trust, "models of one's own are for TruSt");
                return search.run(&Trust::<_, Co>::new(custom.clone()));
            }
        };
        let release_sequences = self.release_sequences;
        match self.algorithm {
            Algorithm::Trust => self.trust(model, search),
            Algorithm::Rcmc if model == ModelName::Wrc11 => search.run(&Rcmc::<Weak>::new(release_sequences)),
            Algorithm::Rcmc => search.run(&Rcmc::<Strong>::new(release_sequences)),
            Algorithm::Tracer => search.run(&Tracer),
            Algorithm::SourceDpor => search.run(&self.dpor(model, dpor::DporVariant::Source)),
            Algorithm::OptimalDpor => search.run(&self.dpor(model, dpor::DporVariant::Optimal)),
            Algorithm::Rvf => search.run(&Rvf { heuristics: self.heuristics }),
        }
    }

    #[inline(never)]
    fn follow_boxed<'p>(&self, execution: &Canonical, search: &Search<'_, Box<dyn Run + 'p>>) -> Stats {
        let model = match self.model {
            ModelChoice::Builtin(model) => model,
            ModelChoice::Custom(custom) => {
                return search.run(&Follow::<_, Co>::new(custom.clone(), execution));
            }
        };
        match model {
            ModelName::Sc => self.follow_under(Sc::default(), execution, search),
            ModelName::Tso => self.follow_under(Tso::new(self.mapping), execution, search),
            ModelName::Pso => self.follow_under(Pso::new(self.mapping), execution, search),
            ModelName::Ra => self.follow_under(Ra::default(), execution, search),
            ModelName::Sra => self.follow_under(Sra::default(), execution, search),
            ModelName::Rc11 => self.follow_under(Rc11::new(self.release_sequences), execution, search),
            ModelName::Wrc11 => {
                search.run(&Follow::<_, Weak>::new(Rc11::new(self.release_sequences), execution))
            }
        }
    }

    fn follow_under<R: Run, M: ReadsFrom + Clone + Sync>(
        &self,
        model: M,
        execution: &Canonical,
        search: &Search<'_, R>,
    ) -> Stats {
        match self.equivalence {
            Equivalence::Rf => search.run(&Follow::<_, Rf>::new(model, execution)),
            Equivalence::Co | Equivalence::Values => search.run(&Follow::<_, Co>::new(model, execution)),
        }
    }

    fn trust<R: Run>(&self, model: ModelName, search: &Search<'_, R>) -> Stats {
        match model {
            ModelName::Sc => self.trust_under(Sc::default(), search),
            ModelName::Tso => self.trust_under(Tso::new(self.mapping), search),
            ModelName::Pso => self.trust_under(Pso::new(self.mapping), search),
            ModelName::Ra => self.trust_under(Ra::default(), search),
            ModelName::Sra => self.trust_under(Sra::default(), search),
            ModelName::Rc11 => self.trust_under(Rc11::new(self.release_sequences), search),
            ModelName::Wrc11 => panic!("TruSt does not support wrc11"),
        }
    }

    fn trust_under<R: Run, M: ReadsFrom + Clone + Sync>(&self, model: M, search: &Search<'_, R>) -> Stats {
        match self.equivalence {
            Equivalence::Co => search.run(&Trust::<_, Co>::new(model)),
            Equivalence::Rf => search.run(&Trust::<_, Rf>::new(model)),
            Equivalence::Values => panic!("TruSt works up to co or rf"),
        }
    }

    #[inline(never)]
    fn probe_boxed<'p>(&self, most: u64, search: &Search<'_, Box<dyn Run + 'p>>) -> Stats {
        assert!(self.algorithm.can_be_probed(), "{} cannot be probed", self.algorithm.name());
        match self.model {
            ModelChoice::Custom(custom) => search.run(&Probes::<_, Co>::new(custom.clone(), most)),
            ModelChoice::Builtin(ModelName::Sc) => self.probe_under(Sc::default(), most, search),
            ModelChoice::Builtin(ModelName::Tso) => self.probe_under(Tso::new(self.mapping), most, search),
            ModelChoice::Builtin(ModelName::Pso) => self.probe_under(Pso::new(self.mapping), most, search),
            ModelChoice::Builtin(ModelName::Ra) => self.probe_under(Ra::default(), most, search),
            ModelChoice::Builtin(ModelName::Sra) => self.probe_under(Sra::default(), most, search),
            ModelChoice::Builtin(ModelName::Rc11) => {
                self.probe_under(Rc11::new(self.release_sequences), most, search)
            }
            ModelChoice::Builtin(ModelName::Wrc11) => panic!("TruSt does not support wrc11"),
        }
    }

    fn probe_under<R: Run, M: ReadsFrom + Clone + Sync>(
        &self,
        model: M,
        most: u64,
        search: &Search<'_, R>,
    ) -> Stats {
        match self.equivalence {
            Equivalence::Co => search.run(&Probes::<_, Co>::new(model, most)),
            Equivalence::Rf => search.run(&Probes::<_, Rf>::new(model, most)),
            Equivalence::Values => panic!("TruSt works up to co or rf"),
        }
    }

    fn dpor(&self, model: ModelName, variant: dpor::DporVariant) -> Dpor {
        let buffers = match model {
            ModelName::Sc => Buffers::None,
            ModelName::Tso => Buffers::PerThread,
            ModelName::Pso => Buffers::PerLocation,
            ModelName::Ra | ModelName::Sra | ModelName::Rc11 | ModelName::Wrc11 => {
                panic!("there is no machine for {}", model.name())
            }
        };
        Dpor { variant, buffers, mapping: self.mapping }
    }
}
