import { expect, test } from "vitest";
import { paperSettings } from "../../../test/support/scripted-run.ts";
import { singleFileSkill } from "../skill/skill.ts";
import { chatEnvironment } from "./chat-environment.ts";
import type { Environment } from "./environment.ts";
import { captureRequests, requestBytes } from "./capture-requests.ts";

const task = { id: "a", input: "How many?", system: "Digits only.", answers: ["12"] };
const skill = singleFileSkill("Count twice.");

test("the prompt of a rollout is known without sending it", async () => {
  const [request, second] = await captureRequests(task, skill, chatEnvironment, paperSettings);
  expect(request).toEqual({
    system: "Count twice.\n\nDigits only.",
    messages: [{ role: "user", content: "How many?" }],
  });
  expect(second).toBeUndefined();
  expect(requestBytes({ system: "é", messages: [{ role: "user", content: "€" }] })).toBe(5);
});

test("an environment that may touch the world is not run", async () => {
  let runs = 0;
  const environment: Environment = {
    name: "world",
    version: "1",
    run: async () => {
      runs += 1;
      throw new Error("touched");
    },
  };
  expect(await captureRequests(task, skill, environment, paperSettings)).toHaveLength(1);
  expect(runs).toBe(0);
});
