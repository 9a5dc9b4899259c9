import { cpSync, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createProgram } from "../src/apps/cli/program.ts";
import { capturedIo } from "./support/captured-io.ts";
import { commandKinds, commandWords, everyCommand } from "./support/every-command.ts";
import { hostileFolder, readers } from "./support/hostile-folder.ts";
import { mark, openDatabase, openPerson, rows } from "./support/open-person.ts";

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
  leaveMarksIn(person.marks);
  for (const [words, args] of readers) {
    // it trains for half a minute; in a folder that has its journal it doesn't, and is tried below
    if (words === "demo") continue;
    const error = await read(person.dir, args);
    expect({ words, ran: person.ran() }).toEqual({ words, ran: [] });
    expect(error).not.toMatch(/Unknown (?:command|option)/);
  }
  // in a process of its own too; the proof `hostile-clone` starts every command so
  await person.whetstone(["runs"]);
  expect(person.ran()).toEqual([]);
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
    leaveMarksIn(person.marks);
    cpSync(await played, person.dir, { recursive: true });
    expect(existsSync(join(person.dir, ".whetstone"))).toBe(true);
    for (const [words, args] of readers) {
      await read(person.dir, args);
      expect({ words, ran: person.ran() }).toEqual({ words, ran: [] });
    }
    await read(person.dir, ["plan"]);
    expect(person.ran()).toContain("config");
  },
);

function leaveMarksIn(folder: string): void {
  process.env["MARKS"] = folder;
  onTestFinished(() => {
    delete process.env["MARKS"];
  });
}

/** In this process, which is faster. */
async function read(dir: string, args: readonly string[]): Promise<string> {
  const { io } = capturedIo(dir);
  const stop = new AbortController();
  const print = (text: string) => {
    if (args[0] === "ui" && text.includes("http://")) stop.abort();
  };
  return createProgram({ ...io, print, signal: stop.signal }, "0.0.0")
    .parseAsync(["node", "whetstone", ...args])
    .then(() => "", String);
}

test("in a cloned folder that names a database, no reading command connects to it or loads a package of the folder", async () => {
  const database = await openDatabase();
  const person = await openPerson(hostileFolder(database.port));
  leaveMarksIn(person.marks);
  process.env["PGPASSWORD"] = "prod-db-secret";
  onTestFinished(() => {
    delete process.env["PGPASSWORD"];
  });
  cpSync(await played, person.dir, { recursive: true });
  for (const [words, args] of readers) {
    await read(person.dir, args);
    expect({ words, heard: database.heard, ran: person.ran() }).toEqual({ words, heard: [], ran: [] });
  }
});
