import { expect, test } from "vitest";
import { type ScriptedContext, contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import { InfraError } from "../errors.ts";
import { seededRandom } from "../random.ts";
import type { Change } from "../rules/search-rule.ts";
import type { TrainSettings } from "../settings.ts";
import { type Skill, mainText, singleFileSkill } from "../skill/skill.ts";
import type { TriedStep } from "../stages/optimizer-text.ts";
import type { Task } from "../tasks/task.ts";
import type { Gate, GateInput, Standing } from "./gate.ts";
import { chooseGate, measureOriginal } from "./gates.ts";
import type { SearchKnowledge } from "./measure-rules.ts";

const val: readonly Task[] = Array.from({ length: 24 }, (_, at) => ({
  id: `v${at}`,
  input: `question ${at}`,
  answers: ["right"],
}));
const base = singleFileSkill("# Desk\n\n- Be brief.\n");
const appended = (content: string, evidence: readonly string[] = ["t1"]): Change => ({
  kind: "edit",
  edit: { op: "append", content: `- ${content}`, evidence },
});
const [good, idle, bad] = ["Look up the code.", "Be kind to bees.", "Guess the colour."].map((text) =>
  appended(text),
) as [Change, Change, Change];

/** Half of the questions are answered; the good rule solves the others, the bad one spoils a third. */
function passes(text: string, question: number): boolean {
  if (text.includes("Guess") && question % 3 === 0) return false;
  return question % 2 === 0 || text.includes("Look up");
}

const world = (settings: Partial<TrainSettings> = {}, noise = 0): Promise<ScriptedContext> =>
  scriptedContext(
    (request, nth) => {
      const question = Number(/\d+/.exec(request.messages[0]?.content ?? "")?.[0]);
      const isRight = passes(request.system ?? "", question) !== seededRandom("noise", nth)() < noise;
      return isRight ? "right" : "wrong";
    },
    { gate: "rules", texts: 4, ...settings },
  );

const gate = chooseGate({ gate: "rules" }) as Required<Gate<SearchKnowledge>>;
const start = (skill: Skill, context: ScriptedContext) =>
  measureOriginal(gate, skill, val, { turns: 4, proposals: 4 }, context) as Promise<{
    readonly standing: Standing<SearchKnowledge>;
  }>;
const open = (input: GateInput<SearchKnowledge>, context: ScriptedContext) => ({
  ...input.standing,
  known: gate.open(input, context),
});

async function step(
  standing: Standing<SearchKnowledge>,
  turn: number,
  changes: readonly Change[],
  context: ScriptedContext,
) {
  const input = { candidate: base, changes, on: [], step: turn + 1, turn, val };
  return gate.decide({ ...input, standing: open({ ...input, standing }, context) }, context);
}

async function train(context: ScriptedContext, steps: readonly (readonly Change[])[]) {
  let { standing } = await start(base, context);
  for (const [turn, changes] of steps.entries())
    standing = (await step(standing, turn, changes, context)).standing;
  const splits = { train: [], val: [], test: [] };
  const end = await gate.end({ standing, splits, val, step: steps.length }, context);
  return { ...end, rules: end.rules?.table, confirmed: end.confirmed ?? [] };
}

test.each([0, 0.15])("what helps is kept and what does not is left out (noise %s)", async (noise) => {
  const { standing, rules, confirmed } = await train(await world({}, noise), [[idle, good], [bad], [], []]);
  expect(mainText(standing.best.skill)).toContain("Look up");
  expect(mainText(standing.best.skill)).not.toContain("Guess");
  const byRule = new Map(rules?.rules.map((one) => [one.rule, one]));
  expect(byRule.get(2)?.state).toBe("kept");
  expect(byRule.get(2)?.points).toBeGreaterThan(10);
  expect(byRule.get(3)?.points).toBeLessThan(0);
  expect(confirmed.length).toBeGreaterThan(0);
});

test("what is confirmed is the kept text, and no other", async () => {
  const steps = [
    [idle, good],
    [bad, appended("Smile at all bees.")],
    [appended("Note the day of arrival.")],
    [],
  ];
  const isConfirmed = new Set<boolean>();
  for (let seed = 2; seed < 12; seed += 1) {
    const { rules, confirmed } = await train(await world({ seed }, 0.1), steps);
    const kept = rules?.rules.filter(({ state }) => state === "kept").map(({ rule }) => rule);
    for (const one of confirmed) expect(one.rules).toEqual(kept);
    isConfirmed.add(confirmed.length > 0);
  }
  // the last results now and then keep another text than the one that was tried against the original
  expect(isConfirmed.size).toBe(2);
});

test("the same rule in other words counts as one, and both ask for it", async () => {
  const again = appended("Always look up the code.", ["t9"]);
  const { rules } = await train(await world(), [[good], [again], [appended("Be brief.")], []]);
  expect(rules?.rules.map(({ rule, state, of, reason }) => [rule, state, of, reason])).toEqual([
    [1, "kept", undefined, "it is expected to be worth its tokens"],
    [2, "repeated", 1, "rule 1 says it already"],
    [3, "repeated", undefined, "the skill says it already"],
  ]);
  expect(rules?.rules[0]?.evidence).toEqual(["t1", "t9"]);
});

test("to take words out and to put them in are two rules", async () => {
  const context = await world();
  const edits: readonly Change[] = [
    { kind: "edit", edit: { op: "delete", target: "- Answer in one line.", evidence: [] } },
    {
      kind: "edit",
      edit: { op: "replace", target: "Answer at length.", content: "Answer in one line.", evidence: [] },
    },
  ];
  const desk = singleFileSkill("# Desk\n\n- Answer in one line.\n\nOn the phone: Answer at length.\n");
  const { standing } = await start(desk, context);
  const input = { candidate: desk, changes: edits, on: [], step: 1, turn: 0, val };
  const { known } = open({ ...input, standing }, context);
  expect(known).toMatchObject({ rules: [{ number: 1 }, { number: 2 }], repeated: [] });
});

test("guidance that only says what rules or the skill say is no rule of its own", async () => {
  const guidance = (text: string): Change => ({ kind: "text", region: "slow-update", text, holds: [] });
  const { rules } = await train(await world(), [
    [good],
    [guidance("Look up the code.\n\nBe brief.")],
    [guidance("Look up the code.\nThink of the bees.")],
    [],
  ]);
  expect(rules?.rules.map(({ rule, of }) => [rule, of])).toEqual([
    [1, undefined],
    [2, 1],
    [3, undefined],
  ]);
});

test.each([
  // as good as the older words, but believed to be worth less: it was measured less often
  ["the code", "the shelf code", 2],
  ["Look up", "Know", 1],
])("a change to an open rule's words is another level of it: %s → %s", async (target, content, later) => {
  const context = await world();
  let { standing } = await start(base, context);
  standing = (await step(standing, 0, [good], context)).standing;
  const change: Change = {
    kind: "edit",
    edit: { op: "replace", target, content, evidence: ["t2"] },
  };
  const input = { candidate: base, changes: [change], on: [1], step: 2, turn: 1, val };
  standing = open({ ...input, standing }, context);
  expect(standing.known.rules[1]).toMatchObject({
    levelOf: 1,
    change: { edit: { op: "append", content: "- Look up the code.".replace(target, content) } },
  });
  expect(standing.known.search.rules.get(2)?.excludes).toEqual([1]);
  // attempts have the newest words until they are measured, and clearly worse
  expect(gate.whole(standing, context).rules).toEqual([2]);
  for (const turn of [1, 2]) standing = (await step(standing, turn, [], context)).standing;
  expect(gate.whole(standing, context).rules).toEqual([later]);
});

const topics = [1, 2, 3, 4, 5];
const topicRules = topics.map((topic) => appended(`Look up code ${topic} in the big book.`));

/** A quarter of the questions is answered; a rule solves those of its topic. The editor joins the rules of topics 1 and 2. */
const editing = (joined: string) =>
  scriptedContext(
    (request) => {
      const asked = request.messages[0]?.content ?? "";
      const contract = contractOf(request);
      if (contract === "carries")
        return JSON.stringify({
          answers: [...asked.matchAll(/"id": "(.+)"/g)].map(([, id]) => ({ id, carried: true })),
        });
      if (contract === "editor") {
        const ids = [...asked.matchAll(/"id": "(.+)"/g)].map(([, id = ""]) => id);
        const [one = "", two = "", ...others] = ids;
        const alone = others.map((id) => ({
          rules: [id],
          op: "insert_after",
          target: "Be brief",
          content: `- Look up code ${id} in the big book.`,
        }));
        return JSON.stringify({
          passages: [{ rules: [one, two], op: "append", content: joined }, ...alone],
        });
      }
      const topic = Number(/\d+/.exec(asked)?.[0]) % 8;
      const text = request.system ?? "";
      return topic > 5 || new Set(text.match(/\d/g)).has(String(topic)) ? "right" : "wrong";
    },
    { gate: "rules", texts: 4, editor: true },
  );

test("from five rules on, the editor's passages are measured and stay where they lose nothing", async () => {
  const { standing, rules } = await train(await editing("- Look up codes 1 and 2 in the big book."), [
    topicRules,
    [],
    [],
    [],
  ]);
  expect(mainText(standing.best.skill)).toBe(
    "# Desk\n\n- Be brief.\n- Look up code 5 in the big book.\n- Look up code 4 in the big book.\n- Look up code 3 in the big book.\n- Look up codes 1 and 2 in the big book.\n",
  );
  expect(rules?.rules.map(({ rule, state, of }) => [rule, state, of])).toEqual([
    [1, "kept", undefined],
    [2, "repeated", 1],
    [3, "kept", undefined],
    [4, "kept", undefined],
    [5, "kept", undefined],
  ]);
  const more = gate.goOn?.(standing, { turns: 2, proposals: 2 }, await world());
  expect(more?.known.rules.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
});

test("an editor that loses a rule's effect is not followed", async () => {
  const { standing } = await train(await editing("- Look things up in the big book."), [
    topicRules,
    [],
    [],
    [],
  ]);
  expect(mainText(standing.best.skill)).toContain("code 2 in the big book");
});

test("with fewer rules nobody asks the editor", async () => {
  const context = await editing("- Look up codes 1 and 2.");
  await train(context, [topicRules.slice(0, 4), [], [], []]);
  expect(context.requests.map(contractOf)).not.toContain("editor");
});

test("if answers have fields, the share that is right steers the search", async () => {
  const rows = val.map((task) => ({ ...task, answers: ["A-1|P1|24"] }));
  const context = await scriptedContext(() => "A-1|P3|24", { gate: "rules", texts: 4 });
  const { standing } = await measureOriginal(gate, base, rows, { turns: 4, proposals: 4 }, context);
  const { results, search } = standing.known as SearchKnowledge;
  expect(new Set(results.map(({ score }) => score))).toEqual(new Set([0]));
  expect(results[0]?.credit).toBeCloseTo(2 / 3);
  expect(search.claimed).toBeDefined();
});

test("missing results are skipped, and too many of them stop the run", async () => {
  const failing = (share: number) =>
    scriptedContext(
      (request, nth) => {
        if (nth > 30 && seededRandom("down", nth)() < share) return new InfraError("transport", "down");
        const question = Number(/\d+/.exec(request.messages[0]?.content ?? "")?.[0]);
        return passes(request.system ?? "", question) ? "right" : "wrong";
      },
      { gate: "rules", texts: 4, maxPendingShare: 0.3 },
    );
  const { standing } = await train(await failing(0.1), [[good, idle], [], [], []]);
  expect(mainText(standing.best.skill)).toContain("Look up");
  await expect(train(await failing(0.9), [[good, idle], [], [], []])).rejects.toMatchObject({
    code: "too-many-pending",
  });
});

test("in doubt the original stays, byte for byte", async () => {
  const { standing, rules } = await train(await world({}, 0.15), [
    [idle],
    [appended("Smile at all bees.")],
    [],
    [],
  ]);
  expect(standing.best.skill).toEqual(base);
  expect(standing.best.step).toBe(0);
  expect(rules?.rules.every(({ state }) => state !== "kept")).toBe(true);
});

test("proposers hear what each rule is worth, what became of it and what was lost", async () => {
  const context = await world();
  let { standing } = await start(base, context);
  const replaced = (content: string): Change => ({
    kind: "edit",
    edit: { op: "replace", target: "Be brief.", content, evidence: [] },
  });
  const lost = { op: "append", content: "a", fate: "refused: why", evidence: [] } as const;
  const edits = (steps: readonly TriedStep[] = []) =>
    gate
      .recall(steps, { ...standing, current: gate.whole(standing, context) })
      .flatMap((one) => one.edits.map(({ fate }) => fate));
  const proposed = [replaced("Be brief. Look up the code."), bad, replaced("Be short of words.")];
  standing = open({ candidate: base, changes: proposed, on: [], step: 1, turn: 0, val, standing }, context);
  const left = "left out: it changes the same words as rule 1, and only one can stay";
  expect(edits()).toEqual(["in the skill, not measured yet", "in the skill, not measured yet", left]);
  for (const turn of [0, 1, 2, 3]) standing = (await step(standing, turn, [], context)).standing;
  expect(edits([{ step: 1, patterns: [], edits: [lost] }])).toEqual([
    expect.stringMatching(/^in the skill, \+\d+\.\d points so far$/),
    expect.stringMatching(/^left out, −\d+\.\d points so far: it seems to harm$/),
    left,
    "refused: why",
  ]);
  const { known } = standing;
  standing = { ...standing, known: { ...known, search: { ...known.search, open: [1, 3], givenUp: [2] } } };
  expect(edits()[1]).toMatch(/^given up, −\d+\.\d points: others promised more$/);
});

test("failures that a step's rules have settled are not told again", async () => {
  const context = await world();
  let { standing } = await start(base, context);
  for (const [turn, changes] of [[good], [bad], []].entries())
    standing = (await step(standing, turn, changes, context)).standing;
  const seen = [1, 2].map((step) => ({ step, patterns: [`p${step}`], edits: [] }));
  expect(standing.current.rules).toEqual([1]);
  expect(gate.recall(seen, standing).map(({ patterns }) => patterns)).toEqual([[], ["p2"]]);
});

test("the same run asks for the same rollouts", async () => {
  const [one, other] = [await world({}, 0.15), await world({}, 0.15)];
  const steps = [[good, idle], [bad], [], []];
  const [a, b] = [await train(one, steps), await train(other, steps)];
  expect(a.rules).toEqual(b.rules);
  expect(one.requests).toEqual(other.requests);
});
