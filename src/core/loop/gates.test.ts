import { expect, test } from "vitest";
import { type ScriptedContext, scriptedContext } from "../../../test/support/scripted-context.ts";
import { InfraError } from "../errors.ts";
import type { TrainSettings } from "../settings.ts";
import { singleFileSkill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { chooseGate, measureOriginal } from "./gates.ts";

const val: readonly Task[] = Array.from({ length: 40 }, (_, at) => ({
  id: `v${at}`,
  input: `question ${at}`,
  answers: ["right"],
}));

/** A skill of the text `p=0.7` makes the target right on that share of tasks, always on the same ones. */
const world = (settings: Partial<TrainSettings>): Promise<ScriptedContext> =>
  scriptedContext((request) => {
    const share = Number(/p=([\d.]+)/.exec(request.system ?? "")?.[1]);
    const question = request.messages[0]?.content ?? "";
    return Number(/\d+/.exec(question)?.[0]) / val.length < share ? "right" : "wrong";
  }, settings);

const skill = (share: number) => singleFileSkill(`p=${share}`);
const counts = { turns: 4, proposals: 4 };
const inputOf = (candidate: number) => ({
  candidate: skill(candidate),
  changes: [],
  on: [],
  step: 1,
  turn: 0,
  val,
});

async function decideOn(context: ScriptedContext, original: number, candidate: number) {
  const gate = chooseGate(context.settings);
  const { standing } = await measureOriginal(gate, skill(original), val, counts, context);
  const before = context.requests.length;
  const decision = await gate.decide({ ...inputOf(candidate), standing }, context);
  return { ...decision, rollouts: context.requests.length - before };
}

test("strict accepts a greater mean, rejects a tie, and stops when the bar is out of reach", async () => {
  const strict = () => world({ gate: "strict", stopEarly: true });
  expect(await decideOn(await strict(), 0.5, 0.6)).toMatchObject({
    action: "accept_new_best",
    score: 0.6,
    rollouts: 40,
  });
  expect(await decideOn(await strict(), 0.5, 0.5)).toMatchObject({ action: "reject" });
  const { standing } = await decideOn(await strict(), 0.5, 1);
  expect(standing.ended).toContain("every val task");
  const bad = await decideOn(await strict(), 0.5, 0);
  expect(bad).toMatchObject({ action: "reject", rollouts: 24 });
  expect(bad.reason).toContain("could no longer reach 50.0%");
});

test("off buys nothing and says so", async () => {
  const context = await world({ gate: "off" });
  const { action, reason, standing } = await decideOn(context, 0.5, 0.1);
  expect(action).toBe("accept");
  expect(reason).toContain("unverified");
  expect(standing.best.score).toBeNull();
  expect(context.requests).toHaveLength(0);
});

/** The judge gives no usable verdict on answers with this word. */
const silentOn = (word: string, settings: Partial<TrainSettings>): Promise<ScriptedContext> =>
  scriptedContext((request) => {
    const asked = request.messages[0]?.content ?? "";
    if (request.system?.includes("Contract: judge") !== true) return `${request.system} ${asked}`;
    if (asked.includes(word)) return "";
    return JSON.stringify({
      reason: "",
      score: asked.includes("fresh") || asked.includes("question 7") ? 1 : 0,
    });
  }, settings);

const judged = val.slice(0, 10).map(({ id, input }) => ({
  id,
  input,
  checks: [{ kind: "rubric" as const, value: "Is as it should be." }],
}));

test("a val task that nobody could judge is no part of the search", async () => {
  const context = await silentOn("question 3", { gate: "strict" });
  const measured = await measureOriginal(
    chooseGate(context.settings),
    singleFileSkill("old"),
    judged,
    counts,
    context,
  );
  expect(measured.val.map(({ id }) => id)).toEqual(judged.flatMap(({ id }) => (id === "v3" ? [] : [id])));
  expect(measured.standing.current.score).toBeCloseTo(1 / 9);
});

test("a candidate's task without a verdict counts as the incumbent's", async () => {
  for (const word of ["fresh question 7", "fresh question 3"]) {
    const context = await silentOn(word, { gate: "strict" });
    const gate = chooseGate(context.settings);
    const { standing } = await measureOriginal(gate, singleFileSkill("old"), judged, counts, context);
    expect(standing.known).toEqual(judged.map(({ id }) => (id === "v7" ? 1 : 0)));
    const input = { ...inputOf(1), candidate: singleFileSkill("fresh"), val: judged, standing };
    const decision = await gate.decide(input, context);
    const isOld = word === "fresh question 3";
    expect(decision).toMatchObject({ action: "accept_new_best", score: isOld ? 0.9 : 1 });
    expect(decision.standing.known).toEqual(judged.map(({ id }) => (isOld && id === "v3" ? 0 : 1)));
  }
});

test("strict does not judge on missing results", async () => {
  const gate = chooseGate({ gate: "strict" });
  const settings = { gate: "strict", trials: 1, maxPendingShare: 0.9 } as const;
  const { standing } = await measureOriginal(gate, skill(0.5), val, counts, await world(settings));
  const failing = await scriptedContext(
    (request) =>
      request.messages[0]?.content.endsWith(" 7") === true ? new InfraError("transport", "down") : "right",
    settings,
  );
  const decision = await gate.decide({ ...inputOf(0.9), standing }, failing);
  expect(decision).toMatchObject({ action: "undecided", standing });
});
