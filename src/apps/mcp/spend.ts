import { z } from "zod";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { SpendCaps } from "../../core/settings.ts";
import { createLiveCalls } from "../../report/live-calls.ts";
import { createRunReader } from "../../report/run-state.ts";
import type { CallPlan } from "../../run/verbs/plan-call.ts";
import { progressLine } from "../../show/progress-lines.ts";
import { countRange, timeRange, usdRange } from "../../show/ranges.ts";
import type { McpCall } from "./tool.ts";

export const caps = z.strictObject({
  usd: z.number().positive().max(10_000).optional(),
  tokens: z.int().positive().optional(),
  calls: z.int().positive().optional(),
  minutes: z.number().positive().max(10_000).optional(),
});

/** Merges the config's caps with the call's, which can only be lower. */
export function lowerCaps(written: SpendCaps | undefined, given: SpendCaps): SpendCaps | undefined {
  for (const name of ["usd", "tokens", "calls", "minutes"] as const) {
    const [most, asked] = [written?.[name], given[name]];
    if (most === undefined || asked === undefined || asked <= most) continue;
    throw new WhetstoneError("not-allowed", `The project's cap is ${most} ${name}; ${asked} is higher.`, {
      hint: "Use a lower cap, or have the person raise `spend` in the config.",
    });
  }
  const caps = { ...written, ...given };
  return Object.keys(caps).length === 0 ? undefined : caps;
}

type Priced = Pick<CallPlan, "price" | "calls" | "time" | "unpriced" | "logins">;

/** Costs neither money nor a subscription. An unknown price isn't free. */
export const isFree = ({ price, unpriced, logins }: Priced): boolean =>
  price.high === 0 && unpriced.length === 0 && logins.length === 0;

/** A purchase as the person is asked about it. */
interface Purchase {
  readonly config: Config;
  readonly spend: SpendCaps | undefined;
  /** `Train SKILL.md` */
  readonly what: string;
  readonly yes: string;
  /** The command to type instead, without the caps. */
  readonly command: string;
}

/** Allows spending only under a cap that a person wrote or just confirmed. */
export async function allowSpend(
  planned: Priced,
  { config, spend = {}, what, yes, command }: Purchase,
  call: McpCall,
): Promise<void> {
  if (isFree(planned)) return;
  // without a price, a cap in dollars has no effect
  const needed: readonly (keyof SpendCaps)[] =
    planned.price.high > 0 ? ["usd", "tokens", "calls"] : ["tokens", "calls"];
  const isCapped = (given: SpendCaps = {}) => needed.some((name) => given[name] !== undefined);
  if (!isCapped(spend))
    throw new WhetstoneError("usage", "This server only spends under a cap, and none is set.", {
      hint: `Set one of ${needed.map((name) => `cap.${name}`).join(", ")}, or have the person set \`spend\` in the config.`,
    });
  if (!call.canAsk && isCapped(config.spend)) return;
  const { price, calls, time } = planned;
  const limits = Object.entries(spend).map(([name, most]) => `${most} ${name}`);
  const flags = Object.entries(spend).map(([name, most]) => ` --spend-${name} ${most}`);
  await call.confirm({
    message: `${what}: ${usdRange(price)}, ${countRange(calls)} calls, ${timeRange(time)}. It stops at ${limits.join(", ")}. None of your files changes.`,
    yes,
    command: `${command}${flags.join("")}`,
  });
}

/** Feeds each event to the read model and reports the same line that a log would show. */
export function progressOf(call: McpCall) {
  const [reader, calls] = [createRunReader(), createLiveCalls()];
  return (event: Parameters<typeof reader.add>[0]): void => {
    reader.add(event);
    calls.add(event);
    const state = reader.state();
    if (state !== undefined)
      call.tell(`${state.run.slice(0, 8)}: ${progressLine({ state, calls, now: Date.now() })}`);
  };
}
