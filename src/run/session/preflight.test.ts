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
