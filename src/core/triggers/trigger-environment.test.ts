import { expect, test } from "vitest";
import type { AgentRun } from "../ports/agent.ts";
import type { Reply } from "../ports/model.ts";
import { type Skill, singleFileSkill } from "../skill/skill.ts";
import type { AgentTask, EnvironmentContext, Question } from "../tasks/environment.ts";
import type { Task } from "../tasks/task.ts";
import { triggerEnvironment } from "./trigger-environment.ts";

const skill = (name: string, description: string): Skill =>
  singleFileSkill(`---\nname: ${name}\ndescription: ${description}\n---\n\nThe body of ${name}.\n`);
const forms = skill("forms", "Fills in forms.");
const neighbours = [skill("labels", "Prints labels."), skill("letters", "Writes letters.")];
const request = (value: boolean, input = "Please fill in this form."): Task => ({
  id: "trigger-1",
  input,
  checks: [{ kind: "trigger", value }],
});

const usage = { inputTokens: 1, outputTokens: 1 };
const unused = (): never => {
  throw new Error("not to be used");
};

function contextOf(target: Pick<EnvironmentContext, "model" | "agent">): EnvironmentContext {
  const { signal } = new AbortController();
  const shared = { split: "val", seed: 1, trial: 0, extras: {}, signal } as const;
  return { ...shared, judge: { generate: unused }, command: unused, score: unused, ...target };
}

/** A chat target that answers `text`; what it was asked is kept. */
async function ask(task: Task, text: string, finish: Reply["finish"] = "stop") {
  const asked: Question[] = [];
  const generate = async (question: Question): Promise<Reply> => {
    asked.push(question);
    return { text, finish, usage };
  };
  const outcome = await triggerEnvironment(neighbours).run(task, forms, contextOf({ model: { generate } }));
  return { outcome, system: asked[0]?.system ?? "" };
}

test.each([
  ['{ "skill": "forms" }', true],
  ['I think so:\n```json\n{"skill": " forms "}\n```', true],
  ['{ "skill": "labels" }', false],
  ['{ "skill": null }', false],
])("a chat model that answers %s: loaded is %s", async (text, triggered) => {
  for (const wanted of [true, false]) {
    const { outcome } = await ask(request(wanted), text);
    const score = triggered === wanted ? 1 : 0;
    expect(outcome).toMatchObject({ kind: "scored", hard: score, soft: score, extras: { triggered } });
  }
});

test("an answer that cannot be read counts as none and says so", async () => {
  for (const text of ["The forms skill.", '{ "skill": 3 }', '{ "skill": "unknown" }', ""]) {
    const { outcome } = await ask(request(true), text);
    expect(outcome).toMatchObject({ hard: 0, extras: { triggered: false } });
    expect(outcome.kind === "scored" && outcome.feedback).toContain("counts as none");
  }
  const { outcome } = await ask(request(true), '{ "skill": "forms" }', "length");
  expect(outcome).toMatchObject({ hard: 0, extras: { triggered: false } });
});

test("the chat model sees names and descriptions, no body, in an order of the task's own", async () => {
  const firsts = new Map<string, number>();
  for (let at = 0; at < 90; at += 1) {
    const task = request(true, `Please fill in form ${at}.`);
    const { system } = await ask(task, "{}");
    expect((await ask(task, "{}")).system).toBe(system);
    expect(system).not.toContain("The body of");
    const listed = [...system.matchAll(/^- (\w+): /gm)].map(([, name = ""]) => name);
    expect(listed.toSorted()).toEqual(["forms", "labels", "letters"]);
    firsts.set(listed[0] ?? "", (firsts.get(listed[0] ?? "") ?? 0) + 1);
  }
  for (const name of ["forms", "labels", "letters"]) expect(firsts.get(name)).toBeGreaterThan(15);
});

test("an agent gets all skills installed, and what it loaded decides", async () => {
  const seen: AgentTask[] = [];
  const agentThat = (loaded: readonly string[]) => ({
    async run(task: AgentTask): Promise<AgentRun> {
      seen.push(task);
      const skills = { offered: ["forms", "labels", "letters"], loaded };
      return {
        text: "",
        ended: "done",
        toolCalls: [],
        changed: {},
        skills,
        conversation: [],
        usage,
        calls: 1,
      };
    },
  });
  const run = async (loaded: readonly string[], wanted: boolean) =>
    triggerEnvironment(neighbours).run(
      request(wanted),
      forms,
      contextOf({ model: { generate: unused }, agent: agentThat(loaded) }),
    );
  expect(await run(["forms"], true)).toMatchObject({ hard: 1, extras: { triggered: true } });
  expect(await run(["labels"], true)).toMatchObject({ hard: 0, extras: { triggered: false } });
  expect(await run(["labels", "forms"], false)).toMatchObject({ hard: 0, extras: { triggered: true } });
  expect(await run([], false)).toMatchObject({ hard: 1, extras: { triggered: false } });
  expect(seen[0]).toMatchObject({ prompt: "Please fill in this form.", untilSkill: true });
  expect(seen[0]?.skills.map(({ name }) => name)).toEqual(["forms", "labels", "letters"]);
});

test("other neighbours are another environment, and another task is invalid", async () => {
  expect(triggerEnvironment([]).version).not.toBe(triggerEnvironment(neighbours).version);
  const { outcome } = await ask({ id: "1", input: "x", answers: ["y"] }, "{}");
  expect(outcome).toMatchObject({ kind: "invalid" });
});
