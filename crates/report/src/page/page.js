// The page of a report. The data is the object in #data (see data.rs); everything else is drawn from it. Only the rows
// and edges in view are in the document, so that long executions stay fast.
"use strict";
(() => {
const ROW = 26, LEFT = 44, GAP = 56, MARGIN = 8, LINE = 19, BLOCK = 100;
const EDGES = [
  ["rf", "reads-from: from a write to the reads that see it"],
  ["co", "coherence: the order of the writes to a variable"],
  ["fr", "from-read: from a read to the write that overwrites what it saw"],
  ["sw", "synchronises-with: what one thread does before, the other sees after"],
  ["hb", "happens-before: steps that are not ordered with the chosen one fade"],
];
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};
const state = { finding: 0, row: 0, whole: false, shown: new Set(["rf", "sw"]), view: null, file: null, source: null };

// ---- One execution, prepared for drawing -------------------------------------------------------------------------

function prepare(finding, whole) {
  const rows = whole ? finding.all : finding.brief;
  const columns = finding.threads.map((thread, index) => ({ ...thread, index, x: 0, width: 0 }));
  const rowOf = new Map();
  rows.forEach((row, index) => row.events.forEach((event) => rowOf.set(event, index)));
  const context = document.createElement("canvas").getContext("2d");
  context.font = "12.5px " + getComputedStyle(document.documentElement).getPropertyValue("--mono");
  const charWidth = context.measureText("0".repeat(50)).width / 50 + 0.02;
  const used = new Set(rows.map((row) => row.thread));
  // Few threads fit into the window; of many, some are outside of it.
  const widest = Math.max(240, Math.min(430, Math.floor(($("picture").clientWidth - LEFT) / used.size) - GAP));
  let x = LEFT;
  for (const column of columns) {
    if (!used.has(column.index)) continue;
    const longest = rows.reduce((most, row) => row.thread === column.index ? Math.max(most, row.number.length + 2 + row.what.length) : most, 0);
    const title = column.name.length + (column.title ? column.title.length + 2 : 0);
    column.x = x;
    column.width = Math.min(widest, Math.max(120, Math.ceil(longest * charWidth) + 24, Math.ceil(title * 8)));
    x += column.width + GAP;
  }
  const edges = [], known = new Set();
  const add = (kind, from, to) => {
    const [a, b] = [rowOf.get(from), rowOf.get(to)], key = kind + a + "," + b;
    if (a === undefined || b === undefined || a === b || known.has(key)) return;
    known.add(key);
    edges.push({ kind, a, b, top: Math.min(a, b), end: Math.max(a, b) });
  };
  finding.events.forEach((event, index) => { if (event.rf >= 0) add("rf", event.rf, index); });
  finding.co.forEach(([, writes]) => writes.slice(1).forEach((write, nth) => add("co", writes[nth], write)));
  finding.fr.forEach(([read, write]) => add("fr", read, write));
  finding.sw.forEach(([from, to]) => add("sw", from, to));
  const guilty = rows.flatMap((row, index) => row.guilty ? [index] : []);
  return { finding, rows, columns: columns.filter((column) => used.has(column.index)), byThread: columns, rowOf, edges, guilty, width: x };
}

/// Whether each event is ordered with the chosen one, by program order and synchronisation.
function ordered(finding, chosen) {
  const count = finding.events.length, last = new Map(), after = Array.from({ length: count }, () => []), before = Array.from({ length: count }, () => []);
  const link = (from, to) => { after[from].push(to); before[to].push(from); };
  finding.events.forEach((event, index) => {
    if (last.has(event.thread)) link(last.get(event.thread), index);
    last.set(event.thread, index);
  });
  finding.sw.forEach(([from, to]) => link(from, to));
  const reached = new Set([chosen]);
  for (const next of [after, before]) {
    const queue = [chosen];
    while (queue.length) for (const event of next[queue.pop()]) if (!reached.has(event)) { reached.add(event); queue.push(event); }
  }
  return reached;
}

// ---- Drawing -----------------------------------------------------------------------------------------------------

function draw() {
  const view = state.view;
  if (!view) return;
  const picture = $("picture"), all = state.printing;
  const top = picture.scrollTop, height = picture.clientHeight;
  const first = all ? 0 : Math.max(0, Math.floor((top - 34) / ROW) - 4);
  const end = all ? view.rows.length : Math.min(view.rows.length, Math.ceil((top + height) / ROW) + 4);
  const chosen = view.rows[state.row];
  const related = state.shown.has("hb") && chosen && chosen.events.length ? ordered(view.finding, chosen.events[0]) : null;
  const fragment = document.createDocumentFragment();
  for (let index = first; index < end; index++) fragment.append(cell(view, index, related));
  $("rows").replaceChildren(fragment);
  drawEdges(view, first, end);
}

function cell(view, index, related) {
  const row = view.rows[index], column = view.byThread[row.thread];
  const isApart = related && !row.events.some((event) => related.has(event));
  const names = ["row", row.group && "group", row.guilty && "guilty", index === state.row && "chosen", isApart && "apart"];
  const element = make("div", {
    class: names.filter(Boolean).join(" "), "data-row": index, title: row.what + (row.code ? "\n" + row.code : ""),
    style: `left:${column.x}px;top:${index * ROW + 2}px;width:${column.width}px`,
  }, make("span", { class: "i" }, row.number));
  const parts = row.group ? null : /^([^=]*?)( = .*)?$/s.exec(row.what);
  if (!parts) element.append(row.what);
  else element.append(parts[1], parts[2] ? make("span", { class: "v" }, parts[2]) : "");
  return element;
}

const SVG = "http://www.w3.org/2000/svg";
function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function drawEdges(view, first, end) {
  const svg = $("edges");
  svg.setAttribute("width", view.width);
  svg.setAttribute("height", (end - first) * ROW);
  svg.style.top = first * ROW + "px";
  const fragment = document.createDocumentFragment();
  const defs = shape("defs", {});
  for (const [kind] of EDGES) {
    const marker = shape("marker", { id: "to-" + kind, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" });
    marker.append(shape("path", { d: "M0,0 L8,4 L0,8 z", style: `fill:var(--${kind});stroke:none;opacity:1` }));
    defs.append(marker);
  }
  fragment.append(defs);
  for (const column of view.columns) {
    const x = column.x + column.width / 2;
    fragment.append(shape("line", { class: "thread", x1: x, x2: x, y1: 0, y2: (end - first) * ROW }));
  }
  let focused = false;
  for (const edge of view.edges) {
    if (!state.shown.has(edge.kind) || edge.end < first || edge.top >= end) continue;
    const strong = edge.a === state.row || edge.b === state.row;
    focused ||= strong;
    fragment.append(shape("path", {
      d: curve(view, edge, first), style: `stroke:var(--${edge.kind})`, "marker-end": `url(#to-${edge.kind})`,
      class: strong ? "strong" : "", "data-kind": edge.kind,
    }));
  }
  if (view.guilty.length === 2) {
    const [a, b] = view.guilty;
    if (view.rows[a].thread !== view.rows[b].thread) fragment.append(shape("path", { class: "race", d: curve(view, { a, b, kind: "race" }, first) }));
  }
  svg.setAttribute("class", focused ? "focused" : "");
  svg.replaceChildren(fragment);
}

/// The path of an edge: between threads from side to side, within a thread around its left side.
function curve(view, edge, first) {
  const [from, to] = [view.rows[edge.a], view.rows[edge.b]];
  const [left, right] = [view.byThread[from.thread], view.byThread[to.thread]];
  const y = (row) => (row - first) * ROW + ROW / 2;
  const shift = { rf: -4, co: 4, fr: 7, sw: 0, race: 0 }[edge.kind] ?? 0;
  const [y1, y2] = [y(edge.a) + shift, y(edge.b) + shift];
  if (from.thread === to.thread) {
    const x = left.x, bulge = Math.min(34, 10 + Math.abs(edge.a - edge.b) * 3);
    return `M${x},${y1} C${x - bulge},${y1} ${x - bulge},${y2} ${x - 1},${y2}`;
  }
  const forward = left.x < right.x;
  const [x1, x2] = forward ? [left.x + left.width, right.x - 1] : [left.x, right.x + right.width + 1];
  const pull = Math.max(24, Math.min(90, Math.abs(x2 - x1) / 2)) * (forward ? 1 : -1);
  return `M${x1},${y1} C${x1 + pull},${y1} ${x2 - pull},${y2} ${x2},${y2}`;
}

// ---- Panels ------------------------------------------------------------------------------------------------------

function showStep() {
  const view = state.view, row = view && view.rows[state.row];
  if (!row) { $("step").replaceChildren(); return; }
  const name = (event) => { const { thread, index } = view.finding.events[event]; return view.finding.threads[thread].name + "." + index; };
  const thread = view.finding.threads[row.thread].name;
  const event = row.events.length === 1 ? view.finding.events[row.events[0]] : null;
  const lines = [make("div", {}, make("code", {}, `${thread}.${row.number}  `), make("code", { class: row.guilty ? "bad" : "" }, row.what))];
  const facts = [];
  if (event && event.source !== undefined) facts.push(event.source === "event" ? "reads from " + name(event.rf) : event.source === "init" ? "reads the initial value" : "reads memory that was never written");
  if (event && event.kind === "write") {
    const readers = view.finding.events.flatMap((other, index) => other.rf === row.events[0] ? [name(index)] : []);
    facts.push(readers.length ? "read by " + readers.slice(0, 8).join(", ") + (readers.length > 8 ? ", …" : "") : "read by no thread");
  }
  if (row.group) facts.push(`${row.events.length} steps; press e to see them`);
  if (facts.length) lines.push(make("div", { class: "soft" }, facts.join("; ")));
  if (row.code) lines.push(make("div", { class: "soft" }, make("code", {}, row.code)));
  $("step").replaceChildren(...lines);
}

function showSource() {
  const view = state.view, row = view && view.rows[state.row], pane = $("source");
  const name = row && row.file !== null && row.file !== undefined ? data.files[row.file].name : null;
  if (name === null) {
    if (state.file !== "") pane.replaceChildren(make("div", { class: "none" }, "This step has no place in the source."));
    state.file = "";
    state.source = null;
    return;
  }
  const text = data.files[row.file].text;
  if (state.file !== row.file + "/" + state.finding) {
    state.file = row.file + "/" + state.finding;
    state.source = null;
    pane.replaceChildren(make("div", { class: "file" }, name));
    if (text === null) pane.append(make("div", { class: "none" }, "The text of this file is not available."));
    else {
      const used = new Map();
      view.finding.all.forEach((other) => { if (other.file === row.file) used.set(other.line, used.get(other.line) || other.guilty); });
      const lines = text.split("\n"), blocks = [];
      for (let at = 0; at < lines.length; at += BLOCK) blocks.push(make("div", { style: `height:${Math.min(BLOCK, lines.length - at) * LINE}px` }));
      state.source = { lines, used, blocks };
      pane.append(make("div", { class: "text" }, ...blocks));
    }
  }
  if (state.source) fill(Math.floor((row.line - 1) / BLOCK));
  pane.querySelectorAll(".here").forEach((line) => line.classList.remove("here"));
  const line = pane.querySelector(`[data-line="${row.line}"]`);
  if (line) {
    line.classList.add("here");
    const middle = line.offsetTop - pane.clientHeight / 2;
    if (line.offsetTop < pane.scrollTop + 40 || line.offsetTop > pane.scrollTop + pane.clientHeight - 40) pane.scrollTop = middle;
  }
  fillView();
}

/// Puts the lines of a block of the source into the document, once.
function fill(nth) {
  const { lines, used, blocks } = state.source, block = blocks[nth];
  if (!block || block.firstChild) return;
  block.append(...lines.slice(nth * BLOCK, (nth + 1) * BLOCK).map((line, index) => {
    const number = nth * BLOCK + index + 1;
    return make("span", { class: "l" + (used.has(number) ? " used" : "") + (used.get(number) ? " guilty" : ""), "data-line": number },
      make("span", { class: "n" }, String(number)), line || " ");
  }));
}

/// The blocks in view; all of them for paper.
function fillView() {
  if (!state.source) return;
  const pane = $("source"), height = BLOCK * LINE, { blocks } = state.source;
  const first = state.printing ? 0 : Math.max(0, Math.floor(pane.scrollTop / height) - 1);
  const end = state.printing ? blocks.length : Math.ceil((pane.scrollTop + pane.clientHeight) / height) + 1;
  for (let nth = first; nth < Math.min(end, blocks.length); nth++) fill(nth);
}

/// The last value written to each variable up to the chosen step, in the order of the picture.
function showState() {
  const view = state.view, row = view && view.rows[state.row];
  if (!row) { $("state").replaceChildren(); return; }
  const { events, threads } = view.finding;
  const here = new Set(row.events), end = row.events.length ? row.events[row.events.length - 1] : events.length - 1;
  const values = new Map();
  for (let index = 0; index <= end; index++) {
    const event = events[index];
    if (event.variable === undefined || (event.kind !== "write" && event.kind !== "read")) continue;
    const known = values.get(event.variable);
    if (event.kind === "write") values.set(event.variable, { value: event.value, by: threads[event.thread].name + "." + event.index, mark: here.has(index) ? "new" : "" });
    else if (!known) values.set(event.variable, { value: event.value ?? "?", by: event.source === "init" ? "initially" : "", mark: here.has(index) ? "read" : "" });
    else if (here.has(index)) known.mark = "read";
  }
  const hidden = state.whole ? null : new Set(view.finding.hidden);
  const isWanted = ([variable, { value }]) => !hidden || !hidden.has(variable) && !String(value).startsWith("&{vtable");
  const rank = (variable) => [/^heap\d/.test(variable) ? 1 : 0, variable];
  const isBefore = ([a], [b]) => { const [x, y] = [rank(a), rank(b)]; return x[0] - y[0] || (x[1] < y[1] ? -1 : 1); };
  const shown = [...values].filter(isWanted).sort(isBefore);
  const lines = shown.slice(0, 400).map(([variable, { value, by, mark }]) => make("tr", { class: mark }, make("td", {}, variable), make("td", {}, String(value)), make("td", { class: "by" }, by)));
  $("state").replaceChildren(make("h2", {}, "last written, up to this step"), make("table", {}, make("tbody", {}, ...lines)));
}

// ---- Choosing ----------------------------------------------------------------------------------------------------

function choose(row, scroll = true) {
  const view = state.view;
  if (!view || !view.rows.length) return;
  state.row = Math.max(0, Math.min(view.rows.length - 1, row));
  if (scroll) {
    const picture = $("picture"), y = state.row * ROW;
    if (y < picture.scrollTop + ROW || y > picture.scrollTop + picture.clientHeight - 34 - 3 * ROW) picture.scrollTop = y - picture.clientHeight / 2 + 34;
    const column = view.byThread[view.rows[state.row].thread];
    if (column.x < picture.scrollLeft || column.x + column.width > picture.scrollLeft + picture.clientWidth) picture.scrollLeft = Math.max(0, column.x - LEFT);
  }
  draw(); showStep(); showSource(); showState();
}

function inThread(step) {
  const view = state.view, thread = view.rows[state.row].thread;
  for (let row = state.row + step; row >= 0 && row < view.rows.length; row += step) if (view.rows[row].thread === thread) return choose(row);
}

function toThread(step) {
  const view = state.view, at = view.columns.findIndex((column) => column.index === view.rows[state.row].thread);
  const column = view.columns[at + step];
  if (!column) return;
  const own = view.rows.flatMap((row, index) => row.thread === column.index ? [index] : []);
  choose(own.reduce((best, row) => Math.abs(row - state.row) < Math.abs(best - state.row) ? row : best, own[0]));
}

/// The source of what the chosen step reads, and the reads of what it writes in turn.
function follow() {
  const view = state.view, at = state.row;
  const next = view.edges.find((edge) => edge.kind === "rf" && edge.b === at) || view.edges.find((edge) => edge.kind === "rf" && edge.a === at);
  if (next) choose(next.b === at ? next.a : next.b);
}

function open(finding, whole) {
  const before = state.view && state.finding === finding ? state.view.rows[state.row] : null;
  state.finding = finding; state.whole = whole;
  const shown = data.findings[finding];
  state.view = shown && shown.events ? prepare(shown, whole) : null;
  headline(); findings(); toolbar();
  const view = state.view;
  if (!view) { $("columns").replaceChildren(); $("rows").replaceChildren(); $("step").replaceChildren(); return; }
  $("canvas").style.height = view.rows.length * ROW + 40 + "px";
  $("canvas").style.width = $("columns").style.width = view.width + MARGIN + "px";
  $("columns").replaceChildren(...view.columns.map((column) => make("div", { style: `left:${column.x}px;width:${column.width}px`, title: column.title }, column.name, make("span", {}, column.title))));
  const same = before && before.events.length ? view.rows.findIndex((row) => row.events.includes(before.events[0])) : -1;
  choose(same >= 0 ? same : view.guilty.length ? view.guilty[view.guilty.length - 1] : 0);
}

function headline() {
  const finding = data.findings[state.finding];
  document.title = finding ? `${finding.kind}: ${data.file}` : `${data.verdict}: ${data.file}`;
  const badge = make("span", { class: "badge " + (finding ? "" : data.verdict) }, finding ? finding.kind : data.verdict);
  const parts = [badge, make("h1", {}, finding ? finding.message : data.sentence), make("span", { class: "where" }, finding && finding.location || data.file)];
  for (const note of finding ? finding.notes : []) parts.push(make("div", { class: "note" }, note));
  $("headline").replaceChildren(...parts);
}

function findings() {
  const several = data.findings.length > 1 ? data.findings : [];
  $("findings").replaceChildren(...several.map((finding, index) => make("button", {
    "aria-pressed": index === state.finding, title: finding.message, onclick: () => open(index, false),
  }, `${index + 1}  ${finding.kind}: ${finding.message}`)));
}

function toolbar() {
  const view = state.view, parts = [];
  if (view) {
    for (const [kind, title] of EDGES) {
      const n = kind === "hb" ? null : view.edges.filter((edge) => edge.kind === kind).length;
      parts.push(make("button", {
        class: "edge", style: `--color:var(--${kind})`, "aria-pressed": state.shown.has(kind), title, "data-edge": kind, onclick: () => toggle(kind),
      }, kind, n === null ? "" : make("span", { class: "n" }, String(n))));
    }
    const n = view.finding.all.length, few = view.finding.brief.length;
    if (few < n) parts.push(make("button", { id: "whole", "aria-pressed": state.whole, onclick: () => open(state.finding, !state.whole), title: "fold what says little (e)" }, "every step"), make("span", { class: "soft" }, `${state.whole ? n : few} of ${n} lines`));
  }
  parts.push(make("span", { class: "gap" }), make("button", { onclick: theme, title: "light or dark (t)" }, "theme"), make("button", { onclick: () => print() }, "print"), make("button", { onclick: help, title: "keys (?)" }, "keys"));
  $("toolbar").replaceChildren(...parts);
}

function toggle(kind) {
  if (!state.shown.delete(kind)) state.shown.add(kind);
  toolbar(); draw();
}

function theme() { document.documentElement.classList.toggle("dark"); }

function help() {
  const keys = [["↓ ↑  j k", "next and previous step"], ["n p", "next and previous step of the same thread"], ["← →  h l", "the thread beside"], ["Enter", "from a read to its write, and back"], ["Home End", "first and last step"], ["x", "the guilty steps in turn"], ["v", "the next violation"], ["1 2 3 4 5", "rf, co, fr, sw, hb on and off"], ["e", "every step, or only what matters"], ["t", "light or dark"], ["Escape", "close this"]];
  $("help").replaceChildren(make("dl", {}, ...keys.flatMap(([key, what]) => [make("dt", {}, key), make("dd", {}, what)])));
  $("help").showModal();
}

function press(event) {
  if (event.key === "Escape") $("help").close();
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const view = state.view, at = state.row, rows = view ? view.rows.length : 0;
  const page = Math.max(1, Math.floor($("picture").clientHeight / ROW) - 4);
  const actions = {
    ArrowDown: () => choose(at + 1), j: () => choose(at + 1), ArrowUp: () => choose(at - 1), k: () => choose(at - 1),
    n: () => inThread(1), p: () => inThread(-1), ArrowLeft: () => toThread(-1), h: () => toThread(-1), ArrowRight: () => toThread(1), l: () => toThread(1),
    Home: () => choose(0), End: () => choose(rows - 1), PageDown: () => choose(at + page), PageUp: () => choose(at - page),
    Enter: follow, x: () => choose(view.guilty.find((row) => row > at) ?? view.guilty[0] ?? at), e: () => open(state.finding, !state.whole),
    v: () => open((state.finding + 1) % data.findings.length, false), t: theme, "?": help,
  };
  EDGES.forEach(([kind], nth) => { actions[String(nth + 1)] = () => toggle(kind); });
  const needsView = !["t", "?"].includes(event.key);
  if (!actions[event.key] || (needsView && !view) || (event.target.tagName === "BUTTON" && event.key === "Enter")) return;
  event.preventDefault();
  actions[event.key]();
}

// ---- Start -------------------------------------------------------------------------------------------------------

let pending = false;
const redraw = () => { if (!pending) { pending = true; requestAnimationFrame(() => { pending = false; draw(); }); } };
$("picture").addEventListener("scroll", redraw);
$("source").addEventListener("scroll", fillView);
addEventListener("resize", () => { redraw(); fillView(); });
addEventListener("keydown", press);
addEventListener("beforeprint", () => { state.printing = true; draw(); fillView(); });
addEventListener("afterprint", () => { state.printing = false; draw(); });
$("rows").addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) { choose(Number(row.dataset.row), false); $("picture").focus({ preventScroll: true }); }
});
$("source").addEventListener("click", (event) => {
  const line = event.target.closest(".used");
  if (!line) return;
  const view = state.view, { file } = view.rows[state.row], wanted = Number(line.dataset.line);
  const there = view.rows.flatMap((row, index) => row.file === file && row.line === wanted ? [index] : []);
  if (there.length) choose(there.find((row) => row > state.row) ?? there[0]);
});
$("divider").addEventListener("pointerdown", (down) => {
  const move = (event) => { document.querySelector("aside").style.setProperty("--aside", Math.max(15, 100 - 100 * event.clientX / innerWidth) + "%"); redraw(); };
  const stop = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", stop); };
  addEventListener("pointermove", move); addEventListener("pointerup", stop);
  down.preventDefault();
});
if (matchMedia("(prefers-color-scheme: dark)").matches) theme();
$("statistics").replaceChildren(...data.statistics.map(([name, value]) => make("span", {}, name + " ", make("code", {}, value))));
open(0, false);
if (data.outcomes && !state.view) $("rows").append(make("div", { class: "outcomes" }, data.outcomes));
$("picture").focus({ preventScroll: true });
})();
