import { spawn } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createProgram } from "../src/apps/cli/program.ts";
import { commandKinds, commandWords, everyCommand } from "./support/every-command.ts";
import { tempDir } from "./support/temp-dir.ts";
import { hashText } from "../src/core/canonical.ts";
import { capturedIo } from "./support/captured-io.ts";
import { hostileFolder, listenAsPostgres, markedPackage, readers } from "./support/hostile-folder.ts";

const main = fileURLToPath(new URL("support/person-cli.ts", import.meta.url));

interface Result {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A person with a home of their own, and a folder that others write into. */
async function openPerson(files: Readonly<Record<string, string>>) {
  const home = await tempDir({});
  const dir = await tempDir(files);
  const marks = await tempDir({});
  const whetstone = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    new Promise<Result>((done) => {
      const child = spawn(process.execPath, [main, ...args], {
        cwd: dir,
        env: {
          PATH: process.env["PATH"],
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
          HOME: home,
          NO_COLOR: "1",
          MARKS: marks,
          KEY: "the-key",
          ...env,
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let [out, err] = ["", ""];
      child.stdout.on("data", (chunk) => {
        out += String(chunk);
        // the server of `ui` would wait for a browser
        if (args[0] === "ui" && out.includes("http://")) child.kill("SIGINT");
      });
      child.stderr.on("data", (chunk) => (err += String(chunk)));
      child.on("close", (code) => done({ code, out, err }));
    });
  return {
    home,
    dir,
    marks,
    whetstone,
    /** Names of what ran since the last look. */
    ran(): readonly string[] {
      const names = readdirSync(marks).toSorted();
      for (const name of names) rmSync(join(marks, name));
      return names;
    },
    async write(path: string, text: string) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), text);
    },
  };
}

/** Leaves a mark when it is evaluated. */
const mark = (name: string): string =>
  `(await import("node:fs")).writeFileSync(process.env.MARKS + "/${name}", "");\n`;
const markSync = (name: string): string =>
  `require("node:fs").writeFileSync(process.env.MARKS + "/${name}", "");\n`;

/** A server that notes every request, and answers none well. */
async function listen() {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(String(request.headers.authorization));
    response.statusCode = 400;
    response.end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { heard, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const rows = (check: unknown) =>
  Array.from({ length: 6 }, (_, at) =>
    JSON.stringify({ id: `t${at}`, question: `q${at}`, checks: [check] }),
  ).join("\n");

test("every command is listed as one that reads or one that works, and none twice", () => {
  expect(everyCommand().map(commandWords).toSorted()).toEqual(Object.keys(commandKinds).toSorted());
});

const hostile: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a config in TypeScript": { "whetstone.config.ts": `${mark("config")}export default {};` },
  "a config in JavaScript": { "whetstone.config.mjs": `${mark("config")}export default {};` },
  "a config in JSON that extends code": {
    "whetstone.config.json": JSON.stringify({ extends: "./base.json" }),
    "base.json": JSON.stringify({ extends: "./base.ts", environment: "./environment.ts" }),
    "base.ts": `${mark("config")}export default {};`,
  },
};

const hostileFiles = (files: Readonly<Record<string, string>>) => ({
  ...files,
  "environment.ts": `${mark("environment")}export default () => ({ score: 1 });`,
  "scorer.ts": `${mark("scorer")}export const score = () => 1;`,
  "SKILL.md": "# Skill\n",
  "tasks.jsonl": rows({ kind: "custom", value: "./scorer.ts#score" }),
});

test("in a cloned folder, no reading command runs a line of it, and one that works leaves its mark", async () => {
  const person = await openPerson(hostileFiles(hostile["a config in JSON that extends code"] ?? {}));
  for (const [words, args] of readers) {
    const { err } = await person.whetstone(args);
    expect({ words, ran: person.ran() }).toEqual({ words, ran: [] });
    expect(err).not.toContain("error: unknown");
  }
  await person.whetstone(["plan"]);
  expect(person.ran()).toEqual(["config", "environment", "scorer"]);
});

/** A folder in which the demo has been run: its journal is the same anywhere. */
let played: Promise<string>;
beforeAll(() => {
  played = mkdtemp(join(tmpdir(), "whetstone-played-")).then(async (dir) => {
    await read(dir, ["demo"]);
    return dir;
  });
});
afterAll(async () => rm(await played, { recursive: true }));

test.each(Object.entries(hostile))(
  "in a folder with %s that has a journal, none of them does either",
  async (_, files) => {
    const person = await openPerson(hostileFiles(files));
    process.env["MARKS"] = person.marks;
    onTestFinished(() => {
      delete process.env["MARKS"];
    });
    cpSync(await played, person.dir, { recursive: true });
    expect(existsSync(join(person.dir, ".whetstone"))).toBe(true);
    for (const [words, args] of readers) {
      await read(person.dir, args).catch(() => {});
      expect({ words, ran: person.ran() }).toEqual({ words, ran: [] });
    }
    await read(person.dir, ["plan"]).catch(() => {});
    expect(person.ran()).toContain("config");
  },
);

/** In this process, which is faster. */
async function read(dir: string, args: readonly string[]): Promise<void> {
  const { io } = capturedIo(dir);
  const stop = new AbortController();
  const print = (text: string) => {
    if (args[0] === "ui" && text.includes("http://")) stop.abort();
  };
  await createProgram({ ...io, print, signal: stop.signal }, "0.0.0").parseAsync([
    "node",
    "whetstone",
    ...args,
  ]);
}

/** Until the test is over. */
async function openDatabase() {
  const database = await listenAsPostgres();
  onTestFinished(database.close);
  return database;
}

test("in a cloned folder that names a database, no reading command connects to it or loads a package of the folder", async () => {
  const database = await openDatabase();
  const person = await openPerson(hostileFolder(database.port));
  process.env["MARKS"] = person.marks;
  process.env["PGPASSWORD"] = "prod-db-secret";
  onTestFinished(() => {
    delete process.env["MARKS"];
    delete process.env["PGPASSWORD"];
  });
  cpSync(await played, person.dir, { recursive: true });
  for (const [words, args] of readers) {
    await read(person.dir, args).catch(() => {});
    expect({ words, heard: database.heard, ran: person.ran() }).toEqual({ words, heard: [], ran: [] });
  }
});

test("nothing connects to a database or a queue of a project's file before a person allows its host; a typed one is theirs", async () => {
  const [database, other] = [await openDatabase(), await openDatabase()];
  const person = await openPerson(hostileFolder(database.port));
  const address = `postgres://127.0.0.1:${other.port}/x`;
  const typed = ["--journal", address, "--redis", `redis://127.0.0.1:${other.port}`];
  const type = (...args: readonly string[]) => person.whetstone(args, { PGPASSWORD: "prod-db-secret" });
  for (const args of [["runs"], ["plan"], ["doctor", "--no-call"]]) {
    const refused = await type(...args);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("not-consented") });
    expect(refused.err).toContain(`sending to 127.0.0.1:${database.port} with PGPASSWORD`);
    expect(refused.err).toContain("type: whetstone trust");
  }
  const named = await type("runs", "--config", "whetstone.config.json");
  expect(named.err).toContain("type: whetstone trust --config whetstone.config.json");
  expect((await type("eval", ...typed.slice(0, 2))).err).toContain(`sending to 127.0.0.1:${database.port}`);
  expect((await type("eval", ...typed)).err).not.toContain("not-consented");
  expect((await type("runs", ...typed.slice(0, 2))).err).not.toContain("not-consented");
  expect(other.heard.join("\n")).toContain("prod-db-secret");
  expect(database.heard).toEqual([]);

  const trusted = await type("trust", "--yes");
  expect(trusted.out).toContain(`127.0.0.1:${database.port} with PGPASSWORD`);
  expect(database.heard).toEqual([]);
  expect((await type("runs")).err).not.toContain("not-consented");
  expect(database.heard.join("\n")).toContain("prod-db-secret");

  other.heard.length = 0;
  await person.write("whetstone.config.json", JSON.stringify({ journal: address }));
  for (const words of ["runs", "plan"])
    expect((await type(words)).err).toContain(`sending to 127.0.0.1:${other.port} with PGPASSWORD`);
  expect(other.heard).toEqual([]);
});

test("what a config in code says of the database is not connected to either", async () => {
  const database = await openDatabase();
  const person = await openPerson({
    "whetstone.config.ts": `export default { journal: "postgres://127.0.0.1:${database.port}/x" };`,
    "SKILL.md": "# Skill\n",
  });
  // it is remembered, and allows nothing
  await person.whetstone(["trust", "--yes"]);
  await person.whetstone(["trust", "--forget"]);
  for (const args of [["plan"], ["runs"]])
    expect((await person.whetstone(args)).err).toContain(`sending to 127.0.0.1:${database.port}`);
  expect(database.heard).toEqual([]);
});

test("a package that only the project has is loaded as a person has allowed it, and no other way", async () => {
  const server = await listen();
  const person = await openPerson({
    "whetstone.config.json": JSON.stringify({
      target: "google/a",
      optimizer: "google/b",
      providers: { google: { baseURL: `http://${server.host}/v1`, apiKeyEnv: "KEY" } },
      spend: { calls: 5 },
    }),
    "SKILL.md": "# Skill\n",
    "tasks.jsonl": rows({ kind: "contains", value: "a" }),
    ...markedPackage("@ai-sdk/google"),
  });
  const work = (...flags: readonly string[]) => person.whetstone(["eval", "--on", "train", ...flags]);
  const refused = await work();
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("error peer-missing") });
  expect(refused.err).toContain("`whetstone trust` allows this project's packages");
  expect(person.ran()).toEqual([]);

  expect((await person.whetstone(["trust", "--yes"])).out).toContain("node_modules/@ai-sdk/google");
  person.ran();
  for (const flags of [[], ["--unattended"]]) {
    // it is loaded, and is not what it says it is
    expect((await work(...flags)).err).toContain("The installed @ai-sdk/google has no");
    expect(person.ran()).toEqual(["@ai-sdk+google"]);
  }
  await person.write("node_modules/@ai-sdk/google/index.js", markSync("changed"));
  for (const flags of [[], ["--unattended"]]) {
    expect((await work(...flags)).err).toContain("@ai-sdk/google/index.js has changed");
    expect(person.ran()).toEqual([]);
  }
});

test("where a config is code, the next step of a reading command works, and finds the journal that the code names", async () => {
  const person = await openPerson({
    "whetstone.config.ts": `export default { journal: "./elsewhere" };`,
    "SKILL.md": "# Skill\n",
  });
  const lost = await person.whetstone(["runs"]);
  expect(lost.code).toBe(2);
  expect(lost.err).toContain("whetstone plan");
  const elsewhere = join(person.dir, "elsewhere");
  const planned = await person.whetstone(["plan"]);
  expect(planned.err.replaceAll(/\s+/g, " ")).toContain(`reading the journal in ${elsewhere}`);
  expect((await person.whetstone(["trust", "--yes"])).code).toBe(0);
  expect((await person.whetstone(["runs"])).err).toContain(elsewhere);
});

test("a command that works says once which files it runs, and again when there are others", async () => {
  const person = await openPerson({
    "whetstone.config.ts": `import "./one.ts";\nexport default {};`,
    "one.ts": "export {};",
    "SKILL.md": "# Skill\n",
  });
  const said = async () =>
    /^Runs code of this folder: (.*)\.$/m.exec((await person.whetstone(["plan"])).err)?.[1];
  expect(await said()).toBe("one.ts, whetstone.config.ts");
  expect(await said()).toBeUndefined();
  await person.write("one.ts", "export const changed = 1;");
  expect(await said()).toBeUndefined();
  await person.write("one.ts", `import "./two.ts";`);
  await person.write("two.ts", "export {};");
  expect(await said()).toBe("one.ts, two.ts, whetstone.config.ts");
});

/** Everything that can be loaded, each in a file of its own. */
const loaded = {
  "whetstone.config.ts": `import { helper } from "./helper.ts";
import "package";
export default { ...helper, extends: "./base.json", environment: "./environment.ts", spend: { calls: 5 } };`,
  "base.json": JSON.stringify({ optimizer: "own/optimizer", target: "own/target" }),
  "helper.ts": `export const helper = { providers: { own: { baseURL: "http://HOST/v1", apiKeyEnv: "KEY" } } };`,
  "node_modules/package/package.json": JSON.stringify({ name: "package", main: "index.js" }),
  "node_modules/package/index.js": `module.exports = require("./inner.cjs");`,
  "node_modules/package/inner.cjs": "",
  // Node cannot run an enum: jiti does
  "environment.ts": `import { Kind } from "./kind";
export default () => ({ score: Kind.good });`,
  "kind.ts": "export enum Kind { good = 1 }",
  "scorer.ts": "export const score = () => 1;",
  "SKILL.md": "# Skill\n",
  "tasks.jsonl": rows({ kind: "custom", value: "./scorer.ts#score" }),
} as const;

const imported = (name: string): string =>
  `import { writeFileSync } from "node:fs"; writeFileSync(process.env.MARKS + "/${name}", "");`;

/** What is put before the text of each of them. */
const changes: Readonly<Record<string, (name: string) => string>> = {
  "scorer.ts": mark,
  "kind.ts": imported,
  "environment.ts": imported,
  "node_modules/package/inner.cjs": markSync,
  "node_modules/package/index.js": markSync,
  "helper.ts": mark,
  "whetstone.config.ts": mark,
};

test("unattended, a change of any file of code stops it before one line of that file runs, until a person allows it", async () => {
  const server = await listen();
  const files = { ...loaded, "helper.ts": loaded["helper.ts"].replace("HOST", server.host) };
  const person = await openPerson(files);
  const unattended = () => person.whetstone(["eval", "--on", "train", "--unattended"]);

  const first = await unattended();
  expect(first).toMatchObject({ code: 2, err: expect.stringContaining("not-consented") });
  // a project cannot consent for its reader
  const planted = {
    v: 1,
    project: person.dir,
    journals: {},
    told: [],
    trust: { at: 1, files: {}, sends: {} },
  };
  const name = `${hashText(person.dir).slice(0, 32)}.json`;
  for (const folder of [
    ".whetstone",
    ".whetstone/trust",
    ".local/state/whetstone/projects",
    "whetstone/projects",
  ])
    await person.write(`${folder}/${name}`, JSON.stringify(planted));
  expect((await unattended()).err).toContain("not-consented");
  const inside = await person.whetstone(["eval", "--unattended"], { XDG_STATE_HOME: person.dir });
  expect(inside.err).toContain("not-consented");
  expect(server.heard).toEqual([]);

  expect(await person.whetstone(["trust"])).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  const trusted = await person.whetstone(["trust", "--yes"]);
  expect(trusted).toMatchObject({ code: 0 });
  expect(trusted.out).toContain(`${server.host} with KEY`);
  for (const file of Object.keys(changes))
    expect(trusted.out).toContain(file.startsWith("node_modules") ? "node_modules/package" : file);
  expect((await unattended()).err).not.toContain("not-consented");

  // what is loaded last is changed first: the mark of a change that was allowed may stand beside
  for (const [at, [file, change]] of Object.entries(changes).entries()) {
    server.heard.length = 0;
    await person.write(file, `${change(`change-${at}`)}\n${files[file as keyof typeof files]}`);
    const refused = await unattended();
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${join(person.dir, file)} has changed`),
    });
    expect(refused.err).toContain("type: whetstone trust");
    expect({ file, ran: person.ran().includes(`change-${at}`), heard: server.heard }).toEqual({
      file,
      ran: false,
      heard: [],
    });
    expect((await person.whetstone(["trust", "--yes"])).code).toBe(0);
    person.ran();
  }
  expect((await unattended()).err).not.toContain("not-consented");
  expect(person.ran()).toEqual(Object.keys(changes).map((_, at) => `change-${at}`));

  // code that catches the refusal of a new file does not go on without it
  await person.write("helper.ts", `try { await import("./late.ts") } catch {}\n${files["helper.ts"]}`);
  await person.whetstone(["trust", "--yes"]);
  person.ran();
  await person.write("late.ts", mark("late"));
  expect((await unattended()).err).toContain("late.ts is new");
  expect(person.ran()).not.toContain("late");

  await person.whetstone(["trust", "--forget"]);
  expect((await unattended()).err).toContain("not-consented");
});

const conversation = (dir: string): string => {
  const line = (type: string, content: unknown, at: number) =>
    JSON.stringify({
      type,
      message: { role: type, content, ...(type === "assistant" ? { id: `m${at}` } : {}) },
      uuid: `r${at}`,
      timestamp: new Date(Date.now() - 3_600_000 + 1000 * at).toISOString(),
      cwd: dir,
      sessionId: "00000000-0000-4000-8000-000000000000",
      isSidechain: false,
      userType: "external",
    });
  return [
    line("user", "Make a table of the orders for the merger with Ostler.", 0),
    line("assistant", [{ type: "text", text: "The table is ready." }], 1),
    line("user", "No, always put Monday first.", 2),
    line("assistant", [{ type: "text", text: "Done." }], 3),
  ].join("\n");
};

/** A project whose nights have been allowed, with models at one server. */
async function openNights(host: string) {
  const config = (given: object): string =>
    JSON.stringify({ target: "own/target", optimizer: "own/optimizer", spend: { calls: 5 }, ...given });
  const at = (place: string, apiKeyEnv = "KEY") =>
    config({ providers: { own: { baseURL: `http://${place}/v1`, apiKeyEnv } } });
  const person = await openPerson({ "CLAUDE.md": "# Shop\n", "whetstone.config.json": at(host) });
  const folder = join(person.home, ".claude", "projects", "-p");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "00000000-0000-4000-8000-000000000000.jsonl"),
    `${conversation(person.dir)}\n`,
  );
  const opted = await person.whetstone(["sleep", "init", "--yes"]);
  expect(opted).toMatchObject({ code: 0, out: expect.stringContaining(`${host} with KEY`) });
  return { ...person, at };
}

test.each([["--unattended"], ["by hand"]])(
  "a night goes to no other host and with no other key than the person has allowed (%s)",
  async (way) => {
    const [usual, other] = [await listen(), await listen()];
    const person = await openNights(usual.host);
    const night = (...more: readonly string[]) =>
      person.whetstone(["sleep", "run", ...(way === "by hand" ? [] : [way]), ...more], {
        SECRET: "the-aws-secret",
      });
    expect((await night()).err).not.toContain("not-consented");
    expect(usual.heard).toContain("Bearer the-key");
    usual.heard.length = 0;

    const turns: readonly (readonly [config: string, names: readonly string[]])[] = [
      [
        person.at(other.host),
        way === "by hand" ? [other.host, "KEY"] : ["whetstone.config.json has changed"],
      ],
      [
        person.at(usual.host, "SECRET"),
        way === "by hand" ? ["SECRET"] : ["whetstone.config.json has changed"],
      ],
    ];
    for (const [config, names] of turns) {
      await person.write("whetstone.config.json", config);
      const refused = await night();
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("not-consented") });
      for (const text of names) expect(refused.err).toContain(text);
      expect(refused.err).toContain("whetstone trust");
    }
    // flags and variables of the machine name hosts too
    await person.write("whetstone.config.json", person.at(usual.host));
    const flagged = await night("--target", "else/m", "--base-url", `http://${other.host}/v1`);
    expect(flagged.err).toContain(`sending to ${other.host}`);
    expect(flagged.err).toContain(`whetstone trust --target else/m --base-url http://${other.host}/v1`);
    expect([usual.heard, other.heard]).toEqual([[], []]);

    await person.write("whetstone.config.json", person.at(other.host));
    expect((await person.whetstone(["trust", "--yes"])).code).toBe(0);
    expect((await night()).err).not.toContain("not-consented");
    expect(other.heard).toContain("Bearer the-key");
  },
);

test("a file of keys gives an unattended night the variables that the consent names, and no others", async () => {
  const server = await listen();
  const person = await openNights(server.host);
  await person.write(
    "keys.env",
    "KEY=from-file\nNODE_OPTIONS=--import=./evil.mjs\nHTTPS_PROXY=\nXDG_STATE_HOME=/x\n",
  );
  await person.write("evil.mjs", mark("evil"));
  const { err } = await person.whetstone(["sleep", "run", "--unattended", "--keys", "keys.env"], {
    KEY: "",
  });
  expect(err).toContain("NODE_OPTIONS, XDG_STATE_HOME left out");
  expect(person.ran()).toEqual([]);
  expect(server.heard).toContain("Bearer from-file");
});

test("sleep schedule says what a night runs and where it sends, and the timer runs it unattended", async () => {
  const person = await openNights("models.example.org");
  const crontab = join(person.dir, "bin", "crontab");
  const table = join(person.home, "table");
  await person.write(
    "bin/crontab",
    `#!/bin/sh\nif [ "$1" = -l ]; then cat "${table}" 2>/dev/null || { echo "no crontab for me" >&2; exit 1; }; else cat > "${table}"; fi\n`,
  );
  await chmod(crontab, 0o755);
  const env = {
    PATH: `${dirname(crontab)}:${process.env["PATH"]}`,
    XDG_STATE_HOME: join(person.home, "state"),
  };
  // opted in there, and nothing allowed yet
  const state = join(env.XDG_STATE_HOME, "whetstone");
  cpSync(join(person.home, ".local/state/whetstone"), state, { recursive: true });
  for (const memory of globSync(join(state, "projects/*/memory.json"))) rmSync(memory);
  const schedule = (...more: readonly string[]) =>
    person.whetstone(["sleep", "schedule", "--timer", "cron", ...more], env);
  expect(await schedule()).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  expect(existsSync(table)).toBe(false);
  const scheduled = await schedule("--yes");
  expect(scheduled).toMatchObject({ code: 0, out: expect.stringContaining("models.example.org with KEY") });
  const jobs = readFileSync(table, "utf8");
  expect(jobs).toContain("sleep run --unattended");
  // programs of the project are no part of what was looked at
  expect(jobs).not.toContain(dirname(crontab));
  expect(jobs).toContain(`XDG_STATE_HOME=${env.XDG_STATE_HOME}`);
  // asked once: the same again is not asked
  expect((await schedule()).code).toBe(0);
  await person.write("whetstone.config.json", person.at("models.example.net"));
  const status = await person.whetstone(["sleep", "status"], env);
  expect(status.out).toContain("the next night will not run, because whetstone.config.json changed");
});

test("unattended, a program that became a link and commands of checks that nothing holds need a person again", async () => {
  const tasks = (run: string) =>
    "abcdefgh"
      .split("")
      .map((id) => JSON.stringify({ id, input: id, checks: [{ kind: "command", value: { run } }] }))
      .join("\n");
  const config = {
    target: "mine/openai/m",
    agents: { mine: { run: ["./agent.sh"], baseURL: "http://127.0.0.1:9/v1" } },
    skill: "SKILL.md",
    tasks: "tasks.jsonl",
    sandbox: "none",
  };
  const person = await openPerson({
    "SKILL.md": "Do it.",
    "agent.sh": "#!/bin/sh\n",
    "tasks.jsonl": tasks("true"),
    "whetstone.config.json": JSON.stringify(config),
  });
  const unattended = () =>
    person.whetstone(["plan", "--unattended"], { OPENAI_API_KEY: "k" }).then(({ err }) => err);
  expect((await person.whetstone(["trust", "--yes"], { OPENAI_API_KEY: "k" })).code).toBe(0);
  expect(await unattended()).not.toContain("not-consented");
  await person.write("tasks.jsonl", tasks("touch owned"));
  expect(await unattended()).toContain("commands of checks has changed");
  await person.write("tasks.jsonl", tasks("true"));
  rmSync(join(person.dir, "agent.sh"));
  symlinkSync("/bin/cat", join(person.dir, "agent.sh"));
  expect(await unattended()).toContain("agent.sh has changed");
});
