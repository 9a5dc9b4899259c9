import { nextAfter } from "../../../report/next-step.ts";
import { plural, facts, wrap, colors } from "../../../show/format.ts";
import { type NoiseRun, measureNoise } from "../../../run/verbs/noise.ts";
import { percent } from "../../../core/measure/percent.ts";
import type { Io } from "../../../show/io.ts";
import { claimLines } from "../../../show/plan-lines.ts";
import { type ResultPlace, costText, finishedLines, lookText } from "../../../show/print-result.ts";
import { type RunFlags, readConfig } from "../read-config.ts";
import { printEnd, resultPlace, watched } from "./train-command.ts";

/** `whetstone noise [skill]` */
export async function noiseCommand(flags: RunFlags & { readonly variants: boolean }, io: Io): Promise<void> {
  const config = await readConfig(flags, io);
  const run = await watched(config, flags.json, io, (hooks) =>
    measureNoise({ ...config, variants: flags.variants, ...hooks }),
  );
  printEnd(noiseLines(run, resultPlace(io)), flags, io);
}

function noiseLines(run: NoiseRun, { shown, columns }: ResultPlace): readonly string[] {
  const { id, folder, summary, finishedBefore } = run;
  const { flipRate, unsteady, tasks, trials, score, pending, claim, p, pWorse, variants } = summary;
  const unsteadyTasks = Math.round(unsteady * tasks);
  const head = `${colors.bold(`flip rate ${percent(flipRate)}`)}: two trials of one task differ that often`;
  const measured = `${plural(tasks, "val task")}, 2 × ${plural(trials, "trial")} each; mean score ${percent(score)}; ${unsteadyTasks} of them did not always score the same`;
  const missing = pending === 0 ? [] : [colors.yellow(`  ${plural(pending, "result")} missing`)];
  const itself = `The exact test, asked whether the skill is better or worse than itself: p = ${p.toPrecision(2)} and ${pWorse.toPrecision(2)}.`;
  return [
    head,
    ...wrap(measured, columns, "  ").map(colors.dim),
    ...missing,
    ...(variants === undefined
      ? []
      : wrap(`Two neutral rewordings of one task differ in ${percent(variants)} of cases.`, columns, "  ")),
    "",
    ...wrap(itself, columns),
    "",
    ...claimLines("A claim on these val tasks", claim, columns),
    ...finishedLines(finishedBefore, columns),
    "",
    ...facts(
      [
        ["results", shown(folder)],
        ["cost", costText(run)],
        ["look", lookText(id)],
        ["next", nextAfter.noise],
      ],
      columns,
    ),
  ];
}
