import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { InfraError } from "../errors.ts";
import type { Json } from "../json.ts";
import type { Executed } from "../ports/executor.ts";
import { type Cost, readCost } from "../cost.ts";
import { type Unit, unitKey } from "./unit.ts";

export interface Memoized {
  readonly key: string;
  readonly output: Json;
  /** Its cost when it was bought. */
  readonly cost: Cost;
  /** Its duration then in milliseconds, without waiting for its turn. */
  readonly ms: number;
  /** Its number in the journal; missing if it was bought just now. */
  readonly seq?: number;
}

/** Gets the recorded result of a unit, and buys it only if it's missing. Resume, cache and ledger all rest on this. */
export async function memo(unit: Unit, place: Place, context: Context): Promise<Memoized> {
  const key = unitKey(unit, context.settings.fresh);
  const running = context.inFlight.get(key) as Promise<Memoized> | undefined;
  if (running !== undefined) return running;
  const result = lookUpOrBuy(unit, key, place, context).finally(() => context.inFlight.delete(key));
  context.inFlight.set(key, result);
  return result;
}

async function lookUpOrBuy(unit: Unit, key: string, place: Place, context: Context): Promise<Memoized> {
  const { role, step, stage } = place;
  const recorded = await context.journal.get(key);
  if (recorded !== undefined) {
    // the other run may be removed later; this entry keeps the result that we rely on
    const isShared = recorded.run !== context.run;
    if (isShared) {
      await context.journal.write({ kind: "use", run: context.run, key, name: "", body: {} });
    }
    const cost = readCost(recorded.body["cost"]);
    context.account(key, role, cost, isShared);
    context.emit({ type: "unit-end", key, role, step, stage, from: "journal", cost, ms: 0, tries: 0 });
    const { body, seq } = recorded;
    return { key, output: body["output"] as Json, cost, ms: Number(body["ms"] ?? 0), seq };
  }
  context.signal.throwIfAborted();
  const bought = await buy(unit, key, place, context);
  const { output, cost, ms, tries } = bought;
  context.account(key, role, cost);
  context.emit({ type: "unit-end", key, role, step, stage, from: "provider", cost, ms, tries });
  return { key, output, cost, ms };
}

async function buy(unit: Unit, key: string, place: Place, context: Context): Promise<Executed> {
  try {
    return await context.executor.execute({ unit, key, place });
  } catch (error) {
    // the caller reports a prompt that's too long, and a task that was left out didn't fail
    if (error instanceof InfraError && error.class !== "prompt-refused" && error.class !== "left-out") {
      const { role, step, stage } = place;
      context.emit({
        type: "unit-pending",
        key,
        role,
        step,
        stage,
        class: error.class,
        message: error.message,
      });
    }
    throw error;
  }
}
