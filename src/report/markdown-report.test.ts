import { expect, test } from "vitest";
import { foundRules } from "../../test/support/measured-rules.ts";
import type { Json } from "../core/json.ts";
import { markdownReport } from "./markdown-report.ts";
import { type RunReport, reportVersion } from "./model.ts";

const cost = { nanoUsd: 12_000_000, tokens: 900, calls: 3 };
const report: RunReport = {
  v: reportVersion,
  seq: 9,
  overview: {
    v: reportVersion,
    id: "0123456789abcdef",
    command: "train",
    status: "done",
    verdict: "better",
    sentence: "Better: +20.0 points.",
    skill: "s",
    models: { target: "a/b" },
    tasks: { train: 4, val: 4, test: 0 },
    step: 2,
    steps: 2,
    cost,
    startedAt: 0,
    at: 65_000,
    workedMs: 65_000,
  },
  settings: {},
  baseline: { value: 0.5, low: 0.25, high: 0.75, tasks: 4 },
  steps: [
    {
      step: 1,
      epoch: 1,
      action: "reject",
      reason: "worse | than <b>before</b>\nby far",
      budget: 2,
      applied: 1,
      refused: 1,
      candidate: { value: 0.3, low: 0.1, high: 0.5, tasks: 4 },
      incumbent: 0.5,
      best: 0.5,
    },
  ],
  costs: [{ role: "target", stage: "rollout", cost }],
  timeline: [],
  failures: [],
  versions: [
    {
      version: 0,
      step: 0,
      hash: "0".repeat(16),
      action: "original",
      isBest: false,
      files: { "SKILL.md": "a\n" },
    },
    {
      version: 1,
      step: 2,
      hash: "1".repeat(16),
      action: "accept",
      isBest: true,
      files: { "SKILL.md": "a\n```\nb\u200b\n```\n" },
    },
  ],
  rules: [],
  epochs: [],
  tasks: [{ id: "t", split: "val", input: "", rollouts: 2, before: 1, after: 0, flags: ["regressed"] }],
  evaluations: [],
};
const text = markdownReport(report);

test("the verdict comes first", () => {
  expect(text.split("\n").slice(0, 3)).toEqual([
    "# Whetstone: train 0123456789abcdef",
    "",
    "**Better: +20.0 points.**",
  ]);
});

test("the curve has a bar for the current skill after each step, as long as its interval", () => {
  const bar = `${"█".repeat(6)}${"▒".repeat(28)}${"░".repeat(6)}   50.0 %`;
  expect(text).toContain(`   0  ${bar}  the original`);
  expect(text).toContain(`   1  ${bar}  rejected`);
});

test("no text can break out of its table or its fence", () => {
  expect(text).toContain("worse \\| than &lt;b>before&lt;/b> by far");
  expect(text).toContain("````diff\n");
  expect(text).toContain("+b<U+200B>");
});

test("costs are added up, and what got worse is named", () => {
  expect(text).toContain("| all |  | $0.012 | 3 | 900 |");
  expect(text).toContain("- regressed (passed more often with the original): 1. t");
});

test("a run that was stopped says so before anything else", () => {
  const overview = { ...report.overview, status: "stopped", sentence: "The cap is reached." } as const;
  expect(markdownReport({ ...report, overview })).toContain("**Stopped.** The cap is reached.");
});

test("each rule stands with what it is worth, and what was given up with its reason", () => {
  const summary = { rules: foundRules.table } as unknown as Json;
  const [, kept = "", out = ""] = markdownReport({ ...report, summary }).split(
    /## Rules|Tried and not in it/,
  );
  expect(kept.match(/^\| \d+ /gm)).toEqual(["| 1 ", "| 9 ", "| 3 ", "| 7 ", "| 6 "]);
  expect(kept).toContain(
    "| 9 | Parcels of live bees get shelf code A-123. | +3.9 (+1.7 to +6.1) | shown | 11 | 132 of 260 | t03 |",
  );
  expect(out).toMatch(/^: 2 given up, 1 not worth the tokens, 1 said before\./);
  expect(out).toContain("given up: it does not help");
});
