import { finalName } from "../../../src/report/final-name.ts";
import type { Estimate, RunReport } from "../../../src/report/model.ts";
import { isRulesGate } from "../../../src/report/measured-rules.ts";
import { wordsOf } from "../action-words.ts";
import { capitalize, count, duration, formatUsd, percent } from "../format.ts";
import { timeByStage } from "../time-by-stage.ts";
import { FigureTable } from "./figure-table.tsx";
import { ScoreChart } from "./score-chart.tsx";

interface Props {
  readonly report: RunReport;
}

export function ScorePanel({ report }: Props) {
  const { baseline, steps, sealed, settings, overview } = report;
  const label = scoreLabel(report);
  return (
    <section class="panel whole">
      <h2>Score over steps</h2>
      <figure class="chart">
        <div role="img" aria-label={label}>
          <div aria-hidden="true">
            <ScoreChart report={report} />
          </div>
        </div>
        <details>
          <summary>Show as a table</summary>
          <div class="scroll" tabIndex={0} role="region" aria-label={`${label} Table.`}>
            <FigureTable
              caption="Scores with their 95% intervals"
              columns={["Of", "Score", "Interval", "Tasks", "Current skill afterwards"]}
              rows={[
                ...estimateRow("original, val", baseline),
                ...steps.map(({ step, action, candidate, incumbent }) => [
                  `step ${step}, ${wordsOf(action, settings).word}`,
                  ...(isRulesGate(settings) ? ["", "", ""] : estimateCells(candidate)),
                  incumbent === undefined ? "" : percent(incumbent),
                ]),
                ...estimateRow(`original, ${finalName(overview)}`, sealed?.original),
                ...estimateRow(`best, ${finalName(overview)}`, sealed?.best),
              ]}
            />
          </div>
        </details>
      </figure>
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

function scoreLabel({ baseline, steps, sealed, overview }: RunReport): string {
  const kept = steps.filter(({ action }) => action.startsWith("accept")).length;
  const parts = [
    baseline === undefined ? "" : `The original scores ${percent(baseline.value)} on val.`,
    steps.length === 0 ? "" : `${kept} of ${steps.length} steps were accepted.`,
    sealed?.best === undefined
      ? ""
      : `${capitalize(finalName(overview))}: ${percent(sealed.original.value)} before, ${percent(sealed.best.value)} after.`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** The cost by stage and role; in tokens if nothing has a price. */
export function CostPanel({ report: { costs } }: Props) {
  const isFree = costs.every(({ cost }) => cost.nanoUsd === 0);
  const amounts = costs.map(({ cost }) => (isFree ? cost.tokens : cost.nanoUsd));
  return (
    <section class="panel">
      <h2>Cost by stage and role</h2>
      {costs.length === 0 ? (
        <p class="soft">No calls have been paid for yet.</p>
      ) : (
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
          bars={amounts.map((amount) => amount / Math.max(...amounts, 1))}
        />
      )}
    </section>
  );
}

export function TimelinePanel({ report: { timeline } }: Props) {
  const sums = timeByStage(timeline);
  return (
    <section class="panel">
      <h2>Time by stage</h2>
      {sums.length === 0 ? (
        <p class="soft">No stage has finished yet.</p>
      ) : (
        <FigureTable
          caption="Time by stage"
          columns={["Stage", "Time", "Times", "Results"]}
          rows={sums.map(({ stage, ms, spans, total }) => [stage, duration(ms), count(spans), count(total)])}
          bars={sums.map(({ ms }) => ms / Math.max(sums[0]?.ms ?? 0, 1))}
        />
      )}
      {sums.some(({ isBackground }) => isBackground) && (
        <p class="soft">
          Tests without a skill and with a one-shot rewrite run in the background while the skill is trained.
        </p>
      )}
    </section>
  );
}
