// What the page needs of Apache ECharts; `make vendor` bundles it to echarts.js.
import * as echarts from "echarts/core";
import { BarChart, CustomChart, LineChart, ScatterChart, TreemapChart } from "echarts/charts";
import {
  AriaComponent,
  BrushComponent,
  DataZoomInsideComponent,
  GridComponent,
  LegendScrollComponent,
  MarkLineComponent,
  TooltipComponent,
} from "echarts/components";
import { CanvasRenderer } from "echarts/renderers";

echarts.use([
  BarChart,
  CustomChart,
  LineChart,
  ScatterChart,
  TreemapChart,
  AriaComponent,
  BrushComponent,
  DataZoomInsideComponent,
  GridComponent,
  LegendScrollComponent,
  MarkLineComponent,
  TooltipComponent,
  CanvasRenderer,
]);
globalThis.echarts = echarts;
