import { expect, test } from "vitest";
import { wishStandingText } from "./evidence-words.ts";
import { taskEvidence } from "../../../../test/support/task-evidence.ts";

const tasks = taskEvidence;

test("numbers are rollouts in each arm, on tasks of the habit alone", () => {
  const evidence = [...tasks(4, 1, 0), ...tasks(5, 0, 1, { isOwn: false })];
  expect(wishStandingText("works", evidence)).toBe(
    "works on your tasks, not proven: 0 of 12 → 12 of 12 on 4 of your tasks",
  );
  expect(wishStandingText("open", tasks(1, 0, 1))).toBe("not proven: 3 of 3 → 0 of 3 on 1 of your tasks");
});

test("scores that are more than right or wrong are told in per cent", () => {
  expect(wishStandingText("open", tasks(2, 0.75, 0.5))).toBe("not proven: 50% → 75% on 2 of your tasks");
});

test("of real conversations it says in how many the person would have been spared", () => {
  const talks = (count: number, after: number) =>
    tasks(count, after, 0).map((one) => ({ ...one, task: `${after} ${one.task}`, isTalk: true }));
  expect(wishStandingText("works", [...talks(5, 1), ...talks(1, 0.5), ...tasks(1, 1, 0)])).toContain(
    "on 7 of your tasks; with it, you wouldn't have had to say it in 5 of 6 conversations",
  );
});

test("nothing is said of what was not rolled", () => {
  expect(wishStandingText("open", tasks(3, 1, 1, { isOwn: false }))).toBe("");
  expect(wishStandingText("harms", tasks(3, 0, 1, { isOwn: false }))).toBe("does harm on other tasks");
});
