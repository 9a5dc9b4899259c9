import { nextAfterPruning } from "../../../report/next-step.ts";
import { fit, plural, table, facts, wrap, colors } from "../../../show/format.ts";
import type { RuleEstimate } from "../../../core/rules/prune/prune.ts";
import { verdictWords } from "../../../core/verdict-words.ts";
import { type PruneOptions, type PruneRun, prune } from "../../../run/verbs/prune.ts";
import { percent } from "../../../core/measure/percent.ts";
import type { Io } from "../../../show/io.ts";
import { armCostLines } from "../../../show/arm-cost-lines.ts";
import { costText, finishedLines, lookText, spaced, type ResultPlace } from "../../../show/print-result.ts";
import { type RunFlags, readConfig } from "../read-config.ts";
import { printEnd, resultPlace, watched } from "./train-command.ts";

export interface PruneFlags extends RunFlags, Pick<PruneOptions, "margin" | "since"> {}

/** `whetstone prune [skill]` */
export async function pruneCommand(flags: PruneFlags, io: Io): Promise<void> {
  const { margin, since, json } = flags;
  const config = await readConfig(flags, io);
  const options: PruneOptions = { ...config, margin, since };
  const run = await watched(config, json, io, (hooks) => prune({ ...options, ...hooks }));
  printEnd(prunedLines(run, resultPlace(io)), flags, io);
}

/** The verdict first, then each rule's worth. */
function prunedLines(run: PruneRun, { shown, columns }: ResultPlace): readonly string[] {
  const { id, folder, summary, finishedBefore } = run;
  const { verdict, sentence, removed, tokens, flipRate } = summary;
  const done = `${plural(removed, "rule")} removed, ${tokens.before} → ${tokens.after} tokens`;
  const word = colors.bold(verdictWords[verdict].word);
  const short = id.slice(0, 8);
  return [
    verdict === "unchanged" ? word : `${word}: ${done}`,
    ...wrap(sentence, columns, "  "),
    colors.dim(`  two rollouts of one val task differ in ${percent(flipRate)} of cases`),
    ...spaced(armCostLines(summary.perRollout, columns)),
    ...finishedLines(finishedBefore, columns),
    "",
    ...ruleLines(summary.table, columns),
    "",
    ...facts(
      [
        ["table", `${shown(folder)}/prune.json`],
        ["cost", costText(run)],
        ["look", lookText(id)],
        ["next", nextAfterPruning(short, verdict)],
      ],
      columns,
    ),
  ];
}

/** Rules grouped by what became of them and why, each group sorted by worth. */
function ruleLines(rows: readonly RuleEstimate[], columns: number): readonly string[] {
  const group = ({ fate, why }: RuleEstimate) => `${fate}: ${why}`;
  const groups = [...new Set(rows.map(group))].toSorted().toReversed();
  const sorted = rows
    .toSorted((a, b) => a.worth - b.worth || b.tokens - a.tokens)
    .toSorted((a, b) => groups.indexOf(group(a)) - groups.indexOf(group(b)));
  const [head = "", ...lines] = table([
    ["   worth", "±", "tokens", "per point", "rule", ""].map(colors.dim),
    ...sorted.map(({ rule, worth, low, high, tokens, tokensPerPoint, text }) => [
      `   ${worth < 0 ? "−" : "+"}${Math.abs(100 * worth).toFixed(1)}`,
      ((100 * (high - low)) / 2).toFixed(1),
      String(tokens),
      tokensPerPoint === null ? "–" : tokensPerPoint.toFixed(tokensPerPoint < 10 ? 1 : 0),
      rule,
      text.replaceAll(/\s+/g, " "),
    ]),
  ]).map((line) => fit(line, columns));
  const body = sorted.flatMap((row, at) => {
    const before = sorted[at - 1];
    const isFirst = before === undefined || group(before) !== group(row);
    return [...(isFirst ? [`  ${colors.bold(group(row))}`] : []), lines[at] ?? ""];
  });
  return [head, ...body];
}
