const FILTERS = ["q", "standing", "level", "family", "change", "target"];
const LEVELS = ["confirmed", "likely", "possible", "dismissed", "note"];
const STANDINGS = ["whole-graph", "export-ready", "broken", "likely", "clean", "unknown"];

const isClean = (unit) => unit.standing.includes("unknown") && !unit.standing.includes("likely");
const stands = (unit, standing) => (standing === "clean" ? isClean(unit) : unit.standing.includes(standing));
for (const item of DATA.items) {
  item.text = `${item.path}:${item.line} ${item.code} ${item.rule} ${item.function} ${item.message} ${DATA.units[item.unit].name}`.toLowerCase();
}
for (const unit of DATA.units) unit.text = `${unit.path} ${unit.name}`.toLowerCase();

function itemFits(item, filter) {
  return (!filter.level || item.level === filter.level) && (!filter.family || item.family === filter.family)
    && (!filter.target || item.targets.includes(filter.target)) && (!filter.standing || stands(DATA.units[item.unit], filter.standing))
    && words(filter).every((word) => item.text.includes(word));
}

/** A module fits by itself, or by one of its findings. */
function unitFits(unit, filter) {
  if (filter.standing && !stands(unit, filter.standing)) return false;
  const ofItems = filter.level || filter.family;
  if (filter.target && !ofItems && !words(filter).length && unit.states[filter.target]) return true;
  if (!ofItems && !filter.target && words(filter).every((word) => unit.text.includes(word))) return true;
  return unit.items.some((index) => itemFits(DATA.items[index], filter));
}

const words = (filter) => (filter.q || "").toLowerCase().split(/\s+/).filter(Boolean);

function fillFilters() {
  const used = (pick) => new Set(DATA.items.map(pick));
  const levels = used((item) => item.level);
  const choices = {
    standing: STANDINGS.filter((one) => DATA.units.some((unit) => stands(unit, one))).map((one) => [one, WORDS[one] || one]),
    level: LEVELS.filter((one) => levels.has(one)).map((one) => [one, one]),
    family: Object.entries(DATA.families).map(([key, family]) => [key, family.words]),
    change: [...new Set(DATA.changes.map((change) => change.kind))].map((one) => [one, one]),
    target: DATA.targets.map((one) => [one, one]),
  };
  for (const [name, options] of Object.entries(choices)) {
    byId(`filter-${name}`).replaceChildren(
      make("option", { value: "" }, "all"), ...options.map(([value, text]) => make("option", { value }, text)));
  }
}

const readFilter = () => Object.fromEntries(FILTERS.map((name) => [name, byId(`filter-${name}`).value.trim()]));
function showFilter(filter) {
  for (const name of FILTERS) byId(`filter-${name}`).value = filter[name] || "";
}
