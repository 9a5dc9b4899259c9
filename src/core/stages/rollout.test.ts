import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { environmentContext } from "./rollout.ts";

const plan = {
  split: "val",
  draw: { purpose: "gate", trial: 0 },
  place: { role: "target", step: 0, stage: "baseline" },
} as const;

const question = { messages: [{ role: "user", content: "?" }] } as const;

test("an environment's own question to a judge has three tries; a target's silence that was paid is its reply", async () => {
  const context = await scriptedContext((_, nth) => (nth % 3 === 0 ? "yes" : ""));
  const { judge, model } = environmentContext(plan, context, () => {});
  expect((await judge.generate(question)).text).toBe("yes");
  expect(context.requests).toHaveLength(3);
  expect((await model.generate(question)).text).toBe("");
  expect(context.requests).toHaveLength(4);
});
