// The source beside the picture, in blocks of lines that are put into the document when they come into view.

const LANGUAGES = /\.(c|h|cc|cpp|cxx|hpp|hh|rs)$|\/[a-z_]+$/;
const WORDS = "alignas|as|assert|async|auto|bool|break|case|catch|char|class|const|constexpr|continue|crate|default|delete|do|double|else|enum|explicit|extern|false|float|fn|for|goto|if|impl|in|inline|int|let|long|loop|match|mod|move|mut|namespace|new|noexcept|nullptr|operator|private|protected|pub|public|ref|return|self|short|signed|sizeof|static|struct|switch|template|this|thread_local|throw|trait|true|try|type|typedef|typename|union|unsafe|unsigned|use|using|virtual|void|volatile|where|while|_Atomic|_Thread_local|NULL";
const TOKENS = new RegExp(String.raw`(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)')|(^\s*#\s*\w+|\b(?:${WORDS})\b)|(\b\d[\w.]*)`, "g");

/// For each line, whether it begins inside of a comment.
function comments(lines) {
  let inside = false;
  return lines.map((line) => {
    const was = inside;
    for (let at = 0; ;) {
      const next = line.indexOf(inside ? "*/" : "/*", at);
      if (next < 0) return was;
      inside = !inside;
      at = next + 2;
    }
  });
}

/// A line with its comments, texts, words of the language and numbers.
function painted(line, isComment) {
  const parts = [], end = isComment ? line.indexOf("*/") + 2 : 0;
  if (isComment && end < 2) return [make("span", { class: "c" }, line || " ")];
  if (end) parts.push(make("span", { class: "c" }, line.slice(0, end)));
  const rest = line.slice(end);
  let at = 0;
  for (const found of rest.matchAll(TOKENS)) {
    parts.push(rest.slice(at, found.index), make("span", { class: found[1] ? "c" : found[2] ? "s" : found[3] ? "k" : "d" }, found[0]));
    at = found.index + found[0].length;
  }
  parts.push(rest.slice(at) || (parts.length ? "" : " "));
  return parts;
}

function showSource() {
  const view = state.view, row = view && view.rows[state.row], pane = $("source");
  const file = row && row.file >= 0 ? data.files[row.file] : null;
  if (!file) {
    if (state.file !== "") pane.replaceChildren(make("div", { class: "none" }, "This step has no place in the source."));
    state.file = "";
    state.source = null;
    return;
  }
  const name = row.file + "/" + state.finding;
  if (state.file !== name) {
    state.file = name;
    state.source = null;
    pane.replaceChildren(make("div", { class: "file" }, file.name));
    if (file.text === null) pane.append(make("div", { class: "none" }, "The text of this file is not available."));
    else openSource(view, row.file, pane);
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

function openSource(view, file, pane) {
  const used = new Map();
  for (const other of unpack(view.finding).lines(true)) if (other.file === file) used.set(other.line, used.get(other.line) || other.guilty);
  const { name, text } = data.files[file], lines = text.split("\n"), blocks = [];
  for (let at = 0; at < lines.length; at += BLOCK) blocks.push(make("div", { style: `height:${Math.min(BLOCK, lines.length - at) * LINE}px` }));
  state.source = { lines, used, blocks, inside: LANGUAGES.test(name) ? comments(lines) : null };
  pane.append(make("div", { class: "text" }, ...blocks));
}

/// Puts the lines of a block of the source into the document, once.
function fill(nth) {
  const { lines, used, blocks, inside } = state.source, block = blocks[nth];
  if (!block || block.firstChild) return;
  block.append(...lines.slice(nth * BLOCK, (nth + 1) * BLOCK).map((line, index) => {
    const number = nth * BLOCK + index + 1;
    return make("span", { class: "l" + (used.has(number) ? " used" : "") + (used.get(number) ? " guilty" : ""), "data-line": number },
      make("span", { class: "n" }, String(number)), ...(inside ? painted(line, inside[number - 1]) : [line || " "]));
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

/// Marks the line of the step under the pointer, if it is in view.
function markLine(row) {
  const pane = $("source");
  pane.querySelectorAll(".over").forEach((line) => line.classList.remove("over"));
  if (!row || !state.file || Number(state.file.split("/")[0]) !== row.file) return;
  pane.querySelector(`[data-line="${row.line}"]`)?.classList.add("over");
}
