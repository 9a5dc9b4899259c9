import { BarChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import { type EChartsType, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";

use([BarChart, GridComponent, LegendComponent, LineChart, ScatterChart, SVGRenderer, TooltipComponent]);

export interface ChartProps {
  /** What the chart shows, in one sentence, for those who do not see it. */
  readonly label: string;
  /** A plain ECharts option. */
  readonly option: object;
  readonly height: number;
  /** A point or bar was clicked; `name` and `value` as the option has them. */
  readonly onPick?: (picked: {
    readonly name: string;
    readonly value: unknown;
    readonly data: unknown;
  }) => void;
  /** The figures as a table. */
  readonly children: ComponentChildren;
}

/** A drawn chart with its figures as a table behind it. Its place is kept free before it is drawn. */
export function Chart({ label, option, height, onPick, children }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>(undefined);
  const pick = useRef(onPick);
  pick.current = onPick;
  useEffect(() => {
    if (box.current === null) return;
    const drawn = init(box.current, null, { renderer: "svg" });
    chart.current = drawn;
    drawn.on("click", (event) => {
      pick.current?.({ name: event.name, value: event.value, data: event.data });
    });
    const observer = new ResizeObserver(() => drawn.resize());
    observer.observe(box.current);
    return () => {
      observer.disconnect();
      drawn.dispose();
    };
  }, []);
  const drawn = JSON.stringify(option);
  useEffect(() => {
    chart.current?.setOption({ ...option, animation: false }, { notMerge: true });
  }, [drawn]);
  return (
    <figure class="chart">
      <div role="img" aria-label={label}>
        <div ref={box} style={{ height: `${height}px` }} aria-hidden="true" />
      </div>
      <details>
        <summary>The figures as a table</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={`${label} Table.`}>
          {children}
        </div>
      </details>
    </figure>
  );
}
