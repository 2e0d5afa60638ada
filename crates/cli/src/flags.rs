//! The options of `atropos check`, one row each: when an option has no effect, and whether the command that reproduces
//! a violation repeats it.
//!
//! Names, values and help are in [`crate::args`]. The tests below compare the two with each other and with the lists in
//! docs/CLI.md.

mod idle;

use crate::args::CheckArgs;
use crate::input::ProgramKind;
use crate::models::Model;
use crate::orders::flags::ORDER_FLAGS;
use anyhow::{Result, bail};
use atropos_explore::catalogue::{Algorithm, Equivalence};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// An option of `atropos check`.
pub struct Flag {
    /// The name, without dashes.
    pub name: &'static str,
    again: Again,
    /// Why it would have no effect, as the rest of a sentence that begins with the option.
    idle: fn(&CheckRequest<'_>) -> Option<String>,
}

/// How an option appears in the command that reproduces a violation.
#[derive(Clone, Copy)]
enum Again {
    /// As written: it changes what can be found.
    Repeated,
    /// Not at all: the first violation is found without it.
    Left,
    /// With its resolved value, written or not, so that the command does not depend on defaults.
    Settled(fn(&Settled) -> Option<String>),
}

/// What decides whether an option has an effect.
pub struct CheckRequest<'a> {
    pub args: &'a CheckArgs,
    pub kind: ProgramKind,
    pub model: &'a Model,
    pub algorithm: Algorithm,
}

/// The resolved parts of a search.
pub struct Settled {
    pub model: String,
    pub algorithm: Algorithm,
    pub equivalence: Equivalence,
    /// The file with the execution to replay.
    pub replay: Option<String>,
}

const fn flag(name: &'static str, again: Again, idle: fn(&CheckRequest<'_>) -> Option<String>) -> Flag {
    Flag { name, again, idle }
}

/// All options, in the order of the command that reproduces a violation.
pub const FLAGS: [Flag; 39] = [
    flag("model", Again::Settled(|settled| Some(settled.model.clone())), idle::never),
    flag("algorithm", Again::Settled(algorithm_unless_default), idle::in_replays),
    flag("equivalence", Again::Settled(equivalence_of_trust), idle::unless_trust),
    flag("rvf-without", Again::Repeated, idle::unless_rvf),
    flag("mapping", Again::Repeated, idle::under_language_models),
    flag("release-sequences", Again::Repeated, idle::unless_rc11),
    flag("check-robustness", Again::Repeated, idle::unless_buffered_up_to_co),
    flag("replay", Again::Settled(|settled| settled.replay.clone()), idle::never),
    flag("reduce", Again::Repeated, idle::where_nothing_is_reduced),
    flag("leaks", Again::Repeated, idle::under_rvf),
    flag("no-race-detection", Again::Repeated, idle::never),
    flag("mixed-sizes", Again::Left, idle::never),
    flag("unroll", Again::Repeated, idle::never),
    flag("entry", Again::Repeated, idle::in_litmus_tests),
    flag("nondet", Again::Repeated, idle::unless_c),
    flag("volatile", Again::Repeated, idle::unless_c),
    flag("spurious-wakeups", Again::Repeated, idle::unless_c),
    flag("malloc-may-fail", Again::Repeated, idle::unless_c),
    flag("show-output", Again::Repeated, idle::unless_c),
    flag("clang", Again::Repeated, idle::unless_c),
    flag("library", Again::Repeated, idle::unless_c),
    flag("build", Again::Repeated, idle::unless_c),
    flag("no-cache", Again::Left, idle::unless_c),
    flag("jobs", Again::Settled(one_unless_replayed), idle::several_of_a_sequential_search),
    flag("keep-going", Again::Left, idle::in_replays),
    flag("checkpoint", Again::Left, idle::unless_in_parts),
    flag("max-executions", Again::Left, idle::in_replays),
    flag("timeout", Again::Left, idle::never),
    flag("memory-limit", Again::Left, idle::unless_memory_is_known),
    flag("format", Again::Left, idle::never),
    flag("report", Again::Left, idle::never),
    flag("step", Again::Left, idle::unless_replayed),
    flag("dot", Again::Left, idle::never),
    flag("dump-graphs", Again::Left, idle::never),
    flag("print-executions", Again::Left, idle::in_json),
    flag("color", Again::Left, idle::always_in_json),
    flag("verbose", Again::Left, idle::verbose_in_json),
    flag("estimate", Again::Left, idle::in_replays),
    flag("profile", Again::Left, idle::in_replays),
];

fn algorithm_unless_default(settled: &Settled) -> Option<String> {
    (settled.algorithm != Algorithm::Trust && settled.replay.is_none())
        .then(|| settled.algorithm.name().to_string())
}

fn equivalence_of_trust(settled: &Settled) -> Option<String> {
    (settled.algorithm == Algorithm::Trust && settled.replay.is_none())
        .then(|| settled.equivalence.name().to_string())
}

fn one_unless_replayed(settled: &Settled) -> Option<String> {
    settled.replay.is_none().then(|| "1".to_string())
}

/// The options that were written, with their values as written.
#[derive(Clone, Debug, Default)]
pub struct Given(Vec<(&'static str, Vec<String>)>);

impl Given {
    /// Refuses an option without effect, because a user who writes one expects an effect.
    ///
    /// # Errors
    /// Names the option, and says why it has no effect.
    pub fn refuse_idle(&self, asked: &CheckRequest<'_>) -> Result<()> {
        for flag in FLAGS.iter().filter(|flag| self.has(flag.name)) {
            if let Some(reason) = (flag.idle)(asked) {
                bail!("--{} {reason}", flag.name);
            }
        }
        Ok(())
    }

    /// The options of the command that reproduces the first violation, independent of defaults and the number of cores.
    pub fn again(&self, settled: &Settled) -> Vec<String> {
        let mut words = Vec::new();
        for (name, values) in self.that_matter(settled) {
            words.push(format!("--{name}"));
            if !values.is_empty() {
                words.push(values.join(","));
            }
        }
        words
    }

    /// The options that decide which executions there are, by name.
    pub fn settings(&self, settled: &Settled) -> Vec<(String, String)> {
        let settings = self.that_matter(settled).filter(|(name, _)| *name != "jobs");
        let written =
            |values: Vec<String>| if values.is_empty() { "given".to_string() } else { values.join(",") };
        settings.map(|(name, values)| (format!("--{name}"), written(values))).collect()
    }

    /// The options that were written, with their values.
    pub fn written(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        self.0.iter().map(|(name, values)| (*name, &values[..]))
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(given, _)| *given == name)
    }

    /// The options that change what can be found, with their values.
    pub fn that_matter(&self, settled: &Settled) -> impl Iterator<Item = (&'static str, Vec<String>)> {
        FLAGS.iter().filter_map(|flag| {
            let given = self.0.iter().find(|(name, _)| *name == flag.name).map(|(_, values)| values.clone());
            let values = match flag.again {
                Again::Repeated => given,
                Again::Left => None,
                Again::Settled(value) => value(settled).map(|value| vec![value]),
            };
            Some((flag.name, values?))
        })
    }
}

/// Has no arguments of its own: it records which others were written.
impl Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Given, clap::Error> {
        let written = |name: &'static str| {
            let id = name.replace('-', "_");
            let is_known = matches.try_contains_id(&id).is_ok();
            let is_written = is_known && matches.value_source(&id) == Some(ValueSource::CommandLine);
            let is_switch = matches!(matches.try_get_one::<bool>(&id), Ok(Some(_)))
                || matches!(matches.try_get_one::<u8>(&id), Ok(Some(_)));
            let raw = is_written.then(|| matches.get_raw(&id)).flatten();
            let values = raw.into_iter().flatten().filter(|_| !is_switch);
            let values = values.map(|value| value.to_string_lossy().into_owned()).collect();
            is_written.then_some((name, values))
        };
        let names = FLAGS.iter().map(|flag| flag.name).chain(ORDER_FLAGS.map(|(name, _)| name));
        Ok(Given(names.filter_map(written).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Given::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use crate::orders::flags::FLAGS_OF_ORDERS;
    use atropos_explore::catalogue::ModelName;
    use clap::{Arg, CommandFactory, Parser};
    use std::path::PathBuf;

    /// The options of a command, in the order of its help.
    fn options_of(command: &str) -> Vec<Arg> {
        let mut cli = Cli::command();
        cli.build();
        let command = cli.find_subcommand(command).expect("a command");
        command.get_arguments().filter(|arg| is_own(arg)).cloned().collect()
    }

    fn options() -> Vec<Arg> {
        options_of("check")
    }

    /// The options that `weaken` and `repair` do not share with `check`.
    fn order_options() -> Vec<Arg> {
        let is_shared = |arg: &Arg| FLAGS.iter().any(|flag| Some(flag.name) == arg.get_long());
        options_of("weaken").into_iter().filter(|arg| !is_shared(arg)).collect()
    }

    /// The options that only `serve` has.
    fn server_options() -> Vec<Arg> {
        let is_shared = |arg: &Arg| FLAGS.iter().any(|flag| Some(flag.name) == arg.get_long());
        options_of("serve").into_iter().filter(|arg| !is_shared(arg)).collect()
    }

    fn is_own(arg: &Arg) -> bool {
        arg.get_long().is_some_and(|name| name != "help")
    }

    #[test]
    fn every_option_has_a_row() {
        let mut rows: Vec<_> = FLAGS.iter().map(|flag| flag.name.to_string()).collect();
        let mut options: Vec<_> =
            options().iter().filter_map(|arg| arg.get_long()).map(String::from).collect();
        rows.sort();
        options.sort();
        assert_eq!(rows, options);
    }

    #[test]
    fn every_option_about_orders_has_a_row() {
        let options = order_options();
        let options: Vec<_> = options.iter().filter_map(|arg| arg.get_long()).collect();
        assert_eq!(options, ORDER_FLAGS.map(|(name, _)| name));
        for name in FLAGS_OF_ORDERS {
            assert!(FLAGS.iter().any(|flag| flag.name == name), "--{name} is an option of check");
        }
    }

    #[test]
    fn the_command_to_find_a_violation_again_repeats_what_matters() {
        let again = |words: &[String]| {
            let cli = Cli::try_parse_from(words).expect("a valid command line");
            let crate::args::Command::Check(args) = cli.command else { panic!("not a check") };
            let algorithm = args.search.first_algorithm(&Model::Builtin(ModelName::Rc11));
            let (model, equivalence) = ("rc11".to_string(), Equivalence::Rf);
            args.given.again(&Settled { model, algorithm, equivalence, replay: None })
        };
        let line = "atropos check p.c --jobs 3 --keep-going --timeout 5 --format json --color never --verbose \
                    --library as-written --nondet -1..2 --leaks --entry start --unroll 3 --clang my-clang \
                    --rvf-without guide,greedy --mapping compiled --show-output";
        let line: Vec<String> = line.split_whitespace().map(String::from).collect();
        let expected = "--model rc11 --equivalence rf --rvf-without guide,greedy --mapping compiled --leaks --unroll 3 \
                        --entry start --nondet -1..2 --show-output --clang my-clang --library as-written --jobs 1";
        assert_eq!(again(&line).join(" "), expected);
        let once_more = [&line[..3], &again(&line)[..]].concat();
        assert_eq!(again(&once_more), again(&line), "the command repeats itself");
    }

    /// Name, value and help of an option, as docs/CLI.md has them.
    fn listed(arg: &Arg, help: &str) -> String {
        const INDENT: usize = 38;
        const WIDTH: usize = 120;
        let value: String = arg
            .get_value_names()
            .filter(|_| arg.get_action().takes_values())
            .into_iter()
            .flatten()
            .fold(String::new(), |text, name| format!("{text} {name}"));
        let mut text = format!("    --{}{value}", arg.get_long().expect("an option"));
        let mut column = text.len();
        for word in help.split_whitespace() {
            match column {
                column if column < INDENT => text += &" ".repeat(INDENT - column),
                column if column + 1 + word.len() > WIDTH => text += &format!("\n{}", " ".repeat(INDENT)),
                _ => text.push(' '),
            }
            text += word;
            column = text.lines().last().map_or(0, |line| line.chars().count());
        }
        text + "\n"
    }

    /// Compares the list of options in a document with this table. `UPDATE_EXPECT=1` rewrites the list instead.
    fn check_document(name: &str, command: &str, options: &[Arg], help: fn(&Arg) -> String) {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        let document = std::fs::read_to_string(&path).expect("the document is there");
        let usage = document.find(&format!("atropos {command} [OPTIONS]")).expect("the usage of the command");
        let start = usage + document[usage..].find("    --").expect("a list of options");
        let end = start + document[start..].find("\natropos ").expect("behind the options") + 1;
        let list: String = options.iter().map(|arg| listed(arg, &help(arg))).collect();
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, format!("{}{list}{}", &document[..start], &document[end..]))
                .expect("written");
        } else {
            assert!(
                document[start..end] == list,
                "{name} lists other options: run this test with UPDATE_EXPECT=1"
            );
        }
    }

    #[test]
    fn the_contract_explains_every_option() {
        let explained = |arg: &Arg| {
            let help = arg.get_long_help().or(arg.get_help()).expect("help").to_string();
            help.trim_end().replacen("\n\n", ". ", 1)
        };
        check_document("docs/CLI.md", "check", &options(), explained);
        check_document("docs/CLI.md", "serve", &server_options(), explained);
        check_document("docs/CLI.md", "work", &options_of("work"), explained);
        check_document("docs/CLI.md", "weaken", &order_options(), explained);
    }
}
