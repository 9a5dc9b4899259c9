import { expect, test } from "vitest";
import { addCost, noCost } from "../../core/cost.ts";
import { tookText } from "./night-took.ts";

const cost = (calls: number, nanoUsd = 0) => ({ calls, nanoUsd, tokens: 0 });
const models = { miner: "codex/gpt", target: "codex/gpt", optimizer: "openai/large", judge: "openai/large" };

test.each([
  ["calls that are sold", { target: cost(1, 2e7) }, [], "1 call, $0.020"],
  [
    "a login alone",
    { miner: cost(10), target: cost(30) },
    ["codex/gpt"],
    "40 calls: all count against the login of codex/gpt",
  ],
  [
    "a login beside a key",
    { miner: cost(10), target: cost(20), optimizer: cost(10, 5e7) },
    ["codex/gpt"],
    "40 calls: about 75% count against the login of codex/gpt, the others cost $0.050",
  ],
  ["nobody's price", { target: cost(3) }, [], "3 calls"],
])("%s: no free lunch is claimed", (_, costs, logins, text) => {
  const spent = Object.values(costs).reduce(addCost, noCost);
  expect(tookText(spent, costs, { models, logins })).toBe(text);
});

test("what a person answered is said to be questions", () => {
  const byHand = { miner: "handoff/me", target: "handoff/me", optimizer: "handoff/me", judge: "handoff/me" };
  const costs = { miner: cost(10), optimizer: cost(2) };
  expect(tookText(cost(12), costs, { models: byHand })).toBe("12 calls: all are questions for you");
});
