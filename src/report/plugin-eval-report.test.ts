import { expect, test } from "vitest";
import { type PluginEvalRun, pluginEvalReport } from "./plugin-eval-report.ts";

const graders = [
  { name: "code", type: "regex", pattern: "x", weight: 3 },
  { name: "fired", type: "tool_used", tool: "Skill" },
  { name: "kind", type: "llm", criteria: "It is kind." },
];

const run: PluginEvalRun = {
  version: "whetstone 1",
  startedAt: Date.UTC(2026, 0, 2),
  workedMs: 61_000,
  nanoUsd: 2_500_000_000,
  skillName: "p",
  model: "claude-code/sonnet",
  suite: [{ id: "a", dir: "evals/a", case: { execution: { prompt: "Go.", max_turns: 5 }, graders } }],
  after: [
    [
      {
        id: "a",
        soft: 0.75,
        checks: [
          { pass: true, expected: "to match /x/" },
          { pass: false, expected: "to be kind" },
        ],
        extras: { calls: 3 },
      },
    ],
    [{ id: "a" }],
  ],
  before: [[{ id: "a", soft: 0, checks: [] }], [{ id: "a", soft: 0.5, checks: [] }]],
};

test("a comparison in the format of claude plugin eval: a missing result is left out, and the file says so", () => {
  const report = pluginEvalReport(run);
  expect(report).toMatchObject({
    schemaVersion: 1,
    startedAt: "2026-01-02T00:00:00.000Z",
    durationSeconds: 61,
    costUsd: 2.5,
    partial: true,
    suite: { ablation: "with-without" },
    aggregates: { casesTotal: 1, casesPassed: 0, overallScore: 0.75, meanDelta: 0.5 },
  });
  expect(report["cases"]).toMatchObject([
    {
      name: "a",
      dir: "evals/a",
      promptMarkdown: "Go.",
      maxTurns: 5,
      runsPerCase: 2,
      graders: [
        { name: "code", type: "regex", weight: 3, config: { pattern: "x" } },
        { name: "kind", type: "llm", weight: 1 },
      ],
      arms: {
        with: [
          {
            score: 0.75,
            passed: false,
            turns: 3,
            graders: [
              { name: "code", passed: true, weight: 3 },
              { name: "kind", passed: false, explanation: "expected to be kind" },
            ],
          },
        ],
        without: [{ score: 0 }, { score: 0.5 }],
      },
      aggregates: { score: 0.75, passRate: 0, scoreWithout: 0.25, delta: 0.5 },
    },
  ]);
});

test("a case without any result counts nowhere, and has no score", () => {
  const { after, before = [] } = run;
  const report = pluginEvalReport({
    ...run,
    after: [...after, [{ id: "b" }]],
    before: [...before, [{ id: "b", soft: 1, checks: [] }]],
  });
  expect(report["aggregates"]).toEqual(pluginEvalReport(run)["aggregates"]);
  expect(report["cases"]).toMatchObject([{ name: "a" }]);
  expect(report["partial"]).toBe(true);
});

test("tasks of other formats and single measurements have such a file too", () => {
  const report = pluginEvalReport({ ...run, suite: [], before: undefined });
  expect(report).toMatchObject({ suite: { ablation: "none" } });
  expect(report["cases"]).toMatchObject([{ graders: [{ name: "check-1" }, { name: "check-2" }] }]);
});
