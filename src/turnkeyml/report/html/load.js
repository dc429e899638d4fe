// Latency percentiles and throughput over the load.
import { significant } from "./text.js";
import { exactly } from "./filters.js";
import { CurvePlot } from "./curves.js";

const LOAD_AXES = { under_load_rate: "requests per second", under_load_concurrency: "clients" };
const MEASURES = {
  latency: [
    ["p50", "median_latency", "solid"],
    ["p90", "p90_latency", "dashed"],
    ["p99", "p99_latency", "dotted"],
  ],
  throughput: [["answers per second", "throughput", "solid"]],
};

export class LoadPlot extends CurvePlot {
  constructor(app) {
    const words = [
      "Under load",
      "Latency from when a request is due to its answer. Click a curve to filter.",
      "Line chart of latency percentiles over the load, one group of curves per model and runtime",
    ];
    const known = Object.keys(LOAD_AXES).filter((name) => !(app.store.byName.get(name)?.isEmpty ?? true));
    super(app, words, known, Object.keys(MEASURES));
  }

  choose({ build, contestant }) {
    this.app.setFilters({ build_name: exactly(build), contestant: exactly(contestant) });
  }

  // One curve per model, runtime, point of a sweep and percentile.
  parts(row) {
    const { store } = this.app;
    const [build, contestant] = [store.value("build_name", row), store.value("contestant", row)];
    const parts = [build, contestant, store.sweepPoint(row)].filter(Boolean);
    return MEASURES[this.measure].map(([measure, column, dash]) => {
      const name = [...parts, measure].join(" ");
      return [{ key: name, name, build, contestant, dash }, store.value(column, row)];
    });
  }

  xAxis() {
    return { type: "log", name: LOAD_AXES[this.by] };
  }

  yTitle() {
    return this.measure === "latency" ? "latency under load (ms)" : "answers per second";
  }

  describe({ value, row }, name) {
    const { store } = this.app;
    return [
      name,
      `${significant(value[1])}${this.measure === "latency" ? " ms" : ""} at ${significant(value[0])} ${LOAD_AXES[this.by]}`,
      `${significant(store.value("throughput", row))} answers per second, instances ${Math.round(100 * store.value("under_load_utilisation", row))}% busy`,
      store.value("under_load_overloaded", row) === true || store.value("under_load_overloaded", row) === "True" ? "overloaded" : "",
    ].filter(Boolean);
  }
}
