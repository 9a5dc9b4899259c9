import { expect, test } from "vitest";
import { type ScriptedContext, scriptedContext } from "../../../test/support/scripted-context.ts";
import { InfraError } from "../errors.ts";
import { seededRandom } from "../random.ts";
import type { TrainSettings } from "../settings.ts";
import { singleFileSkill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { decideCandidate, startGate } from "./decide.ts";

const val: readonly Task[] = Array.from({ length: 40 }, (_, at) => ({
  id: `v${at}`,
  input: `question ${at}`,
  answers: ["right"],
}));

/** A skill of the text `p=0.7` makes the target right on that share of tasks, always on the same ones unless noisy. */
async function world(settings: Partial<TrainSettings>, noisy = false): Promise<ScriptedContext> {
  return scriptedContext((request, nth) => {
    const share = Number(/p=([\d.]+)/.exec(request.system ?? "")?.[1]);
    const question = request.messages[0]?.content ?? "";
    const draw = noisy ? seededRandom("draw", nth)() : Number(/\d+/.exec(question)?.[0]) / val.length;
    return draw < share ? "right" : "wrong";
  }, settings);
}

const skill = (share: number) => singleFileSkill(`p=${share}`);

async function decideOn(context: ScriptedContext, original: number, candidate: number, proposals = 4) {
  const { standing } = await startGate(skill(original), val, context);
  const before = context.requests.length;
  const judgement = await decideCandidate(
    {
      candidate: skill(candidate),
      step: 1,
      original: skill(original),
      standing,
      val,
      proposals,
      proposalsLeft: proposals,
    },
    context,
  );
  return { ...judgement, rollouts: context.requests.length - before };
}

test("strict accepts a greater mean, rejects a tie, and stops when the bar is out of reach", async () => {
  const context = await world({ gate: "strict", stopEarly: true });
  expect(await decideOn(context, 0.5, 0.6)).toMatchObject({
    action: "accept_new_best",
    score: 0.6,
    rollouts: 40,
  });
  expect(await decideOn(await world({ gate: "strict", stopEarly: true }), 0.5, 0.5)).toMatchObject({
    action: "reject",
  });
  const bad = await decideOn(await world({ gate: "strict", stopEarly: true }), 0.5, 0);
  expect(bad).toMatchObject({ action: "reject", rollouts: 24 });
  expect(bad.reason).toContain("could not reach 50.0 %");
});

test("filter on a target without noise is strict with the exact stop", async () => {
  const context = await world({ gate: "filter" });
  expect(await decideOn(context, 0.5, 0.6)).toMatchObject({ action: "accept_new_best" });
  const rejected = await decideOn(await world({ gate: "filter" }), 0.5, 0.1);
  expect(rejected.action).toBe("reject");
  expect(rejected.rollouts).toBeLessThan(40);
});

test.each([false, true])(
  "filter has a pass over val for the only candidate of a run (noisy: %s)",
  async (noisy) => {
    const only = await decideOn(await world({ gate: "filter" }, noisy), 0.3, 0.9, 1);
    expect(only).toMatchObject({ action: "accept_new_best" });
  },
);

test("filter keeps a clearly better candidate of a noisy target and drops a clearly worse one", async () => {
  expect(await decideOn(await world({ gate: "filter" }, true), 0.3, 0.9)).toMatchObject({
    action: "accept_new_best",
  });
  expect(await decideOn(await world({ gate: "filter" }, true), 0.7, 0.1)).toMatchObject({ action: "reject" });
});

test("paired accepts only what is significant, on fresh draws of the incumbent", async () => {
  const better = await decideOn(await world({ gate: "paired", trials: 3 }, true), 0.3, 0.9);
  expect(better).toMatchObject({ action: "accept_new_best" });
  expect(better.evidence?.p).toBeLessThanOrEqual(0.1);
  const same = await decideOn(
    await world({ gate: "paired", trials: 1, alpha: 0.01, stopEarly: true }, true),
    0.5,
    0.5,
  );
  expect(same.action).toBe("reject");
  expect(same.rollouts).toBeLessThan(40);
});

test("off buys nothing and says so", async () => {
  const context = await world({ gate: "off" });
  const { action, reason, standing } = await decideOn(context, 0.5, 0.1);
  expect(action).toBe("accept");
  expect(reason).toContain("unverified");
  expect(standing.best.score).toBeNull();
  expect(context.requests).toHaveLength(0);
});

test.each(["strict", "filter"] as const)("%s does not judge on missing results", async (gate) => {
  const answer = await world({ gate, trials: 1, maxPendingShare: 0.9 }, true);
  const { standing } = await startGate(skill(0.5), val, answer);
  const failing = await scriptedContext(
    (request) =>
      request.messages[0]?.content.endsWith(" 7") === true ? new InfraError("transport", "down") : "right",
    { gate, trials: 1, maxPendingShare: 0.9 },
  );
  const input = {
    candidate: skill(0.9),
    step: 1,
    original: skill(0.5),
    standing,
    val,
    proposals: 4,
    proposalsLeft: 4,
  };
  expect(await decideCandidate(input, failing)).toMatchObject({ action: "undecided", standing });
});

test("paired is undecided while missing results could change the verdict", async () => {
  const answering = await world({ gate: "paired", trials: 1 }, true);
  const { standing } = await startGate(skill(0.5), val, answering);
  const failing = await scriptedContext(() => new InfraError("transport", "down"), {
    gate: "paired",
    trials: 1,
    maxPendingShare: 1,
  });
  const input = {
    candidate: skill(0.9),
    step: 1,
    original: skill(0.5),
    standing,
    val,
    proposals: 4,
    proposalsLeft: 4,
  };
  expect(await decideCandidate(input, failing)).toMatchObject({ action: "undecided", standing });
});
