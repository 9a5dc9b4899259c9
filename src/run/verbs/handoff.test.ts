import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { resolveSettings } from "../../config/resolve/resolve.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { answerHandoff } from "../../../test/support/answer-handoff.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { type TrainOptions, train } from "./train.ts";

const world = hiddenRuleWorld({ seed: 5, rules: 4, noise: 0 });
const { train: trainTasks, val, test: testTasks } = world.splits({ train: 6, val: 5, test: 5 });

const options = (dir: string): TrainOptions => ({
  skill: { main: "skill.md", files: { "skill.md": world.seedSkill(1) } },
  tasks: { train: trainTasks, val, test: testTasks },
  target: "handoff/target",
  optimizer: "handoff/optimizer",
  gate: "strict",
  epochs: 1,
  batchSize: 6,
  slowUpdate: false,
  metaSkill: false,
  baselines: false,
  journal: dir,
  spend: { calls: 300 },
});

/** Starts the same command again until it is done, all questions answered in between. */
async function trainByHand(dir: string, more: Partial<TrainOptions> = {}) {
  const rounds: number[] = [];
  const events: RunEvent[] = [];
  for (;;) {
    try {
      const trained = await train({ ...options(dir), ...more, onEvent: (event) => events.push(event) });
      return { trained, rounds, events };
    } catch (error) {
      if (!(error instanceof WhetstoneError) || error.code !== "handoff-pending") throw error;
      rounds.push(answerHandoff(join(dir, "handoff"), world));
      if (rounds.length > 20) throw error;
    }
  }
}

test("fault 25: a run without any key asks each stage at once and is done in a few rounds", async () => {
  const dir = await tempDir();
  const { trained, rounds, events } = await trainByHand(dir);
  // the original on val and on the first batch; study; the candidate on val; four trials of both skills on
  // test and the original on val again; the other six trials, since the wording moves the answers
  expect(rounds).toEqual([5 + 6, 1, 5, 2 * 4 * 5 + 5, 2 * 6 * 5]);
  expect(trained.summary.steps).toBe(1);
  expect(trained.best.step).toBe(1);
  expect(await readdir(join(dir, "handoff", "pending"))).toEqual([]);
  expect((await stat(join(dir, "handoff"))).mode & 0o777).toBe(0o700);
  // neither an outage nor a failure, and not one question for show
  expect(events.filter(({ type }) => ["lane-change", "unit-pending", "try-failed"].includes(type))).toEqual(
    [],
  );

  const journal = await sqliteJournal({ dir, readOnly: true });
  const ledger = await readLedger(journal.read({ run: trained.id }));
  await journal.close();
  expect(ledger).toMatchObject({
    lost: 0,
    spent: { nanoUsd: 0, calls: rounds.reduce((sum, each) => sum + each) },
  });
});

test("a person who answers for the target only waits for the optimizer's own calls to end", async () => {
  await using server = await startScriptedServer({ seed: 3, world, latency: { kind: "fixed", ms: 30 } });
  const providers = { scripted: { baseURL: `${server.url}/v1` } };
  const { trained, rounds } = await trainByHand(await tempDir(), {
    optimizer: "scripted/optimizer",
    providers,
    evalTest: false,
  });
  expect(trained.summary.steps).toBe(1);
  expect(rounds).toEqual([5 + 6, 5]);
});

test("with a role that is answered by hand, gates ask for all of val at once", async () => {
  for (const role of ["target", "optimizer", "judge", "miner"])
    expect(await resolveSettings({ [role]: "handoff/me" })).toMatchObject({ stopEarly: false });
  expect(await resolveSettings({ target: "openai/gpt-5" })).toMatchObject({ stopEarly: true });
});
