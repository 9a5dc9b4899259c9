import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Unit } from "../../core/work/unit.ts";
import { resolveConfig } from "./resolve.ts";
import { resolveForWorker } from "./resolve-for-worker.ts";
import { readWorkerPolicy } from "../trust/worker-policy.ts";

const here = {
  PATH: process.env["PATH"],
  OPENAI_API_KEY: "sk-of-the-coordinator",
  WHETSTONE_FLEET_SECRET: process.env["WHETSTONE_FLEET_SECRET"],
};
const policy = readWorkerPolicy({ allow: ["host=127.0.0.1:1", "command=sh"] }, "/");

/** What the coordinator of a run writes down for workers. */
async function settingsOf(more: object): Promise<JsonObject> {
  const task = (id: string) => ({
    id,
    input: `Do ${id}.`,
    checks: [{ kind: "command", value: { run: "test -e done.txt" } }],
  });
  const config = {
    skill: { main: "SKILL.md", files: { "SKILL.md": "---\nname: s\ndescription: d\n---\nDo it.\n" } },
    tasks: { train: [task("a")], val: [task("b")] },
    optimizer: "scripted/optimizer",
    providers: { scripted: { baseURL: "http://127.0.0.1:1/v1" } },
    agents: { mine: { run: ["sh"], baseURL: "https://api.openai.com/v1" } },
    spend: { calls: 10 },
    executor: "bullmq" as const,
    ...more,
  };
  const { fleet } = await resolveConfig(config, { cwd: "/", env: here });
  return fleet?.settings ?? {};
}

const unit = (kind: string, input: JsonObject): Unit => ({
  kind,
  version: 1,
  input,
  draw: { purpose: "train", trial: 0 },
});
const rollout = (agent: string) => unit("agent", { agent });
const call = (model: string) => unit("generate", { model });
const grader = unit("command", {});

test("a machine that has everything can do every unit", async () => {
  const settings = await settingsOf({ target: "mine/openai/gpt-5" });
  const { unable } = await resolveForWorker(settings, { env: here, policy });
  for (const one of [rollout("mine/openai/gpt-5"), call("scripted/optimizer"), grader])
    expect(unable(one)).toBeUndefined();
});

test("a machine without the key of one model does all the rest", async () => {
  const settings = await settingsOf({ target: "mine/openai/gpt-5", optimizer: "openai/gpt-5" });
  const { unable } = await resolveForWorker(settings, { env: { PATH: here.PATH }, policy });
  expect(unable(call("openai/gpt-5"))?.message).toContain("OPENAI_API_KEY");
  expect(unable(rollout("mine/openai/gpt-5"))).toBeUndefined();
  expect(unable(grader)).toBeUndefined();
});

test("a machine without a sandbox neither grades nor rolls out, and still calls models", async () => {
  const settings = await settingsOf({ target: "mine/openai/gpt-5" });
  const { unable } = await resolveForWorker(settings, { env: { ...here, PATH: "/nonexistent" }, policy });
  expect(unable(grader)).toMatchObject({ code: "sandbox-missing" });
  expect(unable(rollout("mine/openai/gpt-5"))).toMatchObject({ code: "sandbox-missing" });
  expect(unable(call("scripted/optimizer"))).toBeUndefined();
});

test("another environment than the coordinator's is refused", async () => {
  const settings = await settingsOf({ target: "scripted/target" });
  await expect(
    resolveForWorker({ ...settings, environment: "other" }, { env: here, policy }),
  ).rejects.toMatchObject({
    message: expect.stringMatching(/has version \S+ of environment, but the run has other/),
  });
});
