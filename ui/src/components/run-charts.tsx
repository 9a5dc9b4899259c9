import { costChart, scoreChart, timelineChart } from "../../../src/report/charts.ts";
import type { Estimate, RunReport } from "../../../src/report/model.ts";
import { isRulesGate } from "../../../src/report/measured-rules.ts";
import { wordsOf } from "../action-words.ts";
import { count, duration, formatUsd, percent } from "../format.ts";
import { linkTo } from "../router.ts";
import { timeByStage } from "../time-by-stage.ts";
import { useNarrow, useTheme } from "../use-media.ts";
import { Chart } from "./chart.tsx";
import { FigureTable } from "./figure-table.tsx";

interface Props {
  readonly report: RunReport;
}

export function ScorePanel({ report }: Props) {
  const { overview, baseline, steps, sealed, settings } = report;
  const theme = useTheme();
  const narrow = useNarrow();
  const open = ({ data }: { readonly data: unknown }) => {
    const step = (data as { readonly step?: number } | undefined)?.step;
    if (step !== undefined) location.hash = linkTo({ page: "step", run: overview.id, step });
  };
  return (
    <section class="panel whole">
      <h2>Score over steps</h2>
      <Chart
        label={scoreLabel(report)}
        option={scoreChart(report, theme, { narrow })}
        height={320}
        onPick={open}
      >
        <FigureTable
          caption="Scores with their 95 % intervals"
          columns={["Of", "Score", "Interval", "Tasks", "Current skill after it"]}
          rows={[
            ...estimateRow("original, val", baseline),
            ...steps.map(({ step, action, candidate, incumbent }) => [
              `step ${step}, ${wordsOf(action, settings).word}`,
              ...(isRulesGate(settings) ? ["", "", ""] : estimateCells(candidate)),
              incumbent === undefined ? "" : percent(incumbent),
            ]),
            ...estimateRow("original, sealed test", sealed?.original),
            ...estimateRow("best, sealed test", sealed?.best),
          ]}
        />
      </Chart>
    </section>
  );
}

const estimateRow = (name: string, estimate: Estimate | undefined) =>
  estimate === undefined ? [] : [[name, ...estimateCells(estimate), ""]];

const estimateCells = (estimate: Estimate | undefined): readonly string[] =>
  estimate === undefined
    ? ["not measured", "", ""]
    : [
        percent(estimate.value),
        `${percent(estimate.low)} to ${percent(estimate.high)}`,
        count(estimate.tasks),
      ];

function scoreLabel({ baseline, steps, sealed }: RunReport): string {
  const kept = steps.filter(({ action }) => action.startsWith("accept")).length;
  const parts = [
    baseline === undefined ? "" : `The original scores ${percent(baseline.value)} on val.`,
    steps.length === 0 ? "" : `Of ${steps.length} steps ${kept} were accepted.`,
    sealed?.best === undefined
      ? ""
      : `Sealed test: ${percent(sealed.original.value)} before, ${percent(sealed.best.value)} after.`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** So that few bars do not stand far apart. */
const barsHeight = (rows: readonly { readonly stage: string }[]): number =>
  90 + 20 * Math.max(3, new Set(rows.map(({ stage }) => stage)).size);

export function CostPanel({ report: { costs } }: Props) {
  const theme = useTheme();
  if (costs.length === 0)
    return (
      <section class="panel">
        <h2>Cost</h2>
        <p class="soft">Nothing has been bought yet.</p>
      </section>
    );
  const label = `Cost by stage and role, ${costs.length} entries.`;
  return (
    <section class="panel">
      <h2>Cost by stage and role</h2>
      <Chart label={label} option={costChart({ costs }, theme)} height={barsHeight(costs)}>
        <FigureTable
          caption="Cost by stage and role"
          columns={["Stage", "Role", "Cost", "Calls", "Tokens"]}
          rows={costs.map(({ stage, role, cost }) => [
            stage,
            role,
            formatUsd(cost.nanoUsd),
            count(cost.calls),
            count(cost.tokens),
          ])}
        />
      </Chart>
    </section>
  );
}

export function TimelinePanel({ report: { timeline } }: Props) {
  const theme = useTheme();
  const sums = timeByStage(timeline);
  const isBackground = sums.some((sum) => sum.isBackground);
  const longest = sums.find((sum) => !sum.isBackground) ?? sums[0];
  if (longest === undefined)
    return (
      <section class="panel">
        <h2>Where the time went</h2>
        <p class="soft">No stage has ended yet.</p>
      </section>
    );
  const label = `Where the time went: ${longest.stage} took the most, ${duration(longest.ms)}.`;
  return (
    <section class="panel">
      <h2>Where the time went</h2>
      <Chart label={label} option={timelineChart({ timeline }, theme)} height={barsHeight(timeline)}>
        <FigureTable
          caption="Time by stage"
          columns={["Stage", "Time", "Times", "Results"]}
          rows={sums.map(({ stage, ms, spans, total }) => [stage, duration(ms), count(spans), count(total)])}
        />
      </Chart>
      {isBackground && (
        <p class="soft">
          Tests without a skill and with a one-shot rewrite go on in the background while the skill is
          trained.
        </p>
      )}
    </section>
  );
}
