import { memoryJournal } from "../../../src/adapters/journals/memory.ts";
import type { Context } from "../../../src/core/context.ts";
import { drawOdds, oddsShift, passRate, taskModel } from "../../../src/core/gate/claim/task-model.ts";
import type { Json } from "../../../src/core/json.ts";
import type { ModelRequest, Reply } from "../../../src/core/ports/model.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { noCost } from "../../../src/core/cost.ts";
import { chatEnvironment } from "../../../src/core/tasks/chat-environment.ts";
import type { Task } from "../../../src/core/tasks/task.ts";
import { systemClock } from "../../../src/run/session/system-clock.ts";
import { paperSettings, scriptedModels } from "../scripted-run.ts";

export interface Movement {
  readonly shape: "step" | "ramp";
  /** By how much the mean score falls. */
  readonly points: number;
  /** Calls that the whole measurement takes. */
  readonly calls: number;
}

/** Calls in flight at once: so far they may overtake one another. */
const inFlight = 8;

/**
 * A target that answers every skill alike and moves with time: task difficulty is logit-normal with mean 0.7 and flip rate
 * 0.2, time is the number of the call. What it leaves out: a provider that moves for some tasks only, and rate limits.
 */
export async function movingTarget(
  { shape, points, calls }: Movement,
  tasks: number,
  seed: number,
  settings: Partial<Context["settings"]> = {},
): Promise<{ readonly context: Context; readonly tasks: readonly Task[]; calls(): number }> {
  const model = taskModel({ baseline: 0.7, flipRate: 0.2 });
  const random = seededRandom("drift", seed, tasks, shape, points);
  const odds = new Map(Array.from({ length: tasks }, (_, at) => [`task ${at}`, drawOdds(model, random)]));
  const late = points === 0 ? 0 : oddsShift(model, -points / 100);
  let made = 0;
  const shiftAt = (share: number) => (shape === "step" ? (share < 0.5 ? 0 : late) : share * late);
  const { target, optimizer } = scriptedModels;
  const context: Context = {
    run: "drift",
    settings: { ...paperSettings, claimTrials: "auto", seed, ...settings },
    models: { target, optimizer, judge: optimizer, miner: optimizer },
    environment: chatEnvironment,
    customScorers: new Map(),
    journal: await memoryJournal(),
    executor: {
      async execute({ unit }) {
        const { messages } = unit.input as unknown as ModelRequest;
        const share = Math.min((made + inFlight * random()) / calls, 1);
        made += 1;
        const own = odds.get(/task \d+/.exec(messages[0]?.content ?? "")?.[0] ?? "") ?? 0;
        const reply: Reply = {
          text: random() < passRate(own + shiftAt(share)) ? "yes" : "no",
          finish: "stop",
          usage: { inputTokens: 1, outputTokens: 1 },
        };
        return { output: reply as unknown as Json, cost: noCost, ms: 0, tries: 1 };
      },
    },
    clock: systemClock,
    emit: () => {},
    signal: new AbortController().signal,
    account: () => {},
    inFlight: new Map(),
    asked: { results: 0, missing: 0 },
  };
  return {
    context,
    calls: () => made,
    tasks: Array.from(odds.keys(), (name, at) => ({ id: `t${at}`, input: name, answers: ["yes"] })),
  };
}
