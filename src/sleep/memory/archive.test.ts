import { expect, test } from "vitest";
import { expireArchive, updateArchive } from "./archive.ts";
import { minedTask } from "../../../test/support/mined-tasks.ts";

const zod = minedTask("m-1", "Add zod.", ["a"], { outcome: "failed" });
const notes = minedTask("m-2", "Write release notes.", ["b"]);
const first = updateArchive([], { night: "0001", at: 1000, train: [zod], val: [notes] });

test("a night's tasks are kept with their split and what came of them", () => {
  expect(first).toEqual([
    {
      ...zod,
      split: "train",
      firstSeen: "0001",
      lastSeen: "0001",
      seenAt: 1000,
      times: 1,
      outcomes: [{ night: "0001", outcome: "failed" }],
      wonBy: [],
    },
    expect.objectContaining({ split: "val", task: notes.task }),
  ]);
});

test("a task that is seen again keeps its words, checks and split, and remembers the night and the conversations", () => {
  const again = {
    ...zod,
    seen: ["a", "c"],
    outcome: "solved" as const,
    task: { ...zod.task, input: "Other words." },
  };
  const [known] = updateArchive(first, { night: "0002", at: 2000, train: [], val: [again] });
  expect(known).toMatchObject({
    task: zod.task,
    split: "train",
    firstSeen: "0001",
    lastSeen: "0002",
    seenAt: 2000,
    times: 2,
    seen: ["a", "c"],
    outcomes: [
      { night: "0001", outcome: "failed" },
      { night: "0002", outcome: "solved" },
    ],
  });
});

test("a night that is added twice counts once", () => {
  const night = { night: "0002", at: 2000, train: [zod], val: [], won: new Map([["m-2", ["r"]]]) };
  const once = updateArchive(first, night);
  expect(updateArchive(once, night)).toEqual(once);
});

test("who won a task is remembered, also for tasks that were not seen tonight", () => {
  const won = new Map([["m-2", ["r2", "r1"]]]);
  const after = updateArchive(first, { night: "0002", at: 2000, train: [], val: [], won });
  expect(after.map(({ wonBy }) => wonBy)).toEqual([[], ["r1", "r2"]]);
  expect(after[1]?.lastSeen).toBe("0001");
});

test("what no conversation held for so many days is gone", () => {
  const day = 86_400_000;
  const later = updateArchive(first, { night: "0009", at: 9 * day, train: [zod], val: [] });
  expect(expireArchive(later, { now: 20 * day, days: 14 }).map(({ task }) => task.id)).toEqual(["m-1"]);
  expect(expireArchive(later, { now: 40 * day, days: 14 })).toEqual([]);
});
