import { memoryJournal } from "../../../src/adapters/journals/memory.ts";
import { trainSkill } from "../../../src/core/loop/train.ts";
import { readLedger } from "../../../src/core/work/ledger.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { hiddenRuleWorld } from "../../../src/testing/index.ts";
import { simulatedReply } from "../simulation/simulated-network.ts";
import { virtualTime } from "../simulation/virtual-time.ts";
import { preflight } from "../../../src/run/session/preflight.ts";
import { runId } from "../../../src/run/session/run-id.ts";
import { runInSession } from "../../../src/run/session/run-in-session.ts";
import { scriptedModels } from "../scripted-run.ts";
import { planSimulation, withoutFaults } from "../simulation/simulation-plan.ts";
import { resolvedRun } from "../simulation/simulation-run.ts";
import type { LoadFigures } from "./flat-load.ts";
import { untilDone } from "./until-done.ts";
import { slotServer } from "./slot-server.ts";

/** A whole training run whose target and optimizer share a server with one slot. */
export async function trainOnSlot(seed: number, ms: number): Promise<LoadFigures> {
  const random = seededRandom("train-on-slot", seed);
  const time = virtualTime(random);
  const process = time.startProcess();
  const world = hiddenRuleWorld({ seed, rules: 4 });
  const reply = simulatedReply(world);
  const server = slotServer({ slots: 1, ms: () => ms, reply, process });
  const plan = { ...withoutFaults(planSimulation(seed)), concurrency: "auto" as const };
  const modelObjects = new Map(Object.values(scriptedModels).map((id) => [id, server.model(id)]));
  const resolved = { ...resolvedRun(plan, world, undefined), prices: {}, modelObjects };
  const journal = await memoryJournal();
  const run = runId("train", resolved);
  let lostTries = 0;
  const started = time.now();
  const work = runInSession(
    { run, folders: [], resolved },
    {
      journal,
      clock: process.clock,
      artifacts: false,
      onEvent: ({ type }) => {
        if (type === "try-failed") lostTries += 1;
      },
    },
    async ({ context }) => {
      await preflight(["target", "optimizer"], context);
      return trainSkill({ skill: resolved.skill, splits: resolved.splits }, context);
    },
  );
  await untilDone(work, time);
  const elapsed = time.now() - started;
  const { spent } = await readLedger(journal.read({ run }));
  return {
    share: server.seen.busyMs / elapsed,
    seconds: elapsed / 1000,
    lostTries,
    pending: 0,
    mostInFlight: server.seen.mostInFlight,
    booked: spent.tokens / server.seen.tokens,
    calls: spent.calls,
  };
}
