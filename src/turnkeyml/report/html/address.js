// What the reader has chosen, which the address of the page keeps after its #.

export function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const filters = new Map();
  for (const [name, value] of words) {
    if (name.startsWith("f.") && value) filters.set(name.slice(2), value);
  }
  const sort = words.get("sort");
  return {
    query: words.get("q") ?? "",
    filters,
    sort: sort ? { name: sort.replace(/^-/, ""), descending: sort.startsWith("-") } : null,
    columns: words.has("column") ? words.getAll("column") : null,
    build: words.get("build"),
    cache: words.get("cache"),
    colour: words.get("colour"),
    pair: words.has("a") && words.has("b") ? [words.get("a"), words.get("b")] : null,
  };
}

export function addressOf(state) {
  const words = new URLSearchParams();
  if (state.build !== null) words.append("build", state.build);
  if (state.cache) words.append("cache", state.cache);
  if (state.query) words.append("q", state.query);
  for (const [name, expression] of state.filters) words.append(`f.${name}`, expression);
  if (state.sort) words.append("sort", `${state.sort.descending ? "-" : ""}${state.sort.name}`);
  for (const name of state.columns ?? []) words.append("column", name);
  if (state.colour) words.append("colour", state.colour);
  if (state.pair) {
    words.append("a", state.pair[0]);
    words.append("b", state.pair[1]);
  }
  const text = words.toString();
  return text ? `#${text}` : `${location.pathname}${location.search}`;
}
