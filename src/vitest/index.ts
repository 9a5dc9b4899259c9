import { verdictWords } from "../core/verdict-words.ts";
import { expect } from "vitest";
import { WhetstoneError } from "../core/errors.ts";
import type { Skill } from "../core/skill/skill.ts";
import { type CompareOptions, compare } from "../run/verbs/compare.ts";

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
  }
}

expect.extend({
  async toBeat(received: unknown, previous: string | Skill, options: ToBeatOptions) {
    const { summary } = await compare({ ...options, skill: asSkill(received), baseline: previous });
    const { verdict, sentence, before, after, tasks, trials, lost } = summary;
    const pass = verdict === "better";
    const lines = [
      `expected ${nameOf(received)} ${pass ? "not " : ""}to beat ${nameOf(previous)}: the verdict is "${verdictWords[verdict].word}".`,
      sentence,
      ...(before.score === null || after.score === null
        ? []
        : [
            `Mean scores ${shown(before.score)} → ${shown(after.score)} on ${tasks} tasks, ${trials} trials each.`,
          ]),
      ...lost.map(({ task }) => `Lost: ${task} was always passed before and never now.`),
    ];
    return {
      pass,
      message: () => lines.join("\n"),
      actual: verdict,
      expected: pass ? "not better" : "better",
    };
  },
});

function asSkill(received: unknown): string | Skill {
  if (typeof received === "string") return received;
  if (typeof received === "object" && received !== null && "main" in received && "files" in received) {
    return received as Skill;
  }
  throw new WhetstoneError("usage", "expect(…).toBeat needs a skill.", {
    hint: "Give the path of a file or of a folder with SKILL.md, or { main, files }.",
  });
}

const nameOf = (skill: unknown): string => (typeof skill === "string" ? skill : "the skill");
const shown = (score: number): string => `${(100 * score).toFixed(1)} %`;
