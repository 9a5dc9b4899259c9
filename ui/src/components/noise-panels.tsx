import type { NoiseFigures } from "../../../src/report/noise-figures.ts";
import { chanceText, leastGain } from "../../../src/core/plan-words.ts";
import { percent, plural } from "../format.ts";
import { FigureTable } from "./figure-table.tsx";

/** How much of a score is chance, and what can be told apart in spite of it. */
export const NoisePanels = ({ noise }: { readonly noise: NoiseFigures }) => (
  <>
    <ChancePanel noise={noise} />
    <ClaimPanel claim={noise.claim} />
  </>
);

function ChancePanel({ noise }: { readonly noise: NoiseFigures }) {
  const { tasks, trials, score, flipRate, unsteady, variants, p, pWorse, pending } = noise;
  return (
    <section class="panel">
      <h2>How much is chance</h2>
      <FigureTable
        caption="How much is chance"
        columns={["The skill against itself", "Found"]}
        rows={[
          ["Mean score", percent(score)],
          ["Two trials of one task differ", percent(flipRate)],
          ...(variants === undefined ? [] : [["Two wordings of one task differ", percent(variants)]]),
          ["Tasks that did not always score the same", `${Math.round(unsteady * tasks)} of ${tasks}`],
          ["The exact test: better than itself", `p = ${p.toPrecision(2)}`],
          ["The exact test: worse than itself", `p = ${pWorse.toPrecision(2)}`],
        ]}
      />
      <p class="soft">
        {plural(tasks, "val task")}, 2 × {plural(trials, "trial")} each
        {pending > 0 && `; ${plural(pending, "result")} missing`}.
      </p>
    </section>
  );
}

function ClaimPanel({ claim }: Pick<NoiseFigures, "claim">) {
  const { limits, tasks, trials, alpha, power, needed } = claim;
  const chances = power[0]?.chances ?? [];
  return (
    <section class="panel">
      <h2>What a claim on these tasks could find</h2>
      {limits.possible ? (
        <>
          <p>
            {claim.detectable === null
              ? "Not even the largest gain is found in 80 of 100 cases."
              : `A gain is found in 80 of 100 cases if it is ${leastGain(claim)}.`}
          </p>
          <FigureTable
            caption="Chance to find a gain, by trials of each task: from one on some topics only to one on all tasks alike"
            columns={["Trials", ...chances.map(({ effect }) => `+${gain(effect)} points`)]}
            rows={power.map((row) => [
              `${row.trials}${row.trials === trials ? " (as here)" : ""}`,
              ...row.chances.map((chance) => chanceText(chance)),
            ])}
          />
          {needed.map(({ effect, tasks: more, trials: longer }) => (
            <p key={effect} class="soft">
              +{gain(effect)} points would take {more ?? "more than 1,000"} tasks, or{" "}
              {longer === null ? "more than 10" : longer} trials of these {tasks}.
            </p>
          ))}
        </>
      ) : (
        <p class="bad">
          No claim is possible: {plural(tasks, "task")} with {plural(trials, "trial")} each are too few.{" "}
          {limits.tasksNeeded} tasks
          {limits.trialsNeeded !== null && ` or ${limits.trialsNeeded} trials`} would do.
        </p>
      )}
      <p class="soft">
        {plural(tasks, "task")}, threshold {alpha.toPrecision(2)}. Chances are simulated with the noise that
        was measured.
      </p>
    </section>
  );
}

const gain = (effect: number): number => Math.round(100 * effect);
