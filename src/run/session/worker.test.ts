import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openRedis } from "../../adapters/fleet/open-redis.ts";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { makeRepository } from "../../../test/support/repository.ts";
import { resolveConfig } from "../../config/resolve/resolve.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { evaluate } from "../verbs/evaluate.ts";
import { judgeModule, openOffice } from "../../../test/support/office-config.ts";
import { train } from "../verbs/train.ts";
import { startWorker } from "./worker.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis.end());

const office = async () => (await openOffice()).options;

async function workers(count: number, more: readonly string[] = []): Promise<void> {
  const allow = ["host=127.0.0.1", ...more];
  const started = await Promise.all(
    Array.from({ length: count }, () => startWorker({ redis: redis.url, concurrency: 8, allow })),
  );
  onTestFinished(async () => {
    await Promise.all(started.map((worker) => worker.drain()));
  });
}

test("a training run on workers ends in the same bytes as in one process", async () => {
  const options = await office();
  const [here, there] = [await tempDir(), await tempDir()];
  const local = await train({ ...options, journal: here });
  await workers(2);
  const fleet = await train({ ...options, journal: there, executor: "bullmq", redis: redis.url });
  expect(fleet.id).toBe(local.id);
  expect(artifacts(fleet.folder)).toEqual(artifacts(local.folder));
  const journal = await sqliteJournal({ dir: there });
  const ledger = await readLedger(journal.read({ run: fleet.id }));
  await journal.close();
  expect(fleet.spent).toEqual(ledger.spent);
  expect(ledger.lost).toBe(0);
  // what is finished needs no worker
  const again = await train({ ...options, journal: there, executor: "bullmq", redis: redis.url });
  expect(again).toMatchObject({ finishedBefore: true, verdict: local.verdict });
});

test("a worker loads the code of its modules when it starts, and none that comes or changes later", async () => {
  const folder = await tempDir();
  const [module, known, late] = ["module.cjs", "known.cjs", "late.cjs"].map((name) => join(folder, name));
  writeFileSync(module!, `require("./known.cjs");`);
  writeFileSync(known!, "exports.value = 1;");
  writeFileSync(late!, "exports.value = 2;");
  const load = createRequire(module!);
  const worker = await startWorker({ redis: redis.url, concurrency: 1, allow: [`module=${module}`] });
  expect(load("./known.cjs")).toEqual({ value: 1 });
  expect(() => load("./late.cjs")).toThrow(/late\.cjs is new since this worker was started/);
  delete load.cache[known!];
  writeFileSync(known!, "exports.value = 3;");
  expect(() => load("./known.cjs")).toThrow(/known\.cjs has changed since this worker was started/);
  await worker.drain();
  expect(load("./late.cjs")).toEqual({ value: 2 });
});

test("an environment from a module runs on workers, and its calls are units of their own", async () => {
  const { tasks: all, ...options } = await office();
  const module = await judgeModule();
  const own = { ...options, tasks: all, environment: `${module}#judge` };
  const local = await evaluate({ ...own, journal: await tempDir() });
  await workers(1, [`module=${module}`]);
  const fleet = await evaluate({ ...own, journal: await tempDir(), executor: "bullmq", redis: redis.url });
  expect(artifacts(fleet.folder)).toEqual(artifacts(local.folder));
});

test("what lives in this process is refused before anything is sent", async () => {
  const options = {
    ...(await office()),
    journal: await tempDir(),
    executor: "bullmq",
    redis: redis.url,
  } as const;
  const environment = async () => ({ kind: "invalid", reason: "not called" }) as const;
  await expect(evaluate({ ...options, environment })).rejects.toMatchObject({
    code: "config-invalid",
    hint: expect.stringContaining("bullmq needs a module path: ./env.ts#name"),
  });
  const target = { id: "own/model", generate: async () => Promise.reject(new Error("not called")) };
  await expect(evaluate({ ...options, target })).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("The target is an object in this process"),
  });
});

test("what belongs to this machine is refused with its own sentence and the way out", async () => {
  const options = {
    ...(await office()),
    journal: await tempDir(),
    executor: "bullmq",
    redis: redis.url,
  } as const;
  await expect(evaluate({ ...options, target: "handoff/me" })).rejects.toMatchObject({
    code: "config-invalid",
    message:
      'Questions to the target are answered in a folder on this machine, but with executor "bullmq" units run on workers.',
    hint: 'Name a model that answers automatically, as provider/model or agent/model; or use executor "local".',
  });
  const repository = await tempDir();
  const [checkout = ""] = makeRepository(repository, [{ "sum.sh": "expr 1 + 2\n" }]);
  const val = options.tasks.val.map((task) => ({ ...task, checkout }));
  const config = { ...options, tasks: { ...options.tasks, val } };
  await expect(
    resolveConfig(config, { cwd: repository, env: { PATH: process.env["PATH"] } }),
  ).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("Tasks that start from a commit need this machine's repository"),
    hint: 'Leave out the tasks with `checkout`; or use executor "local".',
  });
});

test("keys and passwords never reach Redis", async () => {
  const options = await office();
  const url = "postgres://writer:hunter2@127.0.0.1:1/none";
  await expect(
    evaluate({ ...options, journal: url, executor: "bullmq", redis: redis.url }),
  ).rejects.toMatchObject({ code: expect.stringContaining("journal") });
  const { fleetSettings } = await import("../../config/fleet-settings.ts");
  const settings = fleetSettings(
    {},
    {
      choices: { target: "a/b", optimizer: "a/b", judge: "a/b", miner: "a/b" },
      roles: ["target"],
      skill: options.skill,
      environment: { name: "chat", version: "1", run: async () => ({ kind: "invalid", reason: "" }) },
      agents: new Map(),
      scorers: [],
      hasCheckouts: false,
      hasCommands: false,
      place: { journalDir: "/tmp", journalUrl: url },
      cwd: "/tmp",
    },
  );
  expect(JSON.stringify(settings)).not.toContain("hunter2");
  expect(settings["journal"]).toBe("postgres://writer@127.0.0.1:1/none");
});

test("without Redis the command says so and what to do", async () => {
  const options = { ...(await office()), journal: await tempDir(), executor: "bullmq" } as const;
  await expect(evaluate({ ...options, redis: "redis://127.0.0.1:1" })).rejects.toMatchObject({
    code: "redis-failed",
    hint: expect.stringContaining("correct `redis`"),
  });
  const connection = await openRedis(redis.url);
  expect(await connection.ping()).toBe("PONG");
  connection.disconnect();
});

/** Every file but those with times. */
function artifacts(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name).slice(folder.length + 1));
  const outside = new Set(["timing.json", "report.html", "report.json"]);
  return Object.fromEntries(
    paths
      .filter((path) => !outside.has(path))
      .toSorted()
      .map((path) => [path, readFileSync(join(folder, path), "utf8")]),
  );
}
