// Curves over something that was varied, one or several per model and runtime.
import { counted } from "./text.js";
import { GRID, legend, looks, tooltip, xAxis, yAxis } from "./charts.js";
import { Plot } from "./plot.js";

const MOST_CURVES = 40;
const DASHES = ["solid", "dashed", "dotted"];

// A subclass has parts(row), pairs of a curve and a value at the row, where a curve has a key, a name,
// a contestant and what choose(curve) needs; and xAxis(), yTitle() and describe(point, name).
export class CurvePlot extends Plot {
  constructor(app, words, known, measures) {
    super(app, ...words);
    this.known = known;
    this.setHidden(!known.length);
    [this.by] = known;
    [this.measure] = measures;
    if (!known.length) return;
    this.select("Over", known, this.by, (name) => {
      this.by = name;
      this.refresh();
    });
    this.select("Show", measures, this.measure, (name) => {
      this.measure = name;
      this.refresh();
    });
    this.chart.on("click", ({ seriesIndex }) => this.curves[seriesIndex] && this.choose(this.curves[seriesIndex]));
  }

  findCurves() {
    const { store, rows } = this.app;
    const curves = new Map();
    for (const row of rows) {
      const x = store.value(this.by, row);
      if (x === null) continue;
      for (const [curve, y] of this.parts(row)) {
        if (y === null) continue;
        const known = curves.get(curve.key) ?? curves.set(curve.key, { ...curve, points: [] }).get(curve.key);
        known.points.push({ value: [Number(x), y], row });
      }
    }
    const found = [...curves.values()].slice(0, MOST_CURVES);
    found.forEach((curve) => curve.points.sort((one, other) => one.value[0] - other.value[0]));
    return found;
  }

  update() {
    if (!this.known.length) return;
    this.curves = this.findCurves();
    const look = looks(this.app.store.counts("contestant").map(([value]) => value));
    this.chart.set(() => ({
      grid: GRID,
      legend: legend(),
      tooltip: tooltip(({ data, seriesName }) => this.describe(data, seriesName)),
      xAxis: xAxis(this.xAxis()),
      yAxis: yAxis({ type: "log", name: this.yTitle() }),
      series: this.curves.map((curve, number) => ({
        type: "line",
        name: curve.name,
        data: curve.points,
        symbol: look.of(curve.contestant).symbol,
        symbolSize: 8,
        triggerLineEvent: true,
        lineStyle: { type: curve.dash ?? DASHES[(number >> 1) % 3] },
        itemStyle: { color: look.of(curve.contestant).color },
      })),
    }));
    this.setList(this.curves.map((curve) => ({ label: curve.name, text: counted(curve.points.length, "point"), act: () => this.choose(curve) })));
  }
}
