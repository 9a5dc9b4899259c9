import { plural, breakLine, facts, wrap, colors } from "./format.ts";
import type { SkillFile } from "../run/reports/runs.ts";
import type { Skill } from "../core/skill/skill.ts";
import { formatUsd } from "../core/work/spend.ts";
import { noCost } from "../core/cost.ts";
import { diffLines, foldDiff } from "../core/line-diff.ts";
import type { Estimate } from "../core/gate/estimate-score.ts";
import type { EvalRun } from "../run/verbs/evaluate.ts";
import type { Trained } from "../run/verbs/train.ts";
import { nextAfter, nextAfterTraining } from "../report/next-step.ts";
import { unusableText } from "../report/unusable-replies.ts";
import type { Summary } from "../run/reports/artifacts.ts";
import { measuresRules } from "../core/gate/gate-names.ts";
import {
  goesWithoutSentence,
  listIds,
  missingStep,
  verdictParts,
  verdictWords,
} from "../core/verdict-words.ts";
import { endedSentence, keptSentence, madeBy, movedText } from "../core/search-words.ts";
import { levelText } from "../core/shown-level.ts";
import { percent } from "../core/measure/percent.ts";
import { worthLines } from "./worth-lines.ts";
import { triggerLines } from "./trigger-lines.ts";

/** How a result is shown: how paths are spelled, and the terminal's width and height. */
export interface ResultPlace {
  readonly shown: (path: string) => string;
  readonly columns: number;
  readonly rows: number;
}

/** The end of a training run: the verdict, then where things are and what they cost, then what to do next. */
export function trainedLines(
  run: Trained,
  { shown, columns, rows }: ResultPlace,
  { next = nextAfterTraining(run.summary) }: { readonly next?: string } = {},
): readonly string[] {
  const { id, folder, summary, best, finishedBefore } = run;
  const original = summary.verdict === "unchanged" ? " (the original)" : "";
  const said = [...verdictLines(summary, columns), ...finishedLines(finishedBefore, columns)];
  const rest = [
    "",
    ...facts(
      [
        ["skill", `${shown(folder)}/${exportedName(best.skill)}${original}`],
        ...replyFacts(summary.replies),
        ["cost", costText(run)],
        ["look", lookText(id)],
        ["next", next],
      ],
      columns,
    ),
  ];
  // the verdict must stay visible at the end, so leave room for the empty lines and the prompt
  const room = rows - said.length - rest.length - 3;
  const worths = summary.rules && ["", ...worthLines(summary.rules, id, columns, room)];
  return [...said, ...(worths ?? []), ...rest];
}

/** With an empty line above. */
export const spaced = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ["", ...lines];

/** Replies that couldn't be used, and the setting to change. */
const replyFacts = (replies: Summary["replies"] = []): readonly (readonly [string, string])[] =>
  replies.length === 0 ? [] : [["replies", `${unusableText(replies)}. ${replies[0]?.next ?? ""}`]];

export const lookText = (id: string): string =>
  `whetstone runs show ${id.slice(0, 8)}, or in the browser: whetstone ui ${id.slice(0, 8)}`;

const exportedName = (skill: Skill): string =>
  Object.keys(skill.files).length === 1 ? "best_skill.md" : "best_skill/";

/** The end of an evaluation. */
export function evaluatedLines(run: EvalRun, { shown, columns }: ResultPlace): readonly string[] {
  const { id, folder, summary, finishedBefore } = run;
  const { hard, soft, tasks, split, pending, tooLong, triggers, interval, leftOut, missing = [] } = summary;
  const isMissing = hard === null || soft === null;
  const verdict = isMissing
    ? colors.yellow(`no score: ${pending} of ${plural(tasks, "result")} are missing (${listIds(missing)})`)
    : `${colors.bold(percent(hard))} of ${plural(tasks, `${split} task`)} pass${range(interval)}, partial credit ${percent(soft)} (one trial each)${tooLong === undefined ? "" : `; ${tooLong} more left out: too long for the model`}${leftOut === undefined ? "" : `; ${goesWithoutSentence(leftOut)}`}`;
  return [
    verdict,
    ...(triggers === undefined ? [] : triggerLines({ [split]: { before: triggers } })),
    ...finishedLines(finishedBefore, columns),
    "",
    ...facts(
      [
        ["results", `${shown(folder)}/${split}_eval/results.json`],
        ...replyFacts(summary.replies),
        ["cost", costText(run)],
        ["look", lookText(id)],
        ["next", isMissing ? missingStep(missing) : nextAfter.eval],
      ],
      columns,
    ),
  ];
}

/** The interval over tasks like these. */
const range = (interval: EvalRun["summary"]["interval"]): string =>
  interval === undefined
    ? ""
    : ` (${levelText} interval ${percent(interval.low)} to ${percent(interval.high)})`;

export const finishedLines = (finishedBefore: boolean, columns: number): readonly string[] =>
  finishedBefore ? wrap(finishedSentence, columns) : [];

const finishedSentence =
  "This run had already finished, so nothing was spent now. `--fresh <word>` repeats it independently.";

/** The result, and how sure it is. */
export function verdictLines(summary: Summary, columns: number): readonly string[] {
  const { run, oneShot } = summary;
  if (oneShot === undefined) return resultLines(summary, columns);
  const way = `Adopt it unproven with \`whetstone adopt --one-shot ${run.slice(0, 8)}\`.`;
  return [
    ...wrap(oneShot.sentence, columns).map(colors.bold),
    ...wrap(way, columns, "  "),
    ...resultLines(summary, columns),
  ];
}

function resultLines(
  {
    verdict,
    sentence,
    best,
    val,
    test,
    gate,
    baselines,
    triggers = {},
    steps,
    planned,
    ended,
    undecided,
    judged,
    replies = [],
    rules,
    run,
    other,
    claim,
    perRollout,
  }: Summary,
  columns: number,
): readonly string[] {
  const isKept = verdict === "unchanged";
  const context = [
    ...(ended === undefined ? [] : [endedSentence({ steps, planned, ended })]),
    ...(baselines === undefined
      ? []
      : [`no skill ${orUnknown(baselines.noSkill)}, one-shot rewrite ${orUnknown(baselines.oneShot)}`]),
    onValText({ val, gate, isKept }),
    ...(undecided === undefined || isKept ? [] : [undecided]),
    ...triggerLines(triggers),
  ];
  const dimmed = (lines: readonly string[]) =>
    lines.flatMap((line) => breakLine(line, columns - 2).map((part) => colors.dim(`  ${part}`)));
  if (isKept) {
    const optimizer = replies.filter(({ role }) => role === "optimizer");
    // a search that ended early says why; it turned nothing down
    const why = ended !== undefined && judged === 0 ? [] : [keptSentence(judged, unusableText(optimizer))];
    return [
      colors.bold(verdictWords.unchanged.word),
      ...why.flatMap((line) => wrap(line, columns, "  ")),
      ...dimmed(context),
    ];
  }
  const [where, what] = test?.seen === true ? ["these tasks", "task"] : ["test", "test task"];
  const tested = test === undefined ? "" : `, ${where} ${percent(test.original)} → ${percent(test.best)}`;
  const size =
    test === undefined ? [] : [`${plural(test.tasks, what)}, ${plural(test.trials, "trial")} each`];
  const word = (paint[verdict] ?? String)(colors.bold(verdictWords[verdict].word));
  const kept = rules?.rules.filter(({ state }) => state === "kept").length;
  const made =
    kept === undefined
      ? `skill from ${madeBy(best)}`
      : `kept ${kept} of ${plural(rules?.rules.length ?? 0, "rule")}`;
  return [
    `${word}: ${made}${tested}`,
    ...verdictPartLines({ sentence, claim, perRollout }, columns),
    ...dimmed([...size, ...context]),
    ...(other === undefined
      ? []
      : wrap(
          `${other.sentence} \`whetstone adopt --${other.name} ${run.slice(0, 8)}\` adopts it, unproven.`,
          columns,
          "  ",
        ).map(colors.dim)),
  ];
}

/** Three numbers, then the rest of the sentence. */
export function verdictPartLines(
  said: Parameters<typeof verdictParts>[0],
  columns: number,
): readonly string[] {
  const { figures, details } = verdictParts(said);
  const rows = figures.map(({ value, note }) => [colors.bold(value), note] as const);
  // sentences wrap at 80 columns, and so do these
  return [...facts(rows, Math.min(columns, 80)), ...(details === "" ? [] : wrap(details, columns, "  "))];
}

/** The validation scores that steered the search; if the original is kept, there is only one. */
function onValText({
  val: { baseline, best },
  gate,
  isKept,
}: Pick<Summary, "val" | "gate"> & { readonly isKept: boolean }): string {
  if (baseline === null || best === null) return "val not measured (gate off: unverified)";
  if (isKept) return `val ${percent(baseline)}`;
  return `val ${measuresRules(gate) ? "about " : ""}${movedText(baseline, best)}`;
}

/** Colour adds nothing that the word doesn't already say. */
export const paint: Readonly<Record<string, (text: string) => string>> = {
  better: colors.green,
  worse: colors.red,
};

const orUnknown = (estimate: Estimate | null): string =>
  estimate === null ? "not measured" : spellEstimate(estimate);

/** A score with its interval. */
const spellEstimate = ({ value, low, high }: Estimate): string =>
  `${percent(value)} (${percent(low)} to ${percent(high)})`;

/** A run's own cost, as `runs show` counts it, plus calls found in the journal and failed calls. */
export function costText({
  bought,
  summary,
  spent,
}: Pick<Trained, "bought" | "spent"> & { readonly summary: Pick<Summary, "cost"> }): string {
  const roles = Object.entries(bought).flatMap(([role, cost]) =>
    role === "total" || cost === undefined ? [] : [`${role} ${cost.usd}, ${plural(cost.calls, "call")}`],
  );
  const total = bought.total ?? noCost;
  const found = (summary.cost.total ?? noCost).calls - total.calls;
  const extra = spent.nanoUsd - total.nanoUsd;
  return [
    `${formatUsd(total.nanoUsd)}${roles.length === 0 ? "" : ` (${roles.join("; ")})`}`,
    ...(found > 0 ? [`the journal already had ${plural(found, "call")} from other runs`] : []),
    ...(extra > 0 ? [`${formatUsd(extra)} more for failed or lost calls`] : []),
  ].join("; ");
}

const maxDiffLines = 60;

/** Original → best, as a readable patch. */
export function diffText(files: readonly SkillFile[], columns: number): readonly string[] {
  const marked = (mark: string, text: string) =>
    breakLine(text, columns - 2).map((part, nth) => `${nth === 0 ? mark : " "} ${part}`.trimEnd());
  const lines = files.flatMap(({ path, before, after }) => {
    if (before === after) return [];
    const folded = foldDiff(diffLines(before, after), 2);
    const body = folded.flatMap((line) => {
      if (line === null) return [colors.dim("  …")];
      if (line.kind === "same") return marked(" ", line.text);
      return line.kind === "added"
        ? marked("+", line.text).map(colors.green)
        : marked("-", line.text).map(colors.red);
    });
    return [colors.bold(path), ...body];
  });
  if (lines.length <= maxDiffLines) return lines;
  return [
    ...lines.slice(0, maxDiffLines - 1),
    colors.dim(`  … ${lines.length - maxDiffLines + 1} more lines: whetstone diff`),
  ];
}
