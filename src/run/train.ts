import { type Skill, mainText } from "../core/skill/skill.ts";
import type { Summary } from "./artifacts.ts";
import { type CallOptions, openRun } from "./open-run.ts";
import { type TrainRun, trainRun } from "./train-run.ts";

export type TrainOptions = CallOptions;

export interface Trained extends TrainRun {
  readonly verdict: Summary["verdict"];
  /** The val winner; the original skill when nothing better was found. */
  readonly best: {
    readonly skill: Skill;
    readonly text: string;
    readonly score: number | null;
    readonly step: number;
  };
}

/**
 * Trains a skill. The same call again resumes what was interrupted, or gives the finished result.
 *
 * @example
 * const run = await train({
 *   skill: "./SKILL.md",
 *   tasks: "./tasks.jsonl",
 *   target: "openai/gpt-5.4-nano",
 *   optimizer: "anthropic/claude-opus-5",
 *   spend: { usd: 5 },
 * });
 * console.log(run.verdict, run.best.text);
 */
export async function train(options: TrainOptions): Promise<Trained> {
  const { signal, onEvent } = options;
  return openRun(options, ["target", "optimizer"], async ({ resolved, journal }) => {
    const run = await trainRun(resolved, { journal, signal, onEvent });
    const { best } = run.result;
    return { ...run, verdict: run.summary.verdict, best: { ...best, text: mainText(best.skill) } };
  });
}
