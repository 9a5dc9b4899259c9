import { resolve } from "node:path";
import { plural, facts, table, wrap, colors } from "../../../show/format.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { fewestForProof } from "../../../core/gate/claim/claim-p.ts";
import { readEnv } from "../../../config/env.ts";
import { guessAgent } from "../../../config/guess.ts";
import { withoutSkill } from "../../../run/reports/read-baseline.ts";
import { foundableSentence } from "../../../core/plan-words.ts";
import { keepsObjective, nextStep, verdictWords } from "../../../core/verdict-words.ts";
import type { FailOn } from "../../../core/fail-words.ts";
import { failsOn } from "../../../run/verbs/fail-on.ts";
import {
  type CompareOptions,
  type CompareRun,
  type CompareSummary,
  type CompareTasks,
  compare,
} from "../../../run/verbs/compare.ts";
import { percent, points } from "../../../core/measure/percent.ts";
import type { Io } from "../../../show/io.ts";
import { armCostLines } from "../../../show/arm-cost-lines.ts";
import {
  verdictPartLines,
  type ResultPlace,
  costText,
  finishedLines,
  lookText,
  paint,
  spaced,
} from "../../../show/print-result.ts";
import { type RunFlags, readConfig } from "../read-config.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { printEnd, resultPlace, watched } from "./train-command.ts";

const noSkill = "no skill";

export interface PluginFlag {
  /** Whether a plugin is measured; without a target, an installed agent is used. @default false */
  readonly isPlugin?: boolean;
}

export interface CompareFlags extends RunFlags, PluginFlag {
  /** The earlier skill: a path or a git ref. */
  readonly baseline: string;
  /** More texts to compare with it at once. @default none */
  readonly others?: readonly string[];
  readonly on?: CompareTasks;
  readonly failOn?: FailOn;
}

/** `whetstone compare <old> <new...>`, and `whetstone eval [skill] --baseline <path or ref>` */
export async function compareCommand(flags: CompareFlags, io: Io): Promise<void> {
  const { baseline, others = [], on, failOn, json } = flags;
  const read = await readConfig(flags, io);
  const target = read.target ?? (flags.isPlugin === true ? guessAgent(readEnv())?.target : undefined);
  const config = target === undefined ? read : { ...read, target };
  const texts = [config.skill, ...others.map((text) => resolve(io.cwd, text))];
  const runs: CompareRun[] = [];
  for (const skill of texts) {
    const among = texts.filter((text) => text !== skill && text !== undefined) as CompareOptions["among"];
    const options: CompareOptions = { ...config, skill, baseline, among, on };
    // the first run buys the pairs of all texts, so the others have nothing to show
    const isFirst = runs.every(({ summary }) => summary.verdict === "identical");
    const { cwd, signal } = io;
    runs.push(
      isFirst || json
        ? await watched(config, json, io, (hooks) => compare({ ...options, ...hooks }))
        : await compare({ ...options, cwd, signal }),
    );
  }
  const earlier = baseline === withoutSkill ? noSkill : baseline;
  const best = runs.toSorted((one, other) => rankOf(other) - rankOf(one))[0] as CompareRun;
  const shown = texts.map((text) => (typeof text === "string" ? shownFrom(io.cwd)(text) : "the skill"));
  const lines = comparedLines(best, earlier, resultPlace(io), failOn);
  const all = runs.map((run, at) => [shown[at] ?? "", run.summary] as const);
  printEnd(runs.length === 1 ? lines : [...allLines(all, earlier), "", ...lines], flags, io);
  refuseVerdict(best.summary, failOn);
}

/** Better first, worse last; within a verdict, most points first. */
const rankOf = ({ summary: { verdict, claim } }: CompareRun): number =>
  (ranks[verdict] ?? 0) + (claim?.difference ?? 0);

const ranks: Partial<Record<CompareSummary["verdict"], number>> = {
  better: 4,
  higher: 2,
  lower: -2,
  worse: -4,
};

/** One row for each of several texts. */
function allLines(
  all: readonly (readonly [name: string, summary: CompareSummary])[],
  baseline: string,
): readonly string[] {
  const score = (value: number | null) => (value === null ? "–" : percent(value));
  const rows = all.map(([name, { verdict, before, after, claim }]) => [
    `  ${verdictWords[verdict].sign} ${verdictWords[verdict].word}`,
    name,
    `${score(before.score)} → ${score(after.score)}`,
    claim === undefined ? "" : points(claim.difference),
  ]);
  return [`${all.length} texts compared with ${baseline}, as one question`, ...table(rows)];
}

/** `--fail-on`: the verdict as an exit code. */
function refuseVerdict(summary: CompareSummary, failOn: FailOn | undefined): void {
  const { verdict, perRollout } = summary;
  if (!failsOn(summary, failOn)) return;
  if (perRollout?.objective !== undefined && verdict !== "worse" && !keepsObjective(perRollout))
    throw new WhetstoneError(
      "failed",
      `The cost objective isn't met (${perRollout.objective.found}), and --fail-on is ${failOn}.`,
      { hint: "Make the skill cheaper, or allow more with --max-cost." },
    );
  throw new WhetstoneError(
    "failed",
    `The verdict is "${verdictWords[verdict].word}", and --fail-on is ${failOn}.`,
    {
      hint: "`whetstone runs show` shows the verdict again; the results show how each task went.",
    },
  );
}

const onWords: Readonly<Record<CompareTasks, (tasks: number) => string>> = {
  all: (tasks) => plural(tasks, "task"),
  unseen: (tasks) => `${plural(tasks, "task")} not used to make either skill`,
  train: (tasks) => plural(tasks, "train task"),
  val: (tasks) => plural(tasks, "val task"),
  test: (tasks) => plural(tasks, "test task"),
};

/** The verdict first, then its evidence. */
function comparedLines(
  run: CompareRun,
  baseline: string,
  { shown, columns }: ResultPlace,
  failOn: FailOn | undefined,
): readonly string[] {
  const { id, folder, summary, finishedBefore } = run;
  const { verdict, before, after, tasks, trials, on, claim, lost } = summary;
  const word = (paint[verdict] ?? String)(colors.bold(verdictWords[verdict].word));
  const scores =
    before.score === null || after.score === null
      ? ""
      : `: ${percent(before.score)} → ${percent(after.score)}`;
  const size =
    claim === undefined
      ? []
      : [`${onWords[on](tasks)}, ${plural(trials, "repeat")} per task and arm, side by side`];
  return [
    `${word} ${verdictWords[verdict].relation} ${baseline}${scores}`,
    ...verdictPartLines(summary, columns),
    ...size.map((line) => colors.dim(`  ${line}`)),
    ...(claim === undefined ? [] : wrap(foundableSentence(summary), columns, "  ").map(colors.dim)),
    ...lostLines(lost, columns),
    ...spaced(armCostLines(summary.perRollout, columns)),
    ...(failOn === "worse" && claim !== undefined && claim.units < fewestForProof
      ? wrap(
          `--fail-on worse can't fail here: it takes ${fewestForProof} tasks to call a skill worse.`,
          columns,
          "  ",
        )
      : []),
    ...finishedLines(finishedBefore, columns),
    "",
    ...facts(
      [
        ["results", shown(folder)],
        ...(claim === undefined ? [] : [["cost", costText(run)] as const]),
        ["look", lookText(id)],
        ["next", nextStep(summary, baseline === noSkill ? noSkill : "a skill")],
      ],
      columns,
    ),
  ];
}

/** Tasks that went from always passing to never passing, confirmed ones first. */
function lostLines(lost: CompareSummary["lost"], columns: number): readonly string[] {
  const groups = [
    { about: "lost, and a re-run confirms it", tasks: lost.filter(({ blocks }) => blocks) },
    {
      about: "lost, but a re-run doesn't confirm it",
      tasks: lost.filter(({ p, blocks }) => p !== null && !blocks),
    },
    { about: "lost, with too few repeats to be sure", tasks: lost.filter(({ p }) => p === null) },
  ];
  return groups.flatMap(({ about, tasks }) =>
    tasks.length === 0 ? [] : wrap(`${about}: ${tasks.map(({ task }) => task).join(", ")}`, columns, "  "),
  );
}
