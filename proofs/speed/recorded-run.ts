import { type Config, type RunEvent, train } from "../../src/index.ts";
import type { Stage } from "../../src/ports.ts";
import { type Watch, type WatchedCall, watchedModels } from "../support/watched-models.ts";

/** One call of a run, with its place in the loop and the moments at which it began and ended. */
export interface RecordedCall extends WatchedCall {
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
}

/** A whole training run against the server at `url`, and every call that it made. */
export async function recordRun(url: string, config: Config): Promise<RecordedRun> {
  const made: (WatchedCall & Pick<RecordedCall, "began" | "ended">)[] = [];
  const watch: Watch = async (call, make) => {
    const began = performance.now();
    const at = made.push({ ...call, began, ended: began }) - 1;
    const answer = await make();
    made[at] = { ...call, began, ended: performance.now() };
    return answer;
  };
  const places = new Map<string, { readonly step: number; readonly stage: Stage }>();
  const onEvent = (event: RunEvent) => {
    if (event.type !== "unit-end" || event.from !== "provider") return;
    places.set(event.key, { step: event.step, stage: event.stage });
  };
  const started = performance.now();
  await train({ ...config, ...watchedModels(url, watch), onEvent });
  const ms = performance.now() - started;
  const calls = made.map((call): RecordedCall => {
    const place = places.get(call.key);
    if (place === undefined) throw new Error(`No event tells where the call ${call.key} belongs.`);
    const contract = /^Contract: *(\S+)/m.exec(call.request.system ?? "")?.[1];
    return { ...call, ...place, contract };
  });
  return { calls, ms };
}
