import { expect, test } from "vitest";
import { scriptedRun } from "../../../test/support/scripted-run.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Agent } from "../../core/ports/agent.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { runId } from "./run-id.ts";

const task = (kind: string) => ({ id: "1", input: "?", checks: [{ kind, value: "x" }] });

function id(rest: Partial<Resolved>, kind = "contains"): string {
  const splits = { train: [task(kind)], val: [task(kind)], test: [] };
  return runId("train", scriptedRun({ url: "http://127.0.0.1:9", skill: "# S", splits, rest }));
}

test("another scorer is another run", () => {
  expect(id({ scorerHashes: {} })).toBe(id({}));
  expect(id({ scorerHashes: { "./s.ts": "aa" } })).not.toBe(id({ scorerHashes: { "./s.ts": "bb" } }));
});

test("another judge is another run only where something is judged", () => {
  const models = { target: "a/t", optimizer: "a/o", judge: "a/o", miner: "a/o" };
  const other = { ...models, judge: "b/j" };
  expect(id({ models: other })).toBe(id({ models }));
  expect(id({ models: other }, "rubric")).not.toBe(id({ models }, "rubric"));
});

test("another version of an agent, and other skills beside it, are another run", () => {
  const agents = (version: string) => {
    const agent: Agent = { id: "a/t", version, parallel: 1, run: () => Promise.reject(new Error("unused")) };
    return new Map([["scripted/target-1", agent]]);
  };
  const ids = [
    id({ agents: new Map() }),
    id({ agents: agents("1") }),
    id({ agents: agents("2") }),
    id({ agents: agents("1"), neighbours: [singleFileSkill("# Other")] }),
  ];
  expect(ids[0]).toBe(id({}));
  expect(new Set(ids).size).toBe(4);
});
