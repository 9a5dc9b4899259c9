import { join } from "node:path";
import { seededRandom, startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { builtCli } from "./support/built-cli.ts";
import { type KilledRun, type TrainCommand, killAndRestart, runCommand } from "./support/kill-command.ts";
import type { InjectedDeath, UninterruptedRun } from "./support/kill-injection-worker.ts";
import { killVariants } from "./support/kill-variants.ts";
import { killSeed, killWorld } from "../test/support/kill-run.ts";
import { runWorkers } from "../test/support/run-workers.ts";

export const claim =
  "A finished result is never lost or bought again, wherever the process dies, and the artifacts are the same bytes.";

/** Every contract of the optimizer, so that every mechanism is really used. */
const contracts =
  "analyst_error analyst_success contrastive merge_failure merge_success merge_final ranking anchor_repair slow_update meta_skill one_shot".split(
    " ",
  );

/** Options: `--seed n`, `--points n` of the plain run (all), `--each n` of each rich run, `--kills n`. */
export default async function kill({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", killSeed);
  const points = numberOption(args, "points", short ? 2 : 1e9);
  const injected = await injectDeaths(points, numberOption(args, "each", short ? 1 : 7), log);
  const killed = await sendKills(numberOption(args, "kills", short ? 6 : 500), seed, log);
  return {
    ok:
      injected.violations + killed.violations + injected.unusedContracts.length === 0 &&
      injected.deaths > killVariants.length &&
      killed.kills > 0,
    figures: { seed, injected: { ...injected }, killed: { ...killed } },
  };
}

const parts = 2;

/** Part 1: dies inside the process at journal writes and dispatches, before and after each. */
async function injectDeaths(points: number, each: number, log: ProofOptions["log"]) {
  log("fault injection: die at an operation, keep only the disk, run to the end, compare");
  const lines = await runWorkers<UninterruptedRun | InjectedDeath>(
    join(import.meta.dirname, "support/kill-injection-worker.ts"),
    Array.from({ length: parts }, (_, part) => [part, parts, points, ...Array(4).fill(each)]),
  );
  const deaths = lines.flat().filter((line) => "moment" in line);
  const references = lines.flat().filter((line) => "operations" in line);
  const sum = (own: readonly InjectedDeath[], figure: "inFlight" | "repeated") =>
    own.reduce((total, death) => total + death[figure], 0);
  for (const [variant, { name }] of killVariants.entries()) {
    const run = references.find((one) => one.variant === variant);
    const own = deaths.filter((death) => death.variant === variant);
    log(
      `${name}: ${run?.calls} calls, ${run?.operations} journal writes and dispatches, ${own.length} deaths with ${sum(own, "inFlight")} calls in flight, ${sum(own, "repeated")} repeated`,
    );
  }
  const violations = deaths.flatMap(({ variant, operation, moment, violations: found }) =>
    found.map((violation) => `run ${variant}, operation ${operation}, ${moment}: ${violation}`),
  );
  for (const violation of violations.slice(0, 20)) log(`VIOLATION ${violation}`);
  const unused = contracts.filter((name) => references.every((run) => !run.contracts.includes(name)));
  if (unused.length > 0) log(`NOT used in any run: ${unused.join(", ")}`);
  return {
    operations: killVariants.map(
      (_, variant) => references.find((run) => run.variant === variant)?.operations ?? 0,
    ),
    deaths: deaths.length,
    deathsInFlight: deaths.filter(({ inFlight }) => inFlight > 0).length,
    repeatedCalls: sum(deaths, "repeated"),
    inFlightCalls: sum(deaths, "inFlight"),
    unusedContracts: unused,
    violations: violations.length,
  };
}

/** Part 2: SIGKILL to the built command at random moments, the same command again until it is done. */
async function sendKills(kills: number, seed: number, log: ProofOptions["log"]) {
  const command: TrainCommand = [process.execPath, builtCli(log), "train"];
  const serve = () =>
    startScriptedServer({
      seed: killSeed,
      world: killWorld,
      record: false,
      latency: { kind: "uniform", minMs: 2, maxMs: 12 },
    });
  await using quietServer = await serve();
  const reference = await runCommand(command, quietServer);
  log(
    `SIGKILL: the built command makes ${reference.keys.size} calls in ${Math.round(reference.ms)} ms, the first after ${Math.round(reference.firstCallMs)} ms; seed ${seed}`,
  );
  const runs: KilledRun[] = [];
  let [planned, started] = [0, 0];
  // a server for each line of runs: calls are identified by their keys, which are the same in every run
  const line = async () => {
    await using server = await serve();
    while (planned < kills) {
      started += 1;
      const nth = started;
      const most = Math.min(25, Math.ceil(kills / parts), kills - planned);
      planned += most;
      const killed = await killAndRestart(command, most, seededRandom("kill", seed, nth), reference, server);
      runs.push(killed);
      // those that came too late are sent to the next run
      planned -= most - killed.kills;
      for (const violation of killed.violations) log(`VIOLATION in run ${nth}: ${violation}`);
    }
  };
  await Promise.all(Array.from({ length: parts }, line));
  const sum = (count: (run: KilledRun) => number) => runs.reduce((total, run) => total + count(run), 0);
  const figures = {
    runs: runs.length,
    kills: sum((run) => run.kills),
    killsInFlight: sum((run) => run.killsInFlight),
    repeatedCalls: sum((run) => run.repeated),
    inFlightCalls: sum((run) => run.inFlight),
    violations: sum((run) => run.violations.length),
  };
  log(
    `${figures.kills} kills in ${figures.runs} runs, ${figures.killsInFlight} of them with calls in flight (${figures.inFlightCalls}); ${figures.repeatedCalls} calls were repeated; violations: ${figures.violations}`,
  );
  return figures;
}
