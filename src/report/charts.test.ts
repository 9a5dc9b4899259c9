import { BarChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ChartOption, costChart, scoreChart, timelineChart } from "./charts.ts";
import type { Estimate, RunReport, StepPoint } from "./model.ts";

use([BarChart, GridComponent, LegendComponent, LineChart, ScatterChart, SVGRenderer, TooltipComponent]);

const estimates: fc.Arbitrary<Estimate> = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(500))
  .map(([value, tasks]) => ({ value, low: Math.max(0, value - 0.1), high: Math.min(1, value + 0.1), tasks }));
const steps: fc.Arbitrary<readonly StepPoint[]> = fc
  .array(
    fc.record({
      action: fc.constantFrom(
        "accept_new_best",
        "accept",
        "reject",
        "return_to_original",
        "skip",
        "undecided",
      ),
      candidate: estimates,
      incumbent: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 6 },
  )
  .map((points) =>
    points.map((point, at) => ({
      ...point,
      step: at + 1,
      epoch: 1,
      reason: "because",
      budget: 4,
      applied: 3,
      refused: 1,
    })),
  );
const reports: fc.Arbitrary<RunReport> = fc
  .record(
    {
      steps,
      baseline: estimates,
      sealed: fc.record({ original: estimates, best: estimates }, { requiredKeys: ["original"] }),
      costs: fc.array(
        fc.record({
          role: fc.constantFrom("target", "optimizer"),
          stage: fc.constantFrom("rollout", "evaluate", "test"),
          cost: fc.record({ nanoUsd: fc.nat(), tokens: fc.nat(), calls: fc.nat() }),
        }),
        { maxLength: 4 },
      ),
      timeline: fc.array(
        fc.tuple(fc.nat(1e6), fc.nat(1e5)).map(([from, ms]) => ({ stage: "rollout", from, to: from + ms })),
        { maxLength: 4 },
      ),
    },
    { requiredKeys: ["steps", "costs", "timeline"] },
  )
  .map((parts) => ({ ...parts, overview: { steps: 10, tasks: { val: 20 } } }) as unknown as RunReport);

test("every chart of every report is plain JSON and can be drawn, in both themes", () => {
  fc.assert(
    fc.property(reports, fc.constantFrom("light", "dark"), fc.boolean(), (report, theme, narrow) => {
      for (const option of [
        scoreChart(report, theme, { narrow }),
        costChart(report, theme),
        timelineChart(report, theme),
      ]) {
        expect(JSON.parse(JSON.stringify(option))).toEqual(option);
        expect(draw(option)).toMatch(/^<svg(?!.*NaN)/s);
      }
    }),
    { numRuns: 25 },
  );
});

test("accepted and rejected candidates differ by shape, not by colour alone", () => {
  const point = (action: StepPoint["action"], step: number): StepPoint => ({
    step,
    epoch: 1,
    action,
    reason: "",
    budget: 2,
    applied: 1,
    refused: 0,
    candidate: { value: 0.5, low: 0.4, high: 0.6, tasks: 10 },
  });
  const report = {
    steps: [point("accept", 1), point("reject", 2)],
    overview: { steps: 2, tasks: { val: 20 } },
  };
  const { series } = scoreChart(report as unknown as RunReport, "light") as unknown as {
    readonly series: readonly { readonly name?: string; readonly symbol?: string }[];
  };
  const symbol = (name: string) => series.find((one) => one.name === name)?.symbol;
  expect(symbol("accepted")).toBe("circle");
  expect(symbol("rejected")).toMatch(/^path/);
});

test("money is drawn where there is any, else tokens", () => {
  const cost = (nanoUsd: number) => ({
    costs: [{ role: "target", stage: "test", cost: { nanoUsd, tokens: 700, calls: 1 } }] as const,
  });
  const axisName = (nanoUsd: number) =>
    (costChart(cost(nanoUsd), "light") as { readonly xAxis: { readonly name: string } }).xAxis.name;
  expect(axisName(5)).toBe("US dollars");
  expect(axisName(0)).toBe("tokens");
});

function draw(option: ChartOption): string {
  const chart = init(undefined, undefined, { renderer: "svg", ssr: true, width: 400, height: 300 });
  try {
    chart.setOption(option);
    return chart.renderToSVGString();
  } finally {
    // an undisposed chart keeps the process alive
    chart.dispose();
  }
}

test.each([
  [1, 1, 1],
  [4, 1, 1],
  [12, 1, 2],
  [16, 1, 2],
  [17, 2, 5],
  [100, 10, 20],
  [1000, 100, 200],
])("of %i steps every one has its number while there is room", (steps, wide, narrow) => {
  const report = {
    overview: { steps, tasks: { val: 10 } },
    steps: [],
    baseline: { value: 0.5, low: 0.4, high: 0.6, tasks: 10 },
  } as unknown as RunReport;
  const interval = (option: ChartOption) =>
    (option["xAxis"] as readonly { readonly interval: number }[])[0]?.interval;
  expect(interval(scoreChart(report, "light"))).toBe(wide);
  expect(interval(scoreChart(report, "light", { narrow: true }))).toBe(narrow);
});
