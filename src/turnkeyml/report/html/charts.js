// ECharts in the colours of the page; all texts in them come as plain text.
import { element } from "./text.js";

const SYMBOLS = ["circle", "rect", "triangle", "diamond", "arrow", "pin", "roundRect"];
const PALETTES = {
  // Okabe and Ito's colours, which the colour-blind can tell apart, in an order that suits each
  // background; symbols tell the same.
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#3a9ad9", "#5b5b5b"],
  dark: ["#56b4e9", "#e69f00", "#00b386", "#f0e442", "#cc79a7", "#ff7f32", "#bbbbbb"],
};
export const OTHER = "other";

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

export function palette() {
  return PALETTES[isDark() ? "dark" : "light"];
}

// A colour and a symbol for each of the most frequent values; the rest share the last.
export function looks(values) {
  const colours = palette();
  const known = new Map();
  values.slice(0, colours.length - 1).forEach((value, number) => {
    known.set(value, { color: colours[number], symbol: SYMBOLS[number] });
  });
  const rest = { color: colours[colours.length - 1], symbol: SYMBOLS[SYMBOLS.length - 1] };
  return { of: (value) => known.get(value) ?? rest, groupOf: (v) => (known.has(v) ? v : OTHER) };
}

export function ink() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return { text: read("--text"), faint: read("--faint"), line: read("--line"), card: read("--card") };
}

function axis(settings) {
  const { text, faint, line } = ink();
  return {
    nameLocation: "middle",
    nameTextStyle: { color: faint },
    axisLabel: { color: text, hideOverlap: true },
    axisLine: { onZero: false, lineStyle: { color: faint } },
    splitLine: { lineStyle: { color: line } },
    minorSplitLine: { show: false },
    ...settings,
  };
}

export function xAxis(settings) {
  return axis({ nameGap: 28, ...settings });
}

export function yAxis(settings) {
  return axis({ nameGap: 52, ...settings });
}

export function legend(show = true) {
  const { text, faint } = ink();
  return {
    type: "scroll",
    top: 0,
    show,
    textStyle: { color: text },
    pageTextStyle: { color: text },
    pageIconColor: text,
    pageIconInactiveColor: faint,
    inactiveColor: faint,
  };
}

// A tooltip whose lines are text, whatever they contain.
export function tooltip(lines, settings = {}) {
  const { text, card, line } = ink();
  return {
    confine: true,
    backgroundColor: card,
    borderColor: line,
    textStyle: { color: text },
    formatter: (hovered) => {
      const found = lines(hovered).filter((words) => words !== null && words !== "");
      return element("div", {}, found.map((words) => element("div", {}, words)));
    },
    ...settings,
  };
}

export const GRID = { left: 66, right: 18, top: 36, bottom: 44 };

// Vertical bars from low to high, for data of the form [x, low, high].
export function errorBars(data, color) {
  return {
    type: "custom",
    silent: true,
    clip: true,
    data,
    z: 1,
    itemStyle: { color },
    renderItem: (params, api) => {
      const [x, low] = api.coord([api.value(0), api.value(1)]);
      const [, high] = api.coord([api.value(0), api.value(2)]);
      return {
        type: "line",
        shape: { x1: x, y1: low, x2: x, y2: high },
        style: { stroke: color, lineWidth: 1.5, opacity: 0.7 },
      };
    },
    encode: { x: 0, y: [1, 2] },
  };
}

// The ends of a logarithmic axis that shows all points; intervals may go beyond it.
export function logarithmicEnds(values, least = 1.1) {
  const known = values.filter((value) => value > 0);
  if (!known.length) return {};
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const margin = Math.max(least, (high / low) ** 0.08);
  return { min: low / margin, max: high * margin };
}

// A chart that is drawn when it comes into view, and again when its data or the theme change.
export class Chart {
  constructor(place, label) {
    this.place = place;
    this.place.setAttribute("role", "img");
    this.place.setAttribute("aria-label", label);
    this.option = null;
    this.isSeen = false;
    this.observer = new IntersectionObserver((entries) => {
      this.isSeen = entries[entries.length - 1].isIntersecting;
      if (this.isSeen) this.onSeen?.();
      this.draw();
    });
    this.observer.observe(place);
    this.resizer = new ResizeObserver(() => this.chart?.resize());
    this.resizer.observe(place);
  }

  set(makeOption) {
    this.option = makeOption;
    this.isStale = true;
    this.draw();
  }

  get canvas() {
    if (!this.chart) {
      this.chart = echarts.init(this.place, null, { renderer: "canvas" });
      for (const [kind, act] of this.handlers ?? []) this.chart.on(kind, act);
    }
    return this.chart;
  }

  on(kind, act) {
    (this.handlers ??= []).push([kind, act]);
    this.chart?.on(kind, act);
  }

  draw() {
    if (!this.isStale || !this.isSeen || !this.option) return;
    this.isStale = false;
    const { brush, ...option } = this.option();
    const animation = false;
    const brushing = brush ? { brush: { toolbox: [], throttleType: "debounce", ...BRUSHED } } : {};
    this.canvas.setOption({ animation, ...brushing, ...option }, { notMerge: true });
    if (brush) {
      this.canvas.dispatchAction({
        type: "takeGlobalCursor",
        key: "brush",
        brushOption: { brushType: brush, brushMode: "single" },
      });
    }
  }

  redraw() {
    this.isStale = true;
    this.draw();
  }

  // Draw it although it is not in view, for a printer.
  drawUnseen() {
    const seen = this.isSeen;
    this.isSeen = true;
    this.draw();
    this.isSeen = seen;
  }

  onBrush(act) {
    this.on("brushEnd", ({ areas }) => {
      const [area] = areas;
      this.chart.dispatchAction({ type: "brush", areas: [] });
      if (area?.coordRange) act(area.coordRange);
    });
  }

  close() {
    this.observer.disconnect();
    this.resizer.disconnect();
    this.chart?.dispose();
  }
}

const BRUSHED = { xAxisIndex: 0, outOfBrush: {}, brushStyle: { borderWidth: 1 } };
