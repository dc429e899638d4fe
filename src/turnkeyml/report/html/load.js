// Latency percentiles and throughput over the load.
import { counted, significant } from "./text.js";
import { exactly } from "./filters.js";
import { GRID, legend, looks, tooltip, xAxis, yAxis } from "./charts.js";
import { Plot } from "./plot.js";

const LOAD_AXES = { under_load_rate: "requests per second", under_load_concurrency: "clients" };
const PERCENTILES = [
  ["p50", "median_latency", "solid"],
  ["p90", "p90_latency", "dashed"],
  ["p99", "p99_latency", "dotted"],
];
const THROUGHPUT = [["answers per second", "throughput", "solid"]];
const MOST_LOAD_CURVES = 40;

export class LoadPlot extends Plot {
  constructor(app) {
    super(
      app,
      "Under load",
      "Latency from when a request is due to its answer. Click a curve to filter.",
      "Line chart of latency percentiles over the load, one group of curves per model and runtime",
    );
    this.known = Object.keys(LOAD_AXES).filter((name) => !(app.store.byName.get(name)?.isEmpty ?? true));
    this.setHidden(!this.known.length);
    [this.by] = this.known;
    this.shown = "latency";
    if (!this.known.length) return;
    this.select("Over", this.known, this.by, (name) => {
      this.by = name;
      this.refresh();
    });
    this.select("Show", ["latency", "throughput"], this.shown, (name) => {
      this.shown = name;
      this.refresh();
    });
    this.chart.on("click", ({ seriesIndex }) => this.curves[seriesIndex] && this.choose(this.curves[seriesIndex]));
  }

  choose({ build, contestant }) {
    this.app.setFilters({ build_name: exactly(build), contestant: exactly(contestant) });
  }

  // One curve per model, runtime, point of a sweep and percentile.
  findCurves() {
    const { store, rows } = this.app;
    const curves = new Map();
    const measures = this.shown === "latency" ? PERCENTILES : THROUGHPUT;
    for (const row of rows) {
      const x = store.value(this.by, row);
      if (x === null) continue;
      const [build, contestant] = [store.value("build_name", row), store.value("contestant", row)];
      const parts = [build, contestant, store.sweepPoint(row)].filter(Boolean);
      for (const [measure, column, dash] of measures) {
        const y = store.value(column, row);
        if (y === null) continue;
        const name = [...parts, measure].join(" ");
        const curve = curves.get(name) ?? curves.set(name, { name, build, contestant, dash, points: [] }).get(name);
        curve.points.push({ value: [Number(x), y], row });
      }
    }
    const found = [...curves.values()].slice(0, MOST_LOAD_CURVES);
    found.forEach((curve) => curve.points.sort((one, other) => one.value[0] - other.value[0]));
    return found;
  }

  update() {
    const { store } = this.app;
    if (!this.known.length) return;
    this.curves = this.findCurves();
    const look = looks(store.counts("contestant").map(([value]) => value));
    this.chart.set(() => ({
      grid: GRID,
      legend: legend(),
      tooltip: tooltip(({ data, seriesName }) => this.describe(data, seriesName)),
      xAxis: xAxis({ type: "log", name: LOAD_AXES[this.by] }),
      yAxis: yAxis({ type: "log", name: this.shown === "latency" ? "latency under load (ms)" : "answers per second" }),
      series: this.curves.map((curve) => ({
        type: "line",
        name: curve.name,
        data: curve.points,
        symbol: look.of(curve.contestant).symbol,
        symbolSize: 8,
        triggerLineEvent: true,
        lineStyle: { type: curve.dash },
        itemStyle: { color: look.of(curve.contestant).color },
      })),
    }));
    this.setList(this.curves.map((curve) => ({ label: curve.name, text: counted(curve.points.length, "point"), act: () => this.choose(curve) })));
  }

  describe({ value, row }, name) {
    const { store } = this.app;
    return [
      name,
      `${significant(value[1])}${this.shown === "latency" ? " ms" : ""} at ${significant(value[0])} ${LOAD_AXES[this.by]}`,
      `${significant(store.value("throughput", row))} answers per second, instances ${Math.round(100 * store.value("under_load_utilisation", row))}% busy`,
      store.value("under_load_overloaded", row) === true || store.value("under_load_overloaded", row) === "True" ? "overloaded" : "",
    ].filter(Boolean);
  }
}
