import { expect, test } from "vitest";
import { trainSkill } from "../src/core/loop/train.ts";
import type { TrainSettings } from "../src/core/settings.ts";
import { crossEpoch } from "../src/core/epoch/cross-epoch.ts";
import { buildLeakIndex } from "../src/core/guard/leak-index.ts";
import { reflect } from "../src/core/stages/reflect.ts";
import { mainText, singleFileSkill } from "../src/core/skill/skill.ts";
import { type Attempted, missesSection, partLines } from "../src/core/stages/misses.ts";
import type { Splits, Task } from "../src/core/tasks/task.ts";
import { contractOf, scriptedContext } from "./support/scripted-context.ts";

const tasksOf = (split: string, count: number): readonly Task[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${split}${at}`,
    input: `${split} question ${at}`,
    answers: [`${split}-answer-${at}`],
  }));
const skill = singleFileSkill("# Desk\n\n- Be brief.\n");

/** What the optimizer is asked in a training, by contract. */
async function askedIn(
  answer: (contract: string, nth: number) => unknown,
  reply: (skill: string, question: string) => string,
  settings: Partial<TrainSettings> = {},
  given: Partial<Splits> = {},
): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = new Map<string, string[]>();
  const context = await scriptedContext(
    (request) => {
      const contract = contractOf(request);
      const user = request.messages.at(-1)?.content ?? "";
      if (contract === "") return reply(request.system ?? "", user);
      asked.set(contract, [...(asked.get(contract) ?? []), user]);
      return JSON.stringify(answer(contract, asked.get(contract)?.length ?? 0));
    },
    { gate: "strict", epochs: 1, batchSize: 4, baselines: false, evalTest: false, ...settings },
  );
  const splits = { train: tasksOf("train", 8), val: tasksOf("val", 6), test: tasksOf("test", 4), ...given };
  await trainSkill({ skill, splits }, context);
  return asked;
}

const right = (question: string): string => question.trim().replace(/ question (\d+)/, "-answer-$1");
const appended = (content: string) => ({ op: "append", content, evidence: [] });

test("what became of an edit reaches the next step's analyst", async () => {
  const proposed = [
    appended("- Look twice."),
    { op: "replace", target: "Be long.", content: "Be wordy.", evidence: [] },
    appended("- val question 3: val-answer-3"),
  ];
  const asked = await askedIn(
    (contract, nth) => ({ reasoning: "", edits: contract === "analyst_error" && nth === 1 ? proposed : [] }),
    () => "wrong",
  );
  const [first = "", second = ""] = asked.get("analyst_error") ?? [];
  expect(first).not.toContain("# Earlier steps");
  expect(second.split("\n").filter((line) => line.startsWith("- step 1"))).toEqual([
    '- step 1, append "- Look twice.": rejected: 0.0% on val against 0.0%: not better',
    `- step 1, append "- val question 3: val-answer-3": refused: It contains a task's answer or check instead of a general rule.`,
    '- step 1, replace "Be long." with "Be wordy.": refused: The target was not found.',
  ]);
});

test.for([
  ["waits", 8],
  ["does not wait for the last step's result", 28],
] as const)(
  "a step that %s works on the rules under test, and its attempts carry them",
  async ([, count]) => {
    const texts: string[] = [];
    const asked = await askedIn(
      (contract, nth) => ({
        reasoning: "",
        edits: contract === "analyst_error" ? [appended(`- Look at thing number ${nth}.`)] : [],
      }),
      (text, question) => {
        if (question.startsWith("train")) texts.push(text);
        // each rule solves one more task of val
        const isSolved =
          question.startsWith("val") && text.split("thing").length > 1 + Number(question.slice(-1));
        return isSolved ? right(question) : "wrong";
      },
      { gate: "rules", lag: 1 },
      { train: tasksOf("train", count), val: tasksOf("val", 8) },
    );
    const steps = count / 4;
    expect(asked.get("analyst_error")).toHaveLength(steps);
    expect(asked.get("analyst_error")?.[1]).toContain(
      'rule 1 (step 1), append "- Look at thing number 1.": in the skill, ',
    );
    // of attempts, each step has the last four
    const [first, ...later] = Array.from({ length: steps }, (_, at) =>
      at === 0 ? texts.slice(0, -4 * (steps - 1)) : texts.slice(4 * (at - steps)).slice(0, 4),
    );
    expect(first?.some((text) => text.includes("thing"))).toBe(false);
    for (const [at, own] of later.entries())
      expect(own.every((text) => text.includes(`thing number ${at + 1}.`))).toBe(true);
  },
);

test("misses are counted by field over the whole batch, and each attempt names the fields that differ", async () => {
  const row = (at: number) => `Q-${at}|P${at % 2}|24`;
  const train = tasksOf("train", 8).map((task, at) => ({ ...task, answers: [row(at)] }));
  const asked = await askedIn(
    () => ({ reasoning: "", edits: [] }),
    (_, question) =>
      row(Number(/\d+/.exec(question)?.[0]))
        .replace("P1", "P3")
        .replace("24", "72"),
    { minibatchSize: 2, batchSize: 8 },
    { train },
  );
  const [first = ""] = asked.get("analyst_error") ?? [];
  expect(asked.get("analyst_error")).toHaveLength(4);
  expect(first).toContain(
    "8 of 8 attempts failed. Parts that were wrong, and how often:\n\n- field 3 of 3: 8 of 8\n- field 2 of 3: 4 of 8\n",
  );
  expect(asked.get("analyst_error")?.join("\n")).toContain(
    'Expected "Q-1|P1|24"; got "Q-1|P3|72".\nDiffers in: field 2 of 3, expected "P1", got "P3"; field 3 of 3, expected "24", got "72"\n',
  );
});

test("fields of JSON are named, and answers of another shape have none", () => {
  const attempt = (answer: string, reply: string): Attempted => ({
    task: { id: "a", input: "", answers: [answer] },
    outcome: {
      kind: "scored",
      hard: 0,
      soft: 0,
      feedback: "",
      conversation: [{ role: "assistant", content: reply }],
    },
  });
  const wanted = '{"queue":"A","hours":4}';
  expect(partLines(attempt(wanted, '{"hours":5,"queue":"a"}'))).toEqual([
    'Differs in: field "hours", expected "4", got "5"',
  ]);
  expect(partLines(attempt(wanted, '{"hours":5}'))).toEqual([]);
  expect(partLines(attempt("A|B", "A|B|C"))).toEqual([]);
  expect(partLines(attempt("A", "B"))).toEqual([]);
});

test("checks that passed are named by what they want, and those of several tasks are counted", () => {
  const checks = [
    { kind: "contains", value: "ETA" },
    { kind: "rubric", value: "names no host", negate: true },
    { kind: "number", value: 4 },
  ];
  const attempt = (pass: readonly boolean[]): Attempted => ({
    task: { id: "a", input: "", checks },
    outcome: {
      kind: "scored",
      hard: 0,
      soft: 0,
      feedback: "",
      conversation: [],
      checks: pass.map((one) => ({ pass: one, expected: "to end with the number 4 (its last number is 7)" })),
    },
  });
  expect(partLines(attempt([true, true, true]))).toEqual([
    'Must not break: contains "ETA"; not rubric "names no host"; to end with the number 4',
  ]);
  expect(missesSection([attempt([false, true, true]), attempt([false, true, false])])).toContain(
    '- contains "ETA": 2 of 2\n- to end with the number 4: 1 of 2',
  );
  expect(missesSection([attempt([false, true, true])])).toBe("");
});

const nothing = () => ({ reasoning: "", edits: [], guidance: "Stay calm." });

test("successes are read only next to failures", async () => {
  const solved = await askedIn(nothing, (_, question) => right(question), { gate: "off" });
  expect([...solved.keys()]).toEqual([]);
  const some = await askedIn(nothing, (_, question) => right(question).replace(/-[03]$/, "-9"), {
    gate: "off",
    batchSize: 8,
  });
  expect([...some].map(([contract, { length }]) => [contract, length])).toEqual([
    ["analyst_error", 1],
    ["analyst_success", 1],
  ]);
});

test("no analyst reads replies that are all the same if nothing shows what was wanted", async () => {
  const attempts = async (reply: (at: number) => string, task: Partial<Task> = {}) => {
    const rollouts = tasksOf("train", 3).map(async ({ id, input }, at) => ({
      task: { id, input, ...task },
      outcome: {
        kind: "scored" as const,
        hard: 0,
        soft: 0,
        feedback: "The answer was wrong.",
        conversation: [{ role: "assistant" as const, content: reply(at) }],
      },
    }));
    const context = await scriptedContext(() => JSON.stringify(nothing()));
    const place = { role: "optimizer", step: 1, stage: "reflect" } as const;
    const { sides } = await reflect({ skill, rollouts, budget: 2, tried: [], meta: "", place }, context);
    await sides.failure;
    return context.requests.length;
  };
  expect(await attempts(() => "I am not sure.")).toBe(0);
  expect(await attempts((at) => `I am not sure, ${at}.`)).toBe(1);
  expect(await attempts(() => "I am not sure.", { answers: ["yes"] })).toBe(1);
});

test("guidance is asked for only where an attempt fell", async () => {
  const crossed = async (current: string, reply: (skill: string) => string) => {
    const context = await scriptedContext(
      (request) => (contractOf(request) === "" ? reply(request.system ?? "") : JSON.stringify(nothing())),
      { slowUpdate: true, metaSkill: false },
    );
    const train = [{ id: "a", input: "question", answers: ["right"] }];
    const boundary = { epoch: 2, step: 4, isLast: true, tried: [], meta: "", leaks: buildLeakIndex([]) };
    const skills = { previous: skill, current: singleFileSkill(current) };
    await crossEpoch({ ...boundary, ...skills, train }, context);
    return context.requests.map(contractOf);
  };
  const isNew = (text: string) => text.includes("Be long.");
  expect(await crossed("Be long.", (text) => (isNew(text) ? "wrong" : "right"))).toEqual([
    "",
    "",
    "slow_update",
  ]);
  expect(await crossed("Be long.", (text) => (isNew(text) ? "right" : "wrong"))).toEqual(["", ""]);
  expect(await crossed(mainText(skill), () => "wrong")).toEqual([]);
});

test("rejected guidance and refused edits are still known an epoch later", async () => {
  const isNew = (text: string) => text.includes("Look twice.");
  const asked = await askedIn(
    (contract, nth) => {
      if (contract === "slow_update") return { guidance: "Stay calm." };
      const edits = [appended("- Look twice."), { op: "replace", target: "Be long.", content: "Be wordy." }];
      return { reasoning: "", edits: contract === "analyst_error" && nth === 3 ? edits : [] };
    },
    (text, question) =>
      (
        question.startsWith("val")
          ? isNew(text) && !question.includes("5")
          : /[02468]/.test(question) && !isNew(text)
      )
        ? right(question)
        : "wrong",
    { epochs: 3, metaSkill: false, slowUpdate: true },
  );
  const last = asked.get("analyst_error")?.at(-1);
  expect(last).toContain('append "Stay calm.": guidance, rejected: ');
  expect(last).toContain('replace "Be long." with "Be wordy.": refused: The target was not found.');
});
