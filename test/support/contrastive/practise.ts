import type { Task } from "../../../src/index.ts";
import { singleFileSkill } from "../../../src/method.ts";
import type { Environment } from "../../../src/ports.ts";
import {
  type CallRecord,
  type ChatWorld,
  memoryJournal,
  startScriptedServer,
} from "../../../src/testing/index.ts";
import type { Document } from "../../../src/core/rules/learned/document.ts";
import type { MinedTask } from "../../../src/core/ports/mined-task.ts";
import { consolidateNight } from "../../../src/sleep/night/night.ts";
import type { NightResult } from "../../../src/sleep/night/night-types.ts";
import { chatEnvironment } from "../../../src/core/tasks/chat-environment.ts";
import { preflight } from "../../../src/run/session/preflight.ts";
import { runInSession } from "../../../src/run/session/run-in-session.ts";
import { scriptedRun } from "../scripted-run.ts";

export interface Practice {
  readonly seed: number;
  readonly world: ChatWorld;
  readonly tasks: readonly Task[];
  readonly attempts: number;
  readonly latencyMs?: number;
  readonly environment?: Environment;
}

export interface Practised {
  readonly result: NightResult;
  readonly calls: readonly CallRecord[];
  /** Of the whole night, from its first task on. */
  readonly ms: number;
  readonly maxInFlight: number;
}

/** The practice of one night over real sockets: k attempts at every train task, then the optimizer; nothing is gated. */
export async function practise(practice: Practice): Promise<Practised> {
  const { seed, world, tasks, attempts, latencyMs = 0, environment = chatEnvironment } = practice;
  await using server = await startScriptedServer({
    seed,
    world,
    latency: { kind: "fixed", ms: latencyMs },
  });
  const resolved = scriptedRun({
    url: server.url,
    skill: "",
    splits: { train: [], val: [], test: [] },
    rest: { concurrency: 1024, environment },
  });
  const journal = await memoryJournal();
  let [started, before] = [0, 0];
  const result = await runInSession(
    { run: `contrastive-${seed}-${attempts}`, folders: [], resolved },
    { journal, artifacts: false },
    async ({ context }) => {
      // as before every night: models that have answered once are asked many things at once
      await preflight(["target", "optimizer"], context);
      [started, before] = [performance.now(), server.calls.length];
      return consolidateNight(
        {
          night: "proof",
          documents: [document],
          tasks: new Map([[document.id, { train: tasks.map(mined), val: [], regression: [] }]]),
          rules: [],
          wishes: [],
          untrusted: new Set(),
          preferences: "",
          settings: {
            gate: "off",
            evolveSkill: true,
            evolveMemory: false,
            editBudget: 4,
            attempts,
            trials: 1,
            maxOpenRules: 4,
            maxTasks: 40,
          },
          guardRule: () => ({ ok: true, powers: [] }),
          environmentFor: () => environment,
        },
        context,
      );
    },
  );
  const ms = performance.now() - started;
  await journal.close();
  return { result, calls: server.calls.slice(before), ms, maxInFlight: server.maxInFlight };
}

const document: Document = {
  id: "skill:desk",
  kind: "skill",
  scope: "project",
  name: "desk",
  path: "/desk",
  skill: singleFileSkill("# Desk\n\nAnswer in one word.\n"),
};

const mined = (task: Task): MinedTask => ({
  task,
  kind: "task",
  seen: [`conversation of ${task.id}`],
  outcome: "unknown",
  evidence: [],
  scope: "project",
  paraphrases: [],
});
