import { loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Config } from "../src/index.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { calibrate } from "./real-model/calibrate.ts";
import { complaintSet } from "./real-model/complaint-set.ts";
import { type RunLine, performRuns, planRuns, tableHead, tableLine } from "./real-model/four-runs.ts";
import { poolOptimizer } from "./real-model/pool-optimizer.ts";

export const claim =
  "with a real model at --base-url four runs come to an end: no skill, the skill, against itself, a search (by hand only)";

const usage = `This proof needs a model, so CI does not run it:
  npm run -s proof real-model -- --base-url http://127.0.0.1:8080/v1 --model tinyllama
  --calibrate            how far Yes is ahead of No, on items that are no tasks; no run
  --key-env NAME         the environment variable that holds the server's key
  --spend-calls N        the most calls of each run (3000)
  --concurrency N        calls at a time (2)
  --temperature T        of the model (what the server takes)
  --effort WORD          of the search (standard)
  --seed N               of the messages and of the optimizer's draws (1)
  --journal FOLDER       where the runs go on from (.whetstone/real-model)`;

export default async function proveRealModel({ args, log }: ProofOptions): Promise<ProofResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "base-url": { type: "string" },
      model: { type: "string" },
      calibrate: { type: "boolean" },
      "key-env": { type: "string" },
      "spend-calls": { type: "string", default: "3000" },
      concurrency: { type: "string", default: "2" },
      temperature: { type: "string" },
      effort: { type: "string", default: "standard" },
      seed: { type: "string", default: "1" },
      journal: { type: "string", default: ".whetstone/real-model" },
    },
  });
  const { "base-url": baseURL, model, "key-env": keyEnv } = values;
  if (baseURL === undefined || model === undefined) {
    for (const line of usage.split("\n")) log(line);
    return { ok: false, figures: {} };
  }
  const seed = Number(values.seed);
  if (values.calibrate === true) {
    const key = keyEnv === undefined ? undefined : process.env[keyEnv];
    await calibrate({ baseURL, model, key }, seed, log);
    return { ok: true, figures: { calibrated: model } };
  }
  await using optimizer = await startScriptedServer({ seed, world: poolOptimizer(seed), record: false });
  const spend = { calls: Number(values["spend-calls"]) };
  const set = complaintSet(seed, {
    target: `real/${model}`,
    optimizer: "pool/rules",
    providers: {
      real: { baseURL, ...(keyEnv === undefined ? {} : { apiKeyEnv: keyEnv }) },
      pool: { baseURL: `${optimizer.url}/v1` },
    },
    concurrency: Number(values.concurrency),
    effort: values.effort as Config["effort"] & string,
    ...(values.temperature === undefined ? {} : { temperature: Number(values.temperature) }),
    journal: resolve(values.journal),
    spend,
  });
  const plans = await planRuns(set);
  const most = plans.reduce((sum, { calls }) => sum + calls.high, 0);
  log(
    `${model}, seed ${seed}; at most about ${most} calls; load of this machine ${loadavg()[0]?.toFixed(1)}`,
  );
  for (const line of tableHead.split("\n")) log(line);
  const lines: RunLine[] = [];
  for await (const line of performRuns(set, () => spend)) {
    log(tableLine(line));
    lines.push(line);
  }
  log(
    "Behaviour with a noisy model, not a benchmark. Left out: an optimizer that understands (this one draws",
  );
  log(
    "from a pool), answers longer than a word, other seeds, other models, other tasks. The kind of a rule is",
  );
  log("what it says of the labels, not what it does to this model.");
  return {
    ok: lines.length === plans.length && lines.every(({ isDone }) => isDone),
    figures: { model, seed, lines: lines.map((line) => ({ ...line })) },
  };
}
