import { expect, test } from "vitest";
import type { AgentRun } from "../ports/agent.ts";
import { said, scoreTask } from "../scorers/score-task.ts";
import { singleFileSkill } from "../skill/skill.ts";
import { agentEnvironment } from "./agent-environment.ts";
import type { EnvironmentContext } from "./environment.ts";

/** An agent that leaves these files. */
const leaving = (changed: AgentRun["changed"]): EnvironmentContext =>
  ({
    agent: {
      run: async () => ({
        text: "done",
        ended: "done",
        toolCalls: [],
        changed,
        skills: { offered: [], loaded: [] },
        conversation: [],
        usage: { inputTokens: 0, outputTokens: 0 },
        calls: 1,
      }),
    },
    score: async () => ({ hard: 1, soft: 1, feedback: "" }),
  }) as unknown as EnvironmentContext;

const roll = async (changed: AgentRun["changed"]) => {
  const task = { id: "one", input: "Do it.", checks: [] };
  const outcome = await agentEnvironment().run(task, singleFileSkill("Be brief."), leaving(changed));
  return outcome.kind === "scored" ? outcome.extras : undefined;
};

test("what an agent wrote is shown as it left it", async () => {
  const changed = { "b.md": "# B\n", "a.txt": "", "gone.txt": null };
  expect(await roll(changed)).toMatchObject({
    changed: ["a.txt", "b.md", "gone.txt"],
    written: { "a.txt": "", "b.md": "# B\n", "gone.txt": null },
  });
});

test("a check whether a skill was loaded holds only the arm that has the skill", async () => {
  const task = { id: "one", input: "Do it.", checks: [{ kind: "skill-loaded", value: "greet" }] };
  const text = (name: string) => `---\nname: ${name}\ndescription: Greets people.\n---\nBe brief.`;
  const hardOf = async (skill: string) => {
    const score: EnvironmentContext["score"] = (one, done) => scoreTask(one, done, {});
    const outcome = await agentEnvironment().run(task, singleFileSkill(skill), { ...leaving({}), score });
    return outcome.kind === "scored" ? outcome.hard : outcome;
  };
  expect(await hardOf(text("greet"))).toBe(0);
  expect([await hardOf(""), await hardOf(text("other"))]).toEqual([1, 1]);
  // an answer without any of this has loaded nothing
  expect(await scoreTask(task, said("hello"), {})).toMatchObject({ hard: 0 });
});

test("of long, many or binary files a part is shown", async () => {
  const long = { "long.txt": "x".repeat(4100), "picture.png": "data:application/octet-stream;base64,AA==" };
  expect(await roll(long)).toMatchObject({
    written: { "long.txt": `${"x".repeat(4000)}\n… 100 more characters`, "picture.png": "(not text)" },
  });
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at + 10}`, "x"]));
  const { changed, written } = (await roll(many)) as { changed: string[]; written: object };
  expect([changed.length, Object.keys(written).length]).toEqual([30, 20]);
});
