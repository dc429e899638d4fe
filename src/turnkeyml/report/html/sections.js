// What the sections of a model's page are made of.
import { element } from "./text.js";
import { Chart } from "./charts.js";

export function section(title, ...content) {
  return element("section", { class: "card" }, element("h3", {}, title), content);
}

export function plainTable(caption, heads, lines) {
  return element(
    "div",
    { class: "scrolling", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      { class: "plain" },
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, lines.map((cells) => element("tr", {}, cells.map((cell) => element("td", {}, cell ?? ""))))),
    ),
  );
}

export function chartIn(page, label, makeOption, tall = false) {
  const area = element("div", { class: tall ? "chart tall" : "chart" });
  const chart = new Chart(area, label);
  chart.set(makeOption);
  page.charts.push(chart);
  return area;
}
