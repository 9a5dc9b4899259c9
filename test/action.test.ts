import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { loopbackNpm, startRegistry } from "./support/loopback-npm.ts";
import { tempDir } from "./support/temp-dir.ts";

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: unknown }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const root = join(import.meta.dirname, "..");
const text = readFileSync(join(root, "action.yml"), "utf8");
const { inputs, runs } = parse(text) as Action;
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const temp = "${{ runner.temp }}";
const installs = runs.steps.filter(({ run = "" }) => /\bnp[mx]\b/.test(run));

test("the action runs the version of the package it belongs to, which npm installs outside of the checkout", () => {
  expect(inputs["version"]?.default).toBe(version);
  expect(text).not.toMatch(/\bnpx\b|\blatest\b/);
  expect(installs.map((step) => step["working-directory"])).toEqual([temp]);
  const starts = runs.steps.filter(({ run = "" }) => /^\s*node /m.test(run));
  expect(starts.map(({ env }) => env?.["CLI"]?.startsWith(`${temp}/`))).toEqual([true]);
});

/** The step that installs, in a folder for it and with a checkout that wants another registry. */
async function install(wanted: string, packages = "") {
  const folder = await tempDir();
  const { bin, registry } = await loopbackNpm(folder, version, 'console.log("ours");\n');
  const hostile = await startRegistry(() => ({}));
  onTestFinished(() => {
    registry.close();
    hostile.close();
  });
  const [checkout, place] = [join(folder, "checkout"), join(folder, "temp")];
  for (const path of [checkout, place]) mkdirSync(path);
  const npmrc = join(checkout, ".npmrc");
  writeFileSync(npmrc, `registry=${hostile.url}\nproxy=${hostile.url}\nhttps-proxy=${hostile.url}\n`);
  const [step] = installs;
  const cwd = step?.["working-directory"] === temp ? place : checkout;
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: join(folder, "home"),
    VERSION: wanted,
    PACKAGES: packages,
    // what a workflow may have set for its own installs
    NPM_CONFIG_USERCONFIG: npmrc,
  };
  const child = spawn("bash", ["-eo", "pipefail", "-c", step?.run ?? ""], {
    cwd,
    env,
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (out += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, hostile: hostile.asked, registry: registry.asked, place };
}

test("a checkout's .npmrc decides nothing: its registry and its proxy are never asked", async () => {
  const { code, out, hostile, registry, place } = await install(version);
  expect([code, hostile], out).toEqual([0, []]);
  expect(registry).toContain("/whetstone.tgz");
  const cli = join(place, "whetstone/node_modules/whetstone/dist/cli.js");
  expect(readFileSync(cli, "utf8")).toContain("ours");
  expect(runs.steps.flatMap(({ env }) => env?.["CLI"] ?? [])).toEqual([cli.replace(place, temp)]);
});

test.each(["latest", "^1.0.0", "1", "", "1.2.3 evil"])("the version %j is refused", async (wanted) => {
  const { code, hostile, registry } = await install(wanted);
  expect([code, hostile, registry]).toEqual([1, [], []]);
});

test.each(["pg", "pg@latest", "pg@8.23.1 --registry=x", "../evil@1.0.0", "file:evil@1.0.0"])(
  "of further packages, %j is refused",
  async (packages) => {
    const { code, hostile, registry } = await install(version, packages);
    expect([code, hostile, registry]).toEqual([1, [], []]);
  },
);
