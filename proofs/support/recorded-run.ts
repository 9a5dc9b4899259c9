import type { Resolved } from "../../test/support/scripted-run.ts";
import type { RunEvent } from "../../src/index.ts";
import type { Journal, Model, ModelRequest, Stage } from "../../src/ports.ts";
import { perform } from "../../src/run/verbs/perform.ts";
import { type TrainRun, trainVerb } from "../../src/run/verbs/train.ts";

/** One call of a run, with its place in the loop and the moments at which it began and ended. */
export interface RecordedCall {
  readonly key: string;
  readonly request: ModelRequest;
  readonly step: number;
  readonly stage: Stage;
  /** The optimizer contract that its prompt names. */
  readonly contract: string | undefined;
  readonly began: number;
  readonly ended: number;
}

export interface RecordedRun {
  /** In the order in which they began. */
  readonly calls: readonly RecordedCall[];
  readonly ms: number;
  readonly run: TrainRun;
}

/** A whole training run, and every call that it made. */
export async function recordRun(resolved: Resolved, journal: Journal): Promise<RecordedRun> {
  const made: Pick<RecordedCall, "key" | "request" | "began" | "ended">[] = [];
  const places = new Map<string, { readonly step: number; readonly stage: Stage }>();
  const onEvent = (event: RunEvent) => {
    if (event.type !== "unit-end" || event.from !== "provider") return;
    places.set(event.key, { step: event.step, stage: event.stage });
  };
  const recording = (model: Model): Model => ({
    id: model.id,
    async generate(request, call) {
      const began = performance.now();
      const at = made.push({ key: call.key, request, began, ended: began }) - 1;
      const reply = await model.generate(request, call);
      made[at] = { key: call.key, request, began, ended: performance.now() };
      return reply;
    },
  });
  const modelObjects = new Map([...resolved.modelObjects].map(([id, model]) => [id, recording(model)]));
  const started = performance.now();
  const run = await perform(trainVerb({ ...resolved, modelObjects }), { journal, onEvent });
  const ms = performance.now() - started;
  const calls = made.map((call): RecordedCall => {
    const place = places.get(call.key);
    if (place === undefined) throw new Error(`No event tells where the call ${call.key} belongs.`);
    const contract = /^Contract: *(\S+)/m.exec(call.request.system ?? "")?.[1];
    return { ...call, ...place, contract };
  });
  return { calls, ms, run };
}
