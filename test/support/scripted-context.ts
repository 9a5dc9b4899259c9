import type { Context } from "../../src/core/context.ts";
import type { EventBody } from "../../src/core/events.ts";
import type { Json } from "../../src/core/json.ts";
import type { ModelRequest, Reply } from "../../src/core/ports/model.ts";
import { noCost } from "../../src/core/cost.ts";
import { chatEnvironment } from "../../src/core/tasks/chat-environment.ts";
import { memoryJournal } from "../../src/adapters/journals/memory.ts";
import { paperSettings, scriptedModels } from "./scripted-run.ts";
import { systemClock } from "../../src/run/session/system-clock.ts";
import type { TrainSettings } from "../../src/core/settings.ts";

export interface ScriptedContext extends Context {
  readonly requests: readonly ModelRequest[];
  readonly events: readonly EventBody[];
}

/** A context whose models answer by script; what they were asked is kept. */
export async function scriptedContext(
  answer: (request: ModelRequest, nth: number) => string | Partial<Reply> | Error,
  settings: Partial<TrainSettings> = {},
): Promise<ScriptedContext> {
  const requests: ModelRequest[] = [];
  const events: EventBody[] = [];
  const { target, optimizer } = scriptedModels;
  return {
    run: "test",
    settings: { ...paperSettings, ...settings },
    models: { target, optimizer, judge: optimizer, miner: optimizer },
    environment: chatEnvironment,
    customScorers: new Map(),
    journal: await memoryJournal(),
    executor: {
      async execute({ unit }) {
        const request = unit.input as unknown as ModelRequest;
        requests.push(request);
        const answered = answer(request, requests.length);
        if (answered instanceof Error) throw answered;
        const reply: Reply = {
          text: "",
          finish: "stop",
          usage: { inputTokens: 1, outputTokens: 1 },
          ...(typeof answered === "string" ? { text: answered } : answered),
        };
        return { output: reply as unknown as Json, cost: noCost, ms: 0, tries: 1 };
      },
    },
    clock: systemClock,
    emit: (event) => events.push(event),
    signal: new AbortController().signal,
    account: () => {},
    inFlight: new Map(),
    asked: { results: 0, missing: 0 },
    requests,
    events,
  };
}

/** The contract a system prompt names. */
export const contractOf = (request: ModelRequest): string =>
  /Contract: (\w+)/.exec(request.system ?? "")?.[1] ?? "";
