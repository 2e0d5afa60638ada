//! The answer for people: a table of orders by place, and a picture of what goes wrong one step below.

use crate::cost::{Machine, price};
use crate::question::{Reason, Solution};
use crate::sites::{Order, Orders};
use crate::strength::{Assignment, OrderKind, Strength};
use atropos_report::{Style, text};
use std::fmt::Write;

/// The widest statement of the table.
const WIDEST: usize = 60;

/// The table of one solution; `before` are the orders that it changes.
pub fn table(orders: &Orders, before: &Assignment, solution: &Solution, style: Style) -> String {
    let head = ["place", "operation", "before", "now", Machine::X86.name(), Machine::Arm.name(), "statement"];
    let mut rows = vec![head.map(String::from)];
    let shown = orders.shown([&solution.assignment]);
    for &index in &shown {
        let order = &orders.all[index];
        let (old, new) = (before.0[index], solution.assignment.0[index]);
        let change = |machine: Machine| {
            let shown = |strength| match machine.instruction(order, strength) {
                "" => "nothing",
                name => name,
            };
            let (was, is) = (shown(old), shown(new));
            if was == is { was.to_string() } else { format!("{was} → {is}") }
        };
        rows.push([
            place(order),
            if order.added.is_some() { "new fence" } else { order.kind.name() }.to_string(),
            order.kind.name_of(old).to_string(),
            order.kind.name_of(new).to_string(),
            change(Machine::X86),
            change(Machine::Arm),
            order.text.chars().take(WIDEST).collect(),
        ]);
    }
    let widths: Vec<usize> = (0..head.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, " {cell:width$} ");
        }
        let order = index.checked_sub(1).map(|row| shown[row]);
        let is_changed = order.is_some_and(|order| before.0[order] != solution.assignment.0[order]);
        let line = line.trim_end();
        let _ = writeln!(out, "{}", if is_changed { style.bold(line) } else { line.to_string() });
    }
    out
}

/// What goes wrong if an order is weaker.
pub fn reason(orders: &Orders, solution: &Solution, reason: &Reason, style: Style) -> String {
    let order = &orders.all[reason.order];
    let now = solution.assignment.0[reason.order];
    let name = |strength: Strength| order.kind.name_of(strength);
    let mut out = String::new();
    let instead = match (order.kind, reason.instead) {
        (OrderKind::Fence, Strength::NONE) => format!("without the {} fence", name(now)),
        (OrderKind::Failure, instead) => {
            format!("with {} instead of {} when it fails", name(instead), name(now))
        }
        (_, instead) => format!("with {} instead of {}", name(instead), name(now)),
    };
    let _ = write!(out, "{}: {}", style.bold(&place(order)), instead);
    out.push_str(&picture(reason, style));
    out
}

/// The violation of a reason, with its execution.
pub fn picture(reason: &Reason, style: Style) -> String {
    let Some(finding) = &reason.finding else {
        return ", it fails (drawing the execution takes too long)\n\n".to_string();
    };
    let location = finding.location.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
    let what = format!("{}: {}", finding.description.kind, finding.description.message);
    let trace = finding
        .trace
        .as_ref()
        .map(|trace| text::render(trace, style, atropos_report::human::Detail::Brief))
        .unwrap_or_default();
    format!("\n  {location}{}\n\n{trace}\n", style.bad(&what))
}

/// The place of an order, as short as possible.
pub fn place(order: &Order) -> String {
    match (&order.location, order.added) {
        (Some(at), None) => format!("{}:{}", at.short(), at.column),
        (Some(at), Some(side)) => format!("{} {}", side.name(), at.short()),
        (None, _) => "?".to_string(),
    }
}

/// The price of all orders, for comparisons.
pub fn total_price(orders: &Orders, assignment: &Assignment) -> u64 {
    orders.all.iter().zip(&assignment.0).map(|(order, strength)| price(order, *strength)).sum()
}
