//! `atropos weaken` and `atropos repair`: the weakest orders that verify, and the smallest strengthening that repairs.
//!
//! Loads the programs, reads what earlier searches have found, asks the question, and reports. Facts are kept even if a
//! limit ends the search, so that the next one goes on from there.

mod cache;
pub mod flags;
mod report;

use crate::args::{CheckArgs, OrdersArgs, StartingOrders};
use crate::exit::Exit;
use crate::input::{Input, MachineExplorer, ProgramKind, ProgramSource};
use crate::models::Model;
use crate::options::{AlgorithmChoice, CheckOptions, all_cores};
use crate::watch::{Progress, Watch, Work};
use crate::{interrupt, logger, output};
use anyhow::{Result, bail};
use atropos_event::{Diagnostic, Diagnostics};
use atropos_orders::programs::{Driver, Means, Programs};
use atropos_orders::question::{Purpose, Question, Reply};
use atropos_orders::search::Wanted;
use atropos_orders::sites::Orders;
use atropos_orders::specialise::Specialised;
use atropos_orders::{Assignment, Space, Strength};
use atropos_report::Limit;
use cache::Cache;
use std::path::Path;

pub fn command(purpose: Purpose, args: OrdersArgs) -> Result<Exit> {
    let color = args.output.color;
    run(purpose, args).or_else(|error| {
        let complaints = error.downcast::<Diagnostics>()?;
        output::complain_about_input(&complaints, color);
        Ok(Exit::BadInput)
    })
}

fn run(purpose: Purpose, args: OrdersArgs) -> Result<Exit> {
    logger::start(0)?;
    args.given.refuse_for_orders(name(purpose), purpose == Purpose::Repair)?;
    let paths: Vec<&Path> = std::iter::once(&args.file).chain(&args.drivers).map(AsRef::as_ref).collect();
    let options = paths.iter().map(|path| options_for(path, &args)).collect::<Result<Vec<_>>>()?;
    let jobs = args.search.jobs.map_or_else(all_cores, usize::from);
    let cache = Cache::open(args.orders.cache.as_deref());
    let command = OrdersCommand { purpose, args, options, jobs, cache };
    let watch = Watch::new(command.options[0].limits, Progress::Hidden);
    let work = Work::default();
    interrupt::listen()?;
    watch.over(&work, || command.run(&watch, &work), |limit| command.abandon(limit))
}

fn name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Weaken => "weaken",
        Purpose::Repair => "repair",
    }
}

/// The options of the checks of one program.
fn options_for(path: &Path, args: &OrdersArgs) -> Result<CheckOptions> {
    if args.search.algorithm == Some(AlgorithmChoice::Auto) {
        bail!(
            "--algorithm auto is for `atropos check`: candidates are checked in one way, so that all are treated alike"
        );
    }
    let source = ProgramSource::open(path, &args.orders.with)?;
    let file = path.display().to_string();
    if let ProgramKind::Litmus(_) = source.kind() {
        let message = "is a litmus test, whose condition is about all executions together: write what must hold as an \
                       assertion of a C program";
        return Err(Diagnostics::from(Diagnostic::about_file(&file, message)).into());
    }
    let mut search = args.search.clone();
    // Candidates are checked at the same time instead.
    search.jobs = Some(1);
    let check = CheckArgs {
        given: args.given.clone(),
        file: path.to_path_buf(),
        more_files: args.orders.with.clone(),
        cflags: args.cflags.clone(),
        search,
        input: args.input.clone(),
        limits: args.limits.clone(),
        output: args.output.clone(),
    };
    let options = CheckOptions::resolve(check, source)?;
    if let Model::Custom(model) = &options.search.model {
        let model = model.display().to_string();
        let message =
            "cannot be searched: weaker orders must allow more, which is known of the built-in models only";
        return Err(Diagnostics::from(Diagnostic::about_file(&model, message)).into());
    }
    Ok(options)
}

/// A search and its options.
pub struct OrdersCommand {
    pub purpose: Purpose,
    pub args: OrdersArgs,
    /// Those of each program.
    pub options: Vec<CheckOptions>,
    pub jobs: usize,
    cache: Cache,
}

/// The programs, ready to be searched.
pub struct Loaded {
    pub drivers: Vec<Driver>,
    pub orders: Orders,
    /// The orders to change.
    pub before: Assignment,
    pub space: Space,
}

impl OrdersCommand {
    fn run(&self, watch: &Watch, work: &Work) -> Result<Exit> {
        let loaded = match self.load(work) {
            Ok(loaded) => loaded,
            // The watcher may have stopped the compiler, so its error means nothing.
            Err(_) if watch.limit().is_some() => return Ok(self.inconclusive(watch.limit())),
            Err(complaint) => return Err(complaint),
        };
        let search = &self.options[0].search;
        let exact = self.options[0].exact.as_ref().map(|exact| exact.search.settings(false));
        let means = Means { explorer: &MachineExplorer, settings: search.settings(false), exact };
        let programs = Programs::new(&loaded.orders, &loaded.drivers, &loaded.space, means);
        let wanted = if self.args.orders.all { Wanted::All } else { Wanted::Cheapest };
        let question = Question {
            purpose: self.purpose,
            programs: &programs,
            wanted,
            jobs: self.jobs,
            control: work.control(),
        };
        let stored = self.cache.read(&programs);
        let reply = question.ask(stored.facts).map_err(|(program, complaint)| {
            Diagnostics::from(complaint).in_file(&loaded.drivers[program].name)
        })?;
        let bounded = programs.is_bounded() || stored.bounded;
        self.cache.write(&stored.key, &reply.facts, bounded);
        let limit = watch.limit().or(programs.limit());
        self.report(
            &loaded,
            &programs,
            &reply,
            &report::Circumstances { bounded, limit, time: watch.elapsed() },
        )
    }

    fn load(&self, work: &Work) -> Result<Loaded> {
        let mut drivers = Vec::new();
        let mut specialised = Vec::new();
        for options in &self.options {
            let input = Input::load(&options.input, &options.search.model.name(), &work.compiler)?;
            let driver = input.driver(options.input.source.file());
            let program = Specialised::new(driver.module);
            drivers.push(Driver { module: program.module.clone(), ..driver });
            specialised.push(program);
        }
        let mut orders = Orders::with_places_for_fences(&specialised.iter().collect::<Vec<_>>());
        let args = &self.args.orders;
        orders.all.retain(|order| {
            let is_on = |lines: &[crate::args::LineRange]| {
                order
                    .location
                    .as_ref()
                    .is_some_and(|at| lines.iter().any(|range| range.contains(&at.file, at.line)))
            };
            (args.only.is_empty() || is_on(&args.only)) && !is_on(&args.keep)
        });
        let is_limited = !args.only.is_empty() || !args.keep.is_empty();
        if orders.n_written() == 0 && is_limited {
            let message = "has no order to change on these lines: no atomic access or fence of its own with a known order";
            return Err(Diagnostics::from(Diagnostic::about_file(&drivers[0].name, message)).into());
        }
        let (kinds, written) = (orders.kinds(), orders.written());
        let weakest = Assignment(vec![Strength::NONE; kinds.len()]);
        let (weakest, strongest, before) = match (self.purpose, args.from) {
            (Purpose::Repair, _) => {
                (written.clone(), Assignment(kinds.iter().map(|kind| kind.strongest()).collect()), written)
            }
            (Purpose::Weaken, Some(StartingOrders::SeqCst)) => {
                (weakest, orders.strongest(), orders.strongest())
            }
            (Purpose::Weaken, _) => (weakest, written.clone(), written),
        };
        let space = Space::between(&kinds, &weakest, &strongest);
        Ok(Loaded { drivers, orders, before, space })
    }

    /// Reports that a limit was hit, because the search does not stop in time.
    fn abandon(&self, limit: Limit) {
        self.inconclusive(Some(limit)).now()
    }

    fn report(
        &self,
        loaded: &Loaded,
        programs: &Programs<'_>,
        reply: &Reply,
        circumstances: &report::Circumstances,
    ) -> Result<Exit> {
        let report = report::Report { command: self, loaded, programs, reply, circumstances };
        report.write()
    }
}
