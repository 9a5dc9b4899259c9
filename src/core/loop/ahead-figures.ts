import { type Cost, addCost, noCost, readCost } from "../cost.ts";
import type { Entry } from "../ports/journal.ts";

/** What a run bought before it was known to be needed, over all of its executions. */
export interface AheadFigures {
  readonly results: number;
  /** Those that no step came to need, and what they cost. */
  readonly unused: number;
  readonly wasted: Cost;
}

/** From the run's events; `isUsed` must know all that a whole execution has used. */
export async function readAhead(
  events: AsyncIterable<Entry>,
  isUsed: (key: string) => boolean,
): Promise<AheadFigures> {
  const bought = new Map<string, Cost>();
  for await (const { name, body } of events) {
    if (name !== "unit-end" || body["ahead"] !== true) continue;
    bought.set(body["key"] as string, readCost(body["cost"]));
  }
  const unused = [...bought].filter(([key]) => !isUsed(key)).map(([, cost]) => cost);
  return { results: bought.size, unused: unused.length, wasted: unused.reduce(addCost, noCost) };
}
