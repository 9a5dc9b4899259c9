import { expect } from "vitest";
import { forCaller } from "../config/caller.ts";
import { readEnv } from "../config/env.ts";
import { WhetstoneError } from "../core/errors.ts";
import { fewestForProof } from "../core/gate/claim/claim-p.ts";
import type { Skill } from "../core/skill/skill.ts";
import { nextStep, verdictWords } from "../core/verdict-words.ts";

import { type CompareOptions, type CompareSummary, compare } from "../run/verbs/compare.ts";

/** Everything that `compare` takes but for the two skills: tasks, target, spend, journal, … */
export type ToBeatOptions = Omit<CompareOptions, "skill" | "baseline">;

declare module "vitest" {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /**
     * Passes when the skill is proven better than the previous one, by the exact test of `whetstone compare`. What
     * is in the journal is not bought again, so a repeated test costs nothing.
     *
     * @example
     * await expect("./SKILL.md").toBeat("main", { tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
     */
    toBeat(previous: string | Skill, options: ToBeatOptions): Promise<void>;
    /**
     * Fails when the skill is proven worse than the previous one, by the same test, as `whetstone eval --baseline main
     * --fail-on worse` does; and when the tasks are too few, or too many results are missing, to tell.
     *
     * @example
     * await expect("./SKILL.md").toBeNoWorseThan("main", { tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
     */
    toBeNoWorseThan(previous: string | Skill, options: ToBeatOptions): Promise<void>;
  }
}

expect.extend({
  toBeat: (received: unknown, previous: string | Skill, options: ToBeatOptions) =>
    judge(received, previous, options, {
      name: "toBeat",
      words: "to beat",
      expected: "better",
      passes: ({ verdict }) => verdict === "better",
    }),
  toBeNoWorseThan: (received: unknown, previous: string | Skill, options: ToBeatOptions) =>
    judge(received, previous, options, {
      name: "toBeNoWorseThan",
      words: "to be no worse than",
      expected: "no worse",
      passes: (summary) =>
        !["worse", "undecided", "withheld"].includes(summary.verdict) && !isTooFew(summary),
    }),
});

interface Demand {
  readonly name: string;
  readonly words: string;
  readonly expected: string;
  readonly passes: (summary: CompareSummary) => boolean;
}

async function judge(
  received: unknown,
  previous: string | Skill,
  options: ToBeatOptions,
  { name, words, expected, passes }: Demand,
) {
  // every push asks again
  const memory = readEnv()["CI"] ? "fades" : "lasts";
  const { summary } = await withNextStep(() =>
    compare({ memory, ...options, skill: asSkill(received, name), baseline: previous }),
  );
  const { verdict, sentence, before, after, tasks, trials, lost } = summary;
  const pass = passes(summary);
  const lines = [
    `expected ${nameOf(received)} ${pass ? "not " : ""}${words} ${nameOf(previous)}: the verdict is "${verdictWords[verdict].word}".`,
    sentence,
    ...(before.score === null || after.score === null
      ? []
      : [
          `Mean scores ${shown(before.score)} → ${shown(after.score)} on ${tasks} tasks, ${trials} trials each.`,
        ]),
    ...lost.map(({ task }) => `Lost: ${task} was always passed before and never now.`),
    ...(isTooFew(summary) ? [`It takes ${fewestForProof} tasks to call a skill worse or better.`] : []),
    `next: ${forCaller(nextStep(summary))}`,
  ];
  return {
    pass,
    message: () => lines.join("\n"),
    actual: verdict,
    expected: pass ? `not ${expected}` : expected,
  };
}

/** With fewer tasks nothing is ever proven, so a test that only fails on proof could not fail. */
const isTooFew = ({ claim }: CompareSummary): boolean => claim !== undefined && claim.units < fewestForProof;

/** Vitest shows an error's message alone. */
async function withNextStep<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (cause) {
    if (!(cause instanceof WhetstoneError) || cause.hint === undefined) throw cause;
    const { code, message, hint } = cause;
    throw new WhetstoneError(code, `${message}\nnext: ${hint}`, { cause, hint });
  }
}

function asSkill(received: unknown, matcher: string): string | Skill {
  if (typeof received === "string") return received;
  if (typeof received === "object" && received !== null && "main" in received && "files" in received) {
    return received as Skill;
  }
  throw new WhetstoneError("usage", `expect(…).${matcher} needs a skill.`, {
    hint: "Give the path of a file or of a folder with SKILL.md, or { main, files }.",
  });
}

const nameOf = (skill: unknown): string => (typeof skill === "string" ? skill : "the skill");
const shown = (score: number): string => `${(100 * score).toFixed(1)}%`;
