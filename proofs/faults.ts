import type { ErrorCode } from "../src/index.ts";
import type { FaultKind } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { type CappedRun, runIntoCap } from "./support/fault-cap.ts";
import { commandConcurrency, commandIntoOutage } from "./support/fault-command.ts";
import { type FaultySeed, compareWithFaults } from "./support/fault-decisions.ts";
import { runIntoOutage } from "./support/fault-outage.ts";
import { callTimeoutMs, clockSpeed, faultKinds, faultSizes } from "./support/fault-run.ts";

export const claim =
  "20 % faults change no decision and score nothing; outage, dead key and spend limit end with their exit codes after few calls; a cap in money holds";

const rate = 0.2;

export default async function faults(options: ProofOptions): Promise<ProofResult> {
  const { log } = options;
  const { train, val, test } = faultSizes;
  log(
    `world: 8 rules, every reply a fresh throw; ${train}/${val}/${test} tasks, 2 epochs, batch 20, strict gate`,
  );
  log(
    `real sockets, sqlite journal; back-offs ${clockSpeed} times as fast, a call may take ${callTimeoutMs} ms`,
  );
  const decisions = await proveDecisions(options);
  const outages = await proveOutages(options);
  const command = await proveCommand(options);
  const caps = await proveCaps(options);
  return {
    ok: [decisions, outages, command, caps].every(({ ok }) => ok),
    figures: { ...decisions.figures, ...outages.figures, ...command.figures, ...caps.figures },
  };
}

async function proveDecisions({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const count = numberOption(args, "seeds", short ? 3 : 12);
  const seeds = Array.from({ length: count }, (_, index) => index + 1);
  log("");
  log(`A. ${100 * rate} % of calls fail: ${faultKinds.join(", ")}; each seed beside its fault-free run`);
  log("seed  calls  faults  started again  undecided  wrong results  skill  decisions  files");
  const rows: FaultySeed[] = [];
  for (let at = 0; at < seeds.length; at += 3) {
    // mostly waiting for back-offs, so a few at a time
    const some = await Promise.all(seeds.slice(at, at + 3).map((seed) => compareWithFaults(seed, rate)));
    for (const row of some) {
      const { seed, calls, resumed, undecided, wronglyRecorded, sameSkill, sameDecisions, differences } = row;
      const cells = [
        [seed, 4],
        [calls, 5],
        [sum(row.faults.values()), 6],
        [resumed, 13],
        [undecided, 9],
        [wronglyRecorded, 13],
        [sameSkill ? "same" : "OTHER", 5],
        [sameDecisions ? "same" : "OTHER", 9],
        [differences.length === 0 ? "same" : `${differences.length} differ`, 0],
      ] as const;
      log(cells.map(([cell, width]) => String(cell).padStart(width)).join("  "));
      rows.push(row);
    }
  }
  const byKind = Object.fromEntries(
    faultKinds.map((kind) => [kind, sum(rows.map((row) => row.faults.get(kind) ?? 0))]),
  );
  const calls = sum(rows.map((row) => row.calls));
  const failed = sum(Object.values(byKind));
  log(`${failed} of ${calls} calls failed: ${JSON.stringify(byKind)}`);
  const wrong = sum(rows.map((row) => row.wronglyRecorded));
  // a step left undecided may lead elsewhere; anything else must be the same
  const changed = rows.filter((row) => row.undecided === 0 && !(row.sameSkill && row.sameDecisions));
  return {
    ok: wrong === 0 && changed.length === 0 && Object.values(byKind).every((met) => met > 0),
    figures: {
      seeds: count,
      faultyCalls: failed,
      faultShare: Math.round((1000 * failed) / calls) / 1000,
      faultsScored: wrong,
      seedsSame: rows.filter((row) => row.differences.length === 0).length,
      seedsUndecided: rows.filter((row) => row.undecided > 0).length,
      seedsChanged: changed.map(({ seed }) => seed),
    },
  };
}

const outageKinds: readonly FaultKind[] = ["503", "529", "429-no-header", "reset", "timeout", "cut"];
const refusals: readonly FaultKind[] = ["401", "429-spend-limit"];
const isRefusal = (fault: FaultKind): boolean => refusals.includes(fault);

async function proveOutages({ short, log }: ProofOptions): Promise<ProofResult> {
  const moments = short ? [1, 190] : [1, 20, 100, 190, 300, 400];
  const kinds = short ? (["503", "529", ...refusals] as const) : [...outageKinds, ...refusals];
  log("");
  log("B. every call fails from the nth on (seed 2); allowed: 5, or calls in flight + 5");
  log("fault             from call  exit  code                  in flight  calls after  allowed");
  let broken = 0;
  let cases = 0;
  for (const from of moments) {
    const ends = await inPairs(kinds, (fault) => runIntoOutage(2, fault, from));
    for (const { fault, exitCode, code, inFlight, callsAfter, allowed } of ends) {
      const ok = exitCode === (isRefusal(fault) ? 1 : 5) && callsAfter <= allowed;
      cases += 1;
      if (!ok) broken += 1;
      const cells = [fault.padEnd(16), pad(from, 10), pad(exitCode, 5), ` ${code.padEnd(20)}`];
      log([...cells, pad(inFlight, 10), pad(callsAfter, 12), pad(allowed, 8), ok ? "" : " BROKEN"].join(" "));
    }
  }
  return { ok: broken === 0, figures: { outages: cases, outagesBroken: broken } };
}

const errorCodes: Partial<Record<FaultKind, ErrorCode>> = {
  "401": "provider-refused",
  "429-spend-limit": "provider-spend-limit",
};

async function proveCommand({ short, log }: ProofOptions): Promise<ProofResult> {
  log("");
  log(`C. the same through \`whetstone train\` with its own timings, ${commandConcurrency} calls in flight`);
  const cases: readonly (readonly [FaultKind, number])[] = [
    ["503", 1],
    ["401", 1],
    ["429-spend-limit", 1],
    ["401", 100],
    ["429-spend-limit", 100],
    // the breaker waits 30 s before each probe
    ...(short ? [] : [["503", 100] as const]),
  ];
  let broken = 0;
  for (const [fault, from] of cases) {
    const { exitCode, callsAfter, said } = await commandIntoOutage(3, fault, from);
    // two models may have calls in flight
    const allowed = from === 1 ? 5 : 2 * commandConcurrency + 5;
    // a command that crashes at once also exits with 1 and calls nobody
    const named = said.startsWith(`error ${errorCodes[fault] ?? "too-many-pending"}:`);
    const ok = named && exitCode === (isRefusal(fault) ? 1 : 5) && callsAfter >= 1 && callsAfter <= allowed;
    if (!ok) broken += 1;
    const cells = [fault.padEnd(16), `from ${String(from).padEnd(4)} exit ${exitCode}`];
    log([...cells, `calls ${callsAfter} of ${allowed}`, said.slice(0, 100), ok ? "" : "BROKEN"].join("  "));
  }
  return { ok: broken === 0, figures: { commandOutages: cases.length, commandOutagesBroken: broken } };
}

async function proveCaps({ short, log }: ProofOptions): Promise<ProofResult> {
  log("");
  log("D. a cap of half the price, then raised; booked + open is read at every journal entry");
  const cases = short
    ? ([[4, rate]] as const)
    : ([
        [4, rate],
        [5, 0],
        [6, rate],
        [7, 0],
      ] as const);
  const runs: CappedRun[] = [];
  for (const [seed, faultRate] of cases) {
    const run = await runIntoCap(seed, faultRate);
    runs.push(run);
    const { price, cap, exitCode, mostCommitted, charged, samples, differences } = run;
    const files = differences.length === 0 ? "same files" : `${differences.length} files differ`;
    log(
      `seed ${seed}, ${100 * faultRate} % faults: price ${usd(price)}, cap ${usd(cap)}, exit ${exitCode}, most booked + open ${usd(mostCommitted)} (${samples} samples), charged ${usd(charged)}; raised: ${files}`,
    );
  }
  const overshoot = Math.max(...runs.map((run) => Math.max(run.mostCommitted, run.charged) - run.cap));
  const held = runs.filter(({ exitCode, differences }) => exitCode === 4 && differences.length === 0);
  return {
    ok: overshoot <= 0 && held.length === runs.length,
    figures: {
      capRuns: runs.length,
      capOvershootUsd: Math.max(0, overshoot) / 1e9,
      capResumedSame: held.length,
    },
  };
}

/** Most of it is waiting; more at a time would make calls late on two cores. */
async function inPairs<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += 2) {
    results.push(...(await Promise.all(items.slice(at, at + 2).map(work))));
  }
  return results;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

const pad = (value: number, width: number): string => String(value).padStart(width);
const usd = (nanoUsd: number): string => `$${(nanoUsd / 1e9).toFixed(4)}`;
