// The language of filters: one expression per column, which header fields, plots and links share.
//
//   text            contains the text, whatever its case
//   =a|b            is exactly a or b; \| is a bar
//   !expression     the opposite
//   /pattern/       matches a regular expression
//   >5, <=2M, 1..10 compares numbers, which may end in k, M, G, m, u or n

const FACTORS = { n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, K: 1e3, M: 1e6, G: 1e9 };
const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[numkKMG]?`;
const RANGE = new RegExp(`^(${NUMBER})?\\s*\\.\\.\\s*(${NUMBER})?$`);
const COMPARISON = new RegExp(`^(<=|>=|<|>|=)?\\s*(${NUMBER})$`);

export function numberOf(text) {
  const factor = FACTORS[text.slice(-1)];
  return factor ? parseFloat(text.slice(0, -1)) * factor : parseFloat(text);
}

export function exactly(...values) {
  const escaped = values.map((value) => String(value ?? "").replace(/[\\|]/g, "\\$&"));
  return `=${escaped.join("|")}`;
}

export function between(low, high) {
  return `${trimmed(low, Math.floor)}..${trimmed(high, Math.ceil)}`;
}

function trimmed(value, round) {
  if (value === 0) return "0";
  const scale = 10 ** (3 - Math.floor(Math.log10(Math.abs(value))));
  return String(Number((round(value * scale) / scale).toPrecision(6)));
}

function alternatives(text) {
  const found = [""];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\" && i + 1 < text.length) found[found.length - 1] += text[++i];
    else if (text[i] === "|") found.push("");
    else found[found.length - 1] += text[i];
  }
  return found;
}

// The exact values that an expression asks for; null for any other expression.
export function valuesIn(expression) {
  return expression?.startsWith("=") ? alternatives(expression.slice(1)) : null;
}

function compared(value, operator, limit) {
  if (operator === "<") return value < limit;
  if (operator === "<=") return value <= limit;
  if (operator === ">") return value > limit;
  if (operator === ">=") return value >= limit;
  return value === limit;
}

function numberTest(expression) {
  const range = RANGE.exec(expression);
  if (range && (range[1] || range[2])) {
    const low = range[1] ? numberOf(range[1]) : -Infinity;
    const high = range[2] ? numberOf(range[2]) : Infinity;
    return (value) => value !== null && value >= low && value <= high;
  }
  const found = COMPARISON.exec(expression);
  if (!found) return null;
  return (value) => value !== null && compared(value, found[1], numberOf(found[2]));
}

function textTest(expression) {
  const values = valuesIn(expression);
  if (values) {
    const wanted = new Set(values);
    return (value) => wanted.has(value === null ? "" : String(value));
  }
  if (expression.length > 2 && expression.startsWith("/") && expression.endsWith("/")) {
    try {
      const pattern = new RegExp(expression.slice(1, -1), "i");
      return (value) => value !== null && pattern.test(String(value));
    } catch {
      return () => false;
    }
  }
  const wanted = expression.toLowerCase();
  return (value) => value !== null && String(value).toLowerCase().includes(wanted);
}

function operatorTest(expression) {
  const wanted = (valuesIn(expression) ?? [expression]).map((name) => `"${name}":`.toLowerCase());
  return (value) => value !== null && wanted.some((name) => value.toLowerCase().includes(name));
}

export function testOf(column, expression) {
  if (expression.startsWith("!")) {
    const test = testOf(column, expression.slice(1));
    return (value) => !test(value);
  }
  if (column.name === "build_operators") return operatorTest(expression);
  return (column.numeric && numberTest(expression)) || textTest(expression);
}

const SEARCHED = [
  "build_name", "model_name", "model_class", "file", "labels", "contestant", "runtime", "device",
  "status", "reason", "verdict", "flags", "hash", "model_hash", "change", "notes", "failure_a",
  "failure_b",
];

// The rows that every filter and every word of the search lets through.
export function matchingRows(store, query, filters) {
  const tests = [];
  for (const [name, expression] of filters) {
    const column = store.byName.get(name);
    if (column) tests.push(column.tester(testOf(column, expression)));
  }
  const searched = SEARCHED.map((name) => store.byName.get(name)).filter(Boolean);
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const testers = searched.map((column) => column.tester(textTest(word)));
    tests.push((row) => testers.some((test) => test(row)));
  }
  const rows = [];
  for (let row = 0; row < store.count; row++) {
    if (tests.every((test) => test(row))) rows.push(row);
  }
  return rows;
}
