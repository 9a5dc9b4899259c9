import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../config/parse-config.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { taskHash } from "../../core/tasks/task-hash.ts";
import { startScriptedServer } from "../../testing/scripted-server/start-scripted-server.ts";
import { diagnoseEvals } from "./doctor-evals.ts";

const signal = new AbortController().signal;
const tasks = Array.from({ length: 6 }, (_, at) => ({
  id: `t${at}`,
  input: `Where does parcel number ${at} go?`,
  checks: [{ kind: "rubric", value: `Names shelf S${at}0.` }],
  reference: `Shelf S${at}0.`,
}));

test("rollouts on record are read, as long as the task is the same", async () => {
  const first = { id: "a", input: "One?", answers: ["1"] };
  const second = { id: "b", input: "Two?", answers: ["2"] };
  const failed = Array.from({ length: 5 }, () => ["a", "b"].map((id) => ({ id, hard: 0, soft: 0 }))).flat();
  const dir = await tempDir({
    "SKILL.md": "# Numbers\n",
    "tasks.jsonl": [first, second].map((task) => JSON.stringify(task)).join("\n"),
    "journal/runs/r/config.json": JSON.stringify({
      splits: {
        train: [
          { id: "a", hash: taskHash(first) },
          { id: "b", hash: "another" },
        ],
      },
    }),
    "journal/runs/r/steps/step_0000/rollout_results.json": JSON.stringify(failed),
  });
  const config = parseConfig(
    { skill: join(dir, "SKILL.md"), tasks: join(dir, "tasks.jsonl"), journal: join(dir, "journal") },
    "test",
  );
  const { findings, rollouts } = await diagnoseEvals(config, { cwd: dir, call: false, signal });
  expect(rollouts).toBe(5);
  expect(findings).toEqual([
    expect.objectContaining({ problem: "constant-fail", status: "warn", tasks: ["a"] }),
  ]);
});

test("with --call the judge is tried over HTTP, and one that passes everything is refused", async () => {
  const server = await startScriptedServer({
    seed: 1,
    world: { reply: () => ({ text: '{"reason": "", "score": 1, "better": "tie"}' }) },
  });
  onTestFinished(() => server.close());
  const dir = await tempDir({ "SKILL.md": "# Parcels\n" });
  const config = parseConfig(
    {
      skill: join(dir, "SKILL.md"),
      tasks,
      target: "office/target",
      judge: "office/judge",
      baseURL: `${server.url}/v1`,
    },
    "test",
  );
  const { judge, findings } = await diagnoseEvals(config, { cwd: dir, call: true, signal });
  expect(judge).toMatchObject({ ok: false, model: "office/judge", accuracy: 0.5 });
  const passing = findings.filter(({ problem }) => problem === "constant-pass");
  expect(passing.flatMap((finding) => finding.tasks)).toHaveLength(6);
  expect(await diagnoseEvals(config, { cwd: dir, call: false, signal })).toMatchObject({
    notRun: { rubric: 6 },
  });
});

test("a grader that wavers is found, in the sandbox", async () => {
  const checks = [
    { kind: "command", value: { run: "test $(( $(date +%N | sed s/^0*//) / 1000 % 2 )) -eq 0" } },
  ];
  const odd = Array.from({ length: 4 }, (_, at) => ({ id: `t${at}`, input: `Say ${at}.`, checks }));
  const dir = await tempDir({ "SKILL.md": "# Time\n" });
  const config = parseConfig({ skill: join(dir, "SKILL.md"), tasks: odd }, "test");
  const { findings, notRun } = await diagnoseEvals(config, { cwd: dir, call: false, signal });
  expect(notRun).toEqual({});
  // four tasks, three tries each: all alike once in 65,536 times
  expect(findings.filter(({ problem }) => problem === "flaky").length).toBeGreaterThan(0);
});
