import colors from "picocolors";
import type { SkillFile } from "../../run/runs.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { formatUsd } from "../../core/spend.ts";
import type { Cost } from "../../core/ports/executor.ts";
import { diffLines, foldDiff } from "../../report/line-diff.ts";
import type { EvalRun } from "../../run/eval-run.ts";
import type { Trained } from "../../run/train.ts";
import type { Summary } from "../../run/artifacts.ts";
import { percent, plural, table } from "./format.ts";
import { triggerLines } from "./trigger-lines.ts";
import { wrap } from "./wrap.ts";

/** The end of a training run: verdict first, then where things are and what they cost. */
export function trainedLines(
  { id, folder, summary, result, spent, finishedBefore }: Trained,
  shown: (path: string) => string,
  { adoptable = true }: { readonly adoptable?: boolean } = {},
): readonly string[] {
  return [
    ...verdictLines(summary),
    ...(finishedBefore ? [finishedNote] : []),
    "",
    ...table([
      [
        "  skill",
        `${shown(folder)}/${exportedName(result.best.skill)}${summary.verdict === "unchanged" ? " (the original)" : ""}`,
      ],
      ["  cost", costText(summary.cost, spent)],
      ["  look", `whetstone runs show ${id.slice(0, 8)}`],
      // a skill that has no file cannot be adopted into one
      ...(summary.verdict === "unchanged" || !adoptable
        ? []
        : [["  next", `whetstone diff ${id.slice(0, 8)}, then whetstone adopt ${id.slice(0, 8)}`]]),
    ]),
  ];
}

const exportedName = (skill: Skill): string =>
  Object.keys(skill.files).length === 1 ? "best_skill.md" : "best_skill/";

/** The end of an evaluation. */
export function evaluatedLines(
  { id, folder, summary, spent, finishedBefore }: EvalRun,
  shown: (path: string) => string,
): readonly string[] {
  const { hard, soft, tasks, split, pending, triggers } = summary;
  const verdict =
    hard === null || soft === null
      ? colors.yellow(`no score: ${pending} of ${plural(tasks, "result")} are missing`)
      : `${colors.bold(percent(hard))} of ${plural(tasks, `${split} task`)} pass, partial credit ${percent(soft)} (one trial each)`;
  return [
    verdict,
    ...(triggers === undefined ? [] : triggerLines({ [split]: { before: triggers } })),
    ...(finishedBefore ? [finishedNote] : []),
    "",
    ...table([
      ["  results", `${shown(folder)}/${split}_eval/results.json`],
      ["  cost", costText(summary.cost, spent)],
      ["  look", `whetstone runs show ${id.slice(0, 8)}`],
    ]),
  ];
}

export const finishedNote =
  "This run had finished before: nothing was bought now. `--fresh <word>` repeats it independently.";

/** What came out, and how much that is worth. */
export function verdictLines({
  verdict,
  sentence,
  best,
  val,
  test,
  gate,
  baselines,
  triggers = {},
  ended,
}: Summary): readonly string[] {
  const onVal =
    val.baseline === null || val.best === null
      ? "val not measured (gate off: unverified)"
      : `val ${percent(val.baseline)} → ${percent(val.best)} as the ${gate} gate saw it`;
  const context = [
    ...(baselines === undefined
      ? []
      : [`no skill ${orUnknown(baselines.noSkill)}, one-shot rewrite ${orUnknown(baselines.oneShot)}`]),
    onVal,
    ...triggerLines(triggers),
  ];
  if (verdict === "unchanged") {
    const why = ended ?? "no candidate did better";
    return [
      `${colors.bold("kept the original skill")}: ${why}`,
      ...context.map((line) => colors.dim(`  ${line}`)),
    ];
  }
  const tested = test === undefined ? "" : `, test ${percent(test.original)} → ${percent(test.best)}`;
  const size =
    test === undefined ? [] : [`${plural(test.tasks, "test task")}, ${plural(test.trials, "trial")} each`];
  const head = `${colors.bold(verdictWords[verdict])}: skill from step ${best.step}${tested}`;
  return [head, ...wrap(sentence, 80, "  "), ...[...size, ...context].map((line) => colors.dim(`  ${line}`))];
}

const orUnknown = (score: number | null): string => (score === null ? "not measured" : percent(score));

const verdictWords: Readonly<Record<Exclude<Summary["verdict"], "unchanged">, string>> = {
  better: "better",
  worse: "worse",
  "no-difference": "no difference",
  underpowered: "not proven",
  undecided: "undecided",
  "not-tested": "not tested",
};

export function costText(costs: Summary["cost"], spent: Cost): string {
  const roles = Object.entries(costs).flatMap(([role, cost]) =>
    role === "total" || cost === undefined ? [] : [`${role} ${cost.usd}, ${plural(cost.calls, "call")}`],
  );
  const total = costs.total ?? { nanoUsd: 0, calls: 0 };
  const extra = spent.nanoUsd - total.nanoUsd;
  // shared results were paid by another run; failed and lost calls are booked beside the results
  const note = extra > 0 ? `; ${formatUsd(extra)} more for failed or lost calls` : "";
  return `${formatUsd(total.nanoUsd)} (${roles.join("; ")})${note}`;
}

const maxDiffLines = 60;

/** Original → best, as a person reads a patch. */
export function diffText(files: readonly SkillFile[]): readonly string[] {
  const lines = files.flatMap(({ path, before, after }) => {
    if (before === after) return [];
    const folded = foldDiff(diffLines(before, after), 2);
    const body = folded.map((line) => {
      if (line === null) return colors.dim("  …");
      if (line.kind === "same") return `  ${line.text}`;
      return line.kind === "added" ? colors.green(`+ ${line.text}`) : colors.red(`- ${line.text}`);
    });
    return [colors.bold(path), ...body];
  });
  if (lines.length <= maxDiffLines) return lines;
  return [
    ...lines.slice(0, maxDiffLines - 1),
    colors.dim(`  … ${lines.length - maxDiffLines + 1} more lines`),
  ];
}
