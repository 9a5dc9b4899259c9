import fc from "fast-check";
import { expect, test } from "vitest";
import { type ArchivedTask, updateArchive } from "./archive.ts";
import { minedTask } from "../../../test/support/mined-tasks.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import { splitNight } from "./split-night.ts";

const task = (id: string, ...seen: readonly string[]): MinedTask => minedTask(id, `Do ${id}.`, seen);
const idsOf = (tasks: readonly MinedTask[]) => tasks.map(({ task }) => task.id);

test("fault 5: tasks of one conversation, and conversations that share a task, are never on both sides", () => {
  const conversations = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(fc.array(conversations, { maxLength: 12 }), fc.integer(), (lists, seed) => {
      const tasks = lists.map((seen, at) => task(`m-${at}`, ...new Set(seen)));
      const { train, val } = splitNight(tasks, { archive: [], seed });
      expect([...idsOf(train), ...idsOf(val)].toSorted()).toEqual(idsOf(tasks).toSorted());
      const held = new Set(val.flatMap(({ seen }) => seen));
      expect(train.flatMap(({ seen }) => seen).filter((id) => held.has(id))).toEqual([]);
    }),
  );
});

test("fault 5: what was divided on one night stays there on all later ones", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.nat({ max: 15 }), { maxLength: 6 }), { maxLength: 6 }),
      fc.integer(),
      (nights, seed) => {
        let archive: readonly ArchivedTask[] = [];
        const first = new Map<string, string>();
        for (const [at, numbers] of nights.entries()) {
          const tonight = [...new Set(numbers)].map((number) => task(`m-${number}`, `c${number % 5}`));
          const { train, val } = splitNight(tonight, { archive, seed });
          for (const [name, side] of [
            ["train", train],
            ["val", val],
          ] as const)
            for (const { seen } of side) {
              const [id = ""] = seen;
              expect(first.get(id) ?? name).toBe(name);
              first.set(id, name);
            }
          archive = updateArchive(archive, { night: `000${at}`, at, train, val });
        }
      },
    ),
  );
});

test("a conversation's own draw depends on seed and id, not on the night or its order", () => {
  const tasks = Array.from({ length: 40 }, (_, at) => task(`m-${at}`, `c${at}`));
  const { val } = splitNight(tasks, { archive: [], seed: 7 });
  expect(idsOf(splitNight(tasks.toReversed(), { archive: [], seed: 7 }).val).toSorted()).toEqual(
    idsOf(val).toSorted(),
  );
  const half = tasks.slice(0, 20);
  const expected = idsOf(val).filter((id) => idsOf(half).includes(id));
  expect(idsOf(splitNight(half, { archive: [], seed: 7 }).val)).toEqual(expected);
  expect(val.length).toBeGreaterThan(10);
  expect(val.length).toBeLessThan(30);
});

test("fault 4: with four tasks or more of as many conversations there are two in val, and always one in train", () => {
  for (let seed = 0; seed < 300; seed += 1)
    for (const count of [2, 3, 4, 6]) {
      const tasks = Array.from({ length: count }, (_, at) => task(`m-${at}`, `c${at}`));
      const { train, val } = splitNight(tasks, { archive: [], seed });
      expect(val.length).toBeGreaterThanOrEqual(count >= 4 ? 2 : 1);
      expect(train.length).toBeGreaterThanOrEqual(1);
    }
});

test("one conversation alone is learned from, and judged on other nights", () => {
  for (let seed = 0; seed < 20; seed += 1)
    expect(splitNight([task("m-1", "a"), task("m-2", "a")], { archive: [], seed }).val).toEqual([]);
});

test("a task that recurs every night does not draw every new conversation to its side", () => {
  let archive: readonly ArchivedTask[] = updateArchive([], {
    night: "0",
    at: 0,
    train: [task("m-daily", "c0")],
    val: [],
  });
  let heldOut = 0;
  for (let night = 1; night <= 10; night += 1) {
    const ids = [0, 1, 2, 3].map((at) => `n${night}-${at}`);
    const daily = task("m-daily", "c0", ...ids);
    const fresh = ids.map((id) => task(`m-${id}`, id));
    const { train, val } = splitNight([daily, ...fresh], { archive, seed: 1 });
    expect(idsOf(train)).toContain("m-daily");
    expect(train.length).toBeGreaterThanOrEqual(2);
    heldOut += val.length;
    archive = updateArchive(archive, { night: String(night), at: night, train, val });
  }
  expect(heldOut).toBeGreaterThanOrEqual(10);
  for (const { task: known, split } of archive.slice(1)) {
    const later = splitNight([task("m-later", known.group ?? "")], { archive, seed: 1 });
    expect(idsOf(later[split])).toEqual(["m-later"]);
  }
});
