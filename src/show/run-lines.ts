import { describeModels } from "../core/describe-models.ts";
import type { Cost } from "../core/cost.ts";
import { formatUsd } from "../core/work/spend.ts";
import { oneLine } from "../core/one-line.ts";
import { nextAfterRun } from "../report/next-step.ts";
import { measuredRules } from "../report/measured-rules.ts";
import { type SummaryPart, summaryOf } from "../report/run-overview.ts";
import { finalName } from "../report/final-name.ts";
import type { RunState } from "../report/run-state.ts";
import type { Summary } from "../run/reports/artifacts.ts";
import type { SkillFile } from "../run/reports/runs.ts";
import { nth } from "../core/asked-words.ts";
import { levelText } from "../core/shown-level.ts";
import { goesWithoutSentence } from "../core/verdict-words.ts";
import { duration, plural, short, signedPoints, table, facts, wrap, colors } from "./format.ts";
import { armCostLines } from "./arm-cost-lines.ts";
import type { Io } from "./io.ts";
import { localTime } from "./list-lines.ts";
import { diffText, verdictLines } from "./print-result.ts";
import { stepLines, turnLines } from "./step-lines.ts";
import { worthLines, wholeWorthLines } from "./worth-lines.ts";
import { shownFrom } from "./shown-from.ts";

type Place = Pick<Io, "cwd" | "lineLimit" | "columns">;

/** A run for a person to judge: the verdict, what it would change, the evidence, what to do next. */
export function runLines(
  run: RunState,
  {
    skills,
    isAdoptable,
    allRules = false,
  }: {
    readonly skills: readonly SkillFile[] | undefined;
    readonly isAdoptable: boolean;
    /** Shows every rule that was tried, in full. */
    readonly allRules?: boolean;
  },
  io: Place,
): readonly string[] {
  const { lineLimit } = io;
  const rules = measuredRules(run.summary);
  return [
    ...verdict(run, lineLimit),
    ...section(
      `rules: points ${rules?.isCredit === true ? "of partial credit " : ""}each adds on val`,
      rules === undefined
        ? []
        : allRules
          ? wholeWorthLines(rules, lineLimit)
          : worthLines(rules, run.run, lineLimit),
    ),
    ...section("original → best", skills === undefined ? [] : changes(skills, lineLimit)),
    ...section(finalName(run), sealedRows(summaryOf(run), lineLimit)),
    ...section("cost of a rollout", armCostLines(summaryOf(run)?.perRollout, lineLimit)),
    ...section("steps: val score of the current skill", steps(run, io)),
    ...section("cost of this run", costRows(run)),
    ...section("unusable replies", replyRows(run, lineLimit)),
    ...section("calls that failed permanently", failureRows(run, lineLimit)),
    ...section("run", runFacts(run, io)),
    "",
    `next: ${nextAfterRun(run, isAdoptable)}`,
  ];
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ["", colors.bold(title), ...lines];

function verdict(run: RunState, columns: number): readonly string[] {
  const { status, command, step, steps, message, summary } = run;
  const where = steps === 0 ? "" : ` at step ${step} of ${steps}`;
  if (status === "running") return [`${colors.bold("not finished")}${where}, or still running`];
  if (status === "stopped") return [`${colors.bold("stopped")}${where}`, ...wrap(message, columns, "  ")];
  if (command === "train" && summary !== undefined)
    return verdictLines(summary as unknown as Summary, columns);
  const [first = "", ...rest] = wrap(message, columns);
  return [colors.bold(first), ...rest.map((line) => colors.bold(line))];
}

function changes(skills: readonly SkillFile[], columns: number): readonly string[] {
  const diff = diffText(skills, columns);
  return diff.length === 0 ? ["  no change"] : diff;
}

/** The figures behind a run's claim. */
function sealedRows(summary: SummaryPart | undefined, columns: number): readonly string[] {
  const claim = summary?.claim;
  if (claim === undefined) return [];
  const { difference, interval, wins, losses, ties, rollouts, missing, read } = claim;
  const without = (claim.leftOut ?? 0) === 0 ? "" : `, ${claim.leftOut} left out`;
  const times = read === undefined ? "" : `; the ${nth(read)} text compared on these tasks`;
  const { p, alpha, pWorse, alphaWorse = alpha } = claim;
  const tested = (own: number, bar: number) => `${own.toPrecision(2)} (threshold ${bar.toPrecision(2)})`;
  return facts(
    [
      [
        "gain",
        `${signedPoints(difference)} points, ${levelText} interval ${signedPoints(interval.low)} to ${signedPoints(interval.high)}`,
      ],
      ["tasks", `${wins} up, ${losses} down, ${ties} equal${without}`],
      ["p", `for better ${tested(p, alpha)}, for worse ${tested(pWorse, alphaWorse)}${times}`],
      ["rollouts", `${rollouts}${missing === 0 ? "" : `, ${missing} missing`}`],
    ],
    columns,
  );
}

function steps(run: RunState, { lineLimit }: Place): readonly string[] {
  const lines = run.rows.flatMap((row) => [
    ...stepLines(row, run.steps, lineLimit - 2),
    ...run.turns
      .filter(({ turn, step }) => turn === "guidance" && step === row.step)
      .flatMap((turn) => turnLines(turn, run.settings, lineLimit - 2)),
  ]);
  const end = run.turns
    .filter(({ turn }) => turn === "end")
    .flatMap((turn) => turnLines(turn, run.settings, lineLimit - 2));
  return [...lines, ...end].map((line) => `  ${line}`);
}

function costRows({ costs, spent }: RunState): readonly string[] {
  const row = (name: string, { nanoUsd, calls, tokens }: Cost) => [
    `  ${name}`,
    formatUsd(nanoUsd),
    plural(calls, "call"),
    `${short(tokens)} tokens`,
  ];
  const [name = "", ...figures] = row("booked", spent);
  const total = [name, ...figures.slice(0, -1), `${figures.at(-1)}, failed calls included`];
  return table([...Object.entries(costs).map(([role, cost]) => row(role, cost)), total]);
}

const failureRows = ({ failures }: RunState, columns: number): readonly string[] =>
  facts(
    failures.map(({ class: name, count, message }) => [`${count} ${name}`, oneLine(message)] as const),
    columns,
  );

const replyRows = ({ replies }: RunState, columns: number): readonly string[] =>
  facts(
    replies.map(
      ({ role, reply, count, message, next }) =>
        [`${count} ${role} ${reply}`, `${oneLine(message)} ${next}`] as const,
    ),
    columns,
  );

function runFacts(run: RunState, { cwd, lineLimit }: Place): readonly string[] {
  const tasks = Object.entries(run.tasks).flatMap(([split, count]) =>
    count > 0 ? [`${count} ${split}`] : [],
  );
  const time = `${localTime(run.startedAt)}, ${duration(run.workedMs)} in ${plural(run.executions, "execution")}`;
  return facts(
    [
      ["id", `${run.run} (${run.command})`],
      ["models", describeModels(run.models, run.hosts)],
      ...(tasks.length === 0 ? [] : [["tasks", tasks.join(", ")] as const]),
      ...(run.leftOut === undefined ? [] : [["without", goesWithoutSentence(run.leftOut)] as const]),
      ...(run.leftAside === undefined ? [] : [["left aside", run.leftAside.join(", ")] as const]),
      ["time", time],
      ["files", shownFrom(cwd)(run.folder)],
    ],
    lineLimit,
  );
}
