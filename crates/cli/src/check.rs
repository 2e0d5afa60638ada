//! `atropos check`: loads the program, explores it, checks the findings again, and reports.
//!
//! A [`CheckCommand`] holds everything a check has found so far. If a limit is hit and the check does not stop by
//! itself, the watcher reports from it. Whichever of the two claims the report first writes it. The exit status is
//! decided after all output.

use crate::args::{CheckArgs, Format, ServeArgs, ServerArgs};
use crate::cluster::{OnTurn, ServeOptions, Served, lead};
use crate::contest::{self, Raced, Winner};
use crate::exit::Exit;
use crate::graphs::Dump;
use crate::input::{Input, ProgramSource};
use crate::options::{CheckOptions, OutputOptions, SurveyRequest};
use crate::reports::{WrittenReport, quote_calls};
use crate::resources::Spent;
use crate::watch::{Progress, Watch, Work};
use crate::{checkpoint, insight, interrupt, logger, output, replay, resources, survey};
use anyhow::Result;
use atropos_check::auto::Way;
use atropos_check::{Check, Collector, Condition, Effort, Finds, Found, Sink};
use atropos_event::{
    Diagnostic, Diagnostics, Gap, GapKind, Program, Refusal, RefusalReason, ReplayDifference, Severity,
};
use atropos_explore::{Control, Ledger, SearchResult, Stats};
use atropos_report::human::Detail;
use atropos_report::names::Names;
use atropos_report::survey::estimate_words;
use atropos_report::{Cost, Exploration, Limit, Summary, Survey, Verdict, github, human, json, words};
use atropos_spread::Checkpoint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

pub fn check(args: CheckArgs) -> Result<Exit> {
    start(args, None)
}

/// `atropos serve`: the same, but other processes explore.
pub fn serve(args: ServeArgs) -> Result<Exit> {
    start(args.check, Some(args.server))
}

fn start(args: CheckArgs, server: Option<ServerArgs>) -> Result<Exit> {
    let (format, color, file) = (args.output.format, args.output.color, args.file.display().to_string());
    let reports = args.output.report.clone();
    run(args, server).or_else(|error| {
        let complaints = error.downcast::<Diagnostics>()?;
        output::complain_about_input(&complaints, color);
        match format {
            Format::Human => {}
            Format::Json => {
                output::print(&json::render_errors(env!("CARGO_PKG_VERSION"), &file, &complaints))?;
            }
            Format::Github => output::print(&github::render_errors(&file, &complaints))?,
        }
        reports.iter().try_for_each(|report| report.write_errors(&file, &complaints))?;
        Ok(Exit::BadInput)
    })
}

fn run(args: CheckArgs, server: Option<ServerArgs>) -> Result<Exit> {
    logger::start(args.output.verbose)?;
    let source = ProgramSource::open(&args.file, &args.more_files)?;
    let options = match server {
        None => CheckOptions::resolve(args, source)?,
        Some(server) => CheckOptions::resolve_served(args, source, ServeOptions::resolve(server)?)?,
    };
    let check = CheckCommand::new(options)?;
    interrupt::listen()?;
    check.watch.over(&check.work, || check.run(), |limit| check.abandon(limit))
}

/// What other processes have explored.
enum Kept {
    File(Box<Checkpoint>),
    Log(Box<Served>),
}

impl Kept {
    fn ledger(&self) -> &dyn Ledger {
        match self {
            Kept::File(checkpoint) => checkpoint.as_ref(),
            Kept::Log(served) => &served.ended,
        }
    }
}

/// A check and its progress.
pub struct CheckCommand {
    pub options: CheckOptions,
    pub watch: Watch,
    pub work: Work,
    input: OnceLock<Input>,
    /// Another copy of the program, if that was explored instead.
    other_input: OnceLock<Input>,
    /// When the program was ready to be explored, and a worker was there.
    loaded: OnceLock<Spent>,
    dump: Option<Dump>,
    /// What other processes have explored.
    kept: OnceLock<Kept>,
    /// What the workers have found, while the search runs.
    finds: Finds,
    /// The totals of the search.
    stats: OnceLock<Stats>,
    found: OnceLock<Found>,
    explored: OnceLock<Exploration>,
    survey: OnceLock<Survey>,
    /// Whether the search has started over with [`CheckOptions::exact`].
    is_exact: AtomicBool,
    /// In which way it explores: 0 for the first one, or one more than the place among [`CheckOptions::ways`].
    way: AtomicUsize,
    /// Why in this way, if not in the first one.
    why: Mutex<Option<String>>,
    /// Whether the check or the watcher is writing the report.
    is_reported: AtomicBool,
}

impl CheckCommand {
    /// # Errors
    /// If the folder for executions cannot be created.
    fn new(options: CheckOptions) -> Result<Self> {
        let is_watched = options.output.format != Format::Json
            && options.serve.is_none()
            && output::stderr_is_terminal()
            && !logger::is_on();
        let progress = if is_watched { Progress::Shown } else { Progress::Hidden };
        let has_blocked = options.output.detail == Detail::Verbose;
        let folder = options.output.dump_graphs.as_deref();
        Ok(CheckCommand {
            watch: Watch::new(options.limits, progress),
            dump: folder.map(|folder| Dump::new(folder, has_blocked)).transpose()?,
            options,
            work: Work::default(),
            input: OnceLock::new(),
            other_input: OnceLock::new(),
            loaded: OnceLock::new(),
            kept: OnceLock::new(),
            finds: Finds::default(),
            stats: OnceLock::new(),
            found: OnceLock::new(),
            explored: OnceLock::new(),
            survey: OnceLock::new(),
            is_exact: AtomicBool::new(false),
            way: AtomicUsize::new(0),
            why: Mutex::new(None),
            is_reported: AtomicBool::new(false),
        })
    }

    /// The options in force now.
    fn options(&self) -> &CheckOptions {
        let exact = self.options.exact.as_deref().filter(|_| self.is_exact.load(SeqCst));
        let way = || self.way.load(SeqCst).checked_sub(1).map(|place| &self.options.ways[place].1);
        exact.or_else(way).unwrap_or(&self.options)
    }

    /// From now on, the check explores in this way, and says why if it is not the first one.
    pub fn explore_by(&self, way: Way, why: Option<String>) {
        let place = self.options.ways.iter().position(|(other, _)| *other == way);
        self.way.store(place.map_or(0, |place| place + 1), SeqCst);
        *self.why.lock().expect("nothing panics while it holds the lock") = why;
    }

    /// The program that was explored.
    fn explored_input<'c>(&'c self, input: &'c Input) -> &'c Input {
        self.other_input.get().unwrap_or(input)
    }

    fn run(&self) -> Result<Exit> {
        let model = &self.options.output.setup.model;
        let input = match Input::load(&self.options.input, model, &self.work.compiler) {
            Ok(input) => self.input.get_or_init(|| input),
            // The watcher may have stopped the compiler, so its error means nothing.
            Err(_) if self.watch.limit().is_some() => self.abandon_now(),
            Err(complaint) => return Err(complaint.into()),
        };
        if let Some(options) = &self.options.checkpoint {
            let checkpoint = checkpoint::open(options, input, &self.options)?;
            let _ = self.kept.set(Kept::File(Box::new(checkpoint)));
        }
        self.take_survey(input);
        let begin = || drop(self.loaded.set(Spent::now()));
        if let Some(options) = &self.options.serve {
            let settings = self.check(input).settings;
            let end = || {
                if let Some(begun) = self.loaded.get() {
                    let _ = self.explored.set(begun.until_now());
                }
            };
            let turn = OnTurn { begin: &begin, end: &end };
            let serve = || lead(options, input, &self.options, &self.work, &turn);
            let served = survey::beside(&|| input.twin(), &settings, &self.work.survey, serve)?;
            let _ = self.kept.set(Kept::Log(Box::new(served)));
        }
        begin();
        let limit = self.explore(input);
        let input = self.explored_input(input);
        if let (Some(Kept::File(checkpoint)), Some(options)) = (self.kept.get(), &self.options.checkpoint) {
            checkpoint::end(checkpoint, &options.file);
        }
        let (stats, found) = (self.stats.wait(), self.found.wait());
        if let Some(replay) = &self.options.replay {
            let checked = self.check(input).check_replay(found, &|| self.watch.is_late());
            checked
                .map_err(|difference| Diagnostics::from(Diagnostic::about_file(&replay.file, difference)))?;
        }
        let mut summary = self.summarise(input, *stats, found, limit, Effort::Thorough);
        if let Some(complaint) = self.complaint(input, found) {
            if summary.findings.is_empty() {
                return Err(complaint.into());
            }
            // The findings so far still hold.
            output::complain_about_input(&complaint, self.options.output.color);
            summary.errors = complaint.0;
        }
        if summary.errors.is_empty() {
            let (options, check) = (self.options(), &self.check(input));
            let ended = insight::Ended { options, input, check, found };
            insight::look(&ended, &mut summary, &|| self.watch.limit().is_some());
        }
        quote_calls(&mut summary);
        let reports = self.options.output.reports.iter().map(|report| report.render(&summary)).collect();
        let report = self.render(&summary);
        self.claim_report();
        if self.options.output.steps
            && let Some(trace) = summary.shown_trace()
        {
            replay::show_steps(trace)?;
        }
        Ok(self.write(found, &report, reports, &summary))
    }

    /// Why the program could not be checked, or only in part.
    fn complaint(&self, input: &Input, found: &Found) -> Option<Diagnostics> {
        let refusal = found.refusal.as_ref().filter(|refusal| {
            let difference = match &refusal.reason {
                RefusalReason::OtherExecution { difference, .. } => Some(difference),
                _ => None,
            };
            // A violation may end an execution early.
            found.violations.is_empty() || !matches!(difference, Some(ReplayDifference::GoesOn(_)))
        })?;
        let of_replay = self.options.replay.as_ref();
        if let Some(complaint) = of_replay.and_then(|replay| replay.complaint(refusal, input.program())) {
            return Some(Diagnostics::from(complaint));
        }
        let mut complaint = words::refusal(refusal, &Names::of_program(input.program()));
        if let RefusalReason::NotModelled(gap) = &refusal.reason {
            complaint.help = advice(gap);
            complaint.notes = others_not_modelled(input.program(), refusal);
        }
        Some(Diagnostics::from(complaint).in_file(&self.options.output.setup.file))
    }

    /// The check of a loaded program.
    pub fn check<'c>(&'c self, input: &'c Input) -> Check<'c> {
        let condition = input.litmus().map(|input| input as &dyn Condition);
        let settings = self.options().search.settings(self.options.output.prints_executions);
        let replay = self.options.replay.as_ref().map(|replay| &replay.execution);
        let sink = self.dump.as_ref().map(|dump| dump as &dyn Sink);
        let ledger = self.kept.get().map(Kept::ledger);
        Check { program: input.program(), condition, settings, replay, sink, ledger }
    }

    /// Explores all executions. Returns the limit that ended the search, if any.
    fn explore(&self, input: &Input) -> Option<Limit> {
        if self.options.ways.is_empty() {
            let (check, control) = (self.check(input), self.work.control());
            let search = self.search(input, &check, control);
            return self.conclude(input, check, search, control);
        }
        match contest::run(self, input, &self.options.ways) {
            Raced::Led(limit) => limit,
            Raced::Won(winner) => {
                let Winner { input, stats, found } = *winner;
                let _ = self.other_input.set(input);
                let _ = self.explored.set(self.loaded.wait().until_now());
                let _ = self.stats.set(stats);
                let _ = self.found.set(found);
                None
            }
        }
    }

    /// Keeps what a search has come to, which starts over if another algorithm must do it. Returns the limit that ended
    /// it, if any.
    pub fn conclude<'c>(
        &'c self,
        input: &'c Input,
        mut check: Check<'c>,
        mut search: SearchResult<Collector<'c>>,
        control: &'c Control,
    ) -> Option<Limit> {
        let was_stopped = control.is_stopped() || self.watch.limit().is_some();
        if !was_stopped && self.options.exact.is_some() && !check.mixed_cells().is_empty() {
            // Its findings then count as those of a search that has started over.
            drop(search);
            self.is_exact.store(true, SeqCst);
            control.start_over();
            check = self.check(input);
            search = input.explore(&check, control, &self.finds);
        }
        let limit = self.watch.limit();
        let executions = control.executions();
        let _ = self.explored.set(self.loaded.wait().until_now());
        let _ = self.stats.set(search.stats);
        let found = self.found.get_or_init(|| check.found(&self.finds, limit.is_some()));
        limit.or_else(|| check.execution_limit(found, executions))
    }

    /// Searches, and estimates how large the search is if that is shown.
    pub fn search<'c>(
        &'c self,
        input: &'c Input,
        check: &Check<'c>,
        control: &'c Control,
    ) -> SearchResult<Collector<'c>> {
        let search = || input.explore(check, control, &self.finds);
        if self.options.replay.is_some() || !self.watch.is_shown() {
            return search();
        }
        survey::beside(&|| input.twin(), &check.settings, &self.work.survey, search)
    }

    /// Finds out what is asked about the size of the search.
    fn take_survey(&self, input: &Input) {
        if self.options.output.survey == SurveyRequest::Nothing {
            return;
        }
        let settings = self.check(input).settings;
        let is_late = || self.watch.limit().is_some();
        let found = survey::before(self.options.output.survey, &*input.twin(), &settings, &is_late);
        if let Some(found) = found {
            if self.options.output.format != Format::Json {
                output::note(&estimate_words(&found.estimate));
            }
            let _ = self.survey.set(found);
        }
    }

    /// Reports what is known and ends the process, because the check does not stop in time. Returns if the report is
    /// already being written.
    fn abandon(&self, limit: Limit) {
        if self.is_reported.swap(true, SeqCst) {
            return;
        }
        self.report_so_far(limit).now()
    }

    /// Like [`CheckCommand::abandon`], but called by the check itself.
    fn abandon_now(&self) -> ! {
        self.claim_report();
        let limit = self.watch.limit().expect("a limit was hit");
        self.report_so_far(limit).now()
    }

    fn report_so_far(&self, limit: Limit) -> Exit {
        let so_far = Stats { executions: self.work.control().executions(), ..Stats::default() };
        let stats = self.stats.get().copied().unwrap_or(so_far);
        let nothing = Found::default();
        let (found, summary) = match self.input.get() {
            Some(input) => {
                let input = self.explored_input(input);
                let found = self.found.get_or_init(|| self.check(input).found(&self.finds, true));
                (found, self.summarise(input, stats, found, Some(limit), Effort::None))
            }
            None => (&nothing, self.summary(stats, Verdict::Inconclusive(limit))),
        };
        let (pictures, others): (Vec<_>, Vec<_>) =
            self.options.output.reports.iter().partition(|report| report.is_picture());
        for picture in pictures {
            output::note(&format!("{picture} is not written: there was no time to draw"));
        }
        let reports = others.into_iter().map(|report| report.render(&summary)).collect();
        let report = self.render(&summary);
        self.write(found, &report, reports, &summary)
    }

    /// Claims the report. If the watcher has claimed it, waits for the watcher to end the process.
    fn claim_report(&self) {
        while self.is_reported.swap(true, SeqCst) {
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    fn summary(&self, stats: Stats, verdict: Verdict) -> Summary {
        let exploration = self.explored.get().copied();
        let mut setup = self.options().output.setup.clone();
        setup.algorithm_note = setup
            .algorithm_note
            .or_else(|| self.why.lock().expect("nothing panics while it holds the lock").clone());
        if let Some(Kept::Log(served)) = self.kept.get() {
            setup.jobs = served.n_explorers;
        }
        Summary {
            verdict,
            cost: Cost {
                time: self.watch.elapsed(),
                exploration: exploration
                    .or_else(|| self.loaded.get().map(Spent::until_now))
                    .unwrap_or_default(),
                peak_rss_kib: resources::peak_rss_kib(),
            },
            ..Summary::new(setup, stats)
        }
    }

    /// The complete summary.
    fn summarise(
        &self,
        input: &Input,
        stats: Stats,
        found: &Found,
        limit: Option<Limit>,
        effort: Effort,
    ) -> Summary {
        let mut summary = self.summary(stats, Verdict::Verified);
        summary.coverage.survey = self.survey.get().cloned();
        self.check(input).summarise(&mut summary, found, limit, effort, &|| self.watch.is_late());
        summary.cost.time = self.watch.elapsed();
        summary
    }

    fn render(&self, summary: &Summary) -> String {
        let OutputOptions { format, style, detail, .. } = self.options.output;
        match format {
            Format::Human => human::render(summary, style, detail),
            Format::Json => json::render(summary),
            Format::Github => human::render(summary, style, detail) + &github::render(summary),
        }
    }

    /// Writes the executions of the findings, after all others.
    fn end_dump(&self, summary: &Summary) -> Result<()> {
        let Some(dump) = &self.dump else { return Ok(()) };
        let traces = summary.findings.iter().filter_map(|finding| finding.trace.as_ref());
        for (number, trace) in (1..).zip(traces) {
            dump.finding(number, &trace.graph);
        }
        if let Some(omitted) = dump.end()? {
            output::note(&omitted);
        }
        Ok(())
    }

    /// Writes all output. The verdict stands even if that fails.
    fn write(&self, found: &Found, report: &str, files: Vec<WrittenReport>, summary: &Summary) -> Exit {
        let mut is_written = true;
        let mut note = |result: Result<()>| {
            if let Err(error) = result {
                is_written = false;
                output::complain(&format!("{error:#}"));
            }
        };
        note(found.printed.pieces().chain([report]).try_for_each(output::print));
        note(self.end_dump(summary));
        files.into_iter().for_each(|file| note(file.write()));
        Exit::from(summary.verdict).once_written(is_written)
    }
}

/// The maximum number of notes of a refusal that show their place.
const MOST_NOTES: usize = 10;

/// Other parts of the program that are not modelled, so that the user learns of them all at once.
fn others_not_modelled(program: &dyn Program, reached: &Refusal) -> Vec<Diagnostic> {
    let names = Names::of_program(program);
    let mut known = vec![reached.reason.clone()];
    let mut notes: Vec<Diagnostic> = Vec::new();
    for refusal in program.not_modelled() {
        if known.contains(&refusal.reason) {
            continue;
        }
        let note = words::refusal(&refusal, &names);
        let message = format!("this cannot be checked either: {}", note.message);
        let note = Diagnostic { severity: Severity::Note, message, ..note };
        let has_place = notes.len() < MOST_NOTES;
        notes.push(if has_place { note } else { Diagnostic { file: None, region: None, ..note } });
        known.push(refusal.reason);
    }
    notes
}

/// What to do about a function that is missing.
fn advice(gap: &Gap) -> Option<String> {
    let is_missing = matches!(gap.kind, GapKind::Function | GapKind::Variable);
    let text = "add the files that define it, or stubs of your own: `atropos check PROGRAM stubs.c`";
    is_missing.then(|| text.to_string())
}
