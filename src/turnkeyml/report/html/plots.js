// The plots of a cache. Each one filters the table when it is clicked or dragged over.
import { atAxis, counted, duration, parsedOr, significant, verdictOf } from "./text.js";
import { between, exactly } from "./filters.js";
import { errorBars, GRID, ink, legend, logarithmicEnds, looks, OTHER, palette, tooltip, xAxis, yAxis } from "./charts.js";
import { CurvePlot } from "./curves.js";
import { LoadPlot } from "./load.js";
import { Plot } from "./plot.js";

function isMeasured(store, row) {
  return store.value("median_latency", row) !== null;
}

function describeRow(store, row) {
  const [low, high] = [store.value("median_low", row), store.value("median_high", row)];
  const latency = significant(store.value("median_latency", row));
  return [
    store.value("build_name", row),
    `${store.value("contestant", row)} on ${store.value("device", row)}`,
    `${latency} ms${low === null ? "" : ` (${significant(low)} to ${significant(high)})`}`,
    store.point(row),
    `${verdictOf(store, row) ?? "not checked"}, grade ${store.value("grade", row) ?? "–"}`,
  ];
}

export class LatencyPlot extends Plot {
  constructor(app) {
    super(
      app,
      "Latency and parameters",
      "Click a point for its model, drag over an area to filter.",
      "Scatter plot of the median latency against the number of parameters, both logarithmic",
    );
    const choices = ["contestant", "label task", "corpus", "verdict", "device"];
    const known = choices.filter((name) => !(app.store.byName.get(name)?.isEmpty ?? true));
    this.colour = known.includes(app.state.colour) ? app.state.colour : known[0];
    this.select("Colour", known, this.colour, (name) => {
      this.colour = name;
      app.keep({ colour: name === known[0] ? null : name });
      this.refresh();
    });
    this.chart.on("click", ({ data }) => data?.row !== undefined && app.openModel(data.row));
    this.chart.onBrush(([[left, right], [bottom, top]]) =>
      app.setFilters({ parameters: between(left, right), median_latency: between(bottom, top) }),
    );
  }

  update() {
    const { store, rows } = this.app;
    const alone = (row) => isMeasured(store, row) && store.value("under_load_pattern", row) === null;
    const shown = rows.filter((row) => alone(row) && store.value("parameters", row) > 0);
    const counts = store.counts(this.colour);
    const look = looks(counts.map(([value]) => value));
    const series = new Map();
    for (const row of shown) {
      const group = look.groupOf(store.value(this.colour, row));
      const value = [store.value("parameters", row), store.value("median_latency", row)];
      (series.get(group) ?? series.set(group, []).get(group)).push({ value, row });
    }
    const order = [...counts.map(([value]) => value), OTHER].filter((name) => series.has(name));
    this.chart.set(() => ({
      brush: "rect",
      grid: GRID,
      legend: legend(),
      tooltip: tooltip(({ data }) => describeRow(store, data.row)),
      xAxis: xAxis({ type: "log", name: "parameters", axisLabel: { formatter: atAxis, color: ink().text } }),
      yAxis: yAxis({ type: "log", name: "median latency (ms)" }),
      series: order.map((name) => ({
        type: "scatter",
        name: String(name),
        data: series.get(name),
        symbol: look.of(name).symbol,
        symbolSize: 9,
        itemStyle: { color: look.of(name).color, opacity: 0.8 },
      })),
    }));
    this.setList(
      order.map((name) => ({
        label: String(name),
        text: counted(series.get(name).length, "measurement"),
        act: () => this.app.setFilter(this.colour, exactly(name)),
      })),
    );
  }
}

// Half the width of the interval of a median, relative to it; null if there is none.
function relativeError(store, row) {
  const [low, high, median] = ["median_low", "median_high", "median_latency"].map((name) =>
    store.value(name, row),
  );
  return low === null || high === null ? null : (high - low) / 2 / median;
}

// For each model and point of a sweep, how many times as fast the second contestant is.
export function speedups(store, rows, [first, second]) {
  const groups = new Map();
  for (const row of rows) {
    const contestant = store.value("contestant", row);
    if (!isMeasured(store, row) || (contestant !== first && contestant !== second)) continue;
    const key = `${store.buildKey(row)}\n${store.point(row)}\n${store.value("device_type", row)}`;
    const group = groups.get(key) ?? groups.set(key, {}).get(key);
    group[contestant] = row;
  }
  const found = [];
  for (const group of groups.values()) {
    const [a, b] = [group[first], group[second]];
    if (a === undefined || b === undefined) continue;
    const speedup = store.value("median_latency", a) / store.value("median_latency", b);
    const errors = [relativeError(store, a), relativeError(store, b)];
    const error = errors.includes(null) ? null : Math.hypot(...errors);
    const [low, high] = error === null ? [null, null] : [speedup * Math.exp(-error), speedup * Math.exp(error)];
    const verified = [a, b].every((row) => store.value("outcome", row) === "verified");
    found.push({ a, b, speedup, low, high, verified });
  }
  return found.sort((one, other) => one.speedup - other.speedup);
}

export class SpeedupPlot extends Plot {
  constructor(app) {
    super(
      app,
      "Speed-up between two runtimes",
      "",
      "Speed-up of each model from one runtime to another, sorted, with 95% intervals",
    );
    const known = app.store.counts("contestant").map(([value]) => value);
    const live = known.filter((name) => name.startsWith("torch-eager"));
    const chosen = app.state.pair?.every((name) => known.includes(name)) ? app.state.pair : null;
    const first = live[0] ?? known[1] ?? known[0];
    this.pair = chosen ?? [first, known.find((name) => name !== first) ?? known[0]];
    const change = (place) => (name) => {
      this.pair[place] = name;
      app.keep({ pair: [...this.pair] });
      this.setColumn();
      app.filter();
    };
    this.select("From", known, this.pair[0], change(0));
    this.select("to", known, this.pair[1], change(1));
    this.setHidden(known.length < 2);
    this.chart.on("click", ({ data }) => data?.row !== undefined && app.openModel(data.row));
    this.chart.onBrush(([left, right]) => this.choose(Math.ceil(left), Math.floor(right)));
    this.setColumn();
  }

  // Make the speed-up of every record a column, so that it can be a filter like any other.
  setColumn() {
    const { store } = this.app;
    const numbers = Array(store.count).fill(null);
    for (const { a, b, speedup } of speedups(store, Array(store.count).keys(), this.pair)) {
      numbers[a] = numbers[b] = speedup;
    }
    store.setNumbers("speedup", numbers);
  }

  renew() {
    this.setColumn();
  }

  choose(first, last) {
    const chosen = this.found.slice(Math.max(0, first), last + 1);
    if (!chosen.length) return;
    const range = between(chosen[0].speedup, chosen[chosen.length - 1].speedup);
    this.app.keep({ pair: [...this.pair] });
    this.app.setFilter("speedup", range);
  }

  // Only models that compute the same on both and whose intervals exclude 1 are faster or slower.
  inWords(found) {
    if (!found.length) return "No model in the table was measured with both.";
    const sure = found.filter(({ low, verified }) => verified && low !== null);
    const faster = sure.filter(({ low }) => low > 1).length;
    const slower = sure.filter(({ high }) => high < 1).length;
    const mean = Math.exp(sure.reduce((sum, one) => sum + Math.log(one.speedup), 0) / sure.length);
    const rest = found.length - sure.length;
    const judged = sure.length
      ? `${this.pair[1]} is faster than ${this.pair[0]} for ${faster} and slower for ${slower} of ` +
        `${counted(sure.length, "model")} with verified outputs and an interval; their geometric mean is ` +
        `${significant(mean, 3)}. `
      : "";
    const others = rest ? `${counted(rest, "model")} without these: no verdict. ` : "";
    return `${judged}${others}Intervals combine those of both medians. Click a point for its model, drag to filter.`;
  }

  update() {
    const { store, rows } = this.app;
    const found = speedups(store, rows, this.pair);
    this.found = found;
    this.note.textContent = this.inWords(found);
    const color = palette()[0];
    this.chart.set(() => ({
      brush: "lineX",
      grid: { ...GRID, top: 16 },
      tooltip: tooltip(({ data }) => [
        store.value("build_name", data.row),
        store.point(data.row),
        `${significant(data.value[1], 3)} times as fast`,
        data.low === null ? "no interval" : `95% interval ${significant(data.low, 3)} to ${significant(data.high, 3)}`,
        data.verified ? "" : "not verified with both",
      ]),
      xAxis: xAxis({ type: "value", name: "models, sorted", min: -0.5, max: Math.max(found.length - 0.5, 0.5), axisLabel: { show: false }, splitLine: { show: false } }),
      yAxis: yAxis({ type: "log", name: "speed-up", ...logarithmicEnds([1, ...found.map((one) => one.speedup)]), axisLabel: { color: ink().text, formatter: (value) => significant(value, 2), showMinLabel: false, showMaxLabel: false } }),
      series: [
        errorBars(found.map(({ low, high }, x) => [x, low, high]).filter((bar) => bar[1] !== null), ink().faint),
        {
          type: "scatter",
          symbolSize: found.length > 200 ? 5 : 8,
          data: found.map(({ b, speedup, low, high, verified }, x) => ({
            value: [x, speedup],
            row: b,
            low,
            high,
            verified,
            symbol: verified ? "circle" : "emptyTriangle",
          })),
          itemStyle: { color },
          markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: ink().text, type: "dashed" }, data: [{ yAxis: 1 }] },
        },
      ],
    }));
    this.setList(
      [...found].reverse().map(({ b, speedup }) => ({
        label: `${store.value("build_name", b)} ${store.point(b)}`.trim(),
        text: `${significant(speedup, 3)} times as fast`,
        act: () => this.app.openModel(b),
      })),
    );
  }
}

// The stages at which builds are lost, in the order of their sequences.
function stagesOf(store) {
  const order = [];
  for (const [text] of store.counts("build_sequence")) {
    for (const stage of parsedOr(text, [])) if (!order.includes(stage)) order.push(stage);
  }
  for (const [stage] of store.counts("build_failed_stage")) {
    if (!order.includes(stage)) order.unshift(stage);
  }
  return order.filter((stage) => stage !== "set_success");
}

// How far each build came: the filter that finds those that were lost there, or null.
function lostAt(store, rows) {
  const outcomes = new Set(rows.map((row) => store.value("outcome", row)));
  if (outcomes.has("build failed")) return store.value("build_failed_stage", rows[0]);
  if (outcomes.has("verified") || outcomes.has("not credible")) return null;
  if (outcomes.has("not verified") || store.value("build_verdict", rows[0]) === "mismatch") return "verified";
  return outcomes.has("measurement failed") ? "measured" : null;
}

export class FunnelPlot extends Plot {
  constructor(app) {
    super(
      app,
      "Where models fall out",
      "Click a bar for the models that were lost there.",
      "Bar chart of how many models pass each stage of the build, verification and measurement",
    );
    this.chart.on("click", ({ dataIndex }) => this.steps[dataIndex].act());
  }

  update() {
    const { app } = this;
    const { store, rows } = app;
    const builds = new Map();
    for (const row of rows) {
      const key = store.buildKey(row);
      (builds.get(key) ?? builds.set(key, []).get(key)).push(row);
    }
    const lost = new Map();
    for (const group of builds.values()) {
      const step = lostAt(store, group);
      if (step !== null) lost.set(step, (lost.get(step) ?? 0) + 1);
    }
    let left = builds.size;
    const step = (name, act, title) => {
      const gone = lost.get(name) ?? 0;
      left -= gone;
      return { name: title ?? name, gone, left, act };
    };
    this.steps = [
      { name: "found", gone: 0, left, act: () => app.clearFilters() },
      ...stagesOf(store).map((stage) => step(stage, () => app.setFilter("build_failed_stage", exactly(stage)))),
      step("measured", () => app.setFilter("outcome", exactly("measurement failed"))),
      step("verified", () => app.setFilter("outcome", exactly("not verified"))),
    ];
    const { steps } = this;
    const [good, bad] = [palette()[2], palette()[1]];
    this.chart.set(() => ({
      grid: { ...GRID, left: 140, bottom: 24 },
      legend: legend(),
      tooltip: tooltip(({ dataIndex }) => [
        steps[dataIndex].name,
        `${counted(steps[dataIndex].left, "model")} passed, ${steps[dataIndex].gone} lost here`,
      ]),
      xAxis: xAxis({ type: "value", minInterval: 1 }),
      yAxis: yAxis({ type: "category", inverse: true, data: steps.map(({ name }) => name), splitLine: { show: false } }),
      series: [
        { name: "passed", type: "bar", stack: "all", data: steps.map((one) => one.left), itemStyle: { color: good } },
        { name: "lost here", type: "bar", stack: "all", data: steps.map((one) => one.gone), itemStyle: { color: bad, decal: { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: -0.6 } } },
      ],
      aria: { enabled: false, decal: { show: true } },
    }));
    this.setList(steps.map(({ name, left: passed, gone, act }) => ({ label: name, text: `${passed} passed, ${gone} lost here`, act })));
  }
}

const LEAST_ERROR = 1e-18;

export class ErrorPlot extends Plot {
  constructor(app) {
    super(
      app,
      "Error by precision",
      "The largest relative error of the outputs. Click a point for its model, drag over an area to filter.",
      "Strip plot of the largest relative error of each measurement, by precision",
    );
    this.chart.on("click", ({ data }) => data?.row !== undefined && app.openModel(data.row));
    this.chart.onBrush(([[left, right], [bottom, top]]) => {
      const chosen = this.precisions.slice(Math.max(0, Math.ceil(left - 0.5)), Math.floor(right + 0.5) + 1);
      const low = bottom < LEAST_ERROR * 100 ? 0 : bottom;
      app.setFilters({
        verification_max_relative_error: between(low, top),
        precision: exactly(...chosen),
      });
    });
  }

  update() {
    const { store, rows } = this.app;
    const shown = rows.filter((row) => store.value("verification_max_relative_error", row) !== null);
    this.precisions = store.counts("precision").map(([value]) => value).sort();
    const verdicts = store.counts("verdict").map(([value]) => value);
    const look = looks(verdicts);
    const place = new Map(this.precisions.map((name, number) => [name, number]));
    const jitter = (row) => (((row * 2654435761) % 1000) / 1000 - 0.5) * 0.6;
    const point = (row) => ({
      value: [
        (place.get(store.value("precision", row)) ?? 0) + jitter(row),
        Math.max(store.value("verification_max_relative_error", row), LEAST_ERROR),
      ],
      row,
    });
    const { precisions } = this;
    this.setHidden(!store.counts("verification_max_relative_error").length);
    this.chart.set(() => ({
      brush: "rect",
      grid: GRID,
      legend: legend(),
      tooltip: tooltip(({ data }) => [
        ...describeRow(store, data.row),
        `relative error ${significant(store.value("verification_max_relative_error", data.row), 3)}`,
      ]),
      xAxis: xAxis({
        type: "value",
        min: -0.5,
        max: precisions.length - 0.5,
        interval: 0.5,
        axisLabel: { color: ink().text, formatter: (v) => (Number.isInteger(v) ? (precisions[v] ?? "") : "") },
        splitLine: { show: false },
        axisTick: { show: false },
      }),
      yAxis: yAxis({ type: "log", name: "largest relative error", axisLabel: { color: ink().text, formatter: (v) => (v <= LEAST_ERROR ? "0" : v.toExponential(0)) } }),
      series: verdicts.map((name) => ({
        type: "scatter",
        name,
        symbol: look.of(name).symbol,
        symbolSize: 8,
        itemStyle: { color: look.of(name).color, opacity: 0.75 },
        data: shown.filter((row) => store.value("verdict", row) === name).map(point),
      })),
    }));
    this.setList(
      precisions.map((name) => {
        const errors = shown.filter((row) => store.value("precision", row) === name).map((row) => store.value("verification_max_relative_error", row)).sort((a, b) => a - b);
        const middle = errors.length ? significant(errors[errors.length >> 1], 3) : "none";
        return { label: name, text: `${counted(errors.length, "measurement")}, median error ${middle}`, act: () => this.app.setFilter("precision", exactly(name)) };
      }),
    );
  }
}

export class PhasePlot extends Plot {
  constructor(app) {
    super(
      app,
      "Time by phase",
      "Where the time went, summed over models. Click a bar to filter.",
      "Stacked bar chart of the seconds spent in scripts, build stages, loading and measuring",
    );
    const known = ["corpus", "label task", "device", "model_class"].filter((name) => !(app.store.byName.get(name)?.isEmpty ?? true));
    this.by = known[0] ?? "build_name";
    this.select("By", known, this.by, (name) => {
      this.by = name;
      this.refresh();
    });
    this.chart.on("click", ({ dataIndex }) => app.setFilter(this.by, exactly(this.groups[dataIndex])));
  }

  phases(store) {
    const stages = stagesOf(store).filter((stage) => store.byName.has(`build_${stage}_seconds`));
    return ["script", ...stages, "load", "measure", "wait"];
  }

  update() {
    const { store, rows } = this.app;
    const phases = this.phases(store);
    const totals = new Map();
    const seen = new Set();
    const add = (group, phase, seconds) => {
      if (!seconds) return;
      const sums = totals.get(group) ?? totals.set(group, {}).get(group);
      sums[phase] = (sums[phase] ?? 0) + seconds;
    };
    for (const row of rows) {
      const group = store.value(this.by, row) ?? "none";
      const once = (key, act) => !seen.has(key) && seen.add(key) && act();
      once(`s${store.value("file", row)}`, () => add(group, "script", store.value("script_seconds", row)));
      once(`b${store.buildKey(row)}`, () => {
        for (const stage of phases.slice(1, -3)) add(group, stage, store.value(`build_${stage}_seconds`, row));
      });
      add(group, "load", store.value("load_seconds", row));
      add(group, "measure", store.value("wall_seconds", row));
      add(group, "wait", store.value("paused_seconds", row));
    }
    const sum = (sums) => Object.values(sums).reduce((a, b) => a + b, 0);
    const order = [...totals].sort((one, other) => sum(other[1]) - sum(one[1])).slice(0, 15);
    this.groups = order.map(([group]) => group);
    const look = looks(phases);
    const used = phases.filter((phase) => order.some(([, sums]) => sums[phase]));
    this.chart.set(() => ({
      grid: { ...GRID, left: 150 },
      legend: legend(),
      tooltip: tooltip(({ dataIndex, seriesName }) => [
        String(order[dataIndex][0]),
        `${seriesName}: ${duration(order[dataIndex][1][seriesName])}`,
        `all: ${duration(sum(order[dataIndex][1]))}`,
      ]),
      xAxis: xAxis({ type: "value", name: "seconds" }),
      yAxis: yAxis({ type: "category", inverse: true, data: order.map(([group]) => String(group)), splitLine: { show: false }, axisLabel: { color: ink().text, width: 130, overflow: "truncate" } }),
      series: used.map((phase) => ({
        type: "bar",
        stack: "all",
        name: phase,
        data: order.map(([, sums]) => sums[phase] ?? 0),
        itemStyle: { color: look.of(phase).color },
      })),
      aria: { enabled: false, decal: { show: true } },
    }));
    this.setList(order.map(([group, sums]) => ({ label: String(group), text: duration(sum(sums)), act: () => this.app.setFilter(this.by, exactly(group)) })));
  }
}

export class SweepPlot extends CurvePlot {
  constructor(app) {
    const words = [
      "Sweeps",
      "Click a curve to filter.",
      "Line chart of the median latency over an argument of a sweep, one curve per model and runtime",
    ];
    super(app, words, app.store.points.map((column) => column.name), ["median_latency", "throughput"]);
  }

  choose({ file, contestant }) {
    this.app.setFilters({ file: exactly(file), contestant: exactly(contestant) });
  }

  parts(row) {
    const { store } = this.app;
    if (!isMeasured(store, row)) return [];
    const [file, contestant] = [store.value("file", row), store.value("contestant", row)];
    const rest = store.points.filter((c) => c.name !== this.by && c.get(row) !== null).map((c) => c.get(row));
    const key = [file, store.value("model_name", row), contestant, ...rest].join("\n");
    const name = `${String(file).split("/").pop().replace(/\.py$/, "")} ${contestant} ${rest.join(" ")}`.trim();
    return [[{ key, name, file, contestant }, store.value(this.measure, row)]];
  }

  xAxis() {
    const positive = this.curves.every((curve) => curve.points.every(({ value }) => value[0] > 0));
    return { type: positive ? "log" : "value", logBase: 2, name: this.by.slice(11) };
  }

  yTitle() {
    return this.measure === "throughput" ? "inferences per second" : "median latency (ms)";
  }

  describe({ row }) {
    return describeRow(this.app.store, row);
  }
}

export class OperatorPlot extends Plot {
  constructor(app) {
    super(
      app,
      "Operators",
      "The operators of the ONNX files. Click one for the models that have it.",
      "Bar chart of the most frequent operators and the number of models that have them",
    );
    this.by = "models";
    this.select("Count", ["models", "occurrences"], this.by, (name) => {
      this.by = name;
      this.refresh();
    });
    this.setHidden(app.store.byName.get("build_operators")?.isEmpty ?? true);
    this.chart.on("click", ({ dataIndex }) => app.setFilter("build_operators", exactly(this.found[dataIndex][0])));
  }

  update() {
    const { store, rows } = this.app;
    const found = new Map();
    const seen = new Set();
    for (const row of rows) {
      const text = store.value("build_operators", row);
      const key = store.buildKey(row);
      if (!text || seen.has(key)) continue;
      seen.add(key);
      for (const [name, count] of Object.entries(parsedOr(text, {}))) {
        const sums = found.get(name) ?? found.set(name, { models: 0, occurrences: 0 }).get(name);
        sums.models += 1;
        sums.occurrences += count;
      }
    }
    const { by } = this;
    const order = [...found].sort((one, other) => other[1][by] - one[1][by]);
    this.found = order.slice(0, 24);
    const top = this.found;
    const color = palette()[0];
    this.note.textContent = `${counted(order.length, "operator")} in ${counted(seen.size, "ONNX file")}. Click one for the models that have it.`;
    this.chart.set(() => ({
      grid: { ...GRID, left: 150, top: 12 },
      tooltip: tooltip(({ dataIndex }) => [top[dataIndex][0], `${counted(top[dataIndex][1].models, "model")}, ${top[dataIndex][1].occurrences.toLocaleString("en-US")} times`]),
      xAxis: xAxis({ type: "value", name: by, minInterval: 1 }),
      yAxis: yAxis({ type: "category", inverse: true, data: top.map(([name]) => name), splitLine: { show: false }, axisLabel: { color: ink().text, interval: 0, fontSize: 10 } }),
      series: [{ type: "bar", data: top.map(([, sums]) => sums[by]), itemStyle: { color } }],
    }));
    this.setList(order.map(([name, sums]) => ({ label: name, text: `${counted(sums.models, "model")}, ${sums.occurrences.toLocaleString("en-US")} times`, act: () => this.app.setFilter("build_operators", exactly(name)) })));
  }
}

export const CACHE_PLOTS = [LatencyPlot, SpeedupPlot, FunnelPlot, ErrorPlot, PhasePlot, OperatorPlot, SweepPlot, LoadPlot];
