import { readdirSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { listenAsPostgres } from "./hostile-folder.ts";
import { tempDir } from "./temp-dir.ts";
import { spawnWhetstone } from "./type-whetstone.ts";

/** A person with a home of their own, and a folder that others write into. */
export async function openPerson(files: Readonly<Record<string, string>>) {
  const home = await tempDir({});
  const dir = await tempDir(files);
  const marks = await tempDir({});
  const { NODE_COMPILE_CACHE } = process.env;
  const own = { HOME: home, XDG_STATE_HOME: undefined, NODE_COMPILE_CACHE, MARKS: marks, KEY: "the-key" };
  const whetstone = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawnWhetstone(dir, args, {
      env: { ...own, ...env },
      onOut(pid, out) {
        // the server of `ui` would wait for a browser
        if (args[0] === "ui" && out.includes("http://")) process.kill(pid, "SIGINT");
      },
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
export const mark = (name: string): string =>
  `(await import("node:fs")).writeFileSync(process.env.MARKS + "/${name}", "");\n`;
export const markSync = (name: string): string =>
  `require("node:fs").writeFileSync(process.env.MARKS + "/${name}", "");\n`;

/** A server that notes every request, and answers none well. */
export async function listen() {
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

/** Until the test is over. */
export async function openDatabase() {
  const database = await listenAsPostgres();
  onTestFinished(database.close);
  return database;
}

/** Six tasks with the same check. */
export const rows = (check: unknown) =>
  Array.from({ length: 6 }, (_, at) =>
    JSON.stringify({ id: `t${at}`, question: `q${at}`, checks: [check] }),
  ).join("\n");
