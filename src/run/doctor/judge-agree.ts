import { allTasks } from "../../core/tasks/few-tasks.ts";
import { readCalibration } from "../../config/files/read-calibration.ts";
import { agentOpener } from "../../config/resolve/resolve-agents.ts";
import { resolveSkill, resolveTasks } from "../../config/resolve/resolve.ts";
import { readEnv } from "../../config/env.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type Agreement, agreeWithMarks } from "../../core/judge/agree.ts";
import { defaultSeed } from "../../core/settings.ts";
import { openJudge } from "./open-judge.ts";

export interface JudgeAgreement extends Agreement {
  readonly model: string;
}

/** More than a person marks in an evening; it also limits the cost of a mistyped path. */
const mostRows = 500;

/** `whetstone judge agree`: how well the configured judge agrees with answers that a person marked. */
export async function agreeWithJudge(
  config: Config,
  { marks, cwd, signal }: { readonly marks: string; readonly cwd: string; readonly signal: AbortSignal },
): Promise<JudgeAgreement> {
  const { seed = defaultSeed } = config;
  const { path } = await resolveSkill(config, cwd, []);
  const splits = await resolveTasks(config, { seed }, path, cwd, { guesses: [], notes: [] });
  const tasks = allTasks(splits);
  const rows = await readCalibration(marks, tasks);
  if (rows.length > mostRows)
    throw new WhetstoneError(
      "config-invalid",
      `${marks} has ${rows.length} rows, but the limit is ${mostRows}.`,
      {
        hint: "Twenty to fifty answers are enough, so keep a random sample.",
      },
    );
  const judge = await openJudge(config, agentOpener(config, readEnv()), signal);
  const found = await agreeWithMarks({ tasks, rows }, judge.ask);
  if (found !== undefined) return { ...found, model: judge.id };
  throw new WhetstoneError(
    "config-invalid",
    `${marks} needs good and bad answers to tasks with a rubric, but has only one kind. No calls were made.`,
    { hint: "Mark about ten answers as good and ten as bad: { task, answer, good }." },
  );
}
