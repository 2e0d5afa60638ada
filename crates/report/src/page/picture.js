// The picture: threads side by side, and the edges between their steps. Only what is in view is in the document.

const SVG = "http://www.w3.org/2000/svg";

function draw() {
  const view = state.view;
  if (!view) return;
  const picture = $("picture"), all = state.printing;
  const top = picture.scrollTop, height = picture.clientHeight;
  const first = all ? 0 : Math.max(0, Math.floor((top - 34) / ROW) - 4);
  const end = all ? view.rows.length : Math.min(view.rows.length, Math.ceil((top + height) / ROW) + 4);
  const chosen = view.rows[state.row], event = chosen && chosen.events.length ? chosen.events[0] : null;
  const orders = state.shown.has("hb") && event !== null ? ordered(view, event) : null;
  const fragment = document.createDocumentFragment();
  for (let index = first; index < end; index++) fragment.append(cell(view, index, orders));
  $("rows").replaceChildren(fragment);
  state.drawn = [first, end, orders ? borders(view, orders, event) : []];
  drawEdges(view, ...state.drawn);
}

function cell(view, index, orders) {
  const row = view.rows[index], column = view.byThread[row.thread];
  const isApart = orders && !row.events.some((event) => orders[0].has(event) || orders[1].has(event));
  const names = ["row", row.group && "group", row.guilty && "guilty", index === state.row && "chosen", isApart && "apart"];
  const element = make("div", {
    class: names.filter(Boolean).join(" "), "data-row": index, title: row.what + (row.code ? "\n" + row.code : ""),
    role: "option", "aria-selected": index === state.row,
    style: `left:${column.x}px;top:${index * ROW + 2}px;width:${column.width}px`,
  }, make("span", { class: "i" }, row.number));
  // What a step does may be cut off, its value and the number of steps it stands for are not.
  const parts = row.group ? /^(.*?)(?:\s+\((\d+) steps? in the library\))?$/s.exec(row.what) : /^([^=]*?)( = .*)?$/s.exec(row.what);
  element.append(make("span", { class: "w" }, parts[1] || "in the library"));
  if (parts[2]) element.append(make("span", { class: row.group ? "n" : "v" }, parts[2]));
  return element;
}

function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/// The heads of arrows, once for all edges.
function heads() {
  const defs = shape("defs", {});
  for (const [kind] of EDGES) {
    const marker = shape("marker", { id: "to-" + kind, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" });
    marker.append(shape("path", { d: "M0,0 L8,4 L0,8 z", style: `fill:var(--${kind});stroke:none;opacity:1` }));
    defs.append(marker);
  }
  return defs;
}

function drawEdges(view, first, end, more) {
  const svg = $("edges");
  svg.setAttribute("width", view.width);
  svg.setAttribute("height", (end - first) * ROW);
  svg.style.top = first * ROW + "px";
  const fragment = document.createDocumentFragment();
  fragment.append(heads());
  for (const column of view.columns) {
    const x = column.x + column.width / 2;
    fragment.append(shape("line", { class: "thread", x1: x, x2: x, y1: 0, y2: (end - first) * ROW }));
  }
  // The edges of the step under the pointer stand out, or those of the chosen one.
  const focus = state.over ?? state.row;
  let focused = false;
  const add = (edge, isStrong) => fragment.append(shape("path", {
    d: curve(view, edge, first), style: `stroke:var(--${edge.kind})`, "marker-end": `url(#to-${edge.kind})`,
    class: isStrong ? "strong" : "", "data-kind": edge.kind,
  }));
  for (const edge of view.edges) {
    if (!state.shown.has(edge.kind) || edge.end < first || edge.top >= end) continue;
    const isStrong = edge.a === focus || edge.b === focus;
    focused ||= isStrong;
    add(edge, isStrong);
  }
  for (const edge of more) add(edge, true);
  const [a, b] = view.guilty;
  if (view.guilty.length === 2 && CONFLICTS.has(view.finding.kind) && view.rows[a].thread !== view.rows[b].thread)
    fragment.append(shape("path", { class: "race", d: curve(view, { a, b, kind: "race" }, first) }));
  svg.setAttribute("class", focused || more.length ? "focused" : "");
  svg.replaceChildren(fragment);
}

/// The path of an edge: between threads from side to side, within a thread around its left side.
function curve(view, edge, first) {
  const [from, to] = [view.rows[edge.a], view.rows[edge.b]];
  const [left, right] = [view.byThread[from.thread], view.byThread[to.thread]];
  const y = (row) => (row - first) * ROW + ROW / 2;
  const shift = { rf: -4, co: 4, fr: 7, sw: 0, hb: 2, race: 0 }[edge.kind];
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

function drawColumns(view) {
  $("canvas").style.height = view.rows.length * ROW + 40 + "px";
  $("canvas").style.width = $("columns").style.width = view.width + "px";
  $("columns").replaceChildren(...view.columns.map((column, nth) => make("div", {
    style: `left:${column.x}px;width:${column.width + (nth + 1 < view.columns.length ? view.gap - 8 : 0)}px`, title: column.title,
  }, column.name, make("span", {}, column.title))));
}
