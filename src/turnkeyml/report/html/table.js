// The table of all records: Tabulator draws it, our filters decide what it shows.
import { download, element, readable, significant, titleOf, verdictOf } from "./text.js";

const SHOWN = {
  cache: [
    "build_name", "corpus", "parameters", "device", "contestant", "status", "median_latency",
    "throughput", "verdict", "grade", "flags", "peak_memory_bytes", "measured_at",
  ],
  comparison: [
    "build_name", "device_type", "runtime", "precision", "parameters", "change", "median_a",
    "median_b", "ratio", "verdict", "failure_b", "notes",
  ],
};
const WIDTHS = {
  build_name: 270, device: 170, contestant: 150, measured_at: 165, reason: 300, median_latency: 180,
  peak_memory_bytes: 195,
};
const TYPING_MS = 120;

export function shownColumns(app) {
  const wanted = app.state.columns ?? SHOWN[app.store.kind];
  const found = wanted.map((name) => app.store.byName.get(name)).filter(Boolean);
  return app.state.columns ? found : found.filter((column) => !column.isEmpty);
}

// A row as Tabulator sees it; the getters of its fields read the store.
class TableRow {
  constructor(row) {
    this.row = row;
  }
}

function fieldOf(app, column) {
  const field = `c${app.store.columns.indexOf(column)}`;
  Object.defineProperty(TableRow.prototype, field, {
    configurable: true,
    get() {
      return column.get(this.row) ?? null;
    },
    set() {
      // Tabulator writes back what it has just read
    },
  });
  return field;
}

function compareCells(one, other, oneRow, otherRow, column, direction) {
  if (one === other) return 0;
  if (one === null || one === "") return direction === "asc" ? 1 : -1;
  if (other === null || other === "") return direction === "asc" ? -1 : 1;
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), "en", { numeric: true });
}

const GOOD = new Set(["match", "match in parts", "nondeterministic", "successful", "A", "SAME"]);
const BAD = new Set(["mismatch", "failed", "failed_build", "timeout", "killed", "unreadable", "D", "SLOWER"]);

export function wordClass(value) {
  if (GOOD.has(value) || value === "FASTER") return "good";
  return BAD.has(value) ? "bad" : "";
}

function interval(app, row) {
  const [low, high, median] = ["median_low", "median_high", "median_latency"].map((name) =>
    app.store.value(name, row),
  );
  if (low === null || high === null || !median) return "";
  return `±${significant(((high - low) / 2 / median) * 100, 2)}%`;
}

function cellContent(app, column, row) {
  const value = column.get(row);
  if (value === null || value === undefined || value === "") return "";
  if (column.name === "build_name") {
    return element("a", { href: app.rowAddress(row) }, String(value));
  }
  const text = column.name === "verdict" ? verdictOf(app.store, row) : readable(column, value);
  if (column.name === "median_latency") {
    return element("span", {}, text, " ", element("small", {}, interval(app, row)));
  }
  const kind = ["status", "verdict", "grade"].includes(column.name) ? wordClass(value) : "";
  return kind ? element("span", { class: kind }, text) : text;
}

function formatter(app, column) {
  return (cell) => {
    const content = cellContent(app, column, cell.getData().row);
    return typeof content === "string" ? document.createTextNode(content) : content;
  };
}

// The title of a column with its filter below it.
function titleFormatter(app, column, inputs) {
  return () => {
    const input = element("input", {
      type: "search",
      class: "column-filter",
      "aria-label": `Filter ${titleOf(column.name)}`,
      placeholder: column.numeric ? "> < 1..9" : "filter",
      value: app.state.filters.get(column.name) ?? "",
      spellcheck: "false",
      autocomplete: "off",
    });
    let timer = null;
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => app.setFilter(column.name, input.value.trim()), TYPING_MS);
    });
    for (const kind of ["click", "mousedown", "keydown", "dblclick"]) {
      input.addEventListener(kind, (event) => event.stopPropagation());
    }
    inputs.set(column.name, input);
    const unit = column.unit ? element("small", {}, ` ${column.unit}`) : null;
    const title = element("span", { title: column.about }, titleOf(column.name));
    return element("div", { class: "column-title" }, element("div", {}, title, unit ?? ""), input);
  };
}

function definition(app, column, inputs, isFirst) {
  return {
    title: column.name,
    field: fieldOf(app, column),
    titleFormatter: titleFormatter(app, column, inputs),
    formatter: formatter(app, column),
    sorter: compareCells,
    hozAlign: column.numeric ? "right" : "left",
    width: WIDTHS[column.name] ?? (column.numeric ? 150 : 140),
    frozen: isFirst && window.innerWidth > 700,
    headerSortStartingDir: "asc",
  };
}

// Say what the grid is; its scrolling part is neither a row nor a stop of the keyboard, as the links
// in its rows are.
function nameParts(place) {
  place.setAttribute("aria-label", "All records");
  const holder = place.querySelector(".tabulator-tableholder");
  holder.removeAttribute("tabindex");
  holder.setAttribute("role", "presentation");
}

export class RecordTable {
  constructor(app, place) {
    this.app = app;
    this.inputs = new Map();
    this.mask = new Uint8Array(app.store.count).fill(1);
    this.ready = new Promise((resolve) => {
      this.grid = new Tabulator(place, {
        index: "row",
        data: this.data(),
        columns: this.definitions(),
        columnDefaults: { resizable: "header" },
        nestedFieldSeparator: false,
        height: "min(72vh, 900px)",
        rowHeight: 32,
        layout: "fitData",
        placeholder: () => element("p", {}, "No record passes the filters."),
        initialFilter: [],
        initialSort: this.sorting(),
        columnHeaderSortMulti: false,
      });
      this.grid.on("tableBuilt", () => {
        nameParts(place);
        resolve();
      });
      this.grid.on("dataSorted", (sorters) => this.sorted(sorters));
    });
  }

  data() {
    return Array.from({ length: this.app.store.count }, (_, row) => new TableRow(row));
  }

  definitions() {
    this.inputs.clear();
    return shownColumns(this.app).map((column, number) =>
      definition(this.app, column, this.inputs, number === 0),
    );
  }

  sorting() {
    const { sort } = this.app.state;
    const column = sort && this.app.store.byName.get(sort.name);
    if (!column || !shownColumns(this.app).includes(column)) return [];
    return [{ column: fieldOf(this.app, column), dir: sort.descending ? "desc" : "asc" }];
  }

  sorted(sorters) {
    const [first] = sorters;
    const column = first && this.app.store.columns[Number(first.field.slice(1))];
    const sort = column ? { name: column.name, descending: first.dir === "desc" } : null;
    this.app.keep({ sort });
  }

  async show(rows) {
    await this.ready;
    this.mask = new Uint8Array(this.app.store.count);
    for (const row of rows) this.mask[row] = 1;
    this.grid.setFilter((data) => this.mask[data.row] === 1);
    for (const [name, input] of this.inputs) {
      const expression = this.app.state.filters.get(name) ?? "";
      if (document.activeElement !== input) input.value = expression;
    }
  }

  async setColumns() {
    await this.ready;
    this.grid.setColumns(this.definitions());
    const sorting = this.sorting();
    if (sorting.length) this.grid.setSort(sorting);
  }

  // The store has been replaced by a newer one.
  async renew() {
    await this.ready;
    await this.grid.replaceData(this.data());
  }

  orderedRows() {
    return this.grid.getRows("active").map((row) => row.getData().row);
  }
}

const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const PLAIN_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

// A cell of a CSV file that no spreadsheet runs as a formula.
export function csvCell(value) {
  let text = value === null || value === undefined ? "" : String(value);
  if (FORMULA.test(text) && !PLAIN_NUMBER.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function exportShown(app, table, format) {
  const columns = shownColumns(app);
  const rows = table.orderedRows();
  if (format === "csv") {
    const lines = [columns.map((column) => csvCell(column.name)).join(",")];
    for (const row of rows) {
      lines.push(columns.map((column) => csvCell(column.get(row))).join(","));
    }
    return download("turnkey.csv", "text/csv", `${lines.join("\n")}\n`);
  }
  const records = rows.map((row) =>
    Object.fromEntries(columns.map((column) => [column.name, column.get(row) ?? null])),
  );
  return download("turnkey.json", "application/json", JSON.stringify(records, null, 1));
}

const MOST_PRINTED = 2000;

// A plain table of what is shown, for a printer: the real one only draws what is in view.
export function printedTable(app, table) {
  const columns = shownColumns(app);
  const rows = table.orderedRows();
  const head = columns.map((column) => element("th", { scope: "col" }, titleOf(column.name)));
  const body = rows.slice(0, MOST_PRINTED).map((row) =>
    element("tr", {}, columns.map((column) => element("td", {}, readable(column, column.get(row))))),
  );
  const caption = `${rows.length.toLocaleString("en-US")} records`;
  return element(
    "table",
    { class: "plain printed" },
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, body),
  );
}
