import { isatty } from "node:tty";
import picocolors from "picocolors";
import { readEnv } from "../../config/env.ts";

/** Colours where a person looks: a log or a file gets none unless FORCE_COLOR asks for them. */
export const colors = picocolors.createColors(wantsColors(readEnv(), isatty(1)));

export function wantsColors(env: Readonly<Record<string, string | undefined>>, isTty: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTty && env["TERM"] !== "dumb";
}
