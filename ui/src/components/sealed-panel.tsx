import type { RunOverview, RunReport, SealedReport } from "../../../src/report/model.ts";
import { nth } from "../../../src/core/asked-words.ts";
import { finalName } from "../../../src/report/final-name.ts";
import { armCostNote, armCostRows } from "../../../src/report/arm-cost-rows.ts";
import { capitalize, percent, plural } from "../format.ts";
import { FigureTable } from "./figure-table.tsx";
import { Outcomes } from "./outcomes.tsx";

/** The sealed test, or the comparison of two skills: the only claimed result. */
export function SealedPanel({
  overview,
  sealed,
  baselines,
}: {
  readonly overview: RunOverview;
  readonly sealed: SealedReport;
  readonly baselines: RunReport["baselines"];
}) {
  const { original, best, p, alpha, read, trials, wins, losses, ties, perRollout, constant } = sealed;
  const isComparison = overview.command === "compare";
  const title = capitalize(finalName(overview));
  const rows = [
    [isComparison ? "before" : "original", original],
    [isComparison ? "after" : "best", best],
  ] as const;
  const plain = [
    ["no skill", baselines?.noSkill],
    ["one-shot rewrite", baselines?.oneShot],
  ] as const;
  return (
    <section class="panel">
      <h2>{title}</h2>
      {best !== undefined && (
        <Outcomes wins={wins} losses={losses} ties={ties}>
          <span class="soft">task by task</span>
        </Outcomes>
      )}
      <FigureTable
        caption={`${title}: scores`}
        columns={["Skill", "Score", "Interval"]}
        rows={[
          ...[...rows, ...plain].flatMap(([name, estimate]) =>
            estimate === undefined || estimate === null
              ? []
              : [[name, percent(estimate.value), `${percent(estimate.low)} to ${percent(estimate.high)}`]],
          ),
          ...(constant === undefined ? [] : [["best constant answer", percent(constant.score), ""]]),
        ]}
      />
      <p class="soft">
        {plural(original.tasks, "task")}, {plural(trials, "trial")} each
        {p !== undefined && `; p = ${spellP(p)}`}
        {alpha !== undefined && ` (threshold ${alpha.toPrecision(2)})`}
        {read !== undefined && `; the ${nth(read)} text compared on these tasks`}.
      </p>
      {perRollout !== undefined && (
        <>
          <h3>Cost of a rollout</h3>
          <div class="scroll-aside" tabIndex={0} role="region" aria-label="Cost of a rollout">
            <FigureTable
              caption={`${title}: cost of a rollout`}
              columns={["A rollout", "Before", "After", "Change", "Interval"]}
              rows={armCostRows(perRollout).map(({ name, before, after, change, interval }) => [
                name,
                before,
                after,
                change,
                interval,
              ])}
            />
          </div>
          <p class="soft">{armCostNote(perRollout)}</p>
        </>
      )}
    </section>
  );
}

const spellP = (p: number): string => (p < 0.001 ? p.toExponential(1) : p.toFixed(3));
