import { expect, test } from "vitest";
import { standingText } from "./evidence-words.ts";
import type { TaskEvidence } from "./toss.ts";

const tasks = (count: number, after: number, before: number, isOwn = true): readonly TaskEvidence[] =>
  Array.from({ length: count }, (_, at) => ({
    task: String(at),
    night: "0001",
    isOwn,
    tosses: Array.from({ length: 3 }, (__, nth) =>
      nth % 2 === 0
        ? { on: true, chance: 0.5, score: after, other: before }
        : { on: false, chance: 0.5, score: before, other: after },
    ),
  }));

test("numbers are rollouts in each arm, on tasks of the habit alone", () => {
  const evidence = [...tasks(4, 1, 0), ...tasks(5, 0, 1, false)];
  expect(standingText("works", evidence)).toBe(
    "works on your tasks, not proven: 0 of 12 → 12 of 12 on 4 of your tasks",
  );
  expect(standingText("open", tasks(1, 0, 1))).toBe("not proven: 3 of 3 → 0 of 3 on 1 of your tasks");
});

test("scores that are more than right or wrong are told in per cent", () => {
  expect(standingText("open", tasks(2, 0.75, 0.5))).toBe("not proven: 50 % → 75 % on 2 of your tasks");
});

test("nothing is said of what was not rolled", () => {
  expect(standingText("open", tasks(3, 1, 1, false))).toBe("");
  expect(standingText("harms", tasks(3, 0, 1, false))).toBe("does harm on other tasks");
});
