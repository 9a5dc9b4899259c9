import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countNight, eValue, freshTasks, provenAt, tallyOf, verdictOn, withNight } from "./evidence.ts";
import type { MinedTask } from "../mine/mined-task.ts";
import type { Rule } from "./rule.ts";

const tally = (wins: number, losses: number, ties = 0, nights = 1) => ({ wins, losses, ties, nights });

const rule = (more: Partial<Rule> = {}): Rule => ({
  id: "r",
  document: "skill:a",
  edit: { op: "add", text: "x" },
  origin: "learned",
  provenance: { conversations: ["c1", "c2"], tasks: ["t1"] },
  nights: [],
  status: "open",
  reason: "",
  ...more,
});

const mined = (id: string, ...seen: string[]): MinedTask => ({
  task: { id, input: id, answers: ["x"] },
  kind: "task",
  seen,
  outcome: "unknown",
  evidence: [],
  scope: "project",
  paraphrases: [],
});

describe("the e-value", () => {
  test("is that of the formula, term by term", () => {
    expect(eValue(0, 0)).toBeCloseTo(1, 12);
    expect(eValue(1, 0)).toBeCloseTo(3 / 2, 12);
    expect(eValue(0, 1)).toBeCloseTo(1 / 2, 12);
    // (2^(b+1) − 1)/(b+1) without a loss
    for (let wins = 0; wins <= 12; wins += 1) {
      expect(eValue(wins, 0)).toBeCloseTo((2 ** (wins + 1) - 1) / (wins + 1), 8);
    }
    // 64·∫ p⁴(1−p) dp over [½, 1], by hand
    expect(eValue(4, 1)).toBeCloseTo(64 * (1 / 30 - (1 / 160 - 1 / 384)), 10);
  });

  test("stays a number for a rule that is tested for years", () => {
    expect(eValue(4000, 4000)).toBeGreaterThan(0);
    expect(Number.isFinite(eValue(500, 400))).toBe(true);
  });

  test("never gains by the mean over a fair coin: what Ville's inequality needs", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), (wins, losses) => {
        const next = (eValue(wins + 1, losses) + eValue(wins, losses + 1)) / 2;
        expect(next).toBeCloseTo(eValue(wins, losses), 6 - Math.ceil(Math.log10(1 + next)));
      }),
    );
  });

  test("grows with every win and falls with every loss", () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), (wins, losses) => {
        expect(eValue(wins + 1, losses)).toBeGreaterThan(eValue(wins, losses));
        expect(eValue(wins, losses + 1)).toBeLessThan(eValue(wins, losses));
      }),
    );
  });
});

describe("a verdict", () => {
  test("five wins without a loss prove a rule, four do not", () => {
    expect(verdictOn(tally(4, 0))).toBe("open");
    expect(verdictOn(tally(5, 0))).toBe("proven");
    expect(eValue(5, 0)).toBeGreaterThanOrEqual(provenAt);
  });

  test("a rule is rejected when losses clearly lead: three to none, six to one", () => {
    expect(verdictOn(tally(0, 2))).toBe("open");
    expect(verdictOn(tally(0, 3))).toBe("rejected");
    expect(verdictOn(tally(1, 5))).toBe("open");
    expect(verdictOn(tally(1, 6))).toBe("rejected");
  });

  test("a rule without a sign is dropped after 40 tasks or 20 nights, one with a sign stays open", () => {
    expect(verdictOn(tally(6, 6, 27, 10))).toBe("open");
    expect(verdictOn(tally(6, 6, 28, 10))).toBe("dropped");
    expect(verdictOn(tally(0, 1, 3, 20))).toBe("dropped");
    expect(verdictOn(tally(3, 1, 40, 20))).toBe("open");
  });

  test("a rule that changes nothing at all is dropped too", () => {
    expect(verdictOn(tally(0, 0, 39))).toBe("open");
    expect(verdictOn(tally(0, 0, 40))).toBe("dropped");
  });
});

describe("a night's evidence", () => {
  test("a task is won, lost or tied by the means of its trials", () => {
    const counted = countNight("n1", [
      { task: "a", incumbent: [0, 0, 1], candidate: [1, 1, 0] },
      { task: "b", incumbent: [1, 1, 1], candidate: [1, 0, 1] },
      { task: "c", incumbent: [0, 1, 0], candidate: [1, 0, 0] },
    ]);
    expect(counted).toEqual({ night: "n1", wins: 1, losses: 1, ties: 1, tasks: ["a", "b", "c"] });
  });

  test("a task with a missing result in either arm does not count and stays fresh", () => {
    const counted = countNight("n1", [
      { task: "a", incumbent: [null, 0, 0], candidate: [1, 1, 1] },
      { task: "b", incumbent: [0, 0, 0], candidate: [1, null, 1] },
    ]);
    expect(counted).toMatchObject({ wins: 0, losses: 0, ties: 0, tasks: [] });
    const before = rule();
    expect(withNight(before, counted)).toBe(before);
  });

  test("no task counts twice for a rule, nor one of its own conversations", () => {
    const tested = rule({ nights: [{ night: "n1", wins: 1, losses: 0, ties: 0, tasks: ["t2"] }] });
    const tasks = [mined("t1", "c9"), mined("t2", "c8"), mined("t3", "c1", "c7"), mined("t4", "c5")];
    expect(freshTasks(tested, tasks).map(({ task }) => task.id)).toEqual(["t4"]);
  });

  test("nights add up", () => {
    const nights = [
      { night: "n1", wins: 1, losses: 0, ties: 2, tasks: ["a"] },
      { night: "n2", wins: 2, losses: 1, ties: 0, tasks: ["b"] },
    ];
    expect(tallyOf({ nights })).toEqual({ wins: 3, losses: 1, ties: 2, nights: 2 });
  });
});
