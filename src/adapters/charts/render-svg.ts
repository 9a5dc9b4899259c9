import { init, use } from "echarts/core";
import { LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";

export interface SvgSize {
  readonly width: number;
  readonly height: number;
}

/** A chart of lines and points as the text of an SVG file. */
export function renderSvg(option: Readonly<Record<string, unknown>>, { width, height }: SvgSize): string {
  use([LineChart, ScatterChart, GridComponent, LegendComponent, SVGRenderer]);
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption(option);
    return chart.renderToSVGString();
  } finally {
    // a chart that is not disposed keeps the process alive
    chart.dispose();
  }
}
