import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { seededRandom, startScriptedServer } from "../src/testing/index.ts";
import { calibrationItems, complaintTasks } from "./support/real-model/complaints.ts";
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
  const env = { PATH: process.env["PATH"], HOME: cwd, NO_COLOR: "1" };
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
  return { server, ...(await run("proofs/real-model/bench.ts", ...models, ...args)) };
};

test("the bench prices the complaints and every example that has a config, and buys nothing without a cap", async () => {
  const { code, out, server } = await bench();
  const names = ["agentskills", "csv", "delivery-notes", "inspect", "openai-evals", "promptfoo"];
  const rows = [...out.matchAll(/^\| ([\w-]+) \| [\d.]+–[\d.]+ \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(["complaints", ...names, "skill-creator", "split-folder", "trigger-set"]);
  expect(out).toContain("Nothing was bought. Add --spend-usd");
  expect([code, server.callCount]).toEqual([2, 0]);
});

test("the bench fills in the rows of the sets that were asked for", async () => {
  const { code, out, server } = await bench("--only", "csv,inspect", "--spend-calls", "5000");
  const runs = ["no skill", "seed skill", "against itself", "search"];
  const rows = [...out.matchAll(/^\| (csv|inspect) \| ([a-z ]+) \|/gm)].filter(([, , name = ""]) =>
    runs.includes(name),
  );
  expect(rows.map(([, set, name]) => `${set} ${name}`)).toEqual(
    ["csv", "inspect"].flatMap((set) => runs.map((name) => `${set} ${name}`)),
  );
  expect(out).toContain(`\n${server.callCount} calls, $0.0000; 0 runs not done.`);
  expect(code).toBe(0);
});

test("the bench keeps one cap over all runs, and says what was not done", async () => {
  const { code, out, server } = await bench("--only", "csv", "--spend-calls", "12");
  expect(out).toMatch(/^\| csv \| search \|.*not done: /m);
  expect(server.callCount).toBeLessThanOrEqual(12);
  expect(code).toBe(1);
});

test("a server is set up with other sentences about other things than the tasks", () => {
  const words = (items: readonly { readonly input: string }[]) =>
    items.map(({ input }) =>
      input.replaceAll(/\b(?:lamp|chair|desk|kettle|jacket|tent|clock|pillow|mug|shelf)\b/g, "%"),
    );
  const things = /\b(?:radio|sofa|toaster|backpack|carpet|bicycle)\b/g;
  const [tasks, items] = [complaintTasks(1), calibrationItems(1)];
  expect([new Set(words(tasks)).size, items.length]).toEqual([60, 20]);
  const shared = items.filter(({ input }) => words(tasks).includes(input.replaceAll(things, "%")));
  expect(shared).toEqual([]);
});

test("the proof with a real model is no part of CI, says what it needs, and prints its table", async () => {
  const names = await run("proofs/run.ts", "--names");
  expect(names.out.split("\n")).not.toContain("real-model");
  const bare = await run("proofs/run.ts", "real-model");
  expect(bare.out).toContain("--base-url http://");
  expect(bare.code).toBe(1);
  const server = await startCoin();
  const { code, out } = await run(
    "proofs/run.ts",
    "real-model",
    "--",
    "--base-url",
    `${server.url}/v1`,
    "--model",
    "coin",
    "--effort",
    "quick",
  );
  expect(out).toMatch(/^ {2}\| complaints \| search \| \d.* \| good \d+ of \d+, useless /m);
  expect(code).toBe(0);
});
