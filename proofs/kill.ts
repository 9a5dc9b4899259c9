import { join } from "node:path";
import { seededRandom, startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { builtCli } from "./support/built-cli.ts";
import { type KilledRun, type TrainCommand, killAndRestart, runCommand } from "./support/kill-command.ts";
import type { CrashReport } from "./support/kill-injection.ts";
import type { UninterruptedRun } from "./support/kill-injection-worker.ts";
import { killSeed, killWorld } from "../test/support/kill-run.ts";
import { runWorkers } from "../test/support/run-workers.ts";

export const claim =
  "A finished result is neither lost nor bought again, wherever the process dies, and the artifacts are the same bytes.";

export default async function kill({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", killSeed);
  const injected = await injectDeaths(numberOption(args, "every", short ? 97 : 1), log);
  const killed = await sendKills(numberOption(args, "kills", short ? 20 : 500), seed, log);
  return {
    ok: injected.violations + killed.violations === 0 && injected.cases > 0 && killed.kills > 0,
    figures: { seed, injected: { ...injected }, killed: { ...killed } },
  };
}

const parts = 2;

/** Part 1: dies inside the process at journal writes and dispatches, before and after each. */
async function injectDeaths(every: number, log: ProofOptions["log"]) {
  log("fault injection: die at an operation, keep only the disk, run to the end, compare");
  const runs = await runWorkers<UninterruptedRun | CrashReport>(
    join(import.meta.dirname, "support/kill-injection-worker.ts"),
    Array.from({ length: parts }, (_, part) => [part, parts, every]),
  );
  const reports = runs.flat().filter((line) => "moment" in line);
  const reference = runs.flat().find((line) => "operations" in line);
  const violations = reports.flatMap(({ operation, moment, violations }) =>
    violations.map((violation) => `operation ${operation}, ${moment}: ${violation}`),
  );
  for (const violation of violations.slice(0, 20)) log(`VIOLATION ${violation}`);
  const figures = {
    calls: reference?.calls ?? 0,
    operations: reference?.operations ?? 0,
    every,
    cases: reports.length,
    casesInFlight: reports.filter(({ inFlight }) => inFlight > 0).length,
    maxInFlight: Math.max(0, ...reports.map(({ inFlight }) => inFlight)),
    repeatedCalls: reports.reduce((sum, { repeated }) => sum + repeated, 0),
    inFlightCalls: reports.reduce((sum, { inFlight }) => sum + inFlight, 0),
    violations: violations.length,
  };
  log(
    `a run of ${figures.calls} calls and ${figures.operations} journal writes and dispatches; died before and after ${every === 1 ? "each" : `every ${every}th`} of them: ${figures.cases} deaths`,
  );
  log(
    `${figures.inFlightCalls} calls were in flight at the deaths, ${figures.repeatedCalls} were made again; violations: ${figures.violations}`,
  );
  return figures;
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
  let [sent, started] = [0, 0];
  // a server for each line of runs: calls are told apart by their keys, which are the same in every run
  const line = async () => {
    await using server = await serve();
    while (sent < kills) {
      started += 1;
      const nth = started;
      const killed = await killAndRestart(
        command,
        Math.min(25, kills - sent),
        seededRandom("kill", seed, nth),
        reference,
        server,
      );
      runs.push(killed);
      sent += killed.kills;
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
    `${figures.kills} kills in ${figures.runs} runs, ${figures.killsInFlight} of them with calls in flight (${figures.inFlightCalls}); ${figures.repeatedCalls} calls were made again; violations: ${figures.violations}`,
  );
  return figures;
}
