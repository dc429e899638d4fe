// Why a model is as slow as it is: findings, a roofline plot and a treemap of the time.
import { counted, element, moment, replaceChildren, significant, withPower } from "./text.js";
import { GRID, ink, legend, looks, palette, tooltip, xAxis, yAxis } from "./charts.js";
import { chartIn, plainTable, section } from "./sections.js";

const LIMITS = {
  compute: "compute: close to the peak of the arithmetic",
  memory: "memory: close to the bandwidth",
  kernels: "kernels that are far from both",
  overhead: "short operators: overhead of their calls",
  transfers: "transfers between host and GPU",
  unknown: "operators of unknown cost",
};

const LIMITS_ON_GPU = { ...LIMITS, overhead: "short kernels: too little work to fill the GPU" };
const WITHOUT_ROOFLINE = { ...LIMITS, unknown: "operators, without a roofline" };
const LIMITS_BY_HOST = { ...LIMITS, unknown: "the host starts operators; the GPU is not recorded" };
const where = (one) => (one.accelerator ? `on ${one.accelerator}` : counted(one.threads, "thread"));

export function explanationSection(page) {
  const found = page.detail?.explanations ?? [];
  if (!found.length) return null;
  const area = element("div", {});
  const show = (number) => replaceChildren(area, explanation(page, found[number]));
  const name = (one) => `${one.runtime} ${one.precision}, ${where(one)}`;
  const select = element(
    "select",
    { onchange: () => show(Number(select.value)) },
    found.map((one, number) => element("option", { value: number }, name(one))),
  );
  show(0);
  return section("Why it is as slow as it is", found.length > 1 ? element("p", {}, element("label", {}, "Explanation of ", select)) : null, area);
}

function explanation(page, one) {
  return element(
    "div",
    {},
    element("p", {}, `${significant(one.latency)} ms with ${one.runtime} ${one.runtime_version} in ${one.precision}, ${where(one)}; explained ${moment(one.created)}.`),
    one.cautions.map((caution) => element("p", { class: "hint" }, `Caution: ${caution}`)),
    one.no_roofline ? element("p", { class: "hint" }, one.no_roofline) : null,
    findings(one),
    limits(one),
    element("div", { class: "pair" }, one.no_roofline ? null : roofline(page, one), treemap(page, one)),
    operators(one),
    element("ul", { class: "hint" }, one.notes.map((note) => element("li", {}, note))),
  );
}

function findings(one) {
  if (!one.findings.length) return element("p", {}, "Nothing stands out.");
  const item = (finding) =>
    element("li", {}, element("strong", {}, finding.text), element("p", { class: "hint" }, `Evidence: ${finding.evidence}. Try: ${finding.advice}.`));
  return element("ol", {}, one.findings.map(item));
}

function limits(one) {
  const names = one.no_roofline ? WITHOUT_ROOFLINE : one.accelerator ? LIMITS_ON_GPU : LIMITS;
  const named = { ...(one.by_host ? LIMITS_BY_HOST : names), outside: one.outside };
  const lines = Object.entries(one.limits)
    .filter(([, ms]) => ms >= 0.005 * one.latency)
    .sort((a, b) => b[1] - a[1])
    .map(([name, ms]) => [named[name] ?? name, significant(ms, 3), `${Math.round((100 * ms) / one.latency)}%`]);
  return plainTable("What holds it back", ["what", "ms", "share"], lines);
}

const rate = (operator) => operator.flops / operator.ms / 1e6;
const intensity = (operator) => operator.flops / operator.bytes;

// Each operator by its arithmetic per byte and per second, under the peaks of the machine.
function roofline(page, one) {
  const shown = one.operators.filter((operator) => operator.flops > 0 && operator.bytes > 0 && operator.ms > 0);
  const types = [...new Set(shown.map((operator) => operator.op_type))];
  const look = looks(types);
  const speeds = Object.entries(one.peaks.bandwidths).map(([size, found]) => [Number(size), Math.max(...Object.values(found))]);
  const products = Object.entries(one.peaks.products).map(([name, found]) => [name, Math.max(...Object.values(found))]);
  const used = products.filter(([name]) => shown.some((operator) => operator.precision === name));
  const ends = [Math.min(0.01, ...shown.map(intensity)), Math.max(1000, ...shown.map(intensity))];
  const roof = ([name, peak], [size, speed]) => ({
    type: "line",
    name: `${name}, ${withPower(size, "B")}`,
    silent: true,
    showSymbol: false,
    lineStyle: { width: 1, color: ink().faint },
    itemStyle: { color: ink().faint },
    data: [ends[0], peak / speed, ends[1]].sort((a, b) => a - b).map((x) => [x, Math.min(peak, x * speed)]),
  });
  const outer = speeds.length > 1 ? [speeds[0], speeds[speeds.length - 1]] : speeds;
  return chartIn(page, "Roofline plot: operations per second of each operator against its operations per byte, with the peaks of the machine", () => ({
    grid: GRID,
    legend: { ...legend(), data: types.slice(0, 6) },
    tooltip: tooltip(({ data }) =>
      data?.operator
        ? [data.operator.name, data.operator.op_type, `${significant(data.operator.ms, 3)} ms`, `${significant(rate(data.operator), 3)} GFLOP/s`, `${significant(intensity(data.operator), 3)} FLOP per byte, ${data.operator.bound} bound`]
        : [],
    ),
    xAxis: xAxis({ type: "log", name: "FLOP per byte", min: ends[0], max: ends[1] }),
    yAxis: yAxis({ type: "log", name: "GFLOP/s" }),
    series: [
      ...used.flatMap((product) => outer.map((speed) => roof(product, speed))),
      ...types.map((type) => ({
        type: "scatter",
        name: type,
        symbol: look.of(type).symbol,
        itemStyle: { color: look.of(type).color, opacity: 0.8 },
        data: shown
          .filter((operator) => operator.op_type === type)
          .map((operator) => ({ value: [intensity(operator), rate(operator)], operator, symbolSize: 5 + 35 * Math.sqrt(operator.share) })),
      })),
    ],
  }), true);
}

// The latency as areas: types with their operators, and what is outside of them.
function treemap(page, one) {
  const colours = palette();
  const groups = one.types.map((type, number) => ({
    name: type.name,
    value: type.ms,
    itemStyle: { color: colours[number % colours.length] },
    children: one.operators.filter((operator) => operator.op_type === type.name).map((operator) => ({ name: operator.name, value: operator.ms })),
  }));
  const outside = { name: one.outside, value: one.outside_ms, itemStyle: { color: ink().faint } };
  return chartIn(page, "Treemap of the latency by operator type and operator", () => ({
    tooltip: tooltip(({ name, value }) => [name, `${significant(value, 3)} ms`, `${significant((100 * value) / one.latency, 3)}% of the latency`]),
    series: [
      {
        type: "treemap",
        data: [...groups, outside].filter((group) => group.value > 0),
        roam: false,
        nodeClick: false,
        breadcrumb: { show: false },
        left: 4,
        right: 4,
        top: 4,
        bottom: 4,
        levels: [{ itemStyle: { borderWidth: 2, gapWidth: 2, borderColor: ink().card } }, { itemStyle: { gapWidth: 1 }, upperLabel: { show: true, height: 20 } }],
      },
    ],
  }), true);
}

function operators(one) {
  const heads = ["operator", "type", "ms", "share", "of peak", "bound", "GFLOP", "MB"];
  const number = (value, power) => (value === null ? "?" : significant(value / power, 3));
  const lines = one.operators
    .slice(0, 30)
    .map((operator) => [
      operator.name,
      operator.op_type,
      significant(operator.ms, 3),
      `${significant(100 * operator.share, 3)}%`,
      operator.least_ms === null ? "?" : `${Math.round((100 * operator.least_ms) / operator.ms)}%`,
      operator.bound,
      number(operator.flops, 1e9),
      number(operator.bytes, 1e6),
    ]);
  return plainTable("The most expensive operators", heads, lines);
}
