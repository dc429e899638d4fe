// Elements and readable numbers. Text from a cache only ever becomes text: nothing here parses HTML.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

export function replaceChildren(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null));
}

export function significant(value, digits = 4) {
  if (value === null || value === undefined) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-6) return value.toExponential(digits - 1);
  if (size >= 10 ** (digits - 1)) return Math.round(value).toLocaleString("en-US");
  return value.toPrecision(digits);
}

const POWERS = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

export function withPower(value, unit = "") {
  if (value === null || value === undefined) return "";
  const [factor, letter] = POWERS.find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  const number = factor === 1 ? significant(value, 3) : (value / factor).toPrecision(3);
  return `${number}${letter || unit ? " " : ""}${letter}${unit}`;
}

// The same for an axis, where space is short: 10M.
export function atAxis(value) {
  const [factor, letter] = POWERS.find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  return `${Number((value / factor).toPrecision(3))}${letter}`;
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds >= 5400) return `${(seconds / 3600).toPrecision(3)} h`;
  if (seconds >= 90) return `${(seconds / 60).toPrecision(3)} min`;
  return seconds >= 1 ? `${seconds.toPrecision(3)} s` : `${significant(seconds * 1e3, 3)} ms`;
}

export function moment(text) {
  return typeof text === "string" ? text.replace("T", " ").replace(/[+-]\d{4}$/, "") : "";
}

// The verdict of a row, with a mark if no other than the recorded inputs could be compared.
export function verdictOf(store, row) {
  const verdict = store.value("verdict", row);
  const recordedOnly = store.value("verification_cause", row) === "on the recorded inputs only";
  return recordedOnly && ["match", "match in parts"].includes(verdict) ? `${verdict} (recorded inputs only)` : verdict;
}

// A number in the unit of its column, as people read it.
export function readable(column, value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (column.unit === "bytes") return withPower(value, "B");
  if (column.unit === "s") return duration(value);
  if (column.name === "parameters" || column.name === "iterations") return withPower(value);
  if (Number.isInteger(value) && !column.unit) return value.toLocaleString("en-US");
  return significant(value);
}

export function titleOf(name) {
  return name.startsWith("label ") ? name.slice(6) : name.replaceAll("_", " ");
}

export function counted(number, noun) {
  return `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;
}

export function download(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// The value of a JSON text; the fallback if a damaged cache has anything else there.
export function parsedOr(text, fallback) {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) === Array.isArray(fallback) && value instanceof Object ? value : fallback;
  } catch {
    return fallback;
  }
}
