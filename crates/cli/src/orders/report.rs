//! The report of `atropos weaken` and `atropos repair`.

use super::{Loaded, OrdersCommand, name};
use crate::args::Format;
use crate::exit::Exit;
use crate::output;
use anyhow::{Context, Result};
use atropos_orders::Strength;
use atropos_orders::by_hand::{LeftOut, WhyByHand};
use atropos_orders::fence_text::FenceEdit;
use atropos_orders::json::{self, About, Patch};
use atropos_orders::patch::{CallEdit, Edited, Language, difference, edit};
use atropos_orders::programs::Programs;
use atropos_orders::question::{Answer, Purpose, Reply, Solution, Solutions};
use atropos_orders::sites::WhyLeftAlone;
use atropos_orders::table;
use atropos_report::human::{grouped, seconds};
use atropos_report::{Limit, Style};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// What else there is to say.
pub struct Circumstances {
    pub bounded: bool,
    pub limit: Option<Limit>,
    pub time: Duration,
}

pub struct Report<'a> {
    pub command: &'a OrdersCommand,
    pub loaded: &'a Loaded,
    pub programs: &'a Programs<'a>,
    pub reply: &'a Reply,
    pub circumstances: &'a Circumstances,
}

/// The edits of one file.
#[derive(Default)]
struct FileEdits {
    calls: BTreeMap<(u32, u32), CallEdit>,
    fences: Vec<FenceEdit>,
}

impl Report<'_> {
    /// Writes everything. The answer stands even if that fails.
    pub fn write(&self) -> Result<Exit> {
        let solutions = match &self.reply.answer {
            Answer::Found(found) => &found.all[..],
            _ => &[],
        };
        let patches: Vec<Patch> = solutions.iter().map(|solution| self.patch(solution)).collect();
        output::print(&match self.command.args.output.format {
            Format::Human | Format::Github => self.human(&patches)?,
            Format::Json => self.json(&patches),
        })?;
        if let Some(path) = &self.command.args.orders.patch {
            match patches.first() {
                Some(patch) => std::fs::write(path, &patch.text)
                    .with_context(|| format!("cannot write {}", path.display()))?,
                None => {
                    output::note(&format!("{} is not written: there is nothing to change", path.display()))
                }
            }
        }
        Ok(match &self.reply.answer {
            Answer::Fails(_) => Exit::Violation,
            Answer::Undecided => Exit::Inconclusive,
            Answer::Found(found) if found.is_partial => Exit::Inconclusive,
            Answer::Found(_) | Answer::Verifies => Exit::Verified,
        })
    }

    fn json(&self, patches: &[Patch]) -> String {
        let (effort, setup) = (self.programs.effort(), &self.command.options[0].output.setup);
        let files: Vec<String> = self.loaded.drivers.iter().map(|driver| driver.name.clone()).collect();
        let about = About {
            version: &setup.version,
            purpose: self.command.purpose,
            files: &files,
            model: &setup.model,
            algorithm: &setup.algorithm,
            equivalence: &setup.equivalence,
            orders: &self.loaded.orders,
            before: &self.loaded.before,
            effort: serde_json::json!({
                "assignments": self.loaded.space.size(),
                "candidates": self.reply.n_candidates,
                "explorations": effort.n_explorations,
                "executions": effort.n_executions,
                "trials": effort.n_trials,
                "time_ms": self.circumstances.time.as_millis() as u64,
                "jobs": self.command.jobs,
            }),
            bounded: self.circumstances.bounded,
            patches,
            limit: self.circumstances.limit.map(Limit::name),
        };
        json::render(&about, self.reply)
    }

    fn human(&self, patches: &[Patch]) -> Result<String> {
        let style = self.command.options[0].output.style;
        let setup = &self.command.options[0].output.setup;
        let files: Vec<&str> = self.loaded.drivers.iter().map(|driver| driver.name.as_str()).collect();
        let mut out = String::new();
        let (model, algorithm, equivalence) = (&setup.model, &setup.algorithm, &setup.equivalence);
        writeln!(out, "{}: model {model}, {algorithm} up to {equivalence}\n", files.join(", "))?;
        match &self.reply.answer {
            Answer::Found(found) => self.write_solutions(&mut out, found, patches, style)?,
            Answer::Fails(reason) => {
                let what = match self.command.purpose {
                    Purpose::Weaken => "fails with the orders to start from",
                    Purpose::Repair => "fails with the strongest orders, too: this is no question of orders",
                };
                write!(out, "{} {what}", files[reason.program])?;
                writeln!(out, "{}", table::picture(reason, style).trim_end_matches('\n'))?;
                if self.command.purpose == Purpose::Weaken {
                    writeln!(out, "\n`atropos repair` looks for stronger orders that verify")?;
                }
            }
            Answer::Verifies => {
                writeln!(out, "verifies with the orders as written: there is nothing to repair")?
            }
            Answer::Undecided => writeln!(out, "no answer: {}", limit_words(self.circumstances.limit))?,
        }
        self.write_effort(&mut out)?;
        Ok(out)
    }

    fn write_solutions(
        &self,
        out: &mut String,
        found: &Solutions,
        patches: &[Patch],
        style: Style,
    ) -> Result<()> {
        let Loaded { orders, before, .. } = self.loaded;
        for (number, solution) in found.all.iter().enumerate() {
            if found.all.len() > 1 {
                writeln!(out, "answer {} of {}:\n", number + 1, found.all.len())?;
            }
            if orders.n_written() == 0 {
                writeln!(
                    out,
                    "verifies, but has no order to change: no atomic access or fence of its own\n"
                )?;
                continue;
            }
            writeln!(out, "{}", table::table(orders, before, solution, style))?;
            let changed = (0..orders.all.len()).filter(|&it| before.0[it] != solution.assignment.0[it]);
            let (added, changed): (Vec<_>, Vec<_>) = changed.partition(|&it| orders.all[it].added.is_some());
            let (now, then) = (&solution.assignment, before);
            let (now, then) = (table::total_price(orders, now), table::total_price(orders, then));
            let how = if self.command.purpose == Purpose::Weaken { "weaker" } else { "stronger" };
            write!(out, "{} of {} orders {how}", changed.len(), orders.n_written())?;
            match added.len() {
                0 => {}
                1 => write!(out, ", 1 new fence")?,
                n => write!(out, ", {n} new fences")?,
            }
            writeln!(out, "; the price is {now} instead of {then}\n")?;
            for reason in &solution.reasons {
                out.push_str(&table::reason(orders, solution, reason, style));
            }
            for (file, left) in &patches[number].by_hand {
                let column = if left.column > 0 { format!(":{}", left.column) } else { String::new() };
                let LeftOut { line, change, reason, .. } = left;
                writeln!(out, "{file}:{line}{column}: by hand: {change}; {}\n", reason.words())?;
            }
        }
        for left in &orders.left_alone {
            let place = left.location.as_ref().map(ToString::to_string).unwrap_or_default();
            let why = match left.reason {
                WhyLeftAlone::Computed => "is computed at run time",
                WhyLeftAlone::Halves => "differs between its read and its write",
            };
            writeln!(out, "{place}: left alone, because the order {why}: {}", left.text)?;
        }
        if found.is_partial {
            let why = limit_words(self.circumstances.limit);
            writeln!(out, "these orders verify, but something weaker may, too: {why}")?;
        } else if !found.is_cheapest {
            writeln!(out, "nothing weaker verifies; other answers may be cheaper")?;
        }
        Ok(())
    }

    fn write_effort(&self, out: &mut String) -> Result<()> {
        let effort = self.programs.effort();
        if self.circumstances.bounded {
            writeln!(out, "loops were bounded (--unroll), so this holds up to that bound")?;
        }
        writeln!(
            out,
            "{} {} of {} assignments, {} explored, {} executions, in {}",
            self.reply.n_candidates,
            if self.reply.n_candidates == 1 { "candidate" } else { "candidates" },
            amount(self.loaded.space.size()),
            grouped(effort.n_explorations),
            grouped(effort.n_executions),
            seconds(self.circumstances.time)
        )?;
        Ok(())
    }

    /// The changes of a solution to the sources that can be read.
    fn patch(&self, solution: &Solution) -> Patch {
        let orders = &self.loaded.orders;
        let mut files: BTreeMap<&str, FileEdits> = BTreeMap::new();
        let mut patch = Patch::default();
        for (index, order) in orders.all.iter().enumerate() {
            let Some(at) = order.location.as_ref().filter(|at| Language::of(&at.file).is_some()) else {
                continue;
            };
            let edits = files.entry(&at.file).or_default();
            let strength = solution.assignment.0[index];
            if let Some(side) = order.added {
                let fence = FenceEdit { line: at.line, column: at.column, side, strength };
                edits.fences.extend((strength != Strength::NONE).then_some(fence));
                continue;
            }
            let edit = edits.calls.entry((at.line, at.column)).or_insert_with(|| CallEdit {
                line: at.line,
                column: at.column,
                operation: order.operation,
                written: Vec::new(),
                wanted: Vec::new(),
            });
            edit.written.push(order.written);
            edit.wanted.push(strength);
        }
        for (file, FileEdits { calls, fences }) in files {
            let calls: Vec<CallEdit> =
                calls.into_values().filter(|edit| edit.written != edit.wanted).collect();
            let source = Language::of(file).zip(std::fs::read_to_string(file).ok());
            let left_out = match source {
                Some((language, text)) => {
                    let Edited { text: edited, left_out } = edit(&text, language, &calls, &fences);
                    if edited != text {
                        patch.text += &difference(file, &text, &edited);
                    }
                    left_out
                }
                None => {
                    let calls = calls.iter().map(|edit| LeftOut::of_call(edit, WhyByHand::NoFile));
                    calls
                        .chain(fences.iter().map(|edit| LeftOut::of_fence(edit, WhyByHand::NoFile)))
                        .collect()
                }
            };
            patch.by_hand.extend(left_out.into_iter().map(|left| (file.to_string(), left)));
        }
        patch
    }
}

impl OrdersCommand {
    /// Reports that there is no answer.
    pub fn inconclusive(&self, limit: Option<Limit>) -> Exit {
        let files: Vec<String> = self.options.iter().map(|options| options.input.source.file()).collect();
        let text = match self.args.output.format {
            Format::Human | Format::Github => {
                format!("{}: {}: no answer: {}\n", files.join(", "), name(self.purpose), limit_words(limit))
            }
            Format::Json => {
                let setup = &self.options[0].output.setup;
                let (version, limit) = (&setup.version, limit.map(Limit::name));
                let object = serde_json::json!({
                    "version": version, "files": files, "model": setup.model, "verdict": "inconclusive",
                    "limit": limit, "solutions": [],
                });
                format!("{object:#}\n")
            }
        };
        let is_written = output::print(&text).is_ok();
        Exit::Inconclusive.once_written(is_written)
    }
}

fn limit_words(limit: Option<Limit>) -> String {
    match limit {
        Some(Limit::Executions(most)) => format!("a candidate has more than {} executions", grouped(most)),
        Some(Limit::Time(time)) => format!("the time limit of {} was hit", seconds(time)),
        Some(Limit::MemoryMib(most)) => format!("the memory limit of {most} MiB was hit"),
        Some(Limit::Interrupt) => "the search was interrupted".to_string(),
        Some(Limit::MixedSizes) => {
            "the model does not treat accesses of several sizes exactly; --mixed-sizes merge accepts that"
                .to_string()
        }
        None => "a candidate was not decided".to_string(),
    }
}

/// A number that may be large.
fn amount(number: f64) -> String {
    if number < 1e9 { grouped(number as u64) } else { format!("{number:.1e}") }
}
