import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type KernelLimit,
  type Sandbox,
  type SandboxJob,
  type SandboxLimits,
  type SandboxResult,
  chooseSandbox,
} from "../../src/ports.ts";
import { commandRunner } from "../../src/adapters/sandboxes/command-runner.ts";
import { openVolume } from "../../src/adapters/sandboxes/own-volume.ts";
import { readChanges } from "../../src/adapters/sandboxes/workspace-changes.ts";
import { type Attempt, attempts } from "./attempts.ts";
import { detachedMemory, hiddenDisk, hiddenMemory, manyFiles } from "../../test/support/hide-work.ts";
import { type Host, openHost } from "./host.ts";
import { type Strays, isMarked, useStrays } from "./strays.ts";
import type { ProofOptions, ProofResult } from "../proof.ts";

const limits: SandboxLimits = { seconds: 30, memoryMb: 512, processes: 64, diskMb: 64 };
const never = new AbortController().signal;

export async function proveWithStrays(strays: Strays, log: ProofOptions["log"]): Promise<ProofResult> {
  const refused = await proveRefusal(log);
  const sandbox = await chooseSandbox("auto", { env: process.env });
  await using host = await openHost();
  log(`in ${sandbox.name}, started by ${process.getuid?.() === 0 ? "root" : "an ordinary user"}:`);
  log(`held by the kernel: ${((await sandbox.heldByKernel?.()) ?? []).join(", ") || "nothing"}`);
  let escaped = 0;
  const tell = (name: string, how: string | undefined, seen: string): void => {
    if (how !== undefined) escaped += 1;
    log(`  ${how === undefined ? "held   " : "ESCAPED"} ${name.padEnd(48)} ${how ?? seen}`);
  };

  for (const attempt of attempts) {
    const { how, seen } = await tryOut(sandbox, attempt, host);
    tell(attempt.name, how, seen);
  }
  const trials = [
    ...(await limitTrials(sandbox, host, log)),
    ...(await lifeTrials(sandbox, host)),
    await graderTrial(sandbox),
    ...(await strayTrials(sandbox, host, strays)),
  ];
  for (const { name, how, seen } of trials) tell(name, how, seen);

  const unboxed = await chooseSandbox("none", { env: process.env });
  log("the same without a box, where they must lead somewhere:");
  const open = attempts.filter(
    ({ works, needs }) => works === true && (needs === undefined || host.variables[needs] !== ""),
  );
  let vain = 0;
  for (const attempt of open) {
    // what the last one did must not be taken for this one's doing
    await using other = await openHost();
    const { how } = await tryOut(unboxed, attempt, other);
    if (how === undefined) vain += 1;
    if (how === undefined) log(`  in vain  ${attempt.name}`);
  }
  spawnSync("sh", ["-c", useStrays("control")], { stdio: ["ignore", "ignore", "ignore"] });
  if (!isMarked(strays, "control")) {
    vain += 1;
    log("  in vain  use descriptors that were left open");
  }
  const unseen = await Promise.all(hidden.map(([, , script]) => runInVolume(unboxed, host, script)));
  for (const [at, { stdout, ended }] of unseen.entries()) {
    if (ended === "exit" && stdout.includes("hidden")) continue;
    vain += 1;
    log(`  in vain  ${hidden[at]?.[0]}`);
  }
  const controls = open.length + 1 + hidden.length;
  log(`  ${controls - vain} of ${controls} got out`);

  const total = attempts.length + trials.length;
  return {
    ok: total >= 20 && escaped === 0 && vain === 0 && refused,
    figures: {
      attempts: total,
      escaped,
      controls,
      controlsInVain: vain,
      refusedWithoutSandbox: refused,
    },
  };
}

interface Trial {
  readonly name: string;
  readonly how: string | undefined;
  readonly seen: string;
}

const trial = (name: string, held: boolean, seen: string): Trial => ({
  name,
  how: held ? undefined : seen,
  seen,
});

const run = (
  sandbox: Sandbox,
  host: Host,
  script: string,
  change: Partial<SandboxLimits> = {},
  place: Pick<SandboxJob, "workspace" | "home" | "volume"> = {
    workspace: host.folder("workspace"),
    home: host.folder("home"),
  },
): Promise<SandboxResult> =>
  sandbox.run(
    {
      ...place,
      socket: host.proxy.socket,
      limits: { ...limits, ...change },
      command: ({ baseUrl }) => ({
        argv: ["sh", "-c", script],
        env: { ...host.variables, BASE_URL: baseUrl, LLM_API_KEY: "dummy" },
      }),
    },
    never,
  );

/** Runs one attempt and looks at everything that it could have got or done. */
async function tryOut(sandbox: Sandbox, { script }: Attempt, host: Host) {
  host.takeVisits();
  const result = await run(sandbox, host, script);
  const harvest = await readChanges(join(host.variables["PRIVATE"]!, "../workspace"), {});
  const said = result.stdout + result.stderr + JSON.stringify(harvest);
  const visits = host.takeVisits();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const how = said.includes(host.secret)
    ? "it read a secret of the host"
    : said.includes(host.key)
      ? "it read the key"
      : /^ESCAPED/m.test(said)
        ? (/^ESCAPED.*/m.exec(said)?.[0] ?? "")
        : visits.length > 0
          ? `it reached ${visits[0]}`
          : host.victim.exitCode !== null || host.victim.signalCode !== null
            ? "it killed a process of the host"
            : host.damage();
  return { how, seen: describeOutput(result) };
}

function describeOutput({ stdout, stderr, ended, exitCode }: SandboxResult): string {
  const lines = `${stdout}\n${stderr}`.split("\n").map((line) => line.trim());
  const told = lines.findLast((line) => /[a-z]/i.test(line)) ?? `${ended} ${exitCode}`;
  return told.length > 70 ? `${told.slice(0, 69)}…` : told;
}

/** What no look at processes and folders can see: only the kernel counts it. */
const hidden: readonly (readonly [string, KernelLimit, string])[] = [
  ["hide memory in messages in flight", "memory", hiddenMemory],
  ["hide memory in segments that nobody has attached", "memory", detachedMemory],
  ["hide files without a name in messages in flight", "disk", hiddenDisk],
];

/** As rollouts run: on a file system of their own, where one can be had. */
async function runInVolume(
  sandbox: Sandbox,
  host: Host,
  script: string,
  change: Partial<SandboxLimits> = {},
): Promise<SandboxResult> {
  await using own = await openVolume("escape", sandbox, limits.diskMb);
  const [workspace, home] = [join(own.room, "workspace"), join(own.room, "home")];
  for (const folder of [workspace, home]) mkdirSync(folder);
  const place = { workspace, home, ...(own.volume === undefined ? {} : { volume: own.volume }) };
  return await run(sandbox, host, script, change, place);
}

async function limitTrials(
  sandbox: Sandbox,
  host: Host,
  log: ProofOptions["log"],
): Promise<readonly Trial[]> {
  const hoard = `node -e 'const all = []; for (;;) all.push(Buffer.alloc(2e7, 1))'`;
  const cases: readonly (readonly [string, SandboxResult["ended"], string, Partial<SandboxLimits>?])[] = [
    ["fork bomb", "processes", "f() { f | f & }; f 2>/dev/null; sleep 60"],
    [
      "fork bomb that detaches itself",
      "processes",
      "f() { setsid sh -c '(sleep 60 &)' & f; }; f 2>/dev/null",
    ],
    ["memory bomb", "memory", hoard],
    ["memory bomb in many processes", "memory", `for i in 1 2 3 4 5 6; do ${hoard} & done; wait`],
    ["fill the disk with one file", "disk", "head -c 20G /dev/zero > big"],
    [
      "fill the disk with many files",
      "disk",
      "i=0; while :; do i=$((i+1)); head -c 5M /dev/zero > f$i; done",
    ],
    [
      "fill the disk through the home",
      "disk",
      "i=0; while :; do i=$((i+1)); head -c 5M /dev/zero > ~/f$i; done",
    ],
    [
      "fill the disk with files that have no name",
      "disk",
      "exec 5>u; rm u; head -c 60M /dev/zero >&5; exec 6>u; rm u; head -c 60M /dev/zero >&6; sleep 60",
    ],
    ["fill the disk with empty files", "disk", manyFiles(".")],
    [
      "sleep for ever, deaf to signals",
      "time",
      "trap '' TERM INT HUP; while :; do sleep 1; done",
      { seconds: 1 },
    ],
  ];
  const held: readonly string[] = (await sandbox.heldByKernel?.()) ?? [];
  const tried = hidden.filter(([, limit]) => held.includes(limit));
  for (const [name, limit] of hidden)
    if (!held.includes(limit)) log(`  not tried ${name}: ${limit} is only watched here`);
  const trials: Trial[] = [];
  for (const [name, limit, script, change] of [...cases, ...tried]) {
    const { ended, ms } = await runInVolume(sandbox, host, script, change);
    const how = held.includes(limit) ? "held" : "watched";
    trials.push(trial(name, ended === limit, `ended by ${ended} (${how}) after ${ms} ms`));
  }
  const temporary = await runInVolume(sandbox, host, manyFiles("/tmp"));
  const seen = `ended by ${temporary.ended} (watched) after ${temporary.ms} ms`;
  trials.push(trial("fill memory with empty temporary files", temporary.ended === "disk", seen));
  const full = await run(
    sandbox,
    host,
    "for d in /tmp /dev/shm; do head -c 20G /dev/zero > $d/big; du -sm $d; done",
  );
  const sizes = [...full.stdout.matchAll(/^(\d+)\t/gm)].map(([, mb]) => Number(mb));
  const fits = full.ended !== "exit" || (sizes.length === 2 && sizes.every((mb) => mb <= limits.diskMb));
  trials.push(
    trial("fill memory through temporary folders", fits, `${sizes.join(" and ")} MB, ${full.ended}`),
  );
  return trials;
}

/** Nothing of a box may be left, whatever ends it. */
async function lifeTrials(sandbox: Sandbox, host: Host): Promise<readonly Trial[]> {
  const mark = `${200_000 + process.pid}`;
  const detach = `(setsid nohup sleep ${mark} >/dev/null 2>&1 &); perl -e 'exit if fork; require POSIX; POSIX::setsid(); exit if fork; exec "sleep", "${mark}"' & sleep 0.3`;
  await run(sandbox, host, detach);
  const afterExit = marked(mark);
  const limited = await run(sandbox, host, `${detach}; sleep 60`, { seconds: 1 });
  const afterLimit = marked(mark);

  const workspace = host.folder("orphan");
  const worker = join(import.meta.dirname, "box-worker.ts");
  const parent = spawn(
    process.execPath,
    [worker, workspace, "sh", "-c", `${detach}; touch started; sleep ${mark}`],
    { stdio: "ignore" },
  );
  await waitFor(() => existsSync(join(workspace, "started")));
  const alive = marked(mark);
  parent.kill("SIGKILL");
  await waitFor(() => marked(mark) === 0);
  const afterKill = marked(mark);
  return [
    trial("outlive the command (double fork, setsid, nohup)", afterExit === 0, `${afterExit} left`),
    trial("outlive a limit", afterLimit === 0 && limited.ended === "time", `${afterLimit} left`),
    trial(
      "outlive kill -9 of the parent",
      alive > 0 && afterKill === 0,
      `${alive} before, ${afterKill} left`,
    ),
  ];
}

/** Processes of the host with this word on their command line. */
const marked = (mark: string): number =>
  readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").startsWith(`sleep\0${mark}`);
    } catch {
      return false;
    }
  }).length;

async function waitFor(done: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !done(); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The agent's leavings run beside the grader and try to make it say yes. */
async function graderTrial(sandbox: Sandbox): Promise<Trial> {
  const evil = `for f in "$GRADER"/*; do echo 'exit 0' > "$f"; cp /bin/true "$f"; rm -f "$f"; chmod 777 "$f"; done; mv "$GRADER" /tmp/g; exit 0`;
  const grade = commandRunner(sandbox);
  const result = await grade(
    {
      argv: ["sh", "-c", 'sh ./solution.sh >/dev/null 2>&1; sh "$GRADER/check.sh"'],
      files: { "solution.sh": evil, "check.sh": "exit 0" },
      grader: { "check.sh": 'test "$(cat answer.txt)" = 42 || exit 3' },
      seconds: 20,
    },
    never,
  );
  return trial("edit the grader while it grades", result.exitCode === 3, `verdict stays ${result.exitCode}`);
}

/** Descriptors that whoever started us left open are not open inside, neither for an agent nor for a grader. */
async function strayTrials(sandbox: Sandbox, host: Host, strays: Strays): Promise<readonly Trial[]> {
  const script = useStrays("planted");
  const agent = await run(sandbox, host, script);
  const grade = commandRunner(sandbox);
  const grader = await grade({ argv: ["sh", "-c", script], files: {}, seconds: 20 }, never);
  return [
    ["use descriptors that were left open", agent.stdout] as const,
    ["use descriptors that were left open, in a grader", grader.stdout] as const,
  ].map(([name, said]) => {
    const isOut = said.includes(strays.secret) || isMarked(strays, "planted");
    return trial(name, !isOut, isOut ? "it read or wrote through them" : "none of them is there");
  });
}

async function proveRefusal(log: ProofOptions["log"]): Promise<boolean> {
  const refusal = await chooseSandbox("auto", { env: { PATH: "/nowhere" }, platform: "linux" }).then(
    () => undefined,
    (error: Error & { readonly code?: string; readonly hint?: string }) => error,
  );
  log(`without bubblewrap on PATH: ${refusal?.message ?? "NOT refused"} ${refusal?.hint ?? ""}`);
  return refusal?.code === "sandbox-missing" && (refusal.hint ?? "").includes("bubblewrap");
}
