// Failures with the same cause, with their number and one example each.
import { counted, element } from "./text.js";
import { exactly } from "./filters.js";

const FIRST_GROUPS = 30;

function groupsOf(app) {
  const { store, rows } = app;
  const groups = new Map();
  for (const row of rows) {
    const cause = store.value("cause", row);
    if (cause === null) continue;
    const group = groups.get(cause) ?? groups.set(cause, { cause, rows: [] }).get(cause);
    group.rows.push(row);
  }
  return [...groups.values()].sort((one, other) => other.rows.length - one.rows.length);
}

function groupItem(app, { cause, rows }) {
  const { store } = app;
  const [row] = rows;
  return element(
    "li",
    { class: "card failure" },
    element("p", {}, element("strong", {}, counted(rows.length, "time")), ` · ${store.value("outcome", row)}`),
    element("p", { class: "reason" }, store.value("reason", row)),
    element(
      "p",
      {},
      "Example: ",
      element("a", { href: app.modelAddress(row) }, store.value("build_name", row)),
      " ",
      element("button", { type: "button", onclick: () => app.setFilter("cause", exactly(cause)) }, "Show these in the table"),
    ),
  );
}

// Inputs that failed before a model of theirs could be built.
function inputItems(app) {
  const known = new Set(app.store.counts("file").map(([file]) => file));
  const groups = new Map();
  for (const input of app.store.data.inputs) {
    if (!input.failure || known.has(input.file)) continue;
    const group = groups.get(input.kind) ?? groups.set(input.kind, []).get(input.kind);
    group.push(input);
  }
  return [...groups.values()].map((inputs) =>
    element(
      "li",
      { class: "card failure" },
      element("p", {}, element("strong", {}, counted(inputs.length, "time")), " · script failed"),
      element("p", { class: "reason" }, inputs[0].failure),
      element("p", {}, "Example: ", element("code", {}, inputs[0].file)),
    ),
  );
}

export function failuresOf(app) {
  const groups = groupsOf(app);
  const items = [...inputItems(app), ...groups.slice(0, FIRST_GROUPS).map((group) => groupItem(app, group))];
  const rest = groups.length - FIRST_GROUPS;
  return [
    element("h2", { id: "failures-title" }, "Failures"),
    items.length
      ? element("ul", { class: "failures" }, items)
      : element("p", { class: "hint" }, "Nothing in the table failed."),
    rest > 0 ? element("p", { class: "hint" }, `and ${rest} other causes`) : null,
  ];
}
