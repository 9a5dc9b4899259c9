import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Cost } from "../../core/cost.ts";
import type { Role } from "../../core/ports/model.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import { formatUsd } from "../../core/work/spend.ts";

type Payers = Pick<Resolved, "models" | "logins">;
type CallsByRole = Readonly<Partial<Record<Role, number>>>;

/** A night's cost in words: money, the share of a login's calls, and questions that a person answered. */
export function tookText(
  { nanoUsd, calls }: Pick<Cost, "nanoUsd" | "calls">,
  costs: Readonly<Partial<Record<Role, Cost>>>,
  payers: Payers,
): string {
  const byRole = Object.fromEntries(Object.entries(costs).map(([role, cost]) => [role, cost.calls]));
  return joinTook(
    `${calls} ${calls === 1 ? "call" : "calls"}`,
    formatUsd(nanoUsd),
    nanoUsd > 0,
    byRole,
    payers,
  );
}

/** The same for an estimate, where `counted` and `money` are ranges in words. */
export function joinTook(
  counted: string,
  money: string,
  isSold: boolean,
  calls: CallsByRole,
  payers: Payers,
): string {
  const shares = [
    shareText(calls, payers, isHandoff, () => "are questions for you"),
    shareText(calls, payers, (id) => payers.logins?.includes(id) === true, loginText),
  ].filter((text) => text !== undefined);
  if (shares.length === 0) return isSold ? `${counted}, ${money}` : counted;
  return [`${counted}: ${shares.join(", ")}`, ...(isSold ? [`the others cost ${money}`] : [])].join(", ");
}

const loginText = (ids: readonly string[]): string =>
  `count against the login${ids.length === 1 ? "" : "s"} of ${ids.join(" and ")}`;

function shareText(
  calls: CallsByRole,
  { models }: Payers,
  isOf: (id: string) => boolean,
  say: (ids: readonly string[]) => string,
): string | undefined {
  const roles = (Object.keys(calls) as Role[]).filter((role) => (calls[role] ?? 0) > 0);
  const own = roles.filter((role) => isOf(models[role]));
  const sum = (some: readonly Role[]) => some.reduce((total, role) => total + (calls[role] ?? 0), 0);
  if (own.length === 0) return undefined;
  const share = Math.round((100 * sum(own)) / sum(roles));
  const ids = [...new Set(own.map((role) => models[role]))];
  return `${own.length === roles.length ? "all" : `about ${share}%`} ${say(ids)}`;
}
