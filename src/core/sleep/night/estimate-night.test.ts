import fc from "fast-check";
import { expect, test } from "vitest";
import { paperSettings } from "../../../../test/support/scripted-run.ts";
import { type NightEstimateInput, estimateNight } from "./estimate-night.ts";
import { digestOf, minedTask } from "../mined-for-test.ts";
import { memoryDocument, nightSettings, skillDocument } from "../night-for-test.ts";

const price = { input: 1, output: 5 };
const night = (talks: number, more: Partial<NightEstimateInput> = {}): NightEstimateInput => ({
  conversations: Array.from({ length: talks }, (_, at) =>
    digestOf(`c-${at}`, [`Question ${at}?`, "no, use pnpm"]),
  ),
  documents: [skillDocument(), memoryDocument()],
  rules: [],
  archive: [],
  settings: { ...nightSettings, attempts: 3, maxTasks: 40, recall: 4, paraphrases: 1 },
  nights: [],
  train: paperSettings,
  measured: { optimizer: new Map() },
  prices: { miner: price, target: price, optimizer: price, judge: price },
  isAgent: false,
  models: 2,
  ...more,
});

const middle = ({ calls }: { readonly calls: { readonly low: number; readonly high: number } }) =>
  Math.sqrt(calls.low * calls.high);

test("the dear end is never more than three times the cheap one, and the mining is always in it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 5 }), (talks, trials) => {
      const { calls, nanoUsd } = estimateNight(
        night(talks, { settings: { ...night(1).settings, trials, attempts: trials } }),
      );
      for (const { low, high } of [calls, nanoUsd]) {
        expect(high).toBeGreaterThanOrEqual(low);
        expect(high).toBeLessThanOrEqual(3 * low);
      }
      expect(calls.high).toBeGreaterThan(talks);
    }),
    { numRuns: 25 },
  );
});

test("more conversations, more trials and open rules make a night dearer; without the gate it is cheaper", () => {
  const usual = night(20);
  const rule = {
    id: "r",
    document: "memory:CLAUDE.md",
    edit: { op: "add", text: "Use pnpm." },
    origin: "learned",
    provenance: { conversations: ["a", "b"], tasks: ["t"] },
    nights: [{ night: "0001", wins: 1, losses: 0, ties: 0, tasks: ["v"] }],
    status: "open",
    reason: "",
  } as const;
  const base = middle(estimateNight(usual));
  expect(middle(estimateNight(night(40)))).toBeGreaterThan(base);
  expect(middle(estimateNight(night(20, { settings: { ...usual.settings, trials: 6 } })))).toBeGreaterThan(
    base,
  );
  expect(
    middle(estimateNight(night(20, { rules: [rule, { ...rule, id: "s" }, { ...rule, id: "t" }] }))),
  ).toBeGreaterThan(base);
  expect(middle(estimateNight(night(20, { settings: { ...usual.settings, gate: "off" } })))).toBeLessThan(
    base,
  );
});

test("reviewed tasks are not mined", () => {
  const tasks = [minedTask("a", "Question one?", ["c-1"]), minedTask("b", "Another one?", ["c-2"])];
  const { planned } = estimateNight(night(0, { tasks, models: 0 }));
  expect(planned.miner).toMatchObject({ calls: 0, nanoUsd: 0 });
  expect(planned.target?.calls).toBeGreaterThan(0);
});

test("nights that took twice what they were reckoned to raise the next estimate", () => {
  const { planned } = estimateNight(night(20));
  const twice = Object.fromEntries(
    Object.entries(planned).map(([role, cost]) => [role, { ...cost, calls: 2 * cost.calls }]),
  );
  const past = { conversations: 20, tasks: 16, planned, cost: twice };
  const exact = { ...past, cost: planned };
  expect(middle(estimateNight(night(20, { nights: [past, past, past] })))).toBeGreaterThan(
    1.3 * middle(estimateNight(night(20, { nights: [exact, exact, exact] }))),
  );
});

test("the same night is always estimated the same", () => {
  expect(estimateNight(night(13))).toEqual(estimateNight(night(13)));
});
