// What was measured, where and when: the counts at the top of the page.
import { counted, element, moment, titleOf } from "./text.js";
import { exactly } from "./filters.js";

const BROKEN_DOWN_BY = ["corpus", "label task", "contestant", "device"];
const FIRST_LINES = 8;
const FAILED = new Set(["build failed", "measurement failed", "unreadable"]);

// How far the builds of some rows came; a build counts for the best of its rows.
export function outcomesOf(store, rows) {
  const builds = new Map();
  for (const row of rows) {
    const key = store.buildKey(row);
    const known = builds.get(key) ?? builds.set(key, new Set()).get(key);
    known.add(store.value("outcome", row));
    if (store.value("build_status", row) === "successful_build") known.add("built");
  }
  const having = (...outcomes) =>
    [...builds.values()].filter((known) => outcomes.some((outcome) => known.has(outcome))).length;
  return {
    models: builds.size,
    built: having("built"),
    measured: having("verified", "not verified", "not checked", "not credible"),
    verified: having("verified"),
    failed: [...builds.values()].filter((known) => [...known].some((one) => FAILED.has(one))).length,
  };
}

function tile(number, label, act) {
  const content = [element("strong", {}, number.toLocaleString("en-US")), " ", label];
  if (!act) return element("li", { class: "tile" }, element("span", {}, content));
  return element("li", { class: "tile" }, element("button", { type: "button", onclick: act }, content));
}

function tiles(app) {
  const { store } = app;
  const counts = outcomesOf(store, Array(store.count).keys());
  const { inputs } = store.data;
  const scripts = new Set(inputs.length ? inputs.map((one) => one.file) : store.counts("file").map(([file]) => file));
  const found = new Set(store.counts("file").map(([file]) => file));
  const lost = new Set(inputs.filter((one) => one.failure && !found.has(one.file)).map((one) => one.file));
  const measurements = store.counts("status").find(([status]) => status === "successful")?.[1] ?? 0;
  const failed = exactly(...FAILED);
  return element(
    "ul",
    { class: "tiles", "aria-label": "Counts" },
    tile(scripts.size, "inputs ran"),
    tile(counts.models, "models", () => app.clearFilters()),
    tile(counts.built, "built", () => app.setFilters({ build_status: exactly("successful_build") })),
    tile(measurements, "measurements", () => app.setFilters({ status: exactly("successful") })),
    tile(counts.verified, "models verified", () => app.setFilters({ outcome: exactly("verified") })),
    tile(counts.failed + lost.size, "failed", () => app.setFilters({ outcome: failed })),
  );
}

function grades(app) {
  const counts = new Map(app.store.counts("grade"));
  const made = ["A", "B", "C", "D"].filter((grade) => counts.has(grade)).map((grade) =>
    element(
      "button",
      { type: "button", class: `grade grade-${grade}`, onclick: () => app.setFilter("grade", exactly(grade)) },
      `${grade}: ${counts.get(grade)}`,
    ),
  );
  return made.length ? made : [element("span", {}, "none")];
}

function fact(name, ...values) {
  return [element("dt", {}, name), element("dd", {}, values)];
}

function distinct(store, name) {
  return store.counts(name).map(([value]) => value);
}

function facts(app) {
  const { store } = app;
  const times = distinct(store, "measured_at").sort();
  const [first, last] = [moment(times[0]), moment(times[times.length - 1])];
  const machines = distinct(store, "conditions_cpu").map((cpu) => String(cpu));
  const found = [
    fact("Cache", store.data.heading.map(([, path]) => path).join(", ")),
    fact("Devices", distinct(store, "device").join(", ") || "none"),
    machines.length ? fact("CPU", machines.join(", ")) : [],
    fact("System", distinct(store, "conditions_platform").join(", ") || "unknown"),
    fact("Measured", first ? (first === last ? first : `${first} to ${last}`) : "nothing yet"),
    fact("Grades", ...grades(app)),
    fact("Shown", store.data.every ? "every measurement, also repeated ones" : "the last measurement of each kind"),
  ];
  return element("dl", { class: "facts" }, found.flat());
}

function breakdown(app, name) {
  const { store } = app;
  const groups = new Map();
  for (let row = 0; row < store.count; row++) {
    const value = store.value(name, row);
    if (value === null || value === "") continue;
    (groups.get(value) ?? groups.set(value, []).get(value)).push(row);
  }
  if (!groups.size) return null;
  const lines = [...groups].map(([value, rows]) => [value, outcomesOf(store, rows)]);
  lines.sort((one, other) => other[1].models - one[1].models);
  const heads = ["models", "built", "measured", "verified", "failed"];
  const body = lines.map(([value, counts], number) =>
    element(
      "tr",
      { class: number >= FIRST_LINES ? "more" : null },
      element("th", { scope: "row" }, element("button", { type: "button", onclick: () => app.setFilter(name, exactly(value)) }, String(value))),
      heads.map((head) => element("td", {}, counts[head].toLocaleString("en-US"))),
    ),
  );
  const table = element(
    "table",
    { class: "plain" },
    element("caption", {}, `By ${titleOf(name)}`),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, titleOf(name)), heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, body),
  );
  const rest = lines.length - FIRST_LINES;
  if (rest <= 0) return element("div", {}, table);
  const more = element("button", { type: "button", class: "link", onclick: () => {
    table.classList.add("whole");
    more.remove();
  } }, `Show ${rest} more`);
  return element("div", {}, table, more);
}

export function summaryOf(app) {
  const tables = BROKEN_DOWN_BY.map((name) => breakdown(app, name)).filter(Boolean);
  return element(
    "section",
    { class: "summary", "aria-labelledby": "summary-title" },
    element("h2", { id: "summary-title" }, "Summary"),
    tiles(app),
    facts(app),
    element("div", { class: "breakdowns" }, tables),
  );
}

export function titleText(app) {
  const { store } = app;
  const counts = outcomesOf(store, Array(store.count).keys());
  return `${counted(counts.models, "model")}, ${counted(store.count, "record")}`;
}
