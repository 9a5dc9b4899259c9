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

/** Everything before the work: checks that cannot carry a claim, models that do not answer, a judge that cannot tell. */
export async function prepare(verb: Rehearsable, context: Context): Promise<void> {
  const { resolved, firstAsked = verb.roles, askedAnew, claims = [], isFree = false } = verb;
  if (isFree) return;
  if (claims.length > 0) await tryChecksFirst(claims, resolved, context);
  await resolved.environment.setup?.();
  const asking = askedAnew === undefined ? context : askAnew(askedAnew, context);
  await preflight(calledRoles(firstAsked, resolved), asking, resolved);
  await calibrateFirst(resolved, context);
}

/** Calls in this context are made once for each word, whatever the journal holds. */
export const askAnew = (word: string, context: Context): Context => ({
  ...context,
  settings: { ...context.settings, fresh: word },
});

/** A cap in money alone means nothing for a model whose price nobody knows. */
export function findUnknownPrices(resolved: Resolved, roles: readonly Role[]): WhetstoneError | undefined {
  const { spend, models, prices, offline } = resolved;
  if (spend.usd === undefined || offline || isCappedOtherwise(spend)) return undefined;
  const called = new Set(calledRoles(roles, resolved).map((role) => models[role]));
  const unknown = [...called].filter((id) => priceOf(id, prices) === undefined);
  if (unknown.length === 0) return undefined;
  return new WhetstoneError(
    "price-unknown",
    `The price of ${unknown.join(" and ")} is not known, so ${spend.usd} USD cannot be kept.`,
    {
      hint: `Add --spend-calls 2000, which holds without a price; or give the price in USD per million tokens: ${unknown.map((id) => `--price ${id}=<in>,<out>`).join(" ")}`,
    },
  );
}
