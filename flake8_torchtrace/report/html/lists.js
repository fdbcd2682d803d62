const PAGE = 100;
const place = (path, line) => (line ? `${path}:${line}` : path);
const link = (href, text) => make("a", { href }, text);
const breakable = (path) => path.split("/").flatMap((part, number) => (number ? ["/", make("wbr"), part] : [part]));

function moduleRow(unit) {
  const index = DATA.units.indexOf(unit);
  const states = DATA.targets.filter((target) => unit.states[target]).map((target) => chip(unit.states[target][0], `${target}: ${unit.states[target][0]}`));
  return make("tr", {},
    make("td", { class: "place" }, link(`#m${index}`, unit.name), make("small", {}, breakable(place(unit.path, unit.line)))),
    make("td", {}, chips(unit.standing)),
    make("td", {}, states.length ? states : unit.reason || "torch was not asked"),
    make("td", {}, unit.items.length ? plural(unit.items.length, "finding") : "no finding"));
}

function findingRow(item) {
  const index = DATA.items.indexOf(item);
  return make("tr", {},
    make("td", { class: "place" }, link(`#f${index}`, breakable(place(item.path, item.line))), make("small", {}, item.function)),
    make("td", {}, chip(item.level, item.level), item.known ? chip("", "in the baseline") : null),
    make("td", {}, make("code", { class: "code" }, item.code), " ", prose(item.message)),
    make("td", { "data-head": "Targets" }, item.targets.join(", ")));
}

function changeRow(change) {
  return make("tr", {},
    make("td", { class: "place" }, breakable(place(change.path, change.line))),
    make("td", {}, chip(change.kind, change.kind)),
    make("td", {}, make("code", { class: "code" }, change.code), " ", prose(change.message)),
    make("td", { "data-head": "Targets" }, change.targets.join(", ")),
    make("td", { "data-head": "Before" }, change.before.join("; ")),
    make("td", { "data-head": "After" }, change.after.join("; ")));
}

const changeText = (change) => `${change.path}:${change.line} ${change.code} ${change.kind} ${change.message} ${change.before} ${change.after}`.toLowerCase();
const changeFits = (change, filter) => (!filter.target || change.targets.includes(filter.target))
  && (!filter.change || change.kind === filter.change) && words(filter).every((word) => changeText(change).includes(word));
const LISTS = {
  modules: { title: "Modules", word: "module", all: DATA.units.filter((unit) => unit.kind === "module"), fits: unitFits, row: moduleRow, head: ["Module", "State", "Targets", "Findings"], hides: ["change"] },
  findings: { title: "Findings", word: "finding", all: DATA.items, fits: itemFits, row: findingRow, head: ["Where", "Level", "What", "Targets"], hides: ["change"] },
  upgrade: {
    title: `From torch ${DATA.torches[0]} to ${DATA.torches[1]}`, word: "change", all: DATA.changes, fits: changeFits, row: changeRow,
    head: ["Where", "Change", "What", "Targets", "Before", "After"], hides: ["standing", "level", "family"],
  },
};

let shown = [];
function showList(name, filter) {
  const list = LISTS[name];
  byId("list-title").textContent = list.title;
  for (const field of FILTERS) byId(`filter-${field}`).closest("label").hidden = list.hides.includes(field);
  byId("list").querySelector("thead").replaceChildren(make("tr", {}, list.head.map((text) => make("th", { scope: "col" }, text))));
  shown = list.all.filter((one) => list.fits(one, filter));
  byId("list-status").textContent = shown.length === list.all.length
    ? plural(shown.length, list.word) : `${shown.length.toLocaleString("en")} of ${plural(list.all.length, list.word)}`;
  byId("list").querySelector("tbody").replaceChildren();
  showMore(name);
}

function showMore(name) {
  const body = byId("list").querySelector("tbody");
  const next = shown.slice(body.children.length, body.children.length + PAGE);
  body.append(...next.map(LISTS[name].row));
  const left = shown.length - body.children.length;
  byId("more").hidden = left <= 0;
  byId("more").textContent = `Show ${Math.min(PAGE, left)} of ${left.toLocaleString("en")} more`;
}
