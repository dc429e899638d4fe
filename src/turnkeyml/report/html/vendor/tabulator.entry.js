// What the page needs of Tabulator; `make vendor` bundles it to tabulator.js.
import {
  FilterModule,
  FormatModule,
  FrozenColumnsModule,
  InteractionModule,
  ResizeColumnsModule,
  ResizeTableModule,
  SortModule,
  Tabulator,
} from "tabulator-tables";

Tabulator.registerModule([
  FilterModule,
  FormatModule,
  FrozenColumnsModule,
  InteractionModule,
  ResizeColumnsModule,
  ResizeTableModule,
  SortModule,
]);
globalThis.Tabulator = Tabulator;
