// What all plots of a cache have in common.
import { element, replaceChildren, titleOf } from "./text.js";
import { Chart } from "./charts.js";

const MOST_LISTED = 40;

// A card with a chart, its controls and the same facts as a list of buttons.
export class Plot {
  constructor(app, title, hint, label) {
    this.app = app;
    this.controls = element("div", { class: "controls" });
    this.note = element("p", { class: "hint" }, hint);
    this.area = element("div", { class: "chart" });
    this.list = element("div", { class: "plot-list" });
    this.details = element("details", {}, element("summary", {}, "As a list"), this.list);
    this.details.addEventListener("toggle", () => this.refresh());
    this.card = element(
      "section",
      { class: "card plot" },
      element("h3", {}, title),
      this.controls,
      this.area,
      this.note,
      this.details,
    );
    this.chart = new Chart(this.area, label);
    this.chart.onSeen = () => this.isStale && this.now();
  }

  // Show what has changed, as soon as it is in view.
  refresh() {
    this.isStale = true;
    if (this.chart.isSeen || this.details.open) this.now();
  }

  now() {
    this.isStale = false;
    this.update();
  }

  print() {
    this.now();
    this.chart.drawUnseen();
  }

  select(label, values, chosen, act) {
    const options = values.map((value) =>
      element("option", { value, selected: value === chosen }, titleOf(value)),
    );
    const made = element("select", { onchange: () => act(made.value) }, options);
    this.controls.append(element("label", {}, `${label} `, made));
    return made;
  }

  // Show the items, each with a label, a text and what clicking it does.
  setList(items) {
    if (!this.details.open) return;
    const shown = items.slice(0, MOST_LISTED).map(({ label, text, act }) =>
      element("li", {}, element("button", { type: "button", onclick: act }, label), ` ${text}`),
    );
    const rest = items.length - shown.length;
    const more = rest > 0 ? element("li", {}, `and ${rest} more`) : null;
    replaceChildren(this.list, element("ul", {}, shown, more));
  }

  setHidden(hidden) {
    this.card.hidden = hidden;
  }

  redraw() {
    this.refresh();
    this.chart.redraw();
  }
}
