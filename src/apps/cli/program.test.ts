import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

const noteModules = `
import { registerHooks } from "node:module";
import { writeSync } from "node:fs";
const seen = [];
registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
process.on("exit", () => writeSync(2, seen.join("\\n")));`;

/** The modules that were loaded, by the time the program ended. */
function modulesOf(...args: readonly string[]): readonly string[] {
  const hook = `data:text/javascript,${encodeURIComponent(noteModules)}`;
  const { status, stderr } = spawnSync(process.execPath, ["--import", hook, main, ...args], {
    encoding: "utf8",
  });
  expect(status).toBe(0);
  return stderr.split("\n").filter((url) => url.startsWith("file:"));
}

test.each(["--version", "--help", "sleep --help", "worker --help"])(
  "%s waits for nothing that a command needs",
  (words) => {
    const modules = modulesOf(...words.split(" "));
    expect(modules.length).toBeGreaterThan(10);
    expect(
      modules.filter((url) => /\/src\/run\/|-command\.ts$|(fleet|sleep)-commands\.ts$/.test(url)),
    ).toEqual([]);
    const packages = modules.flatMap((url) => /\/node_modules\/([^/]+)/.exec(url)?.[1] ?? []);
    expect([...new Set(packages)].toSorted()).toEqual(["commander"]);
  },
);
