import type { Score } from "../../../src/core/gate/score.ts";
import type { Json } from "../../../src/core/json.ts";
import type { SearchKnowledge } from "../../../src/core/loop/measure-rules.ts";
import type { TrainResult } from "../../../src/core/loop/train.ts";
import { scoreOf } from "../../../src/core/measure/evaluate.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import { compose } from "../../../src/core/rules/compose.ts";
import { said, scoreTask } from "../../../src/core/scorers/score-task.ts";
import { skillIdentity } from "../../../src/core/skill/hash.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import type { Rolled } from "../../../src/core/stages/rollout.ts";
import { editLimits } from "../../../src/core/stages/update.ts";
import { chatEnvironment } from "../../../src/core/tasks/chat-environment.ts";
import type { EnvironmentContext } from "../../../src/core/tasks/environment.ts";
import type { Task } from "../../../src/core/tasks/task.ts";
import { type Draw, unitKey } from "../../../src/core/work/unit.ts";
import type { SimulatedHistory } from "./simulation-run.ts";

/** A score that a finished run rests on: of which skill, on which task, as which draw; null where it says that it is missing. */
interface Measurement {
  readonly skill: Skill;
  readonly task: Task;
  readonly draw: Draw;
  readonly score: Partial<Score> | null;
}

export interface ScoreCheck {
  readonly scored: number;
  readonly pending: number;
  readonly violations: readonly string[];
}

/** No score without a result: every score is looked up in the journal by a key computed here, and scored again. */
export async function checkScores(history: SimulatedHistory): Promise<ScoreCheck> {
  const { result, resolved, entries } = history;
  if (result === undefined) return { scored: 0, pending: 0, violations: [] };
  const results = new Map(
    entries.flatMap(({ kind, key, body }) => (kind === "result" ? [[key, body["output"]] as const] : [])),
  );
  const measurements = [
    ...batches(history, result),
    ...(resolved.settings.gate === "rules"
      ? ruleResults(result.known as SearchKnowledge, resolved)
      : evaluations(history, result)),
    ...claims(result),
  ];
  const violations: string[] = [];
  for (const { skill, task, draw, score } of measurements) {
    if (score === null) continue;
    const request = await requestOf(task, skill, resolved.models.target, resolved.settings.targetMaxTokens);
    const key = unitKey({ kind: "generate", version: 1, input: request as unknown as Json, draw });
    const output = results.get(key) as { readonly text: string } | undefined;
    const again = output === undefined ? undefined : await scoreTask(task, said(output.text, task), {});
    const { hard, soft } = { ...again, ...score };
    const isSame = again !== undefined && !("kind" in again) && again.hard === hard && again.soft === soft;
    if (!isSame) violations.push(`the score of ${task.id} (${draw.purpose}) rests on no result`);
  }
  const pending = measurements.filter(({ score }) => score === null).length;
  return { scored: measurements.length - pending, pending, violations };
}

const measured = (skill: Skill, rolled: readonly Rolled[], draw: Draw): readonly Measurement[] =>
  rolled.map(({ task, outcome }) => ({ skill, task, draw, score: scoreOf(outcome) }));

/** Each step's batch, with the text that stood before it; the gate `rules` says which rules are in it. */
function batches(
  { steps, resolved }: SimulatedHistory,
  { original, known }: TrainResult,
): readonly Measurement[] {
  const textOf = (at: number, on: readonly number[]) =>
    resolved.settings.gate === "rules"
      ? textWith(on, known as SearchKnowledge, resolved)
      : (steps[at - 1]?.standing.current.skill ?? original);
  return steps.flatMap(({ epoch, rolled, on }, at) =>
    measured(textOf(at, on), rolled, { purpose: "train", trial: epoch - 1 }),
  );
}

const textWith = (
  on: readonly number[],
  { base, rules }: SearchKnowledge,
  { settings }: SimulatedHistory["resolved"],
): Skill =>
  compose(
    base,
    rules.filter(({ number }) => on.includes(number)),
    editLimits(settings),
  ).skill;

function evaluations(
  { steps }: SimulatedHistory,
  { original, baseline }: TrainResult,
): readonly Measurement[] {
  const gate: Draw = { purpose: "gate", trial: 0 };
  return [
    ...measured(original, baseline?.rolled ?? [], gate),
    ...steps.flatMap(({ candidate, evaluation }) =>
      candidate === undefined ? [] : measured(candidate, evaluation?.rolled ?? [], gate),
    ),
  ];
}

/** Every result that the gate's model was given; each visit of a task is a draw of its own. */
function ruleResults(known: SearchKnowledge, resolved: SimulatedHistory["resolved"]): readonly Measurement[] {
  const visits = new Map<number, number>();
  return known.results.map(({ task, rules, score }) => {
    const trial = visits.get(task) ?? 0;
    visits.set(task, trial + 1);
    return {
      skill: textWith(rules, known, resolved),
      task: resolved.splits.val[task] as Task,
      draw: { purpose: "gate", trial },
      score: score === null ? null : { hard: score },
    };
  });
}

function claims({ sealed, original, best }: TrainResult): readonly Measurement[] {
  if (sealed?.kind !== "claimed") return [];
  const arm = (skill: Skill, trials: readonly (readonly Rolled[])[]) =>
    trials.flatMap((rolled, trial) =>
      measured(skill, rolled, { purpose: "sealed", trial, claim: sealed.id }),
    );
  return [...arm(original, sealed.original.rolled), ...arm(best.skill, sealed.best.rolled)];
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
