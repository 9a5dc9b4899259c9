import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { seededRandom, startScriptedServer } from "../src/testing/index.ts";
import { tempDir } from "./support/temp-dir.ts";

const root = join(import.meta.dirname, "..");

/** A target that tosses a coin, and an optimizer that has nothing to say. */
async function startCoin() {
  const nothing = { reasoning: "", edits: [], selected: [], guidance: "", memory: "", new_skill: "Guess." };
  const server = await startScriptedServer({
    seed: 1,
    record: false,
    world: {
      reply: (request) =>
        request.system.includes("Contract:")
          ? { text: JSON.stringify(nothing) }
          : { text: seededRandom("coin", request.key)() < 0.5 ? "Yes" : "No" },
    },
  });
  onTestFinished(() => server.close());
  return server;
}

async function run(program: string, ...args: readonly string[]) {
  const cwd = await tempDir();
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: cwd, NO_COLOR: "1" };
  const child = spawn(process.execPath, [join(root, program), ...args], { cwd, env });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      out += String(chunk);
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out };
}

const bench = async (...args: readonly string[]) => {
  const server = await startCoin();
  const models = [
    "--target",
    "llamacpp/coin",
    "--optimizer",
    "llamacpp/pool",
    "--base-url",
    `${server.url}/v1`,
  ];
  return { server, ...(await run("proofs/bench/bench.ts", ...models, ...args)) };
};

test("the bench prices the complaints and every example that has a config, and buys nothing without a cap", async () => {
  const { code, out, server } = await bench();
  const names = ["agentskills", "csv", "delivery-notes", "openai-evals", "promptfoo"];
  const rows = [...out.matchAll(/^\| ([\w-]+) \| [\d.]+–[\d.]+ \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(["complaints", ...names, "skill-creator", "split-folder", "trigger-set"]);
  expect(out).toContain("Nothing was bought. Add --spend-usd");
  expect([code, server.callCount]).toEqual([2, 0]);
});

test("the bench fills in the rows of the set that was asked for", async () => {
  const { code, out, server } = await bench("--only", "csv", "--spend-calls", "5000");
  const runs = ["no skill", "seed skill", "search"];
  const rows = [...out.matchAll(/^\| (csv) \| ([a-z ]+) \|/gm)].filter(([, , name = ""]) =>
    runs.includes(name),
  );
  expect(rows.map(([, set, name]) => `${set} ${name}`)).toEqual(runs.map((name) => `csv ${name}`));
  expect(out).toContain(`\n${server.callCount} calls, $0.0000; 0 runs not done.`);
  expect(code).toBe(0);
});

test("the bench keeps one cap over all runs, and says what was not done", async () => {
  const { code, out, server } = await bench("--only", "csv", "--spend-calls", "12");
  expect(out).toMatch(/^\| csv \| search \|.*not done: /m);
  expect(server.callCount).toBeLessThanOrEqual(12);
  expect(code).toBe(1);
});
