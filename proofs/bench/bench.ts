// npm run bench -- --target <model> --optimizer <model> [--spend-usd 5]: four runs on the complaints and on each example.
// It tells the price first, and buys nothing without --spend-usd or a yes.
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import type { Config } from "../../src/index.ts";
import { exampleProjects, readConfig } from "../examples/read-config.ts";
import { complaintSet } from "./complaints.ts";
import { type TaskSet, performRuns, planRuns, tableHead, tableLine } from "./four-runs.ts";

const usage = `npm run bench -- --target openai/gpt-5.4-nano --optimizer openai/gpt-5.4 [--spend-usd 5]
  --judge MODEL          for the examples with rubrics (the optimizer)
  --base-url URL         an OpenAI-compatible server
  --only complaints,csv  some of the sets: complaints and the folders of examples/ with a config
  --spend-usd N          the most that all runs together may cost
  --spend-calls N        the most calls of all runs together, where nobody has a price
  --seed N               of the messages (1)
  --journal FOLDER       where the runs go on from (.whetstone/bench)`;

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    optimizer: { type: "string" },
    judge: { type: "string" },
    "base-url": { type: "string" },
    only: { type: "string" },
    "spend-usd": { type: "string" },
    "spend-calls": { type: "string" },
    seed: { type: "string", default: "1" },
    journal: { type: "string", default: ".whetstone/bench" },
  },
});

if (values.target === undefined || values.optimizer === undefined) {
  console.log(usage);
  process.exit(2);
}
process.exit(await bench(await readSets()));

async function bench(sets: readonly TaskSet[]): Promise<number> {
  const most = await tellPrice(sets);
  const caps = await askCaps(most);
  if (caps === undefined) return 2;
  let [nanoUsd, calls] = [0, 0];
  const capsLeft = () => ({
    ...(caps.usd === undefined ? {} : { usd: Math.max(caps.usd - nanoUsd / 1e9, 0) }),
    ...(caps.calls === undefined ? {} : { calls: Math.max(caps.calls - calls, 0) }),
  });
  console.log(`\n${tableHead}`);
  let undone = 0;
  for (const set of sets) {
    for await (const line of performRuns(set, capsLeft)) {
      console.log(tableLine(line));
      nanoUsd += line.nanoUsd;
      calls += line.calls;
      if (!line.isDone) undone += 1;
    }
  }
  console.log(
    `\n${calls} calls, $${(nanoUsd / 1e9).toFixed(4)}; ${undone} runs not done. Left out: other seeds, other models, agents as`,
  );
  console.log(
    "targets. Most examples have too few tasks to prove anything; what a run bought is not bought again.",
  );
  return undone === 0 ? 0 : 1;
}

/** Prints what each set will take, and gives the most that all of them may cost, in US dollars. */
async function tellPrice(sets: readonly TaskSet[]): Promise<number> {
  console.log("| tasks | USD | calls | minutes |\n|---|---|---|---|");
  let most = 0;
  for (const set of sets) {
    const plans = await planRuns(set);
    const sum = (pick: (plan: (typeof plans)[number]) => number) =>
      plans.reduce((all, plan) => all + pick(plan), 0);
    const range = (of: "price" | "calls" | "time", unit: number, digits: number) =>
      `${(sum((plan) => plan[of].low) / unit).toFixed(digits)}–${(sum((plan) => plan[of].high) / unit).toFixed(digits)}`;
    console.log(
      `| ${set.name} | ${range("price", 1e9, 4)} | ${range("calls", 1, 0)} | ${range("time", 60_000, 1)} |`,
    );
    most += sum(({ price }) => price.high) / 1e9;
    const unpriced = new Set(plans.flatMap((plan) => plan.unpriced));
    if (unpriced.size > 0)
      console.log(`Nobody has said what ${[...unpriced].join(" and ")} costs: counted as free here.`);
  }
  console.log(`At most about $${most.toFixed(2)}; estimates, before any call.`);
  return most;
}

async function askCaps(most: number): Promise<Config["spend"] | undefined> {
  const { "spend-usd": usd, "spend-calls": calls } = values;
  if (usd !== undefined || calls !== undefined)
    return {
      ...(usd === undefined ? {} : { usd: Number(usd) }),
      ...(calls === undefined ? {} : { calls: Number(calls) }),
    };
  if (!process.stdin.isTTY) {
    console.log("Nothing was bought. Add --spend-usd with the most that you want to spend.");
    return undefined;
  }
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await reader.question(`Spend up to $${most.toFixed(2)}? [y/N] `);
  reader.close();
  return /^y(es)?$/i.test(answer.trim()) ? { usd: most } : undefined;
}

async function readSets(): Promise<readonly TaskSet[]> {
  const { target = "", optimizer = "", judge, "base-url": baseURL, only } = values;
  const models: Config = {
    target,
    optimizer,
    ...(judge === undefined ? {} : { judge }),
    ...(baseURL === undefined ? {} : { baseURL }),
  };
  const journal = resolve(values.journal);
  const folder = join(import.meta.dirname, "../../examples");
  const wanted = (name: string) => only === undefined || only.split(",").includes(name);
  const examples = exampleProjects(folder)
    .filter(wanted)
    .map(async (name) => {
      const cwd = join(folder, name);
      return { name, cwd, config: { ...(await readConfig(cwd)), ...models, journal: join(journal, name) } };
    });
  const seed = Number(values.seed);
  const complaints = complaintSet(seed, { ...models, journal: join(journal, "complaints") });
  return [...(wanted("complaints") ? [complaints] : []), ...(await Promise.all(examples))];
}
