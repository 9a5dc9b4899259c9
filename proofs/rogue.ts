import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../src/index.ts";
import { type Ledger, openJournal, readLedger } from "../src/ports.ts";
import { hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { type Attacker, openAttacker } from "./rogue/attacks.ts";
import { askBeyondPolicy } from "./rogue/beyond-policy.ts";
import { fleetPlace, fleetSecret } from "./support/fleet-place.ts";
import { changedFiles, lookAtFolder } from "../test/support/look-at-folder.ts";
import { runCli } from "./support/run-cli.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "Someone who can write to Redis can't make a worker run a command, send a key or settle a unit, or make a run spend above its cap.";

const slots = 8;

/** Options: `--seed n`, `--attempts n`. */
export default async function rogue({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const attempts = numberOption(args, "attempts", short ? 104 : 2000);
  // while the attack lasts there is honest work
  const units = numberOption(args, "units", short ? 80 : 1200);
  const cap = Math.round(units / 4);
  const world = hiddenRuleWorld({ seed });
  using root = temporaryDirectory("rogue");
  await using place = await fleetPlace();
  const latency = { kind: "fixed", ms: 200 } as const;
  await using server = await startScriptedServer({ seed, world, latency, record: false });
  await using till = await startScriptedServer({ seed, world, latency, record: false });
  await using evil = await listen();
  const mark = join(root.path, "mark");
  const splits = world.splits({ train: 1, val: units, test: 0 });
  const folderOf = (name: string, config: Config): string => {
    const folder = join(root.path, name);
    mkdirSync(folder);
    writeFileSync(join(folder, "SKILL.md"), world.seedSkill(4));
    for (const side of ["train", "val"] as const)
      writeFileSync(join(folder, `${side}.jsonl`), splits[side].map((row) => JSON.stringify(row)).join("\n"));
    const tasks = { train: "train.jsonl", val: "val.jsonl" };
    const written = { skill: "SKILL.md", tasks, concurrency: slots, out: "out", ...config };
    writeFileSync(join(folder, "whetstone.config.json"), JSON.stringify(written));
    return folder;
  };
  const office = { target: "office/target", optimizer: "office/target", baseURL: `${server.url}/v1` };
  const spend = { calls: units + 100 };
  const fleet = { executor: "bullmq", redis: place.redis.url } as const;
  const capped: Config = {
    target: "till/target",
    optimizer: "till/target",
    baseURL: `${till.url}/v1`,
    spend: { calls: cap },
  };
  const till1 = place.postgres.createDatabase();
  const plain = folderOf("plain", { ...capped, spend, journal: "journal", concurrency: 64 });
  const here = folderOf("here", { ...office, spend, journal: "journal", concurrency: 64 });
  const there = folderOf("there", { ...office, ...fleet, spend, journal: place.journal });
  const third = folderOf("capped", { ...capped, ...fleet, journal: till1 });
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: root.path, ...fleetSecret };
  const evaluate = async (cwd: string) => {
    // the config names a database and a queue, which are the person's to allow
    await runCli(["trust", "--yes"], { cwd, env });
    return runCli(["eval", "--json"], { cwd, env });
  };
  log(
    `seed ${seed}; ${units} units of 200 ms, two workers with keys in their environment, ${attempts} attempts`,
  );
  for (const { code, printed } of await Promise.all([evaluate(here), evaluate(plain)]))
    if (code !== 0) throw new Error(`a run in one process ended with ${code}: ${printed}`);
  const before = till.callCount;
  // a cap too small for a run is refused before the first call, and a started run continues to its cap; a busy
  // machine needs longer to start
  for (const minutes of [0.005, 0.01, 0.02, 0.03]) {
    if (till.callCount > before) break;
    const more = { spend: { minutes }, concurrency: 2, journal: till1 };
    await evaluate(folderOf(`begun-${minutes}`, { ...capped, ...more }));
  }

  const said: string[] = [];
  const keys = { OPENAI_API_KEY: "sk-victim-openai", AWS_SECRET_ACCESS_KEY: "victim-aws-secret" };
  const hosts = [server.url, till.url].map((url) => `host=${new URL(url).host}`);
  const may = {
    env: { ...env, ...keys },
    allow: [...hosts, "command=cat"],
    onProblem: (line: string) => said.push(line),
  };
  const workers = await Promise.all([place.worker(slots, may), place.worker(slots, may)]);
  const wishes = await askBeyondPolicy(place.redis.url, fleetSecret.WHETSTONE_FLEET_SECRET, {
    evil: evil.url,
    mark,
    folder: root.path,
  });
  const attacker = openAttacker({
    redis: place.redis.url,
    seed,
    evil: evil.url,
    mark,
    lane: "office/target",
  });
  // an attacker can stop a run for as long as the attack lasts; the same command goes on with it
  let starts = 0;
  const untilDone = async (): Promise<Awaited<ReturnType<typeof evaluate>>> => {
    starts += 1;
    const ended = await evaluate(there);
    return ended.code === 0 || starts === 20 ? ended : untilDone();
  };
  const runs = Promise.all([untilDone(), evaluate(third)]);
  await attack(attacker, attempts, runs);
  const [honest, stopped] = await runs;
  const undeclined = () => wishes.flags.filter((flag) => !said.some((line) => line.includes(flag)));
  for (let tries = 0; tries < 150 && undeclined().length > 0; tries += 1) await sleep(100);
  await Promise.all([wishes.close(), attacker.close()]);

  const [expected, ofPlain, settled, ofCapped] = await Promise.all([
    readResults(here, undefined),
    readResults(plain, undefined),
    readResults(there, place.journal),
    readResults(third, till1),
  ]);
  const known = new Map([...expected.outputs, ...ofPlain.outputs]);
  const unsigned = [...settled.outputs, ...ofCapped.outputs].filter(
    ([key, output]) => known.get(key) !== output,
  );
  const made = till.callCount - before;
  const differing = changedFiles(lookAtFolder(join(here, "out")), lookAtFolder(join(there, "out"))).filter(
    (name) => !timed.has(name),
  );
  for (const [kind, count] of attacker.counts) log(`${String(count).padStart(5)}  ${kind}`);
  log(
    `the honest run ended with ${honest.code} (started ${starts} times), the capped one with ${stopped.code}`,
  );
  log(
    `attacker's server: ${evil.heard.length} requests; command mark: ${existsSync(mark) ? readFileSync(mark, "utf8") : "none"}`,
  );
  log(
    `${settled.outputs.size} results for ${expected.outputs.size} units, ${unsigned.length} differ from one process; artifacts ${differing.length === 0 ? "identical" : `DIFFER: ${differing.join(", ")}`}`,
  );
  log(
    `capped at ${cap} calls: ${made} made, ${ofCapped.ledger.spent.calls} booked; the honest run booked ${settled.ledger.spent.calls} of ${spend.calls}`,
  );
  log(
    `signed requests beyond what the workers were started for: ${wishes.flags.length}, of which ${undeclined().length} weren't declined by name`,
  );
  log(`the workers logged ${said.length} lines`);
  log(
    "not covered: someone who only delays or stops; someone who can write to PostgreSQL; someone who knows the secret and stays",
  );
  log("within what workers allow; someone who reads Redis, which contains prompts in plain text");

  const broken = Object.entries({
    "every attempt was made": [...attacker.counts.values()].reduce((a, b) => a + b, 0) >= attempts,
    "no command ran": !existsSync(mark),
    "nobody called the attacker's server": evil.heard.length === 0,
    "only units that the fleet asked for were settled": unsigned.length === 0,
    "the honest run ends as in one process": honest.code === 0 && differing.length === 0,
    "its spend is under its cap": settled.ledger.spent.calls <= spend.calls,
    "the capped run stops at its cap":
      stopped.code === 4 && made <= cap && ofCapped.ledger.spent.calls <= cap,
    "requests beyond the policy are declined with their flag": undeclined().length === 0,
    "the workers are alive": workers.every(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    ),
    "their log isn't flooded": said.length <= 100,
  }).flatMap(([name, isSo]) => (isSo ? [] : [name]));
  for (const name of broken) log(`NOT: ${name}`);
  if (broken.length > 0)
    for (const text of [honest.printed, stopped.printed, said.join("\n")]) log(text.slice(-1500));
  return {
    ok: broken.length === 0,
    figures: {
      seed,
      attempts,
      kinds: attacker.counts.size,
      commandsRun: existsSync(mark) ? 1 : 0,
      requestsAtAttacker: evil.heard.length,
      unitsNotSigned: unsigned.length,
      spentOfCap: `${ofCapped.ledger.spent.calls}/${cap}`,
      declined: wishes.flags.length - undeclined().length,
    },
  };
}

const timed = new Set(["timing.json", "report.html", "report.json"]);

/** As fast as the honest runs last, and to the last attempt. */
async function attack(attacker: Attacker, attempts: number, runs: Promise<unknown>): Promise<void> {
  let isOver = false;
  void runs.then(() => {
    isOver = true;
  });
  // not before there is something to attack
  await sleep(1500);
  for (let nth = 0; nth < attempts; nth += 1) {
    await attacker.attempt();
    await sleep(isOver ? 2 : 20);
  }
}

interface Listener extends AsyncDisposable {
  readonly url: string;
  /** Received requests, each with its key. */
  readonly heard: readonly string[];
}

async function listen(): Promise<Listener> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.url} ${request.headers.authorization}`);
    request.resume();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const answer = {
  id: "x",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "owned" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

interface Results {
  /** By key. */
  readonly outputs: ReadonlyMap<string, string>;
  readonly ledger: Ledger;
}

async function readResults(folder: string, url: string | undefined): Promise<Results> {
  const journal = await openJournal({
    journalDir: join(folder, "journal"),
    ...(url === undefined ? {} : { journalUrl: url }),
  });
  try {
    const outputs = new Map<string, string>();
    for await (const { key, body } of journal.read({ kinds: ["result"] }))
      outputs.set(key, JSON.stringify(body["output"]));
    return { outputs, ledger: await readLedger(journal.read()) };
  } finally {
    await journal.close();
  }
}
