import type { AheadFigures } from "../../core/loop/ahead-figures.ts";
import type { Cost } from "../../core/cost.ts";
import type { StepRecord } from "../../core/step-record.ts";
import { type Skill, mainText } from "../../core/skill/skill.ts";
import type { Summary } from "../reports/artifacts.ts";
import { type CallOptions, openRun } from "../session/open-run.ts";
import { trainRun } from "./train-run.ts";

export type TrainOptions = CallOptions;

/** What a training run came to. */
export interface Trained {
  readonly id: string;
  /** The folder of the artifacts. */
  readonly folder: string;
  readonly verdict: Summary["verdict"];
  readonly summary: Summary;
  /** The val winner; the original skill when nothing better was found. */
  readonly best: {
    readonly skill: Skill;
    readonly text: string;
    readonly score: number | null;
    readonly step: number;
  };
  /** What the gate decided, step by step. */
  readonly steps: readonly StepRecord[];
  /** Everything this run has booked, failed and lost calls included. */
  readonly spent: Cost;
  /** With `speculate`: what was bought before it was known to be needed. */
  readonly ahead?: AheadFigures;
  /** The run had finished before; nothing was bought now. */
  readonly finishedBefore: boolean;
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
    const { result, ...run } = await trainRun(resolved, { journal, signal, onEvent });
    const { best, steps } = result;
    return { ...run, verdict: run.summary.verdict, best: { ...best, text: mainText(best.skill) }, steps };
  });
}
