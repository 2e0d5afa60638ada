// What is written around the picture: the headline, the chosen step, the values of variables.

/// Text with code in backquotes, and with the names of steps as links to them.
function rich(text) {
  const names = state.view ? state.view.byThread.map((column) => column.name.replace(/\W/g, "\\$&")).join("|") : "";
  const pattern = new RegExp("`([^`]+)`" + (names ? `|(?<![\\w.])(?:${names})\\.\\d+\\b` : ""), "g");
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    const name = found[0];
    parts.push(text.slice(at, found.index), found[1] ? make("code", {}, found[1]) : make("a", { href: "#", class: "event", onclick: (event) => { event.preventDefault(); goTo(name); } }, name));
    at = found.index + name.length;
  }
  parts.push(text.slice(at));
  return parts;
}

function headline() {
  const finding = data.findings[state.finding];
  document.title = finding ? `${finding.kind}: ${data.file}` : `${data.verdict}: ${data.file}`;
  const badge = make("span", { class: "badge " + (finding ? "" : data.verdict) }, finding ? finding.kind : data.verdict);
  const where = make("span", { class: "where" }, finding && finding.location || data.file);
  $("headline").replaceChildren(badge, make("h1", {}, ...rich(finding ? finding.message : data.sentence)), where);
  $("notes").replaceChildren(...(finding ? finding.notes : []).map((note) => make("div", {}, ...rich(note))));
}

function findings() {
  const several = data.findings.length > 1 ? data.findings : [];
  $("findings").replaceChildren(...several.map((finding, index) => make("button", {
    "aria-pressed": index === state.finding, title: `${finding.message}\n${finding.location ?? ""}`, onclick: () => open(index, false),
  }, make("b", {}, `${index + 1} ${finding.kind}`), ` ${(finding.location ?? "").replace(/^.*\//, "")} `, make("span", {}, finding.message))));
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

function showStep() {
  const view = state.view, row = view && view.rows[state.row];
  if (!row) { $("step").replaceChildren(); return; }
  const name = (event) => { const { thread, index } = view.events[event]; return view.finding.threads[thread].name + "." + index; };
  const thread = view.finding.threads[row.thread].name;
  const event = row.events.length === 1 ? view.events[row.events[0]] : null;
  const lines = [make("div", {}, make("code", {}, `${thread}.${row.number}  `), make("code", { class: row.guilty ? "bad" : "" }, row.what))];
  const facts = [];
  if (event && event.source !== null) facts.push(event.source === "event" ? "reads from " + name(event.rf) : event.source === "init" ? "reads the initial value" : "reads memory that was never written");
  if (event && event.kind === "write") {
    const readers = view.events.flatMap((other, index) => other.rf === row.events[0] ? [name(index)] : []);
    facts.push(readers.length ? "read by " + readers.slice(0, 8).join(", ") + (readers.length > 8 ? ", …" : "") : "read by no thread");
  }
  if (row.group) facts.push(`${row.events.length} steps; press e to see them`);
  if (facts.length) lines.push(make("div", { class: "soft" }, ...rich(facts.join("; "))));
  if (row.code) lines.push(make("div", { class: "soft" }, make("code", {}, row.code)));
  $("step").replaceChildren(...lines);
}

/// The variables that steps with a row of their own use, and those with a name that several threads use.
function named(view) {
  if (!view.named) {
    const user = new Map();
    view.named = new Set();
    for (const row of view.rows) if (!row.group) for (const event of row.events) view.named.add(view.events[event].variable);
    for (const { variable, thread } of view.events) {
      if (variable === null || /^heap\b|^heap\d/.test(variable)) continue;
      if (!user.has(variable)) user.set(variable, thread);
      else if (user.get(variable) !== thread) view.named.add(variable);
    }
  }
  return view.named;
}

/// The last value written to each variable up to the chosen step, in the order of the picture.
function showState() {
  const view = state.view, row = view && view.rows[state.row];
  if (!row) { $("state").replaceChildren(); return; }
  const { events } = view, { threads } = view.finding;
  const here = new Set(row.events), end = row.events.length ? row.events[row.events.length - 1] : events.length - 1;
  const values = new Map();
  for (let index = 0; index <= end; index++) {
    const event = events[index];
    if (event.variable === null || (event.kind !== "write" && event.kind !== "read")) continue;
    const known = values.get(event.variable);
    if (event.kind === "write") values.set(event.variable, { value: event.value, by: threads[event.thread].name + "." + event.index, mark: here.has(index) ? "new" : "" });
    else if (!known) values.set(event.variable, { value: event.value ?? "?", by: event.source === "init" ? "initially" : "", mark: here.has(index) ? "read" : "" });
    else if (here.has(index)) known.mark = "read";
  }
  const rank = (variable) => /^heap\d/.test(variable) ? 1 : 0;
  const isBefore = ([a], [b]) => rank(a) - rank(b) || a.localeCompare(b, "en", { numeric: true });
  const shown = [...values].filter(([variable, { mark }]) => state.whole || mark || named(view).has(variable)).sort(isBefore);
  const lines = shown.slice(0, 400).map(([variable, { value, by, mark }]) => make("tr", { class: mark }, make("td", {}, variable), make("td", {}, String(value)), make("td", { class: "by" }, ...rich(by))));
  $("state").replaceChildren(make("h2", {}, "values after this step"), make("table", {}, make("tbody", {}, ...lines)));
  $("state").querySelector(".new, .read")?.scrollIntoView({ block: "nearest" });
}

function help() {
  const keys = [["↓ ↑  j k", "next and previous step"], ["n p", "next and previous step of the same thread"], ["← →  h l", "the thread beside"], ["Enter", "from a read to its write, and back"], ["Home End", "first and last step"], ["x", "the guilty steps in turn"], ["v", "the next violation"], ["1 2 3 4 5", "rf, co, fr, sw, hb on and off"], ["e", "every step, or only what matters"], ["t", "light or dark"], ["Escape", "close this"]];
  const edges = EDGES.map(([kind, title]) => [kind, title]);
  const list = (rows) => make("dl", {}, ...rows.flatMap(([key, what]) => [make("dt", {}, key), make("dd", {}, what)]));
  $("help").replaceChildren(list(keys), make("hr"), list(edges));
  $("help").showModal();
}
