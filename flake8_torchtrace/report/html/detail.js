function showDetail(unit, wanted) {
  byId("detail-title").textContent = unit.name || "(top level)";
  const items = unit.items.map((index) => [index, DATA.items[index]]).sort((one, other) => one[1].line - other[1].line);
  byId("detail").replaceChildren(
    make("p", { class: "place" }, place(unit.path, unit.line)),
    make("p", {}, unit.kind === "module" ? chips(unit.standing) : chip("", "function")),
    ...[targetTable(unit), sourceOf(unit, items)].filter(Boolean),
    ...items.map(([index, item]) => findingCard(index, item)),
    ...(items.length ? [] : [make("p", { class: "note" }, "No finding here.")]));
  return wanted === null ? null : byId(`finding-${wanted}`);
}

function targetTable(unit) {
  const targets = DATA.targets.filter((target) => unit.states[target]);
  if (!targets.length) return unit.reason ? make("p", { class: "note" }, `Torch could not run it: ${unit.reason}`) : null;
  const rows = targets.map((target) => {
    const [status, graphs, ops, why] = unit.states[target];
    const count = graphs ? `${plural(graphs, "graph")}, ${plural(ops, "operator")}` : "no graph";
    return make("tr", {}, make("th", { scope: "row" }, target), make("td", {}, chip(status, status)), make("td", {}, why ? `${count}; ${why}` : count));
  });
  const head = make("tr", {}, ["Target", "Verdict", "Captured"].map((text) => make("th", { scope: "col" }, text)));
  return make("section", { class: "panel" }, make("h3", {}, "What torch made of it"), make("table", {}, make("thead", {}, head), make("tbody", {}, rows)));
}

function sourceOf(unit, items) {
  if (!unit.source.length) return null;
  const rows = [];
  let last = unit.source[0][0] - 1;
  for (const [number, pieces] of unit.source) {
    if (number > last + 1) rows.push(make("li", { class: "gap" }, "\u22ef"));
    last = number;
    const here = items.filter(([, item]) => item.line === number);
    const level = here.length ? worst(here.map(([, item]) => item.level)) : "";
    const code = here.length ? marked(pieces, here.map(([, item]) => item)) : pieces.map(piece);
    rows.push(make("li", { class: here.length ? `hit ${level}` : null }, make("span", { class: "number" }, String(number)), code,
      here.map(([index, item]) => make("span", { class: `said ${item.level}` },
        link(`#f${index}`, item.code), " ", prose(item.message), " ", chip(item.level, item.level)))));
  }
  return make("section", { class: "panel" }, make("h3", {}, "Source"),
    make("div", { class: "source", tabindex: "0", role: "group", "aria-label": "Source" }, make("ol", {}, rows)));
}

const piece = ([text, kind]) => (kind ? make("span", { class: kind }, text) : text);
const worst = (levels) => LEVELS.find((level) => levels.includes(level));

/** The pieces of a line with what the findings are about underlined. Columns count characters, as Python does, not UTF-16 units. */
function marked(pieces, items) {
  const covered = (column) => items.some((item) => item.endColumn && item.column <= column && column < item.endColumn);
  let column = 1;
  return pieces.flatMap(([text, kind]) => {
    const runs = [];
    for (const character of text) {
      const isMarked = covered(column);
      if (runs.length && runs[runs.length - 1].isMarked === isMarked) runs[runs.length - 1].text += character;
      else runs.push({ isMarked, text: character });
      column += 1;
    }
    return runs.map((run) => (run.isMarked ? make("mark", {}, piece([run.text, kind])) : piece([run.text, kind])));
  });
}

function findingCard(index, item) {
  const rule = DATA.rules[item.code], family = DATA.families[item.family];
  return make("article", { class: "finding", id: `finding-${index}`, tabindex: "-1" },
    make("h4", {}, make("code", { class: "code" }, item.code), ` ${rule ? rule.name : item.rule} `, chip(item.level, item.level),
      item.known ? chip("", "in the baseline") : null, item.fails ? chip("broken", "fails the audit") : null),
    make("p", { class: "place" }, `${place(item.path, item.line)} ${item.function}`),
    make("p", {}, prose(item.message)),
    item.verdicts.map(verdict),
    make("dl", {},
      make("dt", {}, "Family"), make("dd", {}, family.words),
      make("dt", {}, "Fix"), make("dd", {}, family.fix),
      item.inputs ? [make("dt", {}, "Inputs"), make("dd", {}, item.inputs)] : [],
      item.stack.length > 1 ? [make("dt", {}, "By way of"), make("dd", {}, item.stack.map(([path, line, name]) => `${path}:${line} ${name}`).join(" \u2192 "))] : []),
    rule ? make("details", {}, make("summary", {}, "About this rule"), rule.text.map((text) => make("p", {}, prose(text)))) : null);
}

function verdict(group) {
  return make("div", {},
    make("p", {}, chip(group.outcome, group.outcome), ` ${group.targets.join(", ")}: ${group.detail}`, group.costs.length ? ` (${group.costs.join("; ")})` : ""),
    group.reasons.length ? make("details", {}, make("summary", {}, "What torch says"), group.reasons.map((text) => make("pre", { tabindex: "0" }, text))) : null);
}
