import type { Speculation, Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { Executor } from "../ports/executor.ts";
import { type Cost, addCost, noCost, subtractCost } from "../cost.ts";
import type { Role } from "../ports/model.ts";

/** Part of the allowance that the optimizer may use on branches that are not the likelier ones. */
const unfavoured = 0.7;

/**
 * `share` bounds what may turn out to be wasted: results that nobody has used yet, and calls under way at the average
 * price of their role, stay below this share of all that is spent.
 */
export function createSpeculation(share: number): Speculation {
  const underWay = new Map<string, Promise<unknown>>();
  const unused = new Map<string, Cost>();
  const byRole = new Map<Role, { readonly cost: Cost; readonly units: number }>();
  // of all results used, of those that nobody has used yet, and of calls under way as far as one can know
  let [spent, atRisk, expected] = [noCost, noCost, noCost];

  const average = (role: Role): Cost | undefined => {
    const seen = byRole.get(role);
    return seen && scale(seen.cost, 1 / seen.units);
  };

  function fits(next: Cost, part = 1): boolean {
    const most = scale(addCost(spent, atRisk), share * part);
    const exposed = [atRisk, expected, next].reduce(addCost);
    // where nobody knows a price, tokens are the measure
    return spent.nanoUsd > 0 ? exposed.nanoUsd <= most.nanoUsd : exposed.tokens <= most.tokens;
  }

  function executorAhead(executor: Executor, { urgency, favoured, isStopped }: BranchState): Executor {
    return {
      async execute(dispatch) {
        const { key, place } = dispatch;
        const price = average(place.role);
        if (price === undefined) throw new NotAhead();
        const isLast = place.stage === "test";
        if (isLast || (place.role === "optimizer" && !fits(price, unfavoured))) await favoured;
        if (isStopped() || !fits(price)) throw new NotAhead();
        expected = addCost(expected, price);
        try {
          const ahead = isLast ? "spare" : urgency;
          const executed = await executor.execute({ ...dispatch, place: { ...place, ahead } });
          unused.set(key, executed.cost);
          atRisk = addCost(atRisk, executed.cost);
          return executed;
        } finally {
          expected = subtractCost(expected, price);
        }
      },
    };
  }

  return {
    begin(urgency, context, body) {
      const dropping = new AbortController();
      const { promise: favoured, resolve: favour } = Promise.withResolvers<void>();
      let stopped = false;
      const stop = () => {
        stopped = true;
        favour();
      };
      const ahead: Context = {
        ...context,
        speculation: undefined,
        executor: executorAhead(context.executor, { urgency, favoured, isStopped: () => stopped }),
        signal: AbortSignal.any([context.signal, dropping.signal]),
        inFlight: {
          get: (key) => context.inFlight.get(key) ?? underWay.get(key),
          set: (key, result) => underWay.set(key, result),
          delete: (key) => underWay.delete(key),
        },
        // paid is paid, but only what the run uses is its cost
        account() {},
        emit(event) {
          if (event.type === "unit-end" && event.from === "provider") context.emit({ ...event, ahead: true });
        },
      };
      body(ahead, stop).catch(() => {});
      return {
        favour,
        stop,
        abandon() {
          stop();
          dropping.abort(new NotAhead());
        },
      };
    },
    settled: (key) =>
      underWay.get(key)?.then(
        () => {},
        () => {},
      ),
    use(key) {
      const risked = unused.get(key);
      if (risked !== undefined) {
        unused.delete(key);
        atRisk = subtractCost(atRisk, risked);
      }
      return risked !== undefined;
    },
    count(role, cost) {
      const seen = byRole.get(role) ?? { cost: noCost, units: 0 };
      byRole.set(role, { cost: addCost(seen.cost, cost), units: seen.units + 1 });
      spent = addCost(spent, cost);
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay.values());
    },
  };
}

interface BranchState {
  readonly urgency: NonNullable<Place["ahead"]>;
  readonly favoured: Promise<void>;
  readonly isStopped: () => boolean;
}

/** Thrown into work that runs ahead; nobody sees it. */
class NotAhead extends Error {
  override readonly name = "NotAhead";
  constructor() {
    super("This call waits until it is known to be needed.");
  }
}

const scale = ({ nanoUsd, tokens, calls }: Cost, by: number): Cost => ({
  nanoUsd: nanoUsd * by,
  tokens: tokens * by,
  calls: calls * by,
});
