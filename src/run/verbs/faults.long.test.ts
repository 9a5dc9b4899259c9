import { type FaultySeed, compareWithFaults } from "../../../test/support/faults/fault-decisions.ts";
import { runIntoOutage } from "../../../test/support/faults/fault-outage.ts";
import { callTimeoutMs, clockSpeed, faultKinds, faultSizes } from "../../../test/support/faults/fault-run.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import type { FaultKind } from "../../testing/index.ts";

const claim =
  "If 20% of the calls fail, a training makes the same decisions as without failures. If all fail, it ends after a few calls.";

longTest(claim, faults, ["--seeds", "1", "--outages", "1"]);

const rate = 0.2;

/** Options: `--seeds n`, `--outages n` (moments at which one begins). */
async function faults(options: ProofOptions): Promise<ProofResult> {
  const { train, val, test } = faultSizes;
  options.log(
    `trainings: ${train}/${val}/${test} tasks, 2 epochs, strict gate; back-offs ${clockSpeed} times as fast, a call may take ${callTimeoutMs} ms`,
  );
  const decisions = await proveDecisions(options);
  const outages = await proveOutages(options);
  return { ok: decisions.ok && outages.ok, figures: { ...decisions.figures, ...outages.figures } };
}

async function proveDecisions({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 2 : 12);
  const rows: FaultySeed[] = [];
  for (let at = 1; at <= seeds; at += 3) {
    // mostly waiting for back-offs, so a few at a time
    const some = Array.from({ length: Math.min(3, seeds + 1 - at) }, (_, more) => at + more);
    rows.push(...(await Promise.all(some.map((seed) => compareWithFaults(seed, rate)))));
  }
  const byKind = Object.fromEntries(
    faultKinds.map((kind) => [kind, sum(rows.map((row) => row.faults.get(kind) ?? 0))]),
  );
  const [calls, failed] = [sum(rows.map((row) => row.calls)), sum(Object.values(byKind))];
  const wrong = sum(rows.map((row) => row.wronglyRecorded));
  // a step left undecided may lead elsewhere; anything else must be the same
  const changed = rows.filter((row) => row.undecided === 0 && !(row.sameSkill && row.sameDecisions));
  const same = rows.filter((row) => row.differences.length === 0).length;
  log(`${failed} of ${calls} calls failed: ${JSON.stringify(byKind)}`);
  log(
    `${seeds} seeds next to their runs without faults: ${wrong} wrong results, ${changed.length} with other decisions, ${same} with the same files`,
  );
  return {
    ok: wrong === 0 && changed.length === 0 && Object.values(byKind).every((met) => met > 0),
    figures: {
      trainings: seeds,
      faultShare: Math.round((1000 * failed) / calls) / 1000,
      faultsScored: wrong,
      trainingsSame: same,
      trainingsChanged: changed.map(({ seed }) => seed),
    },
  };
}

const refusals: readonly FaultKind[] = ["401", "429-spend-limit"];

async function proveOutages({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const all = short ? [190, 1] : [1, 20, 100, 190, 300, 400];
  const moments = all.slice(0, numberOption(args, "outages", all.length));
  const lasting: readonly FaultKind[] = short
    ? ["503", "529"]
    : ["503", "529", "429-no-header", "reset", "timeout", "cut"];
  let [cases, broken] = [0, 0];
  const lanes = [lasting, refusals].map(async (kinds) => {
    for (const from of moments)
      for (const kind of kinds) {
        const { exitCode, code, inFlight, callsAfter, allowed } = await runIntoOutage(2, kind, from);
        const isRight = exitCode === (refusals.includes(kind) ? 1 : 5) && callsAfter <= allowed;
        cases += 1;
        if (!isRight) broken += 1;
        log(
          `${kind} from call ${from}: exit ${exitCode} (${code}), ${inFlight} in flight, ${callsAfter} of ${allowed} calls after it${isRight ? "" : " BROKEN"}`,
        );
      }
  });
  await Promise.all(lanes);
  return { ok: broken === 0, figures: { outages: cases, outagesBroken: broken } };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
