// The page of a model: everything known of one build.
import { counted, duration, element, moment, readable, replaceChildren, significant, titleOf, verdictOf, withPower } from "./text.js";
import { exactly } from "./filters.js";
import { wordClass } from "./table.js";
import { errorBars, GRID, ink, legend, looks, palette, tooltip, xAxis, yAxis } from "./charts.js";
import { chartIn, plainTable, section } from "./sections.js";
import { explanationSection } from "./explanation.js";

// Sections that other parts of the product may add: each takes the page and gives an element or null.
export const MODEL_SECTIONS = [
  evaluationsSection,
  explanationSection,
  reproduceSection,
  samplesSection,
  trendSection,
  verificationSection,
  stagesSection,
  operatorsSection,
  logsSection,
  everythingSection,
];

function word(value) {
  return element("span", { class: wordClass(value) }, value ?? "");
}

function nameOf(evaluation) {
  const point = Object.entries(evaluation.point ?? {}).map(([key, value]) => `${key}=${value}`);
  return [evaluation.contestant, ...point].join(" ");
}

function measuredRows({ store, rows }) {
  return rows.filter((row) => store.value("median_latency", row) !== null);
}

function evaluationsSection(page) {
  const { store } = page;
  const rows = page.rows.filter((row) => store.value("contestant", row));
  if (!rows.length) return null;
  const value = (name, row) => readable(store.byName.get(name), store.value(name, row));
  const heads = ["runtime", "device", "median (ms)", "95% interval", "mean (ms)", "p99 (ms)", "per second", "verdict", "grade", "peak memory", "measured"];
  const lines = rows.map((row) => [
    `${store.value("contestant", row)} ${store.point(row)}`.trim(),
    store.value("device", row),
    store.value("reason", row) ?? value("median_latency", row),
    store.value("median_low", row) === null ? "" : `${value("median_low", row)} to ${value("median_high", row)}`,
    value("mean_latency", row),
    value("p99_latency", row),
    value("throughput", row),
    word(verdictOf(store, row)),
    word(store.value("grade", row)),
    value("peak_memory_bytes", row),
    moment(store.value("measured_at", row)),
  ]);
  const flags = (page.detail?.evaluations ?? []).flatMap((evaluation) =>
    evaluation.flags.map((flag) => element("li", {}, `${nameOf(evaluation)}: ${flag.text}`)),
  );
  return section(
    "Measurements",
    plainTable("Measurements", heads, lines),
    flags.length ? [element("h4", {}, "Cautions"), element("ul", {}, flags)] : null,
    measuredRows(page).length > 1 ? latencyChart(page) : null,
  );
}

function latencyChart(page) {
  const { store } = page;
  const rows = measuredRows(page);
  const names = rows.map((row) => `${store.value("contestant", row)} ${store.point(row)}`.trim());
  const bars = rows
    .map((row, x) => [x, store.value("median_low", row), store.value("median_high", row)])
    .filter((bar) => bar[1] !== null);
  return chartIn(page, "Bar chart of the median latency of each measurement, with intervals", () => ({
    grid: { ...GRID, top: 16, bottom: 40 },
    tooltip: tooltip(({ dataIndex }) => [names[dataIndex], `${significant(store.value("median_latency", rows[dataIndex]))} ms`]),
    xAxis: xAxis({ type: "category", data: names }),
    yAxis: yAxis({ type: "value", name: "median latency (ms)" }),
    series: [
      { type: "bar", data: rows.map((row) => store.value("median_latency", row)), itemStyle: { color: palette()[0] }, barMaxWidth: 60 },
      { ...errorBars(bars, ink().text), z: 5 },
    ],
  }));
}

function commandLine(label, command) {
  const copied = element("span", { role: "status", class: "hint" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      copied.textContent = " copied";
    } catch {
      copied.textContent = " select the text to copy it";
    }
  };
  return element(
    "div",
    { class: "command" },
    element("p", {}, label, copied),
    element("div", { class: "command-line" }, element("code", { tabindex: "0" }, command), element("button", { type: "button", onclick: copy }, "Copy")),
  );
}

function reproduceSection({ detail, store, rows }) {
  if (!detail) return null;
  const commands = detail.evaluations.filter((one) => one.command).map((one) => commandLine(nameOf(one), one.command));
  if (!detail.evaluations.length && detail.build_command) commands.push(commandLine("The build", detail.build_command));
  const again = `turnkey cache benchmark ${detail.build_name} -d ${quoted(detail.cache_dir)}`;
  if (detail.status === "successful_build") commands.push(commandLine("The build again, without its script", again));
  return commands.length ? section("Reproduce", commands) : null;
}

function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

function samplesSection(page) {
  const found = (page.detail?.evaluations ?? []).filter((one) => one.samples);
  if (!found.length) return null;
  const area = element("div", { class: "pair" });
  const show = (number) => {
    const { samples } = found[number];
    replaceChildren(area, overTime(page, samples), histogram(page, samples));
  };
  const select = element("select", { onchange: () => show(Number(select.value)) }, found.map((one, number) => element("option", { value: number }, nameOf(one))));
  show(0);
  const control = element("p", {}, element("label", {}, "Samples of ", select));
  return section("Samples", found.length > 1 ? control : null, area);
}

function overTime(page, samples) {
  const { seconds, low, middle, high } = samples;
  const color = palette()[0];
  return chartIn(page, "Line chart of the latency over the time of the measurement", () => ({
    grid: { ...GRID, top: 16 },
    tooltip: tooltip(([one]) => {
      const i = one.dataIndex;
      return [`after ${duration(seconds[i])}`, `median ${significant(middle[i])} ms`, `from ${significant(low[i])} to ${significant(high[i])} ms`];
    }, { trigger: "axis" }),
    xAxis: xAxis({ type: "value", name: "measured time (s)", max: seconds[seconds.length - 1] }),
    yAxis: yAxis({ type: "value", name: "latency (ms)", scale: true }),
    series: [
      { type: "line", data: seconds.map((x, i) => [x, middle[i]]), showSymbol: false, lineStyle: { width: 2, color }, itemStyle: { color }, z: 3 },
      { type: "line", data: seconds.map((x, i) => [x, low[i]]), showSymbol: false, lineStyle: { width: 1, color: ink().faint, type: "dotted" }, itemStyle: { color: ink().faint } },
      { type: "line", data: seconds.map((x, i) => [x, high[i]]), showSymbol: false, lineStyle: { width: 1, color: ink().faint, type: "dotted" }, itemStyle: { color: ink().faint } },
    ],
  }));
}

function histogram(page, samples) {
  const { bins, from, to, beyond } = samples;
  const width = (to - from) / bins.length;
  const middles = bins.map((_, i) => significant(from + width * (i + 0.5)));
  return chartIn(page, "Histogram of the latencies", () => ({
    grid: { ...GRID, top: 16 },
    tooltip: tooltip(({ dataIndex }) => [
      `${significant(from + width * dataIndex)} to ${significant(from + width * (dataIndex + 1))} ms`,
      counted(bins[dataIndex], "sample"),
      beyond ? `${counted(beyond, "sample")} beyond the histogram` : "",
    ]),
    xAxis: xAxis({ type: "category", data: middles, name: "latency (ms)" }),
    yAxis: yAxis({ type: "value", name: "samples" }),
    series: [{ type: "bar", data: bins, barCategoryGap: "5%", itemStyle: { color: palette()[2] } }],
  }));
}

function trendSection(page) {
  const { detail } = page;
  if (!detail?.history.length) return null;
  const all = [...detail.history, ...detail.evaluations].filter((one) => one.median !== null);
  const names = [...new Set(all.map(nameOf))].filter((name) => all.filter((one) => nameOf(one) === name).length > 1);
  const look = looks(names);
  const time = (one) => Date.parse(one.measured_at.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
  const series = names.flatMap((name) => {
    const own = all.filter((one) => nameOf(one) === name).sort((a, b) => time(a) - time(b));
    const bars = own.filter((one) => one.low !== null).map((one) => [time(one), one.low, one.high]);
    const { color, symbol } = look.of(name);
    const data = own.map((one) => ({ value: [time(one), one.median], one }));
    return [{ type: "line", name, data, symbol, symbolSize: 9, itemStyle: { color } }, errorBars(bars, color)];
  });
  const chart = chartIn(page, "Line chart of the median latency of repeated measurements over time", () => ({
    grid: GRID,
    legend: legend(),
    tooltip: tooltip(({ data }) => [nameOf(data.one), moment(data.one.measured_at), `${significant(data.one.median)} ms`, `${data.one.runtime_version}, grade ${data.one.grade ?? "–"}`]),
    xAxis: xAxis({ type: "time" }),
    yAxis: yAxis({ type: "value", name: "median latency (ms)", scale: true }),
    series,
  }));
  const heads = ["measured", "runtime", "median (ms)", "verdict", "grade", "version"];
  const lines = [...detail.history, ...detail.evaluations]
    .sort((a, b) => time(b) - time(a))
    .map((one) => [moment(one.measured_at), nameOf(one), one.reason ?? significant(one.median), word(one.verdict), word(one.grade), one.runtime_version]);
  return section("History", names.length ? chart : null, plainTable("Every measurement", heads, lines));
}

function verificationSection(page) {
  const { store, rows, detail } = page;
  const names = ["verdict", "verification_cause", "verification_reason", "verification_max_absolute_error", "verification_max_relative_error", "verification_cosine", "verification_held_out", "verification_frozen", "verification_operator"];
  const shown = rows.filter((row) => store.value("verdict", row) !== null);
  const heads = ["of", ...names.map((name) => titleOf(name.replace("verification_", "")))];
  const lines = shown.map((row) => [
    store.value("contestant", row) ?? "the build",
    ...names.map((name) => readable(store.byName.get(name), store.value(name, row))),
  ]);
  const own = detail?.verification;
  const built = own ? element("p", {}, "The build itself: ", word(own.verdict), ` (${own.reason}).`) : null;
  return shown.length || own ? section("Verification", built, lines.length ? plainTable("Verification", heads, lines) : null) : null;
}

function stagesSection(page) {
  const stages = page.detail?.stages ?? [];
  if (!stages.length) return null;
  const lines = stages.map((stage) => [stage.name, duration(stage.seconds), withPower(stage.peak_memory_bytes, "B"), stage.succeeded ? "succeeded" : element("span", { class: "bad" }, "failed")]);
  const chart = chartIn(page, "Bar chart of the seconds that each stage took", () => ({
    grid: { ...GRID, left: 140, top: 10 },
    tooltip: tooltip(({ dataIndex }) => [stages[dataIndex].name, duration(stages[dataIndex].seconds), withPower(stages[dataIndex].peak_memory_bytes, "B")]),
    xAxis: xAxis({ type: "value", name: "seconds" }),
    yAxis: yAxis({ type: "category", inverse: true, data: stages.map((stage) => stage.name), splitLine: { show: false } }),
    series: [{ type: "bar", data: stages.map((stage) => stage.seconds), itemStyle: { color: palette()[0] }, barMaxWidth: 26 }],
  }));
  return section("Stages", chart, plainTable("Stages", ["stage", "time", "peak memory", "outcome"], lines));
}

function operatorsSection(page) {
  const found = Object.entries(page.detail?.operators ?? {});
  if (!found.length) return null;
  const top = found.slice(0, 20);
  const total = found.reduce((sum, [, count]) => sum + count, 0);
  const chart = chartIn(page, "Bar chart of the operators and how often they occur", () => ({
    grid: { ...GRID, left: 150, top: 10 },
    tooltip: tooltip(({ dataIndex }) => [top[dataIndex][0], counted(top[dataIndex][1], "time")]),
    xAxis: xAxis({ type: "value", name: "occurrences", minInterval: 1 }),
    yAxis: yAxis({ type: "category", inverse: true, data: top.map(([name]) => name), splitLine: { show: false }, axisLabel: { color: ink().text, interval: 0, fontSize: 11 } }),
    series: [{ type: "bar", data: top.map(([, count]) => count), itemStyle: { color: palette()[0] } }],
  }), top.length > 10);
  const rest = found.slice(20).map(([name, count]) => `${name} ${count}`).join(", ");
  return section(`Operators: ${total} of ${counted(found.length, "kind")}`, chart, rest ? element("p", { class: "hint" }, `Also: ${rest}`) : null);
}

function logsSection({ detail }) {
  if (!detail?.logs.length) return null;
  const logs = detail.logs.map(({ name, text }) =>
    element("details", {}, element("summary", {}, name), element("pre", { tabindex: "0", "aria-label": name }, text)),
  );
  return section("Logs", logs);
}

function everythingSection({ store, rows }) {
  const columns = store.columns.filter((column) => rows.some((row) => ![null, "", undefined].includes(column.get(row))));
  const heads = ["column", ...rows.map((row) => `${store.value("contestant", row) ?? "build"} ${store.point(row)}`.trim())];
  const lines = columns.map((column) => {
    const cells = rows.map((row) => {
      const value = column.get(row);
      return value === null || value === undefined ? "" : String(value);
    });
    return [element("span", { title: column.about }, column.name), ...cells];
  });
  return section("Everything known", element("details", {}, element("summary", {}, counted(columns.length, "value")), plainTable("Everything known", heads, lines)));
}

function headerFacts({ store, rows, app }) {
  const [row] = rows;
  const names = ["model_name", "model_class", "parameters", "parameter_bytes", "file", "input_shapes", "input_dtypes", "model_hash", "hash", "build_exporter", "build_onnx_opset", "cache_dir"];
  const facts = names
    .filter((name) => ![null, ""].includes(store.value(name, row)))
    .flatMap((name) => [element("dt", {}, titleOf(name)), element("dd", {}, readable(store.byName.get(name), store.value(name, row)))]);
  const labels = store.columns.filter((column) => column.name.startsWith("label ") && column.get(row));
  const links = labels.map((column) =>
    element("button", { type: "button", class: "label", onclick: () => app.setFilters({ [column.name]: exactly(column.get(row)) }, true) }, `${titleOf(column.name)}: ${column.get(row)}`),
  );
  if (links.length) facts.push(element("dt", {}, "labels"), element("dd", {}, links));
  return element("dl", { class: "facts" }, facts);
}

// Other builds of the same script or model.
function siblings({ store, rows, app }) {
  const [row] = rows;
  const key = store.buildKey(row);
  const alike = (name) => (other) => store.value(name, row) !== null && store.value(name, other) === store.value(name, row);
  const found = [...store.rowsByBuild]
    .filter(([other, [first]]) => other !== key && (alike("file")(first) || alike("model_hash")(first)))
    .slice(0, 20);
  if (!found.length) return null;
  const links = found.map(([, [first]]) => element("li", {}, element("a", { href: app.modelAddress(first) }, store.value("build_name", first))));
  return element("nav", { "aria-label": "Related builds" }, element("p", {}, "Of the same script or model:"), element("ul", { class: "inline" }, links));
}

export class ModelPage {
  constructor(app, place) {
    this.app = app;
    this.place = place;
    this.charts = [];
  }

  close() {
    for (const chart of this.charts) chart.close();
    this.charts = [];
    replaceChildren(this.place);
  }

  async open(key) {
    const { app } = this;
    const rows = app.store.rowsByBuild.get(key) ?? [];
    const name = key.split("\n")[1];
    const back = element("p", {}, element("a", { href: app.overviewAddress(), class: "back" }, "← All models"));
    if (!rows.length) {
      this.close();
      replaceChildren(this.place, back, element("h2", { tabindex: "-1" }, name), element("p", {}, "This report has no such build."));
      return;
    }
    const detail = await app.detail(key);
    this.close();
    const page = { app, store: app.store, rows, detail, charts: this.charts };
    const heading = element("h2", { tabindex: "-1", id: "model-title" }, name);
    const outcome = detail?.failure ? element("p", { class: "reason bad" }, detail.failure) : null;
    const sections = MODEL_SECTIONS.map((make) => make(page)).filter(Boolean);
    replaceChildren(this.place, back, heading, outcome, headerFacts(page), siblings(page), sections);
    heading.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  redraw() {
    for (const chart of this.charts) chart.redraw();
  }
}
