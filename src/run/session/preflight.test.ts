import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { type FaultKind, hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { evaluate } from "../verbs/evaluate.ts";

const world = hiddenRuleWorld({ seed: 3, rules: 4 });

/** An evaluation whose first calls all fail like this. */
async function evaluateAfter(fault: FaultKind, failing: number) {
  let calls = 0;
  const server = await startScriptedServer({
    seed: 3,
    world,
    faults: () => {
      calls += 1;
      return calls <= failing ? fault : undefined;
    },
  });
  onTestFinished(() => server.close());
  const result = await evaluate({
    skill: singleFileSkill(world.seedSkill(2)),
    tasks: world.splits({ train: 2, val: 6, test: 2 }),
    target: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 200 },
    journal: await tempDir(),
  }).catch((error: unknown) => error);
  return { result, calls };
}

test.each(["429", "429-no-header", "500", "503"] as const)(
  "a first call that meets a %s is tried again",
  async (fault) => {
    const { result, calls } = await evaluateAfter(fault, 1);
    expect(result).toMatchObject({ summary: { tasks: 6 } });
    expect(calls).toBe(1 + 1 + 6);
  },
);

test("a key that is refused costs one call; a server that only fails costs three", async () => {
  const dead = await evaluateAfter("401", 1000);
  expect(dead).toMatchObject({ result: { code: "provider-refused" }, calls: 1 });
  const down = await evaluateAfter("503", 1000);
  expect(down).toMatchObject({ result: { code: "too-many-pending" }, calls: 3 });
  expect(String(down.result)).toContain("503");
});

test("further fields are part of a call's key: another seed buys anew, the same one does not", async () => {
  const server = await startScriptedServer({ seed: 3, world, record: true });
  onTestFinished(() => server.close());
  const options = {
    skill: singleFileSkill(world.seedSkill(2)),
    tasks: world.splits({ train: 2, val: 6, test: 2 }),
    target: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 200 },
    journal: await tempDir(),
  };
  await evaluate(options);
  const { id } = await evaluate({ ...options, extraBody: { target: { seed: 1 } } });
  expect(server.callCount).toBe(2 * 7);
  await evaluate({ ...options, extraBody: { target: { seed: 1 } } });
  expect(server.callCount).toBe(2 * 7);
  expect((await evaluate({ ...options, extraBody: { target: { seed: 2 } } })).id).not.toBe(id);
  expect(server.callCount).toBe(3 * 7);
});

test("fields that a run says itself are refused, and those for a provider that would not get them", async () => {
  const server = await startScriptedServer({ seed: 3, world });
  onTestFinished(() => server.close());
  const options = { skill: singleFileSkill("Be brief."), tasks: world.splits({ train: 2, val: 2, test: 2 }) };
  const own = { ...options, target: "office/target", baseURL: `${server.url}/v1` };
  for (const field of ["max_tokens", "n", "model"])
    await expect(evaluate({ ...own, extraBody: { target: { [field]: 9 } } })).rejects.toMatchObject({
      code: "config-invalid",
    });
  const vendor = { ...options, target: "anthropic/claude-sonnet-4-5", extraBody: { target: { seed: 1 } } };
  await expect(evaluate(vendor)).rejects.toThrow("extraBody.target is for OpenAI-compatible servers");
  expect(server.callCount).toBe(0);
});
