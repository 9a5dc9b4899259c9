import { expect, test } from "vitest";
import { nextAfterRun, nextAfterTraining } from "./next-step.ts";

const run = "0123456789abcdef";

test("every ending of a run has a next step", () => {
  const summary = { run, verdict: "unchanged", judged: 2 };
  for (const command of ["train", "eval", "compare", "draft", "sleep"] as const)
    for (const status of ["done", "stopped"] as const)
      expect(nextAfterRun({ run, command, status, ...(command === "train" && { summary }) })).toMatch(/\w/);
  expect(nextAfterRun({ run, command: "train", status: "stopped", next: "Add a key." })).toBe("Add a key.");
});

test("an original that stays names the way on that fits its end", () => {
  const kept = { run, verdict: "unchanged", judged: 3 } as const;
  expect(nextAfterTraining(kept)).toMatch(/add tasks, or steps \(--more, one higher.*runs show 01234567/);
  const undecided = "2 rules are undecided: the same command with `--more 1` goes on from here.";
  expect(nextAfterTraining({ ...kept, undecided })).toBe(undecided);
  expect(nextAfterTraining({ ...kept, judged: 0, ended: "nothing to learn" })).toMatch(
    /tasks that the skill fails/,
  );
});

test("a run is listed with its own id, also where its summary doesn't name it", () => {
  const summary = { verdict: "better", judged: 3 };
  expect(nextAfterRun({ run, command: "train", status: "done", summary })).toBe(
    "whetstone diff 01234567, then whetstone adopt 01234567",
  );
});

test("a skill from code has no file to adopt into", () => {
  const summary = { run, verdict: "better", judged: 3 };
  const state = { run, command: "train", status: "done", summary } as const;
  expect(nextAfterRun(state)).toBe("whetstone diff 01234567, then whetstone adopt 01234567");
  expect(nextAfterRun(state, false)).toContain("the skill came from code");
});
