import { WhetstoneError } from "../../../src/index.ts";
import { type Entry, type Journal, sqliteJournal } from "../../../src/ports.ts";
import { perform } from "../../../src/run/verbs/perform.ts";
import { join } from "node:path";
import { type TrainRun, trainVerb } from "../../../src/run/verbs/train.ts";
import { type FaultKind, type HiddenRuleWorld, hiddenRuleWorld } from "../../../src/testing/index.ts";
import { fastClock } from "./fast-clock.ts";
import { scriptedRun } from "../scripted-run.ts";

/** Every fault that a model server can show and that is tried again. */
export const faultKinds: readonly FaultKind[] = [
  "429",
  "429-no-header",
  "529",
  "500",
  "503",
  "reset",
  "timeout",
  "cut",
];

export const clockSpeed = 20;
export const callTimeoutMs = 500;

export interface FaultRun {
  readonly seed: number;
  readonly url: string;
  /** Holds the journal and the artifacts. */
  readonly dir: string;
  readonly timeoutMs?: number;
  readonly gauge?: Gauge;
}

/** Calls that have begun and not ended, as the client's journal sees it. */
export interface Gauge {
  inFlight: number;
  /** How many there were when it learned of the first failure, the failed one included. */
  atFirstFailure?: number;
}

/** The world of a seed: 8 rules, of which the skill knows 2. */
export const faultWorld = (seed: number): HiddenRuleWorld => hiddenRuleWorld({ seed, rules: 8 });

export const faultSizes = { train: 60, val: 50, test: 40 };

export const exportOf = (dir: string): string => join(dir, "export");

/** One execution of a run of 6 steps on the fast clock; the run, or what stopped it. */
export async function runOnce(options: FaultRun): Promise<TrainRun | WhetstoneError> {
  const { seed, url, dir, timeoutMs = callTimeoutMs, gauge } = options;
  const world = faultWorld(seed);
  const journal = await sqliteJournal({ dir });
  try {
    const resolved = scriptedRun({
      url,
      skill: world.seedSkill(2),
      splits: world.splits(faultSizes),
      settings: { epochs: 2, batchSize: 20, seed },
      timeoutMs,
      rest: { journalDir: dir, out: exportOf(dir), concurrency: 32 },
    });
    const watched = gauge === undefined ? journal : gauged(journal, gauge);
    return await perform(trainVerb(resolved), { journal: watched, clock: fastClock(clockSpeed) });
  } catch (error) {
    if (error instanceof WhetstoneError) return error;
    throw error;
  } finally {
    await journal.close();
  }
}

/** Starts the run again as long as it stops for too many missing results, the only stop that faults may cause. */
export async function runPersistently(
  options: FaultRun,
): Promise<{ readonly end: TrainRun | WhetstoneError; readonly resumed: number }> {
  for (let resumed = 0; ; resumed += 1) {
    const end = await runOnce(options);
    const isUndecided = end instanceof WhetstoneError && end.code === "too-many-pending";
    if (!isUndecided || resumed === mostResumes) return { end, resumed };
  }
}

const mostResumes = 20;

function gauged(journal: Journal, gauge: Gauge): Journal {
  return {
    ...journal,
    write(entry) {
      if (entry.kind === "intent") gauge.inFlight += 1;
      if (entry.kind === "failure") gauge.atFirstFailure ??= gauge.inFlight;
      if (entry.kind === "failure" || entry.kind === "result") gauge.inFlight -= 1;
      return journal.write(entry);
    },
  };
}

/** The journal's entries, in their order. */
export async function readEntries(dir: string): Promise<readonly Entry[]> {
  const journal = await sqliteJournal({ dir, readOnly: true });
  try {
    const entries: Entry[] = [];
    for await (const entry of journal.read()) entries.push(entry);
    return entries;
  } finally {
    await journal.close();
  }
}
