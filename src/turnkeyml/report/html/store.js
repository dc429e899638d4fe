// The records of a report, column by column, as report/html/data.py packed them.

export async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

class StoreColumn {
  constructor(described) {
    Object.assign(this, described);
    if (this.words) this.indices = Uint32Array.from(this.indices);
  }

  get(row) {
    if (this.words) return this.words[this.indices[row]];
    return this.numbers ? this.numbers[row] : this.constant;
  }

  // The rows whose value passes a test, which is asked once per distinct text.
  tester(test) {
    if (this.words) {
      const passed = this.words.map((word) => test(word));
      return (row) => passed[this.indices[row]];
    }
    if (this.numbers) return (row) => test(this.numbers[row]);
    const passed = test(this.constant);
    return () => passed;
  }

  get isEmpty() {
    return !this.words && !this.numbers && (this.constant === null || this.constant === undefined);
  }
}

export class Store {
  constructor(data) {
    this.data = data;
    this.kind = data.kind;
    this.count = data.count;
    this.columns = data.columns.map((described) => new StoreColumn(described));
    this.byName = new Map(this.columns.map((column) => [column.name, column]));
    this.points = this.columns.filter((column) => column.name.startsWith("parameters_"));
    this.rowsByBuild = new Map();
    for (let row = 0; row < this.count; row++) {
      const key = this.buildKey(row);
      const rows = this.rowsByBuild.get(key);
      if (rows) rows.push(row);
      else this.rowsByBuild.set(key, [row]);
    }
  }

  value(name, row) {
    return this.byName.get(name)?.get(row) ?? null;
  }

  buildKey(row) {
    return `${this.value("cache_dir", row) ?? ""}\n${this.value("build_name", row)}`;
  }

  // The point of a sweep and the load; empty without either.
  point(row) {
    return [this.sweepPoint(row), this.value("under_load_pattern", row)].filter(Boolean).join(" ");
  }

  // The point of a sweep; empty without one.
  sweepPoint(row) {
    const known = this.points.filter((column) => column.get(row) !== null);
    return known.map((column) => `${column.name.slice(11)}=${column.get(row)}`).join(" ");
  }

  // How often each value of a column occurs in some rows, the most frequent first.
  counts(name, rows) {
    const found = new Map();
    for (const row of rows ?? Array(this.count).keys()) {
      const value = this.value(name, row);
      if (value !== null && value !== "") found.set(value, (found.get(value) ?? 0) + 1);
    }
    return [...found].sort((one, other) => other[1] - one[1]);
  }

  setNumbers(name, numbers) {
    Object.assign(this.byName.get(name), { numbers, constant: undefined, numeric: true });
  }
}
