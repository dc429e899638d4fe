// The page as a whole: what the reader chose, and the parts that show it.
import { counted, element, moment, replaceChildren, titleOf } from "./text.js";
import { Store, unpack } from "./store.js";
import { exactly, matchingRows, valuesIn } from "./filters.js";
import { addressOf, readAddress } from "./address.js";
import { exportShown, printedTable, RecordTable, shownColumns } from "./table.js";
import { CACHE_PLOTS } from "./plots.js";
import { comparisonNotes, comparisonSummary, RatioPlot } from "./comparison.js";
import { failuresOf } from "./failures.js";
import { summaryOf, titleText } from "./summary.js";
import { ModelPage } from "./model.js";

const POLL_MS = 2000;
const TYPING_PAUSE_MS = 120;
const PLOTS_MS = 60; // after which the plots follow the table
const FACETS = {
  cache: ["corpus", "label task", "contestant", "device", "precision", "outcome", "verdict", "grade"],
  comparison: ["change", "verdict", "device_type", "runtime", "precision"],
};
const THEMES = ["auto", "light", "dark"];

class App {
  constructor(data, settings) {
    this.store = new Store(data);
    this.settings = settings;
    this.state = readAddress();
    this.rows = [];
    this.chunks = new Map();
  }

  // --- what the reader chooses -------------------------------------------------------------

  keep(changes, push = false) {
    Object.assign(this.state, changes);
    const address = addressOf(this.state);
    if (push) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  setFilters(expressions, leave = false) {
    for (const [name, expression] of Object.entries(expressions)) {
      if (expression) this.state.filters.set(name, expression);
      else this.state.filters.delete(name);
    }
    if (leave && this.state.build !== null) this.keep({ build: null, cache: null }, true);
    this.filter();
    this.route();
  }

  setFilter(name, expression) {
    this.setFilters({ [name]: expression });
  }

  clearFilters() {
    this.state.filters.clear();
    this.state.query = "";
    this.search.value = "";
    this.filter();
  }

  filter() {
    this.keep({});
    this.rows = matchingRows(this.store, this.state.query, this.state.filters);
    this.table.show(this.rows);
    this.showChips();
    this.status.textContent = `${this.rows.length.toLocaleString("en-US")} of ${counted(this.store.count, "record")}`;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.updatePlots(), PLOTS_MS);
  }

  updatePlots() {
    for (const plot of this.plots) plot.refresh();
    if (this.failures) replaceChildren(this.failures, failuresOf(this));
    for (const facet of this.facets) facet.update();
  }

  // --- addresses ---------------------------------------------------------------------------

  modelAddress(row) {
    const caches = this.store.data.heading.length > 1;
    const build = this.store.value("build_name", row);
    return addressOf({ ...this.state, build, cache: caches ? this.store.value("cache_dir", row) : null });
  }

  // Of the page of a model; a comparison has none, and shows the rows of the model alone.
  rowAddress(row) {
    if (this.store.kind === "cache") return this.modelAddress(row);
    const filters = new Map([["build_name", exactly(this.store.value("build_name", row))]]);
    return addressOf({ ...this.state, filters });
  }

  overviewAddress() {
    const address = addressOf({ ...this.state, build: null, cache: null });
    return address.startsWith("#") ? address : "#";
  }

  openModel(row) {
    location.hash = this.modelAddress(row);
  }

  // The key of the build that the address names; null for the overview.
  chosenBuild() {
    const { build, cache } = this.state;
    if (build === null) return null;
    const wanted = [...this.store.rowsByBuild.keys()].find((key) => {
      const [folder, name] = key.split("\n");
      return name === build && (!cache || cache === folder);
    });
    return wanted ?? `${cache ?? ""}\n${build}`;
  }

  async route() {
    const key = this.store.kind === "cache" ? this.chosenBuild() : null;
    this.overview.hidden = key !== null;
    this.modelPlace.hidden = key === null;
    if (key === null) this.model.close();
    else await this.model.open(key);
    this.openKey = key;
  }

  async detail(key) {
    const [cache, name] = key.split("\n");
    if (this.settings.live) {
      const words = new URLSearchParams({ cache, name });
      const answer = await fetch(`build?${words}`);
      return answer.ok ? answer.json() : null;
    }
    const index = this.store.data.builds.findIndex(([folder, build]) => folder === cache && build === name);
    if (index < 0) return null;
    const number = Math.floor(index / this.settings.chunk);
    if (!this.chunks.has(number)) {
      this.chunks.set(number, unpack(document.getElementById(`details-${number}`).textContent));
    }
    return (await this.chunks.get(number))[index % this.settings.chunk];
  }

  // --- the parts ---------------------------------------------------------------------------

  build(main) {
    const { store } = this;
    const isCache = store.kind === "cache";
    this.summaryPlace = element("div", {});
    this.status = element("p", { role: "status", class: "status" });
    this.chips = element("ul", { class: "chips", "aria-label": "Filters" });
    this.grid = element("div", { id: "table" });
    this.printed = element("div", { class: "print-only" });
    this.plotPlace = element("div", { class: "plots" });
    this.facetPlace = element("div", { class: "facets" });
    this.facets = FACETS[store.kind].filter((name) => store.byName.has(name)).map((name) => new Facet(this, name));
    this.facetPlace.append(...this.facets.map((facet) => facet.element));
    this.failures = isCache ? element("section", { "aria-labelledby": "failures-title" }) : null;
    this.overview = element(
      "div",
      { id: "overview" },
      this.summaryPlace,
      element("section", { class: "filters", "aria-labelledby": "table-title" }, element("h2", { id: "table-title" }, isCache ? "Evaluations" : "Models"), this.toolbar(), this.facetPlace, this.chips, this.status, this.grid, this.printed),
      element("section", { "aria-labelledby": "plots-title" }, element("h2", { id: "plots-title" }, "Plots"), this.plotPlace),
      this.failures,
    );
    this.notesPlace = element("div", {});
    this.modelPlace = element("div", { id: "model", hidden: true });
    replaceChildren(main, this.overview, this.notesPlace, this.modelPlace);
    this.model = new ModelPage(this, this.modelPlace);
    this.showSummary();
    this.plots = (isCache ? CACHE_PLOTS : [RatioPlot]).map((Kind) => new Kind(this));
    this.plotPlace.append(...this.plots.map((plot) => plot.card));
    this.table = new RecordTable(this, this.grid);
  }

  showSummary() {
    const isCache = this.store.kind === "cache";
    replaceChildren(this.summaryPlace, isCache ? summaryOf(this) : comparisonSummary(this));
    if (!isCache) replaceChildren(this.notesPlace, comparisonNotes(this));
    const name = isCache ? titleText(this) : this.store.data.heading.map(([, path]) => path).join(" and ");
    document.title = `${name} – turnkey`;
  }

  toolbar() {
    this.search = element("input", { type: "search", id: "search", value: this.state.query, placeholder: "Search", "aria-label": "Search all records", spellcheck: "false", autocomplete: "off" });
    let timer = null;
    this.search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        this.state.query = this.search.value;
        this.filter();
      }, TYPING_PAUSE_MS);
    });
    const button = (label, act) => element("button", { type: "button", onclick: act }, label);
    return element(
      "div",
      { class: "toolbar" },
      this.search,
      button("Add a filter", () => chooseFilter(this)),
      button("Columns", () => chooseColumns(this)),
      button("Export CSV", () => exportShown(this, this.table, "csv")),
      button("Export JSON", () => exportShown(this, this.table, "json")),
      button("Clear filters", () => this.clearFilters()),
    );
  }

  showChips() {
    const chips = [...this.state.filters].map(([name, expression]) => {
      const shown = valuesIn(expression)?.map((value) => value || "empty").join(" or ") ?? expression;
      return element(
        "li",
        {},
        element("button", { type: "button", "aria-label": `Remove the filter ${titleOf(name)}: ${shown}`, onclick: () => this.setFilter(name, "") }, `${titleOf(name)}: ${shown} ×`),
      );
    });
    this.chips.hidden = !chips.length;
    replaceChildren(this.chips, chips);
  }

  setColumns(names) {
    this.keep({ columns: names });
    this.table.setColumns();
  }

  redraw() {
    for (const plot of this.plots) plot.redraw();
    this.model.redraw();
  }

  // --- a live cache ------------------------------------------------------------------------

  async renew(data) {
    this.store = new Store(data);
    for (const plot of this.plots) plot.renew?.();
    this.showSummary();
    await this.table.renew();
    await this.table.setColumns();
    this.filter();
    if (this.openKey) await this.route();
  }
}

// A list of the values of one column, of which several can be chosen.
class Facet {
  constructor(app, name) {
    this.app = app;
    this.name = name;
    this.list = element("div", { class: "facet-list" });
    this.summary = element("summary", {}, titleOf(name));
    this.element = element("details", { class: "facet" }, this.summary, this.list);
    this.element.addEventListener("toggle", () => this.update());
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.element.open = false;
        this.summary.focus();
      }
    });
  }

  update() {
    const { app, name } = this;
    const chosen = new Set(valuesIn(app.state.filters.get(name)) ?? []);
    this.summary.textContent = chosen.size ? `${titleOf(name)} (${chosen.size})` : titleOf(name);
    this.element.hidden = !(app.store.byName.has(name) && app.store.counts(name).length);
    if (!this.element.open) return;
    const others = new Map(app.state.filters);
    others.delete(name);
    const rows = matchingRows(app.store, app.state.query, others);
    const counts = app.store.counts(name, rows);
    const boxes = counts.slice(0, 200).map(([value, count]) => {
      const box = element("input", { type: "checkbox", checked: chosen.has(String(value)), onchange: () => this.choose(String(value), box.checked) });
      return element("label", {}, box, ` ${value} `, element("small", {}, String(count)));
    });
    const focused = this.list.contains(document.activeElement);
    const place = focused ? [...this.list.querySelectorAll("input")].indexOf(document.activeElement) : -1;
    replaceChildren(this.list, boxes);
    if (place >= 0) this.list.querySelectorAll("input")[place]?.focus();
  }

  choose(value, isChosen) {
    const chosen = new Set(valuesIn(this.app.state.filters.get(this.name)) ?? []);
    if (isChosen) chosen.add(value);
    else chosen.delete(value);
    this.app.setFilter(this.name, chosen.size ? exactly(...chosen) : "");
  }
}

function openDialog(title, content, done) {
  const close = element("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const dialog = element("dialog", { "aria-labelledby": "dialog-title" }, element("h2", { id: "dialog-title" }, title), content, element("p", { class: "dialog-end" }, done ?? "", close));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function chooseColumns(app) {
  const shown = new Set(shownColumns(app).map((column) => column.name));
  const groups = new Map();
  for (const column of app.store.columns) {
    if (column.isEmpty && !shown.has(column.name)) continue;
    (groups.get(column.group) ?? groups.set(column.group, []).get(column.group)).push(column);
  }
  const change = (name, isShown) => {
    if (isShown) shown.add(name);
    else shown.delete(name);
    const first = shownColumns(app).map((column) => column.name).filter((one) => shown.has(one));
    app.setColumns([...first, ...[...shown].filter((one) => !first.includes(one))]);
  };
  const boxes = [...groups].map(([group, columns]) =>
    element(
      "fieldset",
      {},
      element("legend", {}, group || "Columns"),
      columns.map((column) => {
        const box = element("input", { type: "checkbox", checked: shown.has(column.name), onchange: () => change(column.name, box.checked) });
        return element("label", { title: column.about }, box, ` ${titleOf(column.name)}`);
      }),
    ),
  );
  const usual = element("button", { type: "button", onclick: () => {
    app.setColumns(null);
    dialog.close();
  } }, "The usual columns");
  const dialog = openDialog("Columns", element("div", { class: "columns" }, boxes), usual);
}

function chooseFilter(app) {
  const known = app.store.columns.filter((column) => !column.isEmpty);
  const select = element("select", { id: "filter-column" }, known.map((column) => element("option", { value: column.name }, titleOf(column.name))));
  const input = element("input", { type: "text", id: "filter-expression", spellcheck: "false", autocomplete: "off", "aria-describedby": "filter-help" });
  const form = element(
    "form",
    { class: "filter-form", onsubmit: (event) => {
      event.preventDefault();
      if (input.value.trim()) app.setFilter(select.value, input.value.trim());
      dialog.close();
    } },
    element("label", { for: "filter-column" }, "Column"),
    select,
    element("label", { for: "filter-expression" }, "Filter"),
    input,
    element("p", { id: "filter-help", class: "hint" }, "A text that it contains; =a|b for exactly a or b; !x for the opposite; /regular expression/; for numbers >5, <=2M or 1..10."),
    element("button", { type: "submit" }, "Filter"),
  );
  const dialog = openDialog("Add a filter", form);
  input.focus();
}

function themeSwitch(app) {
  const read = () => {
    try {
      return localStorage.getItem("turnkey-theme") ?? "auto";
    } catch {
      return "auto"; // a page from disk may have no storage
    }
  };
  const select = element("select", { id: "theme", onchange: () => apply(select.value) }, THEMES.map((theme) => element("option", { value: theme }, theme)));
  const apply = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("turnkey-theme", theme);
    } catch {
      // the choice holds until the page is closed
    }
    app?.redraw();
  };
  select.value = read();
  if (select.value !== "auto") document.documentElement.dataset.theme = select.value;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app?.redraw());
  return element("label", { class: "theme" }, "Theme ", select);
}

function showTop(app, liveStatus) {
  const { data } = app.store;
  const kind = data.kind === "cache" ? "report" : "comparison";
  const made = `${moment(data.created)}, turnkey ${data.turnkey_version}`;
  replaceChildren(
    document.getElementById("top"),
    element("h1", {}, element("a", { href: "#" }, `turnkey ${kind}`)),
    element("p", { class: "made" }, liveStatus ?? made),
    themeSwitch(app),
  );
}

function listen(app) {
  const changed = () => {
    app.state = readAddress();
    app.search.value = app.state.query;
    app.filter();
    app.route();
  };
  addEventListener("popstate", changed);
  addEventListener("hashchange", changed);
  addEventListener("beforeprint", () => {
    replaceChildren(app.printed, printedTable(app, app.table));
    for (const plot of app.plots) plot.print();
    for (const chart of app.model.charts) chart.drawUnseen();
  });
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea, dialog");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      app.search.focus();
    }
    if (event.key === "Escape" && !typing && app.state.build !== null) {
      location.hash = app.overviewAddress();
    }
  });
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  });
  addEventListener("click", (event) => {
    for (const facet of app.facets) {
      if (!facet.element.contains(event.target)) facet.element.open = false;
    }
  });
}

// Ask the server again and again, and show what is new.
function follow(app, status, tag) {
  let last = tag;
  const ask = async () => {
    let wait = POLL_MS;
    const began = performance.now();
    try {
      const answer = await fetch("data", { cache: "no-cache" });
      if (!answer.ok) throw new Error(String(answer.status));
      if (answer.headers.get("ETag") !== last) {
        last = answer.headers.get("ETag");
        await app.renew(await answer.json());
      }
      status.textContent = `live, ${new Date().toLocaleTimeString("en-GB")}`;
    } catch {
      status.textContent = "the server has ended; this is what it showed last";
      wait = 5 * POLL_MS;
    }
    setTimeout(ask, Math.max(wait, 4 * (performance.now() - began)));
  };
  setTimeout(ask, POLL_MS);
}

async function start() {
  const settings = JSON.parse(document.getElementById("settings").textContent);
  let data, tag;
  if (settings.live) {
    const answer = await fetch("data", { cache: "no-cache" });
    tag = answer.headers.get("ETag");
    data = await answer.json();
  } else {
    data = await unpack(document.getElementById("data").textContent);
  }
  const app = new App(data, settings);
  const status = settings.live ? element("span", { id: "live" }, "live") : null;
  showTop(app, status);
  app.build(document.getElementById("main"));
  app.filter();
  listen(app);
  await app.table.ready;
  await app.route();
  if (settings.live) follow(app, status, tag);
  document.documentElement.dataset.ready = "";
}

start().catch((error) => {
  document.getElementById("main").textContent = `This page cannot be shown: ${error.message}`;
  throw error;
});
