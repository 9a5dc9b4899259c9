import type { Json } from "../../../src/core/json.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import { said, scoreTask } from "../../../src/core/scorers/score-task.ts";
import { skillIdentity } from "../../../src/core/skill/hash.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import type { Rolled } from "../../../src/core/stages/rollout.ts";
import { chatEnvironment } from "../../../src/core/tasks/chat-environment.ts";
import type { EnvironmentContext } from "../../../src/core/tasks/environment.ts";
import type { Task } from "../../../src/core/tasks/task.ts";
import { type Draw, unitKey } from "../../../src/core/work/unit.ts";
import type { SimulatedHistory } from "./simulation-run.ts";

/** What a finished run measured: which skill, on which tasks, as which draw. */
interface Measurement {
  readonly skill: Skill;
  readonly rolled: readonly Rolled[];
  readonly draw: Draw;
}

export interface ScoreCheck {
  readonly scored: number;
  readonly pending: number;
  readonly violations: readonly string[];
}

/** No score without a result: every score is looked up in the journal by a key computed here, and scored again. */
export async function checkScores({
  result,
  steps,
  resolved,
  entries,
}: SimulatedHistory): Promise<ScoreCheck> {
  if (result === undefined) return { scored: 0, pending: 0, violations: [] };
  const results = new Map(
    entries.flatMap(({ kind, key, body }) => (kind === "result" ? [[key, body["output"]] as const] : [])),
  );
  const gate: Draw = { purpose: "gate", trial: 0 };
  const measurements: Measurement[] = [
    { skill: result.original, rolled: result.baseline?.rolled ?? [], draw: gate },
  ];
  let incumbent = result.original;
  for (const { epoch, rolled, candidate, evaluation, standing } of steps) {
    measurements.push({ skill: incumbent, rolled, draw: { purpose: "train", trial: epoch - 1 } });
    if (candidate !== undefined && evaluation !== undefined) {
      measurements.push({ skill: candidate, rolled: evaluation.rolled, draw: gate });
    }
    incumbent = standing.current.skill;
  }
  if (result.sealed?.kind === "claimed") {
    const { id: claim, original, best } = result.sealed;
    for (const [skill, arm] of [
      [result.original, original.rolled],
      [result.best.skill, best.rolled],
    ] as const) {
      arm.forEach((rolled, trial) =>
        measurements.push({ skill, rolled, draw: { purpose: "sealed", trial, claim } }),
      );
    }
  }

  const violations: string[] = [];
  let [scored, pending] = [0, 0];
  for (const { skill, rolled, draw } of measurements) {
    for (const { task, outcome } of rolled) {
      if (outcome.kind === "pending") {
        pending += 1;
        continue;
      }
      scored += 1;
      const request = await requestOf(task, skill, resolved.models.target, resolved.settings.targetMaxTokens);
      const key = unitKey({ kind: "generate", version: 1, input: request as unknown as Json, draw });
      const output = results.get(key) as { readonly text: string } | undefined;
      const again = output === undefined ? undefined : await scoreTask(task, said(output.text, task), {});
      const isSame =
        again !== undefined &&
        !("kind" in again) &&
        again.hard === outcome.hard &&
        again.soft === outcome.soft;
      if (!isSame) violations.push(`the score of ${task.id} (${draw.purpose}) rests on no result`);
    }
  }
  return { scored, pending, violations };
}

async function requestOf(task: Task, skill: Skill, model: string, maxTokens: number): Promise<ModelRequest> {
  let asked: ModelRequest | undefined;
  const never = new AbortController().signal;
  const context = { split: "val", seed: 0, trial: 0, extras: {}, signal: never } as const;
  const generate: EnvironmentContext["model"]["generate"] = async ({ system, messages }) => {
    asked = { model, ...(system === undefined ? {} : { system }), messages, maxTokens };
    return { text: "", finish: "stop", usage: { inputTokens: 0, outputTokens: 0 } };
  };
  await chatEnvironment.run(task, skill, {
    ...context,
    model: { generate },
    judge: { generate },
    command: async () => ({ exitCode: 0, stdout: "", stderr: "", ended: "exit" }),
    score: async () => ({ hard: 0, soft: 0, feedback: "" }),
  });
  if (asked === undefined) throw new Error("the environment asked nothing");
  return asked;
}

/** Everything that was decided, as one text to compare. */
export function decisions({ result, steps }: SimulatedHistory): string {
  return JSON.stringify({
    steps: steps.map(({ action, score, candidate }) => [
      action,
      score,
      candidate === undefined ? null : skillIdentity(candidate),
    ]),
    best:
      result === undefined ? null : [result.best.step, result.best.score, skillIdentity(result.best.skill)],
    current: result === undefined ? null : skillIdentity(result.current.skill),
    test:
      result?.sealed?.kind === "claimed" ? [result.sealed.original.scores, result.sealed.best.scores] : null,
  });
}
