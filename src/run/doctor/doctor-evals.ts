import { allTasks } from "../../core/tasks/few-tasks.ts";
import { type JournalPlace, openJournal } from "../../adapters/journals/open-journal.ts";
import { journalPlace } from "../../config/journal-place.ts";
import { commandRunner } from "../../adapters/sandboxes/command-runner.ts";
import { scoreAside } from "../../adapters/scoring/scoring-threads.ts";
import { readEnv } from "../../config/env.ts";
import { loadCustomScorers } from "../../config/files/load-custom-scorers.ts";
import { readCalibration } from "../../config/files/read-calibration.ts";
import { type AgentOpener, agentOpener } from "../../config/resolve/resolve-agents.ts";
import { projectCheckouts } from "../../config/resolve/resolve-checkouts.ts";
import { resolveSkill, resolveTasks } from "../../config/resolve/resolve.ts";
import { defaultSeed } from "../../core/settings.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type Calibration, calibrateJudge } from "../../core/judge/calibrate.ts";
import type { Sandbox } from "../../core/ports/sandbox.ts";
import { type Examination, examineTasks } from "../../core/scorers/examine-tasks.ts";
import type { ScoringTools } from "../../core/scorers/performance.ts";
import { usesBox, usesJudge } from "../../core/scorers/uses-kind.ts";
import type { Splits, Task } from "../../core/tasks/task.ts";
import { countUnusable, unusableText } from "../../report/unusable-replies.ts";
import { type OpenJudge, openJudge } from "./open-judge.ts";
import { type RecordedRollouts, readRollouts } from "../reports/recorded-rollouts.ts";

export interface DoctorEvalsOptions {
  readonly cwd: string;
  /** Also calls the judge, which costs money. */
  readonly call: boolean;
  readonly signal: AbortSignal;
}

export interface EvalsDiagnosis extends Examination {
  readonly tasks: number;
  /** The number of recorded rollouts that were examined. */
  readonly rollouts: number;
  /** With `call`, if a rubric needs a judge. */
  readonly judge?: Calibration & { readonly model: string };
  /** Problems of tasks that can't be scored. */
  readonly skipped: readonly string[];
}

/** `whetstone doctor evals`: whether the scores of these tasks can be trusted. */
export async function diagnoseEvals(config: Config, options: DoctorEvalsOptions): Promise<EvalsDiagnosis> {
  const { cwd, signal } = options;
  const opener = agentOpener(config, readEnv());
  const { seed = defaultSeed } = config;
  const { skill, path } = await resolveSkill(config, cwd, []);
  const { splits, skipped } = await readSplits(config, (settings) =>
    resolveTasks(settings, { seed }, path, cwd, { guesses: [], notes: [] }),
  );
  const tasks = allTasks(splits);
  const checkouts = await projectCheckouts(tasks, config, { cwd, env: readEnv() });
  const judge = options.call && usesJudge(tasks) ? await openJudge(config, opener, signal) : undefined;
  const box = usesBox(tasks) ? await findSandbox(opener) : undefined;
  const tools: ScoringTools = {
    aside: scoreAside,
    custom: await loadCustomScorers(tasks, cwd, config.scorers),
    judge: judge?.ask,
    ...(box && { command: (request) => commandRunner(box, { checkouts })(request, signal) }),
  };
  const place = journalPlace(config.journal, cwd);
  const recorded = await readRollouts(place.journalDir, tasks);
  const { scores: rollouts } = recorded;
  const examined = await examineTasks({ tasks, skill, tools, rollouts, waive: config.waive });
  await checkouts?.close();
  return {
    ...examined,
    findings: joinEqual([...(await findUnusable(recorded, place)), ...examined.findings]),
    tasks: tasks.length,
    rollouts: [...rollouts.values()].reduce((sum, scores) => sum + scores.length, 0),
    skipped,
    ...(judge === undefined ? {} : { judge: await tryJudge(judge, tasks, config) }),
  };
}

/** Unusable replies in runs of these tasks. They aren't the tasks' fault, so changing tasks doesn't help. */
async function findUnusable(
  { runs, unanswered }: RecordedRollouts,
  place: JournalPlace,
): Promise<Examination["findings"]> {
  const counter = countUnusable();
  const journal =
    runs.length === 0 ? undefined : await openJournal(place, { readOnly: true }).catch(() => {});
  try {
    for (const run of runs)
      for await (const { body } of journal?.read({ run, kinds: ["event"], names: ["reply-unusable"] }) ?? [])
        counter.add(body as unknown as Parameters<typeof counter.add>[0]);
  } finally {
    await journal?.close();
  }
  return counter
    .list()
    .filter(({ role }) => role === "target")
    .map((found) => ({
      problem: "unusable",
      status: "warn",
      tasks: unanswered,
      text: `in recorded runs, ${unusableText([found])}, which isn't the tasks' fault. ${found.message}`,
      next: found.next,
    }));
}

/** One broken scorer is one problem, even if many tasks use it. */
function joinEqual(findings: Examination["findings"]): Examination["findings"] {
  const joined = new Map<string, Examination["findings"][number]>();
  for (const found of findings) {
    const key = [found.status, found.problem, found.text, found.next].join("\n");
    const before = joined.get(key);
    joined.set(key, { ...found, tasks: [...(before?.tasks ?? []), ...found.tasks] });
  }
  return [...joined.values()];
}

/** Tasks that can't be scored are reported and left out, so that the rest is examined too. */
async function readSplits(
  config: Config,
  read: (config: Config) => Promise<Splits>,
): Promise<{ readonly splits: Splits; readonly skipped: readonly string[] }> {
  try {
    return { splits: await read(config), skipped: [] };
  } catch (error) {
    if (!(error instanceof WhetstoneError && error.code === "tasks-invalid")) throw error;
    return { splits: await read({ ...config, skipInvalid: true }), skipped: [error.message] };
  }
}

/** Without a sandbox, graders aren't tried. That is reported, but it isn't a problem of the evals. */
async function findSandbox(opener: AgentOpener): Promise<Sandbox | undefined> {
  try {
    return await opener.sandbox();
  } catch (error) {
    if (error instanceof WhetstoneError && error.code === "sandbox-missing") return undefined;
    throw error;
  }
}

async function tryJudge(
  { id, ask }: OpenJudge,
  tasks: readonly Task[],
  { calibration }: Config,
): Promise<Calibration & { readonly model: string }> {
  const rows = await readCalibration(calibration, tasks);
  return { ...(await calibrateJudge({ tasks, rows }, { judge: ask })), model: id };
}
