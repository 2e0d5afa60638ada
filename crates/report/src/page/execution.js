// One execution, unpacked from the data and prepared for drawing.

const FEWEST_PIXELS = 130, MOST_PIXELS = 430;

/// The events and rows of a finding as objects. In the data they are short arrays of numbers: see data.rs.
function unpack(finding) {
  if (finding.unpacked) return finding.unpacked;
  const text = (index) => index < 0 ? null : data.strings[index];
  const events = finding.events.map(([thread, index, kind, variable, value, rf]) => ({
    thread, index, kind: text(kind), variable: text(variable), value: text(value), rf: rf >= 0 ? rf : -1,
    source: rf >= 0 ? "event" : rf === -2 ? "init" : rf === -3 ? "unwritten" : null,
  }));
  const rows = (packed) => packed.map(([thread, number, what, flags, inside, file, line, code]) => ({
    thread, number: String(number), what: text(what), guilty: (flags & 1) > 0, group: (flags & 2) > 0,
    events: typeof inside === "number" ? [inside] : inside, file, line, code: text(code) ?? "",
  }));
  const all = new Map();
  const lines = (whole) => {
    if (!all.has(whole)) all.set(whole, rows(whole ? finding.all : finding.brief));
    return all.get(whole);
  };
  return finding.unpacked = { events, lines };
}

function prepare(finding, whole) {
  const { events, lines } = unpack(finding), rows = lines(whole);
  const rowOf = new Int32Array(events.length).fill(-1);
  rows.forEach((row, index) => { for (const event of row.events) rowOf[event] = index; });
  const edges = [], known = new Set();
  const add = (kind, from, to) => {
    const [a, b] = [rowOf[from], rowOf[to]], key = (a * rows.length + b) * EDGES.length + kind;
    if (a < 0 || b < 0 || a === b || known.has(key)) return;
    known.add(key);
    edges.push({ kind: EDGES[kind][0], a, b, top: Math.min(a, b), end: Math.max(a, b) });
  };
  events.forEach((event, index) => { if (event.rf >= 0) add(0, event.rf, index); });
  for (const [, writes] of finding.co) writes.forEach((write, nth) => { if (nth) add(1, writes[nth - 1], write); });
  for (const [read, write] of finding.fr) add(2, read, write);
  for (const [from, to] of finding.sw) add(3, from, to);
  const guilty = rows.flatMap((row, index) => row.guilty ? [index] : []);
  const longest = new Map();
  for (const row of rows) {
    const n = row.number.length + 2 + row.what.length;
    if (n > (longest.get(row.thread) ?? 0)) longest.set(row.thread, n);
  }
  const columns = finding.threads.map((thread, index) => ({ ...thread, index, longest: longest.get(index), x: 0, width: 0 }));
  const view = { finding, whole, events, rows, rowOf, edges, guilty, byThread: columns, width: 0 };
  view.columns = columns.filter((column) => column.longest !== undefined);
  return view;
}

/// The places of the columns. Few threads fit into the window; of many, some are outside of it.
function arrange(view) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = "12.5px " + getComputedStyle(document.documentElement).getPropertyValue("--mono");
  const perLetter = context.measureText("0".repeat(50)).width / 50 + 0.02;
  const wanted = view.columns.map((column) => {
    const title = 8 * (column.name.length + (column.title ? column.title.length + 2 : 0));
    return Math.min(MOST_PIXELS, Math.max(110, Math.ceil(column.longest * perLetter) + 24, title));
  });
  const gap = view.columns.length > 3 ? GAP - 12 : GAP;
  const widths = share(wanted, $("picture").clientWidth - LEFT - MARGIN - gap * (view.columns.length - 1));
  let x = LEFT;
  view.columns.forEach((column, nth) => {
    column.x = x;
    column.width = widths[nth];
    x += column.width + gap;
  });
  view.gap = gap;
  view.width = x - gap + MARGIN / 2;
}

/// What each column gets of the room: narrow ones what they want, wide ones the same share of the rest.
function share(wanted, room) {
  const widths = [], narrowFirst = [...wanted.keys()].sort((one, other) => wanted[one] - wanted[other]);
  narrowFirst.forEach((column, nth) => {
    const fair = Math.max(FEWEST_PIXELS, room / (wanted.length - nth));
    widths[column] = Math.floor(Math.min(wanted[column], fair));
    room -= widths[column];
  });
  return widths;
}

/// The events before and after the chosen one, by program order and synchronisation.
function ordered(view, chosen) {
  if (!view.next) {
    const [after, before] = view.next = [0, 1].map(() => view.events.map(() => []));
    const last = new Map(), link = (from, to) => { after[from].push(to); before[to].push(from); };
    view.events.forEach((event, index) => {
      if (last.has(event.thread)) link(last.get(event.thread), index);
      last.set(event.thread, index);
    });
    for (const [from, to] of view.finding.sw) link(from, to);
  }
  return view.next.map((next) => {
    const reached = new Set([chosen]), queue = [chosen];
    while (queue.length) for (const event of next[queue.pop()]) if (!reached.has(event)) { reached.add(event); queue.push(event); }
    return reached;
  });
}

/// Where happens-before meets the other threads: the last step before the chosen one, and the first after it.
function borders(view, [after, before], chosen) {
  const own = view.events[chosen].thread, last = new Map(), first = new Map();
  view.events.forEach((event, index) => {
    if (event.thread === own || view.rowOf[index] < 0) return;
    if (before.has(index)) last.set(event.thread, view.rowOf[index]);
    if (after.has(index) && !first.has(event.thread)) first.set(event.thread, view.rowOf[index]);
  });
  const here = view.rowOf[chosen];
  return [...[...last.values()].map((row) => ({ kind: "hb", a: row, b: here })), ...[...first.values()].map((row) => ({ kind: "hb", a: here, b: row }))];
}

/// The row that a name such as t1.4 means; -1 if it has none here.
function rowNamed(view, name) {
  const at = name.lastIndexOf("."), thread = view.byThread.findIndex((column) => column.name === name.slice(0, at));
  const number = Number(name.slice(at + 1));
  const event = view.events.findIndex((event) => event.thread === thread && event.index === number);
  if (event >= 0 && view.rowOf[event] >= 0) return view.rowOf[event];
  return view.rows.findIndex((row) => row.thread === thread && row.number === String(number));
}
