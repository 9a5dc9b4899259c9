import { flat, plural, colors } from "../../../show/format.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { calibrationTable } from "../../../core/judge/calibrate.ts";
import { type EvalsDiagnosis, diagnoseEvals } from "../../../run/doctor/doctor-evals.ts";
import type { Io } from "../../../show/io.ts";
import { type RunFlags, readConfig } from "../read-config.ts";

/** `whetstone doctor evals` */
export async function doctorEvalsCommand(
  flags: RunFlags & { readonly call: boolean },
  io: Io,
): Promise<void> {
  const config = await readConfig(flags, io);
  const found = await diagnoseEvals(config, { cwd: io.cwd, call: flags.call, signal: io.signal });
  if (flags.json) io.printJson(found);
  else io.print(diagnosisLines(found).map(flat).join("\n"));
  if (countFailed(found) === 0) return;
  throw new WhetstoneError("failed", `${plural(countFailed(found), "problem")} in the evals.`, {
    hint: "Fix the problems listed above.",
  });
}

const countFailed = ({ findings, judge, skipped }: EvalsDiagnosis): number =>
  findings.filter(({ status }) => status === "fail").length + (judge?.ok === false ? 1 : 0) + skipped.length;

function diagnosisLines(found: EvalsDiagnosis): readonly string[] {
  const { findings, notRun, judge, skipped, tasks, rollouts } = found;
  const failed = countFailed(found);
  const doubts = findings.filter(({ status }) => status === "warn").length;
  const verdict =
    failed > 0
      ? colors.red(`${plural(failed, "problem")}, ${plural(doubts, "doubt")}`)
      : doubts > 0
        ? colors.yellow(`no problem, ${plural(doubts, "doubt")}`)
        : colors.green("sound");
  const left = Object.entries(notRun).map(([kind, count]) => `${kind} (${count}${ways[kind] ?? ""})`);
  return [
    `${verdict}: ${plural(tasks, "task")}, ${plural(rollouts, "rollout")} on record`,
    ...skipped.map((sentence) => `${marks.fail}  ${"invalid".padEnd(14)} ${sentence}`),
    ...findings.flatMap(({ status, problem, tasks: ids, text, next }) => [
      `${marks[status]}  ${problem.padEnd(14)} ${ids.length === 0 ? "" : `${shortList(ids)}: `}${text}`,
      colors.dim(`      next: ${next}`),
    ]),
    ...(judge === undefined
      ? []
      : [
          `${judge.ok ? marks.ok : marks.fail}  judge          ${judge.model}: ${judge.sentence}`,
          ...(judge.next === undefined ? [] : [colors.dim(`      next: ${judge.next}`)]),
          ...calibrationTable(judge).map((line) => `      ${line.trimEnd()}`),
        ]),
    ...(left.length === 0 ? [] : [colors.dim(`not tried: checks of ${left.join(", ")}`)]),
  ];
}

const shortList = (ids: readonly string[]): string =>
  ids.slice(0, 5).join(", ") + (ids.length > 5 ? ` and ${ids.length - 5} more` : "");

const ways: Readonly<Record<string, string>> = {
  rubric: "; --call asks the judge",
  command: "; they need a sandbox",
};

const marks = {
  ok: colors.green("ok  "),
  note: colors.dim("note"),
  warn: colors.yellow("warn"),
  fail: colors.red("fail"),
} as const;
