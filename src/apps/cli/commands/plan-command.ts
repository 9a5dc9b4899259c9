import { type PlanOptions, plan } from "../../../run/plan.ts";
import type { PlannedCall } from "../../../run/verbs/plan-call.ts";
import type { Io } from "../../../show/io.ts";
import { planLines, soFarLine } from "../../../show/plan-lines.ts";
import { type RunFlags, readConfig } from "../read-config.ts";

export interface PlanFlags extends RunFlags, Omit<PlannedCall, "verb" | "onSoFar"> {
  readonly for?: PlanOptions["verb"];
}

/** `whetstone plan [skill]` */
export async function planCommand({ for: verb, ...flags }: PlanFlags, io: Io): Promise<void> {
  const { on, baseline, count, margin, since } = flags;
  const asked = { verb, on, baseline, count, margin, since };
  const config = await readConfig(flags, io);
  const onSoFar = flags.json ? undefined : tellSoFar(io);
  const planned = await plan({ ...config, ...asked, cwd: io.cwd, signal: io.signal, onSoFar });
  io.show([]);
  const { refusal, power, guesses: _, notes: __, ...shown } = planned;
  if (flags.json) io.printJson({ ...shown, ...power, refusal: refusal?.message ?? null });
  else io.print(planLines(planned, io).join("\n"));
  if (refusal !== undefined) throw refusal;
}

/** One line that keeps improving, or only its first version if lines can't be redrawn. */
function tellSoFar(io: Io): NonNullable<PlannedCall["onSoFar"]> {
  let isTold = false;
  return (soFar) => {
    const line = soFarLine(soFar);
    if (io.isTerminal) io.show([line]);
    else if (!isTold) io.print(line);
    isTold = true;
  };
}
