import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { powersOfModel } from "./asked-powers.ts";
import { resolveForWorker } from "../resolve/resolve-for-worker.ts";
import type { Config } from "../schema.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { readWorkerPolicy } from "./worker-policy.ts";

const env = { OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2", AWS_SECRET_ACCESS_KEY: "3" };
const asked = async (id: string, config: Config) =>
  (await powersOfModel(id, config, env)).map(({ kind, value }) => `${kind}=${value}`);

test("vendors' own servers with their own keys need no word", async () => {
  expect(await asked("openai/gpt-5", {})).toEqual([]);
  expect(
    await asked("openai/gpt-5", { providers: { openai: { baseURL: "https://api.openai.com/v1" } } }),
  ).toEqual([]);
  expect(await asked("ollama/llama", {})).toEqual([]);
  expect(await asked("claude-code/sonnet", {})).toEqual([]);
});

test("other servers, other keys, programs and folders are named one by one", async () => {
  const evil = "http://127.0.0.1:9/v1";
  expect(await asked("x/m", { baseURL: evil })).toEqual([`host=${evil}`]);
  // a vendor's key goes to the vendor
  expect(await asked("openai/m", { providers: { openai: { baseURL: evil } } })).toEqual([
    `host=${evil}`,
    "key=OPENAI_API_KEY",
  ]);
  expect(
    await asked("openai/m", { providers: { openai: { baseURL: "http://api.openai.com/v1" } } }),
  ).toContain("host=http://api.openai.com/v1");
  expect(await asked("openai/m", { providers: { openai: { apiKeyEnv: "AWS_SECRET_ACCESS_KEY" } } })).toEqual([
    "key=AWS_SECRET_ACCESS_KEY",
  ]);
  const claude = { baseURL: evil, command: "/tmp/claude" };
  expect(await asked("claude-code/sonnet", { agents: { "claude-code": claude } })).toEqual([
    `host=${evil}`,
    "key=ANTHROPIC_API_KEY",
    "command=/tmp/claude",
  ]);
  const own = { run: ["sh", "-c", "id"], mounts: ["/etc"] };
  expect(await asked("own/default", { agents: { own } })).toEqual(["command=sh -c id", "mount=/etc"]);
});

test("what is allowed is allowed as it was written, and a changed module is not", async () => {
  const folder = await tempDir({ "env.ts": "export default 1;\n" });
  const module = join(folder, "env.ts");
  const policy = readWorkerPolicy(
    {
      allow: [
        "host=llm.internal:8080",
        "host=10.0.0.7",
        "key=OURS",
        "module=env.ts",
        "command=ours --quiet",
        "mount=/opt/data",
      ],
    },
    folder,
  );
  const isAllowed = (kind: "host" | "key" | "module" | "command" | "mount", value: string) =>
    policy.refusalOf({ kind, value }) === undefined;
  expect(isAllowed("host", "http://llm.internal:8080/v1")).toBe(true);
  expect(isAllowed("host", "http://llm.internal:8081/v1")).toBe(false);
  expect(isAllowed("host", "http://10.0.0.7:1/v1")).toBe(true);
  expect(isAllowed("host", "http://10.0.0.7.evil.example/v1")).toBe(false);
  expect(isAllowed("key", "OURS")).toBe(true);
  expect(isAllowed("command", "ours --quiet")).toBe(true);
  expect(isAllowed("command", "ours")).toBe(false);
  expect(isAllowed("mount", "/opt/data/set")).toBe(true);
  expect(isAllowed("mount", "/opt/data/../etc")).toBe(false);
  expect(isAllowed("mount", "/opt/database")).toBe(false);
  expect(isAllowed("module", module)).toBe(true);
  expect(policy.refusalOf({ kind: "module", value: join(folder, "other.ts") })).toMatchObject({
    code: "not-allowed",
    hint: expect.stringContaining("--allow module="),
  });
  writeFileSync(module, "export default 2;\n");
  expect(policy.refusalOf({ kind: "module", value: module })).toMatchObject({
    code: "not-allowed",
    message: expect.stringContaining("has changed since this worker was started"),
  });
});

test.each(["nothing", "=x", "host=", "power=x"])(
  "--allow %s is refused with the words that it takes",
  (text) => {
    expect(() => readWorkerPolicy({ allow: [text] }, "/")).toThrow(
      expect.objectContaining({ code: "usage" }),
    );
  },
);

const unit = (kind: string, input: JsonObject) =>
  ({ kind, version: 1, input, draw: { purpose: "train", trial: 0 } }) as const;

async function settingsOf(config: JsonObject, more: JsonObject = {}): Promise<JsonObject> {
  const files = { "SKILL.md": "---\nname: s\ndescription: d\n---\nDo it.\n" };
  const spend = { calls: 5 };
  return {
    config: { skill: { main: "SKILL.md", files }, optimizer: "openai/m", spend, ...config },
    roles: ["target", "optimizer"],
    environment: "1",
    agents: {},
    scorers: [],
    hasCommands: true,
    journal: "/tmp/none",
    cwd: "/",
    ...more,
  };
}

const place = (allow: readonly string[] = [], sandbox?: "bubblewrap" | "none") => ({
  env: { ...env, PATH: process.env["PATH"] },
  policy: readWorkerPolicy({ allow, sandbox }, "/"),
});

test("a run's `sandbox: none` is its own word, not the worker's", async () => {
  const settings = await settingsOf({ target: "openai/m", sandbox: "none" });
  const grader = unit("command", { argv: ["id"] });
  const { unable } = await resolveForWorker(settings, place());
  expect(unable(grader)).toMatchObject({
    code: "not-allowed",
    hint: expect.stringContaining("--sandbox none"),
  });
  // a call needs no box
  expect(unable(unit("generate", { model: "openai/m" }))).toBeUndefined();
  expect((await resolveForWorker(settings, place([], "none"))).unable(grader)).toBeUndefined();
  expect((await resolveForWorker(settings, place([], "bubblewrap"))).unable(grader)).toMatchObject({
    code: "not-allowed",
  });
});

test("code that was not named is not loaded, and the run's calls are made all the same", async () => {
  const folder = await tempDir({
    "env.mjs":
      'globalThis.loadedByWorker = true; export default async () => ({ kind: "invalid", reason: "" });\n',
  });
  const module = join(folder, "env.mjs");
  const settings = await settingsOf({ target: "openai/m", environment: module });
  const { unable } = await resolveForWorker(settings, place());
  expect(unable(unit("environment", {}))).toMatchObject({
    code: "not-allowed",
    hint: expect.stringContaining(`--allow module=${module}`),
  });
  expect(unable(unit("generate", { model: "openai/m" }))).toBeUndefined();
  expect(Object.hasOwn(globalThis, "loadedByWorker")).toBe(false);
  const scored = await settingsOf({ target: "openai/m" }, { scorers: [`${module}#check`] });
  expect((await resolveForWorker(scored, place())).unable(unit("environment", {}))).toMatchObject({
    code: "not-allowed",
  });
  expect(Object.hasOwn(globalThis, "loadedByWorker")).toBe(false);
});

test("a program that was not named is not even asked for its version", async () => {
  const folder = await tempDir();
  const [program, mark] = [join(folder, "claude"), join(folder, "mark")];
  writeFileSync(program, `#!/bin/sh\necho > ${mark}\necho 1.2.3\n`, { mode: 0o755 });
  const settings = await settingsOf({
    target: "claude-code/m",
    agents: { "claude-code": { command: program } },
  });
  const { unable, resolved } = await resolveForWorker(settings, place());
  expect(unable(unit("agent", { agent: "claude-code/m" }))).toMatchObject({
    code: "not-allowed",
    hint: expect.stringContaining(`--allow command=${program}`),
  });
  expect(resolved.agents?.size).toBe(0);
  expect(existsSync(mark)).toBe(false);
});
