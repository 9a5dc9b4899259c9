import { priceOf } from "../../adapters/models/prices.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Context } from "../../core/context.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Role } from "../../core/ports/model.ts";
import { isCappedOtherwise } from "../../core/settings.ts";
import { calibrateFirst, calledRoles } from "../session/calibrate-judge.ts";
import { preflight } from "../session/preflight.ts";
import { tryChecksFirst } from "../session/try-checks-first.ts";
import type { Rehearsable } from "./verb.ts";

/** Everything before the work: finds checks that can't carry a claim, silent models, and judges that can't judge. */
export async function prepare(verb: Rehearsable, context: Context): Promise<void> {
  const { resolved, firstAsked = verb.roles, askedAnew, claims = [], isFree = false } = verb;
  if (isFree) return;
  if (claims.length > 0) await tryChecksFirst(claims, resolved, context);
  await resolved.environment.setup?.();
  const asking = askedAnew === undefined ? context : askAnew(askedAnew, context);
  await preflight(calledRoles(firstAsked, resolved), asking, resolved);
  await calibrateFirst(resolved, context);
}

/** In this context, calls are made once per word, even if the journal already has them. */
export const askAnew = (word: string, context: Context): Context => ({
  ...context,
  settings: { ...context.settings, fresh: word },
});

/** A cap in money alone can't be enforced for a model without a known price. */
export function findUnknownPrices(resolved: Resolved, roles: readonly Role[]): WhetstoneError | undefined {
  const { spend, models, prices, offline } = resolved;
  if (spend.usd === undefined || offline || isCappedOtherwise(spend)) return undefined;
  const called = new Set(calledRoles(roles, resolved).map((role) => models[role]));
  const unknown = [...called].filter((id) => priceOf(id, prices) === undefined);
  if (unknown.length === 0) return undefined;
  return new WhetstoneError(
    "price-unknown",
    `The price of ${unknown.join(" and ")} isn't known, so the cap of $${spend.usd} can't be enforced.`,
    {
      hint: `Add --spend-calls 2000, which works without a price; or set the price in USD per million tokens: ${unknown.map((id) => `--price ${id}=<in>,<out>`).join(" ")}`,
    },
  );
}
