import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { type JsonObject, type Unit, hashJson, sqliteJournal, unitKey } from "../../src/ports.ts";

export interface SignedWishes {
  /** The flag that a worker must name for each before it would do it. */
  readonly flags: readonly string[];
  close(): Promise<void>;
}

/** Somebody who knows the fleet's secret asks for more than its workers were started for; also for what was signed long ago. */
export async function askBeyondPolicy(
  url: string,
  secret: string,
  { evil, mark, folder }: { readonly evil: string; readonly mark: string; readonly folder: string },
): Promise<SignedWishes> {
  const seal = sealWith(secret);
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  const queues: Queue[] = [];
  // a run whose journal is not here is declined for that alone
  await (await sqliteJournal({ dir: join(folder, "journal") })).close();
  const module = join(folder, "environment.mjs");
  writeFileSync(
    module,
    `import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, "module"); export default async () => ({ kind: "invalid", reason: "" });`,
  );
  const program = join(folder, "program.sh");
  writeFileSync(program, `#!/bin/sh\nid > ${mark}\necho 1.2.3\n`, { mode: 0o755 });
  const shell = ["/bin/sh", "-c", `id > ${mark}`];
  const generate = (model: string): Unit => unitOf("generate", { model, messages: [], maxTokens: 1 });
  const rollout = (agent: string): Unit => unitOf("agent", { agent, version: "1", prompt: "x" });
  const server = { baseURL: `${evil}/v1` };
  const cases: readonly Case[] = [
    [
      "host",
      { target: "evil/m", providers: { evil: server } },
      generate("evil/m"),
      `--allow host=${new URL(evil).host}`,
    ],
    [
      "key",
      { target: "openai/m", providers: { openai: { apiKeyEnv: "AWS_SECRET_ACCESS_KEY" } } },
      generate("openai/m"),
      "--allow key=AWS_SECRET_ACCESS_KEY",
    ],
    [
      "module",
      { target: "openai/m", environment: module },
      unitOf("environment", { task: {}, skill: {} }),
      `--allow module=${module}`,
    ],
    [
      "command",
      { target: "pi/openai/m", agents: { pi: { command: program } } },
      rollout("pi/openai/m"),
      `--allow command=${program}`,
    ],
    [
      "mount",
      { target: "own/default", agents: { own: { run: ["cat"], mounts: ["/etc"] } } },
      rollout("own/default"),
      "--allow mount=/etc",
    ],
    [
      "sandbox",
      { target: "openai/m", sandbox: "none" },
      unitOf("command", { argv: shell, files: {}, seconds: 5 }),
      "--sandbox none",
    ],
  ];
  for (const [run, config, unit] of cases) {
    // not those that the attacker uses: a worker keeps away for a while from a queue that it cannot serve
    const lane = `beyond ${run}`;
    const settings: JsonObject = {
      config: {
        skill: { main: "SKILL.md", files: { "SKILL.md": skillText } },
        optimizer: "openai/m",
        spend: { calls: 5 },
        ...config,
      },
      roles: ["target"],
      environment: "1",
      agents: {},
      scorers: [],
      hasCommands: unit.kind === "command",
      journal: join(folder, "journal"),
      cwd: folder,
    };
    const expires = Date.now() + 600_000;
    const sealed = JSON.stringify(seal("settings", { run, settings, expires }));
    await redis.set(`whetstone:run:${run}`, sealed, "PX", 60_000);
    await redis.sadd("whetstone:lanes", lane);
    const key = unitKey(unit);
    const place = { role: "target", step: 0, stage: "rollout" } as const;
    const job = {
      id: `${run}-${key}`,
      run,
      lane,
      settings: hashJson(settings),
      tries: 1,
      expires,
      units: [{ key, unit, place }],
    };
    const queue = new Queue(lane, { connection: redis, prefix: "whetstone" });
    queues.push(queue);
    await queue.add("units", seal("job", job), { jobId: job.id });
    // signed an hour before, and kept by somebody since
    const old = { ...job, id: `${job.id}old`, expires: Date.now() - 3_600_000 };
    await queue.add("units", seal("job", old), { jobId: old.id });
  }
  return {
    flags: cases.map(([, , , flag]) => flag),
    async close() {
      for (const queue of queues) await queue.close();
      redis.disconnect();
    },
  };
}

/** As coordinators sign what they put into Redis; what is signed otherwise is declined for that alone. */
const sealWith =
  (secret: string) =>
  (kind: "settings" | "job", body: object): { readonly text: string; readonly mac: string } => {
    const text = JSON.stringify(body);
    const mac = createHmac("sha256", secret).update(`whetstone fleet 1 ${kind}\n`).update(text);
    return { text, mac: mac.digest("base64url") };
  };

const skillText = "---\nname: skill\ndescription: Does it.\n---\nDo it.\n";

type Case = readonly [run: string, config: JsonObject, unit: Unit, flag: string];

const unitOf = (kind: string, input: JsonObject): Unit => ({
  kind,
  version: 1,
  input,
  draw: { purpose: "train", trial: 0 },
});
