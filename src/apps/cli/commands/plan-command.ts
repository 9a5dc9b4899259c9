import { type PlanOptions, plan } from "../../../run/plan.ts";
import type { PlannedCall } from "../../../run/verbs/plan-call.ts";
import type { Io } from "../../../show/io.ts";
import { planLines } from "../../../show/plan-lines.ts";
import { type RunFlags, readConfig } from "../read-config.ts";

export interface PlanFlags extends RunFlags, Omit<PlannedCall, "verb"> {
  readonly for?: PlanOptions["verb"];
}

/** `whetstone plan [skill]` */
export async function planCommand({ for: verb, ...flags }: PlanFlags, io: Io): Promise<void> {
  const { on, baseline, variants, count, margin, shorten, since } = flags;
  const asked = { verb, on, baseline, variants, count, margin, shorten, since };
  const config = await readConfig(flags, io);
  const planned = await plan({ ...config, ...asked, cwd: io.cwd, signal: io.signal });
  const { refusal, power, guesses: _, notes: __, ...shown } = planned;
  if (flags.json) io.printJson({ ...shown, ...power, refusal: refusal?.message ?? null });
  else io.print(planLines(planned, io).join("\n"));
  if (refusal !== undefined) throw refusal;
}
