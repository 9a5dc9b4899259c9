import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import {
  type LoopbackNpm,
  lockRelease,
  loopbackNpm,
  startRegistry,
  tarballPath,
} from "./support/loopback-npm.ts";
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

test("the action installs what its own lockfile names, outside of the checkout, and starts that", () => {
  expect(text).not.toMatch(/\bnpx\b|\blatest\b|npm install/);
  expect(Object.keys(inputs)).not.toContain("version");
  expect(installs.map((step) => step["working-directory"])).toEqual([temp]);
  const starts = runs.steps.filter(({ run = "" }) => /^\s*node /m.test(run));
  expect(starts.map(({ env }) => env?.["CLI"]?.startsWith(`${temp}/`))).toEqual([true]);
});

/** The step that installs, in a folder for it and with a checkout that wants another registry. */
async function install(release: (npm: LoopbackNpm, folder: string) => string | undefined) {
  const folder = await tempDir();
  const npm = await loopbackNpm(folder, version, 'console.log("ours");\n');
  const hostile = await startRegistry(() => ({}));
  onTestFinished(() => {
    npm.registry.close();
    hostile.close();
  });
  const [checkout, place] = [join(folder, "checkout"), join(folder, "temp")];
  for (const path of [checkout, place]) mkdirSync(path);
  const npmrc = join(checkout, ".npmrc");
  writeFileSync(npmrc, `registry=${hostile.url}\nproxy=${hostile.url}\nhttps-proxy=${hostile.url}\n`);
  const [step] = installs;
  const cwd = step?.["working-directory"] === temp ? place : checkout;
  const env = {
    PATH: `${npm.bin}:${process.env["PATH"] ?? ""}`,
    HOME: join(folder, "home"),
    LOCKED: join(release(npm, folder) ?? folder, "action"),
    // what a workflow may have set for its own installs
    NPM_CONFIG_USERCONFIG: npmrc,
    NPM_CONFIG_FETCH_RETRIES: "0",
  };
  const child = spawn("bash", ["-eo", "pipefail", "-c", step?.run ?? ""], { cwd, env });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (out += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, hostile: hostile.asked, registry: npm.registry.asked, place };
}

test("a checkout's .npmrc decides nothing: its registry and its proxy are never asked", async () => {
  const { code, out, hostile, registry, place } = await install(lockRelease);
  expect([code, hostile], out).toEqual([0, []]);
  expect(registry).toContain(tarballPath(version));
  const cli = join(place, "whetstone/node_modules/whetstone/dist/cli.js");
  expect(readFileSync(cli, "utf8")).toContain("ours");
  expect(runs.steps.flatMap(({ env }) => env?.["CLI"] ?? [])).toEqual([cli.replace(place, temp)]);
});

test("another tarball of the same version isn't installed, also where the registry vouches for it", async () => {
  const { code, out, place } = await install((npm, folder) => {
    const release = lockRelease(npm, folder);
    npm.publish('console.log("theirs");\n');
    return release;
  });
  expect([code === 0, out]).toEqual([false, expect.stringContaining("EINTEGRITY")]);
  expect(existsSync(join(place, "whetstone/node_modules/whetstone/dist/cli.js"))).toBe(false);
});

test("a commit of the action without a lockfile says which one to use", async () => {
  const { code, out, registry } = await install(() => undefined);
  expect([code, registry]).toEqual([1, []]);
  expect(out).toContain("Use the commit that a release of Whetstone names.");
});
