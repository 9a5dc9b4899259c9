import { InfraError, WhetstoneError } from "../errors.ts";
import { createMeter } from "./meter.ts";
import type { HandlerCall, UnitHandler } from "./handlers.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Clock } from "../ports/clock.ts";
import type { Executed } from "../ports/executor.ts";
import { type Cost, noCost, readCost } from "../cost.ts";
import type { Journal } from "../ports/journal.ts";
import type { Spend } from "./spend.ts";
import type { Unit } from "./unit.ts";

export interface AttemptContext {
  readonly run: string;
  readonly journal: Journal;
  readonly spend: Spend;
  readonly clock: Clock;
}

export interface AttemptCall extends Omit<HandlerCall, "meter"> {
  /** The most tokens that the server can have processed in this time. @default no known limit */
  readonly mostTokens?: (ms: number) => number;
}

/**
 * Makes one try at a unit: reserve the maximum cost → commit the intent → execute → commit result and cost →
 * settle. Every executor uses this function. A crash anywhere in it loses at most this one call.
 */
export async function attempt(
  unit: Unit,
  handler: UnitHandler,
  call: AttemptCall,
  tries: number,
  { run, journal, spend, clock }: AttemptContext,
): Promise<Executed> {
  const worst = handler.worst(unit.input);
  const meter = createMeter(call.key, { run, journal, spend });
  const metered = handler.metered === true ? { metered: true } : {};
  await spend.reserve(worst);
  let booked: Cost = noCost;
  try {
    const base = { run, key: call.key, name: "" };
    await journal.write({ ...base, kind: "intent", body: { worst: { ...worst } } });
    booked = worst;
    const started = clock.now();
    try {
      const { output, cost } = await handler.run(unit.input, { ...call, meter });
      const ms = clock.now() - started;
      const kind = `${unit.kind}@${unit.version}`;
      const body = { output, cost: { ...cost }, ...metered, ms, tries, unit: kind };
      const first = await journal.write({ ...base, kind: "result", body });
      booked = handler.metered === true ? noCost : cost;
      return { output: first.body["output"] as Json, cost: readCost(first.body["cost"]), ms, tries };
    } catch (error) {
      if (isHandedOver(error)) {
        // no call was made, but without this entry the intent would count as a lost call
        booked = noCost;
        const body = { class: "handoff", message: error.message, status: null, cost: { ...noCost } };
        await journal.write({ ...base, kind: "failure", body });
      }
      if (!(error instanceof InfraError)) throw error;
      const ms = clock.now() - started;
      booked = handler.metered === true ? noCost : costOfFailure(error, worst, mostTokensIn(ms));
      await journal.write({ ...base, kind: "failure", body: failureBody(error, booked) });
      throw error;
    }
  } finally {
    spend.settle(worst, booked);
  }

  /** A paid provider may continue after we hang up, and charge for all tokens; a local server is limited by its speed. */
  function mostTokensIn(ms: number): number {
    const isFree = worst.nanoUsd === 0 && handler.isNear?.(unit.input) === true;
    return Math.min(worst.tokens, (isFree ? call.mostTokens?.(ms) : undefined) ?? worst.tokens);
  }
}

const costOfFailure = ({ billed }: InfraError, worst: Cost, tokens: number): Cost =>
  billed === "no" ? { ...noCost, calls: 1 } : { ...worst, tokens };

const isHandedOver = (error: unknown): error is WhetstoneError =>
  error instanceof WhetstoneError && error.code === "handoff-pending";

function failureBody(error: InfraError, cost: Cost): JsonObject {
  return { class: error.class, message: error.message, status: error.status ?? null, cost: { ...cost } };
}
