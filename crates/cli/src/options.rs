//! What a check was asked for, defaults filled in and contradictions refused.

use crate::algorithms::{self, Algorithm};
use crate::args::{
    CheckArgs, ColorArg, EquivalenceArg, FormatArg, LibraryArg, MappingArg, ReleaseSequencesArg,
};
use crate::input::{Input, Malformed};
use crate::models::{Model, load_cat};
use crate::output;
use anyhow::{Error, Result, bail};
use atropos_event::Mapping;
use atropos_explore::Config;
use atropos_explore::rvf::Heuristics;
use atropos_model::{Custom, ReleaseSequences};
use atropos_report::{Setup, Style};

/// Which executions count as the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Equivalence {
    Co,
    Rf,
    /// The values that reads see: the equivalence of `--algorithm rvf`.
    Rvf,
}

impl Equivalence {
    pub fn name(self) -> &'static str {
        match self {
            Equivalence::Co => "co",
            Equivalence::Rf => "rf",
            Equivalence::Rvf => "rvf",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub algorithm: Algorithm,
    pub model: Model,
    /// The model itself, when it is the user's own.
    pub custom: Option<Custom>,
    pub mapping: Mapping,
    pub release_sequences: ReleaseSequences,
    pub equivalence: Equivalence,
    pub rvf: Heuristics,
    pub config: Config,
    pub jobs: usize,
}

impl Options {
    /// What is not known of an input that has not been read is taken to be as usual.
    ///
    /// # Errors
    /// When options contradict each other or the input, or would have no effect.
    pub fn resolve(args: &CheckArgs, input: Option<&Input>) -> Result<Options> {
        let model = match &args.model {
            Some(name) => name.parse().map_err(Error::msg)?,
            None if input.is_some_and(Input::is_x86) => Model::Tso,
            None => Model::Rc11,
        };
        if let Some(test) = input.and_then(Input::litmus) {
            test.check_model(&model.name()).map_err(Error::msg)?;
        }
        let algorithm = Algorithm::parse(&args.algorithm, &model)?;
        refuse_idle_options(args, &model)?;
        if algorithm != Algorithm::Trust {
            refuse_idle_options_of_others(args, algorithm)?;
        }
        let equivalence = match (args.equivalence, &model) {
            _ if algorithm == Algorithm::Rvf => Equivalence::Rvf,
            _ if algorithm == Algorithm::Tracer || model == Model::Wrc11 => Equivalence::Rf,
            (None, _) if algorithm != Algorithm::Trust || args.check_robustness => Equivalence::Co,
            (Some(EquivalenceArg::Rf), Model::Custom(_)) => {
                bail!("--equivalence rf needs a built-in model; {}", algorithms::supported_pairs())
            }
            (Some(EquivalenceArg::Co), _) | (None, Model::Custom(_)) => Equivalence::Co,
            (Some(EquivalenceArg::Rf) | None, _) => Equivalence::Rf,
        };
        let mapping = match args.mapping {
            Some(MappingArg::Raw) => Mapping::Raw,
            Some(MappingArg::Compiled) | None => Mapping::Compiled,
        };
        let jobs = if algorithm.is_parallel() { all_cores() } else { 1 };
        Ok(Options {
            algorithm,
            custom: custom_model(&model, mapping)?,
            mapping,
            release_sequences: match args.release_sequences {
                Some(ReleaseSequencesArg::C11) => ReleaseSequences::C11,
                Some(ReleaseSequencesArg::C20) | None => ReleaseSequences::Cpp20,
            },
            equivalence,
            rvf: rvf_heuristics(args)?,
            config: Config {
                keep_going: args.keep_going,
                detect_races: model.is_language() && !args.no_race_detection,
                max_executions: args.max_executions,
                ..Config::default()
            },
            jobs: args.jobs.map_or(jobs, usize::from),
            model,
        })
    }

    /// The name of the specification among the built-in cat models.
    pub fn specification_name(&self) -> String {
        match (&self.model, self.release_sequences) {
            (Model::Rc11, ReleaseSequences::C11) => "rc11-c11".to_string(),
            (model, _) => model.name(),
        }
    }

    pub fn setup(&self, args: &CheckArgs) -> Setup {
        Setup {
            version: env!("CARGO_PKG_VERSION").to_string(),
            file: args.file.display().to_string(),
            model: self.model.name(),
            model_note: self.model_note(args),
            algorithm: args.algorithm.clone(),
            equivalence: self.equivalence.name().to_string(),
            jobs: self.jobs,
            unroll: args.unroll,
            command: self.command(args),
        }
    }

    fn model_note(&self, args: &CheckArgs) -> Option<String> {
        let note = match () {
            () if self.mapping == Mapping::Raw => "orders ignored",
            () if self.release_sequences == ReleaseSequences::C11 => "release sequences of C11",
            () if args.no_race_detection && self.model.is_language() => "races not detected",
            () if args.model.is_none() => "the default",
            () => return None,
        };
        Some(note.to_string())
    }

    /// A command that finds the first violation again, whatever the number of cores.
    fn command(&self, args: &CheckArgs) -> String {
        let mut words: Vec<String> = ["atropos", "check", "--model"].map(String::from).to_vec();
        words.push(self.model.name());
        if self.algorithm != Algorithm::Trust {
            words.extend(["--algorithm".to_string(), args.algorithm.clone()]);
            if !args.rvf_without.is_empty() {
                words.extend(["--rvf-without".to_string(), args.rvf_without.join(",")]);
            }
        } else {
            words.extend(["--equivalence".to_string(), self.equivalence.name().to_string()]);
        }
        if self.mapping == Mapping::Raw {
            words.extend(["--mapping", "raw"].map(String::from));
        }
        if self.release_sequences == ReleaseSequences::C11 {
            words.extend(["--release-sequences", "c11"].map(String::from));
        }
        if args.check_robustness {
            words.push("--check-robustness".to_string());
        }
        if args.leaks {
            words.push("--leaks".to_string());
        }
        if args.no_race_detection {
            words.push("--no-race-detection".to_string());
        }
        if let Some(bound) = args.unroll {
            words.extend(["--unroll".to_string(), bound.to_string()]);
        }
        if let Some(entry) = &args.entry {
            words.extend(["--entry".to_string(), entry.clone()]);
        }
        if let Some((low, high)) = args.nondet {
            words.extend(["--nondet".to_string(), format!("{low}..{high}")]);
        }
        if args.spurious_wakeups {
            words.push("--spurious-wakeups".to_string());
        }
        if args.malloc_may_fail {
            words.push("--malloc-may-fail".to_string());
        }
        if args.show_output {
            words.push("--show-output".to_string());
        }
        if let Some(clang) = &args.clang {
            words.extend(["--clang".to_string(), clang.display().to_string()]);
        }
        if args.library == Some(LibraryArg::AsWritten) {
            words.extend(["--library", "as-written"].map(String::from));
        }
        words.extend(["--jobs".to_string(), "1".to_string()]);
        words.extend(
            std::iter::once(&args.file).chain(&args.more_files).map(|path| path.display().to_string()),
        );
        if !args.cflags.is_empty() {
            words.push("--".to_string());
            words.extend(args.cflags.iter().cloned());
        }
        output::quoted_command(words)
    }
}

/// Loads a model of the user's own, and refuses it if it cannot be explored.
fn custom_model(model: &Model, mapping: Mapping) -> Result<Option<Custom>> {
    let Model::Custom(path) = model else { return Ok(None) };
    Ok(Some(Custom::new(load_cat(path)?, mapping).map_err(Malformed)?))
}

/// What algorithms other than TruSt do in one way only.
fn refuse_idle_options_of_others(args: &CheckArgs, algorithm: Algorithm) -> Result<()> {
    if args.equivalence.is_some() {
        bail!("--equivalence is for trust: {} has one of its own for each model", args.algorithm);
    }
    if !algorithm.is_parallel() && args.jobs.is_some_and(|jobs| usize::from(jobs) > 1) {
        bail!(
            "{} runs on one worker: what is done next depends on all that came before; use --jobs 1",
            args.algorithm
        );
    }
    Ok(())
}

/// What `--rvf-without` leaves of the heuristics.
fn rvf_heuristics(args: &CheckArgs) -> Result<Heuristics> {
    args.rvf_without.iter().try_fold(Heuristics::default(), |heuristics, name| {
        let known = Heuristics::NAMES.join(", ");
        let unknown = || Error::msg(format!("--rvf-without {name}: the heuristics are {known}"));
        heuristics.without(name).ok_or_else(unknown)
    })
}

fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// An option that would be ignored is a misunderstanding, and better refused.
fn refuse_idle_options(args: &CheckArgs, model: &Model) -> Result<()> {
    let name = model.name();
    if args.mapping.is_some() && model.is_language() {
        bail!("--mapping is for sc, tso, pso and FILE.cat: {name} has its own reading of C11's orders");
    }
    if args.release_sequences.is_some() && *model != Model::Rc11 {
        bail!("--release-sequences is for rc11: {name} has no such notion");
    }
    if !args.rvf_without.is_empty() && args.algorithm != "rvf" {
        bail!("--rvf-without is for rvf: {} has no such heuristics", args.algorithm);
    }
    if args.leaks && args.algorithm == "rvf" {
        bail!("rvf cannot judge leaks: it does not look at every execution with the same values");
    }
    if args.check_robustness {
        if !matches!(model, Model::Tso | Model::Pso) {
            bail!("--check-robustness is for tso and pso: it asks what {name} allows beyond sc");
        }
        if args.equivalence == Some(EquivalenceArg::Rf) {
            bail!(
                "--check-robustness needs --equivalence co: whether an execution is one of sc depends on coherence"
            );
        }
    }
    if args.format == FormatArg::Json {
        if args.print_executions {
            bail!("--print-executions needs --format human: JSON is one object and nothing else");
        }
        if args.verbose {
            bail!("--verbose needs --format human: the JSON object tells everything anyway");
        }
        if args.color == ColorArg::Always {
            bail!("--color always needs --format human");
        }
    }
    if args.memory_limit.is_some() && crate::resources::rss_mib("self").is_none() {
        bail!("--memory-limit needs Linux, to know how much memory is used");
    }
    Ok(())
}

/// Colours, where they can be seen.
pub fn style(args: &CheckArgs) -> Style {
    let is_colored = match args.color {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => {
            output::stdout_is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    };
    if is_colored { Style::Colored } else { Style::Plain }
}
