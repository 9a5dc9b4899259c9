import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { InfraError } from "../errors.ts";
import { singleFileSkill } from "../skill/skill.ts";
import type { Scored } from "../tasks/outcome.ts";
import { type Analysed, analystText, askAnalyst } from "./analyst.ts";
import type { Attempted } from "./misses.ts";

const place = { role: "optimizer", step: 1, stage: "reflect" } as const;

function attempt(id: string, input: string, hard: number, steps = 0): Attempted {
  const conversation: Scored["conversation"] = [
    { role: "user", content: input },
    ...Array.from({ length: steps }, (_, at) => ({
      role: "assistant" as const,
      content: `step ${at} of ${id}: ${"more of the same ".repeat(400)}`,
    })),
    { role: "assistant", content: `answer to ${id}` },
  ];
  return {
    task: { id, input, answers: ["x"] },
    outcome: { kind: "scored", hard, soft: hard, feedback: "no", conversation },
  };
}

const analysed = (failed: readonly Attempted[], solved: readonly Attempted[] = []): Analysed => ({
  skill: singleFileSkill("# Skill\n"),
  budget: 2,
  tried: [],
  meta: "",
  source: "failure",
  attempts: failed,
  batch: [...failed, ...solved],
});

test("a failed task comes with the solved one that is most like it and nearest in its number", async () => {
  const context = await scriptedContext(() => "");
  const failed = [attempt("f", "A transfer of 5,000 EUR to another bank", 0)];
  const solved = [
    attempt("far", "A transfer of 20 EUR to another bank", 1),
    attempt("near", "A transfer of 4.800 EUR to another bank", 1),
    attempt("other", "My card was stolen in Paris", 1),
  ];
  const text = analystText(analysed(failed, solved), context);
  expect(text).toContain("# Solved tasks that are like failed ones");
  expect(text).toContain("answer to near");
  expect(text).not.toContain("answer to far");
  expect(text).not.toContain("answer to other");
});

test("an analyst who is shown everything isn't offered more", async () => {
  const context = await scriptedContext(() => '{"edits":[]}');
  await askAnalyst(analysed([attempt("f", "Do it.", 0)]), place, context);
  expect(JSON.stringify(context.requests)).not.toContain('"show');
  expect(context.requests).toHaveLength(1);
});

test("parts that were left out can be asked for, once", async () => {
  const wants = '{"edits":[],"show":[{"task":"f","parts":[3,4]}]}';
  const whole = (part: number) =>
    `[${part} agent]\nstep ${part - 2} of f: ${"more of the same ".repeat(400)}`;
  const context = await scriptedContext(() => wants);
  const answer = await askAnalyst(analysed([attempt("f", "Do it.", 0, 60)]), place, context);
  const [first, second, ...more] = context.requests.map(({ messages }) => messages[0]?.content ?? "");
  expect(first).toContain('name them in "show"');
  expect(first).not.toContain(whole(3));
  expect(second).toContain(whole(3));
  expect(second).toContain(whole(4));
  expect(second).not.toContain('"show"');
  expect(more).toEqual([]);
  expect(answer.ok).toBe(true);
});

test("a question that is too long for the model is asked again with less of each attempt", async () => {
  const context = await scriptedContext((_, nth) =>
    nth === 1 ? new InfraError("prompt-refused", "too long") : '{"edits":[]}',
  );
  const answer = await askAnalyst(analysed([attempt("f", "Do it.", 0, 60)]), place, context);
  const [first = 0, second = 0] = context.requests.map(({ messages }) => messages[0]?.content.length);
  expect(second).toBeLessThan(first / 3);
  expect(answer.ok).toBe(true);
});
