import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { personCli, spawnWhetstone, typeWhetstone } from "../../../test/support/type-whetstone.ts";
import type { RunEvent } from "../../core/events.ts";
import {
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from "../../testing/scripted-server/start-scripted-server.ts";
import { learnableWorld } from "../../../test/support/learnable-world.ts";
import { sharedFolder } from "../../config/state-folder.ts";

const world = learnableWorld(2);

interface Office {
  readonly dir: string;
  readonly server: ScriptedServer;
  readonly flags: readonly string[];
}

/** A project folder with a skill and tasks, and a server that plays both models. */
async function openOffice(options: Partial<ScriptedServerOptions> = {}): Promise<Office> {
  const server = await startScriptedServer({ seed: 2, world, ...options });
  onTestFinished(() => server.close());
  const { train, val, test: sealed } = world.splits({ train: 12, val: 10, test: 10 });
  const dir = await tempDir({
    "SKILL.md": world.seedSkill(1),
    "tasks/train.json": JSON.stringify(train),
    "tasks/val.json": JSON.stringify(val),
    "tasks/test.json": JSON.stringify(sealed),
  });
  const models = [
    "--target",
    "office/target",
    "--optimizer",
    "office/optimizer",
    "--base-url",
    `${server.url}/v1`,
  ];
  return {
    dir,
    server,
    flags: [...models, "--spend-calls", "2000", "--epochs", "2", "--batch-size", "12", "--gate", "strict"],
  };
}

test("a config in a project without a module type is read without a warning of node's", async () => {
  const { dir, flags } = await openOffice();
  await writeFile(join(dir, "package.json"), '{ "name": "mine" }');
  await writeFile(
    join(dir, "whetstone.config.ts"),
    'export default { skill: "./SKILL.md", tasks: "./tasks" };\n',
  );
  const { code, err } = await spawnWhetstone(dir, ["doctor", "--no-call", ...flags]);
  expect(err).not.toContain("Module type");
  expect(code).toBe(0);
});

test("train learns the rules, exports the skill, and the same command again prints the finished result", async () => {
  const { dir, server, flags } = await openOffice();
  const first = await spawnWhetstone(dir, ["train", ...flags]);
  expect(first.err).toBe("");
  expect(first.code).toBe(0);
  expect(first.out).toContain("guess  skill: SKILL.md\nguess  tasks: tasks\n");
  expect(first.out).toMatch(/step 1\/2 {2}new best {3}/);
  expect(first.out).toMatch(
    /^(better|higher on these tasks|not proven): skill from step \d, test \d+\.\d% → \d+\.\d%$/m,
  );
  const path = /^ {2}skill {2}(\S+)$/m.exec(first.out)?.[1] ?? "";
  expect(world.rulesIn(await readFile(join(dir, path), "utf8")).held.length).toBeGreaterThan(1);
  expect(JSON.parse(await readFile(join(sharedFolder(dir), "sealed.json"), "utf8"))).toMatchObject({
    files: { [join(dir, "tasks/test.json")]: { hash: expect.any(String) } },
  });

  const calls = server.callCount;
  const again = await spawnWhetstone(dir, ["train", ...flags, "--spend-calls", "1"]);
  expect(again.code).toBe(0);
  expect(again.out).toContain("This run had already finished, so nothing was spent now.");
  expect(again.out).not.toMatch(/step 1\/2/);
  expect(server.callCount).toBe(calls);

  const list = await spawnWhetstone(dir, ["runs"]);
  expect(list.out).toMatch(
    /^[0-9a-f]{8} {2}train {2}[\d: -]+ {2}(better|higher on these tasks|not proven) {2,}[+−][\d.]+ \([+−][\d.]+ to [+−][\d.]+\) /m,
  );
  const show = await spawnWhetstone(dir, ["runs", "show"]);
  expect(show.out).toMatch(/^(better|higher on these tasks|not proven): skill/);
  expect(show.out).toContain("original → best\nSKILL.md\n");
  expect(show.out).toMatch(/^\+ - Parcels of /m);
  expect(show.out).toMatch(/^ {2}optimizer {2}\$0 {2}\d+ calls/m);

  // output that nobody reads any more ends the command quietly
  const left = `"${process.execPath}" "${personCli}" runs --json | head -c 10`;
  const cut = spawnSync("sh", ["-c", left], { cwd: dir, encoding: "utf8" });
  expect([cut.status, cut.stdout.slice(0, 8), cut.stderr]).toEqual([0, '{"run":"', ""]);
});

test("Ctrl-C stops cleanly, says how to go on, and the same command goes on without paying twice", async () => {
  const { dir, server, flags } = await openOffice({ latency: { kind: "fixed", ms: 60 } });
  let sent = false;
  const stopped = await spawnWhetstone(dir, ["train", ...flags], {
    onOut: (pid, out) => {
      if (sent || !out.includes("step 1/2")) return;
      sent = true;
      const { callCount } = server;
      const timer = setInterval(() => {
        // a call of the next step is in flight
        if (server.callCount === callCount) return;
        clearInterval(timer);
        process.kill(pid, "SIGINT");
      }, 5);
    },
  });
  expect(stopped.code).toBe(130);
  expect(stopped.err).toContain("Stopping: waiting for calls in flight.");
  expect(stopped.err).toContain(
    "Stopped as you asked.\nnext: Run the same command again to continue; finished work is kept.",
  );
  expect((await spawnWhetstone(dir, ["runs"])).out).toContain("stopped (interrupted)");
  const resumed = await spawnWhetstone(dir, ["train", ...flags]);
  expect(resumed.code).toBe(0);
  expect(resumed.out).toMatch(/resuming with \d+ saved results/);
  expect([...server.callsByKey.values()].every((count) => count === 1)).toBe(true);
});

test.each([["plan"], ["doctor"], ["eval"], ["prune"], ["compare", "SKILL.md", "other.md"]])(
  "%s tells an interrupt as one",
  async (...words) => {
    const { dir, server, flags } = await openOffice({ latency: { kind: "fixed", ms: 400 } });
    await writeFile(join(dir, "other.md"), world.seedSkill(2));
    const needsOptimizer = ["plan", "doctor"].includes(words[0] ?? "");
    const used = flags.slice(0, 6).filter((_, at) => needsOptimizer || (at !== 2 && at !== 3));
    let timer: NodeJS.Timeout | undefined;
    const stopped = await spawnWhetstone(dir, [...words, ...used], {
      onOut: (pid) => {
        timer ??= setInterval(() => {
          if (server.callCount === 0 && words[0] !== "plan") return;
          clearInterval(timer);
          process.kill(pid, "SIGINT");
        }, 5);
      },
    });
    // by the signal itself where a long computation didn't let it end in time; a shell gives 130 for that too
    expect([130, null]).toContain(stopped.code);
    expect(stopped.err).toContain("Stopped as you asked");
    expect(stopped.err).not.toContain("error");
  },
);

test("a cap stops with exit code 4, and a raised cap goes on; --json prints one event per line, and nothing else, on standard output", async () => {
  const { dir, server, flags } = await openOffice();
  const capped = await spawnWhetstone(dir, ["train", ...flags, "--spend-calls", "120"]);
  expect(capped.code).toBe(4);
  expect(capped.err).toMatch(/^error spend-cap: The next call could exceed the cap \(calls 120\)/m);
  expect(capped.err).toMatch(/^next: Run the same command again with a higher --spend-calls /m);
  expect(server.callCount).toBe(120);
  const { code, out } = await spawnWhetstone(dir, ["train", ...flags, "--json"]);
  expect(code).toBe(0);
  expect([...server.callsByKey.values()].every((count) => count === 1)).toBe(true);
  const events = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RunEvent);
  expect(events[0]?.type).toBe("run-start");
  expect(events.at(-1)).toMatchObject({
    type: "run-end",
    status: "done",
    summary: { verdict: expect.stringMatching(/better|higher|not-proven/) },
  });
  expect(new Set(events.map(({ run }) => run)).size).toBe(1);
});

test("a wrong key ends with exit code 1 after one call", async () => {
  const { dir, server, flags } = await openOffice();
  server.setOutage("401");
  const { code, err } = await spawnWhetstone(dir, ["train", ...flags]);
  expect(code).toBe(1);
  expect(err).toMatch(/^error provider-refused: office\/target refused the call: /m);
  expect(err).toMatch(/^next: export OFFICE_API_KEY=<a key that 127\.0\.0\.1:\d+ accepts>$/m);
  expect(server.callCount).toBe(1);
});

test("batch/… is an unknown provider, named in a config or by a flag; one that the error lists takes its place", async () => {
  const { dir, server } = await openOffice();
  const config = {
    target: "batch/openai/target",
    optimizer: "openai/optimizer",
    providers: { openai: { baseURL: `${server.url}/v1` } },
    spend: { calls: 9 },
  };
  await writeFile(join(dir, "whetstone.config.json"), JSON.stringify(config));
  const known = ["--target", "openai/target"];
  for (const flags of [[], [...known, "--optimizer", "batch/openai/optimizer"]]) {
    const { code, err } = await typeWhetstone(dir, ["train", ...flags]);
    expect(code).toBe(2);
    expect(err).toMatch(/^error config-invalid: Unknown provider "batch" in batch\/openai\/\w+\.$/m);
    expect(err).toMatch(/^next: Set providers\.batch\.baseURL to .*, or use one of: .*\bopenai\b/m);
  }
  expect(server.callCount).toBe(0);
  const refused = await typeWhetstone(dir, ["doctor"]);
  expect(refused.out).toMatch(/^fail {2}target +Unknown provider "batch" in batch\/openai\/target\.$/m);
  expect((await typeWhetstone(dir, ["doctor", ...known])).code).toBe(0);
});

test("a model elsewhere without a price needs a price or another cap, and train and plan say so alike", async () => {
  const { dir, flags } = await openOffice();
  const uncapped = flags.toSpliced(flags.indexOf("--spend-calls"), 2);
  const elsewhere = ["--base-url", "http://models.invalid/v1", "--no-eval-test"];
  for (const command of ["train", "plan"]) {
    const refused = await typeWhetstone(dir, [command, ...uncapped, ...elsewhere]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(
      "error price-unknown: The price of office/target and office/optimizer isn't known",
    );
    expect(refused.err).toMatch(/^next: Add --spend-calls 2000, /m);
  }
  // what the error says, followed literally
  const capped = await typeWhetstone(dir, [
    "plan",
    ...uncapped,
    ...elsewhere,
    "--spend-usd",
    "5",
    "--spend-calls",
    "2000",
  ]);
  expect(capped.code).toBe(0);
  expect(capped.out).toContain("note   spend: 2000 calls; the cap of 5 USD is ignored, because the price of");
  expect(capped.out).toContain("The cap of 2000 calls covers all steps.");
});

test("a server on this machine costs nothing, unless a price is given", async () => {
  const { dir, flags } = await openOffice();
  const uncapped = flags.toSpliced(flags.indexOf("--spend-calls"), 2);
  const free = await typeWhetstone(dir, ["plan", ...uncapped, "--no-eval-test"]);
  expect(free.code).toBe(0);
  expect(free.out).toContain("guess  price: office/target is free, because its server is on this machine");
  const priced = ["--price", "office/target=0.1,0.4", "--price", "office/optimizer=1,4"];
  const done = await typeWhetstone(dir, ["train", ...uncapped, ...priced]);
  expect(done.code).toBe(0);
  expect(done.out).toMatch(
    /^ {2}cost {3}\$0\.\d+ \(optimizer \$0\.\d+, \d+ calls; target \$0\.\d+, \d+ calls\)$/m,
  );
});

test("mistakes on the command line end with exit code 2, a sentence and a next step", async () => {
  const dir = await tempDir();
  const mistakes: readonly (readonly [readonly string[], string])[] = [
    [["trian"], "error usage: Unknown command 'trian'.\nnext: Did you mean train?\n"],
    [["runs", "shwo"], "error usage: Unknown command 'shwo'.\nnext: Did you mean show?\n"],
    [["train", "--epoch", "3"], "error usage: Unknown option '--epoch'.\nnext: Did you mean --epochs?\n"],
    [
      ["train", "--epochs", "many"],
      'error config-invalid: The command line: --epochs is "many"; it must be a whole number, 1 or more.\n',
    ],
    [
      ["init", "--draft", "x"],
      "error usage: Option '--draft <n>' argument 'x' is invalid. It must be a whole number, 1 or more.\n",
    ],
    [["train", "--price", "x"], 'error usage: --price is "x", which isn\'t model=input,output.\n'],
    [
      ["eval", "--on", "dev"],
      "error usage: Option '--on <tasks>' argument 'dev' is invalid. Allowed choices are train, val, test, all, unseen.\n",
    ],
    [["runs", "show", "ffff"], `error not-found: No journal found in ${sharedFolder(dir)}.\n`],
    [["journal", "salvage"], "error usage: Required option '--to <folder>' not specified.\n"],
    [
      ["train", "--config", "none.json"],
      `error not-found: The config file ${join(dir, "none.json")} doesn't exist.\n`,
    ],
  ];
  for (const [args, message] of mistakes) {
    const { code, out, err } = await typeWhetstone(dir, args);
    expect([args, code, out]).toEqual([args, 2, ""]);
    expect(err).toContain(message);
    expect(err).toMatch(/^next: \S/m);
  }
  const bare = await spawnWhetstone(dir, []);
  expect([bare.code, bare.err]).toEqual([2, ""]);
  expect(bare.out).toMatch(/^Usage: whetstone/);
  expect(existsSync(join(dir, ".whetstone"))).toBe(false);
});

test("a config file is used, and flags win over it", async () => {
  const { dir, server } = await openOffice();
  const config = {
    target: "office/target",
    optimizer: "office/optimizer",
    providers: { office: { baseURL: `${server.url}/v1` } },
    spend: { calls: 2000 },
    epochs: 3,
    batchSize: 12,
    journal: "../elsewhere",
  };
  const project = await tempDir({
    "sub/whetstone.config.json": JSON.stringify({
      ...config,
      skill: join(dir, "SKILL.md"),
      tasks: join(dir, "tasks"),
    }),
  });
  const sub = join(project, "sub");
  const refused = await typeWhetstone(sub, ["train", "--epochs", "1"]);
  expect(refused.err).toMatch(/^error not-consented: .*elsewhere/);
  // a folder of journals is believed, so a project's file alone can't name one
  expect((await typeWhetstone(sub, ["trust", "--yes"])).code).toBe(0);
  const { code, out } = await typeWhetstone(sub, ["train", "--epochs", "1"]);
  expect(code).toBe(0);
  expect(out).toContain("epochs 1, batch 12");
  expect(existsSync(join(project, "elsewhere/journal.db"))).toBe(true);
});

test("eval measures one split, and doctor says what is there and what is missing", async () => {
  const { dir, flags } = await openOffice();
  const evalFlags = flags.slice(0, 2).concat(flags.slice(4, 8));
  const measured = await typeWhetstone(dir, ["eval", ...evalFlags, "--on", "test"]);
  expect(measured.err).toBe("");
  expect(measured.out).toMatch(
    /^\d+\.\d% of 10 test tasks pass \(95% interval \d+\.\d% to \d+\.\d%\), partial credit \d+\.\d% \(one trial each\)$/m,
  );

  expect(measured.out).not.toContain("--journal");
  const elsewhere = await typeWhetstone(dir, [
    "eval",
    ...evalFlags,
    "--on",
    "test",
    "--journal",
    "elsewhere",
  ]);
  expect(elsewhere.out).toContain("These commands need the same --journal");

  const well = await typeWhetstone(dir, ["doctor", ...flags]);
  expect(well.out).toMatch(/^ok {4}target {11}office\/target: .* answered in \d+ ms$/m);
  expect(well.out).toMatch(/^ok {4}target price {5}\$0 in, \$0 out/m);
  expect(well.out).toMatch(/^ok {4}tasks {12}12 train, 10 val, 10 test \(guessed\)$/m);
  expect(well.code).toBe(0);

  // an agent that is installed would be guessed
  const ill = await spawnWhetstone(await tempDir(), ["doctor"], { env: { PATH: dirname(process.execPath) } });
  expect(ill.code).toBe(1);
  expect(ill.out.match(/^fail/gm)).toHaveLength(3);
  expect(ill.out.match(/next: /g)).toHaveLength(3);
});

test("SIGTERM ends what hangs, even in a thread, and speaks of no calls where there are none", async () => {
  const hanging = `import { readFile, writeFile } from "node:fs/promises";
console.log("it hangs");
await readFile(new URL("pipe", import.meta.url));
export default {};
`;
  const dir = await tempDir({ "hanging.mjs": hanging });
  execFileSync("mkfifo", [join(dir, "pipe")]);
  let isTold = false;
  const ended = await spawnWhetstone(dir, ["plan", "--config", "hanging.mjs"], {
    onOut: (pid, out) => {
      if (isTold || !out.includes("it hangs")) return;
      isTold = true;
      process.kill(pid, "SIGTERM");
    },
  });
  expect([isTold, ended.code, ended.err]).toEqual([true, null, "Stopped as you asked.\n"]);
});
