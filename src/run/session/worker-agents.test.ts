import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { serveSteps } from "../../../test/support/scripted-rollout.ts";
import { openJournal } from "../../adapters/journals/open-journal.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { RunEvent } from "../../core/events.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { type PostgresServer, startPostgres } from "../../../test/support/start-postgres.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { evaluate } from "../verbs/evaluate.ts";

let redis: RedisServer;
let postgres: PostgresServer;
beforeAll(async () => {
  [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
});
afterAll(async () => {
  await Promise.all([redis.end(), postgres.end()]);
});

const skill = {
  main: "SKILL.md",
  files: {
    "SKILL.md": "---\nname: clerk\ndescription: How answers are written.\n---\n\nWord: heron\n",
    "scripts/stamp.sh": "#!/bin/sh\necho stamped\n",
  },
};

/** A file to begin with, graded by a command with a file of its own. */
const formTask = (id: string) => ({
  id,
  input: `Answer form ${id}.`,
  files: { "form.txt": `form ${id}\n` },
  checks: [
    {
      kind: "command",
      value: {
        run: 'cat form.txt "$GRADER/rest" | cmp - answer.txt',
        files: { rest: "Word: heron\nstamped\n" },
      },
    },
  ],
});

const tasks = (count: number) => ({
  train: [formTask("practice")],
  val: Array.from({ length: count }, (_, at) => formTask(`t${at}`)),
});

/** As an agent of somebody's own: it knows what the skill says, and uses its script. */
const clerk = `#!/bin/sh
cat > /dev/null
skill="$HOME/.agents/skills/clerk"
{ cat form.txt; grep '^Word:' "$skill/SKILL.md"; sh "$skill/scripts/stamp.sh"; } > answer.txt
echo done
`;

/** One call of its model, with what every shell has. */
const askModel = `bash -c '
  host=\${BASE#http://}
  host=\${host%%/*}
  body="{\\"model\\":\\"m\\",\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"hi\\"}]}"
  exec 3<>/dev/tcp/\${host%:*}/\${host#*:}
  printf "POST /v1/chat/completions HTTP/1.1\\r\\nHost: $host\\r\\nAuthorization: Bearer $KEY\\r\\nContent-Type: application/json\\r\\nContent-Length: \${#body}\\r\\nConnection: close\\r\\n\\r\\n$body" >&3
  grep -c "200 OK" <&3
'`;
/** A folder for PATH with this program in it. */
async function binWith(text: string): Promise<string> {
  const folder = await tempDir({ clerk: text });
  chmodSync(join(folder, "clerk"), 0o755);
  return folder;
}

/** Until the test ends, programs of this process are looked for there first. Gives back where they were before. */
function lookFirstIn(folder: string): string | undefined {
  const before = process.env["PATH"];
  process.env["PATH"] = `${folder}:${before}`;
  onTestFinished(() => {
    process.env["PATH"] = before;
  });
  return before;
}

const clerkOn = (some: ReturnType<typeof tasks>) => ({
  skill,
  tasks: some,
  target: "clerk/default",
  agents: { clerk: { run: ["clerk"] } },
  spend: { calls: 100 },
});

const cli = join(import.meta.dirname, "../../apps/cli/main.ts");

/** `whetstone worker` with a PATH and folders of its own. */
async function startMachine(path: string, more: Readonly<Record<string, string>> = {}) {
  const temporary = await tempDir();
  const { PATH, WHETSTONE_FLEET_SECRET, XDG_STATE_HOME } = process.env;
  const env = {
    PATH: `${path}:${PATH}`,
    HOME: temporary,
    TMPDIR: temporary,
    WHETSTONE_FLEET_SECRET,
    XDG_STATE_HOME,
    ...more,
  };
  const allow = ["--allow", "command=clerk", "--allow", "host=127.0.0.1"];
  const child = spawn(process.execPath, [cli, "worker", "--redis", redis.url, ...allow], {
    env,
    stdio: "pipe",
  });
  let said = "";
  child.stderr.on("data", (data: Buffer) => (said += String(data)));
  onTestFinished(() => end(child, "SIGKILL"));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("takes units from")) break;
  }
  child.stdout.resume();
  return { child, temporary, said: () => said };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

test("workers without the agent, or with another version of it, leave its rollouts to the one that has it", async () => {
  const [here, other] = [await binWith(clerk), await binWith(`${clerk}# a later version\n`)];
  const before = lookFirstIn(here);
  const options = clerkOn(tasks(6));
  const local = await evaluate({ ...options, journal: await tempDir() });
  expect(local.summary.hard).toBe(1);
  process.env["PATH"] = before;
  const [lacking, newer] = [await startMachine("/nonexistent"), await startMachine(other)];
  process.env["PATH"] = `${here}:${before}`;
  const journal = postgres.createDatabase();
  const events: RunEvent[] = [];
  const running = evaluate({
    ...options,
    journal,
    out: await tempDir(),
    executor: "bullmq",
    redis: redis.url,
    onEvent: (event) => events.push(event),
  });
  while (!lacking.said().includes("to other workers") || !newer.said().includes("to other workers"))
    await sleep(50);
  const able = await startMachine(here);
  const fleet = await running;
  expect(artifacts(fleet.folder)).toEqual(artifacts(local.folder));
  expect(lacking.said()).toContain('The agent clerk needs the program "clerk", which doesn\'t exist.');
  expect(newer.said()).toMatch(/A worker has version \w+ of clerk\/default, but the run has \w+\./);
  const told = events.flatMap((event) => (event.type === "lane-change" ? [event.message] : []));
  expect(told).toContainEqual(expect.stringContaining("which doesn't exist"));
  const opened = await openJournal({ journalDir: await tempDir(), journalUrl: journal });
  const { lost } = await readLedger(opened.read());
  await opened.close();
  expect(lost).toBe(0);
  await end(able.child, "SIGTERM");
  expect(readdirSync(able.temporary)).toEqual([]);
});

test("a rollout longer than its worker's lock runs once, and each call of its model is booked once", async () => {
  const server = await serveSteps({ text: "Done." });
  const asking = clerk.replace(
    "echo done",
    `${askModel}\nif grep -q t0 form.txt; then sleep 7; fi\n${askModel}`,
  );
  const here = await binWith(asking);
  lookFirstIn(here);
  const options = {
    skill,
    tasks: tasks(1),
    target: "clerk/scripted/m",
    agents: {
      clerk: { run: ["clerk"], baseURL: `${server.url}/v1`, env: { BASE: "{baseUrl}", KEY: "{key}" } },
    },
    prices: { "scripted/m": { input: 1, output: 2 } },
    spend: { usd: 1 },
  };
  await Promise.all([startMachine(here), startMachine(here)]);
  const journal = postgres.createDatabase();
  const before = server.callCount;
  const fleet = await evaluate({
    ...options,
    journal,
    out: await tempDir(),
    executor: "bullmq",
    redis: redis.url,
  });
  const calls = server.callCount - before;
  // of the preflight and of the rollout
  expect(calls).toBe(4);
  const local = await evaluate({ ...options, journal: await tempDir() });
  expect(local.summary.hard).toBe(1);
  expect(artifacts(fleet.folder)).toEqual(artifacts(local.folder));
  const opened = await openJournal({ journalDir: await tempDir(), journalUrl: journal });
  const ledger = await readLedger(opened.read());
  await opened.close();
  expect(ledger.lost).toBe(0);
  expect(ledger.spent).toEqual(fleet.spent);
  expect(ledger.spent.calls).toBe(calls);
  expect(server.callCount - before).toBe(2 * calls);
});

test("a worker that is killed leaves no process, and its folders are removed by the next on that machine", async () => {
  const slow = clerk.replace("echo done", "sleep 2.7731\necho done");
  const here = await binWith(slow);
  lookFirstIn(here);
  const shared = await tempDir();
  const first = await startMachine(here, { TMPDIR: shared });
  const options = clerkOn(tasks(1));
  const journal = postgres.createDatabase();
  const running = evaluate({
    ...options,
    journal,
    out: await tempDir(),
    executor: "bullmq",
    redis: redis.url,
  });
  await untilOr(running, () => sleepers() > 0);
  await end(first.child, "SIGKILL");
  expect(readdirSync(shared).length).toBeGreaterThan(0);
  await expect.poll(sleepers).toBe(0);
  const second = await startMachine(here, { TMPDIR: shared });
  expect((await running).summary.hard).toBe(1);
  await end(second.child, "SIGTERM");
  expect(readdirSync(shared)).toEqual([]);
});

/** Waits for it, and no longer than the run lasts. */
async function untilOr(running: Promise<unknown>, isSo: () => boolean): Promise<void> {
  const over = running.then(
    () => true,
    () => true,
  );
  while (!isSo()) if (await Promise.race([over, sleep(50, false)])) return;
}

/** Processes of the slow clerk on this machine. */
const sleepers = (): number =>
  readdirSync("/proc").filter((entry) => {
    try {
      return /^\d+$/.test(entry) && readFileSync(`/proc/${entry}/cmdline`, "utf8").includes("2.7731");
    } catch {
      return false;
    }
  }).length;

/** Every file but those with times. */
function artifacts(folder: string): Record<string, string> {
  const timed = new Set(["timing.json", "report.html", "report.json"]);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !timed.has(file.name))
    .map((file) => join(file.parentPath, file.name));
  return Object.fromEntries(
    files.toSorted().map((path) => [path.slice(folder.length), readFileSync(path, "utf8")]),
  );
}
