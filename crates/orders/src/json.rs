//! The answer for scripts: the JSON object of `atropos weaken` and `atropos repair`. Add fields, never change them.

use crate::by_hand::LeftOut;
use crate::cost::Machine;
use crate::fences::Side;
use crate::question::{Answer, Purpose, Reason, Reply, Solution};
use crate::sites::{Orders, WhyLeftAlone};
use crate::strength::Assignment;
use crate::table::total_price;
use atropos_event::SourceLocation;
use atropos_report::text;
use serde_json::{Value, json};

/// The changes of one solution to the sources.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    pub text: String,
    /// The changes that it does not make, by file.
    pub by_hand: Vec<(String, LeftOut)>,
}

/// What the object says besides the reply.
pub struct About<'a> {
    pub version: &'a str,
    pub purpose: Purpose,
    pub files: &'a [String],
    pub model: &'a str,
    pub algorithm: &'a str,
    pub equivalence: &'a str,
    pub orders: &'a Orders,
    /// The orders that are changed.
    pub before: &'a Assignment,
    pub effort: Value,
    pub bounded: bool,
    pub patches: &'a [Patch],
    pub limit: Option<&'static str>,
}

/// The object on several lines, with a final newline.
pub fn render(about: &About<'_>, reply: &Reply) -> String {
    let (verdict, solutions, failure) = match &reply.answer {
        Answer::Fails(reason) => {
            (if about.purpose == Purpose::Weaken { "violation" } else { "no-repair" }, &[][..], Some(reason))
        }
        Answer::Verifies => ("verified", &[][..], None),
        Answer::Undecided => ("inconclusive", &[][..], None),
        Answer::Found(found) if found.is_partial => ("inconclusive", &found.all[..], None),
        Answer::Found(found) => {
            (if about.purpose == Purpose::Weaken { "weakest" } else { "repaired" }, &found.all[..], None)
        }
    };
    let is_cheapest = match &reply.answer {
        Answer::Found(found) => Some(found.is_cheapest),
        _ => None,
    };
    let shown = about.orders.shown(solutions.iter().map(|solution| &solution.assignment));
    let left_alone = about.orders.left_alone.iter().map(|left| {
        let reason = match left.reason {
            WhyLeftAlone::Computed => "computed",
            WhyLeftAlone::Halves => "halves",
        };
        json!({ "location": location(left.location.as_ref()), "statement": left.text, "reason": reason })
    });
    let document = json!({
        "version": about.version,
        "files": about.files,
        "model": about.model,
        "algorithm": about.algorithm,
        "equivalence": about.equivalence,
        "verdict": verdict,
        "limit": about.limit,
        "bounded": about.bounded,
        "cheapest": is_cheapest,
        "orders": shown.iter().map(|&index| described(about, index)).collect::<Vec<_>>(),
        "left_alone": left_alone.collect::<Vec<_>>(),
        "solutions": solutions.iter().enumerate().map(|(index, it)| solution(about, &shown, index, it)).collect::<Vec<_>>(),
        "violation": failure.map(violation),
        "effort": about.effort,
    });
    serde_json::to_string_pretty(&document).expect("strings and numbers only") + "\n"
}

fn described(about: &About<'_>, index: usize) -> Value {
    let order = &about.orders.all[index];
    json!({
        "location": location(order.location.as_ref()),
        "operation": order.kind.name(),
        "statement": order.text,
        "written": order.kind.name_of(order.written),
        "before": order.kind.name_of(about.before.0[index]),
        "added": order.added.map(Side::name),
    })
}

fn solution(about: &About<'_>, shown: &[usize], index: usize, it: &Solution) -> Value {
    let orders = shown.iter().map(|&index| {
        let order = &about.orders.all[index];
        let strength = it.assignment.0[index];
        let reasons = it.reasons.iter().filter(|reason| reason.order == index);
        let reasons = reasons.map(
            |reason| json!({ "instead": order.kind.name_of(reason.instead), "violation": violation(reason) }),
        );
        json!({
            "order": order.kind.name_of(strength),
            "x86-64": Machine::X86.instruction(order, strength),
            "aarch64": Machine::Arm.instruction(order, strength),
            "reasons": reasons.collect::<Vec<_>>(),
        })
    });
    let patch = about.patches.get(index);
    let by_hand = patch.into_iter().flat_map(|patch| &patch.by_hand).map(|(file, left)| {
        let at = SourceLocation { file: file.clone(), line: left.line, column: left.column };
        json!({ "location": location(Some(&at)), "change": left.change, "reason": left.reason.words() })
    });
    json!({
        "orders": orders.collect::<Vec<_>>(),
        "price": total_price(about.orders, &it.assignment),
        "patch": patch.map(|patch| &patch.text),
        "by_hand": by_hand.collect::<Vec<_>>(),
    })
}

fn violation(reason: &Reason) -> Value {
    let Some(finding) = &reason.finding else { return json!({ "program": reason.program }) };
    let picture = finding
        .trace
        .as_ref()
        .map(|trace| text::render(trace, atropos_report::Style::Plain, atropos_report::human::Detail::Brief));
    let graph = finding.trace.as_ref().map(|trace| trace.graph.to_string());
    json!({
        "program": reason.program,
        "kind": finding.description.kind.name(),
        "message": finding.description.message,
        "operands": finding.description.operands,
        "location": location(finding.location.as_ref()),
        "picture": picture,
        "graph": graph,
    })
}

fn location(at: Option<&SourceLocation>) -> Value {
    at.map_or(Value::Null, |at| json!({ "file": at.file, "line": at.line, "column": at.column }))
}
