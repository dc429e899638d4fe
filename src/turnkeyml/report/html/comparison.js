// The plot and the summary of a comparison of two sides.
import { counted, element, significant } from "./text.js";
import { between, exactly } from "./filters.js";
import { errorBars, GRID, ink, legend, logarithmicEnds, palette, tooltip, xAxis, yAxis } from "./charts.js";
import { Plot } from "./plot.js";

const VERDICTS = [
  ["SLOWER", 1, "triangle"],
  ["FASTER", 2, "diamond"],
  ["SAME", 0, "circle"],
  ["UNCLEAR", 6, "rect"],
];

export class RatioPlot extends Plot {
  constructor(app) {
    super(
      app,
      "B/A per model",
      "",
      "The ratio of the latencies of B and A of each model, sorted, with 95% intervals",
    );
    this.chart.onBrush(([left, right]) => {
      const chosen = this.found.slice(Math.max(0, Math.ceil(left)), Math.floor(right) + 1);
      if (chosen.length) app.setFilter("ratio", between(chosen[0].ratio, chosen[chosen.length - 1].ratio));
    });
    this.chart.on("click", ({ data }) => data?.row !== undefined && app.setFilter("build_name", exactly(app.store.value("build_name", data.row))));
  }

  update() {
    const { store, rows } = this.app;
    const found = rows
      .filter((row) => store.value("ratio", row) !== null)
      .map((row) => ({ row, ratio: store.value("ratio", row), low: store.value("ratio_low", row), high: store.value("ratio_high", row), verdict: store.value("verdict", row) }))
      .sort((one, other) => one.ratio - other.ratio)
      .map((one, x) => ({ ...one, x }));
    this.found = found;
    this.note.textContent = "Above 1, B is slower. Bars are 95% intervals. Click a point for its row, drag to filter.";
    const colours = palette();
    this.chart.set(() => ({
      brush: "lineX",
      grid: GRID,
      legend: legend(),
      tooltip: tooltip(({ data }) => {
        const { row, ratio, low, high, verdict } = data.one;
        return [
          store.value("build_name", row),
          [store.value("runtime", row), store.value("precision", row), store.value("parameters", row)].filter(Boolean).join(" "),
          `B/A ${significant(ratio)}${low === null ? "" : ` (${significant(low)} to ${significant(high)})`}`,
          verdict,
        ];
      }),
      xAxis: xAxis({ type: "value", name: "models, sorted", min: -0.5, max: Math.max(found.length - 0.5, 0.5), axisLabel: { show: false }, splitLine: { show: false } }),
      yAxis: yAxis({ type: "log", name: "B/A", ...logarithmicEnds([0.95, 1.05, ...found.map((one) => one.ratio)]), axisLabel: { color: ink().text, formatter: (value) => significant(value, 3), showMinLabel: false, showMaxLabel: false } }),
      series: [
        errorBars(found.filter(({ low }) => low !== null).map(({ x, low, high }) => [x, low, high]), ink().faint),
        ...VERDICTS.map(([verdict, colour, symbol]) => ({
          type: "scatter",
          name: verdict,
          symbol,
          symbolSize: 10,
          itemStyle: { color: colours[colour] },
          data: found.filter((one) => one.verdict === verdict).map((one) => ({ value: [one.x, one.ratio], row: one.row, one })),
          markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: ink().text, type: "dashed" }, data: [{ yAxis: 1 }] },
        })),
      ],
    }));
    this.setList(
      [...found].reverse().map(({ row, ratio, verdict }) => ({
        label: store.value("build_name", row),
        text: `B/A ${significant(ratio)}, ${verdict}`,
        act: () => this.app.setFilter("build_name", exactly(store.value("build_name", row))),
      })),
    );
  }
}

function comparisonTile(app, count, label, filter) {
  return element("li", { class: "tile" }, element("button", { type: "button", onclick: () => app.setFilters(filter) }, element("strong", {}, String(count)), ` ${label}`));
}

export function comparisonSummary(app) {
  const { store } = app;
  const verdicts = new Map(store.counts("verdict"));
  const changes = new Map(store.counts("change"));
  const mean = store.data.facts.geometric_mean;
  const tiles = [
    ...VERDICTS.map(([verdict]) => comparisonTile(app, verdicts.get(verdict) ?? 0, verdict, { verdict: exactly(verdict) })),
    ...["failed", "appeared", "vanished"].map((change) => comparisonTile(app, changes.get(change) ?? 0, change, { change: exactly(change) })),
  ];
  const meanText = mean
    ? `Geometric mean of B/A: ${significant(mean.ratio)} (95% interval ${significant(mean.low)} to ${significant(mean.high)}) over ${counted(mean.rows, "row")}; above 1, B is slower.`
    : "No row is verified and credible on both sides, so there is no mean.";
  return element(
    "section",
    { class: "summary", "aria-labelledby": "summary-title" },
    element("h2", { id: "summary-title" }, "B compared with A"),
    element("dl", { class: "facts" }, store.data.heading.flatMap(([name, path]) => [element("dt", {}, name), element("dd", {}, path)])),
    element("p", { class: "mean" }, meanText),
    element("p", {}, store.data.facts.undecided ?? ""),
    element("ul", { class: "tiles", "aria-label": "Verdicts" }, tiles),
  );
}

export function comparisonNotes(app) {
  const titled = app.store.data.sections.filter(({ title }) => title);
  return titled.map(({ title, sentences }) =>
    element("section", { class: "card" }, element("h3", {}, title), element("ul", {}, sentences.map((sentence) => element("li", {}, sentence)))),
  );
}
