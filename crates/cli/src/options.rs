//! The resolved options of a check: defaults are filled in and contradictions refused. [`CheckOptions::resolve`]
//! consumes the command line; no other code looks at it.

mod ways;

pub use ways::AlgorithmChoice;

use crate::algorithms;
use crate::args::{
    CheckArgs, Color, ExplainArgs, Format, InputArgs, LimitArgs, MixedSizes, OutputArgs, SearchArgs, Unroll,
};
use crate::cluster::ServeOptions;
use crate::flags::{CheckRequest, Settled};
use crate::graphs::finding_path;
use crate::input::{InputOptions, OrderOptions, ProgramKind, ProgramSource, machine};
use crate::models::{Model, load_cat};
use crate::output;
use crate::replay::ReplayedGraph;
use crate::reports::ReportFile;
use anyhow::{Result, bail};
use atropos_cat::Model as Cat;
use atropos_check::Settings;
use atropos_check::auto::Way;
use atropos_event::{Diagnostic, Diagnostics, Mapping};
use atropos_explore::Config;
use atropos_explore::Custom;
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelChoice, ModelName};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{Reduction, Reductions};
use atropos_model::ReleaseSequences;
use atropos_report::human::Detail;
use atropos_report::{Setup, Style};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Everything known about a check before it starts.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    pub input: InputOptions,
    pub search: SearchOptions,
    pub limits: Limits,
    pub output: OutputOptions,
    /// The execution to replay, instead of exploring all.
    pub replay: Option<Arc<ReplayedGraph>>,
    pub checkpoint: Option<CheckpointOptions>,
    /// How to offer the check to other processes, instead of exploring in this one.
    pub serve: Option<ServeOptions>,
    /// Commands that repeat the check under stronger models.
    pub elsewhere: Vec<Vec<String>>,
    /// The options of a second search, in case the default algorithm does not explore accesses of several sizes
    /// exactly.
    pub exact: Option<Box<CheckOptions>>,
    /// Other ways to explore, for a check that chooses one.
    pub ways: Vec<(Way, CheckOptions)>,
}

/// What to explore, and how.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    pub algorithm: Algorithm,
    pub model: Model,
    /// The model itself, if it is the user's own.
    pub custom: Option<Custom>,
    pub mapping: Mapping,
    pub release_sequences: ReleaseSequences,
    pub equivalence: Equivalence,
    pub rvf: Heuristics,
    pub config: Config,
    pub jobs: usize,
    pub checks_robustness: bool,
    /// Whether leaks are violations; otherwise they are warnings.
    pub forbids_leaks: bool,
    pub mixed_sizes: MixedSizes,
}

/// Where to record what was explored.
#[derive(Clone, Debug)]
pub struct CheckpointOptions {
    pub file: PathBuf,
    /// What decides which executions there are, by name.
    pub settings: Vec<(String, String)>,
}

impl CheckpointOptions {
    /// The options of `args`, if they ask for a file.
    fn of(args: &CheckArgs, settled: &Settled) -> Option<CheckpointOptions> {
        let file = args.search.checkpoint.clone()?;
        Some(CheckpointOptions { file, settings: args.given.settings(settled) })
    }
}

/// When to give up. The number of executions is in [`SearchOptions::config`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub timeout: Option<Duration>,
    pub memory_mib: Option<u64>,
}

/// What to report.
#[derive(Clone, Debug)]
pub struct OutputOptions {
    pub format: Format,
    pub style: Style,
    /// The style for standard error, which may be another terminal.
    pub color: Color,
    pub detail: Detail,
    pub prints_executions: bool,
    pub reports: Vec<ReportFile>,
    pub dump_graphs: Option<PathBuf>,
    pub survey: SurveyRequest,
    /// Whether to show a replayed execution step by step.
    pub steps: bool,
    /// The report's description of the check.
    pub setup: Setup,
}

/// What to find out about the size of the search before it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SurveyRequest {
    Nothing,
    Estimate,
    /// Also where executions come from.
    Profile,
}

impl CheckOptions {
    /// Resolves `args` for the program in `source`, which `args` names.
    ///
    /// # Errors
    /// If options contradict each other or the kind of program, or have no effect.
    pub fn resolve(args: CheckArgs, source: ProgramSource) -> Result<CheckOptions> {
        CheckOptions::resolve_for(args, source, None)
    }

    /// The same for a check that is offered to other processes.
    ///
    /// # Errors
    /// See [`CheckOptions::resolve`].
    pub fn resolve_served(
        args: CheckArgs,
        source: ProgramSource,
        server: ServeOptions,
    ) -> Result<CheckOptions> {
        args.given.refuse_for_serve()?;
        let model = args.search.model.clone().unwrap_or_else(|| source.kind().default_model());
        let algorithm = args.search.first_algorithm(&model);
        if !algorithm.has_text_parts() {
            let name = algorithm.name();
            bail!(
                "a search of {name} cannot be spread over processes: use --algorithm trust or tracer, or `atropos check`"
            );
        }
        if let Some(Model::Custom(path)) = &args.search.model {
            bail!(
                "{}: a model of your own cannot be sent to workers: use a built-in model, or `atropos check`",
                path.display()
            );
        }
        CheckOptions::resolve_for(args, source, Some(server))
    }

    fn resolve_for(
        args: CheckArgs,
        source: ProgramSource,
        serve: Option<ServeOptions>,
    ) -> Result<CheckOptions> {
        let kind = source.kind();
        let is_default_model = args.search.model.is_none();
        let model = args.search.model.clone().unwrap_or_else(|| kind.default_model());
        let algorithm = args.search.first_algorithm(&model);
        let ways = ways::choice(&args, &model, kind, serve.is_some())?;
        let may_change_algorithm = serve.is_none() && ways::may_change_algorithm(&args.search, &model);
        let replay = args.search.replay.as_deref().map(ReplayedGraph::read).transpose()?.map(Arc::new);
        if replay.is_none() {
            algorithms::check_model(algorithm, &model)?;
        }
        args.given.refuse_idle(&CheckRequest { args: &args, kind, model: &model, algorithm })?;
        refuse_parts(&args.file, &args.more_files, &args.cflags, kind)?;
        Unroll::refuse_repetition(&args.input.unroll)?;
        let equivalence = match &replay {
            Some(replay) => equivalence_of_replay(replay, &model),
            None => settle_equivalence(&args.search, algorithm, &model)?,
        };
        let again = |algorithm, replay| {
            again(&args, &Settled { model: model.name(), algorithm, equivalence, replay })
        };
        let given = args.search.replay.as_ref().map(|path| path.display().to_string());
        let (command, exact_command) = (again(algorithm, given), again(Algorithm::OptimalDpor, None));
        let written = args.output.dump_graphs.as_deref().map(|folder| finding_path(folder, 1));
        let replay_command = written.map(|path| again(algorithm, Some(path.display().to_string())));

        let settled = Settled { model: model.name(), algorithm, equivalence, replay: None };
        let checkpoint = CheckpointOptions::of(&args, &settled);
        let serve = serve.map(|serve| serve.of(&args.given, &settled));
        let elsewhere = if replay.is_none() { elsewhere(&args, &model) } else { Vec::new() };
        let CheckArgs { cflags, search, input, limits, output, .. } = args;
        let shows_executions = shows_executions(&output, kind);
        let config = settle_config(&search, &limits, &model, replay.is_some());
        let (plain_as_relaxed, reductions) =
            (search.no_race_detection, search.reduce.clone().unwrap_or_default());
        let mut search = SearchOptions::resolve(search, model, algorithm, equivalence, config)?;
        let setup = Setup {
            version: env!("CARGO_PKG_VERSION").to_string(),
            file: source.file(),
            model: search.model.name(),
            model_note: model_note(&search, plain_as_relaxed, is_default_model),
            algorithm: if replay.is_some() { "replay" } else { algorithm.name() }.to_string(),
            algorithm_note: replay.as_ref().map(|replay| format!("of {}", replay.file)),
            equivalence: equivalence.name().to_string(),
            jobs: search.jobs,
            unroll: Unroll::every(&input.unroll),
            is_replay: replay.is_some(),
            command,
            replay: replay_command,
        };
        let (mapping, detects_races) = (search.mapping, config.detect_races);
        let orders = OrderOptions { mapping, detects_races, plain_as_relaxed };
        let mut machine = machine(&input, &search.model, orders, kind);
        let applied = applied(&search, &reductions, shows_executions);
        let config = &mut search.config;
        [machine.cuts_retries, config.symmetry, config.rmws, config.barriers, config.locks] = applied;
        let mut options = CheckOptions {
            // It is unknown which accesses are barriers in the user's own model.
            input: InputOptions::resolve(input, source, cflags, machine, search.custom.is_some()),
            search,
            limits: Limits { timeout: limits.timeout, memory_mib: limits.memory_limit },
            output: OutputOptions::resolve(output, setup),
            replay,
            checkpoint,
            serve,
            elsewhere,
            exact: None,
            ways: Vec::new(),
        };
        options.ways = options.for_ways(ways);
        options.exact = may_change_algorithm.then(|| Box::new(options.by_bytes(exact_command)));
        Ok(options)
    }

    /// The same options with an algorithm whose machine holds bytes.
    fn by_bytes(&self, command: String) -> CheckOptions {
        let way = Way { algorithm: Algorithm::OptimalDpor, equivalence: Equivalence::Co };
        let mut options = self.by(way, command);
        options.output.setup.algorithm_note = Some("for accesses of several sizes".to_string());
        options
    }
}

impl SearchOptions {
    fn resolve(
        args: SearchArgs,
        model: Model,
        algorithm: Algorithm,
        equivalence: Equivalence,
        config: Config,
    ) -> Result<SearchOptions> {
        let jobs = if algorithm.is_parallel() && args.replay.is_none() { all_cores() } else { 1 };
        let mapping = args.mapping.unwrap_or_default();
        let without = |heuristics: Heuristics, name: &String| {
            heuristics.without(name).expect("the command line accepts no other name")
        };
        Ok(SearchOptions {
            custom: custom_model(&model, mapping)?,
            algorithm,
            model,
            mapping,
            release_sequences: args.release_sequences.unwrap_or_default(),
            equivalence,
            rvf: args.rvf_without.iter().fold(Heuristics::default(), without),
            config,
            jobs: args.jobs.map_or(jobs, usize::from),
            checks_robustness: args.check_robustness,
            forbids_leaks: args.leaks,
            mixed_sizes: args.mixed_sizes,
        })
    }

    /// The settings of the check.
    pub fn settings(&self, keeps_executions: bool) -> Settings<'_> {
        let model = match (&self.model, &self.custom) {
            (Model::Builtin(model), _) => ModelChoice::Builtin(*model),
            (Model::Custom(_), custom) => ModelChoice::Custom(custom.as_ref().expect("loaded before")),
        };
        let method = Method {
            algorithm: self.algorithm,
            model,
            mapping: self.mapping,
            release_sequences: self.release_sequences,
            equivalence: self.equivalence,
            heuristics: self.rvf,
        };
        Settings {
            method,
            config: self.config,
            jobs: self.jobs,
            checks_robustness: self.checks_robustness,
            forbids_leaks: self.forbids_leaks,
            needs_exact_sizes: self.mixed_sizes == MixedSizes::Exact,
            keeps_executions,
        }
    }
}

impl OutputOptions {
    fn resolve(args: OutputArgs, setup: Setup) -> OutputOptions {
        OutputOptions {
            format: args.format,
            style: output::style(args.color, &std::io::stdout()),
            color: args.color,
            detail: if args.verbose > 0 { Detail::Verbose } else { Detail::Brief },
            prints_executions: args.print_executions,
            reports: args.report.into_iter().chain(args.dot.map(ReportFile::dot)).collect(),
            dump_graphs: args.dump_graphs,
            steps: args.step,
            survey: match (args.profile, args.estimate) {
                (true, _) => SurveyRequest::Profile,
                (false, true) => SurveyRequest::Estimate,
                (false, false) => SurveyRequest::Nothing,
            },
            setup,
        }
    }
}

/// The resolved options of `atropos explain`.
pub struct ExplainOptions {
    pub input: InputOptions,
    /// The model to ask: its name as written, and its file.
    pub model: String,
    pub cat: Cat,
    /// The weaker model to search under.
    pub weaker: Custom,
    pub style: Style,
}

impl ExplainOptions {
    /// Resolves `args` for the program in `source`, which `args` names.
    ///
    /// # Errors
    /// If an option does not fit the kind of program, or the weaker model cannot be explored.
    pub fn resolve(args: ExplainArgs, source: ProgramSource) -> Result<ExplainOptions> {
        let kind = source.kind();
        refuse_parts(&args.file, &args.more_files, &args.cflags, kind)?;
        let model = args.model.unwrap_or_else(|| kind.default_model());
        let weaker = args.allowed_by.as_ref().map_or_else(|| Ok(Cat::weakest()), cat_of)?;
        Unroll::refuse_repetition(&args.unroll)?;
        let input = InputArgs { entry: args.entry, unroll: args.unroll, ..InputArgs::default() };
        let orders =
            OrderOptions { mapping: Mapping::Compiled, detects_races: false, plain_as_relaxed: false };
        let machine = machine(&input, &model, orders, kind);
        Ok(ExplainOptions {
            // The graph must contain everything that is a barrier in some model.
            input: InputOptions::resolve(input, source, args.cflags, machine, true),
            model: model.name(),
            cat: cat_of(&model)?,
            weaker: explorable(weaker, Mapping::Compiled)?,
            style: output::style(args.color, &std::io::stdout()),
        })
    }
}

/// The file of a model.
fn cat_of(model: &Model) -> Result<Cat> {
    match model {
        Model::Custom(path) => load_cat(path),
        Model::Builtin(model) => Ok(Cat::builtin(model.name()).expect("every other model is built in")),
    }
}

fn settle_config(search: &SearchArgs, limits: &LimitArgs, model: &Model, is_replay: bool) -> Config {
    Config {
        keep_going: search.keep_going || is_replay,
        detect_races: model.is_language() && !search.no_race_detection,
        max_executions: limits.max_executions,
        ..Config::default()
    }
}

/// Whether executions are shown, which takes the order of all accesses; to count them, less is enough.
fn shows_executions(output: &OutputArgs, kind: ProgramKind) -> bool {
    output.print_executions || output.dump_graphs.is_some() || matches!(kind, ProgramKind::Litmus(_))
}

/// Whether to cut retries, to use symmetry, to leave the order of read-modify-writes open, to fix that of arrivals at
/// barriers, and to leave that of sections open. What that leaves out may matter to the user's own model, and to whether
/// an execution is robust.
fn applied(search: &SearchOptions, reductions: &Reductions, shows_executions: bool) -> [bool; 5] {
    let is_reduced = search.custom.is_none() && !search.checks_robustness;
    let [retries, symmetry, rmws, barriers, locks] =
        [Reduction::Await, Reduction::Symmetry, Reduction::Rmws, Reduction::Barriers, Reduction::Locks]
            .map(|reduction| is_reduced && reductions.has(reduction));
    [retries, symmetry, rmws && !shows_executions, barriers, locks && !shows_executions]
}

/// A note on how the model is used, if it is used in a special way.
fn model_note(search: &SearchOptions, plain_as_relaxed: bool, is_default: bool) -> Option<String> {
    let note = match () {
        () if search.mapping == Mapping::Raw => "orders ignored",
        () if search.release_sequences == ReleaseSequences::C11 => "release sequences of C11",
        () if plain_as_relaxed && search.model.is_language() => "races not detected",
        () if is_default => "the default",
        () => return None,
    };
    Some(note.to_string())
}

/// A command that reproduces the first violation, independent of the number of cores.
fn again(args: &CheckArgs, settled: &Settled) -> String {
    output::quoted_command(again_words(args, settled))
}

/// The commands that check the program under the models that allow less and are worth a look.
fn elsewhere(args: &CheckArgs, model: &Model) -> Vec<Vec<String>> {
    let command = |model: &&str| {
        let (algorithm, equivalence) = (Algorithm::Trust, Equivalence::Rf);
        again_words(args, &Settled { model: (*model).to_string(), algorithm, equivalence, replay: None })
    };
    stronger(model).iter().map(command).collect()
}

/// The models that allow less and are worth a look.
fn stronger(model: &Model) -> &'static [&'static str] {
    match model {
        Model::Custom(_) | Model::Builtin(ModelName::Sc) => &[],
        Model::Builtin(ModelName::Tso) => &["sc"],
        Model::Builtin(_) => &["sc", "tso"],
    }
}

fn again_words(args: &CheckArgs, settled: &Settled) -> Vec<String> {
    let mut words: Vec<String> = ["atropos", "check"].map(String::from).to_vec();
    words.extend(args.given.again(settled));
    words.extend(std::iter::once(&args.file).chain(&args.more_files).map(|path| path.display().to_string()));
    if !args.cflags.is_empty() {
        words.push("--".to_string());
        words.extend(args.cflags.iter().cloned());
    }
    words
}

/// Up to what the execution of a file is the same as the one that it tells of.
fn equivalence_of_replay(replay: &ReplayedGraph, model: &Model) -> Equivalence {
    if replay.has_co() || matches!(model, Model::Custom(_)) { Equivalence::Co } else { Equivalence::Rf }
}

fn settle_equivalence(args: &SearchArgs, algorithm: Algorithm, model: &Model) -> Result<Equivalence> {
    let model = match model {
        Model::Builtin(model) => *model,
        Model::Custom(_) if args.equivalence == Some(Equivalence::Rf) => {
            bail!("--equivalence rf needs a built-in model; {}", algorithms::supported_pairs())
        }
        Model::Custom(_) => return Ok(Equivalence::Co),
    };
    let default = if args.check_robustness { Equivalence::Co } else { Equivalence::Rf };
    Ok(algorithm.equivalence(model).or(args.equivalence).unwrap_or(default))
}

/// Loads the user's own model. Refuses it if it cannot be explored.
fn custom_model(model: &Model, mapping: Mapping) -> Result<Option<Custom>> {
    let Model::Custom(path) = model else { return Ok(None) };
    Ok(Some(explorable(load_cat(path)?, mapping)?))
}

/// The model, if it can be explored.
fn explorable(model: Cat, mapping: Mapping) -> Result<Custom, Diagnostics> {
    let name = model.name.clone();
    Custom::new(model, mapping).map_err(|message| Diagnostic::about_file(&name, message).into())
}

/// Refuses compiler flags and further files for a program that is not compiled.
fn refuse_parts(file: &Path, more_files: &[PathBuf], cflags: &[String], kind: ProgramKind) -> Result<()> {
    let file = file.display();
    match (kind, more_files.first()) {
        (ProgramKind::C, _) => {}
        _ if !cflags.is_empty() => {
            bail!("flags for the C compiler are given (after `--`), but {file} is not compiled")
        }
        (_, Some(more)) => {
            bail!("{file} is a program of its own: {} cannot be checked with it", more.display())
        }
        (_, None) => {}
    }
    Ok(())
}

pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
