/** The hash is the state: #overview, #modules?level=likely, #m12 (a module), #f7 (a finding in its module). */
function route() {
  const [name, query] = location.hash.slice(1).split("?");
  const filter = Object.fromEntries(new URLSearchParams(query || ""));
  const [, kind, number] = name.match(/^([mf])(\d+)$/) || [];
  const unit = kind === "m" ? DATA.units[number] : kind === "f" && DATA.items[number] ? DATA.units[DATA.items[number].unit] : null;
  const isList = Boolean(LISTS[name]) && (name !== "upgrade" || DATA.torches.length > 0);
  show(unit ? "detail" : isList ? "list" : "overview", isList ? name : unit ? null : "overview");
  if (unit) return focusOn(showDetail(unit, kind === "f" ? Number(number) : null) || byId("detail-title"));
  if (isList) {
    list = name;
    showFilter(filter);
    showList(name, filter);
    byId("back").href = location.hash;
  }
  if (name !== "main") focusOn(byId(isList ? "list-title" : "overview-title"));
}

let list = "modules", isFirst = true;
function show(view, current) {
  for (const one of ["overview", "list", "detail"]) byId(`view-${one}`).hidden = one !== view;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${current}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** So that a screen reader goes on where the view changed; not when the page has just opened. */
function focusOn(element) {
  const isTitle = element.tagName === "H2";
  if (!isFirst || !isTitle) element.focus({ preventScroll: true });
  isFirst = false;
  if (isTitle) window.scrollTo(0, 0);
  else element.scrollIntoView();
}

function filterChanged() {
  const filter = readFilter();
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
  history.replaceState(null, "", `#${list}${query ? `?${query}` : ""}`);
  byId("back").href = location.hash;
  showList(list, filter);
}

function toggleTheme() {
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
  nameTheme();
}
const nameTheme = () => { byId("theme").textContent = getComputedStyle(document.documentElement).colorScheme === "dark" ? "Light" : "Dark"; };

fillFilters();
byId("filters").addEventListener("input", filterChanged);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("filters").addEventListener("reset", () => setTimeout(filterChanged));
byId("more").addEventListener("click", () => showMore(list));
byId("theme").addEventListener("click", toggleTheme);
byId("theme").hidden = false;
nameTheme();
window.addEventListener("hashchange", route);
route();
