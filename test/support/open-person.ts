import { spawn } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { listenAsPostgres } from "./hostile-folder.ts";
import { tempDir } from "./temp-dir.ts";

const main = join(import.meta.dirname, "person-cli.ts");

interface Result {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A person with a home of their own, and a folder that others write into. */
export async function openPerson(files: Readonly<Record<string, string>>) {
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
