// The page of a report. The data is the object in #data (see data.rs); everything else is drawn from it. The other
// scripts of this folder come before this one, in the same scope.

const ROW = 26, LEFT = 44, GAP = 48, MARGIN = 16, LINE = 19, BLOCK = 100;
const EDGES = [
  ["rf", "reads-from: from a write to the reads that see it"],
  ["co", "coherence: the order of the writes to a variable"],
  ["fr", "from-read: from a read to the write that overwrites what it saw"],
  ["sw", "synchronises-with: what one thread does before, the other sees after"],
  ["hb", "happens-before: what comes before and after the chosen step; the rest fades"],
];
/// The violations of two steps that nothing orders.
const CONFLICTS = new Set(["race", "use-after-free"]);
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
const state = { finding: 0, row: 0, over: null, whole: false, shown: new Set(["rf", "sw"]), view: null, drawn: null, file: null, source: null };

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

/// The step with this name; if it is folded away, all steps are shown.
function goTo(name) {
  if (rowNamed(state.view, name) < 0 && !state.whole) open(state.finding, true);
  const row = rowNamed(state.view, name);
  if (row >= 0) choose(row);
  $("picture").focus({ preventScroll: true });
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
  state.finding = finding; state.whole = whole; state.over = null;
  const shown = data.findings[finding], view = state.view = shown && shown.events ? prepare(shown, whole) : null;
  headline(); findings(); toolbar();
  document.body.classList.toggle("wide", view !== null && view.columns.length > 3);
  if (!view) { for (const part of ["columns", "rows", "step"]) $(part).replaceChildren(); return; }
  arrange(view);
  drawColumns(view);
  const same = before && before.events.length ? view.rows.findIndex((row) => row.events.includes(before.events[0])) : -1;
  choose(same >= 0 ? same : view.guilty.length ? view.guilty[view.guilty.length - 1] : 0);
}

function toggle(kind) {
  if (!state.shown.delete(kind)) state.shown.add(kind);
  toolbar(); draw();
}

function theme() { document.documentElement.classList.toggle("dark"); }

/// The room for the picture has changed.
function refit() {
  if (state.view) { arrange(state.view); drawColumns(state.view); }
  redraw(); fillView();
}

// ---- Keys and pointer --------------------------------------------------------------------------------------------

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
  if (!actions[event.key] || (needsView && !view) || (["BUTTON", "A"].includes(event.target.tagName) && event.key === "Enter")) return;
  event.preventDefault();
  actions[event.key]();
}

/// The step under the pointer: its edges stand out, and its line is marked.
function hover(event) {
  const row = event.target.closest?.(".row"), over = row ? Number(row.dataset.row) : null;
  if (over === state.over || !state.view) return;
  state.over = over;
  markLine(over === null ? null : state.view.rows[over]);
  drawEdges(state.view, ...state.drawn);
}

let pending = false;
const redraw = () => { if (!pending) { pending = true; requestAnimationFrame(() => { pending = false; draw(); }); } };
$("picture").addEventListener("scroll", redraw);
$("picture").addEventListener("pointermove", hover);
$("picture").addEventListener("pointerleave", hover);
$("source").addEventListener("scroll", fillView);
addEventListener("resize", refit);
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
  const move = (event) => { document.querySelector("aside").style.setProperty("--aside", Math.max(15, 100 - 100 * event.clientX / innerWidth) + "%"); refit(); };
  const stop = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", stop); };
  addEventListener("pointermove", move); addEventListener("pointerup", stop);
  down.preventDefault();
});
if (matchMedia("(prefers-color-scheme: dark)").matches) theme();
$("statistics").replaceChildren(...data.statistics.map(([name, value]) => make("span", {}, name + " ", make("code", {}, value))));
open(0, false);
if (data.outcomes && !state.view) $("rows").append(make("div", { class: "outcomes" }, data.outcomes));
$("picture").focus({ preventScroll: true });
