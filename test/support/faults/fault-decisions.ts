import { hashJson } from "../../../src/ports.ts";
import { WhetstoneError } from "../../../src/index.ts";
import { mainText } from "../../../src/method.ts";
import type { TrainRun } from "../../../src/run/verbs/train.ts";
import { type CallRecord, startScriptedServer } from "../../../src/testing/index.ts";
import { exportOf, faultKinds, faultWorld, readEntries, runOnce, runPersistently } from "./fault-run.ts";
import { compareExports, readExport } from "../kill-run.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

export interface FaultySeed {
  readonly seed: number;
  readonly calls: number;
  /** Calls that met a fault, by its kind. */
  readonly faults: ReadonlyMap<string, number>;
  /** Times the run stopped as resumable and was started again. */
  readonly resumed: number;
  readonly undecided: number;
  /** Results that are not word for word what the model said in a whole answer. */
  readonly wronglyRecorded: number;
  /** What differs from the fault-free run; empty when all of its files are the same. */
  readonly differences: readonly string[];
  readonly sameSkill: boolean;
  readonly sameDecisions: boolean;
}

/** One seed without faults and with 20% of them, and what differs. */
export async function compareWithFaults(seed: number, rate: number): Promise<FaultySeed> {
  using clean = temporaryDirectory("faults-clean");
  using faulty = temporaryDirectory("faults");
  const world = faultWorld(seed);
  const expected = await quiet(seed, clean.path);
  await using server = await startScriptedServer({ seed, world, faults: { rate, kinds: faultKinds } });
  const { end: run, resumed } = await runPersistently({ seed, url: server.url, dir: faulty.path });
  if (run instanceof WhetstoneError) throw run;

  const faults = new Map<string, number>();
  for (const { fault } of server.calls) {
    if (fault !== undefined) faults.set(fault, (faults.get(fault) ?? 0) + 1);
  }
  return {
    seed,
    calls: server.callCount,
    faults,
    resumed,
    undecided: run.result.steps.filter(({ action }) => action === "undecided").length,
    wronglyRecorded: await countWrong(faulty.path, server.calls),
    differences: compareExports(readExport(exportOf(clean.path)), readExport(exportOf(faulty.path))),
    sameSkill: mainText(run.result.best.skill) === mainText(expected.result.best.skill),
    sameDecisions: decisions(run) === decisions(expected),
  };
}

const decisions = ({ result }: TrainRun): string => hashJson(result.steps);

async function quiet(seed: number, dir: string): Promise<TrainRun> {
  await using server = await startScriptedServer({ seed, world: faultWorld(seed), record: false });
  const run = await runOnce({ seed, url: server.url, dir });
  if (run instanceof WhetstoneError) throw run;
  return run;
}

/** A score is made of a recorded result; so every result must be what the model said, whole. */
async function countWrong(dir: string, calls: readonly CallRecord[]): Promise<number> {
  const whole = new Map(
    calls.flatMap(({ key, fault, answer }) =>
      fault === undefined && answer !== undefined ? [[key, answer.text] as const] : [],
    ),
  );
  let wrong = 0;
  for (const { kind, key, body } of await readEntries(dir)) {
    if (kind !== "result") continue;
    const output = body["output"] as { readonly text: string; readonly finish: string };
    if (output.text !== whole.get(key) || output.finish !== "stop") wrong += 1;
  }
  return wrong;
}
