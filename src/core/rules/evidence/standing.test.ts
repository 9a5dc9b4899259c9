import { expect, test } from "vitest";
import { type Measured, isUndecided, mostPromising, standingsOf } from "./standing.ts";
import { taskEvidence } from "../../../../test/support/task-evidence.ts";
import type { TaskEvidence } from "./toss.ts";

const tasks = taskEvidence;

const wording = (evidence: readonly TaskEvidence[], more: Partial<Measured> = {}): Measured => ({
  evidence,
  weight: 1,
  ...more,
});

test("a wording works on a few tasks long before it is proven", () => {
  const useless = wording(tasks(3, 0, 0));
  expect(standingsOf([wording(tasks(3, 1, 0)), useless])).toEqual(["works", "open"]);
  expect(standingsOf([wording(tasks(12, 1, 0)), useless])).toEqual(["proven", "open"]);
});

test("each wording that was ever measured makes proof dearer; one that never was does not", () => {
  const strong = wording(tasks(6, 1, 0));
  expect(standingsOf([strong])[0]).toBe("proven");
  expect(standingsOf([strong, wording([]), wording([])])[0]).toBe("proven");
  expect(standingsOf([strong, ...Array.from({ length: 5 }, () => wording(tasks(1, 0, 0)))])[0]).toBe("works");
});

test("tasks of other habits never prove, but can show harm", () => {
  expect(standingsOf([wording(tasks(30, 1, 0, { isOwn: false }))])).toEqual(["open"]);
  expect(standingsOf([wording([...tasks(12, 1, 0), ...tasks(6, 0, 1, { isOwn: false })])])).toEqual([
    "harms",
  ]);
  expect(standingsOf([wording(tasks(3, 0, 1))])).toEqual(["harms"]);
});

test("a proof waits while other tasks speak against the wording", () => {
  const proof = (lost: number) =>
    standingsOf([wording([...tasks(12, 1, 0), ...tasks(lost, 0, 1, { isOwn: false })])])[0];
  expect([proof(0), proof(1), proof(2)]).toEqual(["proven", "proven", "works"]);
});

test("what shows nothing on eight tasks of its habit leaves the queue", () => {
  expect(standingsOf([wording(tasks(7, 1, 1))])).toEqual(["open"]);
  const [standing = "open"] = standingsOf([wording(tasks(8, 1, 1))]);
  expect(standing).toBe("hopeless");
  expect(isUndecided(standing)).toBe(false);
});

test("what was proven stays so, however many are tried later", () => {
  const proven = wording(tasks(6, 1, 0), { proven: "0003" });
  const later = Array.from({ length: 20 }, () => wording(tasks(2, 0, 0)));
  expect(standingsOf([proven, ...later])[0]).toBe("proven");
});

test("the most promising are measured first: what shows most, and was said most", () => {
  const [shown, often, rare] = [wording(tasks(3, 1, 0)), wording([], { weight: 3 }), wording([])];
  expect(mostPromising([rare, often, shown], 2)).toEqual([shown, often]);
});
